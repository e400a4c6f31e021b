package shell

import (
	"errors"
	"strconv"
	"syscall"
)

func itoa(n int) string { return strconv.Itoa(n) }

// atoi reads a decimal number without sign.
func atoi(s string) (int, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// errno answers the syscall.Errno inside an error, EIO when there is none.
func errno(err error) syscall.Errno {
	var n syscall.Errno
	if errors.As(err, &n) {
		return n
	}
	return syscall.EIO
}

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// clock is the number of the clock of a thread, see clock_getcpuclockid(3):
// Linux makes it of the complement of the thread's id and two flags.
type clock int32

func threadClock() clock { return clock(^unix.Gettid()<<3 | 6) }

// now answers the processor time of the thread; 0 when it is gone.
func (c clock) now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(int32(c), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// Package filever orders file names with version numbers in them, as GNU's
// filevercmp does for `sort -V` and `ls -v`.
package filever

// Compare answers -1, 0 or 1 by the rules of "Version sort ordering" in the
// coreutils manual: runs of digits compare as numbers, "~" comes before
// everything, names with a leading dot come first, and suffixes such as
// ".tar.gz" count only between names that are otherwise equal.
func Compare(a, b string) int {
	switch {
	case a == "" || b == "":
		return sign(len(a) - len(b))
	case a[0] == '.' && b[0] != '.':
		return -1
	case a[0] != '.' && b[0] == '.':
		return 1
	case a[0] == '.':
		if d := dots(a) - dots(b); d != 0 {
			return sign(d)
		}
	}
	x, y := prefix(a), prefix(b)
	d := compare(a[:x], b[:y])
	if d == 0 && (x < len(a) || y < len(b)) {
		d = compare(a, b)
	}
	return sign(d)
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// dots ranks names with a leading dot: ".", "..", the others.
func dots(s string) int {
	switch s {
	case ".":
		return 0
	case "..":
		return 1
	}
	return 2
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// prefix answers the length of s without the suffix that matches
// (\.[A-Za-z~][A-Za-z0-9~]*)*$, which may be all of it.
func prefix(s string) int {
	n := 0
	for i := 0; ; {
		for i+1 < len(s) && s[i] == '.' && (isAlpha(s[i+1]) || s[i+1] == '~') {
			for i += 2; i < len(s) && (isAlpha(s[i]) || isDigit(s[i]) || s[i] == '~'); i++ {
			}
		}
		if i >= len(s) {
			return n
		}
		i++
		n = i
	}
}

// order ranks a character that is not part of a number.
func order(s string, i int) int {
	if i >= len(s) {
		return -1
	}
	switch c := s[i]; {
	case isDigit(c):
		return 0
	case isAlpha(c):
		return int(c)
	case c == '~':
		return -2
	default:
		return int(c) + 256
	}
}

// compare goes through both names, text and numbers by turns.
func compare(a, b string) int {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		for i < len(a) && !isDigit(a[i]) || j < len(b) && !isDigit(b[j]) {
			if d := order(a, i) - order(b, j); d != 0 {
				return d
			}
			i++
			j++
		}
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		first := 0
		for i < len(a) && j < len(b) && isDigit(a[i]) && isDigit(b[j]) {
			if first == 0 {
				first = int(a[i]) - int(b[j])
			}
			i++
			j++
		}
		switch {
		case i < len(a) && isDigit(a[i]):
			return 1
		case j < len(b) && isDigit(b[j]):
			return -1
		case first != 0:
			return first
		}
	}
	return 0
}

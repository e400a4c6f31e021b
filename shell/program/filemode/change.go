package filemode

import "errors"

// ErrSyntax is the error of a mode that cannot be read.
var ErrSyntax = errors.New("invalid mode")

// Change is a parsed mode argument: an octal mode, or a list of symbolic
// clauses (POSIX chmod, with GNU's octal operands such as "+0111").
type Change []action

type action struct {
	op       byte   // '=', '+' or '-'
	affected uint32 // bits of the users that were named; 0 when none was
	value    uint32 // the bits to set, clear or assign
	// mentioned are the bits that an octal mode speaks of: a directory keeps
	// its set-ID bits when a mode of fewer than five digits does not set them.
	mentioned uint32
	copyFrom  uint32 // the user whose bits are copied; 0 when none
	xIfAny    bool   // X: execute only for directories and executable files
}

// Parse reads a mode argument.
func Parse(s string) (Change, error) {
	if s != "" && isOctal(s[0]) {
		value, n, ok := octal(s)
		if !ok || n != len(s) {
			return nil, ErrSyntax
		}
		mentioned := uint32(AllBits)
		if n < 5 {
			mentioned = value&(SetUID|SetGID) | Sticky | permBits
		}
		return Change{{op: '=', affected: AllBits, value: value, mentioned: mentioned}}, nil
	}
	var c Change
	for {
		clause, rest, err := parseClause(s)
		if err != nil {
			return nil, err
		}
		c = append(c, clause...)
		if rest == "" {
			return c, nil
		}
		s = rest[1:]
	}
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func octal(s string) (value uint32, n int, ok bool) {
	for n < len(s) && isOctal(s[n]) {
		value = value*8 + uint32(s[n]-'0')
		n++
		if value > AllBits {
			return 0, n, false
		}
	}
	return value, n, true
}

// parseClause reads up to the comma or the end.
func parseClause(s string) ([]action, string, error) {
	var affected uint32
	i := 0
users:
	for ; i < len(s); i++ {
		switch s[i] {
		case 'u':
			affected |= SetUID | 0o700
		case 'g':
			affected |= SetGID | 0o070
		case 'o':
			affected |= Sticky | 0o007
		case 'a':
			affected |= AllBits
		default:
			break users
		}
	}
	var actions []action
	for i < len(s) && (s[i] == '=' || s[i] == '+' || s[i] == '-') {
		a := action{op: s[i], affected: affected}
		i++
		var err error
		if i, err = a.parseValue(s, i); err != nil {
			return nil, "", err
		}
		actions = append(actions, a)
	}
	if len(actions) == 0 || i < len(s) && s[i] != ',' {
		return nil, "", ErrSyntax
	}
	return actions, s[i:], nil
}

func (a *action) parseValue(s string, i int) (int, error) {
	if i == len(s) {
		return i, nil
	}
	switch c := s[i]; {
	case isOctal(c):
		value, n, ok := octal(s[i:])
		if !ok || a.affected != 0 {
			return i, ErrSyntax
		}
		a.affected, a.value, a.mentioned = AllBits, value, AllBits
		return i + n, nil
	case c == 'u':
		a.copyFrom = 0o700
		return i + 1, nil
	case c == 'g':
		a.copyFrom = 0o070
		return i + 1, nil
	case c == 'o':
		a.copyFrom = 0o007
		return i + 1, nil
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case 'r':
			a.value |= 0o444
		case 'w':
			a.value |= 0o222
		case 'x':
			a.value |= 0o111
		case 'X':
			a.xIfAny = true
		case 's':
			a.value |= SetUID | SetGID
		case 't':
			a.value |= Sticky
		default:
			return i, nil
		}
	}
	return i, nil
}

// Apply answers the mode of a file after the change. The umask limits what
// clauses without a user may do.
func (c Change) Apply(old uint32, dir bool, umask uint32) uint32 {
	mode, _ := c.apply(old, dir, umask)
	return mode
}

// New answers the mode of a file that is made with the change: the bits that
// it does not speak of are those of perm less the umask.
func (c Change) New(perm uint32, dir bool, umask uint32) uint32 {
	mode, bits := c.apply(perm, dir, umask)
	return mode&bits | perm&^umask&^bits
}

// apply answers the new mode and which bits the change speaks of.
func (c Change) apply(old uint32, dir bool, umask uint32) (mode, bits uint32) {
	mode = old & AllBits
	for _, a := range c {
		omit := uint32(0)
		if dir {
			omit = SetUID | SetGID
			if a.mentioned != 0 {
				omit &^= a.mentioned
			}
		}
		value := a.value
		if a.copyFrom != 0 {
			value = mode & a.copyFrom
			all := uint32(0)
			for _, bit := range []uint32{0o444, 0o222, 0o111} {
				if value&bit != 0 {
					all |= bit
				}
			}
			value = all
		}
		if a.xIfAny && (dir || mode&0o111 != 0) {
			value |= 0o111
		}
		if a.affected != 0 {
			value &= a.affected
		} else {
			value &= ^umask
		}
		if a.mentioned == 0 && value&(SetUID|SetGID) != 0 {
			// A symbolic clause that names the set-ID bits means them.
			omit &^= value & (SetUID | SetGID)
		}
		value &^= omit
		switch a.op {
		case '=':
			keep := omit
			if a.affected != 0 {
				keep |= ^a.affected
			}
			mode = mode&keep | value
			bits |= ^keep
		case '+':
			mode |= value
			bits |= value
		case '-':
			mode &^= value
			bits |= value
		}
		mode &= AllBits
	}
	return mode, bits & AllBits
}

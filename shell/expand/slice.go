package expand

import (
	"context"
	"errors"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/arith"
	"mirage/shell/vars"
)

// slice carries out ${x:offset:length}.
func (x *Expander) slice(ctx context.Context, o *operand, pe *syntax.ParamExp) error {
	var off, length int64
	var err error
	if pe.Slice.Offset != nil {
		if off, err = x.arith(ctx, pe.Slice.Offset, 0); err != nil {
			return inSlice(o, err)
		}
	}
	hasLength := pe.Slice.Length != nil
	if hasLength {
		if length, err = x.arith(ctx, pe.Slice.Length, 0); err != nil {
			return inSlice(o, err)
		}
	}
	if o.isList && o.variable() && x.Vars.Kind(o.name) == vars.Scalar {
		// ${s[@]:1} of a scalar cuts characters.
		o.isList, o.value = false, strings.Join(o.list, " ")
	}
	if o.isList {
		return x.sliceList(o, off, length, hasLength)
	}
	o.value, err = x.substring(o.value, off, length, hasLength)
	return err
}

// inSlice puts the parameter before the message of bad arithmetic, as bash
// does.
func inSlice(o *operand, err error) error {
	var e *Error
	var bad *arith.Error
	if errors.As(err, &e) && errors.As(err, &bad) {
		return &Error{Msg: o.short() + ": " + e.Msg, Severity: e.Severity, Status: e.Status, Err: e.Err}
	}
	return err
}

func negative(n int64) error {
	return &Error{Msg: strconv.FormatInt(n, 10) + ": substring expression < 0", Severity: Discard, Status: 1}
}

// substring cuts characters out of s. A negative offset counts from the end,
// and so does a negative length.
func (x *Expander) substring(s string, off, length int64, hasLength bool) (string, error) {
	n := int64(x.count(s))
	if off < 0 {
		off += n
	}
	if off < 0 || off > n {
		return "", nil
	}
	end := n
	if hasLength {
		if length < 0 {
			if end = n + length; end < off {
				return "", negative(length)
			}
		} else if length < n-off {
			end = off + length
		}
	}
	return s[x.offset(s, off):x.offset(s, end)], nil
}

// offset answers at which byte character n of s starts.
func (x *Expander) offset(s string, n int64) int {
	if !x.Vars.UTF8() {
		return int(n)
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return i
}

// sliceList cuts elements out of a list. Offsets of positional parameters
// count from $0, those of an indexed array are subscripts.
func (x *Expander) sliceList(o *operand, off, length int64, hasLength bool) error {
	list := o.list
	switch {
	case !o.variable():
		list = append([]string{x.Name}, list...)
		if off < 0 {
			off += int64(len(list))
		}
	case x.Vars.Kind(o.name) == vars.Assoc:
		if off < 0 {
			off += int64(len(list))
		} else if off > 0 {
			off-- // bash counts the keys of associative arrays from 1
		}
	default:
		last := x.Vars.Last(o.name)
		if off < 0 {
			off += last + 1
		}
		if off >= 0 && last >= int64(len(list)) {
			// A sparse array: the offset is a subscript.
			keys := x.Vars.Keys(o.name)
			off = int64(sort.Search(len(keys), func(i int) bool {
				k, _ := strconv.ParseInt(keys[i], 10, 64)
				return k >= off
			}))
		}
	}
	if hasLength && length < 0 {
		return negative(length)
	}
	o.list = nil
	if off < 0 || off >= int64(len(list)) {
		return nil
	}
	list = list[off:]
	if hasLength && length < int64(len(list)) {
		list = list[:length]
	}
	o.list = list
	return nil
}

package tr

import "errors"

var (
	errRepeatInFirst  = errors.New("the [c*] repeat construct may not appear in string1")
	errManyRepeats    = errors.New("only one [c*] repeat construct may appear in string2")
	errRepeatElse     = errors.New("the [c*] construct may appear in string2 only when translating")
	errEqualInSecond  = errors.New("[=c=] expressions may not appear in string2 when translating")
	errClassInSecond  = errors.New("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
	errMisaligned     = errors.New("misaligned [:upper:] and/or [:lower:] construct")
	errEmptySecond    = errors.New("when not truncating set1, string2 must be non-empty")
	errClassAtEnd     = errors.New("when translating with string1 longer than string2,\nthe latter string must not end with a character class")
	errComplementMany = errors.New("when translating with complemented character classes,\nstring2 must map all characters in the domain to one")
)

// validator checks that two strings go together and brings the second to the
// length of the first.
type validator struct {
	*options
	translate bool
}

func (v *validator) validate(s1, s2 *array) error {
	if s1.fillers() > 0 {
		return errRepeatInFirst
	}
	if s2 == nil {
		return nil
	}
	n := s2.fillers()
	switch {
	case n > 1:
		return errManyRepeats
	case !v.translate && n > 0:
		return errRepeatElse
	case !v.translate:
		return nil
	}
	if s2.has(func(e element) bool { return e.kind == elementEqual }) {
		return errEqualInSecond
	}
	if s2.has(func(e element) bool { return e.kind == elementClass && !e.isCase() }) {
		return errClassInSecond
	}
	length := s1.length()
	if v.complement {
		length = len(members(s1.set(true)))
	}
	s2.fill(length)
	if !v.complement && !aligned(s1, s2) {
		return errMisaligned
	}
	if !v.truncate && length > s2.length() {
		if s2.length() == 0 {
			return errEmptySecond
		}
		last := s2.elements[len(s2.elements)-1]
		if last.kind == elementClass {
			return errClassAtEnd
		}
		s2.last = last.chars[len(last.chars)-1]
		s2.extend = length - s2.length()
	}
	if v.complement && s1.has(func(e element) bool { return e.kind == elementClass }) && !(s2.length() == length && s2.homogeneous()) {
		return errComplementMany
	}
	return nil
}

func (e element) isCase() bool { return e.class == "upper" || e.class == "lower" }

func (a *array) has(f func(element) bool) bool {
	for _, e := range a.elements {
		if f(e) {
			return true
		}
	}
	return false
}

// fillers counts the [c*] without a number.
func (a *array) fillers() int {
	n := 0
	for _, e := range a.elements {
		if e.kind == elementRepeat && e.count == 0 {
			n++
		}
	}
	return n
}

func (e element) length() int {
	if e.kind == elementRepeat {
		return e.count
	}
	return len(e.chars)
}

func (a *array) length() int {
	n := a.extend
	for _, e := range a.elements {
		n += e.length()
		if n < 0 || n > 1<<40 {
			return 1 << 40
		}
	}
	return n
}

// fill gives [c*] the number that brings the array to a length.
func (a *array) fill(length int) {
	have := a.length()
	for i, e := range a.elements {
		if e.kind == elementRepeat && e.count == 0 {
			a.elements[i].count = max(0, length-have)
		}
	}
}

// aligned tells whether each [:upper:] and [:lower:] of s2 stands where s1 has
// one.
func aligned(s1, s2 *array) bool {
	begins := map[int]bool{}
	at := 0
	for _, e := range s1.elements {
		if e.isCase() {
			begins[at] = true
		}
		at += e.length()
	}
	end := at
	at = 0
	for _, e := range s2.elements {
		if e.isCase() && at < end && !begins[at] {
			return false
		}
		if e.isCase() && at >= end {
			return at > end
		}
		at += e.length()
	}
	return true
}

// homogeneous tells whether all characters are the same.
func (a *array) homogeneous() bool {
	b := a.bytes()
	for _, c := range b {
		if c != b[0] {
			return false
		}
	}
	return true
}

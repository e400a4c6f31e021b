package vars

import (
	"fmt"
	"strconv"
	"time"
)

// dynamicID says where the value of a variable comes from.
type dynamicID uint8

const (
	dynNone dynamicID = iota // from the variable itself
	dynHost
	dynRandom
	dynSRandom
	dynSeconds
	dynEpochSeconds
	dynEpochRealtime
)

var ownDynamics = [...]struct {
	name string
	id   dynamicID
	attr Attr
}{
	{"RANDOM", dynRandom, Integer},
	{"SRANDOM", dynSRandom, Integer},
	{"SECONDS", dynSeconds, Integer},
	{"EPOCHSECONDS", dynEpochSeconds, 0},
	{"EPOCHREALTIME", dynEpochRealtime, 0},
}

// clock is what SECONDS counts from.
type clock struct {
	start time.Time
	base  int64
}

// random is bash 5.2's generator of RANDOM, and the one of SRANDOM.
type random struct {
	seed  uint32
	last  uint32
	s     uint64 // state of SRANDOM
	child bool   // the next RANDOM of a subshell seeds itself
}

func newRandom(seed uint32) random {
	return random{seed: seed, s: uint64(seed)<<32 | 0x9e3779b9}
}

// subshell makes a subshell's generator, which bash seeds anew when it is
// first read.
func (r *random) subshell(now func() time.Time) {
	r.child = true
	r.s = r.s*6364136223846793005 + uint64(now().UnixNano()) | 1
}

// next is Park and Miller's minimal standard generator, folded to 15 bits; it
// never answers one number twice in a row.
func (r *random) next() uint32 {
	if r.child {
		r.child = false
		r.assign(uint32(r.strong()))
	}
	for {
		if r.seed == 0 {
			r.seed = 123459876
		}
		hi, lo := int32(r.seed/127773), int32(r.seed%127773)
		t := 16807*lo - 2836*hi
		if t < 0 {
			t += 0x7fffffff
		}
		r.seed = uint32(t)
		if n := (r.seed>>16 ^ r.seed&0xffff) & 0x7fff; n != r.last {
			r.last = n
			return n
		}
	}
}

func (r *random) assign(seed uint32) { r.seed, r.last, r.child = seed, 0, false }

// strong steps the generator of SRANDOM (splitmix64).
func (r *random) strong() uint64 {
	r.s += 0x9e3779b97f4a7c15
	z := r.s
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// dynamicValue answers element 0 of a dynamic variable.
func (v *Vars) dynamicValue(va *variable) (string, bool) {
	switch va.dyn {
	case dynHost:
		return v.hostElement(va, "0")
	case dynRandom:
		return strconv.Itoa(int(v.random.next())), true
	case dynSRandom:
		return strconv.FormatUint(v.random.strong()>>32, 10), true
	case dynSeconds:
		return strconv.FormatInt(v.clock.base+int64(v.now().Sub(v.clock.start)/time.Second), 10), true
	case dynEpochSeconds:
		return strconv.FormatInt(v.now().Unix(), 10), true
	case dynEpochRealtime:
		now := v.now()
		return fmt.Sprintf("%d.%06d", now.Unix(), now.Nanosecond()/1000), true
	}
	return "", false
}

// hostElement answers one element of the Host's variable.
func (v *Vars) hostElement(va *variable, sub string) (string, bool) {
	if v.host == nil {
		return "", false
	}
	values := v.host.Dynamic(va.name)
	if va.kind == Assoc {
		for i := 0; i+1 < len(values); i += 2 {
			if values[i] == sub {
				return values[i+1], true
			}
		}
		return "", false
	}
	i, err := strconv.Atoi(sub)
	if err != nil || i < 0 || i >= len(values) {
		return "", false
	}
	return values[i], true
}

// setDynamic assigns to a dynamic variable; sub is "" for a scalar.
func (v *Vars) setDynamic(va *variable, sub, value string) error {
	switch va.dyn {
	case dynHost:
		if v.host == nil {
			return nil
		}
		return v.host.SetDynamic(va.name, sub, &value)
	case dynRandom:
		n, err := v.evalOrZero(va, value)
		if err != nil {
			return err
		}
		v.random.assign(uint32(n))
	case dynSeconds:
		n, err := v.evalOrZero(va, value)
		if err != nil {
			return err
		}
		v.clock = clock{start: v.now(), base: n}
	}
	return nil
}

// evalOrZero reads the number assigned to an integer variable; without the
// attribute a text that is no number counts as 0.
func (v *Vars) evalOrZero(va *variable, value string) (int64, error) {
	if va.attr&Integer != 0 {
		return v.eval(value)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, nil
	}
	return n, nil
}

// freeze turns the Host's variable into the plain variable that it shows now,
// before its nature or its elements change.
func (v *Vars) freeze(va *variable) *variable {
	va = v.own(va)
	if va.dyn == dynNone {
		return va
	}
	if va.dyn == dynHost && va.kind != Scalar && v.host != nil {
		values := v.host.Dynamic(va.name)
		if va.kind == Assoc {
			va.hash = newAssoc()
			for i := 0; i+1 < len(values); i += 2 {
				va.hash.set(values[i], values[i+1])
			}
		} else {
			va.list = newIndexed(values)
		}
	} else {
		s, set := v.dynamicValue(va)
		va.setText(s)
		va.set = set
	}
	va.dyn = dynNone
	return va
}

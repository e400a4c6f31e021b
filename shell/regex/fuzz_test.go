package regex

import (
	"context"
	"testing"
)

// FuzzCompile checks that no pattern makes the compiler or the matchers
// panic, and that the engines agree on where a match is.
func FuzzCompile(f *testing.F) {
	for _, tt := range matchTests {
		f.Add(tt.pattern, tt.text, uint(tt.flags))
	}
	for _, tt := range errorTests {
		f.Add(tt.pattern, "", uint(tt.flags))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, flags uint) {
		if len(pattern) > 100 || len(text) > 1000 {
			return
		}
		re, err := Compile(pattern, Flags(flags)&(WholeLine<<1-1))
		if err != nil || len(re.prog.insts) > 5000 {
			return
		}
		m := re.Matcher(context.Background())
		start, end, ok := m.Find([]byte(text), 0, 0)
		if got := m.Match([]byte(text)); m.Err() == nil && got != ok {
			t.Errorf("Match = %v, Find = %v", got, ok)
		}
		if m.Err() != nil || re.relaxed != nil {
			return
		}
		if s, e := m.simulate([]byte(text), 0, false); (e >= 0) != ok || ok && (s != start || e != end) {
			t.Errorf("simulate = %d, %d; Find = %d, %d, %v", s, e, start, end, ok)
		}
		if !ok {
			return
		}
		loc := m.FindSubmatch(nil, []byte(text), 0, 0)
		slots := make([]int, re.prog.slots)
		for i := range slots {
			slots[i] = -1
		}
		m.simulateCaptures(slots, []byte(text), start, end, false)
		for i := range slots {
			if slots[i] != loc[2+i] {
				t.Errorf("simulateCaptures = %v, captures = %v", slots, loc[2:])
				break
			}
		}
	})
}

package signals

import "testing"

func TestParse(t *testing.T) {
	for s, want := range map[string]Signal{
		"0": 0, "EXIT": 0, "9": 9, "kill": 9, "SIGTERM": 15, "sigint": 2, "RTMIN": 34, "RTMIN+3": 37, "rtmax-2": 62, "64": 64,
		"IOT": 6, "CLD": 17, "143": 15, "128": 0,
	} {
		if got, ok := Parse(s); !ok || got != want {
			t.Errorf("%s: got %d, %v; want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "FOO", "-1", "32", "33", "65", "999", "SIG", "SIGSIGTERM"} {
		if got, ok := Parse(s); ok {
			t.Errorf("%q: got %d", s, got)
		}
	}
	for n := range Signal(Max + 1) {
		if name := n.Name(); name != "" {
			if got, ok := Parse(name); !ok || got != n {
				t.Errorf("%s: got %d, want %d", name, got, n)
			}
		}
	}
}

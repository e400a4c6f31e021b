package progtest

import "testing"

func TestChangesHost(t *testing.T) {
	for line, want := range map[string]bool{
		"date -s @0": true, "date -us @0": true, "date --set=@0": true, "date --se @0": true, "date 01020304": true, "date -u 01020304.05": true,
		"date -d @0": false, "date -Iseconds -d @0": false, "date -ds": false, "date -d 20240101": false, "date +%s": false, "date -u": false, "date -r file": false,
		"seq -s x 3": false,
	} {
		words := Words(line)
		if got := changesHost(words[0], words[1:]); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

package filever

import "testing"

// ordered is in the order of sort -V.
var ordered = []string{
	"", ".", "..", ".A", ".a~", ".a", ".b~", ".b", ".0", ".9", "0", "9", "A", "a~", "a", "a.b~", "a.b",
	"a.bc~", "a.bc", "a1", "a1.tar.gz", "a1.2", "a01.10", "a2.txt", "a10.txt", "b", "gcc-c++-10.fc9.tar.gz",
	"gcc-c++-10.8.12-0.7rc2.fc9.tar.bz2", "v1.0~rc1", "v1.0", "v1.0.1", "zz",
}

func TestCompare(t *testing.T) {
	for i, a := range ordered {
		for j, b := range ordered {
			if got := Compare(a, b); got != sign(i-j) {
				t.Errorf("Compare(%q, %q) = %d, want %d", a, b, got, sign(i-j))
			}
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("a1.2~b", "a01.10", "a.b.c")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if Compare(a, b) != -Compare(b, a) {
			t.Errorf("%q and %q have no order", a, b)
		}
		if Compare(a, a) != 0 {
			t.Errorf("%q differs from itself", a)
		}
	})
}

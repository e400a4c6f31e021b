package number

import (
	"errors"
	"math"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		s, suffixes string
		want        uint64
		err         error
	}{
		{"10", "", 10, nil},
		{" +7", "", 7, nil},
		{"1k", Bytes, 1024, nil},
		{"1kB", Bytes, 1000, nil},
		{"2MiB", Bytes, 2 << 20, nil},
		{"3b", Bytes, 1536, nil},
		{"K", Bytes, 1024, nil},
		{"1E", Bytes, 1 << 60, nil},
		{"16E", Bytes, math.MaxUint64, ErrRange},
		{"99999999999999999999", "", math.MaxUint64, ErrRange},
		{"1Ki", Bytes, 0, ErrSuffix},
		{"1x", Bytes, 0, ErrSuffix},
		{"5 ", "", 0, ErrSuffix},
		{"0x5", "", 0, ErrSuffix},
		{"", Bytes, 0, ErrSyntax},
		{"x", Bytes, 0, ErrSyntax},
		{"-1", Bytes, 0, ErrSyntax},
		{"0K", Bytes, 0, nil},
	} {
		got, err := Parse(tc.s, tc.suffixes)
		if !errors.Is(err, tc.err) || (err == nil || err == ErrRange) && got != tc.want {
			t.Errorf("%q: got %d, %v; want %d, %v", tc.s, got, err, tc.want, tc.err)
		}
	}
}

// The wanted texts were printed by du, df and ls of coreutils 9.1.
func TestFormat(t *testing.T) {
	for _, tc := range []struct {
		spec string
		n    uint64
		want string
	}{
		{"1K", 0, "0"},
		{"1K", 1, "1"},
		{"K", 1500000, "1465K"},
		{"kB", 1500000, "1500kB"},
		{"KiB", 1500000, "1465KiB"},
		{"MB", 1500000, "2MB"},
		{"'1", 1500000, "1500000"},
		{"h", 0, "0"},
		{"h", 1023, "1023"},
		{"h", 1024, "1.0K"},
		{"h", 1025, "1.1K"},
		{"h", 10137, "9.9K"},
		{"h", 10138, "10K"},
		{"h", 10241, "11K"},
		{"h", 1023*1024 + 1, "1.0M"},
		{"h", 1500000, "1.5M"},
		{"si", 999, "999"},
		{"si", 1000, "1.0k"},
		{"si", 999001, "1.0M"},
		{"h", math.MaxUint64, "16E"},
	} {
		f, err := ParseBlockSize(tc.spec)
		if err != nil {
			t.Fatal(tc.spec, err)
		}
		if got := f.String(tc.n); got != tc.want {
			t.Errorf("%s %d: got %s, want %s", tc.spec, tc.n, got, tc.want)
		}
	}
	for spec, want := range map[string]error{"": ErrSyntax, "0": ErrSyntax, "1b": ErrSuffix, "K1": ErrSuffix, "-1": ErrSyntax, "99999999999999999999": ErrRange} {
		if _, err := ParseBlockSize(spec); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", spec, err, want)
		}
	}
}

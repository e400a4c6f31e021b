package longdouble

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	g := Directive{Precision: 20, Verb: 'g'}
	tests := []struct{ in, want, rest string }{
		{"1.5x", "1.5", "x"},
		{" \t-0.25", "-0.25", ""},
		{".5", "0.5", ""},
		{"5.", "5", ""},
		{"1e3", "1000", ""},
		{"1e", "1", "e"},
		{"1e+", "1", "e+"},
		{"0x1p4", "16", ""},
		{"0x.8", "0.5", ""},
		{"0x", "0", "x"},
		{"0xg", "0", "xg"},
		{"inf", "inf", ""},
		{"-Infinity!", "-inf", "!"},
		{"nan(12)z", "nan", "z"},
		{"1e99999", "inf", ""},
		{"1e-99999", "0", ""},
		{"1e99999999999999999999", "inf", ""},
		{"0.3", "0.30000000000000000001", ""},
		{"18446744073709551615", "18446744073709551615", ""},
		{"18446744073709551617", "18446744073709551616", ""},
		{"1" + strings.Repeat("0", 20000) + "e-20000", "1", ""},
	}
	for _, tt := range tests {
		v, rest, ok := Parse(tt.in)
		if got := g.Format(v); !ok || got != tt.want || rest != tt.rest {
			t.Errorf("Parse(%.30q) = %s, rest %q, %v; want %s, rest %q", tt.in, got, rest, ok, tt.want, tt.rest)
		}
	}
	for _, in := range []string{"", "x", ".", "-", "+.e1", "e5"} {
		if v, rest, ok := Parse(in); ok || rest != in {
			t.Errorf("Parse(%q) = %v, %q, want no number", in, v, rest)
		}
	}
}

func TestArithmetic(t *testing.T) {
	inf, _, _ := Parse("inf")
	tests := []struct {
		got  Float
		want string
	}{
		{Int(1).Quo(Int(3)), "0.33333333333333333334"},
		{Int(1).Sub(Int(3)), "-2"},
		{Int(3).Mul(Int(-4)).Abs(), "12"},
		{Float{}.Add(Int(7)), "7"},
		{inf.Sub(inf), "nan"},
		{inf.Mul(Float{}), "nan"},
		{Int(1).Quo(Float{}), "inf"},
	}
	for i, tt := range tests {
		if got := (Directive{Precision: 20, Verb: 'g'}).Format(tt.got); got != tt.want {
			t.Errorf("case %d: %s, want %s", i, got, tt.want)
		}
	}
	if _, ok := inf.Int64(); ok {
		t.Error("infinity fits an int64")
	}
	if n, ok := Int(-5).Int64(); n != -5 || !ok {
		t.Errorf("Int64 = %d, %v", n, ok)
	}
}

// TestFormatReal compares with printf(1), which formats long doubles.
func TestFormatReal(t *testing.T) {
	path, err := exec.LookPath("printf")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	values := strings.Fields("0 -0 1 -1 0.1 123456789 1e10 1e-5 1e-4 999999.4 9999995 0.5 1.5 2.5 1e4000 -1e-4000 inf -inf nan 0x1p-16000 15.99 255.9999")
	var directives []Directive
	for _, verb := range "aAeEfFgG" {
		for _, flags := range []string{"", "-", "+", " ", "#", "0", "+0", "#0"} {
			for _, width := range []int{0, 12} {
				for _, precision := range []int{-1, 0, 1, 10} {
					directives = append(directives, Directive{flags, width, precision, byte(verb)})
				}
			}
		}
	}
	for _, d := range directives {
		format := "%" + d.Flags
		if d.Width > 0 {
			format += "12"
		}
		switch d.Precision {
		case 0:
			format += ".0"
		case 1:
			format += ".1"
		case 10:
			format += ".10"
		}
		cmd := exec.Command(path, append([]string{format + string(d.Verb) + "\n"}, values...)...)
		cmd.Env = []string{"LC_ALL=C"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
			v, _, _ := Parse(values[i])
			if got := d.Format(v); got != want {
				t.Errorf("%s of %s = %q, want %q", format+string(d.Verb), values[i], got, want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("0x1.8p3")
	f.Add("-12.5e+10")
	f.Fuzz(func(t *testing.T, s string) {
		v, rest, ok := Parse(s)
		if ok == (rest == s) {
			t.Errorf("Parse(%q): ok %v, rest %q", s, ok, rest)
		}
		for _, verb := range "aefg" {
			Directive{Precision: 3, Verb: byte(verb)}.Format(v)
		}
	})
}

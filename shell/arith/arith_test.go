package arith_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"mirage/shell/arith"
)

// memory is an Env of maps. Names in upper case are associative arrays.
type memory map[string]string

func (m memory) Value(name string) (string, error) { return m[name], nil }
func (m memory) Set(name string, n int64) error {
	m[name] = strconv.FormatInt(n, 10)
	return nil
}
func (m memory) Assoc(name string) bool { return name == strings.ToUpper(name) }
func (m memory) key(at arith.Element) string {
	if at.IsAssoc {
		return at.Name + "[" + at.Key + "]"
	}
	return fmt.Sprintf("%s[%d]", at.Name, at.Index)
}
func (m memory) Element(at arith.Element) (string, error) { return m[m.key(at)], nil }
func (m memory) SetElement(at arith.Element, n int64) error {
	return m.Set(m.key(at), n)
}
func (m memory) Expand(text string) (string, error) {
	return strings.NewReplacer(`"`, "", "'", "", "$k", "key").Replace(text), nil
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"", 0}, {"  ", 0}, {" 7 ", 7}, {"-3", -3}, {"1+2*3", 7}, {"(1+2)*3", 9}, {"2**3**2", 512}, {"-2**2", 4},
		{"7/2", 3}, {"-7/2", -3}, {"-7%3", -1}, {"1<<4|1", 17}, {"5&3^1", 0}, {"~0", -1}, {"!5", 0}, {"!!5", 1},
		{"1<2", 1}, {"2<=1", 0}, {"3>=3", 1}, {"1==2||2==2", 1}, {"0?1:2", 2}, {"1?2:0?3:4", 2}, {"1,2,3", 3},
		{"010", 8}, {"0x1F", 31}, {"2#101", 5}, {"36#zZ", 1295}, {"64#@_", 62*64 + 63}, {"62#Z", 61}, {"0", 0},
		{"x=5", 5}, {"x=5,x+=2,x", 7}, {"x=1,x++ + ++x", 4}, {"x=3,x--,x", 2}, {"x=y=2,x+y", 4}, {"x=3,x<<=2", 12},
		{"x=17,x%=5", 2}, {"x=6,x^=3", 5}, {"a[2]=3,a[1+1]*2", 6}, {"i=0,a[i++]=4,i*10+a[0]", 14}, {"a[1]=1,a[1]+=5,a[1]++,a[1]", 7},
		{"A[x y]=3,A[x y]+1", 4}, {"A[$k]=2,A[key]", 2}, {"0&&(x=9),x", 0}, {"1||(x=9),x", 0}, {"1 ? x=3 : 0", 3},
		{"- -3", 3}, {"5--3", 8}, {"x=2,-x--", -2}, {"+4", 4}, {"9223372036854775807+1", math.MinInt64},
		{"(-9223372036854775807-1)/-1", math.MinInt64}, {"(-9223372036854775807-1)%-1", 0}, {"1<<65", 2}, {"99999999999999999999", 7766279631452241919},
		{"expr", 14}, {"deep", 15}, {"blank+1", 1}, {"none", 0}, {"1\n+\n2", 3},
	} {
		m := arith.Machine{Env: memory{"expr": "2*7", "deep": "expr+1", "blank": "  "}}
		if got, err := m.Text(t.Context(), c.text); got != c.want || err != nil {
			t.Errorf("%q: got %d, %v, want %d", c.text, got, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"1/0":      `1/0: division by 0 (error token is "0")`,
		" 1 % (0)": `1 % (0): division by 0 (error token is "(0)")`,
		"x/=0":     `x/=0: division by 0 (error token is "0")`,
		"2**-1":    `2**-1: exponent less than 0 (error token is "1")`,
		"1+":       `1+: syntax error: operand expected (error token is "+")`,
		"*3":       `*3: syntax error: operand expected (error token is "*3")`,
		"1 2":      `1 2: syntax error in expression (error token is "2")`,
		"(1":       `(1: missing ` + "`)'" + ` (error token is "1")`,
		"1?2":      `1?2: ` + "`:'" + ` expected for conditional expression (error token is "2")`,
		"1?:2":     `1?:2: expression expected (error token is ":2")`,
		"3=4":      `3=4: attempted assignment to non-variable (error token is "=4")`,
		"x+1=4":    `x+1=4: attempted assignment to non-variable (error token is "=4")`,
		"x++=7":    `x++=7: attempted assignment to non-variable (error token is "=7")`,
		"08":       `08: value too great for base (error token is "08")`,
		"2#3 + 1":  `2#3: value too great for base (error token is "2#3")`,
		"65#1":     `65#1: invalid arithmetic base (error token is "65#1")`,
		"1#1":      `1#1: invalid arithmetic base (error token is "1#1")`,
		"0x1#2":    `0x1#2: invalid number (error token is "0x1#2")`,
		"2#":       `2#: invalid integer constant (error token is "2#")`,
		"1 @ 2":    `1 @ 2: syntax error: invalid arithmetic operator (error token is "@ 2")`,
		"a[1":      `a[1: bad array subscript (error token is "a[1")`,
		"a.b":      `a.b: syntax error: invalid arithmetic operator (error token is ".b")`,
		"bad":      `1 +: syntax error: operand expected (error token is "+")`,
		"loop":     `loop: expression recursion level exceeded (error token is "loop")`,
	} {
		m := arith.Machine{Env: memory{"bad": "1 +", "loop": "loop"}}
		_, err := m.Text(t.Context(), text)
		var e *arith.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestErrorsDoNothing shows that what is wrong in its syntax has no effects,
// and that branches not taken have none.
func TestSideEffects(t *testing.T) {
	env := memory{}
	m := arith.Machine{Env: env}
	for _, text := range []string{"x=1+", "(x=2", "0&&x++", "1||x++", "0?x++:3", "1?3:x++"} {
		_, _ = m.Text(t.Context(), text)
	}
	if len(env) != 0 {
		t.Errorf("changed %v", env)
	}
}

func TestSlots(t *testing.T) {
	text := arith.Slot(0) + " * 3 + A[" + arith.Slot(1) + "] + a[" + arith.Slot(2) + "]"
	p := arith.Compile(text)
	m := arith.Machine{Env: memory{"A[x] y]": "100", "a[2]": "1000"}}
	slots := []string{"5", "x] y", "1+1"}
	if !p.Literal(slots) {
		t.Fatal("a number does not fit an operand")
	}
	if got, err := m.Run(t.Context(), p, slots); got != 1115 || err != nil {
		t.Errorf("got %d, %v, want 1115", got, err)
	}
	// An expansion is text before it is an expression.
	slots[0] = "1+2"
	if p.Literal(slots) {
		t.Fatal("an expression counts as a number")
	}
	if got, err := m.Run(t.Context(), m.Compiled(p.Substitute(slots)), slots); got != 1107 || err != nil {
		t.Errorf("got %d, %v, want 1107", got, err)
	}
	joined := arith.Compile("1" + arith.Slot(0))
	if joined.Literal([]string{"2"}) {
		t.Error("a slot within a token counts as an operand")
	}
	if got, err := m.Text(t.Context(), joined.Substitute([]string{"2"})); got != 12 || err != nil {
		t.Errorf("got %d, %v, want 12", got, err)
	}
	bad := arith.Compile(arith.Slot(0) + "/0")
	if _, err := m.Run(t.Context(), bad, []string{"7"}); err == nil || err.Error() != `7/0: division by 0 (error token is "0")` {
		t.Errorf("got %v", err)
	}
}

// impatient is a context that ends when it has been asked.
type impatient struct{ context.Context }

func (impatient) Err() error { return context.Canceled }

// TestBounds shows that neither nesting nor values that double can hurt.
func TestBounds(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 1_000_000), strings.Repeat("-", 1_000_001) + "1", strings.Repeat("!", 100_000) + "1",
		strings.Repeat("a[", 100_000) + strings.Repeat("]", 100_000), strings.Repeat("1?", 100_000) + "1", strings.Repeat("x=", 100_000) + "1",
		strings.Repeat("2**", 100_000) + "1",
	} {
		m := arith.Machine{Env: memory{}}
		if _, err := m.Text(t.Context(), text); err == nil {
			t.Errorf("%.10s...: no error", text)
		}
	}
	env := memory{}
	for i := range 60 {
		env[fmt.Sprintf("x%d", i)] = fmt.Sprintf("x%d+x%d", i+1, i+1)
	}
	m := arith.Machine{Env: env}
	if _, err := m.Text(impatient{t.Context()}, "x0"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"1+2*3", "x=5,x++", "a[i++]+=A[k]", "0x1F+36#z", "1?2:3", "~-!1", "((1)", "2**3", "x[", "1/0", "a[\"b\"]", "A[000\x00000\"0]", "A[\"\x00\x80\x80\x00]", "\x00\x81\x80\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := arith.Machine{Env: memory{"x": "y+1", "y": "2"}}
		n, err := m.Text(t.Context(), text)
		again := arith.Machine{Env: memory{"x": "y+1", "y": "2"}}
		if k, err2 := again.Run(t.Context(), arith.Compile(text), nil); k != n && err == nil && err2 == nil {
			t.Errorf("%q: %d, then %d", text, n, k)
		}
	})
}

func BenchmarkStep(b *testing.B) {
	m := arith.Machine{Env: memory{"i": "0"}}
	p := arith.Compile("i<200000 && i++")
	for b.Loop() {
		_, _ = m.Run(b.Context(), p, nil)
	}
}

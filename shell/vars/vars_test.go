package vars_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mirage/shell/vars"
)

func newVars(environ ...string) *vars.Vars {
	return vars.New(vars.Options{Environ: environ, Now: func() time.Time { return time.Unix(100, 5000) }, Seed: 7})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantValue(t testing.TB, v *vars.Vars, name, want string) {
	t.Helper()
	got, set := v.Lookup(name)
	if !set {
		got = "(unset)"
	}
	if got != want {
		t.Errorf("%s is %q, want %q", name, got, want)
	}
}

func TestScopes(t *testing.T) {
	v := newVars("x=global")
	v.PushFunc()
	must(t, v.Declare("x", vars.Declaration{Scope: vars.Local}))
	must(t, v.Set("x", "f"))
	v.PushFunc() // g sees the local of f
	wantValue(t, v, "x", "f")
	must(t, v.Set("x", "changed"))
	must(t, v.Unset("x")) // uncovers the global one
	wantValue(t, v, "x", "global")
	must(t, v.Set("x", "global2"))
	v.Pop()
	wantValue(t, v, "x", "global2")
	v.Pop()
	wantValue(t, v, "x", "global2")
	if v.InFunc() {
		t.Error("still in a function")
	}
}

func TestUnsetLocal(t *testing.T) {
	v := newVars("x=global")
	v.PushFunc()
	must(t, v.Declare("x", vars.Declaration{Scope: vars.Local}))
	must(t, v.Set("x", "f"))
	must(t, v.Unset("x")) // stays a local without value
	wantValue(t, v, "x", "(unset)")
	must(t, v.Set("x", "again"))
	v.Pop()
	wantValue(t, v, "x", "global")
}

func TestTemporaryScope(t *testing.T) {
	v := newVars("x=global")
	v.PushTemp()
	must(t, v.SetTemp("x", "temp"))
	if got, want := v.Environ(), []string{"x=temp"}; !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	v.PushFunc()
	if info, _ := v.Info("x"); !info.Local {
		t.Error("x of the call is no local of the function")
	}
	must(t, v.Set("x", "inner"))
	must(t, v.InGlobal("x", func() error { return v.Set("x", "global2") }))
	wantValue(t, v, "x", "inner")
	must(t, v.Unset("x")) // uncovers the global one
	wantValue(t, v, "x", "global2")
	v.Pop()
	v.Pop()
	wantValue(t, v, "x", "global2")
}

func TestLocalTakesTemporaryValue(t *testing.T) {
	v := newVars()
	v.PushTemp()
	must(t, v.SetTemp("x", "temp"))
	v.PushFunc()
	must(t, v.Declare("x", vars.Declaration{Scope: vars.Local}))
	wantValue(t, v, "x", "temp")
	v.PushFunc()
	must(t, v.Declare("x", vars.Declaration{Scope: vars.Local}))
	wantValue(t, v, "x", "(unset)")
	v.Pop()
	v.Pop()
	v.Pop()
	wantValue(t, v, "x", "(unset)")
	if names := v.Prefixed("x"); len(names) != 0 {
		t.Errorf("left over: %q", names)
	}
}

func TestClone(t *testing.T) {
	v := newVars("s=1")
	must(t, v.SetElements("a", []string{"x", "y"}))
	must(t, v.SetKey("m", "k", "v"))
	c := v.Clone(nil)
	must(t, c.Set("s", "child"))
	must(t, c.SetIndex("a", 5, "child"))
	must(t, c.SetKey("m", "k", "child"))
	must(t, c.Set("new", "child"))
	must(t, v.SetIndex("a", 0, "parent"))
	must(t, v.SetKey("m", "p", "parent"))
	must(t, v.Unset("s"))
	wantValue(t, c, "s", "child")
	wantValue(t, v, "s", "(unset)")
	wantValue(t, v, "new", "(unset)")
	for _, w := range []struct {
		v    *vars.Vars
		want string
	}{
		{v, `declare -a a=([0]="parent" [1]="y")`},
		{c, `declare -a a=([0]="x" [1]="y" [5]="child")`},
	} {
		if got, _ := w.v.Format("a"); got != w.want {
			t.Errorf("got %s, want %s", got, w.want)
		}
	}
	if got, _ := c.Key("m", "p"); got != "" {
		t.Errorf("the clone sees %q", got)
	}
	c.Release()
	must(t, v.SetIndex("a", 1, "again"))
	if got, _ := v.Index("a", 1); got != "again" {
		t.Errorf("got %q", got)
	}
}

// TestClonesRun changes a store and several clones at once; the race detector
// watches.
func TestClonesRun(t *testing.T) {
	v := newVars()
	must(t, v.SetElements("a", []string{"x", "y", "z"}))
	must(t, v.Set("s", strings.Repeat("s", 200)))
	var wg sync.WaitGroup
	for i := range 8 {
		c := v.Clone(nil)
		must(t, v.Append("s", "+"))
		must(t, v.SetIndex("a", int64(i), "parent"))
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer c.Release()
			want := c.Get("s") + "child"
			for j := range 200 {
				_ = c.SetIndex("a", int64(j%7), fmt.Sprint(i))
				_ = c.Elements("a")
				_ = c.Set("t", fmt.Sprint(j))
			}
			_ = c.Append("s", "child")
			if got := c.Get("s"); got != want {
				t.Errorf("clone %d has %q, want %q", i, got, want)
			}
		}()
		must(t, v.Append("s", "-"))
	}
	wg.Wait()
	if got, want := v.Get("s"), strings.Repeat("s", 200)+strings.Repeat("+-", 8); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMemory(t *testing.T) {
	v := vars.New(vars.Options{Memory: 100_000})
	start := v.Held()
	must(t, v.Set("x", strings.Repeat("x", 50_000)))
	if err := v.Append("x", strings.Repeat("x", 60_000)); !errors.Is(err, vars.ErrMemory) {
		t.Errorf("append: %v, want %v", err, vars.ErrMemory)
	}
	if err := v.SetIndex("a", 0, strings.Repeat("x", 60_000)); !errors.Is(err, vars.ErrMemory) {
		t.Errorf("element: %v, want %v", err, vars.ErrMemory)
	}
	c := v.Clone(nil)
	if err := c.Set("y", strings.Repeat("x", 60_000)); !errors.Is(err, vars.ErrMemory) {
		t.Errorf("clone: %v, want %v", err, vars.ErrMemory)
	}
	must(t, c.Set("y", strings.Repeat("x", 10_000)))
	c.Release()
	must(t, v.Unset("x"))
	must(t, v.Unset("a"))
	if got := v.Held(); got > start+1000 {
		t.Errorf("holds %d bytes after all was unset, %d before", got, start)
	}
}

// TestMemoryOfClones shows that what a live clone keeps stays counted.
func TestMemoryOfClones(t *testing.T) {
	v := vars.New(vars.Options{Memory: 1 << 20})
	must(t, v.Set("x", strings.Repeat("x", 100_000)))
	var clones []*vars.Vars
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		clones = append(clones, v.Clone(nil))
		err = v.Set("x", strings.Repeat("y", 100_000+i))
	}
	if !errors.Is(err, vars.ErrMemory) {
		t.Fatalf("got %v, want %v", err, vars.ErrMemory)
	}
	for _, c := range clones {
		c.Release()
	}
	v.Clone(nil).Release() // settles
	if got := v.Held(); got > 250_000 {
		t.Errorf("holds %d bytes after the clones are gone", got)
	}
}

// TestIndexed compares indexed arrays with a map under random changes.
func TestIndexed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	v := newVars()
	model := map[int64]string{}
	must(t, v.Clear("a", vars.Indexed))
	for step := range 5000 {
		i := r.Int64N(50)
		if r.IntN(200) == 0 {
			i = r.Int64N(1 << 40)
		}
		if r.IntN(3) == 0 {
			must(t, v.UnsetIndex("a", i))
			delete(model, i)
		} else {
			s := fmt.Sprint(step)
			must(t, v.SetIndex("a", i, s))
			model[i] = s
		}
		if len(model) != v.Len("a") {
			t.Fatalf("step %d: %d elements, want %d", step, v.Len("a"), len(model))
		}
	}
	var keys []int64
	for k := range model {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var names, values []string
	for _, k := range keys {
		names = append(names, fmt.Sprint(k))
		values = append(values, model[k])
	}
	if got := v.Keys("a"); !slices.Equal(got, names) {
		t.Errorf("keys %v, want %v", got, names)
	}
	if got := v.Elements("a"); !slices.Equal(got, values) {
		t.Errorf("values %v, want %v", got, values)
	}
	if got := v.Last("a"); got != keys[len(keys)-1] {
		t.Errorf("last %d, want %d", got, keys[len(keys)-1])
	}
	if got, _ := v.Index("a", -1); got != values[len(values)-1] {
		t.Errorf("a[-1] is %q", got)
	}
}

// TestAssocOrder has the order in which bash 5.2 lists these keys.
func TestAssocOrder(t *testing.T) {
	v := newVars()
	for i, k := range []string{"foo", "bar", "baz", "a", "b", "c", "1", "2", "10", "xyz"} {
		must(t, v.SetKey("m", k, fmt.Sprint(i)))
	}
	want := strings.Fields("2 1 c b a foo bar baz 10 xyz")
	if got := v.Keys("m"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Beyond two entries a bucket the table grows.
	for i := 1; i <= 3000; i++ {
		must(t, v.SetKey("big", fmt.Sprintf("k%d", i), "x"))
	}
	want = strings.Fields("k1698 k1699 k1696 k1697 k1694 k1695 k1692 k1693 k1690 k1691 k2158 k2159")
	if got := v.Keys("big")[:12]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for i := 1; i <= 3000; i++ {
		must(t, v.UnsetKey("big", fmt.Sprintf("k%d", i)))
	}
	if n := v.Len("big"); n != 0 {
		t.Errorf("%d entries left", n)
	}
}

// TestRandom has numbers of bash 5.2.
func TestRandom(t *testing.T) {
	v := newVars()
	must(t, v.Set("RANDOM", "42"))
	for _, want := range []string{"17772", "26794", "1435"} {
		wantValue(t, v, "RANDOM", want)
	}
	c := v.Clone(nil)
	next := v.Get("RANDOM")
	must(t, v.Set("RANDOM", "42"))
	for range 3 {
		v.Get("RANDOM")
	}
	wantValue(t, v, "RANDOM", next)
	must(t, c.Set("RANDOM", "42"))
	wantValue(t, c, "RANDOM", "17772")
	must(t, v.Unset("RANDOM"))
	must(t, v.Set("RANDOM", "plain"))
	wantValue(t, v, "RANDOM", "plain")
}

func TestClock(t *testing.T) {
	now := time.Unix(1000, 123456789)
	v := vars.New(vars.Options{Now: func() time.Time { return now }})
	now = now.Add(5 * time.Second)
	wantValue(t, v, "SECONDS", "5")
	must(t, v.Set("SECONDS", "100"))
	now = now.Add(time.Second)
	wantValue(t, v, "SECONDS", "101")
	wantValue(t, v, "EPOCHSECONDS", "1006")
	wantValue(t, v, "EPOCHREALTIME", "1006.123456")
}

// recorder is a Host that notes what it is told.
type recorder struct {
	changed []string
	set     []string
}

func (r *recorder) Dynamic(name string) []string {
	switch name {
	case "LIST":
		return []string{"a", "b"}
	case "MAP":
		return []string{"k", "v", "k2", "v2"}
	}
	return []string{"dynamic"}
}

func (r *recorder) SetDynamic(name, sub string, value *string) error {
	text := "(unset)"
	if value != nil {
		text = *value
	}
	r.set = append(r.set, name+"["+sub+"]="+text)
	return nil
}
func (r *recorder) Changed(name string) { r.changed = append(r.changed, name) }

func TestHost(t *testing.T) {
	h := &recorder{}
	v := vars.New(vars.Options{Host: h, Dynamic: []vars.Dynamic{
		{Name: "ONE", Kind: vars.Scalar}, {Name: "LIST", Kind: vars.Indexed}, {Name: "MAP", Kind: vars.Assoc},
		{Name: "RO", Kind: vars.Scalar, Attr: vars.ReadOnly},
	}})
	wantValue(t, v, "ONE", "dynamic")
	wantValue(t, v, "LIST", "a")
	if got, _ := v.Index("LIST", -1); got != "b" {
		t.Errorf("LIST[-1] is %q", got)
	}
	if got := v.Keys("MAP"); !slices.Equal(got, []string{"k", "k2"}) {
		t.Errorf("keys %q", got)
	}
	must(t, v.Set("ONE", "1"))
	must(t, v.SetKey("MAP", "k", "2"))
	must(t, v.UnsetKey("MAP", "k"))
	if want := []string{"ONE[]=1", "MAP[k]=2", "MAP[k]=(unset)"}; !slices.Equal(h.set, want) {
		t.Errorf("told of %q, want %q", h.set, want)
	}
	if err := v.Set("RO", "x"); err == nil || err.Error() != "RO: readonly variable" {
		t.Errorf("got %v", err)
	}
	h.changed = nil
	must(t, v.Set("PATH", "/bin"))
	must(t, v.Set("other", "x"))
	must(t, v.Unset("PATH"))
	if want := []string{"PATH", "PATH"}; !slices.Equal(h.changed, want) {
		t.Errorf("told of changes of %q, want %q", h.changed, want)
	}
	if line, _ := v.Format("LIST"); line != `declare -a LIST=([0]="a" [1]="b")` {
		t.Errorf("got %s", line)
	}
}

func TestDumpAndLoad(t *testing.T) {
	v := newVars("e=env")
	must(t, v.Set("s", "text"))
	must(t, v.SetElements("a", []string{"x", "y z"}))
	must(t, v.SetIndex("a", 9, ""))
	for _, k := range []string{"foo", "bar", "k e y"} {
		must(t, v.SetKey("m", k, "v"+k))
	}
	must(t, v.Declare("i", vars.Declaration{Add: vars.Integer}))
	must(t, v.Set("i", "5"))
	must(t, v.SetNameref("n", "s"))
	must(t, v.Set("r", "1"))
	v.Protect("r")
	must(t, v.Declare("unset", vars.Declaration{Add: vars.Upper}))
	w := newVars("e=other")
	must(t, w.Load(v.Dump()))
	for _, name := range v.Names() {
		got, _ := w.Format(name)
		want, _ := v.Format(name)
		if got != want && name != "RANDOM" && name != "SRANDOM" {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	must(t, w.Load(v.Dump())) // over what is readonly too
}

func TestLocale(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    bool
	}{
		{nil, false},
		{[]string{"LANG=en_US.UTF-8"}, true},
		{[]string{"LANG=en_US.UTF-8", "LC_ALL=C"}, false},
		{[]string{"LANG=C", "LC_CTYPE=C.utf8"}, true},
		{[]string{"LANG=POSIX"}, false},
	} {
		v := newVars(c.environ...)
		if got := v.UTF8(); got != c.want {
			t.Errorf("%q: got %v, want %v", c.environ, got, c.want)
		}
		must(t, v.Set("LC_ALL", "C.UTF-8"))
		if !v.UTF8() {
			t.Errorf("%q: the change of LC_ALL was missed", c.environ)
		}
	}
}

func TestSplitRef(t *testing.T) {
	for _, c := range []struct {
		ref, name, sub string
		indexed, ok    bool
	}{
		{"a", "a", "", false, true},
		{"a[1]", "a", "1", true, true},
		{"a[b[2]]", "a", "b[2]", true, true},
		{"a[]", "", "", false, false},
		{"a[1", "", "", false, false},
		{"1a", "1a", "", false, false},
		{"a b", "a b", "", false, false},
		{"", "", "", false, false},
		{"[1]", "", "", false, false},
	} {
		name, sub, indexed, ok := vars.SplitRef(c.ref)
		if ok != c.ok || ok && (name != c.name || sub != c.sub || indexed != c.indexed) {
			t.Errorf("%q: got %q, %q, %v, %v", c.ref, name, sub, indexed, ok)
		}
	}
}

func BenchmarkSet(b *testing.B) {
	v := newVars()
	for b.Loop() {
		_ = v.Set("x", "value")
	}
}

func BenchmarkClone(b *testing.B) {
	v := newVars()
	for i := range 60 {
		_ = v.Set(fmt.Sprintf("v%d", i), "value")
	}
	for b.Loop() {
		c := v.Clone(nil)
		_ = c.Set("x", "1")
		c.Release()
	}
}

func BenchmarkArrayAppend(b *testing.B) {
	v := newVars()
	for i := 0; b.Loop(); i++ {
		_ = v.SetIndex("a", v.Last("a")+1, "x")
	}
}

func BenchmarkTextAppend(b *testing.B) {
	v := newVars()
	for b.Loop() {
		_ = v.Append("s", "x")
	}
}

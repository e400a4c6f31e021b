package budget_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"mirage/internal/budget"
)

func TestBudget(t *testing.T) {
	b := budget.New(10)
	for _, step := range []struct {
		take int64
		want bool
		used int64
	}{{4, true, 4}, {7, false, 4}, {6, true, 10}, {1, false, 10}, {0, true, 10}} {
		if got := b.Take(step.take); got != step.want || b.Used() != step.used {
			t.Errorf("Take(%d) = %v, used %d; want %v, %d", step.take, got, b.Used(), step.want, step.used)
		}
	}
	b.Give(3)
	if !b.Fits(3) || b.Fits(4) || b.Used() != 7 {
		t.Errorf("after Give(3): used %d, 3 fit %v, 4 fit %v", b.Used(), b.Fits(3), b.Fits(4))
	}
	if b.Force(5); b.Used() != 12 || b.Fits(0) || b.Limit() != 10 {
		t.Errorf("after Force(5): used %d, 0 fit %v", b.Used(), b.Fits(0))
	}
}

func TestNoLimit(t *testing.T) {
	for _, b := range []*budget.Budget{{}, budget.New(0), budget.New(-1)} {
		if !b.Take(1<<60) || !b.Fits(1<<60) || b.Limit() != 0 {
			t.Errorf("a budget without limit refuses: limit %d", b.Limit())
		}
	}
}

// TestTogether takes from many goroutines: never more than the limit.
func TestTogether(t *testing.T) {
	b := budget.New(100)
	var taken atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				if b.Take(3) {
					taken.Add(3)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() != b.Used() || b.Used() > 100 || b.Used() < 97 {
		t.Errorf("taken %d, used %d of 100", taken.Load(), b.Used())
	}
}

func TestChild(t *testing.T) {
	top := budget.New(100)
	a, b := top.Child(80, 10), top.Child(0, 10)
	steps := []struct {
		of   *budget.Budget
		take int64
		want bool
		top  int64
	}{
		{a, 10, true, 0}, {a, 5, true, 5}, {a, 66, false, 5}, {a, 65, true, 70},
		{b, 41, false, 70}, {b, 40, true, 100}, {b, 1, false, 100}, {a, 1, false, 100},
	}
	for i, step := range steps {
		if got := step.of.Take(step.take); got != step.want || top.Used() != step.top {
			t.Errorf("step %d: %v, the parent counts %d; want %v, %d", i, got, top.Used(), step.want, step.top)
		}
	}
	if a.Give(75); top.Used() != 30 || !a.Fits(75) || b.Fits(71) || !b.Fits(70) {
		t.Errorf("after Give the parent counts %d", top.Used())
	}
	if b.Close(); top.Used() != 0 || b.Used() != 0 {
		t.Errorf("after Close the parent counts %d", top.Used())
	}
	if !top.Take(100) || !b.Take(10) || b.Take(1) || top.Used() != 100 {
		t.Error("the floor is not a child's own")
	}
}

// TestChildrenTogether fails takes over and under the floor from many
// goroutines: in the end nothing is left with the parent.
func TestChildrenTogether(t *testing.T) {
	top := budget.New(60)
	children := []*budget.Budget{top.Child(50, 20), top.Child(0, 30), top.Child(40, 0)}
	var wg sync.WaitGroup
	for i := range 9 {
		wg.Go(func() {
			b := children[i%3]
			for n := range 2000 {
				if k := int64(n%17 + i); b.Take(k) {
					b.Give(k)
				}
				if top.Used() > 60+9*26 {
					t.Error("the parent counts", top.Used())
				}
			}
		})
	}
	wg.Wait()
	if top.Used() != 0 {
		t.Errorf("the parent still counts %d", top.Used())
	}
}

func TestMeter(t *testing.T) {
	b := budget.New(1 << 20)
	m, other := b.Meter(), b.Meter()
	for _, step := range []struct {
		total int64
		want  bool
		used  int64
	}{
		{100, true, 0}, {64 << 10, true, 64 << 10}, {1 << 19, true, 1 << 19}, {2 << 20, false, 1 << 19}, {0, true, 0},
	} {
		if got := m.Hold(step.total); got != step.want || b.Used() != step.used {
			t.Errorf("Hold(%d) = %v, used %d; want %v, %d", step.total, got, b.Used(), step.want, step.used)
		}
	}
	if !m.Hold(600<<10) || other.Hold(600<<10) {
		t.Error("two meters hold more than the budget")
	}
	var none budget.Meter
	if !none.Hold(1 << 60) {
		t.Error("the zero meter refuses")
	}
}

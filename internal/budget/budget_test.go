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

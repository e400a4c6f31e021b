package sort

import (
	"context"
	"fmt"
)

// Below these sizes a run is sorted by insertion, and by one goroutine.
const (
	smallRun = 12
	soloRun  = 1 << 14
)

// sortRecords sorts lines, equal ones in the order given. It ends early with
// the context's error.
func (o *order) sortRecords(ctx context.Context, list []record) error {
	if len(list) < 2 {
		return ctx.Err()
	}
	m := &mergeSort{ctx: ctx, order: o}
	return m.sort(list, make([]record, len(list)), 2)
}

type mergeSort struct {
	ctx   context.Context
	order *order
}

// sort sorts list; spare is as long. Half of the work goes to another
// goroutine while depth lasts.
func (m *mergeSort) sort(list, spare []record, depth int) error {
	if len(list) <= smallRun {
		m.insertion(list)
		return nil
	}
	mid := len(list) / 2
	if depth > 0 && len(list) >= soloRun {
		done := make(chan error, 1)
		go func() {
			defer func() {
				if p := recover(); p != nil {
					done <- fmt.Errorf("sort: %v", p)
				}
			}()
			done <- m.sort(list[:mid], spare[:mid], depth-1)
		}()
		err := m.sort(list[mid:], spare[mid:], depth-1)
		if other := <-done; other != nil {
			err = other
		}
		if err != nil {
			return err
		}
	} else {
		if err := m.sort(list[:mid], spare[:mid], depth); err != nil {
			return err
		}
		if err := m.sort(list[mid:], spare[mid:], depth); err != nil {
			return err
		}
	}
	return m.merge(list, spare, mid)
}

func (m *mergeSort) insertion(list []record) {
	for i := 1; i < len(list); i++ {
		r := list[i]
		j := i
		for j > 0 && m.order.compare(&list[j-1], &r) > 0 {
			list[j] = list[j-1]
			j--
		}
		list[j] = r
	}
}

// merge merges list[:mid] and list[mid:].
func (m *mergeSort) merge(list, spare []record, mid int) error {
	if m.order.compare(&list[mid-1], &list[mid]) <= 0 {
		return nil
	}
	left := spare[:copy(spare, list[:mid])]
	i, j := 0, mid
	for at := 0; i < len(left); at++ {
		if at%256 == 0 {
			if err := m.ctx.Err(); err != nil {
				return err
			}
		}
		if j < len(list) && m.order.compare(&left[i], &list[j]) > 0 {
			list[at] = list[j]
			j++
		} else {
			list[at] = left[i]
			i++
		}
	}
	return nil
}

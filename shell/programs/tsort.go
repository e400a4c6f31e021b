package programs

import (
	"context"
	"io"
	"slices"
	"strings"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var tsortSpec = getopt.Spec{
	Name:     "tsort",
	Synopsis: []string{"[OPTION] [FILE]"},
	Summary: "Write totally ordered list consistent with the partial ordering in FILE.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
}

// tsortItem is one name of the ordering.
type tsortItem struct {
	name    string
	before  int          // how many items must still come first
	after   []*tsortItem // items that must come later, the newest last
	done    bool
	onChain *tsortItem // next of the chain that looks for a loop
}

type tsortRun struct {
	ctx    context.Context
	inv    *program.Invocation
	out    *stream.Writer
	byName map[string]*tsortItem
	items  []*tsortItem // in the byte order of names once read
	held   budget.Meter
	left   int        // not written yet
	loop   *tsortItem // head of the chain
}

func runTsort(ctx context.Context, inv *program.Invocation) int {
	p := tsortSpec.Parse(inv)
	for p.Next() {
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) > 1:
		return p.Extra(p.Operands[1])
	}
	t := &tsortRun{ctx: ctx, inv: inv, out: stream.Stdout(inv), byName: map[string]*tsortItem{}, held: inv.Meter()}
	name := "-"
	if len(p.Operands) > 0 {
		name = p.Operands[0]
	}
	r, err := inv.OpenOperand(ctx, name)
	if err != nil {
		inv.FileError(name, err)
		return 1
	}
	defer r.Close()
	odd, err := t.read(r)
	switch {
	case err != nil:
		inv.FileError(name, err)
		return 1
	case odd:
		inv.Errorf("%s: input contains an odd number of tokens", inv.QuoteName(name))
		return 1
	}
	return t.out.Close(inv, t.write(name))
}

// tsortItemSize is about what an item takes in memory beside its name.
const tsortItemSize = 200

// read notes the pairs of the input, and tells whether a token is left alone.
func (t *tsortRun) read(r io.Reader) (odd bool, err error) {
	var token []byte
	var first *tsortItem
	size := int64(0)
	end := func() {
		if len(token) == 0 {
			return
		}
		item, ok := t.byName[string(token)]
		if !ok {
			item = &tsortItem{name: string(token)}
			t.byName[item.name] = item
			t.items = append(t.items, item)
			size += tsortItemSize + int64(len(token))
		}
		token = token[:0]
		if first == nil {
			first = item
			return
		}
		if first != item {
			item.before++
			first.after = append(first.after, item)
			size += 16
		}
		first = nil
	}
	err = eachBlock(t.ctx, r, t.out, func(p []byte) error {
		for _, c := range p {
			if c == ' ' || c == '\t' || c == '\n' {
				end()
				continue
			}
			token = append(token, c)
			if !t.held.Hold(size + int64(cap(token))) {
				return stream.ErrMemory
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	end()
	slices.SortFunc(t.items, func(a, b *tsortItem) int { return strings.Compare(a.name, b.name) })
	t.left = len(t.items)
	return first != nil, nil
}

// write writes the items in order. Where they go round in a circle it tells
// so, and leaves out one of the pairs of it.
func (t *tsortRun) write(name string) int {
	status := 0
	for t.left > 0 {
		var queue []*tsortItem
		for _, item := range t.items {
			if item.before == 0 && !item.done {
				queue = append(queue, item)
			}
		}
		for n := 0; n < len(queue); n++ {
			if n%256 == 0 && t.ctx.Err() != nil || t.out.Err() != nil {
				return 1
			}
			item := queue[n]
			t.out.WriteString(item.name + "\n")
			item.done = true
			t.left--
			for i := len(item.after) - 1; i >= 0; i-- {
				if later := item.after[i]; later.before > 0 {
					if later.before--; later.before == 0 {
						queue = append(queue, later)
					}
				}
			}
		}
		if t.left == 0 {
			break
		}
		t.out.Flush()
		t.inv.Errorf("%s: input contains a loop:", t.inv.QuoteName(name))
		status = 1
		for {
			if t.ctx.Err() != nil {
				return 1
			}
			t.breakLoop()
			if t.loop == nil {
				break
			}
		}
	}
	return status
}

// breakLoop goes once through the items and makes the chain longer by those
// that come before its head, until the chain bites its tail; it then prints
// the loop and takes the closing pair out. The order is GNU's.
func (t *tsortRun) breakLoop() {
	for n, item := range t.items {
		if n%256 == 0 && t.ctx.Err() != nil {
			return
		}
		switch {
		case item.before == 0:
			continue
		case t.loop == nil:
			t.loop = item
			continue
		}
		i := len(item.after) - 1
		for i >= 0 && item.after[i] != t.loop {
			i--
		}
		switch {
		case i < 0:
		case item.onChain == nil:
			item.onChain, t.loop = t.loop, item
		default:
			t.printLoop(item, i)
			return
		}
	}
}

// printLoop prints the chain from its head to item, whose i-th successor the
// head is, and forgets it.
func (t *tsortRun) printLoop(item *tsortItem, i int) {
	open := true
	for t.loop != nil {
		next := t.loop.onChain
		if open {
			t.inv.Errorf("%s", t.loop.name)
			if t.loop == item {
				item.after[i].before--
				item.after = slices.Delete(item.after, i, i+1)
				open = false
			}
		}
		t.loop.onChain, t.loop = nil, next
	}
}

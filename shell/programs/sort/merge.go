package sort

import (
	"context"
	"path"

	"mirage/shell/program/stream"
)

// mergeSource merges sorted sources. Of equal lines those of earlier sources
// come first.
type mergeSource struct {
	order   *order
	sources []source
	heap    []mergeItem
	pending bool // the first of heap was handed out
}

type mergeItem struct {
	record *record
	index  int
}

func newMergeSource(o *order, sources []source) (*mergeSource, error) {
	m := &mergeSource{order: o, sources: sources}
	for i, s := range sources {
		r, err := s.next()
		if err != nil {
			m.close()
			return nil, err
		}
		if r != nil {
			m.heap = append(m.heap, mergeItem{r, i})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m, nil
}

func (m *mergeSource) less(a, b mergeItem) bool {
	if d := m.order.compare(a.record, b.record); d != 0 {
		return d < 0
	}
	return a.index < b.index
}

func (m *mergeSource) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if child+1 < len(m.heap) && m.less(m.heap[child+1], m.heap[child]) {
			child++
		}
		if !m.less(m.heap[child], m.heap[i]) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}

func (m *mergeSource) next() (*record, error) {
	if m.pending {
		m.pending = false
		first := &m.heap[0]
		r, err := m.sources[first.index].next()
		if err != nil {
			return nil, err
		}
		if r == nil {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		} else {
			first.record = r
		}
		m.sink(0)
	}
	if len(m.heap) == 0 {
		return nil, nil
	}
	m.pending = true
	return m.heap[0].record, nil
}

func (m *mergeSource) close() {
	for _, s := range m.sources {
		s.close()
	}
}

// mergeFiles is -m.
func (j *job) mergeFiles(ctx context.Context) (source, error) {
	var sources []source
	fail := func(err error) (source, error) {
		for _, s := range sources {
			s.close()
		}
		return nil, err
	}
	for _, name := range j.files {
		r, err := j.inv.OpenOperand(ctx, name)
		if err != nil {
			return fail(j.failed("cannot read", name, err))
		}
		failed := func(err error) error { return j.failed("read failed", name, err) }
		if j.output != "" && name != "-" && path.Clean(j.inv.Path(name)) == path.Clean(j.inv.Path(j.output)) {
			// The output would overwrite it: hold it.
			s := &sliceSource{}
			held, meter := int64(0), j.inv.Meter()
			err := readLines(ctx, r, j.end, j.inv.Meter(), func(line []byte) error {
				s.list = append(s.list, j.order.record(line))
				if held += int64(len(line)) + recordSize; !meter.Hold(held) {
					return stream.ErrMemory
				}
				return nil
			})
			r.Close()
			if err != nil {
				return fail(failed(err))
			}
			sources = append(sources, s)
			continue
		}
		sources = append(sources, &fileSource{name: name, lines: stream.NewLines(r, j.end, j.inv.Meter()),
			closer: r, order: j.order, end: j.end, failed: failed})
	}
	return newMergeSource(j.order, sources)
}

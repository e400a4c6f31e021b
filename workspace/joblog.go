package workspace

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
)

// Chunk is a piece of a job's output.
type Chunk struct {
	Stderr bool
	Data   []byte
}

// What a job's log keeps of each stream, and how far a line may run ahead of
// the slowest attached reader.
const (
	maxLog    = 1 << 20
	maxChunks = 16 << 10 // where tiny writes to both streams alternate
	maxAhead  = 256 << 10
)

// joblog is the output of a job in order. It keeps the first bytes of each
// stream for whoever comes later; a reader that is attached while the line
// runs gets everything, and slows the line when it is slow.
type joblog struct {
	mu      sync.Mutex
	kept    []Chunk
	size    [2]int // bytes kept, by stream
	cut     bool
	ended   bool
	gone    bool // the job is canceled: nobody waits for readers any more
	readers []*Follower
	// changed is closed and replaced at each change that somebody waits for.
	changed chan struct{}
}

func newLog() *joblog { return &joblog{} }

func stream(stderr bool) int {
	if stderr {
		return 1
	}
	return 0
}

// wake tells everybody who waits. mu is held.
func (l *joblog) wake() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// waiter answers the channel of the next change. mu is held.
func (l *joblog) waiter() <-chan struct{} {
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// append adds output. The data is copied.
func (l *joblog) append(ctx context.Context, stderr bool, p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || len(p) == 0 {
		return
	}
	keep := p
	if room := maxLog - l.size[stream(stderr)]; len(keep) > room {
		keep, l.cut = keep[:room], true
	}
	if len(keep) > 0 {
		l.keep(stderr, keep)
	}
	if len(l.readers) > 0 {
		l.feed(ctx, stderr, p)
	}
	l.wake()
}

// keep adds to the kept part. Small writes to one stream share a chunk while
// nobody has been given it.
func (l *joblog) keep(stderr bool, p []byte) {
	l.size[stream(stderr)] += len(p)
	if n := len(l.kept); n > 0 && l.kept[n-1].Stderr == stderr && len(l.kept[n-1].Data)+len(p) <= cap(l.kept[n-1].Data) {
		// Readers hold slices of the old length; bytes beyond it are ours.
		l.kept[n-1].Data = append(l.kept[n-1].Data, p...)
		return
	}
	if len(l.kept) >= maxChunks {
		l.cut = true
		l.size[stream(stderr)] -= len(p)
		return
	}
	data := make([]byte, len(p), max(len(p), min(4096, 2*len(p)+64)))
	copy(data, p)
	l.kept = append(l.kept, Chunk{stderr, data})
}

// feed hands output to the attached readers, waiting for slow ones. mu is
// held, and released while it waits.
func (l *joblog) feed(ctx context.Context, stderr bool, p []byte) {
	data := append([]byte(nil), p...)
	for _, r := range l.readers {
		r.chunks = append(r.chunks, Chunk{stderr, data})
		r.ahead += len(data)
	}
	for {
		full := false
		for _, r := range l.readers {
			full = full || r.ahead > maxAhead
		}
		if !full || l.ended || l.gone {
			return
		}
		l.wake()
		next := l.waiter()
		l.mu.Unlock()
		select {
		case <-next:
		case <-ctx.Done():
		}
		l.mu.Lock()
		if ctx.Err() != nil {
			return
		}
	}
}

// end marks the log complete.
func (l *joblog) end() {
	l.mu.Lock()
	l.ended = true
	l.wake()
	l.mu.Unlock()
}

// detach stops waiting for readers.
func (l *joblog) detach() {
	l.mu.Lock()
	l.gone = true
	l.wake()
	l.mu.Unlock()
}

// bytes answers the kept output of both streams.
func (l *joblog) bytes() (stdout, stderr []byte, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := [2][]byte{}
	for i, n := range l.size {
		if n > 0 {
			out[i] = make([]byte, 0, n)
		}
	}
	for _, c := range l.kept {
		out[stream(c.Stderr)] = append(out[stream(c.Stderr)], c.Data...)
	}
	return out[0], out[1], l.cut
}

// Follow answers the kept chunks from cursor on (0 is the beginning), waiting
// for at least one unless the job is settled: then none means the end. The
// log keeps the first MiB of each stream; Attach misses nothing.
func (j *Job) Follow(ctx context.Context, cursor int) (chunks []Chunk, next int, err error) {
	l := j.log
	l.mu.Lock()
	for {
		if cursor >= 0 && cursor < l.total() {
			chunks = l.from(cursor)
			next = l.total()
			l.mu.Unlock()
			return chunks, next, nil
		}
		if l.ended || cursor < 0 {
			l.mu.Unlock()
			return nil, cursor, nil
		}
		changed := l.waiter()
		l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, cursor, context.Cause(ctx)
		}
		l.mu.Lock()
	}
}

// total is the number of bytes kept: cursors count bytes, so that chunks may
// grow between two calls.
func (l *joblog) total() int { return l.size[0] + l.size[1] }

// from answers the kept output after the first n bytes.
func (l *joblog) from(n int) []Chunk {
	var chunks []Chunk
	for _, c := range l.kept {
		if n >= len(c.Data) {
			n -= len(c.Data)
			continue
		}
		chunks = append(chunks, Chunk{c.Stderr, c.Data[n:len(c.Data):len(c.Data)]})
		n = 0
	}
	return chunks
}

// Follower reads all of a job's output from the moment of Attach, after what
// was kept until then.
type Follower struct {
	l      *joblog
	chunks []Chunk
	ahead  int // bytes in chunks
}

// Attach begins to follow the job. Close the Follower, or the line waits for
// it.
func (j *Job) Attach() *Follower {
	l := j.log
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &Follower{l: l, chunks: l.from(0)}
	if !l.ended {
		l.readers = append(l.readers, f)
	}
	return f
}

// Next answers the next chunks, waiting for some; io.EOF after the last.
func (f *Follower) Next(ctx context.Context) ([]Chunk, error) {
	f.l.mu.Lock()
	for len(f.chunks) == 0 {
		if f.l.ended {
			f.l.mu.Unlock()
			return nil, io.EOF
		}
		changed := f.l.waiter()
		f.l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		f.l.mu.Lock()
	}
	chunks := f.chunks
	f.chunks, f.ahead = nil, 0
	f.l.wake()
	f.l.mu.Unlock()
	return chunks, nil
}

// Close ends the following.
func (f *Follower) Close() {
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	for i, r := range f.l.readers {
		if r == f {
			f.l.readers = append(f.l.readers[:i:i], f.l.readers[i+1:]...)
			break
		}
	}
	f.chunks, f.ahead = nil, 0
	f.l.wake()
}

// encode writes the kept output for the store: per chunk a byte for the
// stream, the length as a uvarint, and the bytes.
func (l *joblog) encode() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	var data []byte
	for _, c := range l.kept {
		data = append(data, byte(stream(c.Stderr)))
		data = binary.AppendUvarint(data, uint64(len(c.Data)))
		data = append(data, c.Data...)
	}
	return data
}

// decode reads what encode wrote; damage ends it early.
func (l *joblog) decode(data []byte) {
	for len(data) > 0 {
		toStderr := data[0] == 1
		n, used := binary.Uvarint(data[1:])
		if used <= 0 || n > uint64(len(data)-1-used) {
			l.cut = true
			return
		}
		data = data[1+used:]
		l.kept = append(l.kept, Chunk{toStderr, append([]byte(nil), data[:n]...)})
		l.size[stream(toStderr)] += int(n)
		data = data[n:]
	}
}

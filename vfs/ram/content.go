package ram

import "sync/atomic"

// chunkSize is how many bytes of a file are copied at most to change one. It
// balances that against the number of pieces of a large file.
const chunkSize = 64 << 10

// page is the unit that st_blocks counts in, as on a disk.
const page = 4096

// maxSize is the largest file: far beyond any quota, but such that no offset
// arithmetic overflows.
const maxSize = 1 << 52

// content is the bytes of a file. It never changes: write and truncate answer
// a new one, which shares the chunks that are the same. The zero value is an
// empty file.
type content struct {
	size   int64
	chunks radix[piece]
	bytes  int64 // memory of the chunks
	pages  int64 // of page bytes, holes left out
}

// piece is one chunk as one content sees it: its first n bytes. What follows
// up to chunkSize reads as zeros; the zero piece is a hole.
type piece struct {
	c *chunk
	n int
}

// chunk is memory that contents share. Bytes below used never change, so they
// are read without a lock. Whoever moves used forward owns the bytes it
// passed over until they are published in a new content; this is how
// appending does not copy. Bytes from used on are zero.
type chunk struct {
	buf  []byte
	used atomic.Int64
}

func (p piece) cap() int {
	if p.c == nil {
		return 0
	}
	return len(p.c.buf)
}

// pages answers how many pages the piece fills.
func (p piece) pages() int64 { return int64(p.n+page-1) / page }

// write answers the piece with data at offset at. stream tells that the file
// is being written in order and large already.
func (p piece) write(data []byte, at int, stream bool) piece {
	end := at + len(data)
	if at >= p.n && end <= p.cap() && p.c.used.CompareAndSwap(int64(p.n), int64(end)) {
		copy(p.c.buf[at:], data)
		return piece{p.c, end}
	}
	n := max(p.n, end)
	size := n
	switch {
	case at < p.n || p.n == 0 && !stream:
		// Overwritten, or new: just as much as is needed.
	case stream:
		size = chunkSize
	default:
		size = min(max(n, 2*p.n), chunkSize)
	}
	c := &chunk{buf: make([]byte, size)}
	c.used.Store(int64(n))
	if p.c != nil {
		if at > 0 {
			copy(c.buf, p.c.buf[:min(p.n, at)])
		}
		if end < p.n {
			copy(c.buf[end:], p.c.buf[end:p.n])
		}
	}
	copy(c.buf[at:], data)
	return piece{c, n}
}

// trim answers the first n bytes of the piece, copied when the rest would
// hold much memory for nothing.
func (p piece) trim(n int) piece {
	if n >= p.n {
		return p
	}
	if n == 0 {
		return piece{}
	}
	if n >= p.cap()/2 {
		return piece{p.c, n}
	}
	c := &chunk{buf: append(make([]byte, 0, n), p.c.buf[:n]...)}
	c.used.Store(int64(n))
	return piece{c, n}
}

// replace puts a piece at chunk index i.
func (c *content) replace(i uint64, old, p piece) {
	c.bytes += int64(p.cap() - old.cap())
	c.pages += p.pages() - old.pages()
	c.chunks = c.chunks.set(i, p)
}

// write answers the content with data at off. off+len(data) is at most
// maxSize.
func (c content) write(data []byte, off int64) content {
	for len(data) > 0 {
		i, at := uint64(off/chunkSize), int(off%chunkSize)
		k := min(len(data), chunkSize-at)
		old := c.chunks.get(i)
		stream := i > 0 && at == old.n && (at > 0 || c.size == off)
		c.replace(i, old, old.write(data[:k], at, stream))
		data = data[k:]
		off += int64(k)
		c.size = max(c.size, off)
	}
	return c
}

// truncate answers the content with a new size.
func (c content) truncate(size int64) content {
	if size >= c.size {
		c.size = size
		return c
	}
	c.size = size
	c.chunks = c.chunks.cut(uint64((size+chunkSize-1)/chunkSize), func(p piece) {
		c.bytes -= int64(p.cap())
		c.pages -= p.pages()
	})
	if rest := int(size % chunkSize); rest > 0 {
		i := uint64(size / chunkSize)
		if old := c.chunks.get(i); old.n > rest {
			c.replace(i, old, old.trim(rest))
		}
	}
	return c
}

// readAt fills p from off on, as far as the content goes.
func (c content) readAt(p []byte, off int64) int {
	if off >= c.size {
		return 0
	}
	p = p[:min(int64(len(p)), c.size-off)]
	for done := 0; done < len(p); {
		i, at := uint64(off/chunkSize), int(off%chunkSize)
		part := p[done:min(len(p), done+chunkSize-at)]
		k := 0
		if piece := c.chunks.get(i); at < piece.n {
			k = copy(part, piece.c.buf[at:piece.n])
		}
		clear(part[k:])
		done += len(part)
		off += int64(len(part))
	}
	return len(p)
}

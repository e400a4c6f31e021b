package sftpd

import "sync"

// buffer is a piece of memory on loan from a pool.
type buffer struct {
	b    []byte
	pool *sync.Pool
}

// classes are the sizes of pooled buffers: a request about a path, a READ or
// WRITE of 32 KiB, one of 255 KiB; each with room for the packet's head.
var classes = [...]struct {
	size int
	pool *sync.Pool
}{
	{1 << 10, newPool(1 << 10)},
	{33 << 10, newPool(33 << 10)},
	{maxPacket + 64, newPool(maxPacket + 64)},
}

func newPool(size int) *sync.Pool {
	p := &sync.Pool{}
	p.New = func() any { return &buffer{b: make([]byte, size), pool: p} }
	return p
}

// getBuffer lends n bytes, at most maxPacket and 64 more; their contents are
// undefined.
func getBuffer(n int) *buffer {
	for _, c := range classes {
		if n <= c.size {
			b := c.pool.Get().(*buffer)
			b.b = b.b[:n]
			return b
		}
	}
	panic("sftpd: buffer too large")
}

// free gives the buffer back. Nothing may refer to its bytes any more.
func (b *buffer) free() { b.pool.Put(b) }

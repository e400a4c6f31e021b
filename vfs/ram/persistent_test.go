package ram

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDirAgainstMap makes random changes to a directory and to a map, and
// checks that versions kept on the way stay as they were.
func TestDirAgainstMap(t *testing.T) {
	type version struct {
		d    *dir
		want map[string]uint64
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var d *dir
	want := map[string]uint64{}
	var kept []version
	for i := range uint64(20_000) {
		name := fmt.Sprintf("n%d", rnd.IntN(3000))
		if rnd.IntN(3) == 0 || i > 15_000 {
			d = d.remove(name)
			delete(want, name)
		} else {
			d = d.put(name, i+1)
			want[name] = i + 1
		}
		if i%2500 == 0 {
			kept = append(kept, version{d, maps.Clone(want)})
		}
	}
	kept = append(kept, version{d, want})
	for i, v := range kept {
		var names []string
		v.d.each(func(e dirEntry) bool {
			names = append(names, e.name)
			if v.want[e.name] != e.ino || v.d.get(e.name) != e.ino {
				t.Fatalf("version %d: %s is %d, want %d", i, e.name, e.ino, v.want[e.name])
			}
			return true
		})
		if !slices.Equal(names, slices.Sorted(maps.Keys(v.want))) || v.d.len() != len(names) {
			t.Errorf("version %d lists %d names, want %d in order", i, len(names), len(v.want))
		}
		if got := v.d.get("none"); got != 0 {
			t.Errorf("version %d finds a name that is not there: %d", i, got)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		d = d.remove(name)
	}
	if d.len() != 0 {
		t.Errorf("%d entries are left of nothing", d.len())
	}
}

// TestDirInOrder checks that names that come in order make a dense tree.
func TestDirInOrder(t *testing.T) {
	var d *dir
	const n = 100_000
	for i := range uint64(n) {
		d = d.put(fmt.Sprintf("%08d", i), i+1)
	}
	leaves := 0
	var count func(d *dir)
	count = func(d *dir) {
		if d.kids == nil {
			leaves++
		}
		for _, k := range d.kids {
			count(k)
		}
	}
	count(d)
	if d.len() != n || leaves > n/maxNode*11/10 {
		t.Errorf("%d entries in %d leaves", d.len(), leaves)
	}
}

func TestRadixAgainstMap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var r radix[int]
	want := map[uint64]int{}
	isZero := func(v int) bool { return v == 0 }
	index := func() uint64 {
		if rnd.IntN(4) == 0 {
			return rnd.Uint64() >> rnd.IntN(64)
		}
		return rnd.Uint64N(5000)
	}
	var first radix[int]
	for i := 1; i < 10_000; i++ {
		k := index()
		switch rnd.IntN(10) {
		case 0:
			r = r.unset(k, isZero)
			delete(want, k)
		case 1:
			if rnd.IntN(50) == 0 {
				dropped := map[int]bool{}
				r = r.cut(k, func(v int) { dropped[v] = true })
				for j, v := range want {
					if j >= k {
						if !dropped[v] {
							t.Fatalf("cut(%d) did not report index %d", k, j)
						}
						delete(want, j)
					}
				}
			}
		default:
			r = r.set(k, i)
			want[k] = i
		}
		if i == 1 {
			first = r
		}
	}
	for k, v := range want {
		if got := r.get(k); got != v {
			t.Errorf("get(%d) = %d, want %d", k, got, v)
		}
	}
	for range 1000 {
		if k := index(); want[k] == 0 && r.get(k) != 0 {
			t.Errorf("get(%d) = %d, want nothing", k, r.get(k))
		}
	}
	n := 0
	first.cut(0, func(v int) {
		if v != 0 {
			n++
		}
	})
	if n > 1 {
		t.Errorf("an old version has come to hold %d values", n)
	}
}

// TestContentAgainstBytes makes random changes to a content and a slice.
func TestContentAgainstBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		var c content
		var want []byte
		type version struct {
			c    content
			want []byte
		}
		var kept []version
		for range 200 {
			switch rnd.IntN(6) {
			case 0:
				size := rnd.IntN(4 * chunkSize)
				if rnd.IntN(3) > 0 {
					size = rnd.IntN(len(want) + 1)
				}
				c = c.truncate(int64(size))
				want = append(slices.Clone(want[:min(size, len(want))]), make([]byte, max(0, size-len(want)))...)
			case 1, 2: // append
				p := bytes.Repeat([]byte{byte(rnd.IntN(256))}, rnd.IntN(chunkSize))
				c = c.write(p, c.size)
				want = append(want, p...)
			default:
				p := bytes.Repeat([]byte{byte(rnd.IntN(256))}, rnd.IntN(3*chunkSize/2))
				off := rnd.IntN(3 * chunkSize)
				c = c.write(p, int64(off))
				if len(p) > 0 && len(want) < off+len(p) {
					want = append(want, make([]byte, off+len(p)-len(want))...)
				}
				want = slices.Clone(want)
				copy(want[off:], p)
			}
			if rnd.IntN(20) == 0 {
				kept = append(kept, version{c, slices.Clone(want)})
			}
		}
		kept = append(kept, version{c, want})
		for i, v := range kept {
			got := make([]byte, v.c.size+10)
			n := v.c.readAt(got, 0)
			if !bytes.Equal(got[:n], v.want) {
				t.Fatalf("version %d of %d differs: %d bytes, want %d", i, len(kept), n, len(v.want))
			}
			var mem, pages int64
			v.c.chunks.cut(0, func(p piece) { mem += int64(p.cap()); pages += p.pages() })
			if mem != v.c.bytes || pages != v.c.pages {
				t.Fatalf("version %d counts %d bytes, %d pages; it has %d, %d", i, v.c.bytes, v.c.pages, mem, pages)
			}
		}
	}
}

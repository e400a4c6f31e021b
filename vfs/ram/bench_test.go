package ram_test

import (
	"fmt"
	"os"
	"testing"

	"mirage/vfs/ram"
)

func BenchmarkStat(b *testing.B) {
	f := ram.New(ram.Options{})
	must(b, f.Mkdir(ctx, "a", 0o755), f.Mkdir(ctx, "a/b", 0o755))
	write(b, f, "a/b/c", "x")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Stat(ctx, "a/b/c"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenClose(b *testing.B) {
	f := ram.New(ram.Options{})
	write(b, f, "f", "x")
	b.ReportAllocs()
	for b.Loop() {
		must(b, open(b, f, "f", os.O_RDONLY).Close())
	}
}

func BenchmarkCreateWriteRemove4K(b *testing.B) {
	f := ram.New(ram.Options{})
	data := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		h := open(b, f, "f", os.O_WRONLY|os.O_CREATE)
		_, err := h.WriteAt(data, 0)
		must(b, err, h.Close(), f.Remove(ctx, "f"))
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{4 << 10, 32 << 10, 255 << 10} {
		b.Run(fmt.Sprintf("%dK", size>>10), func(b *testing.B) {
			f := ram.New(ram.Options{MaxBytes: -1})
			h := open(b, f, "f", os.O_WRONLY|os.O_CREATE)
			data := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			off := int64(0)
			for b.Loop() {
				if off > 256<<20 {
					off = 0
					must(b, h.Truncate(0))
				}
				_, err := h.WriteAt(data, off)
				must(b, err)
				off += int64(size)
			}
		})
	}
}

func BenchmarkOverwrite4K(b *testing.B) {
	f := ram.New(ram.Options{})
	h := open(b, f, "f", os.O_RDWR|os.O_CREATE)
	_, err := h.WriteAt(make([]byte, 64<<20), 0)
	must(b, err)
	data := make([]byte, 4096)
	b.SetBytes(4096)
	b.ReportAllocs()
	i := int64(0)
	for b.Loop() {
		i++
		_, err := h.WriteAt(data, i*7919%(64<<20-4096))
		must(b, err)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{4 << 10, 32 << 10, 255 << 10} {
		b.Run(fmt.Sprintf("%dK", size>>10), func(b *testing.B) {
			f := ram.New(ram.Options{})
			h := open(b, f, "f", os.O_RDWR|os.O_CREATE)
			for off := int64(0); off < 64<<20; off += 1 << 20 {
				_, err := h.WriteAt(make([]byte, 1<<20), off)
				must(b, err)
			}
			data := make([]byte, size)
			b.SetBytes(int64(size))
			off := int64(0)
			for b.Loop() {
				if _, err := h.ReadAt(data, off); err != nil {
					b.Fatal(err)
				}
				if off += int64(size); off > 63<<20 {
					off = 0
				}
			}
		})
	}
}

func BenchmarkReadDir10000(b *testing.B) {
	f := ram.New(ram.Options{})
	for i := range 10_000 {
		write(b, f, fmt.Sprintf("file%05d", i), "")
	}
	b.ReportAllocs()
	for b.Loop() {
		if list, err := f.ReadDir(ctx, "."); err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
}

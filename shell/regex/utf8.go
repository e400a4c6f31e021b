package regex

import "unicode/utf8"

// byteRange is an inclusive range of bytes.
type byteRange struct{ lo, hi byte }

// appendUTF8 appends the byte-range sequences that together encode the code
// points from lo to hi (surrogates left out), in order.
func appendUTF8(seqs [][]byteRange, lo, hi rune) [][]byteRange {
	if lo > hi {
		return seqs
	}
	// Surrogates have no encoding.
	if lo < 0xd800 && hi > 0xdfff {
		return appendUTF8(appendUTF8(seqs, lo, 0xd7ff), 0xe000, hi)
	}
	if lo >= 0xd800 && lo <= 0xdfff {
		return appendUTF8(seqs, 0xe000, hi)
	}
	if hi >= 0xd800 && hi <= 0xdfff {
		return appendUTF8(seqs, lo, 0xd7ff)
	}
	// Both ends must have the same length, ...
	for _, last := range []rune{0x7f, 0x7ff, 0xffff} {
		if lo <= last && last < hi {
			return appendUTF8(appendUTF8(seqs, lo, last), last+1, hi)
		}
	}
	// ... and where they differ, all that follows must be the full range.
	for i := 1; i < utf8.RuneLen(hi); i++ {
		mask := rune(1)<<(6*i) - 1
		if lo&^mask == hi&^mask {
			continue
		}
		if lo&mask != 0 {
			return appendUTF8(appendUTF8(seqs, lo, lo|mask), (lo|mask)+1, hi)
		}
		if hi&mask != mask {
			return appendUTF8(appendUTF8(seqs, lo, hi&^mask-1), hi&^mask, hi)
		}
	}
	a, b := utf8.AppendRune(nil, lo), utf8.AppendRune(nil, hi)
	seq := make([]byteRange, len(a))
	for i := range a {
		seq[i] = byteRange{a[i], b[i]}
	}
	return append(seqs, seq)
}

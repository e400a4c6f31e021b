package diff

// Fates of a line before the comparison.
const (
	keep      = iota
	drop      // the other file has no such line
	maybeDrop // the other file has too many of them
)

// discard answers the lines that are worth comparing and where they come
// from. Lines that the other file has not at all are marked as changed at
// once, and so are very common ones amid such lines; it makes the comparison
// fast and its result easy to read, as GNU diff does.
func (o *options) discard(f *[2]file, classes int) (x, lineX, y, lineY []int32) {
	var counts [2][]int32
	for i := range f {
		counts[i] = make([]int32, classes)
		for _, e := range f[i].equivs {
			counts[i][e]++
		}
	}
	x, lineX = o.discardFrom(&f[0], counts[1])
	y, lineY = o.discardFrom(&f[1], counts[0])
	return x, lineX, y, lineY
}

func (o *options) discardFrom(f *file, other []int32) (kept, lines []int32) {
	n := len(f.equivs)
	fates := make([]byte, n)
	many := int32(5)
	for t := n / 64 >> 2; t > 0; t >>= 2 {
		many *= 2
	}
	for i, e := range f.equivs {
		switch m := other[e]; {
		case m == 0:
			fates[i] = drop
		case m > many:
			fates[i] = maybeDrop
		}
	}
	for i := 0; i < n; i++ {
		switch fates[i] {
		case maybeDrop: // not within a run of lines to drop
			fates[i] = keep
		case drop:
			i += spare(fates[i:])
		}
	}
	kept, lines = make([]int32, 0, n), make([]int32, 0, n)
	for i, e := range f.equivs {
		if fates[i] == keep || o.minimal {
			kept = append(kept, e)
			lines = append(lines, int32(i))
		} else {
			f.changed[i+1] = true
		}
	}
	return kept, lines
}

// spare decides on the doubtful lines of the run that fates begins with, and
// answers how many lines to pass over.
func spare(fates []byte) int {
	n, doubtful := 0, 0
	for n < len(fates) && fates[n] != keep {
		if fates[n] == maybeDrop {
			doubtful++
		}
		n++
	}
	for n > 0 && fates[n-1] == maybeDrop {
		n--
		fates[n] = keep
		doubtful--
	}
	run := fates[:n]
	if doubtful*4 > n {
		for i := range run {
			if run[i] == maybeDrop {
				run[i] = keep
			}
		}
		return n - 1
	}
	// Keep long runs of doubtful lines.
	least := 1
	for t := n >> 2 >> 2; t > 0; t >>= 2 {
		least <<= 1
	}
	least++
	for i, seen := 0, 0; i < n; i++ {
		if run[i] != maybeDrop {
			seen = 0
			continue
		}
		if seen++; seen == least {
			for j := i - seen + 1; j <= i; j++ {
				run[j] = keep
			}
		} else if seen > least {
			run[i] = keep
		}
	}
	// Keep doubtful lines near both ends.
	spareEnd(n, func(i int) *byte { return &run[i] })
	spareEnd(n, func(i int) *byte { return &run[n-1-i] })
	return n - 1
}

// spareEnd keeps the doubtful lines of one end: up to three lines to drop in a
// row, or the first such line from the ninth on.
func spareEnd(n int, at func(int) *byte) {
	seen := 0
	for i := range n {
		fate := at(i)
		if i >= 8 && *fate == drop {
			return
		}
		switch *fate {
		case drop:
			if seen++; seen == 3 {
				return
			}
		default:
			*fate, seen = keep, 0
		}
	}
}

package diff

import "context"

// minTooExpensive is the least number of steps after which a search for the
// shortest way gives up and takes the best one so far.
const minTooExpensive = 4096

// comparison finds the changed lines of two sequences of line numbers by
// Myers' algorithm in linear space ("An O(ND) Difference Algorithm and Its
// Variations", 1986): from both ends at once, the furthest reaching paths of
// each diagonal are followed until they meet, and the two halves are compared
// in the same way.
type comparison struct {
	ctx          context.Context
	x, y         []int32
	lineX, lineY []int32 // of the middle of each file
	files        *[2]file
	forward      []int32 // furthest x on each diagonal, by x - y + shift
	backward     []int32
	shift        int
	tooExpensive int
}

// split is where a comparison is cut in two. A half that is known to need
// the shortest way only is exact.
type split struct {
	x, y                int
	exactLow, exactHigh bool
}

// compareLines marks the changed lines of both files. It ends early when ctx
// does.
func (o *options) compareLines(ctx context.Context, f *[2]file, classes int) error {
	c := &comparison{ctx: ctx, files: f}
	c.x, c.lineX, c.y, c.lineY = o.discard(f, classes)
	diagonals := len(c.x) + len(c.y) + 3
	c.forward = make([]int32, diagonals)
	c.backward = make([]int32, diagonals)
	c.shift = len(c.y) + 1
	cost := 1
	for d := diagonals; d != 0; d >>= 2 {
		cost <<= 1
	}
	c.tooExpensive = max(minTooExpensive, cost)
	c.compare(0, len(c.x), 0, len(c.y), o.minimal)
	return ctx.Err()
}

// compare marks the changes between x[x0:x1] and y[y0:y1].
func (c *comparison) compare(x0, x1, y0, y1 int, exact bool) {
	for {
		for x0 < x1 && y0 < y1 && c.x[x0] == c.y[y0] {
			x0++
			y0++
		}
		for x0 < x1 && y0 < y1 && c.x[x1-1] == c.y[y1-1] {
			x1--
			y1--
		}
		switch {
		case x0 == x1:
			for ; y0 < y1; y0++ {
				c.files[1].changed[c.lineY[y0]+1] = true
			}
			return
		case y0 == y1:
			for ; x0 < x1; x0++ {
				c.files[0].changed[c.lineX[x0]+1] = true
			}
			return
		}
		s, ok := c.middle(x0, x1, y0, y1, exact)
		if !ok {
			return
		}
		c.compare(x0, s.x, y0, s.y, s.exactLow)
		x0, y0, exact = s.x, s.y, s.exactHigh
	}
}

// middle finds a point on a shortest way through the rectangle, or on a short
// one when that costs too much. It is false when ctx has ended.
func (c *comparison) middle(x0, x1, y0, y1 int, exact bool) (split, bool) {
	fd, bd, at := c.forward, c.backward, c.shift
	low, high := x0-y1, x1-y0 // all diagonals
	fStart, bStart := x0-y0, x1-y1
	fMin, fMax, bMin, bMax := fStart, fStart, bStart, bStart
	odd := (fStart-bStart)&1 != 0
	fd[at+fStart], bd[at+bStart] = int32(x0), int32(x1)
	for cost := 1; ; cost++ {
		if c.ctx.Err() != nil {
			return split{}, false
		}
		// One step further forward.
		if fMin > low {
			fMin--
			fd[at+fMin-1] = -1
		} else {
			fMin++
		}
		if fMax < high {
			fMax++
			fd[at+fMax+1] = -1
		} else {
			fMax--
		}
		for d := fMax; d >= fMin; d -= 2 {
			x := max(int(fd[at+d-1])+1, int(fd[at+d+1]))
			y := x - d
			for x < x1 && y < y1 && c.x[x] == c.y[y] {
				x++
				y++
			}
			fd[at+d] = int32(x)
			if odd && bMin <= d && d <= bMax && int(bd[at+d]) <= x {
				return split{x, y, true, true}, true
			}
		}
		// One step further backward.
		if bMin > low {
			bMin--
			bd[at+bMin-1] = 1<<31 - 1
		} else {
			bMin++
		}
		if bMax < high {
			bMax++
			bd[at+bMax+1] = 1<<31 - 1
		} else {
			bMax--
		}
		for d := bMax; d >= bMin; d -= 2 {
			x := min(int(bd[at+d-1]), int(bd[at+d+1])-1)
			y := x - d
			for x0 < x && y0 < y && c.x[x-1] == c.y[y-1] {
				x--
				y--
			}
			bd[at+d] = int32(x)
			if !odd && fMin <= d && d <= fMax && x <= int(fd[at+d]) {
				return split{x, y, true, true}, true
			}
		}
		if !exact && cost >= c.tooExpensive {
			return c.best(x0, x1, y0, y1, fMin, fMax, bMin, bMax), true
		}
	}
}

// best takes the path, of those so far, that has come furthest.
func (c *comparison) best(x0, x1, y0, y1, fMin, fMax, bMin, bMax int) split {
	fSum, fX, bSum, bX := -1, 0, int(^uint(0)>>1), 0
	for d := fMax; d >= fMin; d -= 2 {
		x := min(int(c.forward[c.shift+d]), x1)
		y := x - d
		if y > y1 {
			x, y = y1+d, y1
		}
		if fSum < x+y {
			fSum, fX = x+y, x
		}
	}
	for d := bMax; d >= bMin; d -= 2 {
		x := max(int(c.backward[c.shift+d]), x0)
		y := x - d
		if y < y0 {
			x, y = y0+d, y0
		}
		if x+y < bSum {
			bSum, bX = x+y, x
		}
	}
	if x1+y1-bSum < fSum-(x0+y0) {
		return split{fX, fSum - fX, true, false}
	}
	return split{bX, bSum - bX, false, true}
}

package fmt

import (
	"math"
	"strings"
)

// word is one word of a paragraph, and what is known of a line that begins
// with it.
type word struct {
	text   []byte
	space  int  // blanks behind it
	paren  bool // begins with an opening bracket or quote
	period bool // ends in a full stop, whatever closes behind that
	punct  bool // ends in punctuation
	final  bool // ends a sentence

	cost   int64 // least cost of this line and those below it
	end    int   // number of the word that the next line begins with
	length int   // of this line
}

func (w *word) punctuation() {
	last := w.text[len(w.text)-1]
	w.paren = strings.IndexByte("(['`\"", w.text[0]) >= 0
	w.punct = last > ' ' && last < 0x7f && !(last >= '0' && last <= '9' || last|0x20 >= 'a' && last|0x20 <= 'z')
	end := len(w.text) - 1
	for end > 0 && strings.IndexByte(")]'\"", w.text[end]) >= 0 {
		end--
	}
	w.period = strings.IndexByte(".?!", w.text[end]) >= 0
}

// Costs and bonuses of a line's shape, as squares of what they are worth.
const (
	lineCost      = 70 * 70
	noBreakCost   = 600 * 600
	sentenceBonus = 50 * 50
	punctBonus    = 40 * 40
	parenBonus    = 40 * 40
	widowCost     = 200 * 200
	orphanCost    = 150 * 150
	lineCredit    = 3 * 3
	maxCost       = math.MaxInt64
)

func shortCost(n int) int64  { return int64(n) * 10 * int64(n) * 10 }
func raggedCost(n int) int64 { return shortCost(n) / 2 }

// startCost is what it costs to begin a line with word i.
func (f *formatter) startCost(i int) int64 {
	cost := int64(lineCost)
	if i > 0 {
		switch before := &f.words[i-1]; {
		case before.period && before.final:
			cost -= sentenceBonus
		case before.period:
			cost += noBreakCost
		case before.punct:
			cost -= punctBonus
		case i > 1 && f.words[i-2].final:
			cost += widowCost / int64(len(before.text)+2)
		}
	}
	switch w := &f.words[i]; {
	case w.paren:
		cost -= parenBonus
	case w.final:
		cost += orphanCost / int64(len(w.text)+2)
	}
	return cost
}

// endCost is what a line of a length costs that ends before word i.
func (f *formatter) endCost(i, length int) int64 {
	if i == len(f.words) {
		return 0
	}
	cost := shortCost(f.goal - length)
	if f.words[i].end != len(f.words) {
		cost += raggedCost(length - f.words[i].length)
	}
	return cost
}

// breakLines finds the cheapest way to break the words into lines, from the
// last word backwards.
func (f *formatter) breakLines() {
	for start := len(f.words) - 1; start >= 0; start-- {
		first := &f.words[start]
		best, length := int64(maxCost), f.other
		if start == 0 {
			length = f.first
		}
		length += len(first.text)
		for i := start + 1; ; i++ {
			cost := f.endCost(i, length)
			if i < len(f.words) {
				cost += f.words[i].cost
			}
			if start == 0 && f.lastLength > 0 {
				cost += raggedCost(length - f.lastLength)
			}
			if cost < best {
				best, first.end, first.length = cost, i, length
			}
			if i == len(f.words) {
				break
			}
			if length += f.words[i-1].space + len(f.words[i].text); length >= f.max {
				break
			}
		}
		first.cost = best + f.startCost(start)
	}
}

// splitPoint is where a part of a paragraph is best written alone.
func (f *formatter) splitPoint() int {
	split, best := len(f.words), int64(maxCost)
	for i := f.words[0].end; i != len(f.words); i = f.words[i].end {
		below := int64(0)
		if end := f.words[i].end; end < len(f.words) {
			below = f.words[end].cost
		}
		if cost := f.words[i].cost - below; cost < best {
			split, best = i, cost
		}
		if best <= maxCost-lineCredit {
			best += lineCredit
		}
	}
	return split
}

// write writes the lines up to word end.
func (f *formatter) write(end int) {
	indent := f.first
	for i := 0; i != end; i = f.words[i].end {
		f.writeLine(f.words[i:f.words[i].end], indent)
		indent = f.other
	}
}

func (f *formatter) writeLine(words []word, indent int) {
	f.writeColumn = 0
	f.space(f.prefixAt)
	f.out.WriteString(f.prefix)
	f.writeColumn += len(f.prefix)
	f.space(indent - f.writeColumn)
	for i, w := range words {
		f.out.Write(w.text)
		f.writeColumn += len(w.text)
		if i < len(words)-1 {
			f.space(w.space)
		}
	}
	f.lastLength = f.writeColumn
	f.out.WriteByte('\n')
}

// space writes blanks: tabs where they fit, if the input had any.
func (f *formatter) space(n int) {
	target := f.writeColumn + n
	if stop := target / 8 * 8; f.tabs && f.writeColumn+1 < stop {
		for f.writeColumn < stop {
			f.out.WriteByte('\t')
			f.writeColumn = (f.writeColumn/8 + 1) * 8
		}
	}
	for n := 0; f.writeColumn < target; n++ {
		if n%4096 == 0 && (f.ctx.Err() != nil || f.out.Err() != nil) {
			return
		}
		f.out.WriteByte(' ')
		f.writeColumn++
	}
}

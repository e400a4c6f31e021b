package lineedit

// History is the lines that were entered, oldest first. The zero History is
// ready; it keeps the newest entries within its bounds.
type History struct {
	entries []string
	size    int
}

// The bounds of a History.
const (
	historyEntries = 1000
	historyBytes   = 256 << 10
)

// Add appends a line, unless it is empty or the same as the last one.
func (h *History) Add(line string) {
	if line == "" || len(line) > historyBytes {
		return
	}
	if n := len(h.entries); n > 0 && h.entries[n-1] == line {
		return
	}
	h.entries = append(h.entries, line)
	h.size += len(line)
	for h.size > historyBytes || len(h.entries) > historyEntries {
		h.size -= len(h.entries[0])
		h.entries[0] = ""
		h.entries = h.entries[1:]
	}
}

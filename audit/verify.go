package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Report is what Verify has found.
type Report struct {
	Files   int      `json:"files"`
	Records int      `json:"records"`
	First   Position `json:"first"`
	Last    Position `json:"last"`
	// Notes tells what is no fault but worth knowing: torn records after a
	// crash, lost events, files that were pruned.
	Notes []string `json:"notes,omitempty"`
	// Broken is the first fault, nil when the chain is whole.
	Broken *Fault `json:"broken,omitempty"`
}

// Fault is where a chain breaks.
type Fault struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"` // from 1
	Seq    uint64 `json:"seq,omitempty"`  // of the record there, 0 when it is none
	Reason string `json:"reason"`
}

func (f *Fault) Error() string {
	if f.File == "" {
		return f.Reason
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason)
}

// maxNotes bounds a report.
const maxNotes = 100

// Verify walks the chain over all files of a log: every record must carry its
// own right hash and that of the one before, from the first record there ever
// was, or one that a Pruned record vouches for, to the head. key is that of
// the chain, nil for none. want, when its Seq is not 0, is a position noted
// elsewhere that the log must contain: what a chain alone cannot show is an end
// that was cut off together with its head.
//
// A log that is being written to can be verified: it is read as far as it went
// at the beginning. A last record that is torn, and that the head does not
// know of, is what a crash leaves.
func Verify(ctx context.Context, dir string, key []byte, want Position) (Report, error) {
	list, head, headErr, err := snapshot(dir)
	v := verifier{chain: chain{key}, want: want, head: head}
	if err != nil {
		return v.report, err
	}
	v.report.Files = len(list)
	for _, p := range list {
		if err := v.file(ctx, dir, p); err != nil {
			return v.report, err
		}
		if v.report.Broken != nil {
			return v.report, nil
		}
	}
	v.end(headErr)
	return v.report, nil
}

// verifier stands somewhere in a log.
type verifier struct {
	chain  chain
	report Report
	want   Position
	wanted bool     // want was met
	head   Position // zero when there is none
	// torn is the damage that the next record has to own up to.
	torn    []byte
	tornAt  Fault
	vouched map[Position]bool // by Pruned records
}

func (v *verifier) file(ctx context.Context, dir string, p part) error {
	f, err := os.Open(filepath.Join(dir, p.name))
	if err != nil {
		return err
	}
	defer f.Close()
	return v.read(ctx, p.name, io.LimitReader(f, p.size))
}

// read takes the lines of a file.
func (v *verifier) read(ctx context.Context, name string, in io.Reader) error {
	at := Fault{File: name}
	return scan(in, func(line []byte, whole bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		at.Line++
		if v.report.Broken == nil {
			v.line(at, line, whole)
		}
		return nil
	})
}

func (v *verifier) broken(at Fault, format string, args ...any) {
	at.Reason = fmt.Sprintf(format, args...)
	v.report.Broken = &at
}

func (v *verifier) note(format string, args ...any) {
	if len(v.report.Notes) < maxNotes {
		v.report.Notes = append(v.report.Notes, fmt.Sprintf(format, args...))
	}
}

// line takes the next line.
func (v *verifier) line(at Fault, line []byte, whole bool) {
	r, err := v.chain.open(line)
	at.Seq = r.Seq
	if err != nil {
		// It may be a record that a crash tore; then a Recovered one follows.
		if v.torn == nil {
			v.tornAt = at
			v.tornAt.Reason = err.Error()
		}
		v.torn = append(v.torn, line...)
		if whole {
			v.torn = append(v.torn, '\n')
		}
		if len(v.torn) > 4*maxRecord {
			v.report.Broken = &v.tornAt
		}
		return
	}
	if v.torn != nil && !v.confesses(&r) {
		v.report.Broken = &v.tornAt
		return
	}
	v.torn = nil
	if v.links(at, &r) {
		v.take(at, &r)
	}
}

// confesses reports whether a record tells of the damage before it.
func (v *verifier) confesses(r *Record) bool {
	if r.Kind != Recovered {
		return false
	}
	n, err := strconv.Atoi(r.Detail["torn_bytes"])
	if err != nil || n != len(v.torn) && n != len(v.torn)-1 { // without the newline that was added
		return false
	}
	sum := sha256.Sum256(v.torn[:n])
	return hex.EncodeToString(sum[:]) == r.Detail["torn_sha256"]
}

// links checks that a record follows the last one.
func (v *verifier) links(at Fault, r *Record) bool {
	last := v.report.Last
	switch {
	case v.report.Records == 0:
		v.report.First = Position{r.Seq, r.Hash}
		if r.Seq > 1 {
			v.vouched = map[Position]bool{{r.Seq - 1, r.Prev}: false}
		} else if r.Prev != "" || r.Seq == 0 {
			v.broken(at, "the first record names one before it")
		}
	case r.Seq > last.Seq+1:
		v.broken(at, "records %d to %d are missing", last.Seq+1, r.Seq-1)
	case r.Seq <= last.Seq:
		v.broken(at, "record %d stands after record %d", r.Seq, last.Seq)
	case r.Prev != last.Hash:
		v.broken(at, "record %d does not follow the record before it", r.Seq)
	}
	return v.report.Broken == nil
}

// take counts a record in.
func (v *verifier) take(at Fault, r *Record) {
	v.report.Records++
	p := Position{r.Seq, r.Hash}
	v.report.Last = p
	if v.want.Seq == r.Seq {
		if v.want.Hash != r.Hash {
			v.broken(at, "record %d is not the one that was noted", r.Seq)
		}
		v.wanted = true
	}
	if v.head.Seq == r.Seq && v.head.Hash != r.Hash {
		v.broken(at, "record %d is not the one that the head names", r.Seq)
	}
	switch r.Kind {
	case Recovered:
		v.note("%s:%d: recovered: %s", at.File, at.Line, r.Detail["reason"])
	case Dropped:
		v.note("%s:%d: events were lost: %v", at.File, at.Line, r.Detail)
	case Pruned:
		if r.Through == nil {
			break
		}
		if _, ok := v.vouched[*r.Through]; ok {
			v.vouched[*r.Through] = true
			v.note("%s:%d: the records up to %d were pruned", at.File, at.Line, r.Through.Seq)
		}
	}
}

// end checks what can only be known at the end.
func (v *verifier) end(headErr error) {
	last, head := v.report.Last, v.head
	switch {
	case v.report.Broken != nil:
		return
	case v.torn != nil && (v.torn[len(v.torn)-1] == '\n' || headErr != nil || head.Seq > last.Seq):
		v.report.Broken = &v.tornAt
		return
	case v.report.Records == 0:
		if head.Seq > 0 {
			v.report.Broken = &Fault{Reason: fmt.Sprintf("every file is missing: there were %d records", head.Seq)}
		}
		return
	case headErr != nil:
		v.report.Broken = &Fault{Reason: headErr.Error()}
		return
	case head.Seq > last.Seq:
		v.report.Broken = &Fault{Reason: fmt.Sprintf("records %d to %d are missing at the end", last.Seq+1, head.Seq)}
		return
	}
	if v.torn != nil {
		v.note("%s:%d: the last record is torn", v.tornAt.File, v.tornAt.Line)
	}
	for _, ok := range v.vouched {
		if !ok {
			v.report.Broken = &Fault{Reason: fmt.Sprintf("records 1 to %d are missing", v.report.First.Seq-1)}
			return
		}
	}
	if v.want.Seq != 0 && !v.wanted {
		v.report.Broken = &Fault{Reason: fmt.Sprintf("record %d, which was noted, is missing", v.want.Seq)}
	}
}

package programs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"mirage/internal/unixmode"
	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/shell/programs/datetime"
	"mirage/vfs"
)

// errGzipLink is what opening a link without following it answers.
const errGzipLink = syscall.ELOOP

const errNotExist = syscall.ENOENT

// gzipJob is the work on one file.
type gzipJob struct {
	*gzipRun
	name, target string
	in           io.Reader
	info         vfs.Info // zero for standard input
	size         int64
	mtime        time.Time // for the header; of the header after decompression

	stored  string // name in the header
	bytesIn int64
	out     int64
	header  int64 // bytes of headers and trailers
	crc     uint32
}

// fromStdin tells standard input from a file.
func (j *gzipJob) fromStdin() bool { return j.size < 0 }

// run works on a file that is replaced by its result.
func (j *gzipJob) run() {
	if j.stdout {
		j.work(j.gzipRun.out)
		return
	}
	if j.names > 0 && j.decompress {
		j.restoreName()
	}
	out, ok := j.create()
	if !ok {
		return
	}
	w := stream.NewWriter(out)
	ok = j.work(w)
	if err := w.Flush(); err != nil && ok {
		j.fail(false, "%s: %s", j.target, vfs.Phrase(err))
		ok = false
	}
	if ok && j.sync {
		if err := out.File.Sync(); err != nil {
			j.fail(false, "%s: %s", j.target, vfs.Phrase(err))
			ok = false
		}
	}
	if err := out.Close(); err != nil && ok {
		j.fail(false, "%s: %s", j.target, vfs.Phrase(err))
		ok = false
	}
	path := j.inv.Path(j.target)
	if !ok {
		j.inv.FS.Unlink(j.ctx, path)
		return
	}
	j.keepAttributes(path)
	if !j.keep {
		if err := j.inv.FS.Unlink(j.ctx, j.inv.Path(j.name)); err != nil {
			j.warn("%s: %s", j.name, vfs.Phrase(err))
		}
	}
}

// restoreName takes the name of the result from the header, for -N.
func (j *gzipJob) restoreName() {
	in, err := j.inv.Open(j.ctx, j.name)
	if err != nil {
		return
	}
	defer in.Close()
	name := gzipHeaderName(in)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if name == "" || name == "." || name == ".." {
		return
	}
	j.target = j.target[:strings.LastIndexByte(j.target, '/')+1] + name
}

// create opens the result, which must not be there yet.
func (j *gzipJob) create() (*program.Cursor, bool) {
	path := j.inv.Path(j.target)
	if _, err := j.inv.FS.Lstat(j.ctx, path); err == nil {
		switch {
		case j.force:
			if err := j.inv.FS.Unlink(j.ctx, path); err != nil {
				j.fail(false, "%s: %s", j.target, vfs.Phrase(err))
				return nil, false
			}
		case j.terminalIn:
			if !program.NewPrompter(j.inv).Confirm("gzip: " + j.target + " already exists; do you wish to overwrite (y or n)? ") {
				j.notOverwritten("\tnot overwritten\n")
				return nil, false
			}
			j.inv.FS.Unlink(j.ctx, path)
		default:
			j.notOverwritten("gzip: " + j.target + " already exists;\tnot overwritten\n")
			return nil, false
		}
	}
	f, err := j.inv.FS.Open(j.ctx, path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		j.fail(false, "%s: %s", j.target, vfs.Phrase(err))
		return nil, false
	}
	return &program.Cursor{File: f}, true
}

func (j *gzipJob) notOverwritten(text string) {
	io.WriteString(j.inv.Stderr, text)
	if j.status == 0 {
		j.status = 2
	}
}

// keepAttributes gives the result the mode, the owner and the times of the
// original, or with -N the time of the header.
func (j *gzipJob) keepAttributes(path string) {
	mode := unixmode.FileMode(unixmode.Permissions(j.info.Mode))
	atime, mtime := j.info.AccessTime, j.info.ModTime
	if j.decompress && j.names > 0 && !j.mtime.IsZero() {
		mtime = j.mtime
	}
	if atime.IsZero() {
		atime = mtime
	}
	attr := vfs.Attr{Mode: &mode, UID: &j.info.UID, GID: &j.info.GID, AccessTime: &atime, ModTime: &mtime}
	if err := j.inv.FS.SetAttr(j.ctx, path, attr, true); err != nil {
		j.warn("%s: %s", j.target, vfs.Phrase(err))
	}
}

// work compresses or decompresses to w and tells of it with -v.
func (j *gzipJob) work(w *stream.Writer) bool {
	if j.verbose > 0 && !j.list && !j.fromStdin() {
		fmt.Fprintf(j.inv.Stderr, "%s:\t", j.name)
	}
	if j.list || j.test {
		w = stream.NewWriter(io.Discard)
	}
	var err error
	if j.decompress {
		err = j.decompressTo(w)
	} else {
		err = j.compressTo(w)
	}
	if errors.Is(err, stream.ErrStop) {
		return false // standard output failed, and tells
	}
	if err != nil {
		if j.list && !gzipDataError(err) {
			err = fmt.Errorf("%s", vfs.Phrase(err))
		}
		j.fail(gzipDataError(err), "%s: %s", j.name, gzipPhrase(err))
		return false
	}
	if j.list {
		j.listRow()
		return true
	}
	if j.verbose > 0 {
		j.tell()
	}
	return true
}

// tell is what -v says after the work.
func (j *gzipJob) tell() {
	if j.test {
		io.WriteString(j.inv.Stderr, " OK\n")
		return
	}
	ratio := gzipRatio(j.bytesIn-(j.out-j.header), j.bytesIn)
	if j.fromStdin() {
		if !j.decompress {
			io.WriteString(j.inv.Stderr, ratio+"\n")
		}
		return
	}
	if j.decompress {
		ratio = gzipRatio(j.out-(j.bytesIn-j.header), j.out)
	}
	verb := "replaced with"
	if j.keep {
		verb = "created"
	}
	fmt.Fprintf(j.inv.Stderr, "%s -- %s %s\n", ratio, verb, j.target)
}

func gzipRatio(num, den int64) string {
	if den == 0 {
		return "  0.0%"
	}
	return fmt.Sprintf("%5.1f%%", 100*float64(num)/float64(den))
}

// listRow prints a row of -l.
func (j *gzipJob) listRow() {
	w := j.gzipRun.out
	if j.listed == 0 && !j.quiet {
		if j.verbose > 0 {
			w.WriteString("method  crc     date  time  ")
		}
		w.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	j.listed++
	if j.verbose > 0 {
		date := j.info.ModTime
		if j.names > 0 && !j.mtime.IsZero() || j.fromStdin() {
			date = j.mtime
		}
		fmt.Fprintf(w, "defla %08x %s ", j.crc, datetime.Format("%b %e %H:%M", date.In(j.inv.Location)))
	}
	name := j.target
	if j.names > 0 && j.stored != "" {
		name = j.stored
	}
	fmt.Fprintf(w, "%19d %19d %s %s\n", j.bytesIn, j.out, gzipRatio(j.out-(j.bytesIn-j.header), j.out), name)
	j.totalIn += j.bytesIn
	j.totalOut += j.out
	j.lastHeader = j.header
}

func (g *gzipRun) listTotals() {
	if g.verbose > 0 {
		g.out.WriteString("                            ")
	}
	fmt.Fprintf(g.out, "%19d %19d %s (totals)\n", g.totalIn, g.totalOut, gzipRatio(g.totalOut-(g.totalIn-g.lastHeader), g.totalOut))
}

package programs

import (
	"bufio"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"mirage/shell/program/stream"
	"mirage/vfs"
)

// gzipMagic begins every member.
const gzipMagic = "\x1f\x8b"

// latin1 shows bytes as the characters of Latin-1, in which the header of
// RFC 1952 keeps names; the library wants it so, and bytes stays what it was.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

// rawBytes is the reverse of latin1.
func rawBytes(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// gzipCounter counts what goes through it.
type gzipCounter struct {
	w io.Writer
	n int64
}

func (c *gzipCounter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// gzipInput is the buffer that the decoder takes bytes from, and no more than
// it needs; it knows how many were taken. The decoder is fast on this type.
type gzipInput struct {
	*bufio.Reader
	source *gzipSource
}

// gzipSource counts what is read.
type gzipSource struct {
	r io.Reader
	n int64
}

func (s *gzipSource) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	return n, err
}

func newGzipInput(r io.Reader) gzipInput {
	s := &gzipSource{r: r}
	return gzipInput{bufio.NewReaderSize(s, stream.BufferSize), s}
}

// taken is how many bytes the decoder has had.
func (in gzipInput) taken() int64 { return in.source.n - int64(in.Buffered()) }

// compressTo writes one member.
func (j *gzipJob) compressTo(w *stream.Writer) error {
	out := &gzipCounter{w: w}
	z, err := gzip.NewWriterLevel(out, j.level)
	if err != nil {
		return err
	}
	z.OS = 3 // Unix
	name := ""
	if j.names >= 0 && !j.fromStdin() {
		name = j.name[lastSlash(j.name)+1:]
		z.Name = latin1(name)
	}
	if j.names >= 0 && !j.fromStdin() && j.mtime.Unix() > 0 {
		z.ModTime = j.mtime
	}
	n, readErr, writeErr := stream.Copy(j.ctx, z, j.in)
	j.bytesIn = n
	if readErr != nil {
		return readErr
	}
	if writeErr == nil {
		writeErr = z.Close()
	}
	if writeErr != nil {
		return j.outputError(w, writeErr)
	}
	j.out, j.header = out.n, gzipHeaderSize(name)
	return nil
}

// gzipHeaderSize is the length of a header with a name, and of the trailer.
func gzipHeaderSize(name string) int64 {
	n := int64(10 + 8)
	if name != "" {
		n += int64(len(name)) + 1
	}
	return n
}

func lastSlash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return i
		}
	}
	return -1
}

// outputError tells whose error it is: that of standard output is reported
// where it is closed.
func (j *gzipJob) outputError(w *stream.Writer, err error) error {
	if w == j.gzipRun.out {
		return stream.ErrStop
	}
	return err
}

// decompressTo writes all members, one behind the other.
func (j *gzipJob) decompressTo(w *stream.Writer) error {
	in := newGzipInput(j.in)
	magic, err := in.Peek(2)
	switch {
	case err != nil && err != io.EOF:
		return err
	case len(magic) < 2 && !(j.force && j.stdout):
		return io.ErrUnexpectedEOF
	case string(magic) != gzipMagic && j.force && j.stdout && !j.list && !j.test:
		return j.copyPlain(w, in)
	case string(magic) != gzipMagic:
		return gzip.ErrHeader
	}
	var z *gzip.Reader
	for {
		start := in.taken()
		if z == nil {
			if z, err = gzip.NewReader(in.Reader); err != nil {
				return gzipCut(err)
			}
			j.stored = rawBytes(z.Name)
			j.mtime = z.ModTime
		} else if err := z.Reset(in.Reader); err != nil {
			return gzipCut(err)
		}
		z.Multistream(false)
		j.header += in.taken() - start + 8
		sum := crc32.NewIEEE()
		var to io.Writer = w
		if j.list {
			to = sum
		}
		n, readErr, writeErr := stream.Copy(j.ctx, to, z)
		j.out += n
		j.bytesIn = in.taken()
		if readErr != nil {
			return gzipCut(readErr)
		}
		if writeErr != nil {
			return j.outputError(w, writeErr)
		}
		j.crc = sum.Sum32()
		more, err := j.nextMember(in, w)
		if !more {
			return err
		}
	}
}

// nextMember looks at what follows a member: the next one, nothing, zeros that
// fill a block, or garbage.
func (j *gzipJob) nextMember(in gzipInput, w *stream.Writer) (bool, error) {
	zeros := false
	for {
		next, err := in.Peek(2)
		switch {
		case len(next) == 0 && err == io.EOF:
			return false, nil
		case len(next) == 0:
			return false, err
		case string(next) == gzipMagic && !zeros:
			return true, nil
		case next[0] == 0:
			zeros = true
			in.ReadByte()
			if in.taken()%(64<<10) == 0 && j.ctx.Err() != nil {
				return false, j.ctx.Err()
			}
		default:
			w.Flush()
			if !j.quiet {
				io.WriteString(j.inv.Stderr, "\n")
			}
			j.warn("%s: decompression OK, trailing garbage ignored", j.name)
			return false, nil
		}
	}
}

// copyPlain passes on what is not compressed, for `gzip -cdf`.
func (j *gzipJob) copyPlain(w *stream.Writer, in io.Reader) error {
	n, readErr, writeErr := stream.Copy(j.ctx, w, in)
	j.bytesIn, j.out = n, n
	if writeErr != nil {
		return j.outputError(w, writeErr)
	}
	return readErr
}

// gzipCut is the error of a file that ends too early, whichever way the decoder
// notices it.
func gzipCut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// gzipHeaderName is the name in the header of the first member.
func gzipHeaderName(r io.Reader) string {
	z, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return ""
	}
	return rawBytes(z.Name)
}

// gzipDataError tells an error of the compressed data from one of files.
func gzipDataError(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt)
}

func gzipPhrase(err error) string {
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return "not in gzip format"
	case errors.Is(err, gzip.ErrChecksum):
		return "invalid compressed data--crc error"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected end of file"
	case gzipDataError(err):
		return "invalid compressed data--format violated"
	}
	return vfs.Phrase(err)
}

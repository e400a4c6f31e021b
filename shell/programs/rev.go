package programs

import (
	"context"
	"io"
	"slices"
	"unicode/utf8"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var revSpec = getopt.Spec{
	Name:     "rev",
	Synopsis: []string{"[options] [file ...]"},
	Summary:  "Reverse lines characterwise.",
	Options: []getopt.Option{
		{Short: "h", Name: "h", Help: "display this help"},
		{Short: "V", Name: "V", Help: "display version"},
	},
}

func runRev(ctx context.Context, inv *program.Invocation) int {
	p := revSpec.Parse(inv)
	if p.Next() {
		write := revSpec.WriteHelp
		if p.Opt.Name == "V" {
			write = revSpec.WriteVersion
		}
		if err := write(inv.Stdout, inv.Name); err != nil {
			return inv.WriteError(err)
		}
		return 0
	}
	if p.Stopped {
		return p.Status
	}
	out := stream.Stdout(inv)
	status := 0
	files := p.Operands
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		r, shown := io.ReadCloser(io.NopCloser(inv.Stdin)), "stdin"
		if len(p.Operands) > 0 {
			var err error
			shown = name
			if r, err = inv.Open(ctx, name); err != nil {
				inv.Errorf("cannot open %s: %s", name, vfs.Phrase(err))
				status = 1
				continue
			}
		}
		number, err := revLines(ctx, inv, out, r)
		r.Close()
		if out.Err() != nil {
			break
		}
		if err != nil {
			inv.Errorf("%s: %d: %s", shown, number, vfs.Phrase(err))
			status = 1
		}
	}
	return out.Close(inv, status)
}

// revLines writes the lines of r in reverse. It answers how many there were.
func revLines(ctx context.Context, inv *program.Invocation, out *stream.Writer, r io.Reader) (int, error) {
	utf8Text := inv.UTF8()
	lines := stream.NewLines(r, '\n', inv.Meter())
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return n, ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF || out.Err() != nil {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		text, ended := stream.Chomp(line, '\n')
		slices.Reverse(text)
		if utf8Text {
			revRunes(text)
		}
		out.Write(text)
		if ended {
			out.WriteByte('\n')
		}
	}
}

// revRunes turns the characters of a reversed text, whose bytes stand in
// reverse, the right way round again.
func revRunes(text []byte) {
	for i := 0; i < len(text); {
		n := 1
		for k := 2; k <= utf8.UTFMax && i+k <= len(text) && text[i+k-2]&0xC0 == 0x80; k++ {
			char := slices.Clone(text[i : i+k])
			slices.Reverse(char)
			if r, size := utf8.DecodeRune(char); r != utf8.RuneError && size == k {
				copy(text[i:], char)
				n = k
				break
			}
		}
		i += n
	}
}

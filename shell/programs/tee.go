package programs

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var teeSpec = getopt.Spec{
	Name:     "tee",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary:  "Copy standard input to each FILE, and also to standard output.",
	Options: []getopt.Option{
		{Short: "a", Long: "append", Help: "append to the given FILEs, do not overwrite"},
		{Short: "i", Long: "ignore-interrupts", Help: "ignore interrupt signals"},
		{Short: "p", Help: "operate in a more appropriate MODE with pipes."},
		{Long: "output-error", Arg: getopt.Optional, Meta: "MODE", Help: "set behavior on write error: warn, warn-nopipe,\nexit, exit-nopipe"},
	},
}

// teeOutput is one of the places to write to.
type teeOutput struct {
	w    io.Writer
	name string
	file io.Closer // nil for standard output
}

type tee struct {
	inv     *program.Invocation
	mode    string // of --output-error; "" ends at a broken pipe, as SIGPIPE does
	outputs []teeOutput
	status  int
}

func runTee(ctx context.Context, inv *program.Invocation) int {
	t := &tee{inv: inv}
	flag := os.O_TRUNC
	p := teeSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "a":
			flag = os.O_APPEND
		case "p":
			t.mode = "warn-nopipe"
		case "output-error":
			if !p.Opt.HasValue {
				t.mode = "warn-nopipe"
				continue
			}
			t.mode, _ = p.OneOf("warn", "warn-nopipe", "exit", "exit-nopipe")
		}
	}
	if p.Stopped {
		return p.Status
	}
	t.outputs = []teeOutput{{w: inv.Stdout, name: "standard output"}}
	defer t.close()
	for _, name := range p.Operands {
		f, err := inv.Create(ctx, name, flag)
		if err != nil {
			inv.FileError(name, err)
			t.status = 1
			if t.mode == "exit" || t.mode == "exit-nopipe" {
				return 1
			}
			continue
		}
		t.outputs = append(t.outputs, teeOutput{w: f, name: name, file: f})
	}
	return t.copy(ctx)
}

func (t *tee) copy(ctx context.Context) int {
	buf := make([]byte, stream.BufferSize)
	for ctx.Err() == nil {
		n, err := t.inv.Stdin.Read(buf)
		if n > 0 {
			if status, end := t.write(buf[:n]); end {
				return status
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.inv.Errorf("read error: %s", vfs.Phrase(err))
			t.status = 1
			break
		}
	}
	for _, o := range t.outputs {
		if o.file == nil {
			continue
		}
		if err := o.file.Close(); err != nil {
			t.inv.FileError(o.name, err)
			t.status = 1
		}
	}
	t.outputs = nil
	return t.status
}

// write gives a block to every output that still works. It answers true when
// the run is over.
func (t *tee) write(p []byte) (int, bool) {
	kept := t.outputs[:0:0]
	for _, o := range t.outputs {
		_, err := o.w.Write(p)
		if err == nil {
			kept = append(kept, o)
			continue
		}
		if o.file != nil {
			o.file.Close()
		}
		pipe := errors.Is(err, syscall.EPIPE)
		switch {
		case pipe && t.mode == "":
			return program.SIGPIPEStatus, true
		case pipe && (t.mode == "warn-nopipe" || t.mode == "exit-nopipe"):
			continue
		}
		t.inv.FileError(o.name, err)
		t.status = 1
		if t.mode == "exit" || t.mode == "exit-nopipe" {
			return 1, true
		}
	}
	t.outputs = kept
	return t.status, len(kept) == 0
}

func (t *tee) close() {
	for _, o := range t.outputs {
		if o.file != nil {
			o.file.Close()
		}
	}
}

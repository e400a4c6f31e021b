package programs

import (
	"context"
	"fmt"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var sumSpec = getopt.Spec{
	Name:     "sum",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Print or check BSD (16-bit) checksums.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
	Options: []getopt.Option{
		{Short: "r", Help: "use BSD sum algorithm (the default), use 1K blocks"},
		{Short: "s", Long: "sysv", Help: "use System V sum algorithm, use 512 bytes blocks"},
	},
}

func runSum(ctx context.Context, inv *program.Invocation) int {
	line := sumBSD
	p := sumSpec.Parse(inv)
	for p.Next() {
		if line = sumBSD; p.Opt.Name == "s" {
			line = sumSysV
		}
	}
	if p.Stopped {
		return p.Status
	}
	return sumFiles(ctx, inv, p.Operands, "\n", line)
}

// sumFiles prints what line makes of each file, and its name where it has one.
func sumFiles(ctx context.Context, inv *program.Invocation, files []string, end string, line func(context.Context, io.Reader) (string, error)) int {
	out := stream.Stdout(inv)
	named := len(files) > 0
	status := stream.Inputs(ctx, inv, files, func(name string, r io.Reader) error {
		text, err := line(ctx, r)
		if err != nil {
			return err
		}
		if named {
			text += " " + name
		}
		out.WriteString(text + end)
		if out.Err() != nil {
			return stream.ErrStop
		}
		return nil
	})
	return out.Close(inv, status)
}

// summer is an io.Writer that takes in bytes one by one.
type summer func(p []byte)

func (s summer) Write(p []byte) (int, error) {
	s(p)
	return len(p), nil
}

// sumBSD is the rotating sum of BSD, with the size in KiB.
func sumBSD(ctx context.Context, r io.Reader) (string, error) {
	sum := uint16(0)
	n, err, _ := stream.Copy(ctx, summer(func(p []byte) {
		for _, c := range p {
			sum = sum>>1 + sum<<15 + uint16(c)
		}
	}), r)
	return fmt.Sprintf("%05d %5d", sum, (n+1023)/1024), err
}

// sumSysV is the folded sum of System V, with the size in blocks of 512 bytes.
func sumSysV(ctx context.Context, r io.Reader) (string, error) {
	sum := uint32(0)
	n, err, _ := stream.Copy(ctx, summer(func(p []byte) {
		for _, c := range p {
			sum += uint32(c)
		}
	}), r)
	fold := sum&0xffff + sum>>16
	return fmt.Sprintf("%d %d", fold&0xffff+fold>>16, (n+511)/512), err
}

package programs

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var readlinkSpec = getopt.Spec{
	Name:     "readlink",
	Synopsis: []string{"[OPTION]... FILE..."},
	Summary:  "Print value of a symbolic link or canonical file name",
	Options: []getopt.Option{
		{Short: "f", Long: "canonicalize", Help: "canonicalize by following every symlink in\nevery component of the given name recursively;\nall but the last component must exist"},
		{Short: "e", Long: "canonicalize-existing", Help: "canonicalize by following every symlink in\nevery component of the given name recursively,\nall components must exist"},
		{Short: "m", Long: "canonicalize-missing", Help: "canonicalize by following every symlink in\nevery component of the given name recursively,\nwithout requirements on components existence"},
		{Short: "n", Long: "no-newline", Help: "do not output the trailing delimiter"},
		{Short: "q", Long: "quiet", Help: "suppress most error messages"},
		{Short: "s", Long: "silent", Name: "q", Help: "like -q"},
		{Short: "v", Long: "verbose", Help: "report error messages"},
		{Short: "z", Long: "zero", Help: "end each output line with NUL, not newline"},
	},
}

func runReadlink(ctx context.Context, inv *program.Invocation) int {
	canonicalize, existence := false, program.AllButLast
	noNewline, end := false, byte('\n')
	_, verbose := inv.LookupEnv("POSIXLY_CORRECT")
	p := readlinkSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "f":
			canonicalize, existence = true, program.AllButLast
		case "e":
			canonicalize, existence = true, program.AllExist
		case "m":
			canonicalize, existence = true, program.NoneExist
		case "n":
			noNewline = true
		case "q":
			verbose = false
		case "v":
			verbose = true
		case "z":
			end = 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Missing()
	}
	if noNewline && len(p.Operands) > 1 {
		inv.Errorf("ignoring --no-newline with multiple arguments")
		noNewline = false
	}
	out := stream.Stdout(inv)
	status := 0
	for _, name := range p.Operands {
		var text string
		var err error
		if canonicalize {
			text, err = inv.Canonical(ctx, name, existence, false)
		} else {
			text, err = inv.FS.Readlink(ctx, inv.Path(name))
		}
		if err != nil {
			if verbose {
				inv.FileError(name, err)
			}
			status = 1
			continue
		}
		out.WriteString(text)
		if !noNewline {
			out.WriteByte(end)
		}
	}
	return out.Close(inv, status)
}

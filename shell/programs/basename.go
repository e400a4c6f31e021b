package programs

import (
	"context"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
)

var basenameSpec = getopt.Spec{
	Name:     "basename",
	Synopsis: []string{"NAME [SUFFIX]", "OPTION... NAME..."},
	Summary:  "Print NAME with any leading directory components removed.\nIf specified, also remove a trailing SUFFIX.",
	Options: []getopt.Option{
		{Short: "a", Long: "multiple", Help: "support multiple arguments and treat each as a NAME"},
		{Short: "s", Long: "suffix", Arg: getopt.Required, Meta: "SUFFIX", Help: "remove a trailing SUFFIX; implies -a"},
		{Short: "z", Long: "zero", Help: "end each output line with NUL, not newline"},
	},
	Order: getopt.RequireOrder,
}

func runBasename(ctx context.Context, inv *program.Invocation) int {
	multiple, suffix, end := false, "", byte('\n')
	p := basenameSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "s":
			suffix = p.Opt.Value
			multiple = true
		case "a":
			multiple = true
		case "z":
			end = 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	names := p.Operands
	switch {
	case len(names) == 0:
		return p.Missing()
	case !multiple && len(names) > 2:
		return p.Extra(names[2])
	case !multiple && len(names) == 2:
		names, suffix = names[:1], names[1]
	}
	out := stream.Stdout(inv)
	for _, name := range names {
		base := paths.Base(name)
		if base != suffix && !strings.HasPrefix(base, "/") {
			base = strings.TrimSuffix(base, suffix)
		}
		out.WriteString(base)
		out.WriteByte(end)
		if ctx.Err() != nil {
			return 1
		}
	}
	return out.Close(inv, 0)
}

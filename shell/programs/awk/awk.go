// Package awk is the command awk: POSIX awk with what programs use of gawk
// 5.2. Characters are bytes in every locale.
package awk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/regex"
	"mirage/vfs"
)

// Programs answers awk and gawk.
func Programs() []*program.Program {
	a, g := spec.Program(run), spec.Program(run)
	g.Name = "gawk"
	return []*program.Program{a, g}
}

var spec = getopt.Spec{
	Name:     "awk",
	Synopsis: []string{"[POSIX or GNU style options] -f progfile [--] file ...", "[POSIX or GNU style options] [--] 'program' file ..."},
	Order:    getopt.RequireOrder,
	Hint:     "Usage: %s [POSIX or GNU style options] -f progfile [--] file ...\nUsage: %s [POSIX or GNU style options] [--] 'program' file ...",
	Summary:  "Scan files for patterns and process the lines that match.",
	Options: []getopt.Option{
		{Short: "f", Long: "file", Arg: getopt.Required, Meta: "progfile", Help: "read the program from a file"},
		{Short: "F", Long: "field-separator", Arg: getopt.Required, Meta: "fs", Help: "set FS"},
		{Short: "v", Long: "assign", Arg: getopt.Required, Meta: "var=val", Help: "assign to a variable before BEGIN"},
		{Short: "e", Long: "source", Arg: getopt.Required, Meta: "program-text", Help: "add program text"},
		{Short: "b", Long: "characters-as-bytes", Help: "characters are bytes, as they always are here"},
		{Short: "n", Long: "non-decimal-data", Hidden: true},
		{Short: "r", Long: "re-interval", Help: "regular expressions have intervals, as they always do"},
		{Short: "O", Long: "optimize", Hidden: true},
		{Short: "s", Long: "no-optimize", Hidden: true},
		{Short: "P", Long: "posix", Hidden: true},
		{Short: "c", Long: "traditional", Hidden: true},
		{Short: "S", Long: "sandbox", Help: "no commands and no files but those of the command line"},
		{Short: "V", Long: "version", Help: "output version information and exit"},
		{Short: "h", Name: "help", Hidden: true},
	},
}

// setup is what the command line asks for.
type setup struct {
	sources []*source
	assigns []string
	fs      string
	haveFS  bool
	sandbox bool
}

func run(ctx context.Context, inv *program.Invocation) int {
	s := &setup{}
	p := spec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "f":
			if status := s.addFile(ctx, inv, p.Opt.Value); status != 0 {
				return status
			}
		case "e":
			s.sources = append(s.sources, &source{name: "cmd. line", text: p.Opt.Value, line: 1})
		case "F":
			s.fs, s.haveFS = p.Opt.Value, true
		case "v":
			name, _, ok := strings.Cut(p.Opt.Value, "=")
			if !ok {
				return p.Usage("`%s' argument to `-v' not in `var=value' form", p.Opt.Value)
			}
			if !isName(name) {
				inv.Errorf("fatal: `%s' is not a legal variable name", name)
				return 2
			}
			s.assigns = append(s.assigns, p.Opt.Value)
		case "n", "P", "c":
			inv.Errorf("fatal: option %s is not supported", p.Opt.Flag(&spec))
			return 2
		case "S":
			s.sandbox = true
		case "V":
			spec.WriteVersion(inv.Stdout, inv.Name)
			return 0
		case "help":
			spec.WriteHelp(inv.Stdout, inv.Name)
			return 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	operands := p.Operands
	if len(s.sources) == 0 {
		if len(operands) == 0 {
			return p.Usage("")
		}
		s.sources = []*source{{name: "cmd. line", text: operands[0], line: 1}}
		operands = operands[1:]
	}
	prog, warnings, status := s.parse(inv)
	if prog == nil {
		return status
	}
	in := newInterp(ctx, inv, prog)
	in.warnings = warnings
	in.setUp(operands)
	return in.runSetup(s)
}

// addFile adds a program file.
func (s *setup) addFile(ctx context.Context, inv *program.Invocation, name string) int {
	text, err := readSource(ctx, inv, name)
	if err != nil {
		inv.Errorf("fatal: cannot open source file `%s' for reading: %s", name, vfs.Phrase(err))
		return 2
	}
	s.sources = append(s.sources, &source{name: name, text: text, line: 1})
	return 0
}

func readSource(ctx context.Context, inv *program.Invocation, name string) (string, error) {
	r, err := inv.OpenOperand(ctx, name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := stream.NewHeld(inv).ReadAll(ctx, r)
	return string(text), err
}

// parse parses all sources; without a program the status is to be answered.
func (s *setup) parse(inv *program.Invocation) (*script, []string, int) {
	p := newParser()
	for _, src := range s.sources {
		if err := p.parse(src); err != nil {
			var syntax *syntaxError
			if errors.As(err, &syntax) {
				io.WriteString(inv.Stderr, syntax.message(inv.Name))
				return nil, nil, max(syntax.status, 1)
			}
			inv.Errorf("%s", err)
			return nil, nil, 1
		}
	}
	return p.prog, p.warnings, 0
}

func where(pos position) string { return fmt.Sprintf("%s:%d: ", pos.source.name, pos.line) }

func newInterp(ctx context.Context, inv *program.Invocation, prog *script) *interp {
	in := &interp{
		meter: inv.Meter(),
		ctx:   ctx, inv: inv, name: inv.Name, prog: prog,
		fs: " ", ofs: " ", rs: "\n", ors: "\n", subsep: "\x1c", convfmt: "%.6g", ofmt: "%.6g",
		split: true, joined: true, rlength: -1, errno: text(""),
		fieldSpec: fieldSpec{fpat: "[^[:space:]]+"},
		regexes:   map[string]*regex.Matcher{}, foldRegex: map[string]*regex.Matcher{},
		outputs: map[string]*output{}, inputs: map[string]*inputStream{},
		out: stream.Stdout(inv), random: newRandom(1), seed: 1,
	}
	if inv.Terminal != nil {
		_, _, in.flush = inv.Terminal(1)
	}
	return in
}

// setUp makes the variables that a program finds.
func (in *interp) setUp(operands []string) {
	p := &parser{prog: in.prog}
	argc, argv, environ := p.global("ARGC"), p.global("ARGV"), p.global("ENVIRON")
	in.globals = make([]cell, len(in.prog.globals))
	for i, name := range in.prog.globals {
		in.globals[i].name = name
	}
	in.ranges = make([]bool, in.prog.ranges)
	in.globals[argc].v = number(float64(len(operands) + 1))
	args := &assoc{}
	for i, arg := range append([]string{in.name}, operands...) {
		in.set(args, in.at(args, subscript{isInt: true, n: int64(i)}), input(arg))
	}
	in.globals[argv].arr = args
	env := &assoc{}
	for _, kv := range in.inv.Env {
		name, v, _ := strings.Cut(kv, "=")
		in.set(env, in.at(env, stringSubscript(name)), input(v))
	}
	in.globals[environ].arr = env
	if i, ok := in.prog.globalIndex["PROCINFO"]; ok {
		in.procinfo = &in.globals[i]
		in.procinfo.arr = &assoc{}
		for _, kv := range [][2]string{{"version", "5.2.1"}, {"platform", "posix"}, {"FS", "FS"}, {"strftime", defaultTime}} {
			in.set(in.procinfo.arr, in.at(in.procinfo.arr, subscript{s: kv[0]}), text(kv[1]))
		}
	}
	in.main = mainInput{arg: 1, argv: args, argc: &in.globals[argc]}
}

// runSetup compiles the program, carries out -v and -F, and runs.
func (in *interp) runSetup(s *setup) int {
	in.sandbox = s.sandbox
	if err := in.compile(in.prog); err != nil {
		in.inv.Errorf("%s", err)
		return 2
	}
	for _, w := range in.warnings {
		in.inv.Errorf("%s", w)
	}
	return in.run(func() {
		if s.haveFS {
			fs := s.fs
			if fs == "t" {
				fs = "\t"
			}
			in.setVariable("FS", input(in.commandLineString(fs)))
		}
		for _, a := range s.assigns {
			in.assignment(a)
		}
	})
}

// commandLineString replaces the escapes of a value from the command line.
func (in *interp) commandLineString(s string) string {
	out, unknown := unescapeString(s)
	for _, c := range unknown {
		in.warnf("escape sequence `\\%c' treated as plain `%c'", c, c)
	}
	return out
}

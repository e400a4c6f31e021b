package programs

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var trueSpec = getopt.Spec{
	Name:     "true",
	Synopsis: []string{"[ignored command line arguments]", "OPTION"},
	Summary:  "Exit with a status code indicating success.",
}

var falseSpec = getopt.Spec{
	Name:     "false",
	Synopsis: []string{"[ignored command line arguments]", "OPTION"},
	Summary:  "Exit with a status code indicating failure.",
}

func runTrue(_ context.Context, inv *program.Invocation) int { return trueHelp(&trueSpec, inv, 0) }

func runFalse(_ context.Context, inv *program.Invocation) int { return trueHelp(&falseSpec, inv, 1) }

// trueHelp answers --help and --version, which count only when they stand
// alone, and the status otherwise.
func trueHelp(spec *getopt.Spec, inv *program.Invocation, status int) int {
	if len(inv.Args) != 1 {
		return status
	}
	var err error
	switch inv.Args[0] {
	case "--help":
		err = spec.WriteHelp(inv.Stdout, inv.Name)
	case "--version":
		err = spec.WriteVersion(inv.Stdout, inv.Name)
	}
	if err != nil {
		return inv.WriteError(err)
	}
	return status
}

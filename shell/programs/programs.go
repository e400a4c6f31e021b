// Package programs holds the Unix commands of the shell.
//
// A command is one file named after it: its command line as a getopt.Spec
// (catSpec), its run function (runCat) and its tests beside it. All names of a
// command's file begin with the command's own, since the package has many
// commands; what several commands share lives in the packages below
// shell/program. Larger commands are packages of their own below this one.
package programs

import (
	"slices"

	"mirage/shell/program"
)

// All lists every program.
func All() []*program.Program {
	return slices.Concat(fileProgs(), viewProgs(), textProgs(), miscProgs(), diffProgs(), layoutProgs(), sessionProgs())
}

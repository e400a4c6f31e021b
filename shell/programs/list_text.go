package programs

import (
	"slices"

	"mirage/shell/program"
	"mirage/shell/programs/awk"
	"mirage/shell/programs/cut"
	"mirage/shell/programs/grep"
	"mirage/shell/programs/sed"
	"mirage/shell/programs/tr"
)

// textProgs lists the commands that match and edit text.
func textProgs() []*program.Program {
	return slices.Concat(
		awk.Programs(),
		cut.Programs(),
		grep.Programs(),
		sed.Programs(),
		tr.Programs(),
	)
}

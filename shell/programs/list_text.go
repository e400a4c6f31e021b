package programs

import (
	"slices"

	"mirage/shell/program"
	"mirage/shell/programs/grep"
)

// textProgs lists the commands that match and edit text.
func textProgs() []*program.Program {
	return slices.Concat(
		grep.Programs(),
	)
}

package programs

import (
	"mirage/shell/program"
	"mirage/shell/programs/diff"
)

// diffProgs lists the commands that compare, number and fold lines.
func diffProgs() []*program.Program {
	return []*program.Program{
		diff.Program(),
	}
}

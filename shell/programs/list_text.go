package programs

import "mirage/shell/program"

// textProgs lists the commands that match and edit text.
func textProgs() []*program.Program {
	return []*program.Program{}
}

package programs

import "mirage/shell/program"

// miscProgs lists the commands that sort, count, compute and print.
func miscProgs() []*program.Program {
	return []*program.Program{}
}

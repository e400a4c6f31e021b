package programs

import "mirage/shell/program"

// fileProgs lists the commands about files, directories and processes.
func fileProgs() []*program.Program {
	return []*program.Program{
		catSpec.Program(runCat),
	}
}

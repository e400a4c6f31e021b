package programs

import (
	"mirage/shell/program"
	"mirage/shell/programs/fmt"
	"mirage/shell/programs/od"
	"mirage/shell/programs/split"
)

// layoutProgs lists the commands that lay out, number, split and order lines.
func layoutProgs() []*program.Program {
	return []*program.Program{
		expandSpec().Program(runExpand),
		factorSpec.Program(runFactor),
		fmt.Program(),
		foldSpec().Program(runFold),
		nlSpec.Program(runNl),
		od.Program(),
		revSpec.Program(runRev),
		shufSpec.Program(runShuf),
		split.Program(),
		stringsSpec().Program(runStrings),
		tsortSpec.Program(runTsort),
		unexpandSpec().Program(runUnexpand),
		{Name: "xxd", Synopsis: "[options] [infile [outfile]]", Summary: "Make a hex dump or do the reverse.", Run: runXxd},
	}
}

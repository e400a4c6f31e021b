package programs

import (
	"mirage/shell/program"
	"mirage/shell/programs/tar"
	"mirage/shell/programs/tree"
)

// viewProgs lists the commands that show files and what they take up.
func viewProgs() []*program.Program {
	return []*program.Program{
		cmpSpec.Program(runCmp),
		dfSpec.Program(runDf),
		duSpec.Program(runDu),
		headSpec.Program(runHead),
		idSpec.Program(runId),
		tailSpec.Program(runTail),
		tar.New(),
		tree.New(),
		{Name: "test", Synopsis: "EXPRESSION", Summary: "Check file types and compare values.", Run: runTest},
		{Name: "[", Synopsis: "EXPRESSION ]", Summary: "Check file types and compare values.", Run: runBracket},
	}
}

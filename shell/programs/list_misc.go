package programs

import (
	"slices"

	"mirage/shell/program"
	"mirage/shell/programs/jq"
	"mirage/shell/programs/sort"
)

// miscProgs lists the commands that sort, count, compute and print.
func miscProgs() []*program.Program {
	return slices.Concat(
		base64Progs(),
		checksumProgs(),
		[]*program.Program{
			commSpec.Program(runComm),
			dateSpec.Program(runDate),
			echoSpec.Program(runEcho),
			exprSpec.Program(runExpr),
			joinSpec.Program(runJoin),
			jq.Program(),
			numfmtSpec.Program(runNumfmt),
			pasteSpec.Program(runPaste),
			printfSpec.Program(runPrintf),
			seqSpec.Program(runSeq),
			sort.Program(),
			tacSpec.Program(runTac),
			uniqSpec.Program(runUniq),
			wcSpec.Program(runWc),
			yesSpec.Program(runYes),
		},
	)
}

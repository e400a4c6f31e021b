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
			cksumSpec().Program(runCksum),
			commSpec.Program(runComm),
			dateSpec.Program(runDate),
			echoSpec.Program(runEcho),
			exprSpec.Program(runExpr),
			joinSpec.Program(runJoin),
			jq.Program(),
			md5Spec.Program(runMd5),
			numfmtSpec.Program(runNumfmt),
			pasteSpec.Program(runPaste),
			printfSpec.Program(runPrintf),
			seqSpec.Program(runSeq),
			sort.Program(),
			sumSpec.Program(runSum),
			tacSpec.Program(runTac),
			uniqSpec.Program(runUniq),
			wcSpec.Program(runWc),
			yesSpec.Program(runYes),
		},
	)
}

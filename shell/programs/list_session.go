package programs

import (
	"slices"

	"mirage/shell/program"
)

// sessionProgs lists the commands about owners, links, and what the session
// runs on.
func sessionProgs() []*program.Program {
	return slices.Concat(chownProgs(), factProgs(), []*program.Program{
		groupsSpec.Program(runGroups),
		hostnameSpec.Program(runHostname),
		killProgram(),
		linkSpec.Program(runLink),
		nprocSpec.Program(runNproc),
		printenvSpec.Program(runPrintenv),
		psProgram(),
		syncSpec.Program(runSync),
		ttySpec.Program(runTty),
		unameSpec.Program(runUname),
		unlinkSpec.Program(runUnlink),
	})
}

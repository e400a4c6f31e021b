package programs

import (
	"slices"

	"mirage/shell/program"
	"mirage/shell/programs/find"
	"mirage/shell/programs/ls"
)

// fileProgs lists the commands about files, directories and processes.
func fileProgs() []*program.Program {
	return slices.Concat(ls.Programs(), gzipPrograms(), []*program.Program{
		basenameSpec.Program(runBasename),
		catSpec.Program(runCat),
		chmodSpec.Program(runChmod),
		cpSpec.Program(runCp),
		ddSpec.Program(runDd),
		dirnameSpec.Program(runDirname),
		envSpec.Program(runEnv),
		falseSpec.Program(runFalse),
		find.Program(),
		lnSpec.Program(runLn),
		mkdirSpec.Program(runMkdir),
		mkfifoSpec.Program(runMkfifo),
		mktempSpec.Program(runMktemp),
		mvSpec.Program(runMv),
		niceSpec.Program(runNice),
		nohupSpec.Program(runNohup),
		pwdSpec.Program(runPwd),
		readlinkSpec.Program(runReadlink),
		realpathSpec.Program(runRealpath),
		rmSpec.Program(runRm),
		rmdirSpec.Program(runRmdir),
		sleepSpec.Program(runSleep),
		statSpec.Program(runStat),
		stdbufSpec.Program(runStdbuf),
		teeSpec.Program(runTee),
		timeoutSpec.Program(runTimeout),
		touchSpec.Program(runTouch),
		trueSpec.Program(runTrue),
		truncateSpec.Program(runTruncate),
		{Name: "which", Synopsis: "[-as] args", Summary: "Locate a command.", Run: runWhich},
		whoamiSpec.Program(runWhoami),
		xargsSpec.Program(runXargs),
	})
}

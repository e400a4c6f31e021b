package programs

import (
	"context"
	"strings"

	"mirage/internal/unixmode"
	"mirage/shell/program"
	"mirage/shell/program/stream"
)

// runWhich is debianutils' which: no long options, no message about what is
// not found.
func runWhich(ctx context.Context, inv *program.Invocation) int {
	all, silent := false, false
	args := inv.Args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		for _, c := range arg[1:] {
			switch c {
			case 'a':
				all = true
			case 's':
				silent = true
			default:
				inv.Stderr.Write([]byte("Illegal option -" + string(c) + "\nUsage: " + inv.Name + " [-as] args\n"))
				return 2
			}
		}
	}
	if len(args) == 0 {
		return 1
	}
	out := stream.Stdout(inv)
	status := 0
	for _, name := range args {
		if ctx.Err() != nil {
			return 1
		}
		found := whichFind(ctx, inv, name, all)
		if len(found) == 0 {
			status = 1
		}
		if !silent {
			for _, path := range found {
				out.WriteString(path + "\n")
			}
		}
	}
	return out.Close(inv, status)
}

func whichFind(ctx context.Context, inv *program.Invocation, name string, all bool) []string {
	if name == "" {
		return nil
	}
	if strings.Contains(name, "/") {
		if whichExecutable(ctx, inv, name) {
			return []string{name}
		}
		return nil
	}
	var found []string
	for dir := range strings.SplitSeq(inv.Getenv("PATH"), ":") {
		if dir == "" {
			dir = "."
		}
		path := dir + "/" + name
		if whichExecutable(ctx, inv, path) {
			found = append(found, path)
			if !all {
				break
			}
		}
	}
	return found
}

func whichExecutable(ctx context.Context, inv *program.Invocation, path string) bool {
	info, err := inv.FS.Stat(ctx, inv.Path(path))
	return err == nil && info.IsRegular() && unixmode.Permissions(info.Mode)&0o111 != 0
}

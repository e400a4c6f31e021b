// Package programs holds the Unix commands of the shell, one file each.
package programs

import "mirage/shell/program"

// All lists every program.
func All() []*program.Program { return nil }

package shell

import "mvdan.cc/sh/v3/syntax"

// detachFunctions mends a fault of the parser: it takes the body of a function
// to go on over && || and |, so that `f() { a; } && b` becomes a function of
// both. bash ends the body with its compound command.
func detachFunctions(root syntax.Node) {
	syntax.Walk(root, func(n syntax.Node) bool {
		st, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		fn, ok := st.Cmd.(*syntax.FuncDecl)
		if !ok || fn.Body == nil {
			return true
		}
		list, ok := fn.Body.Cmd.(*syntax.BinaryCmd)
		if !ok {
			return true
		}
		first := list
		for {
			deeper, ok := first.X.Cmd.(*syntax.BinaryCmd)
			if !ok {
				break
			}
			first = deeper
		}
		fn.Body = first.X
		first.X = &syntax.Stmt{Position: st.Position, Cmd: fn, Negated: st.Negated}
		st.Cmd, st.Negated = list, false
		return true
	})
}

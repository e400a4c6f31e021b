package awk

// script is a parsed program.
type script struct {
	begin, end, beginFile, endFile []*rule
	rules                          []*rule
	functions                      []*function
	byName                         map[string]*function
	globals                        []string // names, by index
	globalIndex                    map[string]int
	ranges                         int // range patterns
}

// rule is a pattern with its action.
type rule struct {
	pattern []expr // none, one, or the two of a range
	body    []stmt
	print   bool // there is no action
	index   int  // of a range
	pos     position

	// Both are compiled.
	test   func(*interp) bool
	action func(*interp) signal
}

// function is a user's function.
type function struct {
	name    string
	params  []string
	body    []stmt
	pos     position // of its name, or of the first call while there is none
	defined bool

	// run is the compiled body.
	run func(*interp) signal
}

// scope says where a variable lives.
type scope int

const (
	scopeGlobal scope = iota
	scopeLocal
	scopeSpecial
)

type expr interface{}

type (
	numLit   struct{ n float64 }
	strLit   struct{ s string }
	regexLit struct {
		src string
		pos position
	}
	varRef struct {
		name  string
		scope scope
		index int
	}
	fieldRef struct{ index expr }
	indexRef struct {
		array expr // *varRef or, for arrays of arrays, *indexRef
		subs  []expr
	}
	groupExpr  struct{ list []expr }
	assignExpr struct {
		op       tokenKind // '=' or one of the others
		lhs, rhs expr
	}
	condExpr   struct{ cond, yes, no expr }
	binaryExpr struct {
		op   tokenKind // tokConcat for concatenation
		l, r expr
		pos  position
	}
	unaryExpr struct {
		op tokenKind
		e  expr
	}
	incrExpr struct {
		lhs   expr
		delta float64
		post  bool
	}
	matchExpr struct {
		not  bool
		l, r expr
	}
	inExpr struct {
		subs  []expr
		array expr
	}
	callExpr struct {
		name string
		fn   *function
		args []expr
		pos  position
		// indirect is the variable of @name(...).
		indirect expr
	}
	builtinExpr struct {
		name string
		args []expr
		pos  position
		// parens is unset for length without them.
		parens bool
	}
	getlineExpr struct {
		lhs     expr // nil for $0
		file    expr
		command expr
	}
)

// tokConcat is the operator of concatenation, which has no token.
const tokConcat tokenKind = -1

type stmt interface{}

type (
	exprStmt struct {
		e   expr
		pos position
	}
	printStmt struct {
		args   []expr
		printf bool
		redir  tokenKind // '>', tokAppend, '|', or 0
		dest   expr
		pos    position
	}
	ifStmt struct {
		cond    expr
		yes, no []stmt
		pos     position
	}
	loopStmt struct { // while, for and do
		init, post stmt
		cond       expr
		body       []stmt
		postTest   bool
		pos        position
	}
	forInStmt struct {
		lhs   expr
		array expr
		body  []stmt
		pos   position
	}
	switchStmt struct {
		e     expr
		cases []switchCase
		pos   position
	}
	blockStmt  struct{ body []stmt }
	deleteStmt struct {
		array expr
		subs  []expr // nil for all
		pos   position
	}
	returnStmt struct {
		e   expr
		pos position
	}
	exitStmt struct {
		e   expr
		pos position
	}
	jumpStmt struct {
		sig signal
		pos position
	}
)

type switchCase struct {
	value expr // nil for default
	body  []stmt
}

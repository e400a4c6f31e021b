package awk

// tokenKind is a kind of token; single characters are their own.
type tokenKind int

const (
	tokEOF tokenKind = iota + 256
	tokNewline
	tokNumber
	tokString
	tokRegex
	tokName
	tokFuncName // a name right before a parenthesis
	tokBuiltin
	tokAddAssign
	tokSubAssign
	tokMulAssign
	tokDivAssign
	tokModAssign
	tokPowAssign
	tokEq
	tokNe
	tokLe
	tokGe
	tokAnd
	tokOr
	tokIncr
	tokDecr
	tokAppend
	tokNoMatch
	tokCoprocess
	tokBegin
	tokEnd
	tokBeginFile
	tokEndFile
	tokFunction
	tokIf
	tokElse
	tokWhile
	tokFor
	tokDo
	tokBreak
	tokContinue
	tokNext
	tokNextFile
	tokExit
	tokReturn
	tokDelete
	tokIn
	tokGetline
	tokPrint
	tokPrintf
	tokSwitch
	tokCase
	tokDefault
)

var keywords = map[string]tokenKind{
	"BEGIN": tokBegin, "END": tokEnd, "BEGINFILE": tokBeginFile, "ENDFILE": tokEndFile,
	"function": tokFunction, "func": tokFunction, "if": tokIf, "else": tokElse, "while": tokWhile, "for": tokFor, "do": tokDo,
	"break": tokBreak, "continue": tokContinue, "next": tokNext, "nextfile": tokNextFile, "exit": tokExit, "return": tokReturn,
	"delete": tokDelete, "in": tokIn, "getline": tokGetline, "print": tokPrint, "printf": tokPrintf,
	"switch": tokSwitch, "case": tokCase, "default": tokDefault,
}

// position is a place in the program text.
type position struct {
	source *source
	line   int
	offset int
}

// source is one piece of program text: -f, -e or the first operand.
type source struct {
	name string // "cmd. line", or the file's name
	text string
	line int // number of its first line
}

type token struct {
	kind tokenKind
	text string // of a name, string or regular expression
	num  float64
	pos  position
	// newlineBefore tells whether a newline stands right before the token.
	spaceBefore bool
}

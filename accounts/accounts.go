// Package accounts says who a caller is and what that caller may see.
package accounts

// Caller is a proven identity: a verified token's or a proven key's. The zero
// Caller has no account and sees nothing.
type Caller struct {
	Account string // "" = none
	// All is set for callers that see every workspace: any accepted token in
	// local or token mode, a key without mirage-account there.
	All bool
}

// Sees reports whether the caller may know of something owned by owner ("" =
// unowned).
func (c Caller) Sees(owner string) bool {
	return c.All || (c.Account != "" && c.Account == owner)
}

package workspace

import "context"

// turn is a mutex that can be waited for within a context.
type turn struct{ held chan struct{} }

func newTurn() turn { return turn{make(chan struct{}, 1)} }

func (t turn) Lock()   { t.held <- struct{}{} }
func (t turn) Unlock() { <-t.held }

// LockContext takes the turn, or answers the error of ctx if that ends first.
func (t turn) LockContext(ctx context.Context) error {
	select {
	case t.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) TryLock() bool {
	select {
	case t.held <- struct{}{}:
		return true
	default:
		return false
	}
}

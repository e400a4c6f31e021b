package workspace_test

import (
	"testing"

	"mirage/workspace"
)

// TestMemoryOfAccountsAndServer holds memory in one session while another
// tries: the bounds of its account and of the server count both. What the
// first gives back is there again, and a little is always there.
func TestMemoryOfAccountsAndServer(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		name    string
		budgets workspace.Budgets
		other   string // the workspace of the second session
		fits    bool
	}{
		{"no bound", workspace.Budgets{}, "demo", true},
		{"account", workspace.Budgets{AccountMemory: 8 * mib}, "demo", false},
		{"another account", workspace.Budgets{AccountMemory: 8 * mib}, "other", true},
		{"server", workspace.Budgets{ServerMemory: 8 * mib}, "other", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := budgeted(t, test.budgets)
			demo := s.create(operator, "demo", ramConfig)
			w := demo
			if test.other != "demo" {
				w = s.create(operator, test.other, ramConfig)
			}
			first, err := demo.NewSession(bg, workspace.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			second, err := w.NewSession(bg, workspace.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			const (
				hold = "printf -v x '%800000s'; a=$x$x$x; b=$a; c=$a; d=$a"
				free = "unset x a b c d"
				take = free + "; " + hold + "; echo ${#d}; " + free
			)
			out(t, first, hold)
			res := run(t, second, take)
			if fits := string(res.Stdout) == "2400000\n"; fits != test.fits {
				t.Errorf("while others hold memory: %q, %q", res.Stdout, res.Stderr)
			}
			want(t, "a little", out(t, second, free+"; printf -v x '%900000s'; echo ${#x}"), "900000\n")
			out(t, first, free)
			want(t, "afterwards", out(t, second, take), "2400000\n")
			out(t, first, hold)
			if err := demo.DeleteSession(bg, first.ID()); err != nil {
				t.Fatal(err)
			}
			want(t, "without the session", out(t, second, take), "2400000\n")
		})
	}
}

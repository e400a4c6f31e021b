package accounts

import "testing"

func TestSees(t *testing.T) {
	tests := []struct {
		caller Caller
		owner  string
		want   bool
	}{
		{Caller{}, "", false},
		{Caller{}, "alice", false},
		{Caller{Account: "alice"}, "alice", true},
		{Caller{Account: "alice"}, "bob", false},
		{Caller{Account: "alice"}, "", false},
		{Caller{All: true}, "", true},
		{Caller{All: true}, "alice", true},
		{Caller{Account: "bob", All: true}, "alice", true},
	}
	for _, test := range tests {
		if got := test.caller.Sees(test.owner); got != test.want {
			t.Errorf("%+v sees %q: got %v, want %v", test.caller, test.owner, got, test.want)
		}
	}
}

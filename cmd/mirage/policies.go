package main

import (
	"io"
	"os"

	"mirage/internal/settings"
	"mirage/policy"
	"mirage/policy/script"
)

// policies are the coded policies of this server: they are asked in every
// session, in this order, after the script of its profile. Write one as a
// policy.Hooks and add it here.
var policies []policy.Hooks

// readScript reads a policy script, and no more of a file than one can be.
func readScript(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, script.MaxSource+1))
}

// scriptOptions says how the policy scripts of profiles run.
func scriptOptions(s *settings.Settings) script.Options {
	o := script.Options{}
	if name := s.Get("policy_python").Text; name != "" {
		o.Python = &script.Python{Path: name}
	}
	return o
}

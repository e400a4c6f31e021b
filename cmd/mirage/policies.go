package main

import (
	"mirage/internal/settings"
	"mirage/policy"
	"mirage/policy/script"
)

// policies are the coded policies of this server: they are asked in every
// session, in this order, after the script of its profile. Write one as a
// policy.Hooks and add it here.
var policies []policy.Hooks

// scriptOptions says how the policy scripts of profiles run.
func scriptOptions(s *settings.Settings) script.Options {
	o := script.Options{}
	if name := s.Get("policy_python").Text; name != "" {
		o.Python = &script.Python{Path: name}
	}
	return o
}

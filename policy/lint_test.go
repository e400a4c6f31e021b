package policy

import (
	"fmt"
	"slices"
	"testing"
)

func TestLint(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"{}", nil},
		{"{commands: {deny: [{paths: [/keys]}]}}", nil},
		{"{commands: {deny: [shutdown, {paths: ['/keys/*'], reason: x}], ask: [{paths: ['/keys/pub/*']}]}}", nil},
		{"{commands: {allow: [ls], deny: [rm]}}", []string{"dead profiles.p.commands.deny[0]: never matches: 'rm' is not in commands.allow"}},
		{"{commands: {deny: [git, git push]}}", []string{"dead profiles.p.commands.deny[1]: never matches: profiles.p.commands.deny[0] speaks first"}},
		{"{commands: {deny: [git push, git]}}", nil},
		{"{commands: {deny: [git push], ask: [git push origin]}}", []string{"dead profiles.p.commands.ask[0]: never matches: profiles.p.commands.deny[0] speaks first"}},
		{"{commands: {deny: [{paths: [/a]}], ask: [{paths: [/a]}]}}", []string{"dead profiles.p.commands.ask[0]: never matches: profiles.p.commands.deny[0] speaks first"}},
		{"{commands: {deny: [{paths: [/a]}], ask: [{commands: {cp: [/a]}}]}}", []string{"dead profiles.p.commands.ask[0]: never matches: profiles.p.commands.deny[0] speaks first"}},
		{"{commands: {deny: [git], ask: [{commands: {git: [/deep/er]}}]}}", nil}, // deeper, so it wins
		{"{commands: {deny: [{commands: {sort: [/keys]}}]}}", []string{"hole profiles.p.commands.deny[0]: binds 'sort' alone: other commands, SFTP and HTTP still reach /keys"}},
		{"{commands: {deny: [{commands: {sort: [/keys]}}, {paths: [/keys]}]}}", nil},
		{"{commands: {deny: [wget]}}", []string{"hole profiles.p.commands.deny[0]: 'wget' is denied, but curl can do the same, and so do SFTP and HTTP; deny the paths, or make the mount read-only"}},
		{"{commands: {deny: [wget, curl]}}", nil},
		{"{commands: {allow: [ls, wget], deny: [wget]}}", nil},
		{"{paths: {hide: [/a, /a/b]}}", []string{"dead profiles.p.paths.hide[1]: has no effect: '/a/b' is hidden already by '/a'"}},
		{"{paths: {hide: [/a, /a/b/c], show: [/a/b]}}", nil},
		{"{paths: {hide: [/a/b], show: [/a]}}", []string{"dead profiles.p.paths.show[0]: has no effect: nothing there is hidden"}},
		{"{paths: {hide: [/a], show: [/a]}}", []string{"dead profiles.p.paths.show[0]: has no effect: a hide of the same depth or deeper wins"}},
		{"{paths: {hide: ['*.env'], show: [/a]}}", nil},
		{"{paths: {show: {/a: read}}}", nil}, // lowers the mode
	} {
		var got []string
		for _, f := range profile(t, tt.text).Lint() {
			kind := "dead"
			if f.Hole {
				kind = "hole"
			}
			got = append(got, fmt.Sprintf("%s %s: %s", kind, f.At, f.Text))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

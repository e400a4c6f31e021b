package main

import (
	"context"
	"embed"
	"io/fs"
	"path"
	"strings"

	"mirage/vfs"
)

// demoFiles is what the demo workspace starts with.
//
//go:embed demo
var demoFiles embed.FS

// demoConfig is the demo workspace: one RAM mount, and a profile for agents.
const demoConfig = `
mounts:
  /:
    vfs: ram
    mode: exec
profiles:
  agent:
    paths:
      hide: [/secrets]
    commands:
      deny:
        - reason: agents do not delete
          commands: [rm, rmdir, unlink]
`

// fillDemo writes the demo's files into a tree.
func fillDemo(ctx context.Context, tree *vfs.View) error {
	return fs.WalkDir(demoFiles, "demo", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "demo" {
			return err
		}
		to := strings.TrimPrefix(name, "demo")
		if d.IsDir() {
			return tree.MkdirAll(ctx, to, 0o755)
		}
		data, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Ext(name) == ".sh" {
			mode = 0o755
		}
		return tree.WriteFile(ctx, to, data, mode)
	})
}

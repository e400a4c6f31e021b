package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// step is one command of the tour, run by sh as it is printed.
type step struct {
	title, command string
	// fails marks a command that shows a refusal.
	fails bool
}

// steps is the tour. $D stands for the demo's folder, $U for the API's
// address.
var steps = []step{
	{title: "A workspace is an SSH login", command: `ssh -F $D/ssh_config demo 'ls -l / && cat /README.txt'`},
	{title: "The shell and its commands run inside the server", command: `ssh -F $D/ssh_config demo 'bash /src/report.sh | head -3; grep -c ERROR /logs/*.log'`},
	{title: "Pipes reach it as they reach any other host", command: `printf 'pen\nmonitor\n' | ssh -F $D/ssh_config demo 'grep -F -f - /data/orders.csv | wc -l'`},
	{title: "sftp sees the same files", command: `printf 'put $D/ssh_config /data/uploaded.txt\nls -l /data\n' | sftp -q -F $D/ssh_config -b - demo`},
	{title: "So do programs, over HTTP", command: `curl -s $U/v1/workspaces/demo/shell -H "Authorization: Bearer $(cat $D/auth_token)" -d '{"command": "cut -d, -f5 /data/orders.csv | sort | uniq -c | sort -rn | head -2; wc -l < /data/uploaded.txt"}'`},
	{title: `The profile "agent" hides /secrets ...`, command: `ssh -F $D/ssh_config agent 'ls /; cat /secrets/password.txt'`, fails: true},
	{title: "... and refuses a whole line that would delete", command: `ssh -F $D/ssh_config agent 'echo start; rm -r /data'`, fails: true},
}

// tour runs the steps, each command printed before its output.
func (d *demo) tour(ctx context.Context) error {
	fill := strings.NewReplacer("$D", d.dir, "$U", "http://"+d.http.Addr().String())
	for i, s := range steps {
		command := fill.Replace(s.command)
		d.say("%d. %s\n\n$ %s\n", i+1, s.title, command)
		if err := d.sh(ctx, command); (err != nil) != s.fails {
			if err == nil {
				err = fmt.Errorf("it succeeded")
			}
			return fmt.Errorf("the tour went wrong at step %d (%s): %w", i+1, s.title, err)
		}
		d.say("\n")
	}
	return nil
}

// sh runs a command of the tour with the host's sh.
func (d *demo) sh(ctx context.Context, command string) error {
	c := exec.CommandContext(ctx, "sh", "-c", command)
	// The clients use the demo's folder only, never the user's ~/.ssh.
	home, err := filepath.Abs(d.dir)
	if err != nil {
		return err
	}
	c.Env = append(os.Environ(), "HOME="+home)
	c.Stdout, c.Stderr = d.stdout, d.stdout
	return c.Run()
}

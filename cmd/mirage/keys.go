package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mirage/internal/settings"
	"mirage/keys"
)

func newKeys(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "keys",
		Short: "Say which SSH keys may log in",
		Long: `Add, list and remove keys in the server's authorized_keys file (the setting
ssh_authorized_keys). The server reads it at each login, so a change needs no
restart.`,
	}
	c.AddCommand(newKeysAdd(e),
		&cobra.Command{
			Use: "list", Short: "List the keys and the lines that were refused", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				name, err := keysFile(e)
				if err != nil {
					return err
				}
				list, err := keys.List(name)
				if err != nil {
					return err
				}
				for _, problem := range list.Refused {
					fmt.Fprintf(e.stderr, "mirage: %s: %v\n", name, problem)
				}
				return printKeys(e, list.Keys)
			},
		},
		&cobra.Command{
			Use: "remove FINGERPRINT|COMMENT", Short: "Remove a key", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				name, err := keysFile(e)
				if err != nil {
					return err
				}
				removed, err := keys.Remove(name, func(k keys.Key) bool {
					return k.Fingerprint() == args[0] || k.Comment == args[0]
				})
				if err != nil {
					return err
				}
				if len(removed) == 0 {
					return fmt.Errorf("%s: no key with the fingerprint or comment '%s'", name, args[0])
				}
				for _, k := range removed {
					noteAct(e, "key.delete", keyEvent(k))
				}
				return printKeys(e, removed)
			},
		},
	)
	return c
}

func keysFile(e env) (string, error) {
	s, err := settings.Load(e.getenv)
	if err != nil {
		return "", &exitError{code: 2, err: err}
	}
	return authorizedKeys(s, e.getenv), nil
}

func newKeysAdd(e env) *cobra.Command {
	var o struct {
		account, profile, command string
		from                      []string
		noPTY                     bool
	}
	c := &cobra.Command{
		Use:   "add FILE.pub",
		Short: "Let a key log in",
		Long: `Let a public key log in ("-" reads standard input). The flags become options of
the key, which the server enforces and a client cannot change.`,
		Example: `  mirage keys add ~/.ssh/id_ed25519.pub
  mirage keys add agent.pub --profile guarded --from 10.0.0.0/8`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			line, err := readLine(e, args[0])
			if err != nil {
				return err
			}
			var options []string
			for _, opt := range []struct{ name, value string }{
				{"mirage-account", o.account}, {"mirage-profile", o.profile},
				{"command", o.command}, {"from", strings.Join(o.from, ",")},
			} {
				if opt.value != "" {
					options = append(options, keys.Option(opt.name, opt.value))
				}
			}
			if o.noPTY {
				options = append(options, "no-pty")
			}
			if len(options) > 0 {
				line = strings.Join(options, ",") + " " + line
			}
			name, err := keysFile(e)
			if err != nil {
				return err
			}
			key, err := keys.Add(name, line)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			noteAct(e, "key.create", keyEvent(key))
			return printKeys(e, []keys.Key{key})
		},
	}
	f := c.Flags()
	f.StringVar(&o.account, "account", "", "the account that the key belongs to: it opens only that account's workspaces")
	f.StringVar(&o.profile, "profile", "", "the profile that the key's sessions run under")
	f.StringVar(&o.command, "force-command", "", "run this line whatever the client asks for")
	f.StringSliceVar(&o.from, "from", nil, "addresses that may use the key: patterns, CIDR, !negation")
	f.BoolVar(&o.noPTY, "no-pty", false, "refuse terminals")
	return c
}

// readLine reads a public key file, which holds one line.
func readLine(e env, name string) (string, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = io.ReadAll(io.LimitReader(e.stdin, 1<<20))
	} else {
		text, err = os.ReadFile(name)
	}
	return strings.TrimSpace(string(text)), err
}

// keyRow is a key as the CLI shows it.
type keyRow struct {
	Line        int    `json:"line"`
	Type        string `json:"type"`
	Fingerprint string `json:"fingerprint"`
	Comment     string `json:"comment"`
	Account     string `json:"account,omitempty"`
	Profile     string `json:"profile,omitempty"`
}

func printKeys(e env, list []keys.Key) error {
	out := make([]keyRow, 0, len(list))
	rows := [][]string{{"LINE", "TYPE", "FINGERPRINT", "ACCOUNT", "PROFILE", "COMMENT"}}
	for _, k := range list {
		row := keyRow{k.Line, k.PublicKey.Type(), k.Fingerprint(), k.Comment, k.Options.Account, k.Options.Profile}
		out = append(out, row)
		rows = append(rows, []string{fmt.Sprint(row.Line), row.Type, row.Fingerprint, row.Account, row.Profile, row.Comment})
	}
	return e.show(out, func(w io.Writer) { table(w, rows...) })
}

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mirage/internal/settings"
)

func newConfig(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show and change the settings in config.toml",
		Long: `Show and change the settings in config.toml of the home folder (MIRAGE_HOME,
~/.mirage by default). A variable MIRAGE_NAME of the environment wins over the
key name of the file; an empty one counts as unset. Every setting stands in the
table [daemon] of the file, where "mirage config set" puts it. A server reads its
settings when it starts.

Settings:
` + settingsHelp(),
		Example: `  mirage config set ssh_port 2222
  mirage config list --resolved`,
	}
	c.AddCommand(newConfigList(e),
		&cobra.Command{
			Use: "get KEY", Short: "Print a setting of the file or the environment", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				s, k, err := lookup(e, args[0])
				if err != nil {
					return err
				}
				v := s.Get(k.Name)
				if !v.Set {
					return fmt.Errorf("%s is not set", k.Name)
				}
				fmt.Fprintln(e.stdout, masked(v))
				return nil
			},
		},
		&cobra.Command{
			Use: "set KEY VALUE", Short: "Write a setting to the file", Args: cobra.ExactArgs(2),
			RunE: func(_ *cobra.Command, args []string) error {
				file, err := configFile(e)
				if err != nil {
					return err
				}
				if err := settings.Set(file, args[0], args[1]); err != nil {
					return &exitError{code: 2, err: err}
				}
				noteAct(e, "config.set", settingEvent(args[0], args[1]))
				return nil
			},
		},
		&cobra.Command{
			Use: "unset KEY", Short: "Remove a setting from the file", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				file, err := configFile(e)
				if err != nil {
					return err
				}
				if err := settings.Unset(file, args[0]); err != nil {
					return err
				}
				noteAct(e, "config.unset", settingEvent(args[0], ""))
				return nil
			},
		},
	)
	return c
}

// settingsHelp says of every setting what it is, its name and default before it.
func settingsHelp() string {
	var b strings.Builder
	for _, k := range settings.Keys {
		switch {
		case k.Unsupported:
		case k.Default == "":
			fmt.Fprintf(&b, "  %s\n      %s\n", k.Name, k.Help)
		default:
			fmt.Fprintf(&b, "  %s (%s)\n      %s\n", k.Name, k.Default, k.Help)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func configFile(e env) (string, error) {
	home, err := settings.Home(e.getenv)
	return home + "/config.toml", err
}

func lookup(e env, name string) (*settings.Settings, settings.Key, error) {
	k, ok := settings.Lookup(name)
	if !ok || k.Unsupported {
		return nil, k, usageError("unknown config key: '%s'; see `mirage config --help`", name)
	}
	s, err := settings.Load(e.getenv)
	if err != nil {
		return nil, k, &exitError{code: 2, err: err}
	}
	return s, k, nil
}

func masked(v settings.Value) string {
	if v.Secret && v.Text != "" {
		return "***"
	}
	return v.Text
}

func newConfigList(e env) *cobra.Command {
	var resolved bool
	c := &cobra.Command{
		Use: "list", Short: "List the settings", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := settings.Load(e.getenv)
			if err != nil {
				return &exitError{code: 2, err: err}
			}
			out := map[string]any{}
			rows := [][]string{{"KEY", "VALUE", "ORIGIN"}}
			for _, k := range settings.Keys {
				v := s.Get(k.Name)
				if k.Unsupported || !resolved && v.Origin != "file" {
					continue
				}
				rows = append(rows, []string{k.Name, masked(v), v.Origin})
				out[k.Name] = map[string]string{"value": masked(v), "origin": v.Origin}
			}
			return e.show(out, func(w io.Writer) { table(w, rows...) })
		},
	}
	c.Flags().BoolVar(&resolved, "resolved", false, "with the environment and the defaults")
	return c
}

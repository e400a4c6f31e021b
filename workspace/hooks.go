package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"syscall"

	"mirage/policy"
	"mirage/policy/script"
	"mirage/vfs"
)

// scriptPolicy names the scripts of profiles in refusals and questions.
const scriptPolicy = "ScriptPolicy"

// readScripts reads the policy scripts of the profiles. A script that cannot
// be used is an error of a configuration that is new; one that has been stored
// refuses everything to its profile's sessions, so that the others can work.
func (m *Manager) readScripts(cfg *Config, stored bool) (map[string]*script.Script, map[string]policy.Hooks, error) {
	scripts, hooks := map[string]*script.Script{}, map[string]policy.Hooks{}
	for name, p := range cfg.profiles {
		if p.Script == nil {
			continue
		}
		h, s, err := m.readScript(name, p.Script)
		switch {
		case err == nil:
			scripts[name] = s
		case stored:
			h = brokenScript(name, err)
			m.log.Error("policy script refuses everything", "profile", name, "error", err)
		default:
			closeScripts(scripts)
			return nil, nil, errorf(Invalid, "config_invalid", "%s", p.Script.At.Errorf("%s", err))
		}
		hooks[name] = h
	}
	return scripts, hooks, nil
}

func closeScripts(scripts map[string]*script.Script) {
	for _, s := range scripts {
		_ = s.Close()
	}
}

func (m *Manager) readScript(name string, ref *policy.Script) (policy.Hooks, *script.Script, error) {
	if m.readFile == nil {
		return policy.Hooks{}, nil, errors.New("policy scripts are not switched on")
	}
	source, err := m.readFile(ref.Path)
	if err != nil {
		return policy.Hooks{}, nil, err
	}
	s, err := script.Load(name, ref.Runtime, path.Base(ref.Path), source, m.scripts)
	if err != nil {
		return policy.Hooks{}, nil, err
	}
	sum := sha256.Sum256(append([]byte(ref.Runtime+"\x00"), source...))
	return scriptHooks(s, hex.EncodeToString(sum[:])), s, nil
}

// brokenScript stands for a script that cannot be used.
func brokenScript(profile string, err error) policy.Hooks {
	no := policy.Verdict{Outcome: policy.Deny, Reason: fmt.Sprintf("profile '%s' policy failed: %s", profile, reasonOf(err))}
	return policy.Hooks{
		Name: scriptPolicy, ID: "broken",
		PreCommand: func(context.Context, *policy.CommandCall) policy.Verdict { return no },
		PreVFS:     func(context.Context, *policy.FileCall) policy.Verdict { return no },
		PreSession: func(context.Context, *policy.WriteCall) policy.Verdict { return no },
	}
}

// reasonOf words an error for whoever is logged in, who learns no path of the
// host.
func reasonOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return "the script cannot be read"
	}
	return "the script cannot be loaded"
}

// scriptHooks makes a script a coded policy.
func scriptHooks(s *script.Script, id string) policy.Hooks {
	h := policy.Hooks{Name: scriptPolicy, ID: id}
	verdict := func(a script.Answer) policy.Verdict {
		switch a.Kind {
		case script.None:
			return policy.Verdict{}
		case script.Ask:
			return policy.Verdict{Outcome: policy.Ask, Reason: a.Reason}
		}
		return policy.Verdict{Outcome: policy.Deny, Reason: a.Reason}
	}
	if s.Defines(script.PreCommand) {
		h.PreCommand = func(ctx context.Context, c *policy.CommandCall) policy.Verdict {
			return verdict(s.Call(ctx, script.PreCommand, c, c.Files))
		}
	}
	if s.Defines(script.PreVFS) {
		h.PreVFS = func(ctx context.Context, c *policy.FileCall) policy.Verdict {
			return verdict(s.Call(ctx, script.PreVFS, c, c.Files))
		}
	}
	if s.Defines(script.PreSession) {
		h.PreSession = func(ctx context.Context, c *policy.WriteCall) policy.Verdict {
			return verdict(s.Call(ctx, script.PreSession, c, c.Files))
		}
	}
	return h
}

// hooks asks the coded policies of a session.
type hooks struct {
	list    []policy.Hooks
	profile string
	s       *Session
	mounts  []string
}

// hooksFor answers the coded policies that a profile brings, then the
// server's; nil when there are none.
func (s *Session) hooksFor(p *policy.Profile) *hooks {
	list := s.w.m.policies
	name := ""
	if p != nil {
		name = p.Name
		if h, ok := s.w.hooks[name]; ok {
			list = append([]policy.Hooks{h}, list...)
		}
	}
	if len(list) == 0 {
		return nil
	}
	h := &hooks{list: list, profile: name, s: s}
	for _, mount := range s.w.cfg.mounts {
		h.mounts = append(h.mounts, mount.prefix)
	}
	slices.Sort(h.mounts)
	return h
}

// files is what the policies may read: the tree under the session's rules.
func (h *hooks) files() policy.Files { return hookFiles{vfs.NewView(h.s.w.ns, h.s.guard)} }

// command asks about a command that the rules do not refuse.
func (h *hooks) command(ctx context.Context, c policy.Command, a policy.Answer) policy.Answer {
	if h == nil || a.Outcome != policy.Allow && a.Outcome != policy.Ask || len(c.Argv) == 0 || c.Cwd == "" || slices.Contains(c.Unknown, true) {
		return a
	}
	facts := policy.Facts(c)
	return a.With(policy.AskHooks(ctx, h.list, func(x *policy.Hooks) func(context.Context, *policy.CommandCall) policy.Verdict { return x.PreCommand },
		func() *policy.CommandCall {
			return &policy.CommandCall{
				Profile: h.profile, Command: facts, Mounts: h.mounts, Files: h.files(),
				Session: policy.SessionFacts{ID: h.s.id, Agent: h.s.agent, Cwd: c.Cwd},
			}
		}, facts.Program[0], true))
}

// file asks about a call on a file that the rules do not refuse.
func (h *hooks) file(ctx context.Context, a vfs.Access, answer policy.Answer) policy.Answer {
	if h == nil || answer.Outcome != policy.Allow && answer.Outcome != policy.Ask || a.Op == vfs.OpTraverse {
		return answer
	}
	return answer.With(policy.AskHooks(ctx, h.list, func(x *policy.Hooks) func(context.Context, *policy.FileCall) policy.Verdict { return x.PreVFS },
		func() *policy.FileCall {
			return &policy.FileCall{
				Profile: h.profile, Mounts: h.mounts, Files: h.files(), Session: policy.SessionFacts{ID: h.s.id, Agent: h.s.agent},
				Op: policy.FileFacts{Name: string(a.Op), Path: a.Path, Write: a.Write, Prefix: a.Mount},
			}
		}, "file\x00"+a.Path, true))
}

// write asks about a change of a variable.
func (h *hooks) write(ctx context.Context, name string, value *string) policy.Answer {
	if h == nil {
		return policy.Answer{}
	}
	return policy.AskHooks(ctx, h.list, func(x *policy.Hooks) func(context.Context, *policy.WriteCall) policy.Verdict { return x.PreSession },
		func() *policy.WriteCall {
			w := policy.WriteFacts{Plane: "env", Verb: "set", Key: name, Value: value}
			if value == nil {
				w.Verb = "unset"
			}
			return &policy.WriteCall{Profile: h.profile, Write: w, Mounts: h.mounts, Files: h.files(), Session: policy.SessionFacts{ID: h.s.id, Agent: h.s.agent}}
		}, "variable\x00"+name, false)
}

// line asks about a line that is about to run.
func (h *hooks) line(ctx context.Context, text string) policy.Answer {
	if h == nil {
		return policy.Answer{}
	}
	return policy.AskHooks(ctx, h.list, func(x *policy.Hooks) func(context.Context, *policy.LineCall) policy.Verdict { return x.PreExecute },
		func() *policy.LineCall {
			return &policy.LineCall{
				Profile: h.profile, Line: text, Mounts: h.mounts, Files: h.files(),
				Session: policy.SessionFacts{ID: h.s.id, Agent: h.s.agent, Cwd: h.s.Cwd()},
			}
		}, "line", false)
}

// hookFiles is the tree as coded policies see it.
type hookFiles struct{ view *vfs.View }

// ReadFile implements policy.Files.
func (f hookFiles) ReadFile(ctx context.Context, name string) ([]byte, error) {
	return f.view.ReadFile(ctx, name, script.MaxFile)
}

// Stat implements policy.Files.
func (f hookFiles) Stat(ctx context.Context, name string) (size int64, dir bool, err error) {
	info, err := f.view.Stat(ctx, name)
	return info.Size, info.IsDir(), err
}

// ReadDir implements policy.Files.
func (f hookFiles) ReadDir(ctx context.Context, name string) ([]string, error) {
	list, err := f.view.ReadDir(ctx, name)
	names := make([]string, len(list))
	for i, info := range list {
		names[i] = info.Name
	}
	return names, err
}

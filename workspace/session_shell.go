package workspace

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"mirage/policy"
	"mirage/shell"
)

// shell brings the shell to life. turn is held.
func (s *Session) shell() (*shell.Shell, error) {
	if s.sh != nil {
		return s.sh, nil
	}
	sh, err := s.newShell()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.sh = sh
	s.mu.Unlock()
	return sh, nil
}

// newShell makes the shell, of a named session as the last line left it.
func (s *Session) newShell() (*shell.Shell, error) {
	cfg := s.config()
	if s.ephemeral {
		return shell.New(cfg), nil
	}
	rec, err := s.load()
	if err != nil {
		return nil, err
	}
	if rec.State == nil {
		return shell.New(cfg), nil
	}
	var st shell.State
	err = json.Unmarshal(rec.State, &st)
	var sh *shell.Shell
	if err == nil {
		sh, err = shell.Restore(cfg, st)
	}
	if err != nil {
		return nil, errorf(Failed, "session_unreadable", "session cannot be restored: %s", err)
	}
	s.saved = rec.State
	return sh, nil
}

// config is what the shell of the session is made with.
func (s *Session) config() shell.Config {
	cfg := shell.Config{
		View:     s.view,
		Programs: s.w.m.programs,
		User:     s.w.user(),
		Hostname: hostname,
		Now:      s.w.m.now,
		Environ:  s.environ(),
		Dir:      s.startDir(),
		History:  s.commands,
		Panicked: s.panicked,
		Limits:   shell.Limits{Memory: s.w.m.budgets.SessionMemory},
		Memory:   s.w.used.memory,
	}
	if s.guard != nil || s.w.m.budgets.Session.CPUPerHour != nil || s.w.m.budgets.Account.CPUPerHour != nil {
		cfg.Measure = s.measure
	}
	if s.guard != nil { // a nil Judge is the quick way to say yes
		cfg.Judge = s.guard
	}
	if s.guard != nil {
		cfg.Processes = func() policy.Processes { return s.profile().Processes() }
	}
	if s.guard != nil || s.w.cfg.limited() {
		cfg.Limit = s.limit
	}
	return cfg
}

// panicked logs a panic that the shell has recovered from.
func (s *Session) panicked(v any, stack []byte) {
	s.w.m.log.Error("shell panicked", "workspace", s.w.id, "session", s.id, "panic", v, "stack", string(stack))
}

func (s *Session) startDir() string {
	if p := s.profile(); p != nil && p.Cwd != "" {
		return p.Cwd
	}
	return "/"
}

// profile is the session's profile now, nil for none.
func (s *Session) profile() *policy.Profile {
	if s.guard == nil {
		return nil
	}
	return s.guard.rules.Load().profile
}

// hostname is what every workspace calls its machine.
const hostname = "mirage"

// user is the name that whoami shows.
func (w *Workspace) user() string {
	if w.cfg.defaultAgent != "" {
		return w.cfg.defaultAgent
	}
	return w.id
}

// environ seeds a new shell: the login environment, then the workspace's
// `env`, then the session's, then the profile's, which nobody overrides.
func (s *Session) environ() []string {
	env := map[string]string{
		"HOME":    "/",
		"PATH":    "/usr/bin:/bin",
		"SHELL":   "/bin/bash",
		"USER":    s.w.user(),
		"LOGNAME": s.w.user(),
	}
	maps.Copy(env, s.w.cfg.env)
	maps.Copy(env, s.rec.Env)
	if p := s.profile(); p != nil {
		maps.Copy(env, p.Env)
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// between runs fn with the shell unless a line runs now.
func (s *Session) between(fn func(*shell.Shell)) {
	if s.broken != nil || !s.turn.TryLock() {
		return
	}
	defer s.turn.Unlock()
	if s.isClosed() {
		return
	}
	if sh, err := s.shell(); err == nil {
		fn(sh)
	}
}

// Getenv reads a shell variable between lines; "" while a line runs.
func (s *Session) Getenv(name string) (value string) {
	s.between(func(sh *shell.Shell) { value = sh.Getenv(name) })
	return value
}

// Prompt answers a prompt variable; see shell.Shell.Prompt. It is not set
// while a line runs.
func (s *Session) Prompt(ctx context.Context, name string) (text string, set bool) {
	s.between(func(sh *shell.Shell) { text, set = sh.Prompt(ctx, name) })
	return text, set
}

// Incomplete is the shell's, for line editors; false while a line runs.
func (s *Session) Incomplete(source string) (more bool) {
	s.between(func(sh *shell.Shell) { more = sh.Incomplete(source) })
	return more
}

// Complete answers completions; see shell.Shell.Complete. There are none
// while a line runs.
func (s *Session) Complete(ctx context.Context, source string) (start int, words []string) {
	start = len(source)
	s.between(func(sh *shell.Shell) { start, words = sh.Complete(ctx, source) })
	return start, words
}

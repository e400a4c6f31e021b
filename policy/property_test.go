package policy

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"mirage/internal/doc"
)

// plainRule is a rule as the reference knows it: the words of the document.
type plainRule struct {
	deny    bool
	mount   string
	command string // "" = any
	entry   string // "" = a rule without paths
	reason  string
}

// covers says in regular expressions what an entry covers, and how deep it is
// anchored.
func (r *plainRule) covers(p string) (bool, int) {
	entry := r.entry
	if !strings.HasPrefix(entry, "/") {
		name := regexp.MustCompile("^" + asRegexp(entry) + "$")
		if r.mount != "" && !strings.HasPrefix(p, r.mount+"/") {
			return false, 0
		}
		inside := strings.TrimPrefix(p, r.mount)
		return slices.ContainsFunc(strings.Split(inside, "/")[1:], name.MatchString), strings.Count(r.mount, "/")
	}
	return regexp.MustCompile("^" + asRegexp(entry) + "(/.*)?$").MatchString(p), len(anchored(entry))
}

// anchored answers the literal components that an entry begins with.
func anchored(entry string) []string {
	var list []string
	for _, c := range strings.Split(entry, "/")[1:] {
		if strings.ContainsAny(c, "*?[") {
			break
		}
		list = append(list, c)
	}
	return list
}

func asRegexp(glob string) string {
	return strings.NewReplacer(".", `\.`, "*", ".*", "?", ".").Replace(glob)
}

// held reports whether the entry is anchored in the tree of a directory.
func (r *plainRule) held(dir string) (bool, int) {
	root := r.mount
	if strings.HasPrefix(r.entry, "/") {
		root = "/" + strings.Join(anchored(r.entry), "/")
	}
	exact := strings.HasPrefix(r.entry, "/") && !strings.ContainsAny(r.entry, "*?[")
	in := len(root) > 1 && (strings.HasPrefix(root, dir+"/") || root == dir && !exact)
	return in, strings.Count(strings.TrimSuffix(root, "/"), "/")
}

// reference decides a command on absolute paths by listing, at each path, all
// rules that speak, and sorting them.
func reference(rules []plainRule, command, cwd string, paths []string) (Outcome, []string) {
	type vote struct {
		depth, order int
		rule         *plainRule
	}
	var denials []vote
	asks := map[string]bool{}
	for _, p := range paths {
		var votes []vote
		for i := range rules {
			r := &rules[i]
			if r.command != "" && r.command != command {
				continue
			}
			if r.entry == "" {
				inside := func(q string) bool { return strings.HasPrefix(q+"/", r.mount+"/") }
				if r.mount == "" || inside(cwd) || slices.ContainsFunc(paths, inside) {
					votes = append(votes, vote{0, i, r})
				}
				continue
			}
			if ok, d := r.covers(p); ok {
				votes = append(votes, vote{d, i, r})
			} else if ok, d := r.held(p); ok && command == "rm" {
				votes = append(votes, vote{d, i, r})
			}
		}
		if len(votes) == 0 {
			continue
		}
		sort.Slice(votes, func(i, j int) bool {
			a, b := votes[i], votes[j]
			if a.depth != b.depth {
				return a.depth > b.depth
			}
			if a.rule.deny != b.rule.deny {
				return a.rule.deny
			}
			return a.order < b.order
		})
		if votes[0].rule.deny {
			denials = append(denials, votes[0])
		} else {
			asks[votes[0].rule.reason] = true
		}
	}
	if len(denials) > 0 {
		sort.SliceStable(denials, func(i, j int) bool { return denials[i].depth > denials[j].depth })
		return Deny, []string{denials[0].rule.reason}
	}
	var reasons []string
	for reason := range asks {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	if len(reasons) > 0 {
		return Ask, reasons
	}
	return Allow, nil
}

// TestAgainstReference draws profiles and commands and compares the judge with
// a slow reading of the same rules.
func TestAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	path := func() string {
		p := ""
		for range 1 + rng.IntN(4) {
			p += "/" + pick("a", "b", "c.d", "ab")
		}
		return p
	}
	outcomes := map[Outcome]int{}
	for round := range 500 {
		var rules []plainRule
		sections := map[string]map[string][]any{"": {}, "/a": {}}
		for _, mount := range []string{"/a", ""} {
			for _, verb := range []string{"deny", "ask"} {
				for range rng.IntN(3) {
					r := plainRule{deny: verb == "deny", mount: mount, reason: fmt.Sprint("r", len(rules))}
					r.command = pick("", "rm", "cat")
					if r.command == "" || rng.IntN(4) > 0 {
						r.entry = pick(mount+path(), mount+path(), mount+path()+"*", mount+"/*"+path(), mount+path()+"/?", "*.d", "a*", "?")
					}
					item := map[string]any{"reason": r.reason}
					switch {
					case r.command == "":
						item["paths"] = []any{r.entry}
					case r.entry == "":
						item["commands"] = []any{r.command}
					default:
						item["commands"] = map[string]any{r.command: []any{r.entry}}
					}
					sections[mount][verb] = append(sections[mount][verb], item)
					rules = append(rules, r)
				}
			}
		}
		commands := func(mount string) map[string]any {
			m := map[string]any{}
			for verb, items := range sections[mount] {
				m[verb] = items
			}
			return m
		}
		p, err := ParseProfile("p", doc.Node{Value: map[string]any{
			"commands": commands(""), "mounts": map[string]any{"/a": map[string]any{"commands": commands("/a")}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			command, cwd, paths := pick("rm", "cat", "tee"), path(), []string{path()}
			for range rng.IntN(3) {
				paths = append(paths, path())
			}
			a := p.Command(t.Context(), Command{Argv: append([]string{command}, paths...), Cwd: cwd})
			var got []string
			for _, q := range a.Asks {
				got = append(got, q.Reason)
			}
			slices.Sort(got)
			if a.Outcome == Deny {
				got = []string{a.Reason}
			}
			want, reasons := reference(rules, command, cwd, paths)
			outcomes[want]++
			if a.Outcome != want || !slices.Equal(got, reasons) {
				t.Fatalf("round %d: %s %v in %s\nrules %+v\ngot %v %q, want %v %q", round, command, paths, cwd, rules, a.Outcome, got, want, reasons)
			}
		}
	}
	for _, o := range []Outcome{Allow, Deny, Ask} {
		if outcomes[o] < 200 {
			t.Errorf("outcome %v was drawn %d times only", o, outcomes[o])
		}
	}
}

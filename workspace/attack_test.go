package workspace_test

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"mirage/shell/programs"
	"mirage/vfs"
	"mirage/workspace"
)

// mark is the text of every file that the attacker may not read, inner the
// name of a file that the attacker may not know of.
const (
	report = "REPORTED" // what only sort may not read
	mark   = "TOPSECRET"
	inner  = "inn3r-name"
)

const attackConfig = `
mounts:
  /: {vfs: ram}
  /ro: {vfs: ram}
profiles:
  guarded:
    mounts: {/ro: read}
    paths: {hide: [/hidden, "*.env"]}
    vars: {hide: [TOKEN, "AWS_*"]}
    env: {TOKEN: TOPSECRET, AWS_KEY: TOPSECRET}
    commands:
      deny:
        - {reason: sealed, paths: ["/vault/*"]}
        - {reason: no deletes, commands: [rm]}
        - {reason: no sorting of reports, commands: {sort: ["/reports/*"]}}
`

// attackTree is what the workspace holds; free files have no mark.
var attackTree = map[string]string{
	"/vault/k": mark + "\n", "/vault/d/deep": mark + "\n", "/hidden/h": mark + "\n", "/hidden/" + inner: mark + "\n",
	"/app/prod.env": mark + "\n", "/app/main.sh": "echo app\n", "/ro/f": "fixed\n", "/open/f": "free\n", "/reports/r": report + "\n",
}

type attack struct {
	t *testing.T
	w *workspace.Workspace
}

func newAttack(t *testing.T) *attack {
	t.Helper()
	server := newServer(t)
	a := &attack{t, server.create(operator, "demo", attackConfig)}
	for name := range attackTree {
		a.make(name)
	}
	return a
}

func (a *attack) make(name string) {
	a.t.Helper()
	if err := a.w.Unruled().MkdirAll(bg, path.Dir(name), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := a.w.Unruled().WriteFile(bg, name, []byte(attackTree[name]), 0o644); err != nil {
		a.t.Fatal(err)
	}
	// The same time whenever it is made: listings are compared.
	at := time.Unix(1_700_000_000, 0)
	for _, made := range []string{name, path.Dir(name)} {
		if err := a.w.Unruled().SetAttr(bg, made, vfs.Attr{ModTime: &at}, false); err != nil {
			a.t.Fatal(err)
		}
	}
}

// reset brings back what attempts may change.
func (a *attack) reset() {
	a.t.Helper()
	list, err := a.w.Unruled().ReadDir(bg, "/")
	if err != nil {
		a.t.Fatal(err)
	}
	for _, info := range list {
		switch info.Name {
		case "vault", "hidden", "ro":
		default:
			if err := a.w.Unruled().RemoveAll(bg, "/"+info.Name); err != nil {
				a.t.Fatal(err)
			}
		}
	}
	list, _ = a.w.Unruled().ReadDir(bg, "/tmp")
	for _, info := range list {
		if err := a.w.Unruled().RemoveAll(bg, "/tmp/"+info.Name); err != nil {
			a.t.Fatal(err)
		}
	}
	for _, name := range []string{"/app/prod.env", "/app/main.sh", "/open/f", "/reports/r"} {
		a.make(name)
	}
}

// guardedFiles answers what no attempt may change, as text.
func (a *attack) guardedFiles() string {
	var b strings.Builder
	var walk func(dir string)
	walk = func(dir string) {
		list, err := a.w.Unruled().ReadDir(bg, dir)
		if err != nil {
			fmt.Fprintln(&b, dir, err)
			return
		}
		for _, info := range list {
			name := path.Join(dir, info.Name)
			data := ""
			if info.Mode.Type() == fs.ModeDir {
				walk(name)
			} else if text, err := a.w.Unruled().ReadFile(bg, name, 1<<20); err == nil {
				data = string(text)
			}
			fmt.Fprintf(&b, "%s %v %d %q %s\n", name, info.Mode, info.ModTime.UnixNano(), data, info.Target)
		}
	}
	for _, dir := range []string{"/vault", "/hidden", "/ro"} {
		walk(dir)
	}
	// It may be moved or removed with its folder, but not changed.
	if text, err := a.w.Unruled().ReadFile(bg, "/app/prod.env", 1<<20); err == nil && string(text) != mark+"\n" {
		fmt.Fprintf(&b, "/app/prod.env %q\n", text)
	}
	return b.String()
}

// try runs a line under the rules, in a session of its own.
func (a *attack) try(line, stdin string) workspace.Result {
	a.t.Helper()
	a.reset()
	s, err := a.w.NewSession(bg, workspace.SessionOptions{Profile: "guarded", Ephemeral: true})
	if err != nil {
		a.t.Fatal(err)
	}
	defer s.Close(bg)
	ctx, cancel := context.WithTimeout(bg, 10*time.Second)
	defer cancel()
	res, err := s.Run(ctx, workspace.Line{Command: line, Stdin: strings.NewReader(stdin)})
	if err != nil || ctx.Err() != nil {
		a.t.Errorf("%s: %v, %v", line, err, ctx.Err())
	}
	return res
}

// fails tries a line and reports what it got hold of or changed.
func (a *attack) fails(line, stdin string) workspace.Result {
	a.t.Helper()
	before := a.guardedFiles()
	res := a.try(line, stdin)
	out := string(res.Stdout) + string(res.Stderr)
	if strings.Contains(line, "sort") && strings.Contains(out, report) {
		a.t.Errorf("%s: sorted the report: %q", line, out)
	}
	for _, secret := range []string{mark, inner, reverse(mark), strings.ToLower(mark), "VE9QU0VDUkVU", "544f50534543524554"} {
		if strings.Contains(out, secret) && !strings.Contains(line, secret) {
			a.t.Errorf("%s: got %q", line, out)
		}
	}
	if after := a.guardedFiles(); after != before {
		a.t.Errorf("%s: changed\n%s\nto\n%s", line, before, after)
	}
	return res
}

func reverse(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// usesOfFiles tells for each program how it reads (%s) and changes a file. A
// program that can do neither has an empty row; a new program needs one.
var usesOfFiles = map[string]struct{ reads, changes []string }{
	"[":        {reads: []string{"[ -e %s ]", "[ %s -nt /open/f ]"}},
	"awk":      {reads: []string{"awk 1 %s", "awk 'BEGIN { while ((getline l < \"%s\") > 0) print l }'", "awk 'BEGIN { \"cat %s\" | getline l; print l }'", "awk 'BEGIN { system(\"cat %s\") }'", "awk -f %s /open/f", "awk '{ print }' v=1 %s"}, changes: []string{"awk 'BEGIN { print 1 > \"%s\" }'", "awk 'BEGIN { print 1 >> \"%s\" }'", "awk 'BEGIN { print 1 | \"tee %s\" }'"}},
	"base32":   {reads: []string{"base32 %s"}},
	"base64":   {reads: []string{"base64 %s", "base64 < %s"}},
	"b2sum":    {reads: []string{"b2sum %s", "echo 'x  %s' | b2sum -c"}},
	"basename": {},
	"cat":      {reads: []string{"cat %s", "cat -A /open/f %s", "cat < %s", "cat /dev/fd/3 3< %s", "cat <(cat %s)"}},
	"chmod":    {changes: []string{"chmod 777 %s", "chmod --reference=%s /open/f"}},
	"cmp":      {reads: []string{"cmp -l %s /open/f", "cmp /open/f %s"}},
	"comm":     {reads: []string{"comm %s /open/f", "comm /open/f %s"}},
	"cp":       {reads: []string{"cp %s /tmp/c && cat /tmp/c", "cp -r $(dirname %s) /tmp/c; cat /tmp/c/* /tmp/c/*/*", "cp -l %s /tmp/c; cat /tmp/c", "cp -s %s /tmp/c; cat /tmp/c", "cp -t /tmp %s; cat /tmp/*"}, changes: []string{"cp /open/f %s", "cp -f --remove-destination /open/f %s", "cp -p /open/f %s", "cp -t $(dirname %s) /open/f"}},
	"cut":      {reads: []string{"cut -c1-99 %s"}},
	"date":     {reads: []string{"date -f %s", "date -r %s"}},
	"df":       {reads: []string{"df %s"}},
	"diff":     {reads: []string{"diff %s /open/f", "diff -r $(dirname %s) /open", "diff --from-file=%s /open/f", "diff /dev/null %s"}},
	"dir":      {reads: []string{"dir -l %s"}},
	"dirname":  {},
	"du":       {reads: []string{"du -a %s", "du --files0-from=%s"}},
	"echo":     {reads: []string{"echo $(< %s)", "echo %s*"}, changes: []string{"echo x > %s", "echo x >> %s", "echo x >| %s", "echo x <> %s >&0", "echo x &> %s"}},
	"egrep":    {reads: []string{"egrep . %s"}},
	"env":      {reads: []string{"env cat %s", "env -S 'cat %s'", "env -C $(dirname %s) cat $(basename %s)"}},
	"expand":   {reads: []string{"expand %s"}},
	"expr":     {},
	"factor":   {reads: []string{"factor < %s"}},
	"false":    {},
	"fgrep":    {reads: []string{"fgrep T %s", "fgrep -f %s /open/f"}},
	"find":     {reads: []string{"find %s -exec cat {} ';'", "find %s -exec cat {} +", "find / -path '*k' -exec cat {} ';'", "find / -type f -exec grep -H . {} +", "find / -newer %s", "find / -samefile %s -exec cat {} ';'", "find %s -printf '%%f\n' -exec head {} ';'"}, changes: []string{"find %s -delete", "find %s -fprint %s", "find /open -fprintf %s x", "find / -exec truncate -s0 {} +"}},
	"fold":     {reads: []string{"fold %s"}},
	"gawk":     {reads: []string{"gawk 1 %s"}},
	"grep":     {reads: []string{"grep . %s", "grep -r . /", "grep -f %s /open/f", "grep -c . %s", "grep -R . /vault /hidden /app", "grep --exclude-from=%s . /open/f"}},
	"gunzip":   {reads: []string{"gunzip -c %s"}},
	"gzip":     {reads: []string{"gzip -c %s | gunzip", "gzip -c < %s | gunzip"}, changes: []string{"gzip -f %s"}},
	"head":     {reads: []string{"head %s", "head -c 99 %s"}},
	"id":       {},
	"join":     {reads: []string{"join %s %s", "join -a1 %s /open/f"}},
	"jq":       {reads: []string{"jq -R . %s", "jq -n --rawfile x %s '$x'", "jq -n --slurpfile x %s '$x'", "jq -nR '[inputs]' %s", "jq -f %s /open/f", "jq -n 'input' %s"}},
	"ln":       {reads: []string{"ln %s /tmp/l; cat /tmp/l", "ln -s %s /tmp/l; cat /tmp/l", "ln -s $(dirname %s) /tmp/l; cat /tmp/l/$(basename %s)", "ln -P %s /tmp/l; head /tmp/l", "ln -s / /tmp/r; cat /tmp/r/%s"}, changes: []string{"ln -sf /open/f %s", "ln -f /open/f %s", "ln -s %s /tmp/w; echo x > /tmp/w"}},
	"ls":       {reads: []string{"ls -laR %s", "ls -l /app", "ls -la / /hidden", "ls -d /hid*", "ls -i %s"}},
	"md5sum":   {reads: []string{"md5sum %s", "md5sum -c %s"}},
	"mkdir":    {changes: []string{"mkdir %s/x", "mkdir -p $(dirname %s)/new/er"}},
	"mktemp":   {changes: []string{"mktemp -p $(dirname %s) xXXXX", "mktemp $(dirname %s)/xXXXX"}},
	"mv":       {reads: []string{"mv %s /tmp/m; cat /tmp/m", "mv $(dirname %s) /tmp/m; cat /tmp/m/*"}, changes: []string{"mv %s /tmp/m", "mv /open/f %s", "mv $(dirname %s) /tmp/m", "mv -f /open $(dirname %s)", "mv -t $(dirname %s) /open/f"}},
	"nl":       {reads: []string{"nl %s"}},
	"numfmt":   {reads: []string{"numfmt < %s"}},
	"paste":    {reads: []string{"paste %s", "paste -s - < %s"}},
	"printf":   {reads: []string{"printf %%s \"$(< %s)\""}, changes: []string{"printf x > %s"}},
	"pwd":      {reads: []string{"cd $(dirname %s) && pwd && cat $(basename %s)"}},
	"readlink": {reads: []string{"readlink -f %s", "ln -s %s /tmp/q; readlink -e /tmp/q && cat /tmp/q"}},
	"realpath": {reads: []string{"realpath %s", "realpath -e %s && cat $(realpath %s)"}},
	"rev":      {reads: []string{"rev %s"}},
	"rm":       {changes: []string{"rm -f %s", "rm -rf $(dirname %s)", "rm -rf /"}},
	"rmdir":    {changes: []string{"rmdir $(dirname %s)", "rmdir -p %s"}},
	"sed":      {reads: []string{"sed p %s", "sed 'r %s' /open/f", "sed -f %s /open/f", "sed 'R %s' /open/f", "sed '1e cat %s' /open/f", "sed -s p /open/f %s", "sed -n '$=' %s && sed p %s"}, changes: []string{"sed -i s/./x/ %s", "sed 'w %s' /open/f", "sed -n 's/f/g/w %s' /open/f", "sed -i.bak s/./x/ %s"}},
	"seq":      {changes: []string{"seq 3 > %s"}},
	"sha1sum":  {reads: []string{"sha1sum %s"}}, "sha224sum": {reads: []string{"sha224sum %s"}}, "sha256sum": {reads: []string{"sha256sum %s"}},
	"sha384sum": {reads: []string{"sha384sum %s"}}, "sha512sum": {reads: []string{"sha512sum %s"}},
	"sleep":    {},
	"sort":     {reads: []string{"sort %s", "sort -m %s /open/f", "sort --files0-from=%s", "sort -c %s /open/f", "sort -R --random-source=%s /open/f", "sort -T $(dirname %s) /open/f"}, changes: []string{"sort -o %s /open/f", "sort /open/f --output=%s"}},
	"stat":     {reads: []string{"stat %s", "stat -f %s", "stat -c '%%n %%s' /hidden/*"}},
	"tac":      {reads: []string{"tac %s"}},
	"tail":     {reads: []string{"tail %s", "tail -c +1 %s", "timeout 0.1 tail -f %s", "timeout 0.1 tail -F %s"}},
	"tar":      {reads: []string{"tar cf - %s | tar xOf -", "tar cf - -C $(dirname %s) . | tar xOf -", "tar cf - -T <(echo %s) | tar tf -", "tar xf %s", "tar cf - -X %s /open", "tar cf - / | tar xOf -"}, changes: []string{"tar cf %s /open", "cd /; tar cf - open/f | tar xf - -C $(dirname %s)", "cd /open && cp f k && tar cf - k | tar xf - -C /vault"}},
	"tee":      {changes: []string{"echo x | tee %s", "echo x | tee -a %s", "echo x | tee /tmp/t %s"}},
	"test":     {reads: []string{"test -s %s", "test %s -ef /open/f"}},
	"timeout":  {reads: []string{"timeout 5 cat %s"}, changes: []string{"timeout 5 tee %s < /open/f"}},
	"touch":    {reads: []string{"touch -r %s /tmp/t"}, changes: []string{"touch %s", "touch -d 2001-01-01 %s", "touch -c %s", "touch $(dirname %s)/new"}},
	"tr":       {reads: []string{"tr a a < %s"}},
	"tree":     {reads: []string{"tree -a /", "tree %s", "tree -l /"}, changes: []string{"tree -o %s /open"}},
	"true":     {reads: []string{"true < %s"}, changes: []string{"true > %s"}},
	"truncate": {reads: []string{"truncate -r %s /tmp/t"}, changes: []string{"truncate -s 0 %s", "truncate -s +1 %s"}},
	"tsort":    {reads: []string{"tsort %s"}},
	"unexpand": {reads: []string{"unexpand %s"}},
	"uniq":     {reads: []string{"uniq %s"}, changes: []string{"uniq /open/f %s"}},
	"vdir":     {reads: []string{"vdir %s"}},
	"wc":       {reads: []string{"wc %s", "wc --files0-from=%s", "printf '%s\\0' | wc --files0-from=-"}},
	"which":    {reads: []string{"which %s"}},
	"whoami":   {},
	"xargs":    {reads: []string{"echo %s | xargs cat", "xargs -a %s echo", "echo %s | xargs -I{} sh -c 'cat {}'", "echo %s | xargs -n1 -P2 head"}, changes: []string{"echo %s | xargs truncate -s0", "echo %s | xargs -I{} sh -c 'echo x > {}'"}},
	"yes":      {changes: []string{"timeout 0.1 yes > %s"}},
	"zcat":     {reads: []string{"zcat -f %s"}},
	"sum":      {reads: []string{"sum %s"}}, "cksum": {reads: []string{"cksum %s", "cksum -a md5 %s", "cksum -c %s"}}, "md5": {reads: []string{"md5 %s"}}, "od": {reads: []string{"od -c %s", "od -An -tx1 %s"}},
	"basenc": {reads: []string{"basenc --base16 %s"}}, "fmt": {reads: []string{"fmt %s"}}, "shuf": {reads: []string{"shuf %s", "shuf --random-source=%s -e a b"}, changes: []string{"shuf -e a -o %s"}},
	"split": {reads: []string{"split %s /tmp/x; cat /tmp/x*", "split --filter='cat' %s"}, changes: []string{"split -l1 /open/f $(dirname %s)/x"}}, "csplit": {reads: []string{"csplit -f /tmp/x %s 1; cat /tmp/x*"}, changes: []string{"csplit -f $(dirname %s)/x /open/f 1"}},
	"pr": {reads: []string{"pr %s"}}, "ptx": {reads: []string{"ptx %s", "ptx -o %s /open/f"}, changes: []string{"ptx -G /open/f %s"}}, "column": {reads: []string{"column %s"}}, "look": {reads: []string{"look T %s"}},
	"dircolors": {reads: []string{"dircolors %s"}}, "link": {reads: []string{"link %s /tmp/l; cat /tmp/l"}, changes: []string{"link /open/f %s"}}, "unlink": {changes: []string{"unlink %s"}},
	"chown": {changes: []string{"chown 1 %s", "chown --reference=%s /open/f", "chown -R 1 /"}}, "chgrp": {changes: []string{"chgrp 1 %s", "chgrp -R 1 /"}}, "install": {reads: []string{"install %s /tmp/i; cat /tmp/i"}, changes: []string{"install /open/f %s", "install -d %s/x"}},
	"pathchk": {reads: []string{"pathchk %s"}}, "shred": {changes: []string{"shred %s", "shred -u %s", "shred --random-source=%s /tmp/x"}}, "sync": {reads: []string{"sync %s", "sync -f %s"}}, "tty": {}, "nproc": {}, "printenv": {}, "ps": {}, "kill": {},
	"nice": {reads: []string{"nice cat %s"}, changes: []string{"nice tee %s < /open/f"}}, "nohup": {reads: []string{"nohup cat %s"}}, "stdbuf": {reads: []string{"stdbuf -o0 cat %s"}}, "hostid": {}, "hostname": {reads: []string{"hostname -F %s"}},
	"logname": {}, "groups": {}, "uname": {}, "arch": {}, "users": {reads: []string{"users %s"}}, "mkfifo": {changes: []string{"mkfifo $(dirname %s)/p"}},
	"dd": {reads: []string{"dd if=%s", "dd < %s"}, changes: []string{"dd if=/open/f of=%s", "dd if=/open/f of=%s conv=notrunc"}}, "strings": {reads: []string{"strings %s"}}, "xxd": {reads: []string{"xxd %s", "xxd -p %s"}, changes: []string{"xxd /open/f %s", "xxd -r /open/f %s"}},
	"hexdump": {reads: []string{"hexdump -C %s"}}, "dos2unix": {reads: []string{"dos2unix < %s", "dos2unix -n %s /tmp/d; cat /tmp/d"}, changes: []string{"dos2unix %s", "dos2unix -n /open/f %s"}}, "unix2dos": {changes: []string{"unix2dos %s", "unix2dos -n /open/f %s"}},
	"the shell itself": {
		reads: []string{
			"source %s", ". %s", "bash %s", "bash < %s", "sh -c '. %s'", "read x < %s; echo \"$x\"", "mapfile a < %s; echo \"${a[@]}\"", "while read l; do echo $l; done < %s",
			"echo \"$(cat %s)\"", "x=`cat %s`; echo $x", "exec 5< %s; cat <&5", "cat 0< %s", "c\\at %s", "'cat' %s", "\"c\"at %s", "$'\\143at' %s", "c=cat; $c %s", "eval cat %s", "eval 'c=cat; $c %s'",
			"alias x=cat; shopt -s expand_aliases; x %s", "f() { cat \"$@\"; }; f %s", "command cat %s", "builtin source %s", "exec cat %s", "(cat %s)", "{ cat %s; }", "cat %s &\nwait", "! cat %s",
			"if cat %s; then :; fi", "for f in %s; do cat $f; done", "case x in x) cat %s;; esac", "coproc cat %s; cat <&${COPROC[0]}", "cat <<< \"$(cat %s)\"", "cat <<E\n$(cat %s)\nE", "[[ $(cat %s) ]] && echo yes",
			"trap 'cat %s' EXIT", "bash -c 'cat %s'", "bash -c 'exec cat \"$0\"' %s", "env bash -c 'cat %s'", "cd $(dirname %s); cat *", "cd / ; cat .%s", "cat /open/..%s", "cat //%s", "cat /./%s", "cat ~/../%s",
			"cat {,/x}%s", "p=%s; cat ${p}", "p=%s; cat \"${p%%/*}\"/*", "set -- %s; cat \"$1\"", "cat $(echo %s)", "cat `echo %s`", "IFS=,; p=cat,%s; $p", "printf -v p %%s %s; cat \"$p\"", "declare -n r=q; q=%s; cat $r",
			"a=(cat %s); \"${a[@]}\"", "history -r %s; history", "pushd $(dirname %s); cat *", "CDPATH=$(dirname %s); cat *", "BASH_ENV=%s bash -c :", "ENV=%s sh -c :", "HISTFILE=%s; history -r; history", "hash -p %s q; q", "%s", "PATH=$(dirname %s); k",
			"select x in $(cat %s); do break; done < /open/f", "time cat %s", "enable -f %s x", "help %s", "type -a %s", "set -x; cat %s", "compgen -f %s", "test -e %s && cat %s", "let x=$(cat %s)", "echo $(( $(wc -c < %s) + 1 )) > /dev/null; cat %s",
		},
		changes: []string{"> %s", ": > %s", "exec > %s; echo x", "set -C; echo x > %s", "history -w %s", "history -a %s", "echo x | cat > %s", "cat > %s < /open/f", "{ echo x; } > %s", "HISTFILE=%s; history -w", "coproc { echo x; } > %s", "f() { echo x; } > %s; f"},
	},
}

// Every registered program has a row, and no row lets a guarded file be read,
// learnt of or changed.
func TestNoProgramReachesGuardedFiles(t *testing.T) {
	for _, p := range programs.All() {
		if _, ok := usesOfFiles[p.Name]; !ok {
			t.Errorf("%s has no row in usesOfFiles: tell how it reads and changes files", p.Name)
		}
	}
	a := newAttack(t)
	tries := 0
	for name, row := range usesOfFiles {
		for _, target := range []string{"/vault/k", "/vault/d/deep", "/hidden/h", "/app/prod.env"} {
			for _, template := range append(append([]string{}, row.reads...), row.changes...) {
				a.fails(fill(template, target), "")
				tries++
			}
		}
		for _, template := range row.changes {
			if name != "the shell itself" || !strings.Contains(template, "HISTFILE") {
				a.fails(fill(template, "/ro/f"), "")
				tries++
			}
		}
	}
	if tries < 1000 {
		t.Errorf("%d attempts, want 1000 or more", tries)
	}
}

// fill puts a file into a template, which is a format of any number of %s.
func fill(template, name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(template, "%s", name), "%%", "%")
}

// What is hidden looks like what is not there: the same texts and statuses.
func TestHiddenIsAbsent(t *testing.T) {
	a := newAttack(t)
	for name, row := range usesOfFiles {
		for _, template := range row.reads {
			if strings.Contains(template, "-newer") || strings.Contains(template, "RANDOM") {
				continue
			}
			hidden, absent := a.try(fill(template, "/hidden/h"), ""), a.try(fill(template, "/absent/h"), "")
			swap := func(b []byte) string { return strings.ReplaceAll(string(b), "/absent", "/hidden") }
			if string(hidden.Stdout) != swap(absent.Stdout) || string(hidden.Stderr) != swap(absent.Stderr) || hidden.ExitCode != absent.ExitCode {
				t.Errorf("%s: %s\nhidden: %d %q %q\nabsent: %d %q %q", name, template,
					hidden.ExitCode, hidden.Stdout, hidden.Stderr, absent.ExitCode, absent.Stdout, absent.Stderr)
			}
		}
	}
}

// Other ways: names that only appear, variables, commands, other sessions.
func TestOtherAttacks(t *testing.T) {
	a := newAttack(t)
	for _, line := range []string{
		"echo /*", "echo /hid*", "echo /hidden/*", "echo /app/*", "echo /*/*", "shopt -s globstar; echo /**", "shopt -s dotglob nullglob; echo /app/*",
		"ls -a /", "ls -laR /", "find /", "find / -name '*.env'", "du -a /", "tree -a /", "echo /app/p*", "echo /app/[p]*", "echo /{hidden,app}/*",
		"cd /hidden", "cd /hidden/..; pwd", "cd /app; ls ../hidden", "test -d /hidden && echo there", "[[ -e /hidden/h ]] && echo there", "[ -e /app/prod.env ] && echo there",
		"echo $TOKEN", "echo ${TOKEN}", "echo ${!TOK*}", "env", "printenv TOKEN", "export -p", "declare -p", "set", "declare -p TOKEN", "echo ${TOKEN-unset}", "x=TOKEN; echo ${!x}", "declare -n r=TOKEN; echo $r",
		"bash -c 'echo $TOKEN $AWS_KEY'", "env | grep TOPS", "echo ${AWS_KEY:0:3}", "awk 'BEGIN { print ENVIRON[\"TOKEN\"] }'", "jq -n env", "jq -n '$ENV.TOKEN'", "compgen -v", "cat /proc/self/environ", "cat /proc/1/environ", "printenv",
		"f() { local TOKEN; echo $TOKEN; }; f", "unset TOKEN; echo $TOKEN", "readonly -p", "export TOKEN; env", "TOKEN+=x; echo $TOKEN", "echo ${TOKEN@A}", "eval 'echo $TOKEN'", "[[ -v TOKEN ]] && echo $TOKEN",
		"sort /reports/r", "sort < /reports/r", "cd /reports; sort r", "p=/reports/r; sort $p", "echo /reports/r | xargs sort", "find /reports -type f -exec sort {} +", "/usr/bin/sort /reports/r", "env sort /reports/r",
		"sort /reports/*", "sort -m /reports/r /open/f", "bash -c 'sort /reports/r'", "sort --files0-from=<(printf '/reports/r\\0')", "sort /open/../reports/r", "ln -s /reports /tmp/rr; sort /tmp/rr/r",
		"cat /etc/passwd", "cat /proc/version", "ls /proc", "ls /etc /root /home", "cat /dev/mem", "ls -l /dev/sda", "exec 3<>/dev/tcp/127.0.0.1/22; cat <&3", "cat < /dev/tcp/127.0.0.1/22", "cat /dev/udp/127.0.0.1/53",
		"cat '/vault/k\x00'", "cat $'/vault/k\\0'", "cat /VAULT/k", "cat /vault/K", "cat $'/va\\u0075lt/k'", "cat /vault//k", "cat /vault/./k", "cat /vault/../vault/k", "cat /open/f/../../vault/k",
		"mkdir /tmp/a; ln -s /tmp/a /tmp/b; ln -s ../vault/k /tmp/a/c; cat /tmp/b/c", "ln -s /vault /open/v; cat /open/v/k", "ln -s /open/../vault /tmp/z; cat /tmp/z/k",
		"for i in 1 2 3 4 5; do ln -sfn /open /tmp/s; cat /tmp/s/k; ln -sfn /vault /tmp/s; cat /tmp/s/k; done", "mv /open /vault2; cp -r /vault /vault3; cat /vault3/k",
		"mv /vault /tmp/", "mv / /tmp/x", "mv /app /tmp/app && cat /tmp/app/*", "mv /app/prod.env /app/prod.txt; cat /app/prod.txt", "cp /app/prod.env /tmp/x", "cp -r /app /tmp/app2; cat /tmp/app2/*",
		"tar cf /tmp/all.tar /; tar xOf /tmp/all.tar", "tar cf - /app | tar tf -", "grep -r TOP /", "grep -rl TOP / | wc -l", "find / -size 10c", "find / -newermt 2000-01-01 -type f", "find /hidden /app -type f", "find / -inum 1", "find / -empty",
		"df /hidden", "df -h | cat", "stat /hidden", "stat -c %h /", "ls -ld /", "realpath /hidden", "readlink -f /hidden/h", "readlink -m /hidden/h",
		"diff -r /app /open", "diff -rq / /tmp", "wc -c /app/*", "wc -l /*/*", "head /*/*", "tail -n1 /*/*", "cat /*/*", "md5sum /*/*", "history; fc -l", "cat /.bash_history",
		"ps; ps aux; jobs -l", "kill -9 1", "cat /usr/bin/cat | head -c 4", "cp /usr/bin/rm /tmp/rm2; /tmp/rm2 -f /open/f", "ln -s /usr/bin/rm /tmp/r; /tmp/r -f /open/f",
	} {
		a.fails(line, "")
	}
	// A denied command leaves the file, however it is spelled.
	for _, line := range []string{
		"rm -f /open/f", "r\\m /open/f", "'rm' /open/f", "command rm /open/f", "/bin/rm /open/f", "/usr/bin/../bin/rm /open/f", "env rm /open/f", "env -S 'rm /open/f'", "xargs rm <<< /open/f", "find /open -exec rm {} ';'",
		"find /open -type f -execdir rm {} +", "timeout 5 rm /open/f", "eval rm /open/f", "x=rm; $x /open/f", "$(echo rm) /open/f", "`echo rm` /open/f", "r=r m=m; $r$m /open/f", "bash -c 'rm /open/f'", "sh -c \"r''m /open/f\"",
		"bash <<< 'rm /open/f'", "echo 'rm /open/f' | bash", "echo 'rm /open/f' > /tmp/s; bash /tmp/s", "echo 'rm /open/f' > /tmp/s; . /tmp/s", "printf '#!/usr/bin/env bash\\nrm /open/f\\n' > /tmp/s; chmod +x /tmp/s; /tmp/s",
		"printf '#!/usr/bin/rm\\n' > /tmp/s; chmod +x /tmp/s; cp /tmp/s /tmp/s2; /tmp/s /open/f", "alias d=rm; shopt -s expand_aliases\nd /open/f", "f() { rm \"$@\"; }; f /open/f", "rm() { command rm \"$@\"; }; rm /open/f",
		"exec rm /open/f", "trap 'rm /open/f' EXIT", "trap 'rm /open/f' DEBUG; :", "PROMPT_COMMAND='rm /open/f'; :", "command_not_found_handle() { rm /open/f; }; nosuchcmd", "coproc rm /open/f; wait", "rm /open/f &\nwait",
		"awk 'BEGIN { system(\"rm /open/f\") }'", "sed '1e rm /open/f' /open/f", "tar cf /tmp/t /open; tar xf /tmp/t --to-command='rm /open/f'", "hash -p /usr/bin/rm q; q /open/f", "exec -a x rm /open/f", "enable -n echo; rm /open/f",
		"a=([0]=rm); ${a[0]} /open/f", "echo ${x:=$(rm /open/f)}", "((x[$(rm /open/f)]))", "[[ -n $(rm /open/f) ]]", "case $(rm /open/f) in *) ;; esac", "cat <(rm /open/f)", "echo > >(rm /open/f)", "mapfile -C 'rm /open/f #' -c 1 <<< x",
		"bash -ic 'rm /open/f'", "BASH_ENV=<(echo rm /open/f) bash -c :", "builtin eval rm /open/f", "time rm /open/f", "! rm /open/f", "if rm /open/f; then :; fi", "x=$(rm /open/f)", "export X=$(rm /open/f)", "env A=1 B=2 timeout 1 xargs -I{} rm {} <<< /open/f",
	} {
		a.fails(line, "")
		if _, err := a.w.Unruled().Lstat(bg, "/open/f"); err != nil {
			t.Errorf("%s: removed the file (%s)", line, vfs.ErrnoName(err))
		}
	}
}

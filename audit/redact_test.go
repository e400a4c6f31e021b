package audit

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	const hush = "s3cr3tVALUE"
	for _, text := range []string{
		// Assignments.
		"API_KEY=s3cr3tVALUE cmd", "export OPENAI_API_KEY=s3cr3tVALUE", "NPM_TOKEN='s3cr3tVALUE x' npm publish",
		`DB_PASSWORD="s3cr3tVALUE y" psql`, "PGPASSWORD=s3cr3tVALUE psql", "MY_PASSWORD_FILE=s3cr3tVALUE", "x; SECRET_KEY=s3cr3tVALUE",
		"AWS_SECRET_ACCESS_KEY=s3cr3tVALUE", "token=s3cr3tVALUE", "curl -d password=s3cr3tVALUE", "curl 'http://h/?api_key=s3cr3tVALUE&x=1'",
		`echo '{"password": "s3cr3tVALUE"}'`, `{"client_secret":"s3cr3tVALUE"}`, "declare -x GH_TOKEN=s3cr3tVALUE", "TOKEN+=s3cr3tVALUE",
		`TOKEN=ab"s3cr3tVALUE"`, `TOKEN=ab's3cr3tVALUE'c`, `TOKEN=$'\'s3cr3tVALUE'`, `TOKEN=a\ s3cr3tVALUE`, `TOKEN="a\"s3cr3tVALUE"`,
		"TOKEN='s3cr3tVALUE", // cut in the middle
		// Options.
		"mysql --password=s3cr3tVALUE", "mysql --password s3cr3tVALUE", "vault login --token s3cr3tVALUE", "x --api-key 's3cr3tVALUE'",
		"x -token s3cr3tVALUE", "mirage config set auth_token=s3cr3tVALUE",
		// user:password.
		"curl -u me:s3cr3tVALUE http://h", "curl -ume:s3cr3tVALUE http://h", "curl --user me:s3cr3tVALUE h", "curl --user=me:s3cr3tVALUE h",
		`curl -u "me:s3cr3tVALUE" h`, `curl -u 'me:x s3cr3tVALUE' h`, "curl -sSu me:s3cr3tVALUE h", "curl --proxy-user me:s3cr3tVALUE h",
		"curl -U me:s3cr3tVALUE h",
		// URLs.
		"git clone https://me:s3cr3tVALUE@github.com/x", "git clone https://s3cr3tVALUE@github.com/x", "psql postgres://u:s3cr3tVALUE@db:5432/x",
		"curl https://u:p@s3cr3tVALUE@h/", "redis://:s3cr3tVALUE@h",
		// Headers.
		"curl -H 'Authorization: Bearer s3cr3tVALUE'", `curl -H "authorization:Basic s3cr3tVALUE" h`, "Proxy-Authorization: Digest x s3cr3tVALUE",
		"curl -H 'X-Api-Key: s3cr3tVALUE'", "curl -H 'PRIVATE-TOKEN: s3cr3tVALUE'", "curl -H 'Cookie: a=b; sid=s3cr3tVALUE'",
		`fetch(u, {"Authorization": "Bearer s3cr3tVALUE"})`,
		// Blocks.
		"cat <<E\n-----BEGIN OPENSSH PRIVATE KEY-----\ns3cr3tVALUE\nx\n-----END OPENSSH PRIVATE KEY-----\nE",
		"-----BEGIN PRIVATE KEY-----\ns3cr3tVALUE", "-----BEGIN RSA PRIVATE KEY-----\\ns3cr3tVALUE\\n-----END RSA PRIVATE KEY-----",
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\ns3cr3tVALUE\n-----END PGP PRIVATE KEY BLOCK-----",
	} {
		got := Redact(text)
		if strings.Contains(got, hush) || strings.Contains(got, "VALUE") || !strings.Contains(got, redacted) {
			t.Errorf("%q: got %q", text, got)
		}
		if again := Redact(got); strings.Contains(again, hush) {
			t.Errorf("%q: twice: %q", text, again)
		}
	}
}

func TestRedactShapes(t *testing.T) {
	// Put together here, so that no scanner takes this file for a leak.
	for _, token := range []string{
		"AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "IOSFODNN7EXAMPLE", "ghp_" + strings.Repeat("a1", 18), "github_pat_" + strings.Repeat("b2", 20),
		"glpat-" + strings.Repeat("c3", 10), "xoxb-" + "123456789012-abcdef", "sk-" + strings.Repeat("d4", 20),
		"eyJ" + strings.Repeat("e5", 10) + ".eyJ" + strings.Repeat("f6", 10) + ".sig-nature",
	} {
		if got := Redact("echo " + token + " | x"); got != "echo [redacted] | x" {
			t.Errorf("%s: %q", token, got)
		}
	}
}

func TestRedactLeaves(t *testing.T) {
	for _, text := range []string{
		"", "ls -la /tmp", "grep -u foo bar", "sort -u a b", "id -u", "date -u +%H:%M:%S", "curl http://example.com/a@b", "ssh -p 2222 demo@127.0.0.1",
		"for k in a b; do echo $k; done", "monkey=3", "git commit -m 'a: b'", "awk -F: '{print $1}' /etc/passwd", "sed s/a/b/ x", "echo a@b.c",
		"tokenizer=fast x", "keyboard=us",
	} {
		if got := Redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := Redact("API_KEY=x1 curl -s https://u:p@h/path; echo done"); got != "API_KEY=[redacted] curl -s https://[redacted]@h/path; echo done" {
		t.Errorf("what is around a secret: %q", got)
	}
}

func TestLogRedacts(t *testing.T) {
	dir := t.TempDir()
	l := open(t, options(t, dir))
	detail := map[string]string{"x": "token=hush"}
	l.Record(t.Context(), Event{Kind: Admin, Line: "TOKEN=hush x", Path: "/a?token=hush", Other: "https://hush@h", Reason: "password: hush", Operand: "--token=hush", Detail: detail})
	closeLog(t, l)
	err := Walk(t.Context(), dir, Filter{}, func(_ *Record, line []byte) error {
		if strings.Contains(string(line), "hush") {
			t.Errorf("%s", line)
		}
		return nil
	})
	if err != nil || detail["x"] != "token=hush" {
		t.Error(err, detail)
	}
}

func TestClip(t *testing.T) {
	dir := t.TempDir()
	l := open(t, options(t, dir))
	l.Record(t.Context(), Event{Kind: LineStart, Line: strings.Repeat("\x01", 1<<20), Path: strings.Repeat("é", 1<<20), Reason: strings.Repeat("\xff", 1<<20),
		Detail: map[string]string{"x": strings.Repeat("x", 1<<20)}})
	closeLog(t, l)
	r := records(t, dir, Filter{Kinds: []Kind{LineStart}})
	if len(r) != 1 || len(r[0].Line) > maxLineText+len(cutMark) || !strings.HasSuffix(r[0].Line, cutMark) || len(r[0].Detail["x"]) > maxText+len(cutMark) {
		t.Errorf("%d records", len(r))
	}
	whole(t, dir)
}

func BenchmarkRedact(b *testing.B) {
	for name, text := range map[string]string{
		"short": "git log --oneline | head -20; echo done",
		"words": strings.Repeat("some words of a script; echo $x | grep -v y\n", maxLineText/44),
		"names": strings.Repeat("a_b-c.d", maxLineText/7),
		"dashy": strings.Repeat("-u --user x -H ", maxLineText/15),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Redact(text)
			}
		})
	}
}

package e2e

// rulesTable is the truth table of profiles: what each of them makes of an
// action on a path, whatever door it comes through. A line is
//
//	VERDICT ACTION PATH...
//
// and each path is a row. Verdicts: ok; denied (there, but refused); asked
// (refused until somebody answers); absent (as if it were not there);
// blocked (a new name that may not be made: Permission denied); fixed (the
// mount is read-only). Actions: read, write (over a file or a new one), list,
// stat, remove, and move (PATH is SOURCE:DESTINATION). Lines that begin with
// "run" are commands: their verdict is ok, denied (126), asked (126), unknown
// (127) or sealed (an operand is refused).
var rulesTable = []struct{ name, profile, rows string }{
	{"no rules", `{}`, `
ok read /data/a.csv /data/raw/c.csv /keys/k /keys/pub/p /vault/s /vault/policies/p1 /app/prod.env /app/main.py /build/tmp /build/cache/a /rw/f
ok write /data/a.csv /data/new /keys/k /vault/new /app/new.env /rw/f /rw/new
fixed write /ro/new /ro/other
ok list / /data /data/raw /keys /vault /app /rw /ro
ok stat / /data /data/a.csv /keys/k /rw/f
absent read /nosuch /data/nosuch /nosuch/x
absent stat /nosuch
ok remove /data/a.csv /keys/k /rw/f
absent remove /ro/f
ok move /data/a.csv:/data/z.csv /keys/k:/data/k /data/raw:/data/cooked
ok run rm -f /nosuch
ok run env true`},
	{"denied paths", `{"commands": {"deny": [{"reason": "sealed", "paths": ["/keys/*"]}]}}`, `
denied read /keys/k /keys/pub/p
denied write /keys/k /keys/new /keys/pub/p
ok list /keys /keys/.. /
ok stat /keys /keys/k /keys/pub/p
denied remove /keys/k /keys/pub/p
denied move /keys/k:/data/k /data/a.csv:/keys/a /keys:/data/keys /keys/k:/keys/l /keys/pub:/data/pub
ok read /data/a.csv /vault/s /app/prod.env
ok write /data/a.csv /data/new /keysnot
ok move /data/a.csv:/data/keys
ok remove /data/a.csv
sealed run cat /keys/k; head /data/a.csv /keys/k; cp /keys/k /tmp/x; sed p /keys/k; grep k /keys/k; rm -r /keys
ok run ls /keys; stat /keys/k; echo /keys/k; test -e /keys/k`},
	{"denied subtree", `{"commands": {"deny": [{"paths": ["/data"]}]}}`, `
denied read /data/a.csv /data/raw/c.csv /data/raw/deep/d.csv
denied write /data/a.csv /data/new /data/raw/new
ok stat /data /data/a.csv /data/raw
denied remove /data/a.csv
denied move /data/a.csv:/app/a /app/main.py:/data/m /data:/app/data
ok read /keys/k /app/main.py
ok write /databases
sealed run cat /data/a.csv; rm -r /data; mv /data /app/d`},
	{"ask beats a shallower deny", `{"commands": {"deny": [{"reason": "sealed", "paths": ["/keys/*"]}], "ask": [{"reason": "desk", "paths": ["/keys/pub/*"]}]}}`, `
denied read /keys/k
asked read /keys/pub/p
denied write /keys/k /keys/new
asked write /keys/pub/p /keys/pub/new
ok stat /keys/k /keys/pub/p
ok list /keys /
denied list /keys/pub
denied remove /keys/k
asked remove /keys/pub/p
ok read /data/a.csv
sealed run cat /keys/k; cp /keys/k /keys/pub/o; cp /keys/pub/p /keys/o
asked run cat /keys/pub/p; cp /keys/pub/p /tmp/o`},
	{"hidden subtree", `{"paths": {"hide": ["/vault"]}}`, `
absent read /vault/s /vault/policies/p1 /vault/nosuch
absent stat /vault /vault/s /vault/policies /vault/policies/p1
absent list /vault /vault/policies
absent write /vault/s /vault/new /vault/policies/p1
absent remove /vault/s
absent move /vault/s:/data/s /vault:/data/v
blocked write /vault
ok read /data/a.csv /keys/k
ok stat /
ok list / /data
ok write /vaults /data/vault
ok run cat /data/a.csv; ls /`},
	{"shown within hidden", `{"paths": {"hide": ["/vault"], "show": {"/vault/policies": "read"}}}`, `
ok read /vault/policies/p1 /vault/policies/p2
absent read /vault/s /vault/nosuch
ok stat /vault /vault/policies /vault/policies/p1
absent stat /vault/s
ok list /vault /vault/policies
fixed write /vault/policies/p1 /vault/policies/new
blocked write /vault/s /vault/new
fixed remove /vault/policies/p1
absent remove /vault/s
ok read /data/a.csv
ok write /data/a.csv`},
	{"hidden names", `{"paths": {"hide": ["*.env"]}}`, `
absent read /app/prod.env /docs/readme.env/x
absent stat /app/prod.env /docs/readme.env /docs/readme.env/x
absent list /docs/readme.env
blocked write /app/prod.env /app/new.env /data/x.env
absent remove /app/prod.env
absent move /app/prod.env:/app/prod.txt
blocked move /app/main.py:/app/main.env
ok read /app/main.py /data/a.csv
ok write /app/environment /app/env
ok stat /app /app/main.py
ok list /app /docs`},
	{"hidden pattern", `{"paths": {"hide": ["/data/raw/*.csv"]}}`, `
absent read /data/raw/c.csv /data/raw/deep/d.csv
ok read /data/a.csv /data/raw/notes
absent stat /data/raw/c.csv /data/raw/deep/d.csv
ok stat /data/raw /data/raw/deep /data/raw/notes
ok list /data/raw /data/raw/deep
blocked write /data/raw/c.csv /data/raw/new.csv
ok write /data/raw/new.txt /data/new.csv
denied move /data/raw:/data/cooked /data/raw/deep:/data/deep
ok move /data/a.csv:/data/z.csv`},
	{"read-only mount", `{"mounts": {"/rw": "read"}}`, `
ok read /rw/f /data/a.csv
fixed write /rw/f /rw/new /ro/f
ok write /data/a.csv /data/new
fixed remove /rw/f
ok stat /rw /rw/f
ok list /rw
fixed move /rw/f:/rw/g
ok run cat /rw/f`},
	{"rules of a mount", `{"mounts": {"/rw": {"paths": {"hide": ["*.key", "/rw/private"]}, "commands": {"deny": [{"reason": "frozen", "paths": ["/rw/frozen/*"]}, {"reason": "not here", "commands": ["tac"]}]}}}}`, `
absent read /rw/a.key /rw/private/x /rw/d/b.key
ok read /data/c.key /rw/f
absent stat /rw/a.key /rw/private
ok stat /data/c.key /rw/frozen/z
denied read /rw/frozen/z
denied write /rw/frozen/z /rw/frozen/new
ok write /rw/f /data/new.key
blocked write /rw/new.key
denied remove /rw/frozen/z
denied run tac /rw/f; cd /rw && tac f
ok run tac /data/a.csv`},
	{"allowed commands", `{"commands": {"allow": ["cat", "ls", "true", "cd", "wc -l", "xargs", "find", "env", "bash"]}}`, `
ok read /data/a.csv /keys/k
ok stat /data
ok list /data
ok run cat /data/a.csv; ls /; true; wc -l /data/a.csv; env true; bash -c 'true'; cd /data && cat a.csv; f() { cat /data/a.csv;};f
unknown run echo hi; rm /data/a.csv; /usr/bin/head /data/a.csv; sed p /data/a.csv; env head /data/a.csv; awk 1; type cat; bash -c 'echo x'
denied run wc -c /data/a.csv; wc; env wc -c; bash -c 'wc -c /data/a.csv'; cat $(wc -c)`},
	{"denied commands", `{"commands": {"deny": [{"reason": "no", "commands": ["rm", "git push", "head -c"]}]}}`, `
ok read /data/a.csv
ok write /data/a.csv
ok remove /rw/f
denied run rm /data/a.csv; rm; /bin/rm x; env rm x; echo a;rm x; true && rm x; echo $(rm x); bash -c 'rm x'; find / -maxdepth 0 -exec rm {} ';'; xargs rm; eval 'rm x'; head -c 3 /data/a.csv; timeout 3 rm x; false || rm x; f() { rm x;}; time rm x
ok run unlink_me=1; head -n 1 /data/a.csv; head -n1 -c 3 /data/a.csv; echo rm; printf rm; true rm x`},
	{"asked commands", `{"commands": {"ask": [{"reason": "sure?", "commands": ["rm", "mv -f"]}]}}`, `
ok read /data/a.csv
ok remove /rw/f
ok move /data/a.csv:/data/z.csv
asked run rm /data/a.csv; echo a;rm x; env rm x; mv -f /data/a.csv /data/z; bash -c 'rm x'; echo $(rm x)
ok run mv /data/a.csv /data/q; ls`},
	{"commands on paths", `{"commands": {"deny": [{"reason": "shared", "commands": {"rm": ["/build/cache/*"]}}, {"reason": "sealed", "paths": ["/keys/*"]}], "ask": [{"reason": "ops", "commands": {"rm": ["/build/*"]}}, {"reason": "desk", "paths": ["/keys/pub/*"]}]}}`, `
ok read /build/tmp /build/cache/a
ok write /build/tmp /build/cache/new
denied read /keys/k
asked read /keys/pub/p
ok stat /keys/k /build/cache/a
asked run rm /build/tmp; rm -f /build/new; rm /build/tmp /keys/pub/p; cd /build;rm tmp
sealed run rm /build/cache/a; rm -r /build; cat /keys/k; cp /keys/k /keys/pub/o; cd /build/cache && rm a
ok run ls /keys; stat /keys/k; rm -f /data/a.csv; cat /build/cache/a`},
	{"deeper wins", `{"commands": {"deny": [{"reason": "frozen", "paths": ["/data/raw/*"]}, {"reason": "csv", "paths": ["*.csv"]}], "ask": [{"reason": "all data", "paths": ["/data/*"]}, {"reason": "deep", "paths": ["/data/raw/deep/*"]}]}}`, `
asked read /data/a.csv
denied read /data/raw/c.csv /data/raw/notes
asked read /data/raw/deep/d.csv
denied read /app/list.csv
ok read /app/main.py
asked write /data/new /data/a.csv
denied write /data/raw/new /app/new.csv
ok stat /data/a.csv /data/raw/c.csv
sealed run cat /data/raw/c.csv; cat /data/a.csv /data/raw/c.csv
asked run cat /data/a.csv; cat /data/raw/deep/d.csv`},
	{"ties", `{"commands": {"deny": [{"reason": "no", "paths": ["/data/*"]}], "ask": [{"reason": "maybe", "paths": ["/data/*"]}, {"reason": "line", "commands": ["tac"]}]}}`, `
denied read /data/a.csv /data/raw/c.csv
denied write /data/a.csv
ok stat /data/a.csv
asked run tac /app/main.py
sealed run tac /data/a.csv; cat /data/a.csv`},
	{"patterns", `{"paths": {"hide": ["/data/?.csv", "/app/[mp]*", "secret[0-9]"]}, "commands": {"deny": [{"reason": "logs", "paths": ["/build/c*/*", "*.bak"]}]}}`, `
absent read /data/a.csv /app/main.py /app/prod.env
ok read /app/list.csv /data/raw/c.csv /data/c.key
denied read /build/cache/a
ok read /build/tmp
blocked write /data/b.csv /app/more /app/p /data/secret1
ok write /data/ab.csv /app/other /data/secret /data/secretx
denied write /build/cache/new /data/x.bak
absent stat /data/a.csv /app/main.py
ok stat /build/cache/a /app/list.csv
ok list /data /app /build
denied remove /build/cache/a
ok remove /app/list.csv /build/tmp
blocked move /app/list.csv:/app/main
denied move /app/list.csv:/app/list.bak /build/cache:/build/kept
ok move /app/list.csv:/app/list`},
	{"shown to be written", `{"paths": {"hide": ["/vault"], "show": {"/vault/policies": "write", "/vault/policies/p2": "read"}}, "mounts": {"/": "read"}}`, `
ok read /vault/policies/p1 /vault/policies/p2 /data/a.csv
ok write /vault/policies/p1 /vault/policies/new
fixed write /vault/policies/p2 /data/a.csv /data/new
absent read /vault/s
ok stat /vault /vault/policies/p2
ok remove /vault/policies/p1
fixed remove /vault/policies/p2 /data/a.csv
ok write /rw/f
ok list /vault`},
	{"one file", `{"paths": {"hide": ["/data/a.csv"]}, "commands": {"deny": [{"paths": ["/keys/k"]}], "ask": [{"paths": ["/app/main.py"]}]}}`, `
absent read /data/a.csv
denied read /keys/k
asked read /app/main.py
ok read /data/raw/c.csv /keys/pub/p /app/list.csv
absent stat /data/a.csv
ok stat /keys/k /app/main.py
blocked write /data/a.csv
denied write /keys/k
asked write /app/main.py
ok write /data/a.csv.new /keys/kk /app/main.pyc
absent remove /data/a.csv
denied remove /keys/k
asked remove /app/main.py
denied move /data:/stuff
ok move /keys/pub:/data/pub
sealed run cat /keys/k; rm -r /keys; mv /keys /data/keys; cat /data/c.key /keys/k
asked run cat /app/main.py; rm -r /app; head -n 1 /app/main.py
ok run cat /keys/pub/p; ls -l /keys /app`},
	{"hides and denies", `{"paths": {"hide": ["/vault", "*.env"]}, "commands": {"deny": [{"reason": "sealed", "paths": ["/keys/*", "/vault/*"]}, "dd"]}, "mounts": {"/rw": "read"}}`, `
absent read /vault/s /app/prod.env
denied read /keys/k
absent stat /vault /app/prod.env
ok stat /keys/k
fixed write /rw/f
denied write /keys/new
blocked write /app/new.env
absent remove /vault/s
denied remove /keys/k
fixed remove /rw/f
denied run dd; env dd if=/data/a.csv
ok run ls / /app /keys`},
}

package main

import "testing"

func TestShellExplain(t *testing.T) {
	c := newCLI(t)
	const config = ramConfig + `profiles:
  default:
    commands:
      deny:
        - {reason: sealed, paths: ["/keys/*"]}
        - {reason: no deletes, commands: [rm]}
`
	c.want(0, config, "workspace", "create", "-", "--id", "demo")
	for _, tt := range []struct{ line, want string }{
		{"cat /keys/k && date", `cat /keys/k && date  [deny, exit 1: sealed]
  list: cat /keys/k && date
    cat /keys/k  [deny, exit 1: sealed]  top
    date  [allow]
`},
		{"echo $(rm x)\ndate", `echo $(rm x)\ndate  [deny, exit 126: no deletes]
  echo $(rm x)  [allow]
    substitution: $(rm x)
      rm x  [deny, exit 126: no deletes]  top
  date  [allow]
`},
		{"echo )", "echo )  [allow, exit 2]\n  mirage: syntax error near ')'\n"},
		{"", "  [allow, exit 0]\n"},
	} {
		if out, _ := c.want(0, "", "shell", "-w", "demo", "--explain", "-c", tt.line); out != tt.want {
			t.Errorf("%q: got\n%s\nwant\n%s", tt.line, out, tt.want)
		}
	}
	c.want(2, "", "shell", "-w", "demo", "--explain", "--cwd", "/", "-c", "true")
}

// Package floors holds the floor plan of the program: which package may import
// which. docs/ARCHITECTURE.md explains it.
package floors

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "mirage"

// floors lists every package of the program and its floor. A name covers the
// packages below it, the longest name wins. Imports run downwards only;
// packages of one name may import each other.
var floors = map[string]int{
	"cmd/mirage":    6,
	"sshd":          5,
	"sftpd":         5,
	"httpd":         5,
	"workspace":     4,
	"shell":         3,
	"audit":         3,
	"policy":        2,
	"policy/script": 3,
	"accounts":      2,
	"keys":          2,
	"vfs":           1,
	"state":         1,
	"client":        0,
	"internal":      0,
}

// sideways lists the imports within one floor that the plan allows.
var sideways = map[[2]string]bool{
	{"sshd", "sftpd"}: true,
}

// testOnly lists packages that hold tests and tools only and may import
// anything.
var testOnly = []string{"e2e", "bench", "internal/floors", "shell/programs/progtest"}

type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// place answers the name in floors that covers a package.
func place(path string) (name string, ok bool) {
	path = strings.TrimPrefix(path, module+"/")
	for n := range floors {
		if (path == n || strings.HasPrefix(path, n+"/")) && len(n) > len(name) {
			name, ok = n, true
		}
	}
	return name, ok
}

func isTestOnly(path string) bool {
	for _, n := range testOnly {
		if p := strings.TrimPrefix(path, module+"/"); p == n || strings.HasPrefix(p, n+"/") {
			return true
		}
	}
	return false
}

func TestImportsRunDownwards(t *testing.T) {
	seen := 0
	for _, p := range list(t) {
		if isTestOnly(p.ImportPath) {
			continue
		}
		from, ok := place(p.ImportPath)
		if !ok {
			t.Errorf("%s has no floor", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if !strings.HasPrefix(imp, module+"/") {
				continue
			}
			seen++
			to, ok := place(imp)
			if !ok || isTestOnly(imp) {
				t.Errorf("%s imports %s, which is no part of the house", p.ImportPath, imp)
				continue
			}
			if from == to || floors[to] < floors[from] || sideways[[2]string{from, to}] {
				continue
			}
			t.Errorf("%s (floor %d) imports %s (floor %d)", p.ImportPath, floors[from], imp, floors[to])
		}
	}
	if seen < 20 {
		t.Errorf("only %d imports of our own were seen: the test looks at nothing", seen)
	}
}

// frontEnds must not reach a backend: all they have of files is the view of a
// session.
var frontEnds = []string{"sshd", "sftpd", "httpd"}

func TestFrontEndsHoldNoBackend(t *testing.T) {
	for _, p := range list(t) {
		from, _ := place(p.ImportPath)
		for _, f := range frontEnds {
			if from != f {
				continue
			}
			for _, imp := range p.Imports {
				if strings.HasPrefix(imp, module+"/vfs/") || strings.HasPrefix(imp, module+"/state") {
					t.Errorf("%s imports %s", p.ImportPath, imp)
				}
			}
		}
	}
}

// inside lists the packages that a login's bytes reach and that must name no
// host file, process, environment or network address.
var inside = []string{"sshd", "sftpd", "httpd", "workspace", "shell", "policy", "vfs"}

// hostDoors are the exceptions: the packages whose business the host is.
var hostDoors = map[string]string{
	"vfs/disk": "os",
}

// hostPrograms are the packages that start a program of the host which an
// operator has switched on.
var hostPrograms = map[string]bool{"policy/script/worker": true}

// harmless lists what of package os touches nothing of the host.
var harmless = map[string]bool{"Getpid": true, "FileMode": true, "FileInfo": true, "PathError": true, "LinkError": true, "SyscallError": true, "ModePerm": true, "DevNull": true}

func TestInsideTouchesNoHost(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		top, _, _ := strings.Cut(name, "/")
		if !contains(inside, top) || isTestOnly(p.ImportPath) {
			continue
		}
		for _, imp := range p.Imports {
			if imp == "os/exec" && hostPrograms[name] {
				continue
			}
			switch imp {
			case "os/exec", "os/user", "io/ioutil", "plugin":
				t.Errorf("%s imports %s", p.ImportPath, imp)
			case "net", "net/http":
				if top == "shell" || top == "vfs" || top == "policy" {
					t.Errorf("%s imports %s", p.ImportPath, imp)
				}
			}
		}
		if hostDoors[name] != "" || hostPrograms[name] {
			continue
		}
		for _, file := range p.GoFiles {
			checkOS(t, filepath.Join(p.Dir, file), name)
		}
	}
}

// checkOS reports what a file uses of package os beyond constants and types.
func checkOS(t *testing.T, file, pkg string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range f.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); path == "os" && imp.Name != nil {
			t.Errorf("%s renames package os", file)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "os" {
			return true
		}
		s := sel.Sel.Name
		if strings.HasPrefix(s, "O_") || strings.HasPrefix(s, "Err") || strings.HasPrefix(s, "Is") || harmless[s] {
			return true
		}
		t.Errorf("%s: os.%s in package %s", fset.Position(sel.Pos()), s, pkg)
		return true
	})
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

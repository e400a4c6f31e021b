package httpd

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestCalls(t *testing.T) {
	a := withDemo(t)
	// In order: each builds on those before.
	for _, c := range []struct {
		call, body string
		status     int
		want       any // the answer, or the errno of a failure
	}{
		{"mkdir", `{"path": "/d"}`, 200, map[string]any{}},
		{"mkdir", `{"path": "/d"}`, 409, "EEXIST"},
		{"mkdir", `{"path": "/no/d"}`, 404, "ENOENT"},
		{"write", `{"path": "/d/f", "data_base64": "` + b64("hello") + `"}`, 200, map[string]any{}},
		{"read", `{"path": "/d/f"}`, 200, map[string]any{"data_base64": b64("hello")}},
		{"read", `{"path": "/d/f", "offset": 1, "size": 3}`, 200, map[string]any{"data_base64": b64("ell")}},
		{"read", `{"path": "/d/f", "offset": 4, "size": 9}`, 200, map[string]any{"data_base64": b64("o")}},
		{"read", `{"path": "/d/f", "offset": 99}`, 200, map[string]any{"data_base64": ""}},
		{"read", `{"path": "/d/f", "offset": -1}`, 400, "EINVAL"},
		{"read", `{"path": "/d"}`, 400, "EISDIR"},
		{"read", `{"path": "/d/f/x"}`, 400, "ENOTDIR"},
		{"read", `{"path": ""}`, 404, "ENOENT"},
		{"append", `{"path": "/d/f", "data_base64": "` + b64("!") + `"}`, 200, map[string]any{}},
		{"pwrite", `{"path": "/d/f", "data_base64": "` + b64("J") + `", "offset": 0}`, 200, map[string]any{}},
		{"cat", `{"path": "/d/f"}`, 200, map[string]any{"text": "Jello!"}},
		{"pwrite", `{"path": "/d/gap", "data_base64": "` + b64("x") + `", "offset": 2}`, 200, map[string]any{}},
		{"read", `{"path": "/d/gap"}`, 200, map[string]any{"data_base64": b64("\x00\x00x")}},
		{"create", `{"path": "/d/new"}`, 200, map[string]any{}},
		{"create", `{"path": "/d/new"}`, 409, "EEXIST"},
		{"truncate", `{"path": "/d/new", "length": 3}`, 200, map[string]any{}},
		{"read", `{"path": "/d/new"}`, 200, map[string]any{"data_base64": b64("\x00\x00\x00")}},
		{"symlink", `{"path": "/d/link", "target": "f"}`, 200, map[string]any{}},
		{"symlink", `{"path": "/d/link", "target": "f"}`, 409, "EEXIST"},
		{"readlink", `{"path": "/d/link"}`, 200, map[string]any{"target": "f"}},
		{"readlink", `{"path": "/d/f"}`, 400, "EINVAL"},
		{"symlink", `{"path": "/loop", "target": "/loop"}`, 200, map[string]any{}},
		{"stat", `{"path": "/loop"}`, 400, "ELOOP"},
		{"exists", `{"path": "/d/link"}`, 200, map[string]any{"exists": true}},
		{"exists", `{"path": "/no"}`, 200, map[string]any{"exists": false}},
		{"exists", `{"path": "/d/f/x"}`, 200, map[string]any{"exists": false}},
		{"exists", `{"path": "/loop"}`, 400, "ELOOP"},
		{"is_dir", `{"path": "/d"}`, 200, map[string]any{"is_dir": true}},
		{"is_file", `{"path": "/d"}`, 200, map[string]any{"is_file": false}},
		{"is_file", `{"path": "/d/link"}`, 200, map[string]any{"is_file": true}},
		{"readdir", `{"path": "/d/"}`, 200, map[string]any{"entries": []any{"/d/f", "/d/gap", "/d/link", "/d/new"}}},
		{"list_files", `{"path": "/"}`, 200, map[string]any{"files": []any{"loop"}}},
		{"setxattr", `{"path": "/d/f", "name": "user.a", "value_base64": "` + b64("v") + `", "create": true}`, 200, map[string]any{}},
		{"setxattr", `{"path": "/d/f", "name": "user.a", "value_base64": "", "create": true}`, 409, "EEXIST"},
		{"setxattr", `{"path": "/d/f", "name": "user.b", "value_base64": "", "replace": true}`, 404, "NO_XATTR"},
		{"getxattr", `{"path": "/d/f", "name": "user.a"}`, 200, map[string]any{"value_base64": b64("v")}},
		{"listxattr", `{"path": "/d/f"}`, 200, map[string]any{"names": []any{"user.a"}}},
		{"removexattr", `{"path": "/d/f", "name": "user.a"}`, 200, map[string]any{}},
		{"listxattr", `{"path": "/d/f"}`, 200, map[string]any{"names": []any{}}},
		{"setattr", `{"path": "/d/f", "mode": 384, "mtime": "2020-01-02T03:04:05Z", "uid": "7"}`, 200, map[string]any{"changed": map[string]any{}}},
		{"rename", `{"src": "/d/f", "dst": "/d/g"}`, 200, map[string]any{}},
		{"rename", `{"src": "/d/g", "dst": "/ro/g"}`, 400, "EXDEV"},
		{"write", `{"path": "/ro/f", "data_base64": ""}`, 403, "EROFS"},
		{"rmdir", `{"path": "/d"}`, 409, "ENOTEMPTY"},
		{"rmdir", `{"path": "/ro"}`, 409, "EBUSY"},
		{"unlink", `{"path": "/d/link"}`, 200, map[string]any{}},
		{"unlink", `{"path": "/d"}`, 400, "EISDIR"},
		{"write", `{"path": "/` + strings.Repeat("n", 256) + `", "data_base64": ""}`, 400, "ENAMETOOLONG"},
		{"write", `{"path": "/a\u0000b", "data_base64": ""}`, 400, "EINVAL"},
	} {
		got := a.vfs(c.call, c.body, c.status)
		if errno, ok := c.want.(string); ok {
			if got["errno"] != errno || got["detail"] == "" {
				t.Errorf("%s %s: %v, want %s", c.call, c.body, got, errno)
			}
		} else if !reflect.DeepEqual(any(got), c.want) {
			t.Errorf("%s %s: %v, want %v", c.call, c.body, got, c.want)
		}
	}
	st := a.vfs("stat", `{"path": "/d/g"}`, 200)["stat"].(map[string]any)
	for key, want := range map[string]any{"name": "g", "type": "file", "size": 6.0, "mode": 384.0, "uid": 7.0, "modified": "2020-01-02T03:04:05Z"} {
		if st[key] != want {
			t.Errorf("stat: %s is %v, want %v", key, st[key], want)
		}
	}
}

// Every call refuses bad arguments before it looks for the session.
func TestCallArguments(t *testing.T) {
	a := withDemo(t)
	if n := len(calls); n != 24 {
		t.Errorf("%d calls, want 24", n)
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		path := "/v1/workspaces/demo/vfs/" + name + "?session_id=nosuch"
		for _, body := range []string{`{}`, `{"path": 1}`, `{"src": []}`, `[]`, `null`, ``, `{"path": "/", "src": "/", "dst": "/", "nosuch": 1}`} {
			status, out := a.call("POST", path, body)
			if status != 400 || fmt.Sprint(out["detail"]) == "" {
				t.Errorf("%s %s: %d %v", name, body, status, out)
			}
		}
	}
	for _, c := range []struct{ call, body, want string }{
		{"write", `{"path": "/f", "data_base64": "%"}`, "data_base64 must be base64"},
		{"write", `{"path": "/f", "data_base64": "YQ"}`, "data_base64 must be base64"},
		{"write", `{"path": "/f", "data_base64": "YQ=\n="}`, "data_base64 must be base64"},
		{"write", `{"path": "/f"}`, "invalid arguments for vfs/write: data_base64 is required"},
		{"stat", `{"path": "/f", "x": 1}`, `invalid arguments for vfs/stat: unknown field "x"`},
		{"stat", `[]`, "the body is a JSON object"},
		{"setattr", `{"path": "/f", "mode": 65536}`, "invalid arguments for vfs/setattr: mode must be between 0 and 4095"},
		{"setattr", `{"path": "/f", "mtime": "noon"}`, `invalid arguments for vfs/setattr: mtime must be an ISO 8601 time, got "noon"`},
	} {
		if got := a.vfs(c.call, c.body, 400); got["detail"] != c.want {
			t.Errorf("%s %s: %q, want %q", c.call, c.body, got["detail"], c.want)
		}
	}
	a.vfs("nosuch", `{}`, 404)
	a.want("POST", "/v1/workspaces/demo/vfs/stat?session_id=nosuch", `{"path": "/"}`, 404)
}

func TestGlob(t *testing.T) {
	a := withDemo(t)
	for _, dir := range []string{"/src", "/src/a", "/src/a/b"} {
		a.vfs("mkdir", `{"path": "`+dir+`"}`, 200)
	}
	for _, f := range []string{"/src/x.py", "/src/a/y.py", "/src/a/b/z.py", "/src/.hidden.py", "/src/a/n.txt"} {
		a.vfs("create", `{"path": "`+f+`"}`, 200)
	}
	for pattern, want := range map[string][]any{
		"/src/**/*.py": {"/src/a/b/z.py", "/src/a/y.py", "/src/x.py"},
		"/src/*.py":    {"/src/x.py"},
		"src/?":        {"/src/a"},
		"/nosuch/*":    {},
		"/src/.h*":     {"/src/.hidden.py"},
		"/src/*/":      {"/src/a/"},
		"/src/a/**":    {"/src/a/", "/src/a/b", "/src/a/b/z.py", "/src/a/n.txt", "/src/a/y.py"},
		"/src/[ax]*":   {"/src/a", "/src/x.py"},
		"/src/@(a|x)*": {"/src/a", "/src/x.py"},
		"/src/[":       {},
		"/src":         {"/src"},
		"s*":           {"/src"},
	} {
		got := a.want("POST", "/v1/workspaces/demo/glob", `{"pattern": "`+pattern+`"}`, 200)
		if !reflect.DeepEqual(got["paths"], any(want)) {
			t.Errorf("%s: %v, want %v", pattern, got["paths"], want)
		}
	}
	if got := a.want("POST", "/v1/workspaces/demo/glob", `{}`, 400); got["detail"] != "pattern must be a string" {
		t.Errorf("%v", got)
	}
}

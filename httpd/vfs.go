package httpd

import (
	"context"
	"encoding/json"
	"net/http"
	"sort"
	"syscall"

	"mirage/vfs"
	"mirage/workspace"
)

// call is one VFS call: it reads its arguments from a body and answers what
// becomes the JSON answer.
type call func(ctx context.Context, fs files, body []byte) (any, error)

// calls lists the 24 VFS calls.
var calls = map[string]call{
	"read":        with(files.read),
	"write":       with(files.write),
	"append":      with(files.append),
	"pwrite":      with(files.pwrite),
	"stat":        with(files.stat),
	"readdir":     with(files.readdir),
	"exists":      with(files.exists),
	"is_dir":      with(files.isDir),
	"is_file":     with(files.isFile),
	"cat":         with(files.cat),
	"list_files":  with(files.listFiles),
	"mkdir":       with(files.mkdir),
	"rmdir":       with(files.rmdir),
	"unlink":      with(files.unlink),
	"create":      with(files.create),
	"rename":      with(files.rename),
	"symlink":     with(files.symlink),
	"readlink":    with(files.readlink),
	"setattr":     with(files.setattr),
	"getxattr":    with(files.getxattr),
	"listxattr":   with(files.listxattr),
	"setxattr":    with(files.setxattr),
	"removexattr": with(files.removexattr),
	"truncate":    with(files.truncate),
}

// with turns a method that takes its arguments as a struct into a call. The
// arguments are read strictly; those without omitempty must be there.
func with[A any](f func(files, context.Context, A) (any, error)) call {
	return func(ctx context.Context, fs files, body []byte) (any, error) {
		var args A
		if err := decodeArgs(body, fs.prefix, &args); err != nil {
			return nil, err
		}
		return f(fs, ctx, args)
	}
}

// vfs runs one VFS call. The order of its checks is: workspace, size of the
// body, call, arguments, session.
func (s *server) vfs(w http.ResponseWriter, r *http.Request) error {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	name := r.PathValue("call")
	run, ok := calls[name]
	if !ok {
		return &apiError{status: http.StatusNotFound, detail: "no such call: vfs/" + name, code: "call_not_found"}
	}
	explain, err := flag(r, "explain")
	if err != nil {
		return err
	}
	if explain {
		return s.vfsExplain(w, r, ws, name, run, body)
	}
	// The session is looked up after the arguments are judged.
	var fileCall *workspace.FileCall
	defer func() {
		if fileCall != nil {
			fileCall.End() // also after a panic
		}
	}()
	answer, err := run(r.Context(), files{prefix: "invalid arguments for vfs/" + name, open: func() (*vfs.View, error) {
		ses, err := ws.Session(r.Context(), r.URL.Query().Get("session_id"))
		if err != nil {
			return nil, err
		}
		fileCall = ses.FileCall()
		return fileCall.View(), nil
	}}, body)
	if fileCall != nil {
		fileCall.End()
	}
	if err != nil {
		return refusedCall(err, fileCall)
	}
	if answer == nil {
		answer = struct{}{}
	}
	return writeJSON(w, http.StatusOK, answer)
}

// refusedCall adds the record of a rule's refusal to the error of a call.
func refusedCall(err error, c *workspace.FileCall) error {
	if c == nil || vfs.Errno(err) != syscall.EACCES || c.Refusal() == nil {
		return err
	}
	e, _ := toAPI(err)
	e.refusal = refusal(c.Refusal())
	return e
}

// decodeArgs reads the arguments of a call: an object with exactly the keys
// of the struct; a field whose tag says omitempty may be absent or null.
func decodeArgs(body []byte, prefix string, args any) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(body, &given); err != nil || given == nil {
		if json.Valid(body) {
			return badRequest("the body is a JSON object")
		}
		return badRequest("%s: %s", prefix, jsonProblem(json.Unmarshal(body, &given)))
	}
	var missing []string
	for _, f := range fields(args) {
		if v, ok := given[f.name]; f.required && (!ok || string(v) == "null") {
			missing = append(missing, f.name)
		}
		if f.bytes {
			if v, ok := given[f.name]; ok && !isBase64(v) {
				return badRequest("%s must be base64", f.name)
			}
		}
	}
	if len(missing) > 0 {
		sort.Strings(missing)
		return badRequest("%s: %s is required", prefix, missing[0])
	}
	return decode(body, prefix, args)
}

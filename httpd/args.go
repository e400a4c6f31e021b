package httpd

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
)

// Arguments of the VFS calls. A pointer or an omitempty tag marks what may be
// left out.
type (
	pathArgs struct {
		Path string `json:"path"`
	}
	readArgs struct {
		Path   string `json:"path"`
		Offset int64  `json:"offset,omitempty"`
		Size   *int64 `json:"size,omitempty"`
	}
	dataArgs struct {
		Path string `json:"path"`
		Data []byte `json:"data_base64"`
	}
	pwriteArgs struct {
		Path   string `json:"path"`
		Data   []byte `json:"data_base64"`
		Offset int64  `json:"offset"`
	}
	linkArgs struct {
		Path     string `json:"path"`
		Nofollow bool   `json:"nofollow,omitempty"`
	}
	renameArgs struct {
		Src string `json:"src"`
		Dst string `json:"dst"`
	}
	symlinkArgs struct {
		Path   string `json:"path"`
		Target string `json:"target"`
	}
	setattrArgs struct {
		Path     string  `json:"path"`
		Mode     *int    `json:"mode,omitempty"`
		UID      owner   `json:"uid,omitempty"`
		GID      owner   `json:"gid,omitempty"`
		Atime    *string `json:"atime,omitempty"`
		Mtime    *string `json:"mtime,omitempty"`
		Nofollow bool    `json:"nofollow,omitempty"`
	}
	xattrArgs struct {
		Path     string `json:"path"`
		Name     string `json:"name"`
		Nofollow bool   `json:"nofollow,omitempty"`
	}
	setxattrArgs struct {
		Path     string `json:"path"`
		Name     string `json:"name"`
		Value    []byte `json:"value_base64"`
		Create   bool   `json:"create,omitempty"`
		Replace  bool   `json:"replace,omitempty"`
		Nofollow bool   `json:"nofollow,omitempty"`
	}
	truncateArgs struct {
		Path   string `json:"path"`
		Length int64  `json:"length"`
	}
)

// field is one argument of a call.
type field struct {
	name            string
	required, bytes bool
}

// fields lists the arguments that a struct of this file stands for.
func fields(args any) []field {
	t := reflect.TypeOf(args).Elem()
	out := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out = append(out, field{name: name, required: option != "omitempty", bytes: t.Field(i).Type == reflect.TypeFor[[]byte]()})
	}
	return out
}

func isBase64(v json.RawMessage) bool {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return false
	}
	_, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil && !strings.ContainsAny(s, "\r\n")
}

// owner is a numeric user or group; names are refused, since a workspace has
// no user database.
type owner struct{ id *int }

// UnmarshalJSON reads an integer, or an integer in a string.
func (o *owner) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "null" {
		return nil
	}
	var n int
	if err := json.Unmarshal([]byte(text), &n); err != nil || n < 0 {
		return &json.UnmarshalTypeError{Value: "string " + string(b), Type: reflect.TypeFor[int](), Field: "uid and gid"}
	}
	o.id = &n
	return nil
}

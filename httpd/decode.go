package httpd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decode reads one JSON object into v, a pointer to a struct, strictly:
// unknown keys, wrong types, duplicate documents and non-objects are errors,
// each named after prefix.
func decode(body []byte, prefix string, v any) error {
	if t := bytes.TrimLeft(body, " \t\r\n"); len(t) > 0 && t[0] != '{' {
		return badRequest("%s: the body is a JSON object", prefix)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return badRequest("%s: %s", prefix, jsonProblem(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badRequest("%s: more than one JSON value", prefix)
	}
	return nil
}

// jsonProblem words a decoding error without Go's names for things.
func jsonProblem(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON ends too early"
	case errors.As(err, &syntax):
		return fmt.Sprintf("not JSON: %s at byte %d", syntax.Error(), syntax.Offset)
	case errors.As(err, &typ):
		field := typ.Field
		if field == "" {
			field = "the body"
		}
		return fmt.Sprintf("%s must be %s, got %s", field, jsonType(typ.Type.Kind().String()), typ.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// jsonType names a Go kind as JSON does.
func jsonType(kind string) string {
	switch {
	case kind == "bool":
		return "a boolean"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "an integer"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "slice", kind == "array":
		return "a list"
	case kind == "map", kind == "struct":
		return "an object"
	}
	return "a " + kind
}

// decodeLoose reads some fields of an object that decode has accepted.
func decodeLoose(body []byte, v any) error { return json.Unmarshal(body, v) }

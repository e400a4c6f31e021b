package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

// The jq of the machine may be an older release: ours alone is asked.
func TestJq(t *testing.T) {
	const other = "another release of jq"
	files := map[string]string{"a.json": `{"name": "x", "age": 3, "tags": ["a", "b"]}`, "bad.json": "{\"a\": }", "n.json": "1\n2\n3\n"}
	progtest.Run(t, All(), "jq", []progtest.Case{
		{Args: ". a.json", Files: files, Stdout: "{\n  \"name\": \"x\",\n  \"age\": 3,\n  \"tags\": [\n    \"a\",\n    \"b\"\n  ]\n}\n", OursOnly: other},
		{Args: "-c . a.json", Files: files, Stdout: "{\"name\":\"x\",\"age\":3,\"tags\":[\"a\",\"b\"]}\n", OursOnly: other},
		{Args: "-Sc . a.json", Files: files, Stdout: "{\"age\":3,\"name\":\"x\",\"tags\":[\"a\",\"b\"]}\n", OursOnly: other},
		{Args: "-r .tags[] a.json", Files: files, Stdout: "a\nb\n", OursOnly: other},
		{Args: "-c 'to_entries|map(.key)' a.json", Files: files, Stdout: "[\"name\",\"age\",\"tags\"]\n", OursOnly: other},
		{Args: "-c '.age |= .+1 | del(.tags)' a.json", Files: files, Stdout: "{\"name\":\"x\",\"age\":4}\n", OursOnly: other},
		{Args: "-s add n.json", Files: files, Stdout: "6\n", OursOnly: other},
		{Args: "-n '[inputs]|length' n.json", Files: files, Stdout: "3\n", OursOnly: other},
		{Args: "-n --arg v 1 '$v'", Stdout: "\"1\"\n", OursOnly: other},
		{Args: "-n '1,null' -e", Stdout: "1\nnull\n", Status: 1, OursOnly: other},
		{Args: "-n 'limit(3;repeat(1))'", Stdout: "1\n1\n1\n", OursOnly: other},
		{Args: "-n '100000000000000000001'", Stdout: "100000000000000000001\n", OursOnly: other},
		{Args: ".a.b n.json", Files: files, Stderr: "jq: error (at n.json:1): Cannot index number with \"a\"\njq: error (at n.json:2): Cannot index number with \"a\"\njq: error (at n.json:3): Cannot index number with \"a\"\n", Status: 5, OursOnly: other},
		{Args: ". nope", Stderr: "jq: error: Could not open nope: No such file or directory\n", Status: 2, OursOnly: other},
		{Args: "-n env.HOME", Stdout: "\"/w\"\n", OursOnly: other},
	})
}

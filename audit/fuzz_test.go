package audit

import (
	"bytes"
	"testing"
)

// FuzzVerify feeds any bytes as a file of a log: whoever can write them must
// not be able to crash an operator's tools, nor get them past the chain.
func FuzzVerify(f *testing.F) {
	var c chain
	r := Record{Seq: 1, Event: Event{Kind: Started}}
	first, err := c.seal(&r)
	if err != nil {
		f.Fatal(err)
	}
	head := Position{1, r.Hash}
	r = Record{Seq: 2, Event: Event{Kind: LineStart, Line: "echo"}, Prev: r.Hash}
	second, err := c.seal(&r)
	if err != nil {
		f.Fatal(err)
	}
	good := append(bytes.Clone(first), second...)
	f.Add(good)
	f.Add(good[:len(good)-9])
	f.Add(append(good, `{"seq":3,"prev":"","hash":"`...))
	f.Add([]byte("\n\n{}\n"))
	check := func(t *testing.T, text []byte) *Fault {
		v := verifier{head: head}
		if err := v.read(t.Context(), "f", bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if v.report.Broken == nil {
			v.end(nil)
		}
		return v.report.Broken
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := check(t, text)
		if before == nil && !bytes.HasPrefix(text, first[:len(first)-1]) {
			t.Errorf("%q passes", text)
		}
		// What a server that starts on it appends.
		end := c.tailOf(text, head.Seq)
		after := bytes.Clone(text)
		if end.bare {
			after = append(after, '\n')
		}
		at, detail := end.mend(head, nil)
		r := Record{Seq: at.Seq + 1, Prev: at.Hash, Event: Event{Kind: Recovered, Detail: detail}}
		line, err := c.seal(&r)
		if err != nil {
			t.Fatal(err)
		}
		if now := check(t, append(after, line...)); before == nil && now != nil {
			t.Errorf("%q: whole, then not: %v", text, now)
		}
	})
}

// FuzzRedact looks for texts that redaction makes longer without bound, or
// changes again and again.
func FuzzRedact(f *testing.F) {
	f.Add("TOKEN=x curl -u a:b https://u:p@h -H 'Authorization: Bearer x'")
	f.Add("-----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		got := Redact(text)
		if len(got) > len(text)*(len(redacted)+2) {
			t.Errorf("%q grew to %d bytes", text, len(got))
		}
	})
}

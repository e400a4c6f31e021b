package state

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

func TestRecords(t *testing.T) {
	changes := []change{
		{Jobs, "a", []byte("1")},
		{Nodes, "w/\x00\xff", []byte{}},
		{Jobs, "b", nil},
		{Keys, "long", bytes.Repeat([]byte("v"), 100000)},
	}
	data, err := appendRecord([]byte("before"), 7, changes)
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(data[len("before"):])
	seq, got, err := readRecord(r)
	if err != nil || seq != 7 || fmt.Sprint(got) != fmt.Sprint(changes) {
		t.Errorf("got %d, %v, %v", seq, got, err)
	}
	if got[1].value == nil || got[2].value != nil {
		t.Error("an empty value and a deletion must stay apart")
	}
	if _, _, err := readRecord(r); err != io.EOF {
		t.Errorf("at the end: got %v, want EOF", err)
	}
}

func FuzzJournal(f *testing.F) {
	data, err := appendRecord(nil, 1, []change{{Jobs, "a", []byte("1")}, {Jobs, "b", nil}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-1])
	f.Add(append([]byte{255, 255, 255, 255}, data...))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			seq, changes, err := readRecord(r)
			if err != nil {
				return
			}
			again, err := appendRecord(nil, seq, changes)
			if err != nil {
				t.Fatal(err)
			}
			if _, got, err := readRecord(bytes.NewReader(again)); err != nil || fmt.Sprint(got) != fmt.Sprint(changes) {
				t.Errorf("read back %v, %v; want %v", got, err, changes)
			}
		}
	})
}

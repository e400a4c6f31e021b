package datetime

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mirage/shell/timezone"
)

// base is a Monday in New York's standard time.
var base = time.Date(2026, 11, 30, 18, 0, 0, 500, time.UTC)

func TestParseRelativeToNow(t *testing.T) {
	tests := []struct{ zone, text, want string }{
		{"UTC", "", "2026-11-30 00:00:00.000000000"},
		{"UTC", "now", "2026-11-30 18:00:00.000000500"},
		{"UTC", "today", "2026-11-30 18:00:00.000000500"},
		{"UTC", "yesterday", "2026-11-29 18:00:00.000000500"},
		{"UTC", "tomorrow 10:00", "2026-12-01 10:00:00.000000000"},
		{"UTC", "now + 1 hour", "2026-11-30 19:00:00.000000500"},
		{"UTC", "2 hours ago", "2026-11-30 16:00:00.000000500"},
		{"UTC", "1.5 sec ago", "2026-11-30 17:59:58.500000500"},
		{"UTC", "10:00 -2 days", "2026-12-01 12:00:00.000000000"},
		{"UTC", "- 2 days", "2026-11-28 18:00:00.000000500"},
		{"UTC", "1d", "2026-11-29 21:00:00.000000000"},
		{"UTC", "monday", "2026-11-30 00:00:00.000000000"},
		{"UTC", "next monday", "2026-12-07 00:00:00.000000000"},
		{"UTC", "last mon", "2026-11-23 00:00:00.000000000"},
		{"UTC", "third mon", "2026-12-21 00:00:00.000000000"},
		{"UTC", "mon 2 weeks", "2026-12-14 00:00:00.000000000"},
		{"UTC", "68 mon -2 month", "2028-01-20 00:00:00.000000000"},
		{"UTC", "12am", "2026-11-30 00:00:00.000000000"},
		{"UTC", "12:30 p.m.", "2026-11-30 12:30:00.000000000"},
		{"UTC", "1/2", "2026-01-02 00:00:00.000000000"},
		{"UTC", "5 may.", "2026-05-05 00:00:00.000000000"},
		{"UTC", "10", "2026-11-30 10:00:00.000000000"},
		{"UTC", "2024", "2026-11-30 20:24:00.000000000"},
		{"UTC", "UTC", "2026-11-30 00:00:00.000000000"},
		{"UTC", "fortnight", "2026-12-14 18:00:00.000000500"},
		{"UTC", "(a comment) now", "2026-11-30 18:00:00.000000500"},
		{"America/New_York", "month ago", "2026-10-30 14:00:00.000000500"},
		{"America/New_York", `TZ="Asia/Tokyo" 00:00`, "2026-11-30 10:00:00.000000000"},
		{"UTC", "foo", "bad"},
		{"UTC", "24:00", "bad"},
		{"UTC", "T - 4", "bad"},
		{"UTC", "10:00 am pm", "bad"},
		{"UTC", "5 Jan 10:00", "bad"},
		{"UTC", "9999999999 days", "bad"},
		{"UTC", "99999999999999999999 days", "bad"},
	}
	for _, tt := range tests {
		got := "bad"
		if at, err := Parse(tt.text, base.In(timezone.Of(tt.zone))); err == nil {
			got = Format("%F %T.%N", at)
		}
		if got != tt.want {
			t.Errorf("%s: Parse(%q) = %s, want %s", tt.zone, tt.text, got, tt.want)
		}
	}
}

// absolute are texts that mean the same whenever they are read.
var absolute = []struct{ zone, text, want string }{
	{"UTC", "1997-01-19 08:17:48 +0", "1997-01-19 08:17:48.000000000 +0000"},
	{"UTC", "1997-01-19 08:17:48 +0 7 months ago", "1996-06-19 08:17:48.000000000 +0000"},
	{"UTC", "20050101 +1 day", "2005-01-02 00:00:00.000000000 +0000"},
	{"UTC", "20240101 1030", "2024-01-01 10:30:00.000000000 +0000"},
	{"UTC", "@1.5", "1970-01-01 00:00:01.500000000 +0000"},
	{"UTC", "@-1.5", "1969-12-31 23:59:58.500000000 +0000"},
	{"UTC", "@5 UTC", "bad"},
	{"UTC", "12/31/2024 10:00 PM", "2024-12-31 22:00:00.000000000 +0000"},
	{"UTC", "2024/1/2", "2024-01-02 00:00:00.000000000 +0000"},
	{"UTC", "1/2/68", "2068-01-02 00:00:00.000000000 +0000"},
	{"UTC", "1/2/69", "1969-01-02 00:00:00.000000000 +0000"},
	{"UTC", "17-JUN-1992", "1992-06-17 00:00:00.000000000 +0000"},
	{"UTC", "May-23-2003", "2003-05-23 00:00:00.000000000 +0000"},
	{"UTC", "17 June 1992 5pm", "1992-06-17 17:00:00.000000000 +0000"},
	{"UTC", "June 17, 1992", "1992-06-17 00:00:00.000000000 +0000"},
	{"UTC", "Mon, 15 Jan 2024 10:11:12 -0800", "2024-01-15 18:11:12.000000000 +0000"},
	{"UTC", "2024-01-01T10:00Z", "2024-01-01 10:00:00.000000000 +0000"},
	{"UTC", "2024-01-01T10:00:00,123456789+05:30", "2024-01-01 04:30:00.123456789 +0000"},
	{"UTC", "2024-01-01 T", "bad"},
	{"UTC", "2024-02-30", "bad"},
	{"UTC", "2024-01-01 10:00:60", "bad"},
	{"UTC", "2024-01-15 12:00 EST PST", "bad"},
	{"UTC", "2024-01-15 12:00 EST DST", "2024-01-15 16:00:00.000000000 +0000"},
	{"UTC", "2024-01-15 12:00 UTC+5:30", "2024-01-15 06:30:00.000000000 +0000"},
	{"UTC", "2147483647-01-01", "+2147483647-01-01 00:00:00.000000000 +0000"},
	{"UTC", "2147485548-01-01", "bad"},
	{"UTC", "1970-01-01 00:00:00.1234567 UTC +961062237.987654321 sec", "2000-06-15 09:43:58.111111021 +0000"},
	{"America/New_York", "2024-03-10 02:30", "bad"},
	{"America/New_York", "2024-03-09 02:30 tomorrow", "2024-03-10 03:30:00.000000000 -0400"},
	{"America/New_York", "2024-07-01 12:00 EDT", "2024-07-01 12:00:00.000000000 -0400"},
	{"America/New_York", "2024-07-01 12:00 EST", "bad"},
	{"PST8PDT,M4.1.0,M10.5.0", "2006-04-23 21 days ago", "2006-04-02 00:00:00.000000000 -0800"},
	{"XXX-12:34:56", "2024-01-01", "2024-01-01 00:00:00.000000000 +1234"},
	{"Foo/Bar", "2024-01-01", "2024-01-01 00:00:00.000000000 +0000"},
	{"UTC", `TZ="America/New_York" 2024-07-01 12:00`, "2024-07-01 16:00:00.000000000 +0000"},
	{"UTC", `TZ="""`, "bad"},
}

func TestParseAbsolute(t *testing.T) {
	for _, tt := range absolute {
		got := "bad"
		if at, err := Parse(tt.text, base.In(timezone.Of(tt.zone))); err == nil {
			got = Format("%F %T.%N %z", at)
		}
		if got != tt.want {
			t.Errorf("%s: Parse(%q) = %s, want %s", tt.zone, tt.text, got, tt.want)
		}
	}
}

// gnuDate runs the real date; the test is skipped without one, unless the
// environment demands it.
func gnuDate(t *testing.T, zone string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("date")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"TZ=" + zone, "LC_ALL=C"}
	out, err := cmd.Output()
	return strings.TrimSuffix(string(out), "\n"), err
}

func TestParseAbsoluteReal(t *testing.T) {
	for _, tt := range absolute {
		got, err := gnuDate(t, tt.zone, "-d", tt.text, "+%F %T.%N %z")
		if err != nil {
			got = "bad"
		}
		if got != tt.want {
			t.Errorf("%s: date -d %q = %s, want %s", tt.zone, tt.text, got, tt.want)
		}
	}
}

// layouts joins every conversion with flags and widths.
func layouts() string {
	var b strings.Builder
	for _, c := range strings.Fields("% n t a A b B h p P Z z :z ::z :::z ::::z c D x r R T X F C g G y Y N d e H k I l j m M S s q u w U W V + f i J K L Q v") {
		for _, f := range strings.Fields(". - _ 0 + ^ # 10 -10 _10 010 +10 ^20 E 1 3 +3 _3") {
			b.WriteString("[%" + strings.Trim(f, ".") + c + "]")
		}
	}
	return b.String()
}

func TestFormatReal(t *testing.T) {
	layout := layouts()
	for _, zone := range []string{"UTC", "America/New_York", "<-00>0", "XXX-12:34:56", "Asia/Kolkata"} {
		for _, at := range []string{"@0", "@1720000000.12", "@253402300800", "@-123456789", "@1704067199", "@1735600000"} {
			want, err := gnuDate(t, zone, "-d", at, "+"+layout)
			if err != nil {
				t.Fatal(err)
			}
			when, err := Parse(at, base.In(timezone.Of(zone)))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.SplitAfter(Format(layout, when), "]")
			wants := strings.SplitAfter(want, "]")
			for i, l := range strings.SplitAfter(layout, "]") {
				if i < len(got) && i < len(wants) && got[i] != wants[i] {
					t.Errorf("%s %s: Format(%s) = %q, want %q", zone, at, l, got[i], wants[i])
				}
			}
		}
	}
}

func TestFormat(t *testing.T) {
	at := time.Date(1999, 6, 1, 5, 4, 3, 120000000, time.UTC)
	tests := []struct{ layout, want string }{
		{"%F %T", "1999-06-01 05:04:03"},
		{"%3N|%N|%-10N|%_N", "120|120000000|12|12       "},
		{"%_H|%-d|%^a|%#Z", " 5|1|TUE|utc"},
		{"%_:z|%8:z|%+4C", " +0:00|+0000:00|+019"},
		{"100%|%Q|%5", "100%|%Q|   %5"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := Format(tt.layout, at); got != tt.want {
			t.Errorf("Format(%q) = %q, want %q", tt.layout, got, tt.want)
		}
	}
	if n := len(Format(strings.Repeat("%999999999d", 100), at)); n > maxPadding+100*maxWidth {
		t.Errorf("a layout of wide fields gives %d bytes", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, tt := range absolute {
		f.Add(tt.text)
	}
	f.Add("next month + 3.5 seconds ago (x")
	loc := timezone.Of("EST5EDT")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := Parse(text, base.In(loc))
		if err == nil && !Representable(at.Unix()) {
			t.Errorf("Parse(%q) = %v", text, at)
		}
	})
}

func FuzzFormat(f *testing.F) {
	f.Add(layouts(), int64(0))
	f.Fuzz(func(t *testing.T, layout string, unix int64) {
		if !Representable(unix) {
			t.Skip()
		}
		Format(layout, time.Unix(unix, 1).UTC())
	})
}

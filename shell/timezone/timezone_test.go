package timezone

import (
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	winter := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	summer := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	tests := []struct{ tz, winter, summer string }{
		{"", "12:00 UTC", "12:00 UTC"},
		{"UTC", "12:00 UTC", "12:00 UTC"},
		{":America/New_York", "07:00 EST", "08:00 EDT"},
		{"Asia/Kolkata", "17:30 IST", "17:30 IST"},
		{"EST5", "07:00 EST", "07:00 EST"},
		{"ABC-1:30", "13:30 ABC", "13:30 ABC"},
		{"<+03>-3", "15:00 +03", "15:00 +03"},
		{"EST5EDT,M3.2.0,M11.1.0", "07:00 EST", "08:00 EDT"},
		{"<A1>9<B2>,J100,J200", "12:00 ", "12:00 "},
		{"Foo/Bar", "12:00 Foo", "12:00 Foo"},
		{"FOO99", "12:00 FOO", "12:00 FOO"}, // 24 hours west
		{"AAA-012:99:07x", "00:59 AAA", "00:59 AAA"},
		{"Local", "12:00 Local", "12:00 Local"}, // never the machine's
		{"/etc/localtime", "12:00 ", "12:00 "},
		{"../../etc/localtime", "12:00 ", "12:00 "},
	}
	for _, tt := range tests {
		loc := Of(tt.tz)
		for want, at := range map[string]time.Time{tt.winter: winter, tt.summer: summer} {
			name, _ := at.In(loc).Zone()
			if got := at.In(loc).Format("15:04 ") + name; got != want {
				t.Errorf("%q at %v: %s, want %s", tt.tz, at, got, want)
			}
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, tz := range []string{"PST8PDT,M4.1.0,M10.5.0", "XXX-12:34:56", "<-00>0", "America/New_York", "EST5EDT4,J60/25:00,365/-3"} {
		f.Add(tz)
	}
	f.Fuzz(func(t *testing.T, tz string) {
		for _, unix := range []int64{0, 1 << 31, 1 << 40} {
			if name, _ := time.Unix(unix, 0).In(Of(tz)).Zone(); len(name) > len(tz)+3 {
				t.Errorf("%q is called %q", tz, name)
			}
		}
	})
}

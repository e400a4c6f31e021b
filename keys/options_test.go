package keys

import (
	"net"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseOptions(t *testing.T) {
	for _, tc := range []struct {
		field   string
		want    Options
		refused string
	}{
		{field: "no-pty", want: Options{NoPTY: true}},
		{field: "NO-PTY", want: Options{NoPTY: true}},
		{field: "restrict", want: Options{NoPTY: true}},
		{field: "restrict,pty", want: Options{}},
		{field: "pty,restrict", want: Options{NoPTY: true}},
		{field: "no-port-forwarding,no-agent-forwarding,no-X11-forwarding,no-user-rc", want: Options{}},
		{field: "port-forwarding,agent-forwarding,X11-forwarding,user-rc", want: Options{}},

		{field: `mirage-account="alice"`, want: Options{Account: "alice", HasAccount: true}},
		{field: `mirage-account`, want: Options{HasAccount: true, BadAccount: true}},
		{field: `mirage-account=""`, want: Options{HasAccount: true, BadAccount: true}},
		{field: `mirage-account="a",mirage-account="b"`, want: Options{Account: "b", HasAccount: true, BadAccount: true}},
		{field: `mirage-account,mirage-account="b"`, want: Options{Account: "b", HasAccount: true, BadAccount: true}},
		{field: `mirage-profile="ro"`, want: Options{Profile: "ro", HasProfile: true}},
		{field: `mirage-profile`, want: Options{HasProfile: true, BadProfile: true}},
		{field: `mirage-profile="a",mirage-profile="a"`, want: Options{Profile: "a", HasProfile: true, BadProfile: true}},

		{field: `command="ls -l"`, want: Options{Command: "ls -l", HasCommand: true}},
		{field: `command=""`, want: Options{HasCommand: true}},
		{field: `command="echo \"a b\" \n"`, want: Options{Command: `echo "a b" \n`, HasCommand: true}},
		{field: `command="a,b=c",no-pty`, want: Options{Command: "a,b=c", HasCommand: true, NoPTY: true}},
		{field: `from="10.0.0.0/8,!10.1.*"`, want: Options{From: []string{"10.0.0.0/8", "!10.1.*"}}},
		{field: `expiry-time="20300102Z"`, want: Options{Expiry: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)}},
		{field: `expiry-time="203001020304Z"`, want: Options{Expiry: time.Date(2030, 1, 2, 3, 4, 0, 0, time.UTC)}},
		{field: `expiry-time="20300102030405"`, want: Options{Expiry: time.Date(2030, 1, 2, 3, 4, 5, 0, time.Local)}},
		{field: `expiry-time="20300102Z",expiry-time="20290102Z"`, want: Options{Expiry: time.Date(2029, 1, 2, 0, 0, 0, 0, time.UTC)}},

		{field: "cert-authority", refused: "unknown key option"},
		{field: `environment="A=b"`, refused: "unknown key option"},
		{field: `permitopen="a:1"`, refused: "unknown key option"},
		{field: `principals="a"`, refused: "unknown key option"},
		{field: "verify-required", refused: "unknown key option"},
		{field: "no-touch-required", refused: "unknown key option"},
		{field: "no-restrict", refused: "unknown key option"},
		{field: "ptyx", refused: "unknown key option"},
		{field: `no-pty="x"`, refused: "unknown key option"},
		{field: `restrict"`, refused: "unknown key option"},
		{field: "no-pty,", refused: "unexpected end-of-options"},
		{field: "no-pty,,restrict", refused: "unknown key option"},
		{field: `command="a"x`, refused: "unknown key option"},
		{field: "command", refused: "missing value"},
		{field: "command=ls", refused: "missing start quote"},
		{field: "mirage-account=alice", refused: "missing start quote"},
		{field: `command="ls`, refused: "missing end quote"},
		{field: `command="a",command="b"`, refused: `multiple "command"`},
		{field: `from="a",from="b"`, refused: `multiple "from"`},
		{field: `from=""`, refused: "empty pattern"},
		{field: `from="a,,b"`, refused: "empty pattern"},
		{field: `from="10.0.0.1/8"`, refused: "inconsistent mask"},
		{field: `from="10.0.0.0/33"`, refused: "inconsistent mask"},
		{field: `expiry-time="2030"`, refused: "invalid expiry-time"},
		{field: `expiry-time="20301301"`, refused: "invalid expiry-time"},
		{field: `expiry-time="20300231"`, refused: "invalid expiry-time"},
		{field: `expiry-time="tomorrow"`, refused: "invalid expiry-time"},
		{field: `expiry-time="+2030010"`, refused: "invalid expiry-time"},
	} {
		t.Run(tc.field, func(t *testing.T) {
			got, err := parseOptions(tc.field)
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) {
					t.Fatalf("error %v, want one with %q", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !got.Expiry.Equal(tc.want.Expiry) {
				t.Errorf("expiry %v, want %v", got.Expiry, tc.want.Expiry)
			}
			got.Expiry, tc.want.Expiry = time.Time{}, time.Time{}
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func TestFrom(t *testing.T) {
	for _, tc := range []struct {
		from, ip string
		want     bool
	}{
		{"*", "192.0.2.7", true},
		{"192.0.2.7", "192.0.2.7", true},
		{"192.0.2.7", "192.0.2.70", false},
		{"192.0.2.*", "192.0.2.70", true},
		{"192.0.2.?", "192.0.2.70", false},
		{"192.0.2.0/24", "192.0.2.70", true},
		{"192.0.2.0/24", "192.0.3.70", false},
		{"192.0.2.0/24,!192.0.2.70", "192.0.2.70", false},
		{"!192.0.2.70,192.0.2.0/24", "192.0.2.70", false},
		{"!192.0.2.70", "192.0.2.71", false}, // a negation alone lets nobody in
		{"!192.0.2.70,*", "192.0.2.71", true},
		{"!192.0.0.0/16,*", "192.0.2.71", false},
		{"2001:DB8::1", "2001:db8::1", true},
		{"2001:db8::/32", "2001:db8:1::5", true},
		{"2001:DB8:*", "2001:db8:1::5", true},
		{"::ffff:192.0.2.7", "192.0.2.7", true},
		{"192.0.2.7", "::ffff:192.0.2.7", true},
		{"host.example.org", "192.0.2.7", false}, // no DNS
	} {
		o, err := parseOptions(Option("from", tc.from))
		if err != nil {
			t.Errorf("%s: %v", tc.from, err)
			continue
		}
		if got := o.allowsFrom(&net.TCPAddr{IP: net.ParseIP(tc.ip), Port: 9}); got != tc.want {
			t.Errorf("from=%q, peer %s: %v, want %v", tc.from, tc.ip, got, tc.want)
		}
	}
	o := Options{From: []string{"*"}}
	for _, addr := range []net.Addr{nil, (*net.TCPAddr)(nil), &net.UnixAddr{Name: "x"}, &net.TCPAddr{}} {
		if o.allowsFrom(addr) {
			t.Errorf("from=\"*\" lets in a peer with the address %v", addr)
		}
	}
}

func TestMatchPattern(t *testing.T) {
	for _, tc := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true},
		{"a*c", "abbc", true}, {"a*c", "abcd", false}, {"*bc", "abcbc", true},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"**a**", "xax", true},
		{strings.Repeat("*a", 50) + "b", strings.Repeat("a", 5000), false}, // no blow-up
	} {
		if got := matchPattern(tc.pattern, tc.s); got != tc.want {
			t.Errorf("matchPattern(%.20q, %.20q) = %v, want %v", tc.pattern, tc.s, got, tc.want)
		}
	}
}

func TestExpiry(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	o := Options{Expiry: at}
	for _, tc := range []struct {
		now  time.Time
		want bool
	}{
		{at.Add(-time.Second), false}, {at, false}, {at.Add(999 * time.Millisecond), false}, {at.Add(time.Second), true},
	} {
		if got := o.expired(tc.now); got != tc.want {
			t.Errorf("at %v: expired %v, want %v", tc.now, got, tc.want)
		}
	}
	if (Options{}).expired(at) {
		t.Error("a key without expiry-time expired")
	}
}

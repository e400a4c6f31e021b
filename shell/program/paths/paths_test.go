package paths

import "testing"

func TestBaseDir(t *testing.T) {
	for _, tc := range []struct{ path, base, dir string }{
		{"a/b", "b", "a"}, {"/a", "a", "/"}, {"a", "a", "."}, {"/", "/", "/"}, {"//", "/", "/"}, {"", "", "."},
		{"a//b//", "b", "a"}, {"a/", "a", "."}, {"/a/b/", "b", "/a"}, {"a/..", "..", "a"},
	} {
		if b, d := Base(tc.path), Dir(tc.path); b != tc.base || d != tc.dir {
			t.Errorf("%q: got %q in %q, want %q in %q", tc.path, b, d, tc.base, tc.dir)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{"/a/b", "/a/c", "../c"}, {"/a", "/a", "."}, {"/", "/a", "a"}, {"/a/b", "/", "../.."}, {"/a", "/ab", "../ab"},
	} {
		if got := Relative(tc.from, tc.to); got != tc.want {
			t.Errorf("%s to %s: got %s, want %s", tc.from, tc.to, got, tc.want)
		}
	}
	if !Below("/a", "/a/b") || Below("/a", "/ab") || !Below("/", "/x") || !Below("/a", "/a") {
		t.Error("Below is wrong")
	}
}

package workspace

import (
	"context"
	"errors"
	"strings"

	"mirage/shell/expand"
	"mirage/shell/vars"
)

// maxGlob bounds the bytes of the paths that Glob answers.
const maxGlob = 8 << 20

// Glob answers the absolute paths of all that the session sees and that
// matches, sorted, as bash finds them with globstar and extglob set. A
// relative pattern starts at the working directory.
func (s *Session) Glob(ctx context.Context, pattern string) ([]string, error) {
	dir := strings.TrimSuffix(s.Cwd(), "/") + "/"
	paths, err := expand.Globber{
		View: s.View(), Dir: dir, UTF8: true, Limit: maxGlob,
		Options: expand.Options{GlobStar: true, ExtGlob: true, GlobSkipDots: true},
	}.Glob(ctx, pattern)
	if errors.Is(err, vars.ErrMemory) {
		return nil, errorf(Invalid, "too_many_matches", "the pattern matches too many paths")
	}
	if !strings.HasPrefix(pattern, "/") {
		for i, p := range paths {
			paths[i] = dir + p
		}
	}
	return paths, err
}

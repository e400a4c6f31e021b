package jq

// streamer is the parser's --stream mode: instead of building values it makes
// events, [path, leaf] for each leaf and [path] at the end of each array or
// object that is not empty.
type streamer struct {
	levels []level
	events []any
	closed bool // the value before the next separator was a container
}

// level is an array or an object that is not closed yet.
type level struct {
	object bool
	n      int // elements before this one
	key    string
	hasKey bool
}

func (s *streamer) take() (any, bool) {
	if len(s.events) == 0 {
		return nil, false
	}
	e := s.events[0]
	s.events = s.events[1:]
	return e, true
}

func (s *streamer) reset() { s.levels, s.closed = s.levels[:0], false }

// path is that of the element at hand.
func (s *streamer) path() []any {
	list := make([]any, len(s.levels))
	for i, l := range s.levels {
		if l.object {
			list[i] = l.key
		} else {
			list[i] = float64(l.n)
		}
	}
	return list
}

func (s *streamer) scalar(v any) { s.events = append(s.events, []any{s.path(), v}) }

func (s *streamer) structure(p *parser, c byte) string {
	var top *level
	if n := len(s.levels); n > 0 {
		top = &s.levels[n-1]
	}
	some := p.has || s.closed
	switch c {
	case '[', '{':
		switch {
		case len(s.levels) >= maxDepth:
			return "Exceeds depth limit for parsing"
		case some:
			return "Expected a separator between values"
		case top != nil && top.object && !top.hasKey:
			return "Expected string key after '{', not '" + string(c) + "'"
		}
		s.levels = append(s.levels, level{object: c == '{'})
	case ':':
		key, isString := p.value.(string)
		switch {
		case !p.has:
			return "Expected string key before ':'"
		case top == nil || !top.object || top.hasKey:
			return "':' not as part of an object"
		case !isString:
			return "Object keys must be strings"
		}
		p.take()
		top.key, top.hasKey = key, true
	case ',':
		switch {
		case !some:
			return "Expected value before ','"
		case top == nil:
			return "',' not as part of an object or array"
		case top.object && !top.hasKey:
			return "Objects must consist of key:value pairs"
		}
		s.finish(p)
		top.n++
		top.hasKey = false
	default:
		if top == nil || top.object != (c == '}') {
			return "Unmatched '" + string(c) + "' at the top-level"
		}
		switch {
		case top.object && top.hasKey && !some, top.object && !top.hasKey && some:
			return "Objects must consist of key:value pairs"
		case !some && top.n > 0 && !top.object:
			return "Expected another array element"
		case !some && top.n > 0:
			return "Expected another key-value pair"
		}
		s.close(p, top, some)
	}
	return ""
}

// finish makes the event of a scalar in front of a separator.
func (s *streamer) finish(p *parser) {
	if p.has {
		s.scalar(p.take())
	}
	s.closed = false
}

func (s *streamer) close(p *parser, top *level, some bool) {
	if !some && top.n == 0 {
		var empty any = []any{}
		if top.object {
			empty = newObject(0)
		}
		s.levels = s.levels[:len(s.levels)-1]
		s.scalar(empty)
	} else {
		s.finish(p)
		s.events = append(s.events, []any{s.path()})
		s.levels = s.levels[:len(s.levels)-1]
	}
	s.closed = len(s.levels) > 0
}

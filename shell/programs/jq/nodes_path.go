package jq

// pathNode is "path(body)".
type pathNode struct{ body node }

type pathFrame struct{ saved }

// enterPaths makes the machine follow paths from its value on.
func (m *machine) enterPaths() {
	m.path = &path{at: m.value}
	m.allocated += 48
}

func (n *pathNode) exec(m *machine) node {
	m.frame = &pathFrame{m.save()}
	m.enterPaths()
	return n.body
}

func (f *pathFrame) resume(m *machine) node {
	list, err := m.leavePaths()
	if err != nil {
		return m.raise(err)
	}
	m.frame, m.env, m.path = f.to, f.env, f.path
	m.value = list
	return nil
}

// leavePaths answers the path of the machine's value.
func (m *machine) leavePaths() ([]any, error) {
	if !same(m.path.at, m.value) {
		return nil, errorText("Invalid path expression with result " + brief(m.value))
	}
	list := m.path.list()
	m.allocated += sizeElement * int64(len(list))
	return list, nil
}

// updateNode is "target |= update": each path of target gets the first output
// of update on what is there, and is deleted when there is none.
type updateNode struct{ target, update node }

// updateState is what an update has come to.
type updateState struct {
	value   any
	deleted []any
	owned   bool // the top of value belongs to this update
}

func (s *updateState) held(c *counter) {
	c.add(s.value)
	c.add(s.deleted)
}

func (s *updateState) retry(m *machine) node {
	v, err := deletePaths(s.value, s.deleted)
	return m.output(v, err)
}

type updateFrame struct {
	link
	env   *env
	n     *updateNode
	state *updateState
}

func (n *updateNode) exec(m *machine) node {
	state := &updateState{value: m.value}
	m.pushAlternative(state)
	m.frame = &updateFrame{link{m.frame}, m.env, n, state}
	m.allocated += 160
	m.enterPaths()
	return n.target
}

func (f *updateFrame) resume(m *machine) node {
	list, err := m.leavePaths()
	if err != nil {
		return m.raise(err)
	}
	v, err := getPath(f.state.value, list)
	if err != nil {
		return m.raise(err)
	}
	height := len(m.choices)
	m.pushAlternative(&updateEmpty{f.state, list})
	m.frame, m.env, m.value, m.path = &updateSet{link{f.to}, f.state, list, height}, f.env, v, nil
	m.allocated += 96
	return f.n.update
}

// updateEmpty is reached when update has had no output.
type updateEmpty struct {
	state *updateState
	list  []any
}

func (e *updateEmpty) retry(m *machine) node {
	e.state.deleted = append(e.state.deleted, e.list)
	return m.backtrack()
}

// updateSet takes the first output of update.
type updateSet struct {
	link
	state  *updateState
	list   []any
	height int
}

func (f *updateSet) resume(m *machine) node {
	m.cut(f.height)
	if err := f.state.set(m, f.list, m.value); err != nil {
		m.frame = f.to
		return m.raise(err)
	}
	return m.backtrack()
}

// set sets a path of the state; its top is copied once.
func (s *updateState) set(m *machine, list []any, x any) error {
	v, err := setPathOwned(s.value, list, x, &s.owned)
	if err != nil {
		return err
	}
	m.allocated += sizeMember * int64(len(list)+1)
	s.value = v
	return nil
}

// setPathOwned is setPath on a value whose top may be changed in place once
// owned is set.
func setPathOwned(v any, list []any, x any, owned *bool) (any, error) {
	if err := pathTooDeep(list); err != nil {
		return nil, err
	}
	if !*owned && len(list) > 0 {
		switch top := v.(type) {
		case []any:
			v = append(make([]any, 0, len(top)+1), top...)
		case *Object:
			v = top.clone()
		}
	}
	out, err := setPathAt(v, list, x, true)
	if err != nil {
		return nil, err
	}
	*owned = len(list) > 0
	return out, nil
}

// assignNode is "target = value" for one value, a variable up away.
type assignNode struct {
	target node
	up     int
}

type assignFrame struct {
	link
	state *updateState
	with  any
}

func (n *assignNode) exec(m *machine) node {
	state := &updateState{value: m.value}
	m.pushAlternative(state)
	m.frame = &assignFrame{link{m.frame}, state, m.env.up(n.up).value}
	m.allocated += 160
	m.enterPaths()
	return n.target
}

func (f *assignFrame) resume(m *machine) node {
	list, err := m.leavePaths()
	if err == nil {
		err = f.state.set(m, list, f.with)
	}
	if err != nil {
		return m.raise(err)
	}
	return m.backtrack()
}

func (f *assignFrame) held(c *counter) { c.add(f.with) }

// getPathNode is "getpath(p)", which is a path expression itself.
func getPathApply(m *machine, args []any) node {
	list, ok := args[0].([]any)
	if !ok {
		return m.raise(errorText("Path must be specified as an array"))
	}
	if m.path != nil && !same(m.path.at, m.value) {
		return m.raise(errorText("Invalid path expression with result " + brief(m.value)))
	}
	v, err := getPath(m.value, list)
	if err != nil {
		return m.raise(err)
	}
	if m.path == nil {
		m.value = v
		return nil
	}
	p := m.path
	for _, k := range list {
		p = &path{p, k, nil}
		m.allocated += 48
	}
	if len(list) > 0 {
		p.at = v
	}
	m.path, m.value = p, v
	return nil
}

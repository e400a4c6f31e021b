package jq

// The machine notes roughly what it allocates. When that has come to its
// budget, the values that can still be reached are counted: more than the limit
// is an error, anything less allows as much again as is left.

// Rough sizes of values, in bytes.
const (
	sizeElement = 16
	sizeNumber  = 8
	sizeString  = 16
	sizeMember  = 56
	sizeFrame   = 80

	sizeContainer = 64
)

// firstCount is after how much is counted for the first time.
const firstCount = 1 << 20

// grow notes an allocation.
func (m *machine) grow(bytes int) { m.allocated += int64(bytes) }

// count measures what is reachable.
func (m *machine) count() error {
	c := counter{seen: map[any]bool{}, limit: m.limit}
	c.add(m.value)
	c.path(m.path)
	c.env(m.env)
	c.frame(m.frame)
	for i := range m.choices {
		ch := &m.choices[i]
		c.total += 96
		c.add(ch.value)
		c.path(ch.path)
		c.env(ch.env)
		c.frame(ch.frame)
		if h, ok := ch.alt.(holder); ok {
			h.held(&c)
		}
	}
	if err := c.run(m); err != nil {
		return err
	}
	// What is left may be allocated before the next count, but not much more
	// than is there already: others share the memory.
	m.allocated, m.budget = 0, min(max(m.limit-c.total, m.limit/8), max(c.total, firstCount))
	if !m.held.Hold(min(c.total+m.budget, m.limit)) {
		return errMemory
	}
	return nil
}

// holder is a frame or an alternative that holds values.
type holder interface {
	held(c *counter)
}

// counter walks values without recursion and counts each once.
type counter struct {
	seen  map[any]bool
	work  []any
	total int64
	limit int64
}

func (c *counter) add(v any) {
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			c.work = append(c.work, v)
		}
	case *Object:
		c.work = append(c.work, v)
	case string:
		c.total += sizeString + int64(len(v))
	case float64:
		c.total += sizeNumber
	case *literal:
		c.total += sizeNumber + sizeString + int64(len(v.text))
	}
}

// once answers whether a pointer is met for the first time.
func (c *counter) once(p any) bool {
	if c.seen[p] {
		return false
	}
	c.seen[p] = true
	return true
}

func (c *counter) path(p *path) {
	for ; p != nil && c.once(p); p = p.parent {
		c.total += 48
		c.add(p.key)
		c.add(p.at)
	}
}

func (c *counter) env(e *env) {
	for e != nil && c.once(e) {
		c.total += 40
		c.add(e.value)
		if e.closure != nil {
			c.env(e.closure.env)
		}
		e = e.parent
	}
}

func (c *counter) frame(f frame) {
	for f != nil && c.once(f) {
		c.total += sizeFrame
		if h, ok := f.(holder); ok {
			h.held(c)
		}
		f = f.next()
	}
}

// run works through what was added.
func (c *counter) run(m *machine) error {
	for n := 0; len(c.work) > 0; n++ {
		if n%1024 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		if c.total > c.limit {
			return errMemory
		}
		v := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		switch v := v.(type) {
		case []any:
			if !c.once(&v[0]) {
				continue
			}
			c.total += sizeElement * int64(len(v))
			for _, x := range v {
				c.add(x)
			}
		case *Object:
			if !c.once(v) {
				continue
			}
			c.total += sizeContainer + sizeMember*int64(v.len())
			for _, x := range v.values {
				c.add(x)
			}
		}
	}
	if c.total > c.limit {
		return errMemory
	}
	return nil
}

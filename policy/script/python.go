package script

import (
	"context"
	_ "embed" // worker.py
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"mirage/policy/script/worker"
	"mirage/vfs"
)

//go:embed worker.py
var workerProgram string

// python runs scripts in processes of the host's Python, which the operator
// has switched on. One process serves one evaluation after another; one that
// fails in any way is killed and another one started at the next call.
type python struct {
	command *worker.Command
	source  []byte

	mu     sync.Mutex
	idle   *worker.Process
	busy   map[*worker.Process]bool
	closed bool
}

func newPython(name string, source []byte, p *Python) (*python, error) {
	if p == nil {
		return nil, fmt.Errorf("policy script %s: the runtime python is not switched on", name)
	}
	program := p.Path
	if program == "" {
		program = "python3"
	}
	command, err := worker.Confine(program, "-I", "-S", "-B", "-X", "utf8", "-c", workerProgram)
	if err != nil {
		return nil, fmt.Errorf("policy script %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), DefaultTimeout)
	defer cancel()
	if err := command.Try(ctx); err != nil {
		return nil, fmt.Errorf("policy script %s: cannot confine a worker: %w", name, err)
	}
	return &python{command: command, source: source, busy: map[*worker.Process]bool{}}, nil
}

// take answers a process for one evaluation; nobody else has it.
func (e *python) take() (p *worker.Process, fresh bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, false, errClosed
	}
	p, e.idle = e.idle, nil
	if p == nil {
		if p, err = e.command.Start(); err != nil {
			return nil, false, err
		}
		fresh = true
	}
	e.busy[p] = true
	return p, fresh, nil
}

// give takes a process back; one that is not whole is killed.
func (e *python) give(p *worker.Process, whole bool) {
	e.mu.Lock()
	delete(e.busy, p)
	keep := whole && !e.closed && e.idle == nil
	if keep {
		e.idle = p
	}
	e.mu.Unlock()
	if !keep {
		p.Kill()
	}
}

// close kills every process and returns when they are gone.
func (e *python) close() error {
	e.mu.Lock()
	e.closed = true
	all := make([]*worker.Process, 0, len(e.busy)+1)
	if e.idle != nil {
		all = append(all, e.idle)
		e.idle = nil
	}
	for p := range e.busy {
		all = append(all, p)
	}
	e.mu.Unlock()
	for _, p := range all {
		p.Kill()
	}
	return nil
}

func (e *python) eval(ctx context.Context, hook Hook, input []byte, files *gate) (value, uint32, error) {
	for {
		p, fresh, err := e.take()
		if err != nil {
			return value{}, 0, err
		}
		stop := context.AfterFunc(ctx, p.Kill)
		c := &conversation{p: p, files: files}
		r, err := c.hold(fresh, e.source, hook, input)
		e.give(p, stop() && err == nil)
		switch {
		case err == nil:
			return r.outcome()
		case !fresh && !c.heard && ctx.Err() == nil:
			// It had ended while nobody needed it.
		default:
			return value{}, 0, err
		}
	}
}

// conversation is one call over the lines of a worker. What the worker says is
// not believed further than a script's answer is: it says what the script wants.
type conversation struct {
	p     *worker.Process
	files *gate
	heard bool // the worker said something
}

// said is a line of a worker: a question about files when Op is set, else the
// result of the call.
type said struct {
	Op   string `json:"op"`
	Path []byte `json:"path"`

	Defined []Hook `json:"defined"`
	Kind    string `json:"kind"`
	Key     string `json:"key"`
	Text    string `json:"text"`
	Error   string `json:"error"`
	Syntax  string `json:"syntax"`
}

// answered is what a worker hears about a file.
type answered struct {
	Errno int      `json:"errno,omitempty"`
	Data  []byte   `json:"data"`
	Size  int64    `json:"size"`
	Dir   bool     `json:"dir"`
	Names [][]byte `json:"names"`
}

func (c *conversation) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := c.p.Send(line); err != nil {
		_, err = c.p.Receive() // tells why it ended
		if err == nil {
			err = errors.New("the worker ended")
		}
		return err
	}
	return nil
}

func (c *conversation) hold(fresh bool, source []byte, hook Hook, input []byte) (said, error) {
	if fresh {
		if err := c.send(map[string]any{"source": source}); err != nil {
			return said{}, err
		}
	}
	if input == nil {
		input = []byte("null")
	}
	if err := c.send(map[string]any{"hook": hook, "input": json.RawMessage(input)}); err != nil {
		return said{}, err
	}
	for {
		line, err := c.p.Receive()
		if err != nil {
			return said{}, err
		}
		c.heard = true
		var s said
		if err := json.Unmarshal(line, &s); err != nil {
			return said{}, errors.New("the worker said what is no answer")
		}
		if s.Op == "" {
			return s, nil
		}
		a, err := c.ask(s)
		if err != nil {
			return said{}, err
		}
		if err := c.send(a); err != nil {
			return said{}, err
		}
	}
}

// ask answers a question about files. An error ends the evaluation.
func (c *conversation) ask(s said) (answered, error) {
	a := answered{Names: [][]byte{}}
	path := string(s.Path)
	var err error
	switch s.Op {
	case "read":
		a.Data, err = c.files.readFile(path)
	case "stat":
		a.Size, a.Dir, err = c.files.stat(path)
	case "list":
		var names []string
		names, err = c.files.readDir(path)
		for _, n := range names {
			a.Names = append(a.Names, []byte(n))
		}
	default:
		return a, errors.New("the worker said what is no answer")
	}
	if err == nil {
		return a, nil
	}
	var end fatal
	if errors.As(err, &end) {
		return a, end.error
	}
	return answered{Errno: int(vfs.Errno(err))}, nil
}

// outcome reads the result of a call.
func (s said) outcome() (value, uint32, error) {
	switch {
	case s.Syntax != "":
		return value{}, 0, syntaxError{s.Syntax}
	case s.Error != "":
		return value{}, 0, errors.New(s.Error)
	}
	defined := uint32(0)
	for _, h := range s.Defined {
		defined |= bit(h)
	}
	switch s.Kind {
	case "none":
		return value{}, defined, nil
	case "text":
		return value{kind: text, text: s.Text}, defined, nil
	case "mapping":
		return value{kind: mapping, key: s.Key, text: s.Text}, defined, nil
	case "absurd":
		return noAnswer("%s", s.Text), defined, nil
	}
	return value{}, 0, errors.New("the worker said what is no answer")
}

package policy

import "mirage/internal/doc"

// Processes says what a session may not do with processes. The zero value
// forbids nothing.
type Processes struct {
	NoMetadata bool   // ps shows nothing of others than itself but their numbers
	NoDetails  bool   // nor the arguments of their commands
	NoControl  bool   // ps, kill and jobs reach none
	NoSpawn    bool   // nothing runs in the background
	Max        *int64 // at one time; nil for as many as any session
}

// parseProcesses reads `processes` of a profile.
func (p *Profile) parseProcesses(n doc.Node) (err error) {
	c := n.At("processes")
	if c.Value == nil {
		return nil
	}
	if err := c.Map("metadata", "details", "control", "spawn", "max"); err != nil {
		return err
	}
	for _, f := range []struct {
		key string
		not *bool
	}{{"metadata", &p.processes.NoMetadata}, {"details", &p.processes.NoDetails}, {"spawn", &p.processes.NoSpawn}} {
		at := c.At(f.key)
		if at.Value == nil {
			continue
		}
		on, ok := at.Value.(bool)
		if !ok {
			return at.Errorf("must be true or false")
		}
		*f.not = !on
	}
	if control := c.At("control"); control.Value != nil {
		text, err := control.String()
		if err != nil {
			return err
		}
		switch text {
		case "session":
		case "none":
			p.processes.NoControl = true
		case "workspace":
			return control.Unsupported() // each session has a table of its own
		default:
			return control.Errorf("unknown control '%s'; expected none or session", text)
		}
	}
	p.processes.Max, err = wholeNumber(c.At("max"))
	return err
}

// Processes answers what the profile says of processes, together with whatever
// it is laid over: the stricter counts.
func (p *Profile) Processes() Processes {
	if p == nil {
		return Processes{}
	}
	a, b := p.processes, p.base.Processes()
	return Processes{
		NoMetadata: a.NoMetadata || b.NoMetadata, NoDetails: a.NoDetails || b.NoDetails,
		NoControl: a.NoControl || b.NoControl, NoSpawn: a.NoSpawn || b.NoSpawn, Max: lower(a.Max, b.Max),
	}
}

package policy

import (
	"strings"

	"mirage/internal/doc"
)

// parseVars reads vars.hide: names of variables and patterns over them.
func (p *Profile) parseVars(n doc.Node) error {
	c := n.At("vars")
	if c.Value == nil {
		return nil
	}
	if err := c.Map("hide"); err != nil {
		return err
	}
	hide := c.At("hide")
	if hide.Value == nil {
		return nil
	}
	items, err := hide.List()
	if err != nil {
		return err
	}
	for _, item := range items {
		name, ok := item.Value.(string)
		if !ok {
			return hide.Errorf("must be a list of strings")
		}
		if strings.TrimSpace(name) == "" {
			return item.Errorf("must name a variable")
		}
		p.varHides = append(p.varHides, name)
	}
	return nil
}

// VarHidden implements Judge.
func (p *Profile) VarHidden(name string) bool {
	if p == nil {
		return false
	}
	for _, pattern := range p.varHides {
		if glob(pattern, name) {
			return true
		}
	}
	return p.base.VarHidden(name)
}

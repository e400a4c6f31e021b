package vars

import "strings"

// Saved is a variable as Dump and Load exchange it.
type Saved struct {
	Value string
	Set   bool
	Array map[int]string
	Assoc map[string]string
	Keys  []string // of Assoc, in order
	Kind  string   // "", indexed, associative
	Flags string   // of declare: x r i l u c n t
}

// Dump answers the global variables that are worth keeping: not the dynamic
// ones, not those of open scopes.
func (v *Vars) Dump() map[string]Saved {
	out := make(map[string]Saved, len(v.table))
	for name, va := range v.table {
		va = va.global()
		if va == nil || va.dyn != dynNone {
			continue
		}
		s := Saved{Set: va.set, Flags: Info{Attr: va.attr}.Letters()}
		switch va.kind {
		case Scalar:
			s.Value = va.str
		case Indexed:
			s.Kind = "indexed"
			s.Array = map[int]string{}
			if va.list != nil {
				va.list.each(func(i int64, e string) bool { s.Array[int(i)] = e; return true })
			}
		case Assoc:
			s.Kind = "associative"
			s.Assoc = map[string]string{}
			if va.hash != nil {
				va.hash.each(func(k, e string) bool {
					s.Assoc[k] = e
					s.Keys = append(s.Keys, k)
					return true
				})
			}
		}
		out[name] = s
	}
	return out
}

// Load puts saved variables into the global scope, over readonly ones too.
// It fails only for lack of memory; the variables that were loaded by then
// stay.
func (v *Vars) Load(saved map[string]Saved) error {
	for name, s := range saved {
		if !ValidName(name) {
			continue
		}
		if old := v.table[name]; old != nil {
			if old.dyn != dynNone {
				continue
			}
			v.own(old).attr = 0
			v.drop(v.table[name])
		}
		va := v.create(name)
		va.set = s.Set
		var size int64
		switch s.Kind {
		case "indexed":
			va.kind, va.list = Indexed, &indexed{}
			for i, e := range s.Array {
				if i >= 0 {
					va.list.set(int64(i), e)
				}
			}
			size = va.list.size
		case "associative":
			va.kind, va.hash = Assoc, newAssoc()
			// The table grows to the same size first; keys of one
			// bucket then go in last first, as their chain was.
			for i := len(s.Keys) - 1; i >= 0; i-- {
				if e, ok := s.Assoc[s.Keys[i]]; ok {
					va.hash.set(s.Keys[i], e)
				}
			}
			for k, e := range s.Assoc {
				va.hash.set(k, e)
			}
			size = va.hash.size
		default:
			va.str = s.Value
			size = int64(len(s.Value))
		}
		for _, f := range [...]struct {
			letter string
			attr   Attr
		}{
			{"x", Export}, {"r", ReadOnly}, {"i", Integer}, {"l", Lower}, {"u", Upper}, {"c", Capital},
			{"n", Nameref}, {"t", Trace},
		} {
			if strings.Contains(s.Flags, f.letter) {
				va.attr |= f.attr
			}
		}
		if err := v.charge(size); err != nil {
			delete(v.tableForChange(), name)
			return err
		}
		v.changed(va)
	}
	return nil
}

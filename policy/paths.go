package policy

// Paths answers the paths (absolute) that can be seen among the words of a
// command: what a person who is asked about it has to know.
func Paths(c Command) []string {
	if len(c.Argv) == 0 {
		return nil
	}
	name, _ := programName(&c)
	var list []string
	subs, _ := subjects(name, &c)
	for _, s := range subs {
		list = append(list, s.path)
	}
	return list
}

package jq

import "slices"

// sortValues sorts in place, equal values in the order given.
func sortValues(list []any) error {
	var failed error
	slices.SortStableFunc(list, func(a, b any) int {
		if failed != nil {
			return 0
		}
		c, err := compare(a, b)
		if err != nil {
			failed = err
		}
		return c
	})
	return failed
}

// keyed is an element and what it is sorted by.
type keyed struct{ key, value any }

func sortKeyed(values, keys []any) ([]keyed, error) {
	list := make([]keyed, len(values))
	for i := range values {
		list[i] = keyed{keys[i], values[i]}
	}
	var failed error
	slices.SortStableFunc(list, func(a, b keyed) int {
		if failed != nil {
			return 0
		}
		c, err := compare(a.key, b.key)
		if err != nil {
			failed = err
		}
		return c
	})
	return list, failed
}

// sortBy, groupBy and uniqueBy take the keys of all elements.
func sortBy(values, keys []any) (any, error) {
	list, err := sortKeyed(values, keys)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(list))
	for i, k := range list {
		out[i] = k.value
	}
	return out, nil
}

func groupBy(values, keys []any) (any, error) {
	list, err := sortKeyed(values, keys)
	if err != nil {
		return nil, err
	}
	out := []any{}
	var group []any
	for i, k := range list {
		if i > 0 {
			eq, err := equal(list[i-1].key, k.key)
			if err != nil {
				return nil, err
			}
			if !eq {
				out = append(out, group)
				group = nil
			}
		}
		group = append(group, k.value)
	}
	if group != nil {
		out = append(out, group)
	}
	return out, nil
}

func uniqueBy(values, keys []any) (any, error) {
	groups, err := groupBy(values, keys)
	if err != nil {
		return nil, err
	}
	list := groups.([]any)
	out := make([]any, len(list))
	for i, g := range list {
		out[i] = g.([]any)[0]
	}
	return out, nil
}

// extremeBy answers the element with the least or the greatest key: the first
// of the least, the last of the greatest.
func extremeBy(values, keys []any, least bool) (any, error) {
	if len(values) == 0 {
		return nil, nil
	}
	best := 0
	for i := 1; i < len(values); i++ {
		c, err := compare(keys[i], keys[best])
		if err != nil {
			return nil, err
		}
		if (c < 0) == least {
			best = i
		}
	}
	return values[best], nil
}

// Package group puts together what belongs together.
package group

// By puts what has the same key together, in the order in which the keys come first.
func By[K comparable, T any](list []T, key func(T) K) [][]T {
	var groups [][]T
	at := map[K]int{}
	for _, x := range list {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

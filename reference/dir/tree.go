package dir

import "strings"

// tree keeps values by path, and knows what lies below one without looking at the rest.
type tree[V any] struct {
	values map[string]V
	within map[string]map[string]bool // by directory: what lies in it, files and directories with values below
	looked int                        // how many paths below has looked at, for tests
}

func newTree[V any]() tree[V] {
	return tree[V]{values: map[string]V{}, within: map[string]map[string]bool{}}
}

// parent is the directory in which a path lies; that of the top is ".".
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

func (t *tree[V]) put(path string, v V) {
	t.values[path] = v
	for path != "." {
		in := parent(path)
		if t.within[in][path] {
			return
		}
		if t.within[in] == nil {
			t.within[in] = map[string]bool{}
		}
		t.within[in][path] = true
		path = in
	}
}

func (t *tree[V]) remove(path string) {
	delete(t.values, path)
	for path != "." && !t.has(path) && t.within[path] == nil {
		in := parent(path)
		if delete(t.within[in], path); len(t.within[in]) == 0 {
			delete(t.within, in)
		}
		path = in
	}
}

func (t *tree[V]) has(path string) bool {
	_, has := t.values[path]
	return has
}

// below are the paths with values at a path and below it, in no order.
func (t *tree[V]) below(path string) []string {
	var all []string
	t.looked++
	if t.has(path) {
		all = append(all, path)
	}
	for inner := range t.within[path] {
		all = append(all, t.below(inner)...)
	}
	return all
}

func (t *tree[V]) clear() {
	clear(t.values)
	clear(t.within)
}

package yamlfile

import (
	"fmt"
	"reflect"
	"strings"
)

// fieldsOf maps the names of a struct's fields to their index, those of embedded structs
// included that are tagged ",inline".
func fieldsOf(t reflect.Type) map[string][]int {
	fields := make(map[string][]int, t.NumField())
	for _, f := range reflect.VisibleFields(t) {
		if n := tag(f); n != "" && f.IsExported() && inlined(t, f.Index) {
			fields[n] = f.Index
		}
	}
	return fields
}

// inlined reports whether a field is one of the struct itself or of structs that it inlines.
func inlined(t reflect.Type, index []int) bool {
	for i := range len(index) - 1 {
		if t.FieldByIndex(index[:i+1]).Tag.Get("yaml") != ",inline" {
			return false
		}
	}
	return true
}

// names lists the names of a struct's fields in the order of declaration.
func names(t reflect.Type) []string {
	var found []string
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && tag(f) != "" && inlined(t, f.Index) {
			found = append(found, tag(f))
		}
	}
	return found
}

// tag is the name of a field in files; empty if it has none.
func tag(f reflect.StructField) string {
	n, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if n == "-" {
		return ""
	}
	return n
}

// example is a field of a struct, for messages.
func example(t reflect.Type) string {
	if all := names(t); len(all) > 0 {
		return all[0]
	}
	return "name"
}

func join(path, k string) string {
	if path == "" {
		return k
	}
	return path + "." + k
}

func within(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// suggest ends a message about an unknown name.
func suggest(given string, known []string) string {
	if near := Nearest(given, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	if len(known) == 0 {
		return ""
	}
	return ": the fields here are " + strings.Join(known, ", ")
}

// Nearest is the known name that somebody who wrote given is likely to have
// meant, or empty if none is near.
func Nearest(given string, known []string) string {
	if len(given) > 64 {
		return ""
	}
	g := fold(given)
	best, least := "", len(g)/3+2
	for _, k := range known {
		f := fold(k)
		n := distance(g, f)
		if f == g+"s" || g == f+"s" {
			n = min(n, 1)
		}
		if n < least && n < max(len(f), len(g)) {
			best, least = k, n
		}
	}
	return best
}

// fold drops what people vary: case, hyphens and underscores.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// distance is the number of single-byte insertions, deletions, substitutions
// and swaps of neighbours that lead from a to b.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	before, last, row := rows[0], rows[1], rows[2]
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

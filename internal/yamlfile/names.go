package yamlfile

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
)

// fieldsOf lists the names of a struct's fields in the order of declaration, those of embedded
// structs included that are tagged ",inline", and where each is.
func fieldsOf(t reflect.Type) (names []string, index map[string][]int) {
	index = make(map[string][]int, t.NumField())
	for _, f := range reflect.VisibleFields(t) {
		if n := tag(f); n != "" && f.IsExported() && inlined(t, f.Index) {
			names = append(names, n)
			index[n] = f.Index
		}
	}
	return names, index
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
	if all, _ := fieldsOf(t); len(all) > 0 {
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

// mistaken is the field of a struct that other names are mistaken for, which its tag
// `mistaken:"NAME,..."` lists; empty if given is none of them.
func mistaken(t reflect.Type, given string) string {
	for _, f := range reflect.VisibleFields(t) {
		if slices.Contains(strings.Split(f.Tag.Get("mistaken"), ","), fold(given)) {
			return tag(f)
		}
	}
	return ""
}

// suggest ends a message about an unknown name.
func suggest(given string, t reflect.Type) string {
	known, _ := fieldsOf(t)
	if first, rest, dotted := strings.Cut(given, "."); dotted && slices.Contains(known, first) {
		return ": write " + spread(first, rest)
	}
	if hint := DidYouMean(cmp.Or(mistaken(t, given), given), known); hint != "" {
		return hint
	}
	if len(known) == 0 {
		return ""
	}
	return ": the fields here are " + strings.Join(known, ", ")
}

// spread is a field below another one as files have it: messages name it by its path.
func spread(first, rest string) string {
	if rest, below, more := strings.Cut(rest, "."); more {
		return first + ": {" + spread(rest, below) + "}"
	}
	return first + ": {" + rest + ": …}"
}

// DidYouMean ends a message about a name that is none of those known: it asks for the nearest, and is empty
// if none is near.
func DidYouMean(given string, known []string) string {
	if near := Nearest(given, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
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
		n := nearest.Edits(g, f)
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

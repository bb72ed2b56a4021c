package requirement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// reader collects what is wrong with a file that could be decoded.
type reader struct {
	index    *yamlfile.Index
	problems []yamlfile.Problem
}

func (r *reader) fail(path, format string, args ...any) {
	r.problems = append(r.problems, r.index.Problem(path, format, args...))
}

func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &yamlfile.Error{File: r.index.File, Problems: r.problems}
}

// oneOf wants a value of a closed set.
func oneOf[T ~string](r *reader, path string, value T, known ...T) {
	if slices.Contains(known, value) {
		return
	}
	names := texts(known)
	field := path[strings.LastIndex(path, ".")+1:]
	r.fail(path, "%s must be one of %s, not %q%s", field, strings.Join(names, ", "), value, didYouMean(string(value), names))
}

// didYouMean ends a message about an unknown name.
func didYouMean(given string, known []string) string {
	slices.Sort(known)
	if near := yamlfile.Nearest(given, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// span wants bounds that are revisions, the first not after the last.
func (r *reader) span(path string, s Span) bool {
	ok := true
	for _, x := range []struct {
		name string
		rev  Revision
	}{{"since", s.Since}, {"until", s.Until}} {
		if x.rev != "" && !x.rev.Known() {
			r.fail(path+"."+x.name, "%q is no revision: the revisions are %s", x.rev, strings.Join(texts(Revisions()), ", "))
			ok = false
		}
	}
	if ok && len(s.revisions()) == 0 {
		r.fail(path+".until", "no revision is since %s and until %s", s.Since, s.Until)
		ok = false
	}
	return ok
}

// inside wants bounds that another span holds.
func (r *reader) inside(path string, s, outer Span, of string) bool {
	for _, rev := range []Revision{s.Since, s.Until} {
		if rev.Known() && !outer.Holds(rev) {
			r.fail(path, "%s does not stand in %s", of, rev)
			return false
		}
	}
	return true
}

// texts is a list of names as strings.
func texts[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = string(x)
	}
	return words
}

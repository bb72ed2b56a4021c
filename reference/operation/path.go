package operation

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// step is one part of a path.
type step struct {
	name  string // of a member; empty for an element
	index int    // of an element; -1 is the last
	every bool   // [*]
	more  bool   // [+]
	there bool   // name?
}

// path leads to a member.
type path []step

// parsePath reads a path. The empty path leads to the whole.
func parsePath(s string) (path, error) {
	var p path
	rest := s
	for rest != "" {
		var next step
		var err error
		switch {
		case strings.HasPrefix(rest, "["):
			next, rest, err = bracket(rest)
		default:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			next.name, rest = rest[:end], rest[end:]
			next.name, next.there = strings.CutSuffix(next.name, "?")
			if next.name == "" {
				err = fmt.Errorf("a name is missing")
			}
		}
		if err == nil && strings.HasPrefix(rest, ".") {
			if rest = rest[1:]; rest == "" {
				err = fmt.Errorf("a name is missing at the end")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no path: %w", s, err)
		}
		p = append(p, next)
	}
	if len(p) == 2 && p[0].name == "header" || len(p) == 3 && p[0].name == "request" &&
		p[1].name == "header" {
		p[len(p)-1].name = http.CanonicalHeaderKey(p[len(p)-1].name)
	}
	return p, nil
}

// bracket reads what stands in brackets.
func bracket(s string) (next step, rest string, err error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(quoted):], "]") {
			return next, "", fmt.Errorf("a quoted name does not end")
		}
		next.name, _ = strconv.Unquote(quoted) // has been seen to be quoted
		if next.name == "" {
			return next, "", fmt.Errorf("a name is missing")
		}
		rest = s[len(quoted)+2:]
		if strings.HasPrefix(rest, "?") {
			next.there, rest = true, rest[1:]
		}
		return next, rest, nil
	}
	inside, rest, ok := strings.Cut(s[1:], "]")
	if !ok {
		return next, "", fmt.Errorf("a bracket is not closed")
	}
	switch inside {
	case "*":
		next.every = true
	case "+":
		next.more = true
	default:
		if next.index, err = strconv.Atoi(inside); err != nil || next.index < -1 {
			return next, "",
				fmt.Errorf("in brackets there is a number, *, + or a name in quotation marks, not %q", inside)
		}
	}
	return next, rest, nil
}

// single reports whether the path leads to one member at the most.
func (p path) single() bool {
	return !slices.ContainsFunc(p, func(s step) bool { return s.every || s.more })
}

// find returns what stands at a path of a single member.
func (p path) find(v any) (any, bool) {
	for _, s := range p {
		if s.name == "" {
			list, _ := v.([]any)
			i := s.at(list)
			if i < 0 {
				return nil, false
			}
			v = list[i]
			continue
		}
		o, _ := v.(hook.Object)
		member, there := o[s.name]
		if !there {
			return nil, false
		}
		v = member
	}
	return v, true
}

// at is the index of the element; -1 if there is none.
func (s step) at(list []any) int {
	i := s.index
	if i < 0 {
		i += len(list)
	}
	if i >= len(list) {
		return -1
	}
	return i
}

// change is what is to become of a member: holder is the object that it is in, or the
// element itself. A member that is not kept is taken away.
type change func(holder, old any, there bool) (value any, keep bool)

// apply changes all that the path leads to within v, and returns what v becomes. Objects on the way are
// made if makes says so.
func (p path) apply(v any, makes bool, do change) any {
	s := p[0]
	if s.name == "" {
		return p.elements(v, makes, do)
	}
	o, is := v.(hook.Object)
	if !is {
		if !makes || s.there {
			return v
		}
		o = hook.Object{}
	}
	old, there := o[s.name]
	if s.there && !there {
		return v
	}
	if len(p) == 1 {
		value, keep := do(o, old, there)
		if keep {
			o[s.name] = value
		} else {
			delete(o, s.name)
		}
	} else {
		if _, object := old.(hook.Object); s.there && !object && p[1].name != "" {
			return v
		}
		if value := p[1:].apply(old, makes, do); there || value != nil {
			o[s.name] = value
		}
	}
	if !is && len(o) == 0 {
		return v // there was nothing to be made
	}
	return o
}

// elements is apply for a step in brackets.
func (p path) elements(v any, makes bool, do change) any {
	s := p[0]
	list, is := v.([]any)
	switch {
	case !is && !(s.more && makes && v == nil):
		return v
	case s.more:
		var value any
		keep := true
		if len(p) == 1 {
			value, keep = do(nil, nil, false)
		} else {
			value = p[1:].apply(nil, makes, do)
		}
		if !keep {
			return v
		}
		return append(list[:len(list):len(list)], value)
	}
	at := s.at(list)
	kept := make([]any, 0, len(list))
	for i, element := range list {
		keep := true
		if s.every || i == at {
			if len(p) == 1 {
				element, keep = do(element, element, true)
			} else {
				element = p[1:].apply(element, makes, do)
			}
		}
		if keep {
			kept = append(kept, element)
		}
	}
	return kept
}

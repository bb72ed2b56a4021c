package record

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// The members of an entry, of the first line and of what it says of HTTP. A message stands in one of the first three.
var (
	entryMembers = append([]string{"message", "text", "base64", "truncated"}, nearest.Members(reflect.TypeFor[journal.Entry]())...)
	headMembers  = nearest.Members(reflect.TypeFor[Header]())
	httpMembers  = nearest.Members(reflect.TypeFor[journal.HTTP]())
)

// stranger says which member of an object there is not; empty if all are known.
func stranger(what string, o gjson.Result, known []string) string {
	for name := range o.Map() {
		if slices.Contains(known, name) {
			continue
		}
		if near := nearest.Names(name, known); len(near) > 0 {
			return fmt.Sprintf("%s has no member %q; did you mean %q?", what, name, near[0])
		}
		return fmt.Sprintf("%s has no member %q; there are %s", what, name, strings.Join(known, ", "))
	}
	return ""
}

// misspelt says which member of a line is none of an entry, or has a value that there is not:
// recordings are edited by hand, and what is overlooked would be missing without a word. It is
// empty if all is well.
func misspelt(line []byte) string {
	entry := gjson.ParseBytes(line)
	for _, part := range []struct {
		what    string
		members gjson.Result
		known   []string
	}{{"an entry", entry, entryMembers}, {"http", entry.Get("http"), httpMembers}} {
		if wrong := stranger(part.what, part.members, part.known); wrong != "" {
			return wrong
		}
	}
	kind, direction := entry.Get("kind"), entry.Get("direction")
	switch {
	case kind.Exists() && !slices.Contains(journal.Kinds(), journal.Kind(kind.String())):
		return fmt.Sprintf("there is no kind %q; there are %q", kind.String(), journal.Kinds())
	case direction.Exists() && direction.String() != string(journal.In) && direction.String() != string(journal.Out):
		return fmt.Sprintf("the direction is %q; it is %q or %q", direction.String(), journal.In, journal.Out)
	}
	return ""
}

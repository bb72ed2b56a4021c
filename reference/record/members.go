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
	entryMembers = append([]string{"message", "text", "base64", "truncated"}, membersOf(reflect.TypeFor[journal.Entry]())...)
	headMembers  = membersOf(reflect.TypeFor[Header]())
	httpMembers  = membersOf(reflect.TypeFor[journal.HTTP]())
)

// membersOf are the names under which the fields of a type are written.
func membersOf(t reflect.Type) []string {
	var all []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			all = append(all, name)
		}
	}
	return all
}

var kinds = []journal.Kind{
	journal.Request, journal.Notification, journal.Response, journal.Batch, journal.Unreadable, journal.HTTPRequest, journal.HTTPAnswer, journal.Event,
	journal.Opened, journal.Closed, journal.Applied,
}

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
	case kind.Exists() && !slices.Contains(kinds, journal.Kind(kind.String())):
		return fmt.Sprintf("there is no kind %q; there are %q", kind.String(), kinds)
	case direction.Exists() && direction.String() != string(journal.In) && direction.String() != string(journal.Out):
		return fmt.Sprintf("the direction is %q; it is %q or %q", direction.String(), journal.In, journal.Out)
	}
	return ""
}

package verdict

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Object is a JSON value whose members are asked for again and again. They are
// looked up once: a value can be megabytes long, and a path is found by reading
// on from its start.
type Object struct {
	gjson.Result
	members []member // in their order; nil if it was not looked into
}

type member struct {
	name  string
	value gjson.Result
}

// LookedUp is a value with its members looked up.
func LookedUp(r gjson.Result) Object {
	o := Object{Result: r}
	if r.IsObject() {
		o.members = make([]member, 0, 8)
		r.ForEach(func(name, value gjson.Result) bool {
			o.members = append(o.members, member{name.Str, value})
			return true
		})
	}
	return o
}

// Get is that of [gjson.Result].
func (o Object) Get(path string) gjson.Result {
	name, rest, nested := strings.Cut(path, ".")
	if o.members == nil || !plainName(name) {
		return o.Result.Get(path)
	}
	i := slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
	switch {
	case i < 0:
		return gjson.Result{}
	case !nested:
		return o.members[i].value
	case !o.members[i].value.IsObject() && !o.members[i].value.IsArray():
		return gjson.Result{}
	}
	return o.members[i].value.Get(rest)
}

// plainName reports whether a part of a path is a name in which no character has a
// meaning of its own.
func plainName(part string) bool {
	for _, c := range []byte(part) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return part != ""
}

// Parsed is an incoming frame, read once for all checks.
type Parsed struct {
	Frame *wire.Frame
	// Valid says that the frame is well-formed JSON, a byte order mark apart, and
	// Marked that it has one.
	Valid, Marked bool
	Value         gjson.Result // if it is valid
}

// ParsedFrames lists the incoming frames of a recording.
func ParsedFrames(r *recording.Recording) []Parsed {
	type key struct{ frames int }
	all, _ := r.Note(key{len(r.Frames)}, func() any {
		var all []Parsed
		for _, f := range r.Incoming(0) {
			raw, marked := bytes.CutPrefix(f.Raw, []byte("\xef\xbb\xbf"))
			p := Parsed{Frame: f, Valid: wire.Valid(raw), Marked: marked}
			if p.Valid {
				p.Value = gjson.ParseBytes(raw)
			}
			all = append(all, p)
		}
		return all
	}).([]Parsed)
	return all
}

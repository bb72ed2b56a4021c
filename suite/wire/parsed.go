package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tidwall/gjson"
)

// Parsed is an incoming frame as the session that routes it and all checks read it.
type Parsed struct {
	// Valid says that the frame is well-formed JSON, a byte order mark apart, and
	// Marked that it has one.
	Valid, Marked bool
	// Kind is that of the frame as a whole, and Messages are those of an
	// array, of which it has the first thousand, or the one that it is.
	Kind     Kind
	Messages []Message
}

// Stray reports whether the frame is an object that has nothing of a message, such as the line of a log.
func (p *Parsed) Stray() bool {
	return p.Kind == KindOther && len(p.Messages) == 1 && p.Messages[0].IsObject() &&
		!p.Messages[0].Get("jsonrpc").Exists()
}

// Message is a message of a frame, with its result even where that is kept apart.
type Message struct {
	Object
	Kind Kind
	id   id
}

// NewMessage classifies a message, and reads its id.
func NewMessage(o Object) Message {
	m := Message{Object: o, Kind: KindOther, id: idOf(o.Get("id"))}
	if o.IsObject() {
		m.Kind = o.kind()
	}
	return m
}

// HasID is [SameID] for the id of the message.
func (m *Message) HasID(of json.RawMessage) bool {
	own := m.Get("id")
	if ordinaryID(own.Raw) && ordinaryID(of) {
		return own.Raw == string(of)
	}
	return own.Exists() && Valid(of) && m.id.same(idOf(Parse(of)))
}

// Keep has the frame, and the copies that are made of it from then on, keep what it is parsed into.
func (f *Frame) Keep() {
	if f.parsed == nil {
		f.parsed = &atomic.Pointer[Parsed]{}
	}
}

// Parsed parses the frame; once, where that is kept. What it returns is shared, and must not be changed.
func (f *Frame) Parsed() *Parsed {
	if f.parsed == nil {
		return f.parse()
	}
	p := f.parsed.Load()
	if p == nil {
		p = f.parse()
		f.parsed.Store(p)
	}
	return p
}

// Forget drops what the frame was parsed into: it can be parsed again.
func (f *Frame) Forget() {
	if f.parsed != nil {
		f.parsed.Store(nil)
	}
}

func (f *Frame) parse() *Parsed {
	raw, marked := bytes.CutPrefix(f.Raw, bom)
	p := &Parsed{Valid: len(raw) > 0 && Valid(raw), Marked: marked, Kind: KindOther}
	if !p.Valid {
		return p
	}
	value := Parse(raw)
	add := func(_, m gjson.Result) bool {
		o := LookedUp(m)
		if f.Long != nil {
			o.set("result", gjson.Parse(f.Long.Text))
		}
		p.Messages = append(p.Messages, NewMessage(o))
		return len(p.Messages) < mostMessages
	}
	if value.IsArray() {
		p.Kind = KindBatch
		value.ForEach(add)
		return p
	}
	add(value, value)
	p.Kind = p.Messages[0].Kind
	return p
}

// mostMessages is how many messages of an array are read.
const mostMessages = 1000

// What a frame takes parsed, in bytes: each of its messages, and each member that is looked up.
const (
	messageCost = 256
	memberCost  = 96
)

// cost is about how many bytes it occupies beside those of the frame.
func (p *Parsed) cost() int64 {
	n := messageCost * len(p.Messages)
	for i := range p.Messages {
		for _, m := range p.Messages[i].members {
			if n += memberCost; len(m.value.Str)+len(`""`) < len(m.value.Raw) { // a copy without escapes
				n += len(m.value.Str)
			}
		}
	}
	return int64(n)
}

// Object is a JSON value whose members are asked for again and again. They are
// looked up once: a value can be megabytes long, and a path is found by reading
// on from its start.
type Object struct {
	gjson.Result
	members []member // in their order; nil if it was not looked into
	more    bool     // it has further ones
}

type member struct {
	name  string
	value gjson.Result
}

// mostMembers is how many members of one value are looked up. An object that conforms has
// less, and a hundred thousand of ten bytes each would take ten times their length.
const mostMembers = 64

// ObjectOf is the object that a valid text is.
func ObjectOf(text string) Object { return LookedUp(gjson.Parse(text)) }

// LookedUp is a value with its members looked up. Of members with one name it has the first,
// as gjson does.
func LookedUp(r gjson.Result) Object {
	o := Object{Result: r}
	if !r.IsObject() {
		return o
	}
	// Clone leaves no room behind the members: there may be thousands of messages.
	var few [8]member
	members := few[:0]
	r.ForEach(func(name, value gjson.Result) bool {
		switch known := slices.ContainsFunc(members, func(m member) bool { return m.name == name.Str }); {
		case known:
		case len(members) == mostMembers:
			o.more = true
		default:
			members = append(members, member{name.Str, value})
		}
		return !o.more
	})
	o.members = slices.Clone(members)
	return o
}

// set gives a member another value.
func (o *Object) set(name string, value gjson.Result) {
	if i := o.index(name); i >= 0 {
		o.members[i].value = value
		return
	}
	o.members = append(o.members, member{name, value})
}

func (o Object) index(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

// Get is that of [gjson.Result].
func (o Object) Get(path string) gjson.Result {
	name, rest, nested := strings.Cut(path, ".")
	if o.members == nil || !plainName(name) {
		return o.Result.Get(path)
	}
	i := o.index(name)
	switch {
	case i < 0 && o.more:
		return o.Result.Get(path)
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

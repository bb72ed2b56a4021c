package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
)

// Decode reads one JSON value, keeping numbers as they were written.
func Decode(raw []byte) (any, error) {
	if !scan.Valid(raw) {
		return nil, errors.New("not one JSON value")
	}
	d := decoder{data: raw}
	return d.value(), nil
}

// decoder goes through valid JSON once. The standard decoder would go through it three
// times, and copy it.
type decoder struct {
	data []byte
	at   int
}

func (d *decoder) value() any {
	d.blanks()
	start := d.at
	switch d.data[start] {
	case '{':
		d.at++
		o := Object{}
		for d.more('}') {
			name := d.text()
			d.blanks()
			d.at++ // the colon
			o[name] = d.value()
		}
		return o
	case '[':
		d.at++
		list := []any{}
		for d.more(']') {
			list = append(list, d.value())
		}
		return list
	case '"':
		return d.text()
	}
	d.at = scan.Skip(d.data, start)
	switch word := d.data[start:d.at]; word[0] {
	case 't', 'f':
		return word[0] == 't'
	case 'n':
		return nil
	default:
		return json.Number(word)
	}
}

// more goes to the next member or element, or past the end of them all.
func (d *decoder) more(end byte) bool {
	d.blanks()
	if d.data[d.at] == ',' {
		d.at++
		d.blanks()
	}
	if d.data[d.at] != end {
		return true
	}
	d.at++
	return false
}

func (d *decoder) blanks() {
	for scan.Blank(d.data[d.at]) {
		d.at++
	}
}

func (d *decoder) text() (s string) {
	start := d.at
	d.at = scan.Skip(d.data, start)
	literal := d.data[start:d.at]
	if written := literal[1 : len(literal)-1]; scan.Plain(written) && utf8.Valid(written) {
		return string(written)
	}
	_ = json.Unmarshal(literal, &s) // it is a valid string
	return s
}

// DecodeObject reads one JSON object; ok is false for everything else.
func DecodeObject(raw []byte) (o Object, ok bool) {
	v, err := Decode(raw)
	if err != nil {
		return nil, false
	}
	o, ok = v.(Object)
	return o, ok
}

// Encode writes a JSON value on one line, without escaping <, > and &. Values
// that have no JSON form (they do not occur in decoded objects) become null.
func Encode(v any) []byte { return AppendEncoded(nil, v) }

// AppendEncoded appends what [Encode] writes.
func AppendEncoded(b []byte, v any) []byte {
	all, ok := appendValue(b, v)
	if !ok {
		return append(b, "null"...)
	}
	return all
}

// appendValue writes what values mostly consist of; the standard encoder, to which types
// are news every time, writes the rest. ok is false if something has no JSON form.
func appendValue(b []byte, v any) (_ []byte, ok bool) {
	switch v := v.(type) {
	case Object:
		if v != nil {
			return appendObject(b, v)
		}
	case []any:
		if v != nil {
			return appendList(b, v)
		}
	case string:
		if simple(v) {
			return append(append(append(b, '"'), v...), '"'), true
		}
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil && strconv.FormatInt(n, 10) == string(v) {
			return append(b, v...), true
		}
	case bool:
		return strconv.AppendBool(b, v), true
	}
	w := bytes.NewBuffer(b)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil, false
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n")), true
}

func appendObject(b []byte, o Object) (_ []byte, ok bool) {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = appendValue(b, name); ok {
			b, ok = appendValue(append(b, ':'), o[name])
		}
		if !ok {
			return nil, false
		}
	}
	return append(b, '}'), true
}

func appendList(b []byte, list []any) (_ []byte, ok bool) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = appendValue(b, v); !ok {
			return nil, false
		}
	}
	return append(b, ']'), true
}

// simple reports whether a string can be written as it is.
func simple(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Number is a JSON number for use in an Object.
func Number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// Fail makes an error reply.
func Fail(code int64, message string) *Reply {
	return &Reply{Error: Object{"code": Number(code), "message": message}}
}

// ObjectAt walks the names down from o and returns the object there, or nil.
func ObjectAt(o Object, names ...string) Object {
	for _, name := range names {
		next, ok := o[name].(Object)
		if !ok {
			return nil
		}
		o = next
	}
	return o
}

// MakeObjectAt is ObjectAt, but puts in objects where there is nothing or
// something else.
func MakeObjectAt(o Object, names ...string) Object {
	for _, name := range names {
		next, ok := o[name].(Object)
		if !ok {
			next = Object{}
			o[name] = next
		}
		o = next
	}
	return o
}

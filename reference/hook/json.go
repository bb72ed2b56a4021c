package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
)

// Decode reads one JSON value, keeping numbers as they were written.
func Decode(raw []byte) (any, error) {
	if !scan.Valid(raw) {
		return nil, errors.New("not one JSON value")
	}
	return decoded(gjson.ParseBytes(raw)), nil
}

func decoded(v gjson.Result) any {
	switch {
	case v.IsObject():
		o := Object{}
		v.ForEach(func(name, value gjson.Result) bool {
			o[text(name)] = decoded(value)
			return true
		})
		return o
	case v.IsArray():
		list := []any{}
		v.ForEach(func(_, value gjson.Result) bool {
			list = append(list, decoded(value))
			return true
		})
		return list
	case v.Type == gjson.String:
		return text(v)
	case v.Type == gjson.Number:
		return json.Number(v.Raw)
	}
	return v.Value() // true, false or null
}

// text is a string. Bytes in it that are no UTF-8 are replaced, as encoding/json does.
func text(v gjson.Result) (s string) {
	if utf8.ValidString(v.Str) {
		return v.Str
	}
	_ = json.Unmarshal([]byte(v.Raw), &s) // it is a valid string
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
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil &&
			strconv.FormatInt(n, 10) == string(v) {
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

// Plain is a value, from a file say, in the form of decoded JSON: numbers are json.Number. It shares nothing
// with the value.
func Plain(v any) any {
	plain, _ := Decode(Encode(v)) // has just been encoded
	return plain
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

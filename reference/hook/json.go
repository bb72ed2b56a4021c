package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// Decode reads one JSON value, keeping numbers as they were written.
func Decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err = d.Decode(&v); err == nil && len(bytes.TrimSpace(raw[d.InputOffset():])) > 0 {
		v, err = nil, errors.New("not one JSON value")
	}
	return v, err
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
	w := bytes.NewBuffer(b)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return append(b, "null"...)
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
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

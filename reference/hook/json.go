package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// Decode reads one JSON value, keeping numbers as they were written.
func Decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
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
func Encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
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

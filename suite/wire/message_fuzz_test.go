package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// membersOf reads the top-level members of an object token by token; ok is false if
// it is none, or has a member twice, at whatever depth.
func membersOf(raw []byte) (members map[string]string, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.ReadToken(); err != nil || start.Kind() != '{' {
		return nil, false
	}
	members = map[string]string{}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		members[key] = string(value)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	_, err := dec.ReadToken()
	return members, errors.Is(err, io.EOF)
}

// What is read of a message without flaws is what another reader finds in it.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"id":"a","result":{"x":[1]}}`,
		`{"\u0069d":7,"error":{}}`, `{"id":null,"method":7}`,
		` {"method" : "a\nb" , "params":{"id":1}} `, `{"a.b":1,"*":2,"":3}`, `{"id":{},"id2":[]}`, `[]`, `{}`,
		`{"id":1e2}`,
	} {
		f.Add([]byte(s), "id")
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		if len(raw) > 4096 || len(Inspect(raw)) > 0 {
			return
		}
		members, ok := membersOf(raw)
		if first := trimSpace(raw)[0]; ok != (first == '{') {
			t.Fatalf("%q has no flaw, but another reader: %t", raw, ok)
		}
		p := (&Frame{Raw: raw}).Parsed()
		if !ok {
			if p.Kind != KindBatch {
				t.Errorf("%q is %s", raw, p.Kind)
			}
			return
		}
		m := p.Messages[0]
		for _, key := range []string{name, "id", "method", "result", "error", "params"} {
			if want, there := members[key]; m.Get(gjson.Escape(key)).Exists() != there || there &&
				m.Get(gjson.Escape(key)).Raw != want {
				t.Errorf("%q: %q is %q, want %q", raw, key, m.Get(gjson.Escape(key)).Raw, want)
			}
		}
		method, named := "", strings.HasPrefix(members["method"], `"`)
		if named {
			if err := json.Unmarshal([]byte(members["method"]), &method); err != nil {
				t.Fatal(err)
			}
		}
		if m.Get("method").Str != method {
			t.Errorf("%q: the method is %q, want %q", raw, m.Get("method").Str, method)
		}
		if got, want := p.Kind, kindOf(members, named); got != want {
			t.Errorf("%q is %s, want %s", raw, got, want)
		}
	})
}

// kindOf says what an object is by its members.
func kindOf(members map[string]string, named bool) Kind {
	has := func(name string) bool { _, ok := members[name]; return ok }
	switch {
	case named && has("id"):
		return KindRequest
	case named:
		return KindNotification
	case has("result") || has("error"):
		return KindResponse
	case has("method"):
		return KindOther
	case has("id"):
		return KindResponse
	}
	return KindOther
}

// Ids are compared by value, as numbers without limits and as strings without
// escapes.
func FuzzSameID(f *testing.F) {
	for _, s := range [][2]string{{`7`, `7.0`}, {`"7"`, `7`}, {`"a"`, `"\u0061"`}, {`70e-1`, `7`},
		{`-0`, `0`}, {`null`, `null`}, {`1e400`, `1e401`},
		{`9007199254740993`, `9007199254740992`}, {`{}`, `{}`}, {`true`, `false`}} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if SameID(a, b) != SameID(b, a) {
			t.Errorf("%s and %s: it depends on the order", a, b)
		}
		x, okX := valueOf(a)
		y, okY := valueOf(b)
		if !okX || !okY {
			return
		}
		if want := x == y; SameID(a, b) != want {
			t.Errorf("%s and %s: %t", a, b, !want)
		}
	})
}

// valueOf is a canonical form of a JSON scalar; ok is false for what is none, or has
// an exponent that is too large to be written out.
func valueOf(raw []byte) (string, bool) {
	raw = trimSpace(raw)
	if !json.Valid(raw) || len(raw) > 64 || raw[0] == '{' || raw[0] == '[' ||
		len(Inspect(append(append([]byte("["), raw...), ']'))) > 0 {
		return "", false
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		return "string " + s, true
	}
	if strings.ContainsAny(string(raw[0]), "tfn") {
		return string(raw), true
	}
	if i := bytes.IndexAny(raw, "eE"); i >= 0 && len(raw)-i > 5 {
		return "", false
	}
	r, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return "", false
	}
	return "number " + r.RatString(), true
}

package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
)

// FuzzDecode: what is decoded is what encoding/json makes of it, and so is what is
// encoded of that.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"", " ", "1", "-0.5e+3", "1 2", "{}", "[]", "null", "true", "false", `"a"`, `"\u00e9\ud800\n"`,
		"\"\xff\"", "[1,[2],{}]", "nul", "[1,]", `{"a" : 1 , "b":[ ]}`,
		` {"a":{"x":1},"a":{"y":"é\\\""}} `, `{"\u0061":[null,true,false,"",-1.50]}`, `{"a":1}{`,
		"\xef\xbb\xbf{}", "[01]", `["\x"]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		var want any
		wrong := dec.Decode(&want)
		if wrong == nil {
			if _, err := dec.Token(); !errors.Is(err, io.EOF) {
				wrong = errors.New("more than one JSON value")
			}
		}
		got, err := Decode(raw)
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%q: %v instead of %v", raw, err, wrong)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %#v instead of %#v", raw, got, want)
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err == nil && (e.Encode(want) != nil || string(Encode(got))+"\n" != b.String()) {
			t.Errorf("%q becomes %q instead of %q", raw, Encode(got), b.String())
		}
	})
}

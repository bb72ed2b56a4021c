package reports

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func encode(t interface {
	Helper()
	Fatal(...any)
}, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestJSONRoundTrip(t *testing.T) {
	want := sample()
	raw := encode(t, want)
	if !json.Valid(raw) {
		t.Fatalf("not JSON: %s", raw)
	}
	got, err := ReadJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back:\n%+v\nwant:\n%+v", got, want)
	}
	if again := encode(t, got); !bytes.Equal(again, raw) {
		t.Error("a second writing differs from the first")
	}
}

func TestJSONOrderAndFrames(t *testing.T) {
	raw := string(encode(t, sample()))
	last := -1
	for _, name := range []string{"schema", "tool", "target", "config", "frames", "results", "observations",
		"summary"} {
		i := strings.Index(raw, "\n\""+name+"\":")
		if i <= last {
			t.Errorf("member %q stands at %d, after %d", name, i, last)
		}
		last = i
	}
	if !strings.Contains(raw, `"base64":"//4A"`) {
		t.Error("bytes that are not UTF-8 are not in base64")
	}
	if strings.Count(raw, `"text":`) != 2 {
		t.Error("text frames are not written as text")
	}
	empty := string(encode(t, &Report{Schema: Schema}))
	if strings.Contains(empty, "null") {
		t.Errorf("an empty report holds null: %s", empty)
	}
}

func TestJSONFrameBytesSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 1, 80),
			rapid.Map(rapid.String(), func(s string) []byte { return []byte(s + "x") })).Draw(t, "data")
		// Long enough to be written in several pieces, cut inside of characters.
		if rapid.Bool().Draw(t, "long") {
			data = bytes.Repeat(data, (32<<10)/len(data)+2)
		}
		r := sample()
		r.Frames = []Frame{{Number: 1, Session: "s", Direction: In, Data: data, Size: len(data)}}
		got, err := ReadJSON(bytes.NewReader(encode(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Frames[0].Data, data) {
			t.Fatalf("%d bytes came back as %d others", len(data), len(got.Frames[0].Data))
		}
		var alone Frame
		raw, err := json.Marshal(r.Frames[0])
		if err == nil {
			err = json.Unmarshal(raw, &alone)
		}
		if err != nil || !reflect.DeepEqual(alone, got.Frames[0]) {
			t.Fatalf("a frame on its own: %v %+v", err, alone)
		}
	})
}

func TestReadJSONRefusesEveryTruncation(t *testing.T) {
	raw := bytes.TrimRight(encode(t, sample()), "\n")
	for i := 0; i < len(raw); i += 1 + i%7 {
		if _, err := ReadJSON(bytes.NewReader(raw[:i])); err == nil {
			t.Fatalf("the first %d of %d bytes are taken for a report", i, len(raw))
		} else if !strings.Contains(err.Error(), "truncated") {
			t.Fatalf("the first %d bytes: %v", i, err)
		}
	}
}

func TestReadJSONRefuses(t *testing.T) {
	good := string(encode(t, sample()))
	summary := good[strings.Index(good, ",\n\"summary\""):]
	for name, test := range map[string]struct{ text, want string }{
		"nothing":        {"", "truncated"},
		"array":          {"[]", "is missing"},
		"other document": {`{"a":1}`, "does not name the schema"},
		"next major": {strings.Replace(good, "report/1", "report/2", 1),
			`the schema is "mcpcheck.report/2"`},
		"no summary":    {strings.Replace(good, summary, "}", 1), `no member "summary"`},
		"empty summary": {strings.Replace(good, summary, `,"summary":{}}`, 1), "no outcome"},
		"trailing":      {good + "{}", "something follows"},
		"unknown verdict": {strings.Replace(good, `"verdict":"pass"`, `"verdict":"maybe"`, 1),
			`unknown verdict "maybe"`},
		"wrong type":    {strings.Replace(good, `"number":3`, `"number":"3"`, 1), "at frame 3"},
		"twice":         {strings.Replace(good, `"id":"PAGE-10"`, `"id":"PAGE-9"`, 1), "repeats PAGE-9"},
		"double member": {strings.Replace(good, `"config":`, `"tool":`, 1), "twice"},
		"frame order":   {strings.Replace(good, `"number":3`, `"number":1`, 1), "in order"},
	} {
		if _, err := ReadJSON(strings.NewReader(test.text)); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", name, err)
		}
	}
}

func TestReadJSONIgnoresMinorAdditions(t *testing.T) {
	text := string(encode(t, sample()))
	text = strings.Replace(text, Schema, Schema+".3", 1)
	text = strings.Replace(text, `"number":3`, `"mood":{"a":[1]},"number":3`, 1)
	text = strings.Replace(text, ",\n\"frames\":", ",\n\"annex\":{\"x\":[null]},\n\"frames\":", 1)
	if _, err := ReadJSON(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
}

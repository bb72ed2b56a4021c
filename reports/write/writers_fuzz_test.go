package write

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reports"
)

// reportOf is a report with a text in the places that a target can reach.
func reportOf(text string, raw []byte) *reports.Report {
	r := sample()
	r.Target.Name = text
	r.Target.Endpoints[0].Server = &reports.Server{Name: text, Version: text}
	r.Frames[0].Data, r.Frames[0].Size = raw, len(raw)
	r.Frames[2].Note = text
	for i := range r.Results {
		x := &r.Results[i]
		x.Reason, x.Actual, x.Expected = text, text, text
	}
	r.Observations[0].Detail = text
	return r
}

// Whatever a target says, JSON reports can be read back, JUnit files are well-formed
// and hold nothing that acts instead of being shown, and neither does the console.
func FuzzWriters(f *testing.F) {
	for _, s := range []string{"", "plain", hostile, "]]>", "<a b='c'>&amp;</a>", "\x1b]0;x\x07",
		"\u2028\u202e\ufeff", "\xff", "\U000e0041", "a\r\nb"} {
		f.Add(s, []byte(s))
	}
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		if len(text) > 4096 || len(raw) > 1<<16 {
			return
		}
		r := reportOf(text, raw)
		roundTrip(t, r)
		var file bytes.Buffer
		if err := JUnit(&file, r, Options{Strict: len(raw)%2 == 0}); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, file.Bytes())
		for _, o := range []Options{{}, {Verbose: true, Width: 40}} {
			var shown bytes.Buffer
			if err := Console(&shown, r, o); err != nil {
				t.Fatal(err)
			}
			shownOnly(t, shown.String())
		}
	})
}

// roundTrip writes and reads a report: it comes back as it is written again.
func roundTrip(t *testing.T, r *reports.Report) {
	t.Helper()
	first := encode(t, r)
	again, err := reports.ReadJSON(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(first, &a), json.Unmarshal(encode(t, again), &b)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the report comes back as another one:\n%s\n%s", first, encode(t, again))
	}
	if utf8.ValidString(r.Target.Name) && again.Target.Name != r.Target.Name ||
		!bytes.Equal(again.Frames[0].Data, r.Frames[0].Data) {
		t.Errorf("got %q and %q, want %q and %q", again.Target.Name, again.Frames[0].Data, r.Target.Name,
			r.Frames[0].Data)
	}
}

// wellFormed reads a document by its tokens, in the strict way.
func wellFormed(t *testing.T, raw []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(raw))
	depth := 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, raw)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are not ended", depth)
	}
	shownOnly(t, string(raw))
}

// shownOnly fails if a text holds characters that act instead of being shown.
func shownOnly(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("no UTF-8: %q", text)
	}
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
		t.Fatalf("%q at %d acts", text[at:min(len(text), at+8)], at)
	}
}

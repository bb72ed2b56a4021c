package terminal

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		wrap func(string, int) []string
		in   string
		want []string
	}{
		{Wrap, "MUST, server/utilities/pagination#response-format", []string{"MUST, server/utilities/",
			"pagination#response-format"}},
		{Wrap, "a pneumonoultramicroscopic thing", []string{"a pneumonoultramicroscopic", "thing"}},
		{Wrap, "a text with 🧭🧭🧭🧭🧭🧭 and more", []string{"a text with 🧭🧭🧭🧭🧭🧭", "and more"}},
		{Wrap, strings.Repeat("漢", 14), []string{strings.Repeat("漢", 13), "漢"}},
		{Wrap, strings.Repeat("e\u0301", 26), []string{strings.Repeat("e\u0301", 26)}},
		{WrapJSON, `{"result":{"contents":[],"nextCursor":"x"}}`, []string{`{"result":{"contents":[],`,
			`"nextCursor":"x"}}`}},
	} {
		if got := test.wrap(test.in, 26); !slices.Equal(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(20, 60).Draw(t, "width")
		for _, line := range Wrap(rapid.String().Draw(t, "text"), width) {
			if Cells(line) > width {
				t.Fatalf("%q is longer than %d", line, width)
			}
		}
	})
}

// TestColumns: what is cut or filled up takes the columns that it is to take.
func TestColumns(t *testing.T) {
	for in, want := range map[string]string{"abc": "abc  ", "abcdefg": "abcd…", "漢字": "漢字 ", "漢字漢": "漢字…",
		"a漢字漢": "a漢… ", "e\u0301": "e\u0301    "} {
		if got := Pad(in, 5); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 60).Draw(t, "columns")
		if got := Pad(rapid.String().Draw(t, "text"), columns); Cells(got) != columns {
			t.Fatalf("%q takes %d columns", got, Cells(got))
		}
	})
}

// TestPrinter: labels stand in a column of their own, colours only where they are wanted,
// and the first error is the last thing that happens.
func TestPrinter(t *testing.T) {
	print := func(p *Printer) {
		p.Title("a title")
		p.Head("✗ ", Red, strings.Repeat("word ", 10))
		p.Labelled(2, "label", strings.Repeat("text ", 8))
		p.Text(4, Green, "text")
	}
	var plain, colored strings.Builder
	print(New(&plain, false, 40))
	print(New(&colored, true, 40))
	want := "\na title\n✗ word word word word word word word\n  word word word\n" +
		"  label     text text text text text\n            text text text\n    text\n"
	if plain.String() != want {
		t.Errorf("%s", plain.String())
	}
	for _, part := range []string{"\x1b[1ma title\x1b[0m", "\x1b[31m✗ \x1b[0m", "\x1b[2mlabel     \x1b[0m",
		"\x1b[32mtext\x1b[0m"} {
		if !strings.Contains(colored.String(), part) {
			t.Errorf("there is no %q", part)
		}
	}
	p := New(broken{}, false, 0)
	p.Line("a")
	if p.Line("b"); p.Err == nil || p.Err.Error() != "broken after 2" || p.Width != 80 {
		t.Errorf("%+v", p)
	}
}

type broken struct{}

func (broken) Write(b []byte) (int, error) {
	if string(b) != "a\n" {
		panic("more is written")
	}
	return len(b), errors.New("broken after 2")
}

package safe

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 😀":          "plain é 😀",
		"a\x1b[2Jb":          `a\x1b[2Jb`,
		"a\nb\tc\rd":         `a\nb\tc\rd`,
		"\u202eabc":          `\u202eabc`,
		"\xff\x00":           `\xff\x00`,
		"\u0085\u2028":       `\x85\u2028`,
		"\U000e0041":         `\U000e0041`,
		"replacement \ufffd": "replacement \ufffd",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Lines("a\nb\x07"); got != "a\nb\\x07" {
		t.Errorf("got %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Line(string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
		if !utf8.ValidString(s) || Line(s) != s {
			t.Fatalf("%q", s)
		}
	})
}

func TestShorten(t *testing.T) {
	if got := Shorten("äöüäöü", 3); got != "äö…" {
		t.Errorf("got %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if n := rapid.IntRange(1, 50).Draw(t, "n"); utf8.RuneCountInString(Shorten(text, n)) > n {
			t.Fatalf("Shorten(%q, %d)", text, n)
		}
	})
}

package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"::error::x":                     ": :error::x",
		" \t::add-mask::x\n  ::x":        " \t: :add-mask::x\n  : :x",
		"a ::error::x\nstd::vector":      "a ::error::x\nstd::vector",
		"\x1b[1m::error::x":              "\x1b[1m: :error::x",
		" \x1b[1;31m \x1b(B ::error::x":  " \x1b[1;31m \x1b(B : :error::x",
		"\u00a0\u3000\u2003::x\u0085::y": "\u00a0\u3000\u2003: :x\u0085: :y",
		"\ufeff\u200b:\u00ad:x":          "\ufeff\u200b:\u00ad :x",
		"a\v::x\f::y\u2028::z\u2029::":   "a\v: :x\f: :y\u2028: :z\u2029: :",
		"\xff::x\x00:: y\r::z\r\n::a":    "\xff: :x\x00:: y\r: :z\r\n: :a",
		"##[error]x ###[y] a##[":         "## [error]x ### [y] a## [",
		"##vso[task.complete]x ##teamcity[x 'y']": "##vso [task.complete]x " +
			"##teamcity [x 'y']",
		"##octopus[x] @@continua[y]": "##octopus [x] @@continua [y]",

		"#\u200b#\u034fv\u00adso\ufe0f[x]": "#\u200b#\u034fv\u00adso\ufe0f [x]",

		"\x1b[1##[error]x": "\x1b[1## [error]x",

		"##\x1b[error]x \x1b[31m##\x1b[0m": "## \x1b[error]x \x1b[31m## \x1b[0m",

		"section_start:1:a[b=c]\r\x1b[0Kd\x1b[0Ksection_end:1:a\r\x1b[0K": "section_start:1:a[b=c]\r " +
			"\x1b[0Kd\x1b[0Ksection_end:1:a\r \x1b[0K",

		"## Heading\n# #[x] ## [y] #a#[0] a@[127.0.0.1] [::1]:80 @@ -1 +1 @@": "",
		"\x1b[38:2::255:0:0mred\x1b[0m\r\n\x1b[2K\r 50 %":                     "",
	} {
		if want == "" {
			want = in
		}
		for cut := range len(in) {
			var b strings.Builder
			w := Harmless(&b)
			_, _ = io.WriteString(w, in[:cut])
			_, _ = io.WriteString(w, in[cut:])
			if b.String() != want {
				t.Errorf("%q, cut at %d, becomes %q, not %q", in, cut, b.String(), want)
			}
		}
	}
}

// TestHarmlessWriter: the caller gets the length of what it wrote, the door is open, and values in JSON stay.
func TestHarmlessWriter(t *testing.T) {
	if n, err := Harmless(io.Discard).Write([]byte("::x ##[y")); n != 8 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := Harmless(broken{}).Write([]byte("a\n")); err == nil {
		t.Error("an error is lost")
	}
	var b bytes.Buffer
	if Raw(Harmless(&b)) != &b || Raw(&b) != &b {
		t.Error("there is no way around")
	}
	said := map[string]any{"##vso[a]": "##[b] @@c[d] \\##[", "list": []any{"##", []any{}}}
	raw, err := json.Marshal(said)
	_, e := HarmlessJSON(&b).Write(raw)
	var read map[string]any
	err = errors.Join(err, e, json.Unmarshal(b.Bytes(), &read))
	if err != nil || commands(b.String()) != nil {
		t.Fatalf("%v: %s", err, b.Bytes())
	}
	if again, _ := json.Marshal(read); !bytes.Equal(raw, again) {
		t.Errorf("%s became %s", raw, again)
	}
}

// command is what runners obey in a line that is trimmed, and of which comparisons skip what is invisible.
var command = regexp.MustCompile(`^::|(##|@@)[A-Za-z]*\[`)

var (
	section = regexp.MustCompile(`section_(start|end):\d+:[\w.-]+(\[[^\]]*\])?\r\x1b\[0K`)
	colours = regexp.MustCompile(`^(\s|\x1b\[[0-9;]*m)+`)
)

func commands(text string) (found []string) {
	found = section.FindAllString(text, -1)
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		for _, seen := range []string{line, colours.ReplaceAllString(line, "")} {
			seen = strings.Map(func(r rune) rune {
				if unicode.In(r, unicode.C, unicode.M) {
					return -1
				}
				return r
			}, strings.TrimLeftFunc(seen, unicode.IsSpace))
			if command.MatchString(seen) {
				found = append(found, line)
			}
		}
	}
	return found
}

// FuzzHarmless: whatever is written, in whatever pieces, nothing of it is a command, and nothing but
// blanks is added.
func FuzzHarmless(f *testing.F) {
	for _, s := range []string{"::error::x", "\u00a0:\u200b:x", "##\x1b[error]", "\x1b[1m##vso[x]",
		"section_start:1:a\r\x1b[0K", "é\xff::"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, in string, cut int) {
		cut = max(0, min(cut, len(in)))
		var b strings.Builder
		w := Harmless(&b)
		_, _ = io.WriteString(w, in[:cut])
		_, _ = io.WriteString(w, in[cut:])
		if found := commands(b.String()); found != nil {
			t.Errorf("%q becomes %q, with %q", in, b.String(), found)
		}
		if strings.ReplaceAll(b.String(), " ", "") != strings.ReplaceAll(in, " ", "") {
			t.Errorf("%q becomes %q", in, b.String())
		}
		if again := HarmlessText(HarmlessText(in)); again != HarmlessText(in) {
			t.Errorf("%q becomes %q", HarmlessText(in), again)
		}
	})
}

package target

import (
	"cmp"
	"errors"
	"io"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpcheck/mcpcheck/fixtures/targets"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

var suggestion = regexp.MustCompile(`(?m)^( *)#(  |\S)`)

// reread parses what WriteAnnotated writes.
func reread(t rapid.TB, target *Target, found Found) (written string, got *Target) {
	t.Helper()
	var b strings.Builder
	if err := WriteAnnotated(&b, target, found); err != nil {
		t.Fatal(err)
	}
	got, err := Parse(target.File, []byte(b.String()), known(t))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return b.String(), got
}

// TestWriteKeeps: what a file says survives being written and read back.
func TestWriteKeeps(t *testing.T) {
	exampleEnv(t)
	for _, name := range []string{targets.Annotated, targets.Stdio, targets.HTTP} {
		data, err := targets.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Parse(name, data, known(t))
		if err != nil {
			t.Fatal(err)
		}
		written, got := reread(t, want, Found{})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v\n%s", name, got, want, written)
		}
	}
}

func TestWriteSuggests(t *testing.T) {
	exampleEnv(t)
	target := &Target{Endpoints: []Endpoint{{URL: "http://127.0.0.1/mcp"}}}
	found := Found{
		Revisions: []requirement.Revision{requirement.R20250618, requirement.R20251125},
		TextURI:   "note://1", TextMIMEType: "text/plain", TextSample: strings.Repeat("ü\n", 200),
		BlobURI: "note://logo", BlobSHA: strings.Repeat("ab", 32), BlobSize: 7,
		Missing:  []string{"note://none-1", "note://none-2"},
		Complete: []string{"note://1", "note://logo"},
		Templates: []FoundTemplate{{"note://{id}", []string{"id"}},
			{"search://x{?q,limit}", []string{"q", "limit"}}},
		Subscribe: true, ListChanged: true, Tools: []FoundTool{{"touch_note", []string{"id"}},
			{"evil\nname: x", nil}},
	}
	written, got := reread(t, target, found)
	if !reflect.DeepEqual(got, target) {
		t.Errorf("a suggestion is in force: %+v\n%s", got, written)
	}
	for _, want := range []string{"# found\n#revisions:\n#  - 2025-06-18\n", "  # found\n  #texts:",
		"  # example\n  #broken:", "  # found; put something real for VALUE\n  #templates:",
		"guessed by name and not tried: touch_note",
		"  # not tried: that this tool changes this resource is a guess by its name; put something real " +
			"for VALUE\n  #update:", "#      id: VALUE", "#  - uri: note://1", "contains: true",
		"#  - note://none-1", `"note://{id}"`, "#    name: touch_note",
		"declares resources.subscribe and resources.listChanged", `evil\nname: x`} {
		if !strings.Contains(written, want) {
			t.Errorf("%q is missing:\n%s", want, written)
		}
	}
	used, err := Parse("used.yaml", []byte(suggestion.ReplaceAllString(written, "$1$2")), known(t))
	if err != nil {
		t.Fatalf("the suggestions cannot be used: %v\n%s", err, suggestion.ReplaceAllString(written, "$1$2"))
	}
	if len(used.Endpoints) != 2 || used.Subjects.Blobs[0].SHA256 != found.BlobSHA ||
		used.Triggers.Update.Tool == nil || used.Limits.Jobs != 8 || len(used.Subjects.Templates) != 2 {
		t.Errorf("got %+v", used)
	}
	if text := *used.Subjects.Texts[0].Text; !strings.HasPrefix(found.TextSample, text) || text == "" {
		t.Errorf("the sample is %q", text)
	}
}

// What leads to nothing is suggested in the scheme of the server, and not as found if nobody
// tried it.
func TestWriteSuggestsNoSuch(t *testing.T) {
	target := &Target{Endpoints: []Endpoint{{URL: "http://127.0.0.1/mcp"}}}
	for want, found := range map[string]Found{
		"# not tried: a URI of a scheme that the server lists\n  #missing:\n  #  - " +
			"notes:///none\n": {NoSuch: "notes:///none"},
		"# found\n  #missing:\n  #  - " +
			"notes:///seen\n": {NoSuch: "notes:///none", Missing: []string{"notes:///seen"}},
	} {
		if written, _ := reread(t, target, found); !strings.Contains(written, want) {
			t.Errorf("%q is missing:\n%s", want, written)
		}
	}
}

// TestWriteExplainsEveryField: each field that a file can have at its top, in
// subjects, triggers and limits is explained and suggested.
func TestWriteExplainsEveryField(t *testing.T) {
	exampleEnv(t)
	for _, e := range []Endpoint{{Command: []string{"srv"}}, {URL: "http://h"}} {
		written, _ := reread(t, &Target{Endpoints: []Endpoint{e}}, Found{})
		if _, err := Parse("used.yaml", []byte(suggestion.ReplaceAllString(written, "$1$2")),
			known(t)); err != nil {
			t.Errorf("the suggestions cannot be used: %v\n%s", err, written)
		}
		for _, typ := range []reflect.Type{reflect.TypeFor[Target](), reflect.TypeFor[Subjects](),
			reflect.TypeFor[Triggers](), reflect.TypeFor[Limits]()} {
			for i := range typ.NumField() {
				name := typ.Field(i).Tag.Get("yaml")
				if name != "-" && !regexp.MustCompile(`(?m)^ *# .*\n *#?`+name+`:`).MatchString(written) {
					t.Errorf("%s is not explained", name)
				}
			}
		}
	}
}

func TestWriteKeepsSecretsOut(t *testing.T) {
	t.Setenv("TOKEN", "x")
	target := &Target{
		Endpoints: []Endpoint{
			{URL: "http://h", Header: map[string]Value{"Authorization": Plain("Bearer hush-1"),
				"Cookie": Plain("hush-2"), "X-App": Plain("app"), "X-Token": FromEnv("TOKEN"),
				"X-Api-Key": {Value: "k-${TOKEN}"}}},
			{Command: []string{"srv"}, Env: map[string]Value{"API_KEY": Plain("hush-3"),
				"PORT": Plain("80")}},
		},
		Identities: []Identity{{Name: "a", Header: map[string]Value{"Authorization": Plain("hush-4")}},
			{Name: "b", Header: map[string]Value{"X-Token": FromEnv("TOKEN")}}},
		Secret: []Value{Plain("hush-5"), FromEnv("TOKEN")},
	}
	written, got := reread(t, target, Found{})
	if strings.Contains(written, "hush") {
		t.Errorf("a secret was written:\n%s", written)
	}
	if want := map[string]Value{"X-App": {Value: "app"}, "X-Token": FromEnv("TOKEN"),
		"X-Api-Key": {Value: "k-${TOKEN}"}}; !reflect.DeepEqual(got.Endpoints[0].Header, want) {
		t.Errorf("got %#v", got.Endpoints[0].Header)
	}
	if !strings.Contains(written,
		"headers: Authorization is left out because it may be a secret; put it into a variable: {env: "+
			"AUTHORIZATION}") ||
		len(got.Endpoints[1].Env) != 1 || len(got.Identities) != 1 || len(got.Secret) != 1 {
		t.Errorf("got:\n%s", written)
	}
}

// TestWriteKeepsURLSecretsOut: what is left out of a URL is put back by variables.
func TestWriteKeepsURLSecretsOut(t *testing.T) {
	for _, raw := range []string{"https://u:hush-1@h/mcp", "https://h/mcp?api_key=hush%2F2&page=3",
		"https://h/s/hush4f9a8c7e21bd/mcp", "https://h/${x}", "https://hush-5@h/a?token=hush-6",
		"http://127.0.0.1:3947/mcp?key=1", "http://h/mcp?token=&key=", "http://h/mcp?key=mcp&token=hush-77",
		"http://h/mcp?page=%24%7Bx%7D"} {
		var b strings.Builder
		if err := WriteAnnotated(&b, &Target{Endpoints: []Endpoint{{URL: raw}}}, Found{}); err != nil ||
			strings.Contains(b.String(), "hush") {
			t.Errorf("%s: %v\n%s", raw, err, b.String())
		}
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		for i, secret := range inOrder(raw, urlSecrets(raw)) {
			t.Setenv([]string{"URL_KEY", "URL_KEY_2"}[i], url.QueryEscape(secret))
		}
		got, err := Parse("t.yaml", []byte(b.String()), known(t))
		if err != nil || got.Endpoints[0].URL != u.String() && got.Endpoints[0].URL != raw {
			t.Errorf("%s: read back as %v, %v", raw, got, err)
		}
		if err == nil && strings.Contains(raw, "hush") && len(got.Secret) == 0 {
			t.Errorf("%s: what a variable stands for is no secret", raw)
		}
	}
	if _, err := Parse("t.yaml", []byte("endpoints:\n  - url: https://h/${MCPCHECK_UNSET_VARIABLE}\n"),
		known(t)); err == nil ||
		!strings.Contains(err.Error(),
			"t.yaml:2: endpoints[0].url: the environment variable MCPCHECK_UNSET_VARIABLE is not set") {
		t.Errorf("got %v", err)
	}
}

// TestDefaults: a default stands for a variable that is not set or empty, and is no secret by
// itself: masking it would blot out what the file says in plain sight.
func TestDefaults(t *testing.T) {
	const file = "endpoints: [{url: 'http://${MCPCHECK_HOST:-127.0.0.1:80}/" +
		"${MCPCHECK_PATH:-resources}?a=${MCPCHECK_NONE:-}'}]"
	for path, want := range map[string]string{"": "http://127.0.0.1:80/resources?a=",
		"hush-12345": "http://127.0.0.1:80/hush-12345?a="} {
		t.Setenv("MCPCHECK_PATH", path)
		got, err := Parse("t.yaml", []byte(file), known(t))
		if err != nil || got.Endpoints[0].URL != want || (len(got.Secret) > 0) != (path != "") {
			t.Errorf("%q: %v, %v", path, got, err)
		}
	}
	got, err := (Value{Value: "Bearer ${MCPCHECK_NONE:-none} $${A:-b}"}).Reveal()
	if got != "Bearer none ${A:-b}" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// inOrder sorts texts by where they stand in another.
func inOrder(text string, parts []string) []string {
	slices.SortFunc(parts, func(a, b string) int {
		return cmp.Compare(strings.Index(text, "="+a), strings.Index(text, "="+b))
	})
	return parts
}

// TestWriteKeepsArgSecretsOut: nothing can stand for what is secret in a command line.
func TestWriteKeepsArgSecretsOut(t *testing.T) {
	written, got := reread(t,
		&Target{Endpoints: []Endpoint{{Command: []string{"srv", "--api-key=hush-12345", "--port", "80"}}}},
		Found{})
	if strings.Contains(written, "hush") || !slices.Equal(got.Endpoints[0].Command,
		[]string{"srv", "--api-key=***", "--port", "80"}) ||
		!strings.Contains(written, "command: *** stands for what may be a secret") {
		t.Errorf("%q\n%s", got.Endpoints[0].Command, written)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteErrors(t *testing.T) {
	for _, target := range []*Target{{}, {Endpoints: []Endpoint{{Pipe: noPipe}}}} {
		if err := WriteAnnotated(io.Discard, target, Found{}); err == nil {
			t.Error("a target that cannot be written was written")
		}
	}
	if err := WriteAnnotated(failing{}, &Target{Endpoints: []Endpoint{{URL: "http://h"}}},
		Found{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// TestWriteAnyText: whatever a server or user calls things, the file reads back
// the same.
func TestWriteAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(),
			rapid.SampledFrom([]string{"true", "~", "null", "- a", "a: b", "a #b", "#", "'", "\\", "1e3",
				"0x1f", "2025-11-25", "12:30", "*a", "&a", "!x", "|", ">", "@", "`", "%", "\u0085", "\u2028",
				"\ufeff", "\x7f", "\x00", " a ", "\ta", "a\r\nb", "<<", "=", "?", "no", "On"}))
		word := text.Draw(t, "text")
		want := &Target{
			Name: text.Draw(t, "name"), File: "f",
			Endpoints: []Endpoint{{Command: []string{"srv", strings.ReplaceAll(word, "\x00", "")}}},
			Subjects:  Subjects{Texts: []Text{{URI: "a:b", Text: &word}}},
			Triggers: Triggers{Add: &Trigger{Tool: &Tool{Name: "t", Arguments: map[string]any{word: word,
				"b": true, "l": []any{word, nil}}}}},
		}
		found := Found{TextURI: text.Draw(t, "uri"), TextSample: word, Missing: []string{word},
			Tools:       []FoundTool{{word, nil}, {word, []string{word}}},
			Completions: []Completion{{Template: word, Argument: word, Values: []string{word}}},
			Templates:   []FoundTemplate{{word, []string{word}}}}
		if _, got := reread(t, want, found); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
	})
}

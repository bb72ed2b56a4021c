package engine

import (
	"bufio"
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func compiled(t *testing.T, form string) *template {
	t.Helper()
	text := ""
	return compileTemplate(world.Template{URITemplate: form, Text: &text})
}

func TestTemplateMatching(t *testing.T) {
	tests := []struct {
		form, uri string
		want      map[string]string // nil: no match
	}{
		{"file:///{path}", "file:///a%2Fb%20c", map[string]string{"path": "a/b c"}},
		{"file:///{path}", "file:///a/b", nil},
		{"file:///{path}", "file:///gr%C3%BC%C3%9F", map[string]string{"path": "grüß"}},
		{"file:///{+path}", "file:///a/b?c", map[string]string{"path": "a/b?c"}},
		{"x:{a,b}", "x:1,2", map[string]string{"a": "1", "b": "2"}},
		{"x:{a}-{b}", "x:1-2", map[string]string{"a": "1", "b": "2"}},
		{"x:y{/a,b}", "x:y/1/2", map[string]string{"a": "1", "b": "2"}},
		{"x:y{.a}", "x:y.1", map[string]string{"a": "1"}},
		{"x:y{;a,b}", "x:y;b=2;a", map[string]string{"a": "", "b": "2"}},
		{"x:y{?a,b}", "x:y", map[string]string{}},
		{"x:y{?a,b}", "x:y?b=2", map[string]string{"b": "2"}},
		{"x:y{?a,b}", "x:y?b=2&a=%26&c=3", map[string]string{"a": "&", "b": "2"}},
		{"x:y{#a}", "x:y#z/1", map[string]string{"a": "z/1"}},
		{"x:y?z=1{&a}", "x:y?z=1&a=2", map[string]string{"a": "2"}},
		{"x:y.z", "x:yaz", nil},
		{"x:{a", "x:1", nil},
	}
	for _, test := range tests {
		got, ok := compiled(t, test.form).match(test.uri)
		if ok != (test.want != nil) || ok && !maps.Equal(got, test.want) {
			t.Errorf("%s on %s: %v, %t", test.form, test.uri, got, ok)
		}
	}
}

func TestMatchingReversesExpansion(t *testing.T) {
	forms := map[string]func(a, b string) string{
		"x:{a}/{b}": func(a, b string) string { return "x:" + a + "/" + b },
		"x:y{/a,b}": func(a, b string) string { return "x:y/" + a + "/" + b },
		"x:y{?a,b}": func(a, b string) string { return "x:y?a=" + a + "&b=" + b },
		"x:y{;a,b}": func(a, b string) string { return "x:y;a=" + a + ";b=" + b },
		"x:{a,b}":   func(a, b string) string { return "x:" + a + "," + b },
	}
	rapid.Check(t, func(r *rapid.T) {
		a, b := rapid.StringN(1, 10, -1).Draw(r, "a"), rapid.StringN(1, 10, -1).Draw(r, "b")
		for form, expand := range forms {
			uri := expand(escape(a, false), escape(b, false))
			got, ok := compiled(t, form).match(uri)
			if !ok || got["a"] != a || got["b"] != b {
				r.Fatalf("%s on %s: %v, %t; want %q and %q", form, uri, got, ok, a, b)
			}
		}
	})
}

func TestHarmless(t *testing.T) {
	for value, want := range map[string]bool{
		"a": true, "a/b": true, "a..b": true, "": true, "..": false, "a/../b": false, "./a": false,
		"/a":  false,
		`a\b`: false, "a\x00": false, "a\n": false, "\xff": false,
	} {
		if got := harmless(map[string]string{"v": value}); got != want {
			t.Errorf("%q: %t", value, got)
		}
	}
}

func TestUnwrapHeader(t *testing.T) {
	tests := []struct {
		value, want string
		ok          bool
	}{
		{"note:x", "note:x", true},
		{" note:x\t", "note:x", true},
		{"=?base64?bm90ZTp4?=", "note:x", true},
		{"=?BASE64?bm90ZTp4?=", "=?BASE64?bm90ZTp4?=", true},
		{"=?base64?!!!?=", "", false},
		{"=?base64?/w==?=", "", false},
		{"=?base64?bm90ZTp4", "=?base64?bm90ZTp4", true},
	}
	for _, test := range tests {
		if got, ok := unwrapHeader(test.value); got != test.want || ok != test.ok {
			t.Errorf("%q: %q, %t", test.value, got, ok)
		}
	}
}

func TestReadLine(t *testing.T) {
	r := bufio.NewReaderSize(strings.NewReader("one\n"+strings.Repeat("x", maxLine+1)+"\ntwo\nrest"), 16)
	var got []string
	for err := error(nil); err == nil; {
		var line []byte
		line, _, err = readLine(r)
		got = append(got, string(line))
	}
	if strings.Join(got, "|") != "one||two|rest" {
		t.Errorf("lines %q", got)
	}
}

func TestIDs(t *testing.T) {
	for raw, want := range map[string]bool{
		`1`: true, `-1`: true, `0`: true, `"x"`: true, `""`: true, `1.0`: true, `1e3`: true,
		`1.5`: false, `null`: false, `true`: false, `[]`: false, `{}`: false, ``: false, `1e999999999`: false,
	} {
		if got := validID([]byte(raw)); got != want {
			t.Errorf("%s: %t", raw, got)
		}
	}
	if idKey([]byte(`"\u0041"`)) != idKey([]byte(`"A"`)) || idKey([]byte(`"7"`)) == idKey([]byte(`7`)) {
		t.Error("ids are not told apart by value and type")
	}
}

func TestEncodeEvent(t *testing.T) {
	got := hook.EncodeEvent(hook.Event{ID: "1", Type: "t", Retry: 1500000000, Data: []byte("a\nb")})
	if string(got) != "event: t\nid: 1\nretry: 1500\ndata: a\ndata: b\n\n" {
		t.Errorf("%q", got)
	}
}

func TestAccepts(t *testing.T) {
	for value, want := range map[string]bool{
		"application/json": true, "*/*": true, "application/*": true, "text/*": false,
		"application/json;q=0":            false,
		"*/*;q=0.1, application/json;q=0": false, "APPLICATION/JSON": true, "": false,
	} {
		r := &http.Request{Header: http.Header{"Accept": {value}}}
		if got := accepts(r, "application/json"); got != want {
			t.Errorf("%q: %t", value, got)
		}
	}
}

// FuzzProcess feeds anything to a connection: the server must neither panic nor
// stop answering.
func FuzzProcess(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26",` +
			`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`[]`, `{`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		`{"jsonrpc":"2.0","id":1e400000000,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",` +
			`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.ContainsRune(raw, '\n') {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			e, err := New(Config{World: world.World{Name: "w"}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = e.Close() }()
			c, err := e.Pipe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Write(append(append([]byte{}, raw...),
				"\n{\"jsonrpc\":\"2.0\",\"id\":\"alive\",\"method\":\"ping\"}\n"...)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if err := c.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			all := new(bytes.Buffer)
			if _, err := all.ReadFrom(c); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(all.String(), `{"jsonrpc":"2.0","id":"alive","result":{}}`) {
				t.Errorf("%q: %q", raw, all)
			}
		})
	})
}

func TestManyAreTakenAwayAtOnce(t *testing.T) {
	all := strings.Split("abcdefghij", "")
	rapid.Check(t, func(t *rapid.T) {
		resources := make([]world.Resource, len(all))
		for i, name := range all {
			resources[i] = world.Resource{URI: "x:" + name, Name: name, Text: &name}
		}
		s, err := newStore(resources)
		if err != nil {
			t.Fatal(err)
		}
		gone := rapid.SliceOf(rapid.SampledFrom(append(all, "none"))).Draw(t, "gone")
		var uris []string
		for _, name := range gone {
			uris = append(uris, "x:"+name)
		}
		s.remove(uris...)
		var left, want []string
		for _, r := range s.all() {
			left = append(left, r.Name)
		}
		for _, name := range all {
			if !slices.Contains(gone, name) {
				want = append(want, name)
			}
		}
		if !slices.Equal(left, want) {
			t.Errorf("%q are left without %q", left, gone)
		}
	})
}

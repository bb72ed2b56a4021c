package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Everything that there is, in each revision: the first answer, the one that may have been
// kept, the one that a hook has looked at and the one on stdio are the same.
func TestKeptResultsAreThoseThatWouldBeMade(t *testing.T) {
	l := newPair(t, allKinds, pieces)
	stdio, err := New(Config{World: allKinds(), PageSize: pieces, Now: l.engines[0].config.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdio.Close() }()
	for _, revision := range hook.Revisions() {
		requests := []asked{ask(revision, "1", hook.MethodList, ""),
			ask(revision, `"x"`, hook.MethodTemplates, ""), ask(revision, "2", "ping", "")}
		for _, uri := range kindURIs {
			requests = append(requests, askRead(revision, `"\u0041"`, uri))
		}
		for i := 0; i < len(requests); i++ {
			a := requests[i]
			_, first, differ := l.both(a)
			_, second, again := l.both(a)
			if differ+again != "" || first != second {
				t.Errorf("%s %s:\n%s%sthen %s", revision, a.body, differ, again, second)
			}
			if line := overStdio(t, stdio, a); line != first && !strings.Contains(first, "event:") &&
				!strings.Contains(first, "id: ") && !strings.Contains(first, "-32020") {
				t.Errorf("%s %s: %s, and on stdio %s", revision, a.body, first, line)
			}
			var page struct {
				Result struct{ NextCursor string }
			}
			if json.Unmarshal([]byte(first), &page) == nil && page.Result.NextCursor != "" {
				for _, method := range []string{hook.MethodList, hook.MethodTemplates} {
					if strings.Contains(a.body, method) {
						requests = append(requests,
							ask(revision, "3", method, fmt.Sprintf(`"cursor":%q`, page.Result.NextCursor)))
					}
				}
			}
		}
	}
	for _, revision := range hook.Revisions() {
		for _, uri := range []string{"kind:text", "kind:blob", "kind:empty", "kind:described",
			"kind:generated", "kind:hidden", "kind:cached"} {
			en := l.engines[0].store.get(uri)
			if l.engines[0].served().rendered.get(renderKey{method: hook.MethodRead, revision: revision,
				entry: en}) == nil {
				t.Errorf("%s %s has not been kept", revision, uri)
			}
		}
		version, _ := l.engines[0].store.state()
		for _, after := range []uint64{0, 3, 6, 10} {
			if l.engines[0].served().rendered.get(renderKey{method: hook.MethodList, revision: revision,
				version: version, after: after}) == nil {
				t.Errorf("%s the list after %d has not been kept", revision, after)
			}
		}
	}
}

// drawRequest makes requests that are plain, nearly so, or not at all.
func drawRequest(r *rapid.T, cursors []string) asked {
	revision := rapid.SampledFrom(hook.Revisions()).Draw(r, "revision")
	method := rapid.SampledFrom([]string{hook.MethodRead, hook.MethodList, hook.MethodTemplates,
		hook.MethodRead, "ping", hook.MethodComplete, "no/method"}).Draw(r, "method")
	id := rapid.SampledFrom([]string{"1", `"a"`, "0", "-1", "1.0", "1.5", "null", `"\\"`, "{}",
		"12345678901234567890"}).Draw(r, "id")
	uri := rapid.SampledFrom(kindURIs).Draw(r, "uri")
	params := fmt.Sprintf(`"uri":%q`, uri)
	if method != hook.MethodRead && len(cursors) > 0 {
		params = rapid.SampledFrom([]string{"",
			fmt.Sprintf(`"cursor":%q`, rapid.SampledFrom(cursors).Draw(r, "cursor")), `"cursor":null`,
			`"cursor":7`, `"cursor":""`}).Draw(r, "params")
	}
	a := ask(revision, id, method, params)
	if hook.Modern(revision) {
		a.header[headerName] = uri
	}
	if rapid.Bool().Draw(r, "as it is") {
		return a
	}
	spoil := rapid.SampledFrom([]func(){
		func() { a.header["Authorization"] = "Bearer " + secret },
		func() { a.header["Origin"] = "https://example.com" },
		func() { a.header["Origin"] = "http://localhost:1" },
		func() { a.header["Accept"] = "application/json" },
		func() { a.header["Accept"] = "*/*" },
		func() { a.header["Content-Type"] = "text/plain" },
		func() { a.header["Content-Type"] = "application/json; charset=UTF-8" },
		func() {
			a.header[headerVersion] = rapid.SampledFrom(append(hook.Revisions(), "", "1900-01-01")).Draw(r,
				"version")
		},
		func() { a.header[headerSession] = rapid.SampledFrom([]string{"", "none"}).Draw(r, "session") },
		func() { a.header[headerMethod] = "" },
		func() { a.header[headerName] = "  kind:text " },
		func() { a.header[headerName] = "=?base64?a2luZDp0ZXh0?=" },
		func() { a.revision = rapid.SampledFrom(append(hook.Revisions(), "")).Draw(r, "session of") },
		func() { a.body = strings.Replace(a.body, `"params":`, `"Params":`, 1) },
		func() { a.body = strings.Replace(a.body, `"uri":`, `"\u0075ri":`, 1) },
		func() { a.body = strings.Replace(a.body, `"uri":`, `"uri":"kind:blob","uri":`, 1) },
		func() { a.body = strings.Replace(a.body, `"uri":`, `"x":[{"uri":"kind:blob"}],"uri":`, 1) },
		func() { a.body = strings.Replace(a.body, `kind:`, `kind\u003a`, 1) },
		func() { a.body = strings.Replace(a.body, `"method":`, `"method":"ping","method":`, 1) },
		func() { a.body = strings.Replace(a.body, `"id":`, `"id":7,"id":`, 1) },
		func() { a.body = strings.Replace(a.body, `"params":`, `"params":{},"params":`, 1) },
		func() { a.body = strings.Replace(a.body, `"2.0"`, `"1.0"`, 1) },
		func() { a.body = strings.Replace(a.body, `"_meta":{`, `"_meta":{"progressToken":1,`, 1) },
		func() { a.body = strings.Replace(a.body, `"_meta":{`, `"_meta":{"`+metaLogLevel+`":"debug",`, 1) },
		func() {
			a.body = strings.Replace(a.body, `"_meta":{`, `"_meta":{"`+metaVersion+`":"2025-11-25",`,
				1)
		},
		func() { a.body = strings.Replace(a.body, `"_meta":{`, `"_meta":{"\u0061":1,`, 1) },
		func() {
			a.body = strings.Replace(a.body, `"params":{`, `"params":{"_meta":{"progressToken":"t"},`,
				1)
		},
		func() { a.body = strings.Replace(a.body, `"params":{`, `"params":{"_meta":7,`, 1) },
		func() { a.body = strings.Replace(a.body, metaCapabilities, "other", 1) },
		func() { a.body = strings.Replace(a.body, metaVersion, "other", 1) },
		func() { a.body = strings.Replace(a.body, `"name":"c"`, `"name":7`, 1) },
		func() { a.body = strings.Replace(a.body, `"name":"c",`, ``, 1) },
		func() { a.body = " \r\n" + strings.ReplaceAll(a.body, ",", " , ") + "\n" },
		func() { a.body = "[" + a.body + "]" },
		func() { a.body = a.body[:len(a.body)-1] },
		func() { a.body += "{}" },
		func() { a.body = strings.Replace(a.body, "kind:", "kind:\xff", 1) },
		func() {
			a.body = strings.Replace(a.body, `"params":{`, `"params":{"long":"`+strings.Repeat("x", 8<<10)+
				`",`, 1)
		},
	})
	for range rapid.IntRange(1, 2).Draw(r, "how often") {
		spoil.Draw(r, "spoil")()
	}
	return a
}

// changes are ways to change a world.
func changes(uri, text string) map[string]func(e *Engine) error {
	r := world.Resource{URI: uri, Name: text + "n", Text: &text}
	with := func(change func(r *world.Resource)) world.Resource {
		other := r.Clone()
		change(&other)
		return other
	}
	return map[string]func(e *Engine) error{
		"put": func(e *Engine) error { return e.Put(r) },
		"put a slow one": func(e *Engine) error {
			return e.Put(with(func(r *world.Resource) { r.Delay = time.Microsecond }))
		},
		"put a hidden one": func(e *Engine) error {
			return e.Put(with(func(r *world.Resource) { r.Hidden = true }))
		},
		"put a private one": func(e *Engine) error {
			return e.Put(with(func(r *world.Resource) { r.Identities = []string{secret} }))
		},
		"update": func(e *Engine) error {
			_, err := e.Update(uri, func(r *world.Resource) error {
				r.Title = text
				return nil
			})
			return err
		},
		"remove": func(e *Engine) error { e.Remove(uri); return nil },
		"change": func(e *Engine) error { return e.Change([]world.Resource{r}, []string{"kind:empty"}) },
		"put a template": func(e *Engine) error {
			return e.PutTemplate(world.Template{URITemplate: "kind:{x}", Name: text + "t", Text: &text})
		},
		"remove a template": func(e *Engine) error { e.RemoveTemplate("kind:{x}"); return nil },
		"another page size": func(e *Engine) error { return e.Replace(allKinds(), len(text)) },
		"another introduction": func(e *Engine) error {
			w := allKinds()
			w.Server.Title = text
			return e.Replace(w, pieces)
		},
		"other hints": func(e *Engine) error {
			w := allKinds()
			w.Caching = &world.Caching{TTL: time.Second, Scope: "public"}
			return e.Replace(w, pieces)
		},
		"other resources": func(e *Engine) error {
			w := allKinds()
			w.Resources[0].Text = &text
			return e.Replace(w, pieces)
		},
	}
}

// Whatever changes, the next answer shows it.
func TestAChangeIsSeenByTheNextRequest(t *testing.T) {
	for _, revision := range []string{hook.R20251125, hook.R20260728} {
		for _, uri := range []string{"kind:text", "kind:new"} {
			l := newPair(t, allKinds, pieces)
			look := func(after string) {
				for _, a := range []asked{
					ask(revision, "1", hook.MethodList, ""), ask(revision, "1", hook.MethodTemplates, ""),
					askRead(revision, "1", uri),
					askRead(revision, "1", "kind:directory"), askRead(revision, "1", "kind:text"),
					askRead(revision, "1", "kind:none"),
				} {
					for range 2 {
						if _, _, differ := l.both(a); differ != "" {
							t.Fatalf("%s %s after %s: %s\n%s", revision, uri, after, a.body, differ)
						}
					}
				}
			}
			look("nothing")
			for i, first := range slices.Sorted(maps.Keys(changes("", ""))) {
				l.change(changes(uri, strings.Repeat("x", i%7))[first])
				look(first)
				for _, second := range []string{"put", "put a private one", "remove", "put a template"} {
					l.change(changes(uri, second)[second])
					look(first + " and " + second)
				}
			}
		}
	}
}

// Whatever is asked, and however the world changes in between, nobody can tell
// whether a hook looks at results, neither from an answer nor from the journal.
func TestNobodyCanTellWhetherAHookLooks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := newPair(t, allKinds, pieces)
		l.entries(0)
		l.entries(1)
		var cursors []string
		for range rapid.IntRange(1, 20).Draw(r, "steps") {
			if rapid.IntRange(0, 3).Draw(r, "what") == 0 {
				text := rapid.StringMatching(`[a-z<"]{0,9}`).Draw(r, "text")
				all := changes(rapid.SampledFrom([]string{"kind:new", "kind:text", "kind:blob",
					"kind:private"}).Draw(r, "changed"), text)
				l.change(all[rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(r, "change")])
				continue
			}
			a := drawRequest(r, cursors)
			_, body, differ := l.both(a)
			if differ != "" {
				r.Fatalf("%q\nheaders %v, session of %q\n%s", a.body, a.header, a.revision, differ)
			}
			var page struct {
				Result struct{ NextCursor string }
			}
			if json.Unmarshal([]byte(body), &page) == nil && page.Result.NextCursor != "" {
				cursors = append(cursors, page.Result.NextCursor)
			}
		}
		if a, b := l.streams(0), l.streams(1); a != b {
			r.Fatalf("the streams of the sessions are numbered %s, and with a hook %s", a, b)
		}
	})
}

// streams tells how many streams the sessions have had.
func (l *pair) streams(i int) string {
	var b strings.Builder
	for _, revision := range hook.Revisions()[:4] {
		s := l.engines[i].find(l.sessions[i][revision])
		s.mu.Lock()
		fmt.Fprintln(&b, revision, s.streamCount)
		s.mu.Unlock()
	}
	return b.String()
}

func TestRenderingsKeepToTheirBytes(t *testing.T) {
	c := &renderings{}
	result := journal.NewShared(make([]byte, 1<<20))
	for i := range uint64(100) {
		c.put(renderKey{after: i}, result)
		if c.get(renderKey{after: i}) == nil || c.get(renderKey{after: i - min(i, 5)}) == nil {
			t.Fatalf("%d: what was used of late is gone", i)
		}
		if n := (len(c.young) + len(c.old)) << 20; n > maxRendered {
			t.Fatalf("%d bytes are kept", n)
		}
	}
	c.put(renderKey{method: "long"}, journal.NewShared(make([]byte, maxRendered/2)))
	if c.get(renderKey{method: "long"}) != nil || c.get(renderKey{after: 99}) == nil {
		t.Error("one result takes the room of all")
	}
}

// A hook that acts now and then does so on the result alone that it looks at: what is kept
// stays as it was.
func TestWhatIsKeptStaysAsItWas(t *testing.T) {
	acting := false
	e, err := New(Config{World: allKinds(), Hooks: hook.EditResult(hook.MethodRead,
		func(_ *hook.Call, result hook.Object) {
			if acting {
				result["acted"] = true
			}
		})})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	l := &pair{t: t, engines: [2]*Engine{e}}
	for range 3 {
		for _, acting = range []bool{false, true} {
			body := l.send(0, askRead(hook.R20260728, "1", "kind:text")).Body.String()
			if strings.Contains(body, "acted") != acting || !strings.Contains(body, "contents") {
				t.Fatalf("acting %t: %s", acting, body)
			}
		}
	}
	if e.served().rendered.size == 0 {
		t.Error("nothing has been kept")
	}
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// BenchmarkPost is what a request costs beside the network.
func BenchmarkPost(b *testing.B) {
	elsewhere := hook.EditEach(hook.MethodTemplates, "resourceTemplates",
		func(_ int, template hook.Object) { template["title"] = "edited" })
	for _, revision := range []string{hook.R20251125, hook.R20260728} {
		for _, h := range []struct {
			name  string
			hooks hook.Hooks
		}{{"", hook.Hooks{}}, {"-hooked", elsewhere}} {
			for name, a := range map[string]asked{
				"list": ask(revision, "1", hook.MethodList, ""),
				"read": askRead(revision, "1", "kind:generated"), "gone": askRead(revision, "1", "kind:gone"),
			} {
				b.Run(revision+"/"+name+h.name, func(b *testing.B) { benchmarkPost(b, h.hooks, a) })
			}
		}
	}
}

func benchmarkPost(b *testing.B, h hook.Hooks, a asked) {
	e, err := New(Config{World: allKinds(), Journal: journal.New(journal.Options{}), Hooks: h})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	l := &pair{t: b, engines: [2]*Engine{e}, sessions: [2]map[string]string{{}, {}}}
	l.shake(0, a.revision)
	handler := e
	r := l.request(0, a)
	b.ReportAllocs()
	for b.Loop() {
		r.Body = io.NopCloser(strings.NewReader(a.body))
		handler.ServeHTTP(&discard{http.Header{}}, r)
	}
}

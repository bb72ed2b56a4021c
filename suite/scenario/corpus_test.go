package scenario

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	odduris "github.com/mcpcheck/mcpcheck/fixtures/uris"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// listedAs is what a walk found that lists these URIs, or templates.
func listedAs(member, id string, names ...string) *recording.Recording {
	var items []string
	for _, n := range names {
		items = append(items, fmt.Sprintf(`{%q:%q}`, id, n))
	}
	x := &recording.Exchange{Step: "page", Outcome: recording.Replied}
	x.Attach([]byte(`{"result":{"` + member + `":[` + strings.Join(items, ",") + `]}}`))
	return &recording.Recording{Exchanges: []*recording.Exchange{x}}
}

func TestSpelt(t *testing.T) {
	for _, c := range []struct {
		listed []string
		want   map[string]string // some of the values
	}{
		{nil, nil},
		{[]string{"not a uri", "https://a/b"}, nil},
		{[]string{"note:shopping", "file:///srv/a%c3.txt"}, map[string]string{
			"uri": "file:///srv/a%c3.txt", "stem": "file:///srv/a%c3.tx", "SCHEME": "FILE", "rest": "///srv/a%c3.txt", "head": "file://",
			"PATH": "/SRV/A%c3.TXT", "dir": "file:///srv", "name": "a%c3.txt", "NAME": "A%c3.TXT", "name-encoded": "%61%c3.txt",
			"name-encoded-twice": "%2561%c3.txt", "name-fullwidth": "ａ%c3.txt", "authority": ""}},
		{[]string{"db://host/x/y?z", "db://host/x/y"}, map[string]string{"uri": "db://host/x/y", "authority": "host", "AUTHORITY": "HOST", "head": "db://host", "path": "/x/y"}},
		{[]string{"note:shopping"}, map[string]string{"uri": "note:shopping", "rest": "shopping", "dir": "", "name": ""}},
		{[]string{"file:///srv/"}, map[string]string{"uri": "file:///srv/", "dir": ""}},
	} {
		r := listedAs("resources", "uri", c.listed...)
		got := spelt(listed(r, "resources", Listed.URI))
		if (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v", c.listed, got)
		}
		for name, want := range c.want {
			if got[name] != want {
				t.Errorf("%v: %s is %q instead of %q", c.listed, name, got[name], want)
			}
		}
	}
}

// Every entry of the corpus can be made for a target that lists a file and names a
// root, and most of them for one that lists nothing.
func TestCorpusIsMade(t *testing.T) {
	everything := []odduris.Class{odduris.Malformed, odduris.Stranger, odduris.Odd, odduris.Variant, odduris.Dots, odduris.Encoded, odduris.Trick, odduris.System}
	all, err := odduris.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	perform(t, stage(t, &server{script: lively}), func(_ context.Context, p *Play) {
		values, depth := outside("file:///srv/data/", "etc/passwd")
		maps.Copy(values, spelt(listed(listedAs("resources", "uri", "file://host/srv/data/a.txt"), "resources", Listed.URI)))
		p.earlier = map[recording.Name]*recording.Recording{
			recording.WalkResources: listedAs("resources", "uri", "__proto__"),
			recording.WalkTemplates: listedAs("resourceTemplates", "uriTemplate", "data:{+all}"),
		}
		made := corpus(p, values, depth, everything...)
		if len(made) != len(all) {
			t.Errorf("%d of %d entries", len(made), len(all))
		}
		if n := len(corpus(p, nil, 0, everything...)); n < 150 {
			t.Errorf("only %d entries need nothing", n)
		}
		served := 0
		for _, a := range made {
			if a.Tags["served"] != "" {
				served++
			}
		}
		if served != 3 {
			t.Errorf("%d are served", served)
		}
	})
}

// The read that costs sessions is named, the others get their answers, and a target
// that cannot bear much is left in peace.
func TestReadAll(t *testing.T) {
	var many []URIRead
	for i := range 100 {
		many = append(many, URIRead{"read", fmt.Sprint("x:", i), nil})
	}
	deadly := func(every int) *server {
		return &server{script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
			var i int
			if _, err := fmt.Sscanf(m.Get("params.uri").Str, "x:%d", &i); err == nil && i%every == 3 {
				return false
			}
			return lively(n, m, say)
		}}
	}
	slow := &server{script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
		time.Sleep(time.Second)
		return lively(n, m, say)
	}}
	for name, c := range map[string]struct {
		server       *server
		reads, fatal int
		most         int64
		brokenOff    bool
	}{
		"in order":  {&server{script: lively}, 100, 0, 1, false},
		"one kills": {deadly(100), 100, 1, 20, false},
		"many kill": {deadly(8), 32, 4, 50, true},
		"slow":      {slow, 32, 0, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := stage(t, c.server)
				st.Limits.Timeout = time.Minute
				rec := perform(t, st, func(ctx context.Context, p *Play) {
					if client, ok := p.Expendable(ctx); ok {
						readAll(ctx, p, client, many)
					}
				})
				reads, fatal := 0, 0
				for _, x := range rec.Steps("read") {
					reads++
					if x.Fatal {
						fatal++
					} else if x.Outcome != recording.Replied {
						t.Errorf("%s: %s", x.Params, x.Outcome)
					}
				}
				if cut := rec.Cut; (cut != nil) != c.brokenOff || cut != nil && (cut.Tried != reads || cut.Of != len(many)) {
					t.Errorf("%d reads, cut %v", reads, cut)
				}
				if reads != c.reads || fatal != c.fatal || c.server.conns.Load() > c.most || (rec.Skipped != nil) != c.brokenOff {
					t.Errorf("%d reads, %d fatal, %d connections, %v", reads, fatal, c.server.conns.Load(), rec.Skipped)
				}
				st.Close()
			})
		})
	}
}

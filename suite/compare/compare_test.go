package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/compare"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestHonestGateway: what means the same is the same, in all revisions, page by page.
func TestHonestGateway(t *testing.T) {
	r := played(t, reference.Options{}, nil, nil)
	if r.Summary.Outcome != compare.Same || len(r.Compared) != len(requirement.Revisions()) ||
		len(r.Unsteady) > 0 || len(r.Gaps) > 0 {
		t.Fatalf("%s\n%s", r.Headline(), text(t, r))
	}
	for _, x := range r.Compared {
		for _, g := range compare.Groups() {
			if x.Asked[g] == 0 {
				t.Errorf("%s: nothing of %s was asked", x.Revision, g)
			}
		}
	}
}

// in is the result of a message as far as members lead, or an empty object.
func in(m object, path ...string) object {
	for _, name := range append([]string{"result"}, path...) {
		m, _ = m[name].(object)
	}
	if m == nil {
		return object{}
	}
	return m
}

// each changes the entries of a list in a result.
func each(m object, member string, change func(object) bool) {
	list, ok := in(m)[member].([]any)
	if !ok {
		return
	}
	in(m)[member] = slices.DeleteFunc(list, func(x any) bool { return !change(x.(object)) })
}

const readme = "file:///project/README.md"

// only applies an edit to the answers of one method.
func only(method string, change func(m object)) edit {
	return func(of string, m object) object {
		if of == method {
			change(m)
		}
		return m
	}
}

// deviations are what a gateway may do, and what is to be said of it.
var deviations = []struct {
	name string
	edit edit
	want string // group kind member subject
}{
	{"capability", only("initialize",
		func(m object) { delete(in(m, "capabilities", "resources"), "listChanged") }),
		"declared dropped capabilities.resources.listChanged declaration"},
	{"instructions", only("initialize", func(m object) { in(m)["instructions"] = "ask me" }),
		"declared changed instructions declaration"},
	{"introduction",
		only("server/discover", func(m object) { in(m, "capabilities")["experimental"] = object{} }),
		"declared added capabilities.experimental declaration"},
	{"entry", only("resources/list", func(m object) {
		each(m, "resources", func(x object) bool { return x["uri"] != readme })
	}), "listed dropped  " + readme},
	{"new entry", only("resources/list", func(m object) {
		if list, ok := in(m)["resources"].([]any); ok && in(m)["nextCursor"] == nil {
			in(m)["resources"] = append(list, object{"uri": "gateway:about", "name": "about"})
		}
	}), "listed added  gateway:about"},
	{"member of an entry", only("resources/list", func(m object) {
		each(m, "resources", func(x object) bool { delete(x, "mimeType"); return true })
	}), "listed dropped mimeType " + readme},
	{"twice", only("resources/list", func(m object) {
		list, _ := in(m)["resources"].([]any)
		for _, x := range list {
			if x.(object)["uri"] == readme {
				in(m)["resources"] = append(list, x)
			}
		}
	}), "listed changed occurrences " + readme},
	{"order", only("resources/list", func(m object) {
		if list, ok := in(m)["resources"].([]any); ok {
			slices.Reverse(list)
		}
	}), "listed changed order resources/list"},
	{"caching", only("resources/list", func(m object) { delete(in(m), "ttlMs") }),
		"listed dropped ttlMs resources/list"},
	{"template", only("resources/templates/list", func(m object) {
		each(m, "resourceTemplates", func(x object) bool { return x["uriTemplate"] != "file:///{path}" })
	}), "templates dropped  file:///{path}"},
	{"text", only("resources/read", func(m object) {
		each(m, "contents", func(x object) bool {
			if s, ok := x["text"].(string); ok {
				x["text"] = strings.TrimSpace(s)
			}
			return true
		})
	}), "read changed contents[0].text " + readme},
	{"metadata", only("resources/read", func(m object) {
		each(m, "contents", func(x object) bool { delete(x, "_meta"); return true })
	}), "read dropped contents[0]._meta " + readme},
	{"blob", only("resources/read", func(m object) {
		each(m, "contents", func(x object) bool {
			if x["blob"] != nil {
				x["blob"] = "AAAA"
			}
			return true
		})
	}), "read changed contents[0].blob file:///project/logo.png"},
	{"error code", func(_ string, m object) object {
		if e, ok := m["error"].(object); ok {
			e["code"] = -32603
		}
		return m
	}, "errors changed error.code mcpcheck is no URI"},
	{"error data", func(_ string, m object) object {
		if e, ok := m["error"].(object); ok {
			delete(e, "data")
		}
		return m
	}, "errors dropped error.data mcpcheck-7b4e91://nowhere/mcpcheck-no-such-resource"},
	{"no error", func(method string, m object) object {
		if m["error"] != nil && method == "resources/read" {
			delete(m, "error")
			m["result"] = object{"contents": []any{}}
		}
		return m
	}, "errors added answer mcpcheck is no URI"},
	{"completion", only("completion/complete", func(m object) { in(m, "completion")["values"] = []any{} }),
		"completion dropped completion.values[0] file:///{path} path="},
	{"silence", func(method string, m object) object {
		if method == "completion/complete" {
			return nil
		}
		return m
	}, "completion dropped answer file:///{path} path="},
	{"subscription", func(method string, m object) object {
		if method == "resources/subscribe" {
			delete(m, "result")
			m["error"] = object{"code": -32601, "message": "no"}
		}
		return m
	}, "subscriptions dropped subscription note:shopping"},
	{"acknowledgment", func(method string, m object) object {
		if method == "notifications/subscriptions/acknowledged" {
			return nil
		}
		return m
	}, "subscriptions dropped answer note:shopping"},
	{"grant", func(method string, m object) object {
		if params, ok := m["params"].(object); ok && method == "notifications/subscriptions/acknowledged" {
			params["notifications"] = object{}
		}
		return m
	}, "subscriptions dropped subscription note:shopping"},
	{"update", func(method string, m object) object {
		if method == "notifications/resources/updated" {
			return nil
		}
		return m
	}, "subscriptions dropped notifications/resources/updated note:shopping"},
}

func line(d *compare.Difference) string {
	return fmt.Sprintf("%s %s %s %s", d.Group, d.Kind, d.Member, d.Subject)
}

// TestDeviations: each kind of deviation is told, and nothing beside what it entails.
func TestDeviations(t *testing.T) {
	for _, x := range deviations {
		t.Run(x.name, func(t *testing.T) {
			r := played(t, reference.Options{}, x.edit, func(cfg *compare.Config, _ *reference.Server) {
				cfg.Revisions = []requirement.Revision{requirement.R20250618}
				if slices.Contains([]string{"caching", "introduction", "acknowledgment", "grant"}, x.name) {
					cfg.Revisions[0] = requirement.R20260728
				}
			})
			if !slices.ContainsFunc(r.Differences, func(d compare.Difference) bool {
				return line(&d) == x.want
			}) {
				t.Errorf("%q was not told:\n%s", x.want, text(t, r))
			}
			if r.Summary.Outcome != compare.Different || len(r.Unsteady) > 0 {
				t.Errorf("%s", r.Headline())
			}
			for i := range r.Differences {
				if d := &r.Differences[i]; d.Member != "answer" && d.Member != "subscription" &&
					(d.Direct == "" || d.Through == "") == (d.Kind == compare.Changed) {
					t.Errorf("%s: direct %s, through %s", line(d), d.Direct, d.Through)
				}
			}
		})
	}
}

// TestOnlyWhatIsThere: a single deviation is a single difference.
func TestOnlyWhatIsThere(t *testing.T) {
	r := played(t, reference.Options{}, deviations[1].edit, nil)
	if len(r.Differences) != 1 || len(r.Differences[0].Revisions) != 4 {
		t.Errorf("%s", text(t, r))
	}
}

// TestServerChangesByItself: what the server answers otherwise each time is not the
// gateway's doing; what the gateway does beside it is told.
func TestServerChangesByItself(t *testing.T) {
	var n atomic.Int64
	clock := func(cfg *compare.Config, server *reference.Server) {
		text := func() *string { s := fmt.Sprint("look ", n.Add(1)); return &s }
		cfg.Direct = gateway(server, only("resources/read", func(m object) {
			each(m, "contents", func(x object) bool { x["text"] = *text(); delete(x, "blob"); return true })
		}))
		cfg.Through = gateway(server, only("resources/read", func(m object) {
			each(m, "contents", func(x object) bool { x["text"] = *text(); delete(x, "blob"); return true })
		}))
	}
	r := played(t, reference.Options{}, nil, func(cfg *compare.Config, s *reference.Server) {
		clock(cfg, s)
		cfg.Revisions = []requirement.Revision{requirement.R20251125}
	})
	if r.Summary.Outcome != compare.Same || r.Summary.Unsteady == 0 ||
		r.Unsteady[0].Member != "contents[0].text" {
		t.Errorf("%s\n%s", r.Headline(), text(t, r))
	}
	if out := text(t, r); !strings.Contains(out, "changes by itself, not counted") {
		t.Error(out)
	}
}

// TestSeenOnce: what does not repeat, though the server always says the same, is no
// difference, and the two are not the same; nor is the server blamed.
func TestSeenOnce(t *testing.T) {
	for _, ignore := range []string{"", "listed:name"} {
		var n atomic.Int64
		r := played(t, reference.Options{}, only("resources/list", func(m object) {
			if n.Add(1) == 1 {
				each(m, "resources", func(x object) bool { delete(x, "name"); return true })
			}
		}), func(cfg *compare.Config, _ *reference.Server) {
			cfg.Revisions = []requirement.Revision{requirement.R20251125}
			if ignore != "" {
				cfg.Ignore = []string{ignore}
			}
		})
		want := compare.NotEstablished
		if ignore != "" {
			want = compare.Same
		}
		if r.Summary.Outcome != want || r.Summary.Unsteady > 0 || (len(r.Gaps) == 1) != (ignore == "") {
			t.Errorf("%s\n%s", r.Headline(), text(t, r))
		}
		if out := text(t, r); ignore == "" &&
			!strings.Contains(out, "the gateway's answers differ from time to time") {
			t.Error(out)
		}
	}
}

// TestRevisions: a revision that the gateway does not offer is a difference.
func TestRevisions(t *testing.T) {
	r := played(t, reference.Options{}, func(method string, m object) object {
		if in(m)["protocolVersion"] == "2024-11-05" {
			in(m)["protocolVersion"] = "2025-11-25"
		}
		return m
	}, nil)
	if len(r.Differences) != 1 || line(&r.Differences[0]) != "declared dropped  revision 2024-11-05" ||
		len(r.Compared) != len(requirement.Revisions())-1 {
		t.Errorf("%s", text(t, r))
	}
}

// TestMapping: prefixes that the gateway puts before URIs and names on purpose.
func TestMapping(t *testing.T) {
	prefix := func(m object) {
		for _, member := range []string{"resources", "resourceTemplates", "contents"} {
			each(m, member, func(x object) bool {
				for _, name := range []string{"uri", "uriTemplate"} {
					if s, ok := x[name].(string); ok {
						x[name] = "gw+" + s
					}
				}
				if s, ok := x["name"].(string); ok {
					x["name"] = "gw__" + s
				}
				return true
			})
		}
	}
	e := func(method string, m object) object { prefix(m); return m }
	change := func(cfg *compare.Config, server *reference.Server) {
		cfg.Revisions = []requirement.Revision{requirement.R20250618}
		cfg.MapURI, cfg.MapName = []compare.Rename{{To: "gw+"}}, []compare.Rename{{To: "gw__"}}
		inner := cfg.Through.Endpoints[0].Pipe
		cfg.Through.Endpoints[0].Pipe = func(ctx context.Context) (io.ReadWriteCloser, error) {
			return unprefixed(ctx, inner)
		}
		cfg.Direct.Triggers.Update = nil // its notification bears the URI, which this gateway leaves alone
	}
	r := played(t, reference.Options{}, e, change)
	for _, d := range r.Differences {
		if d.Group != compare.Errors { // whose data bears the URI of the server
			t.Errorf("%s: %s, %s", line(&d), d.Direct, d.Through)
		}
	}
	r = played(t, reference.Options{}, e,
		func(cfg *compare.Config, s *reference.Server) { change(cfg, s); cfg.MapURI = nil })
	if r.Summary.Dropped == 0 || r.Summary.Added == 0 {
		t.Errorf("without --map-uri: %s", r.Headline())
	}
}

// unprefixed takes the prefix off what is asked for.
func unprefixed(ctx context.Context, open func(context.Context) (io.ReadWriteCloser, error)) (
	io.ReadWriteCloser, error) {
	c, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return rewriting{c}, nil
}

type rewriting struct{ io.ReadWriteCloser }

func (r rewriting) Write(p []byte) (int, error) {
	if _, err := r.ReadWriteCloser.Write([]byte(strings.ReplaceAll(string(p), `"gw+`, `"`))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// TestIgnore: what is known is not counted, and an entry that fits nothing is told.
func TestIgnore(t *testing.T) {
	r := played(t, reference.Options{}, deviations[1].edit, func(cfg *compare.Config, _ *reference.Server) {
		cfg.Ignore = []string{"declared:instructions", "serverInfo", "read"}
	})
	notes := strings.Join(r.Notes, "\n")
	if r.Summary.Outcome != compare.Same || r.Summary.Ignored != 1 ||
		!strings.Contains(notes, "--ignore serverInfo fits") ||
		!strings.Contains(notes, "--ignore read fits") || strings.Contains(notes, "instructions") {
		t.Errorf("%s\n%s", r.Headline(), text(t, r))
	}
}

// TestSecrets: a secret of either side is shown nowhere.
func TestSecrets(t *testing.T) {
	const secret = "sesame-open-99"
	r := played(t, reference.Options{},
		only("initialize", func(m object) { in(m)["instructions"] = "the key is " + secret + "\x1b[31m" }),
		func(cfg *compare.Config, _ *reference.Server) {
			cfg.Through.Secret = []target.Value{target.Plain(secret)}
		})
	all := text(t, r) + markdown(t, r) + raw(t, r)
	if !strings.Contains(all, "the key is ***") || strings.Contains(all, secret) ||
		strings.Contains(all, "\x1b") {
		t.Error(all)
	}
}

// TestUnreachable: a side that is not there leaves nothing established.
func TestUnreachable(t *testing.T) {
	r := played(t, reference.Options{}, nil, func(cfg *compare.Config, _ *reference.Server) {
		cfg.Through.Endpoints[0].Pipe = func(context.Context) (io.ReadWriteCloser, error) {
			return nil, errors.New("nobody is there")
		}
	})
	if r.Summary.Outcome != compare.NotEstablished || len(r.Gaps) != 1 || !strings.Contains(r.Gaps[0].Reason,
		"nobody is there") {
		t.Errorf("%s", text(t, r))
	}
}

// TestInterrupted: what was found by then stands in the report, whose outcome is open.
func TestInterrupted(t *testing.T) {
	r := played(t, reference.Options{Latency: 3 * time.Second}, nil,
		func(cfg *compare.Config, _ *reference.Server) { cfg.Budget = 30 * time.Second })
	last := r.Gaps[len(r.Gaps)-1].Reason
	if r.Summary.Outcome != compare.NotEstablished || !r.Summary.Interrupted || len(r.Gaps) != 1 ||
		!strings.Contains(last, "--budget") {
		t.Errorf("%s\n%s", r.Headline(), text(t, r))
	}
}

// TestGatewayDies: a gateway that goes away in the middle is no server with fewer resources.
func TestGatewayDies(t *testing.T) {
	var open atomic.Int64
	r := played(t, reference.Options{}, nil, func(cfg *compare.Config, _ *reference.Server) {
		inner := cfg.Through.Endpoints[0].Pipe
		cfg.Revisions = []requirement.Revision{requirement.R20251125}
		cfg.Through.Endpoints[0].Pipe = func(ctx context.Context) (io.ReadWriteCloser, error) {
			if open.Add(1) > 1 {
				return nil, errors.New("gone")
			}
			c, err := inner(ctx)
			m := &mortal{ReadWriteCloser: c}
			m.left.Store(6)
			return m, err
		}
	})
	if r.Summary.Outcome == compare.Same {
		t.Errorf("%s\n%s", r.Headline(), text(t, r))
	}
}

// mortal is a connection that ends after some messages.
type mortal struct {
	io.ReadWriteCloser
	left atomic.Int64
}

func (m *mortal) Write(p []byte) (int, error) {
	if m.left.Add(-1) < 0 {
		m.Close()
		return 0, io.ErrClosedPipe
	}
	return m.ReadWriteCloser.Write(p)
}

func text(t *testing.T, r *compare.Report) string {
	t.Helper()
	var b strings.Builder
	if err := compare.WriteConsole(&b, r, compare.ConsoleOptions{Again: "mcpcheck compare"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markdown(t *testing.T, r *compare.Report) string {
	t.Helper()
	var b strings.Builder
	if err := compare.WriteMarkdown(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func raw(t *testing.T, r *compare.Report) string {
	t.Helper()
	var b strings.Builder
	if err := compare.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var back compare.Report
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil {
		t.Fatal(err)
	}
	x, _ := json.Marshal(back.Differences)
	y, _ := json.Marshal(r.Differences)
	if string(x) != string(y) || back.Summary != r.Summary {
		t.Error("it is not read back as it was written")
	}
	return b.String()
}

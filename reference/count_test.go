package reference_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/catalogue"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
)

// TestCountIsSpentWhereFaultsAct: each fault and quirk acts for the first time at the same message of a
// conversation whether it is to act once or always, so that no message before, on which it cannot act, has
// used up the one time; and the journal names that message alone. Where it must not act it changes nothing. A
// run of the whole package plays one of four; package sample says how to have all played.
func TestCountIsSpentWhereFaultsAct(t *testing.T) {
	if testing.Short() {
		t.Skip("some thousand conversations")
	}
	// They leave much garbage and little else, which is collected seldom meanwhile.
	percent := debug.SetGCPercent(400)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	left := map[string]bool{
		// says of each read that the client can be asked, which shows where the resource asks
		"mrtr-04-asks-anyone": true,
		// a stream keeps a thread, which shows where nothing is left for another one
		"http-37-few-threads": true,
		// has an answer wait for another one, which shows where there is one
		"answers-out-of-order": true,
		"merged-updates":       true, // holds back what may come a little later anyway
		"sess-02-alike":        true, // issues ids as long as others, of which the first is overlooked
		// has reads wait for others, which shows where there is nothing to mix up
		"rpc-17-mixes-up-expansions": true,
	}
	all := map[string]catalogue.Entry{}
	for _, e := range slices.Concat(fault.All(), quirk.All()) {
		all[e.Name] = e
	}
	w, plain := reference.DefaultWorld(), map[string]*talker{}
	shown, limited := 0, 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !sample.Slow(name, 4) {
			continue
		}
		f, rule := all[name], control.Rule{Fault: name, Limits: control.Limits{Count: 1}}
		if isQuirk(name) {
			rule.Fault, rule.Quirk = "", name
		}
		if left[name] || rule.Validate() != nil { // what acts on no single message
			continue
		}
		t.Run(name, func(t *testing.T) {
			limited++
			for _, p := range scenes(f.Needs) {
				key, idle := p.String(), ""
				// what it needs to act is there from the start
				if f.Overlay != nil || f.Needs.Authorization ||
					f.HooksFor(rand.New(rand.NewPCG(0, 0))).EventStreams != nil {
					key, idle = p.String()+name, name+":skip=1000000"
				}
				if plain[key] == nil {
					plain[key] = p.converse(t, w, idle, nil)
					again := p.converse(t, w, idle, plain[key].all)
					if i := plain[key].differs(again); i >= 0 {
						t.Fatalf("%v: the conversation is not the same each time:\n%v\n%v", p,
							plain[key].all[i], again.all[i])
					}
				}
				before := plain[key]
				acts, wrong := p.actsOnce(t, w, name, before)
				if wrong != "" {
					t.Error(wrong)
				}
				if !acts {
					continue
				}
				shown++
				return
			}
		})
	}
	if 20*shown < 17*limited && sample.Whole() || 2*shown < limited {
		t.Errorf("%d of %d faults and quirks show in the conversation", shown, limited)
	}
}

// actsOnce reports whether a fault or quirk shows in the conversation, and what is wrong if it is to act
// once. What goes on side by side may come in another order now and then, and show elsewhere, so that it is
// tried again.
func (p scene) actsOnce(t *testing.T, w reference.World, name string, before *talker) (acts bool,
	wrong string) {
	t.Helper()
	const tries = 3
	for range tries {
		always := before.differs(p.converse(t, w, name, before.all))
		if always < 0 {
			continue
		}
		once := p.converse(t, w, name+":count=1", before.all[:always+1])
		first := before.differs(once)
		never := before.differs(p.converse(t, w, name+":skip=1000000", before.all[:always+1]))
		if strings.HasPrefix(name, "rpc-17-mixes-up") { // has reads wait for each other in any case
			never = -1
		}
		if first == always && len(once.applied) == 1 && never < 0 {
			return true, ""
		}
		acts, wrong = true, fmt.Sprintf(
			"%v: it acts at %s, message %d; with count=1 at message %d, and is said to act on %v; where "+
				"it must not, at message %d",
			p, before.all[always].what, always, first, once.applied, never)
	}
	return acts, wrong
}

func isQuirk(name string) bool {
	_, is := quirk.Find(name)
	return is
}

// scene is where a conversation is held.
type scene struct {
	revision, transport string
	pageSize            int
	served              []string
}

func (p scene) String() string {
	return fmt.Sprint(p.revision, " on ", p.transport, p.pageSize, p.served)
}

// scenes are those at which a fault or quirk can show.
func scenes(n fault.Needs) (all []scene) {
	for _, p := range []scene{
		{revision: hook.R20251125, transport: hook.Stdio}, {revision: hook.R20260728, transport: hook.HTTP},
		{revision: hook.R20251125, transport: hook.HTTP},
		{revision: hook.R20241105, transport: hook.SSE}, {revision: hook.R20260728, transport: hook.Stdio},
		{revision: hook.R20250326, transport: hook.Stdio},
		{revision: hook.R20250618, transport: hook.HTTP},
	} {
		p.pageSize, p.served = n.PageSize, n.Served
		if allows(n.Revisions, p.revision) && allows(n.Transports, p.transport) &&
			allows(n.Served, p.revision) {
			all = append(all, p)
		}
	}
	return all
}

func allows(some []string, one string) bool { return len(some) == 0 || slices.Contains(some, one) }

// converse holds the conversation with a server that has a fault or quirk, until it goes otherwise than
// another one, or as far as that went.
func (p scene) converse(t *testing.T, w reference.World, spec string, like []said) *talker {
	t.Helper()
	c := &talker{revision: p.revision, transport: p.transport, like: like, came: map[string]*bytes.Buffer{}}
	synctest.Test(t, func(t *testing.T) {
		o := reference.Options{PageSize: p.pageSize, Revisions: p.served, Seed: 7}
		if name, _, _ := strings.Cut(spec, ":"); isQuirk(name) {
			o.Quirks = []string{spec}
		} else if spec != "" {
			o.Faults = []string{spec}
		}
		ctx, cancel := context.WithCancel(t.Context())
		server, err := reference.New(w, o)
		if err != nil {
			t.Fatal(err)
		}
		c.t, c.server = t, server
		c.talk(ctx)
		for _, e := range c.server.Journal().Query(journal.Query{Kinds: []journal.Kind{journal.Applied}}) {
			c.applied = append(c.applied, e.Method+" "+e.URI)
		}
		cancel()
		if c.conn != nil {
			_ = c.conn.Close()
		}
		_ = server.Close()
		synctest.Wait()
	})
	return c
}

// said is what a client said, and all that came back.
type said struct{ what, came string }

// talker says the same to every server, whatever comes back.
type talker struct {
	t                   *testing.T
	server              *reference.Server
	revision, transport string
	conn                reference.Conn
	session, endpoint   string
	id                  int
	all, like           []said
	over                bool     // it has gone otherwise
	applied             []string // what the journal names

	mu   sync.Mutex
	came map[string]*bytes.Buffer // by stream
	n    int
}

var cursorIn = regexp.MustCompile(`"nextCursor":"([^"]+)"`)

// masked is a text without what no two servers have in common: ids of sessions, unless they are odd, and
// cursors.
func (c *talker) masked(text string) string {
	_, id, _ := strings.Cut(c.endpoint, "sessionId=")
	for _, id := range []string{id, c.session} {
		if len(id) > 20 {
			text = strings.ReplaceAll(text, id, "?")
		}
	}
	return cursorIn.ReplaceAllString(text, "?")
}

// differs is the number of what went otherwise in another conversation; -1 if nothing did as far as both go.
func (c *talker) differs(other *talker) int {
	for i := range min(len(c.all), len(other.all)) {
		if c.all[i] != other.all[i] {
			return i
		}
	}
	return -1
}

// step does something, and keeps what comes of it.
func (c *talker) step(what string, act func()) string {
	if c.over {
		return ""
	}
	go act()
	synctest.Wait()
	time.Sleep(400 * time.Millisecond)
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.came)) {
		if c.came[name].Len() > 0 {
			fmt.Fprintf(&b, "%s: %s\n", name, c.came[name])
		}
	}
	clear(c.came)
	c.all = append(c.all, said{what, c.masked(b.String())})
	n := len(c.all)
	c.over = c.like != nil && (n == len(c.like) || c.all[n-1] != c.like[n-1])
	return b.String()
}

func (c *talker) take(stream string, p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.came[stream] == nil {
		c.came[stream] = &bytes.Buffer{}
	}
	c.came[stream].Write(p)
}

func (c *talker) raw(ctx context.Context, what, text string) string {
	return c.step(what, func() { c.write(ctx, text, c.headers(text)) })
}

// headers are those of a message over Streamable HTTP; elsewhere nothing is said in them.
func (c *talker) headers(text string) http.Header {
	if c.transport != hook.HTTP {
		return http.Header{}
	}
	k := client{revision: c.revision, session: c.session}
	return k.headers([]byte(text))
}

func (c *talker) write(ctx context.Context, text string, h http.Header) {
	switch c.transport {
	case hook.Stdio:
		_, _ = io.WriteString(c.conn, text+"\n")
	case hook.HTTP:
		c.web(ctx, http.MethodPost, "/mcp", text, h)
	case hook.SSE:
		c.web(ctx, http.MethodPost, c.endpoint, text, nil)
	}
}

// web makes an HTTP request.
func (c *talker) web(ctx context.Context, verb, path, body string, h http.Header) {
	c.mu.Lock()
	c.n++
	name := fmt.Sprintf("%s %s %d", verb, path, c.n)
	c.mu.Unlock()
	if i := strings.Index(name, "?"); i >= 0 {
		name = verb + " " + name[:i]
	}
	if _, err := url.Parse(path); err != nil || !strings.HasPrefix(path, "/") ||
		strings.ContainsAny(path, " \"") {
		c.take(name, []byte("there is no such address"))
		return
	}
	r := httptest.NewRequest(verb, path, strings.NewReader(body)).WithContext(ctx)
	if verb == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, values := range h {
		r.Header[name] = values
	}
	w := newLiveResponse()
	go func() {
		defer w.finish()
		defer func() {
			if recover() != nil {
				c.take(name, []byte("aborted"))
			}
		}()
		c.server.Handler().ServeHTTP(w, r)
	}()
	select {
	case <-w.headed:
	case <-ctx.Done():
		_ = w.body.Close()
		return
	}
	if id := w.Header().Get("Mcp-Session-Id"); id != "" && c.session == "" {
		c.session = id
	}
	var b strings.Builder
	_ = w.Header().Write(&b)
	c.take(name, fmt.Appendf(nil, "%d %s", w.status, b.String()))
	buf := make([]byte, 4096)
	for {
		n, err := w.body.Read(buf)
		if n > 0 {
			c.take(name, buf[:n])
			if _, address, ok := strings.Cut(string(buf[:n]), "event: endpoint\ndata: "); ok {
				c.endpoint, _, _ = strings.Cut(address, "\n")
			}
		}
		if err != nil {
			c.take(name, []byte(" end"))
			return
		}
	}
}

func (c *talker) ask(ctx context.Context, method string, params object) string {
	c.id++
	k := client{revision: c.revision, caps: object{}}
	m := object{"jsonrpc": "2.0", "id": hook.Number(int64(c.id)), "method": method}
	if p := k.withMeta(params); p != nil {
		m["params"] = p
	}
	return c.raw(ctx, fmt.Sprint(method, params), string(hook.Encode(m)))
}

func (c *talker) tell(ctx context.Context, method string, params object) {
	m := object{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	c.raw(ctx, method, string(hook.Encode(m)))
}

package reference

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// TB is what Start needs of a *testing.T or *testing.B; it is an interface so that
// programs which use this package do not link the testing package.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Option is a choice for Start.
type Option func(o *Options)

// WithOptions sets several options at once.
func WithOptions(change func(o *Options)) Option { return change }

// WithRevisions limits what is served to these revisions.
func WithRevisions(revisions ...string) Option {
	return func(o *Options) { o.Revisions = revisions }
}

// WithPageSize sets the number of entries on a page.
func WithPageSize(n int) Option { return func(o *Options) { o.PageSize = n } }

// WithSeed sets the seed of everything random.
func WithSeed(seed uint64) Option { return func(o *Options) { o.Seed = seed } }

// WithFault has the server break a rule from the start: the name of a fault and
// its limits, see control.ParseFault.
func WithFault(spec string) Option { return func(o *Options) { o.Faults = append(o.Faults, spec) } }

// WithQuirk has the server be odd from the start: the name of a quirk and its limits.
func WithQuirk(spec string) Option { return func(o *Options) { o.Quirks = append(o.Quirks, spec) } }

// patience is how long WaitFor waits.
const patience = 5 * time.Second

// TestServer is a server that belongs to a test: what goes wrong fails the test, and
// everything ends with it. The methods of Server that it does not replace are
// there as well.
type TestServer struct {
	*Server
	tb TB

	once sync.Once
	base string
	stop func() error // ends what listens; nil if nothing does
}

// Start makes a server for a test and ends it with the test. It listens only once
// URL is called, so that a test in a testing/synctest bubble, which must do without
// a network, can use Connect.
func Start(tb TB, w World, options ...Option) *TestServer {
	tb.Helper()
	var all Options
	for _, o := range options {
		o(&all)
	}
	server, err := New(w, all)
	if err != nil {
		tb.Fatalf("the server cannot be started: %v", err)
		return nil
	}
	t := &TestServer{Server: server, tb: tb}
	tb.Cleanup(t.end)
	return t
}

// end ends the server and all that belongs to it.
func (t *TestServer) end() {
	t.tb.Helper()
	err := t.Server.Close()
	if t.once.Do(func() {}); t.stop != nil {
		err = errors.Join(err, t.stop())
	}
	if err != nil {
		t.tb.Errorf("the server did not end well: %v", err)
	}
	if err := t.Journal().Err(); err != nil {
		t.tb.Errorf("%v", err)
	}
}

// URL is the address of Streamable HTTP.
func (t *TestServer) URL() string {
	t.tb.Helper()
	return t.listen() + "/mcp"
}

// SSEURL is the address of HTTP+SSE.
func (t *TestServer) SSEURL() string {
	t.tb.Helper()
	return t.listen() + "/sse"
}

func (t *TestServer) listen() string {
	t.tb.Helper()
	t.once.Do(func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.tb.Fatalf("the server cannot listen: %v", err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- t.Serve(ctx, l) }()
		t.base = "http://" + l.Addr().String()
		t.stop = func() error {
			cancel()
			return <-done
		}
	})
	return t.base
}

// Connect opens a connection with the framing of stdio, a message per line.
func (t *TestServer) Connect() io.ReadWriteCloser {
	t.tb.Helper()
	c, err := t.Pipe(context.Background())
	if err != nil {
		t.tb.Fatalf("no connection: %v", err)
		return nil
	}
	return c
}

// Put adds or replaces a resource.
func (t *TestServer) Put(r Resource) {
	t.tb.Helper()
	if err := t.Server.Put(r); err != nil {
		t.tb.Fatalf("%v", err)
	}
}

// PutText adds a text resource, or gives the one with that URI another text.
func (t *TestServer) PutText(uri, text string) {
	t.tb.Helper()
	found, err := t.Update(uri, func(r *Resource) error {
		r.Text, r.Blob, r.Contains, r.Generate, r.Size = &text, nil, nil, nil, nil
		return nil
	})
	if !found {
		err = t.Server.Put(Resource{URI: uri, Name: uri[strings.LastIndexAny(uri, "/:")+1:], Text: &text})
	}
	if err != nil {
		t.tb.Fatalf("%v", err)
	}
}

// Remove takes a resource away, which must be there.
func (t *TestServer) Remove(uri string) {
	t.tb.Helper()
	if !t.Server.Remove(uri) {
		t.tb.Fatalf("there is no resource %s", uri)
	}
}

// Touch notifies the subscribers of a resource, which must be there.
func (t *TestServer) Touch(uri string) {
	t.tb.Helper()
	if !t.Server.Touch(uri) {
		t.tb.Fatalf("there is no resource %s", uri)
	}
}

// Inject switches a rule on; the function that it returns switches it off.
func (t *TestServer) Inject(r control.Rule) (remove func()) {
	t.tb.Helper()
	status, err := t.AddRule(r)
	if err != nil {
		t.tb.Fatalf("%v", err)
	}
	return func() { t.RemoveRule(status.ID) }
}

// Fault has the server break a rule from now on: the name of a fault or of a
// failure of the connection, and its limits, as in "reset:method=resources/read:count=1".
func (t *TestServer) Fault(spec string) (remove func()) {
	t.tb.Helper()
	return t.parsed(control.ParseFault(spec))
}

// Quirk has the server be odd from now on: the name of a quirk and its limits.
func (t *TestServer) Quirk(spec string) (remove func()) {
	t.tb.Helper()
	return t.parsed(control.ParseQuirk(spec))
}

// Delay holds answers back from now on, as in "50ms" or "uniform:10ms-90ms:method=resources/read".
func (t *TestServer) Delay(spec string) (remove func()) {
	t.tb.Helper()
	return t.parsed(control.ParseLatency(spec))
}

func (t *TestServer) parsed(r control.Rule, err error) func() {
	t.tb.Helper()
	if err != nil {
		t.tb.Fatalf("%v", err)
		return func() {}
	}
	return t.Inject(r)
}

// FailNext answers the next n requests with a method by a JSON-RPC error, and then
// as before.
func (t *TestServer) FailNext(n int, method string, code int64, message string) (remove func()) {
	t.tb.Helper()
	return t.Inject(control.Rule{
		Fail:   &control.Failure{Code: code, Message: message},
		Limits: control.Limits{Method: method, Count: n},
	})
}

// Received fails the test unless exactly n requests or notifications with a method have
// come from clients so far.
func (t *TestServer) Received(method string, n int) {
	t.tb.Helper()
	t.assert(t.Journal().Exactly(journal.Received(method), n))
}

// Sent fails the test unless the server has sent exactly n notifications with a method,
// or answers to requests with it, so far.
func (t *TestServer) Sent(method string, n int) {
	t.tb.Helper()
	t.assert(t.Journal().Exactly(journal.Sent(method), n))
}

// InOrder fails the test unless requests or notifications with these methods have come
// from clients in this order, whatever came between them.
func (t *TestServer) InOrder(methods ...string) {
	t.tb.Helper()
	queries := make([]journal.Query, len(methods))
	for i, m := range methods {
		queries[i] = journal.Received(m)
	}
	t.assert(t.Journal().InOrder(queries...))
}

func (t *TestServer) assert(err error) {
	t.tb.Helper()
	if err != nil {
		t.tb.Errorf("%v", err)
	}
}

// WaitFor waits until n requests or notifications with a method have come from
// clients, counted from the start, and ends the test if they do not come in time.
func (t *TestServer) WaitFor(method string, n int) {
	t.tb.Helper()
	t.WaitForEntries(journal.Received(method), n)
}

// WaitForEntries waits until the journal has n entries of a kind.
func (t *TestServer) WaitForEntries(q journal.Query, n int) {
	t.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := t.Journal().WaitFor(ctx, q, n); err != nil {
		t.tb.Fatalf("%v", err)
	}
}

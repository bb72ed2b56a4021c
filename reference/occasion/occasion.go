// Package occasion makes a mock server do what a client has to react to, so that more
// can be judged: it pings clients, asks those for their roots that declare some, says that
// the list has changed and, if that is asked for, ends a session and an event stream.
//
//	o := occasion.New(occasion.Options{EndSession: true})
//	server, err := reference.New(w, reference.Options{Hooks: o.Hooks()})
//	o.Bind(server)
package occasion

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Options say what is done. The zero value pings, asks for declared roots and tells of changes,
// which any client has to cope with at any time.
type Options struct {
	// EndSession ends one session of Streamable HTTP, after the first read in it.
	EndSession bool
	// EndStream ends one event stream that was opened by GET, behind a message, and says that the client
	// is to come back in a second (2025-11-25). Where a session is ended, it is a stream of a later one.
	EndStream bool
}

// comeBack is how long a client has to wait before it opens a stream again.
const comeBack = time.Second

// Server is what has to be steered.
type Server interface {
	ListChanged()
	EndSession(id string) bool
}

// Occasions does it for one server.
type Occasions struct {
	options Options

	mu      sync.Mutex
	server  Server
	pinged  map[string]bool
	roots   map[string]bool // sessions that declared roots and have not been asked for them
	changed map[string]bool
	armed   string // the session that is to end
	ended   bool
	broken  bool // a stream was ended
}

// New makes the occasions for one server.
func New(o Options) *Occasions {
	return &Occasions{options: o, pinged: map[string]bool{}, roots: map[string]bool{},
		changed: map[string]bool{}}
}

// Bind says which server it is. Before, only pings are sent.
func (o *Occasions) Bind(s Server) {
	o.mu.Lock()
	o.server = s
	o.mu.Unlock()
}

// Hooks are what the server needs.
func (o *Occasions) Hooks() hook.Hooks {
	return hook.Join(hook.Hooks{Handle: o.handle, HTTP: o.http}, hook.OnEvent(o.event))
}

// maxSessions bounds the connections of which it is remembered what they have been sent.
const maxSessions = 10_000

// once reports whether something is due for a session, and that it is done.
func (o *Occasions) once(done map[string]bool, session string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if done[session] || len(done) >= maxSessions {
		return false
	}
	done[session] = true
	return true
}

func (o *Occasions) handle(next hook.Handler) hook.Handler {
	return func(ctx context.Context, c *hook.Call) *hook.Reply {
		handshaken := c.Session != nil && c.Session.Revision() != "" && !c.Modern
		if handshaken && !c.Notification() && feature(c.Method) && o.once(o.pinged, c.Session.ID()) {
			o.ping(ctx, c)
		}
		if c.Method == hook.MethodRead && handshaken && o.rooted(c.Session.ID()) {
			o.ask(ctx, c, "verify-roots", "roots/list")
		}
		r := next(ctx, c)
		switch {
		case c.Method == "initialize" && c.Session != nil &&
			gjson.GetBytes(c.Params, "capabilities.roots").IsObject():
			o.once(o.roots, c.Session.ID())
		case c.Method == hook.MethodRead && handshaken:
			o.afterRead(c)
		case c.Method == hook.MethodListen && r != nil && r.Open:
			o.soon()
		}
		return r
	}
}

// feature reports whether a method is one that clients call once they are at work.
func feature(method string) bool { return method == hook.MethodList || method == hook.MethodRead }

// rooted reports whether a session is to be asked for its roots, once.
func (o *Occasions) rooted(session string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	due := o.roots[session]
	delete(o.roots, session)
	return due
}

func (o *Occasions) ping(ctx context.Context, c *hook.Call) {
	o.mu.Lock()
	id := fmt.Sprintf("verify-ping-%d", len(o.pinged))
	o.mu.Unlock()
	o.ask(ctx, c, id, "ping")
}

// ask sends the client a request. Over Streamable HTTP the stream of the POST is the one way
// that every client has to have open.
func (o *Occasions) ask(ctx context.Context, c *hook.Call, id, method string) {
	raw := []byte(`{"jsonrpc":"2.0","id":"` + id + `","method":"` + method + `"}`)
	if c.Transport == hook.HTTP {
		// a client that has gone is noticed elsewhere
		_ = c.Emit(ctx, hook.Message{Kind: hook.Notification, Method: method, Raw: raw})
		return
	}
	_ = c.Session.Send(ctx, raw) // as above
}

// afterRead tells the client of a change of the list, and marks its session.
func (o *Occasions) afterRead(c *hook.Call) {
	o.mu.Lock()
	server := o.server
	if o.options.EndSession && !o.ended && o.armed == "" && c.Transport == hook.HTTP {
		o.armed = c.Session.ID()
	}
	o.mu.Unlock()
	if server != nil && o.once(o.changed, c.Session.ID()) {
		server.ListChanged()
	}
}

// soon tells listen streams of a change of the list, once they have been acknowledged.
func (o *Occasions) soon() {
	if !o.once(o.changed, "listen") {
		return
	}
	o.mu.Lock()
	server := o.server
	o.mu.Unlock()
	if server != nil {
		time.AfterFunc(50*time.Millisecond, server.ListChanged)
	}
}

// event ends a stream behind its message.
func (o *Occasions) event(e hook.Streaming) error {
	t := hook.TraceOf(e)
	o.mu.Lock()
	due := o.options.EndStream && !o.broken && (o.ended || !o.options.EndSession) &&
		e.Stream == "get" && e.ID != "" && len(e.Data) > 0 &&
		t != nil && t.Header.Get("Mcp-Protocol-Version") == hook.R20251125
	o.broken = o.broken || due
	o.mu.Unlock()
	if !due {
		return e.Next()
	}
	e.Retry = comeBack
	if err := e.Next(); err != nil {
		return err
	}
	return io.ErrClosedPipe
}

// http ends the marked session just before its next request is looked at.
func (o *Occasions) http(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		o.mu.Lock()
		due := o.armed != "" && o.armed == id && r.Method == http.MethodPost && !o.ended && o.server != nil
		o.ended = o.ended || due
		server := o.server
		o.mu.Unlock()
		if due {
			// A response (to the ping, say) is no request that could be
			// answered with a session that is gone.
			if t := hook.TraceOf(r.Context()); t != nil && !t.Request {
				o.mu.Lock()
				o.ended = false
				o.mu.Unlock()
			} else {
				server.EndSession(id)
			}
		}
		next.ServeHTTP(w, r)
	})
}

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

	mu     sync.Mutex
	server Server
	done   map[[2]string]bool // what has been done, and in which session
	pings  int
	armed  string // the session that is to end
	ended  bool
	broken bool // a stream was ended
}

// New makes the occasions for one server.
func New(o Options) *Occasions { return &Occasions{options: o, done: map[[2]string]bool{}} }

// Bind says which server it is. Before, only pings are sent.
func (o *Occasions) Bind(s Server) {
	o.mu.Lock()
	o.server = s
	o.mu.Unlock()
}

// Hooks are what the server needs.
func (o *Occasions) Hooks() hook.Hooks {
	return hook.Join(hook.Hooks{Handle: o.handle}, hook.OnHTTP(nil, o.http), hook.OnEvent(o.event))
}

// maxDone bounds what is remembered.
const maxDone = 30_000

// once reports whether something is due for a session, and that it is done.
func (o *Occasions) once(what, session string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := [2]string{what, session}
	if o.done[key] || len(o.done) >= maxDone {
		return false
	}
	o.done[key] = true
	return true
}

// The keys of what is done once for a session.
const (
	pinged  = "pinged"
	rooted  = "has roots" // it has declared some
	asked   = "asked for roots"
	changed = "told of a change"
)

func (o *Occasions) handle(next hook.Handler) hook.Handler {
	return func(ctx context.Context, c *hook.Call) *hook.Reply {
		id, handshaken := "", false
		if c.Session != nil {
			id, handshaken = c.Session.ID(), c.Session.Revision() != "" && !c.Modern
		}
		read := handshaken && c.Method == hook.MethodRead
		if (read || handshaken && c.Method == hook.MethodList) && !c.Notification() && o.once(pinged, id) {
			o.mu.Lock()
			o.pings++
			ping := fmt.Sprintf("verify-ping-%d", o.pings)
			o.mu.Unlock()
			o.ask(ctx, c, ping, "ping")
		}
		if read && o.declared(id) && o.once(asked, id) {
			o.ask(ctx, c, "verify-roots", "roots/list")
		}
		r := next(ctx, c)
		switch {
		case c.Method == "initialize" && c.Session != nil &&
			gjson.GetBytes(c.Params, "capabilities.roots").IsObject():
			o.once(rooted, id)
		case read:
			o.afterRead(c)
		case c.Method == hook.MethodListen && r != nil && r.Open:
			o.change("listen", 50*time.Millisecond) // when the stream has been acknowledged
		}
		return r
	}
}

// declared reports whether a session has declared roots.
func (o *Occasions) declared(session string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done[[2]string{rooted, session}]
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
	if o.options.EndSession && !o.ended && o.armed == "" && c.Transport == hook.HTTP {
		o.armed = c.Session.ID()
	}
	o.mu.Unlock()
	o.change(c.Session.ID(), 0)
}

// change tells the clients of a server that is known of a change of the list, once for a session.
func (o *Occasions) change(session string, later time.Duration) {
	o.mu.Lock()
	server := o.server
	o.mu.Unlock()
	if server == nil || !o.once(changed, session) {
		return
	}
	if later > 0 {
		time.AfterFunc(later, server.ListChanged)
	} else {
		server.ListChanged()
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

// http ends the marked session just before its next request is looked at. A response (to the ping, say) is
// none that could be answered with a session that is gone.
func (o *Occasions) http(x hook.Serving) {
	id, t := x.Header.Get("Mcp-Session-Id"), hook.TraceOf(x.Context())
	o.mu.Lock()
	server := o.server
	due := id != "" && o.armed == id && x.Method == http.MethodPost && !o.ended && server != nil &&
		(t == nil || t.Request)
	o.ended = o.ended || due
	o.mu.Unlock()
	if due {
		server.EndSession(id)
	}
	x.Next()
}

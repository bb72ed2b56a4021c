package hook

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Trace accompanies one incoming message, or HTTP request without a message, through
// all places where hooks can act on it: what it was when it came in, and what was
// decided about it. It is in the contexts of all hooks that act on its behalf (see
// TraceOf), in its Call, and so in the messages that belong to the call.
type Trace struct {
	// Seq is the number of its entry in the journal; 0 if there is none.
	Seq uint64
	// Method and URI are those of the message as it came in. An HTTP request
	// without a message has its HTTP method instead; a batch has neither.
	Method, URI string
	// Params is the params member of the message, nil if there is none; Header the headers of the
	// HTTP request, nil on stdio. Neither must be changed.
	Params json.RawMessage
	Header http.Header
	// Transport is that on which it came.
	Transport string
	// Connection is the address of the client, over HTTP.
	Connection string
	// Session is the id that the request names, or that of its connection.
	Session string
	// Token is the bearer token that came along.
	Token string
	// Request says that an answer is due.
	Request bool
	// Server ends with the server: what waits for a client to leave must not
	// outlive it.
	Server context.Context

	mu        sync.Mutex
	decisions []decision
	few       [2]decision // room for most
	marks     []string
}

type decision struct {
	key, value any
}

// Once returns what make has made for a key when the first wanted to know. So a message counts once, however
// many hooks act on it.
func (t *Trace) Once(key any, make func() any) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.decisions {
		if d.key == key {
			return d.value
		}
	}
	value := make()
	if t.decisions == nil {
		t.decisions = t.few[:0]
	}
	t.decisions = append(t.decisions, decision{key, value})
	return value
}

// Mark notes the name of something that was in force for the message.
func (t *Trace) Mark(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.marks, name) {
		t.marks = append(t.marks, name)
	}
}

// Marks lists the names that were noted. That of a nil Trace is empty.
func (t *Trace) Marks() []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clip(t.marks)
}

// Member is the trace of a message of a batch. What has been decided for the
// batch as a whole holds for it, too.
func (t *Trace) Member(method, uri string, params json.RawMessage, request bool) *Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &Trace{
		Seq: t.Seq, Method: method, URI: uri, Params: params, Header: t.Header, Transport: t.Transport,
		Connection: t.Connection, Session: t.Session, Token: t.Token, Request: request, Server: t.Server,
		decisions: slices.Clone(t.decisions), marks: slices.Clone(t.marks),
	}
}

type traceKey struct{}

// Traced is a context with a trace.
type Traced struct {
	context.Context
	Trace *Trace
}

// Value implements context.Context.
func (c *Traced) Value(key any) any {
	if key == (traceKey{}) {
		return c.Trace
	}
	return c.Context.Value(key)
}

// WithTrace puts a trace into a context.
func WithTrace(ctx context.Context, t *Trace) context.Context { return &Traced{ctx, t} }

// TraceOf is the trace of a context; nil if there is none.
func TraceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

type mountKey struct{}

// WithMount says that the endpoints of a server are called beneath the name of a namespace:
// /mcp/NAME where the request that it sees says /mcp.
func WithMount(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, mountKey{}, "/"+name)
}

// MountOf is what the path of an endpoint ends with for those who call it: "/NAME" in a namespace, or else
// nothing.
func MountOf(ctx context.Context) string {
	mount, _ := ctx.Value(mountKey{}).(string)
	return mount
}

// Pause waits for a while; false says that the context or the server ended before. No time at all is no
// wait.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
	case <-ended(ctx):
	}
	return false
}

// ended is closed when the server ends to which the message of a context came; nil if none is known.
func ended(ctx context.Context) <-chan struct{} {
	if t := TraceOf(ctx); t != nil && t.Server != nil {
		return t.Server.Done()
	}
	return nil
}

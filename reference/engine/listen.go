package engine

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

const (
	metaPrefix         = "io.modelcontextprotocol/"
	metaVersion        = metaPrefix + "protocolVersion"
	metaClientInfo     = metaPrefix + "clientInfo"
	metaCapabilities   = metaPrefix + "clientCapabilities"
	metaLogLevel       = metaPrefix + "logLevel"
	metaServerInfo     = metaPrefix + "serverInfo"
	metaSubscription   = metaPrefix + "subscriptionId"
	methodCancelled    = "notifications/cancelled"
	methodInitialize   = "initialize"
	methodInitialized  = "notifications/initialized"
	maxListens         = 64
	maxListenResources = 10_000
)

// listen is an open subscriptions/listen stream (2026-07-28).
type listen struct {
	session     *session
	exchange    *exchange
	call        *hook.Call
	id          any    // decoded, as it goes into _meta
	key         string // the id, to compare it
	uris        []string
	listChanged bool

	mu      sync.Mutex
	ready   bool // the acknowledgment is out
	ended   bool
	pending []hook.Message // what came up before that
}

// serveListen opens a stream. The acknowledgment goes out before anything else
// of it.
func (e *Engine) serveListen(ctx context.Context, c *hook.Call, given *arguments) *hook.Reply {
	x := exchangeOf(ctx)
	params := given.decode()
	filter, ok := params["notifications"].(hook.Object)
	if !ok {
		return fail(codeInvalidParams, `"notifications" must be an object`)
	}
	l := &listen{session: x.session, exchange: x, call: c, id: c.IDValue(), key: idKey(c.ID)}
	granted, why := e.grant(ctx, l, filter)
	if why != "" {
		return fail(codeInvalidParams, why)
	}
	if x.session.transport == hook.HTTP { // the session is this stream, and ends with it
		if err := e.register(x.session); err != nil {
			return failAt(http.StatusServiceUnavailable, codeInternal, "Internal error: "+err.Error())
		}
	}
	if why := x.session.addListen(l); why != "" {
		return fail(codeInvalidRequest, why)
	}
	x.held.Store(true)
	ack := hook.NewNotification(hook.NotificationAcknowledged, hook.Object{
		"_meta":         hook.Object{metaSubscription: l.id},
		"notifications": granted,
	})
	if err := l.emit(ack); err != nil {
		x.session.dropListen(l)
		return &hook.Reply{Silent: true}
	}
	l.release()
	return &hook.Reply{Open: true}
}

// grant reads the filter and says what of it is honoured, or what is wrong.
func (e *Engine) grant(ctx context.Context, l *listen, filter hook.Object) (granted hook.Object, why string) {
	granted = hook.Object{}
	for _, name := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		if v, there := filter[name]; there {
			if _, ok := v.(bool); !ok {
				return nil, `"` + name + `" must be true or false`
			}
		}
	}
	if filter["resourcesListChanged"] == true && e.served().caps.ListChanged {
		l.listChanged = true
		granted["resourcesListChanged"] = true
	}
	wanted, there := filter["resourceSubscriptions"]
	if !there {
		return granted, ""
	}
	list, ok := wanted.([]any)
	if !ok || len(list) > maxListenResources {
		return nil, `"resourceSubscriptions" must be an array of URIs`
	}
	honoured := []any{}
	for _, v := range list {
		uri, ok := v.(string)
		if !ok {
			return nil, `"resourceSubscriptions" must be an array of URIs`
		}
		if e.exists(ctx, viewerOf(ctx), uri) && !slices.Contains(l.uris, uri) {
			l.uris = append(l.uris, uri)
			honoured = append(honoured, uri)
		}
	}
	if e.served().caps.Subscribe {
		granted["resourceSubscriptions"] = honoured
	} else {
		l.uris = nil
	}
	return granted, ""
}

func (s *session) addListen(l *listen) (why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return "the connection is ending"
	case s.listen(l.key) != nil:
		return "a subscription with this id is open"
	case len(s.listens) >= maxListens:
		return "too many open subscriptions"
	}
	s.listens = append(s.listens, l)
	return ""
}

// listen is the stream with that key, if there is one. The caller holds mu.
func (s *session) listen(key string) *listen {
	for _, l := range s.listens {
		if l.key == key {
			return l
		}
	}
	return nil
}

// dropListen ends a stream: nothing more is sent for it.
func (s *session) dropListen(l *listen) {
	s.mu.Lock()
	s.listens = slices.DeleteFunc(s.listens, func(other *listen) bool { return other == l })
	s.mu.Unlock()
	l.stop()
}

func (l *listen) stop() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.exchange.finish()
}

// notify sends a notification, or keeps it until the stream is acknowledged.
func (l *listen) notify(method string, params hook.Object) {
	with := hook.Object{"_meta": hook.Object{metaSubscription: l.id}}
	maps.Copy(with, params)
	m := hook.NewNotification(method, with)
	l.mu.Lock()
	open, ready := !l.ended, l.ready
	if open && !ready {
		l.pending = append(l.pending, m)
	}
	l.mu.Unlock()
	if open && ready {
		_ = l.emit(m) // a stream that can no longer be written to is noticed by its reader
	}
}

// release sends what has been kept back.
func (l *listen) release() {
	for {
		l.mu.Lock()
		if len(l.pending) == 0 || l.ended {
			l.ready = true
			l.mu.Unlock()
			return
		}
		m := l.pending[0]
		l.pending = l.pending[1:]
		l.mu.Unlock()
		if l.emit(m) != nil {
			return
		}
	}
}

// farewell tells the client that the server ends the stream: by the result of
// the listen request, and on stdio, where no stream closes, also by cancelling it.
func (l *listen) farewell() {
	l.mu.Lock()
	over := l.ended
	l.mu.Unlock()
	if over {
		return
	}
	if l.session.transport == hook.Stdio {
		_ = l.emit(hook.NewNotification(methodCancelled, hook.Object{
			"_meta":     hook.Object{metaSubscription: l.id},
			"requestId": l.id,
			"reason":    "the server is shutting down",
		}))
	}
	result := l.session.engine.complete(hook.Object{})
	hook.MakeObjectAt(result, "_meta")[metaSubscription] = l.id
	_ = l.emit(hook.Message{
		Kind: hook.Response, Raw: envelope(json.RawMessage(hook.Encode(l.id)), &hook.Reply{Result: result}),
	})
}

// emit sends a message of the stream through the hooks.
func (l *listen) emit(m hook.Message) error {
	return l.exchange.emit(l.session.ctx, l.call, m)
}

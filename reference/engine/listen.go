package engine

import (
	"maps"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

const (
	maxListens         = 64
	maxListenResources = 10_000
)

// listen is an open subscriptions/listen stream (2026-07-28).
type listen struct {
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
	if l.exchange.transport == hook.Stdio {
		_ = l.emit(hook.NewNotification(methodCancelled, hook.Object{
			"_meta":     hook.Object{metaSubscription: l.id},
			"requestId": l.id,
			"reason":    "the server is shutting down",
		}))
	}
	result := l.exchange.engine.complete(hook.Object{})
	hook.MakeObjectAt(result, "_meta")[metaSubscription] = l.id
	_ = l.emit(inEnvelope(hook.Encode(l.id), reply(result)))
}

// emit sends a message of the stream through the hooks.
func (l *listen) emit(m hook.Message) error {
	return l.exchange.emit(l.exchange.ctx, l.call, m)
}

package engine

import (
	"context"
	"io"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// responder writes the events of a stream to an HTTP response.
type responder struct {
	session *session
	w       http.ResponseWriter
	stream  *stream
	reader  int
	ids     bool // events carry ids
}

type writerKey struct{}

// head starts an event stream response.
func (p *responder) head() {
	h := p.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	p.w.WriteHeader(http.StatusOK)
	flush(p.w)
}

// write writes one event through the hooks.
func (p *responder) write(ctx context.Context, ev hook.Event) error {
	ev.Stream = p.stream.kind
	ctx = context.WithValue(ctx, writerKey{}, p)
	if err := p.session.engine.event(ctx, ev); err != nil {
		return err
	}
	flush(p.w)
	return nil
}

// open starts the response, with an event that names its beginning if it is to be primed, and writes the
// events from number i on.
func (p *responder) open(ctx context.Context, primed bool, i int) {
	p.head()
	if primed && p.write(ctx, hook.Event{ID: p.stream.eventID(-1), Data: []byte{}}) != nil {
		p.stream.detach(p.reader)
		return
	}
	p.run(ctx, i)
}

// run writes the events from number i on until there are no more. A client that
// has gone ends it as well.
func (p *responder) run(ctx context.Context, i int) {
	defer p.stream.detach(p.reader)
	for ; ; i++ {
		ev, ok := p.stream.next(ctx, p.reader, i)
		if !ok {
			return
		}
		out := hook.Event{Data: ev.Whole().Raw, Response: ev.Kind == hook.Response}
		if p.ids {
			out.ID = p.stream.eventID(i)
		}
		if p.stream.kind == "sse" {
			out.Type = "message"
		}
		eventCtx := context.WithValue(ctx, revisionKey{}, ev.Revision)
		if ev.Call != nil && ev.Call.Trace != nil {
			eventCtx = hook.WithTrace(eventCtx, ev.Call.Trace)
		}
		if p.write(eventCtx, out) != nil {
			return
		}
	}
}

// writeEvent is the innermost event writer.
func writeEvent(ctx context.Context, ev hook.Event) error {
	p, ok := ctx.Value(writerKey{}).(*responder)
	if !ok {
		return io.ErrClosedPipe
	}
	p.noteEvent(ctx, ev)
	_, err := p.w.Write(hook.EncodeEvent(ev))
	if ev.Raw != nil {
		flush(p.w) // a part of an event is sent at once
	}
	return err
}

// noteEvent notes a server-sent event, with the message in it if there is one.
func (p *responder) noteEvent(ctx context.Context, ev hook.Event) {
	data := ev.Data
	if data == nil {
		data = ev.Raw
	}
	entry := &journal.Entry{Stream: ev.Stream, EventID: ev.ID, Retry: int(ev.Retry.Milliseconds())}
	if len(data) == 0 || ev.Type == "endpoint" {
		entry.Kind, entry.Session = journal.Event, p.session.ID()
	} else {
		entry.Revision, _ = ctx.Value(revisionKey{}).(string)
	}
	p.session.left(hook.TraceOf(ctx), entry, data)
}

// revisionKey is where the revision of the message that becomes an event is kept.
// It is the message's, noted when that was sent: its call may still be at work, and
// what a call holds belongs to its handler.
type revisionKey struct{}

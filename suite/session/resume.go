package session

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// HeaderLastEventID names the event after which a stream is resumed.
const HeaderLastEventID = "Last-Event-ID"

// resume asks for the rest of an event stream that ended before the answer, as
// the specification tells clients to (up to 2025-11-25, basic/transports,
// "Resumability and Redelivery"): after the time that the last retry field gives,
// by GET with the id of the last event. It reports whether the answer came.
func (p *Pending) resume(ctx context.Context) bool {
	const attempts = 3
	if !p.resumable() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout())
	defer cancel()
	channels := map[string]bool{p.sent.Channel: true}
	for range attempts {
		last, wait := p.s.lastEvent(channels)
		if last == "" {
			return false
		}
		p.s.Quiet(ctx, wait)
		again := p.s.Start(ctx, Request{Step: recording.StepResume, HTTPMethod: http.MethodGet, Header: map[string]string{HeaderLastEventID: last}})
		if again.sent == nil {
			return false
		}
		channels[again.sent.Channel] = true
		select {
		case <-p.done:
		case <-again.sent.Done:
		case <-ctx.Done():
		}
		over := again.sent.Status() != http.StatusOK
		again.Cancel()
		again.Finish()
		if p.replied() || over || ctx.Err() != nil {
			return p.replied()
		}
	}
	return false
}

// resumable reports whether the response was an event stream of a revision that
// knows resumption, cut off before the answer to a request.
func (p *Pending) resumable() bool {
	return p.s.over == requirement.HTTP && !p.s.opts.Revision.Modern() && len(p.ids) > 0 && !p.replied() &&
		p.sent.Status() == http.StatusOK && p.s.Alive()
}

// lastEvent is the id of the last event on the channels, empty if there is none,
// and how long to wait before asking for more: at most five seconds.
func (s *Session) lastEvent(channels map[string]bool) (id string, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.incoming {
		f := &s.incoming[i]
		if !channels[f.Channel] || f.Event == nil {
			continue
		}
		if f.Event.HasID {
			id = f.Event.ID
		}
		if ms, err := strconv.Atoi(f.Event.Retry); err == nil && ms >= 0 {
			wait = min(time.Duration(ms)*time.Millisecond, 5*time.Second)
		}
	}
	return id, wait
}

// Peek sends an HTTP request and waits until the head of its response is there,
// at most d; the stream, if it is one, stays open. On other transports than
// Streamable HTTP the response to the request itself is meant.
func (s *Session) Peek(ctx context.Context, q Request, d time.Duration) *Stream {
	after := s.Last()
	st := &Stream{Pending: s.Start(ctx, q)}
	if st.x.Outcome != "" {
		return st
	}
	s.awaitOr(ctx, after, d, func(f *wire.Frame) bool { return f.Channel == st.sent.Request }, st.sent.Done, nil)
	return st
}

// HTTPEnded is closed when the HTTP response of the message has ended, on any
// HTTP transport; nil on stdio and for what was never sent.
func (p *Pending) HTTPEnded() <-chan struct{} {
	if p.sent == nil {
		return nil
	}
	return p.sent.Done
}

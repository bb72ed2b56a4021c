package session

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Filter says what a subscriptions/listen request asks for (2026-07-28
// basic/patterns/subscriptions#notification-filter).
type Filter struct {
	URIs        []string
	ListChanged bool
	// Further members of the filter, such as those of other features.
	Further map[string]any
}

// params is the filter as the request carries it.
func (f Filter) params() map[string]any {
	n := map[string]any{}
	if f.URIs != nil {
		n["resourceSubscriptions"] = f.URIs
	}
	if f.ListChanged {
		n["resourcesListChanged"] = true
	}
	maps.Copy(n, f.Further)
	return map[string]any{"notifications": n}
}

// Stream is a long-lived answer: of subscriptions/listen, or of a GET.
type Stream struct {
	*Pending
	// Ack is the frame of the acknowledgment; nil if none came.
	Ack *wire.Frame
}

// Listen sends subscriptions/listen and waits until it is acknowledged, refused
// or ended, or the time for one request is over.
func (s *Session) Listen(ctx context.Context, step recording.Step, f Filter, q Request) *Stream {
	q.Step, q.Method = step, "subscriptions/listen"
	if q.Params == nil {
		q.Params = f.params()
	}
	return s.insist(ctx, func() *Stream { return s.listen(ctx, q) })
}

// insist opens a stream again where the target asks us to come back later, as [Session.Do] does.
func (s *Session) insist(ctx context.Context, open func() *Stream) *Stream {
	r := s.retries()
	for {
		st := open()
		if status := st.Status(); status != http.StatusTooManyRequests &&
			status != http.StatusServiceUnavailable ||
			!r.again(ctx, st.Wait(ctx)) {
			return st
		}
	}
}

// listen is one attempt of [Session.Listen].
func (s *Session) listen(ctx context.Context, q Request) *Stream {
	after := s.Last()
	st := &Stream{Pending: s.Start(ctx, q)}
	if st.x.Outcome != "" {
		return st
	}
	ack, ok := s.awaitOr(ctx, after, st.timeout(), st.isAck, st.done, st.HTTPEnded())
	if !ok && !st.replied() && ctx.Err() == nil {
		if may, _ := st.prompts(0); may { // it may be held back until another answer is written
			st.prompt(ctx)
			ack, ok = s.Await(ctx, after, 0, st.isAck)
		}
	}
	if !ok && st.replied() && st.x.Result().Exists() {
		// A target that ends the subscription at once may say so before it
		// acknowledges it: that is judged, and so has to be seen.
		ack, ok = s.Await(ctx, after, lateAck, st.isAck)
	}
	if ok {
		st.Ack = ack
		s.mu.Lock()
		st.listening = true
		s.mu.Unlock()
	}
	return st
}

// lateAck is how long an acknowledgment may follow the response to its request.
const lateAck = 100 * time.Millisecond

// isAck reports whether a frame is the acknowledgment of this listen request:
// on Streamable HTTP the one on its own stream, on stdio the one that carries
// its id, or, for want of any id, the first.
func (st *Stream) isAck(f *wire.Frame) bool {
	if gjson.GetBytes(f.Raw, "method").String() != "notifications/subscriptions/acknowledged" {
		return false
	}
	if st.s.over == requirement.HTTP {
		return st.sent != nil && f.Channel == st.sent.Channel
	}
	id := subscriptionID(f)
	return !id.Exists() || wire.SameID([]byte(id.Raw), st.x.ID) || !st.s.othersID(id, st.Pending)
}

// othersID reports whether an id is that of another request, be it under way
// or over: several listen requests share a connection on stdio.
func (s *Session) othersID(id gjson.Result, p *Pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := s.given[id.Raw]
	return owner != nil && owner != p.x
}

// subscriptionID is the subscription id that a notification carries.
func subscriptionID(f *wire.Frame) gjson.Result {
	return gjson.GetBytes(f.Raw, `params._meta.io\.modelcontextprotocol/subscriptionId`)
}

// Cancelled is the notifications/cancelled by which the target ended the subscription, nil if there is none:
// over stdio it has to send one (2026-07-28 basic/patterns/cancellation).
func (st *Stream) Cancelled() *wire.Frame {
	for _, f := range st.s.Incoming(0) {
		if f.Number > st.x.Request && gjson.GetBytes(f.Raw, "method").Str == "notifications/cancelled" &&
			wire.SameID(json.RawMessage(gjson.GetBytes(f.Raw, "params.requestId").Raw), st.x.ID) {
			return &f
		}
	}
	return nil
}

// Stop ends a listen request as a client does: on Streamable HTTP by closing
// the stream, on stdio by notifications/cancelled.
func (st *Stream) Stop(ctx context.Context) *recording.Exchange {
	st.Cancel()
	if st.s.over != requirement.HTTP && st.x.Method != "" && st.s.Alive() {
		st.s.Do(ctx, Request{Step: recording.StepStop, Method: "notifications/cancelled", Notification: true,
			Params: map[string]any{"requestId": st.x.ID}})
	}
	return st.Finish()
}

// Finish completes an exchange without waiting: it was answered so far, or not.
func (p *Pending) Finish() *recording.Exchange {
	if p.x.Outcome != "" {
		return p.x
	}
	if p.replied() {
		return p.finish(recording.Replied, "")
	}
	return p.finish(recording.Sent, "")
}

// Ended is closed when the HTTP response of the message has ended; nil on
// shared channels.
func (p *Pending) Ended() <-chan struct{} {
	if p.s.over != requirement.HTTP {
		return nil
	}
	return p.HTTPEnded()
}

// EndedAt is the time, since the start of the transcript, at which a message was
// answered. Of one that has ended without an answer nobody knows it: then it is now,
// and may have been any time before.
func (p *Pending) EndedAt() time.Duration {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if len(p.x.Replies) > 0 {
		if f, ok := p.s.opts.Transcript.Frame(p.x.Replies[0]); ok {
			return f.At
		}
	}
	return p.s.opts.Transcript.Now()
}

// OwnChannel reports whether the message has a channel of its own, as on Streamable HTTP.
func (p *Pending) OwnChannel() bool { return p.s.over == requirement.HTTP }

// Answered is closed when the message was answered.
func (p *Pending) Answered() <-chan struct{} { return p.done }

// OpenStream opens the GET stream of legacy Streamable HTTP, on which the
// target may send what belongs to no request. On other transports, where one
// channel carries everything, it returns nil.
func (s *Session) OpenStream(ctx context.Context, step recording.Step) *Stream {
	if s.over != requirement.HTTP || s.opts.Revision.Modern() {
		return nil
	}
	return s.insist(ctx, func() *Stream {
		st := &Stream{Pending: s.Start(ctx, Request{Step: step, HTTPMethod: http.MethodGet})}
		st.Head(ctx, min(st.timeout(), time.Second)) // that of a stream without events may come late
		return st
	})
}

// Open reports whether the stream stands: it was answered with 200 and has not
// ended.
func (st *Stream) Open() bool {
	if st == nil || st.sent == nil || st.x.Outcome != "" {
		return false
	}
	select {
	case <-st.Ended():
		return false
	default:
	}
	return st.s.over != requirement.HTTP || st.sent.Status() == http.StatusOK
}

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
		again := p.s.further(ctx, last, channels)
		if again == nil {
			return false
		}
		again.until(ctx, p.done)
		if p.replied() || again.Status() != http.StatusOK || ctx.Err() != nil {
			return p.replied()
		}
	}
	return false
}

// further asks for one more event stream, with what followed an event if its id is given, and adds it to the
// channels; nil if that cannot be sent.
func (s *Session) further(ctx context.Context, last string, channels map[string]bool) *Pending {
	q := Request{Step: recording.StepResume, HTTPMethod: http.MethodGet}
	if last != "" {
		q.Header = map[string]string{HeaderLastEventID: last}
	}
	p := s.Start(ctx, q)
	if p.sent == nil {
		return nil
	}
	channels[p.sent.Channel] = true
	return p
}

// until waits until a stream has ended, or something else has, and ends it.
func (p *Pending) until(ctx context.Context, over <-chan struct{}) {
	select {
	case <-p.sent.Done:
	case <-over:
	case <-ctx.Done():
	}
	p.Cancel()
	p.Finish()
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

// LastEvent is the id of the last event on the stream that answers a message, empty if there is none, and how
// long to wait before asking for more: at most five seconds.
func (p *Pending) LastEvent() (id string, wait time.Duration) {
	if p.sent == nil {
		return "", 0
	}
	return p.s.lastEvent(map[string]bool{p.sent.Channel: true})
}

// Peek sends an HTTP request and waits until the head of its response is there,
// at most d; the stream, if it is one, stays open. On other transports than
// Streamable HTTP the response to the request itself is meant.
func (s *Session) Peek(ctx context.Context, q Request, d time.Duration) *Stream {
	return s.insist(ctx, func() *Stream {
		st := &Stream{Pending: s.Start(ctx, q)}
		st.Head(ctx, d)
		return st
	})
}

// Head waits until the head of the response is there, at most d, and reports whether it is.
func (st *Stream) Head(ctx context.Context, d time.Duration) bool {
	if st.x.Outcome == "" {
		st.s.awaitOr(ctx, 0, d, func(f *wire.Frame) bool {
			return f.Channel == st.sent.Request
		}, st.sent.Done, nil)
	}
	return st.Status() != 0
}

// Status is the HTTP status of the response; 0 until its head is there.
func (p *Pending) Status() int {
	if p.sent == nil {
		return 0
	}
	return p.sent.Status()
}

// HTTPEnded is closed when the HTTP response of the message has ended, on any
// HTTP transport; nil on stdio and for what was never sent.
func (p *Pending) HTTPEnded() <-chan struct{} {
	if p.sent == nil {
		return nil
	}
	return p.sent.Done
}

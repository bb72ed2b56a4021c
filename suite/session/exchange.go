package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Pending is a message that was sent and whose answer may still come.
type Pending struct {
	s       *Session
	x       *recording.Exchange
	q       Request
	sent    *transport.Sent
	message transport.Message // what was sent
	ids     []json.RawMessage // of the requests in the message: one, or those of a batch
	want    int               // how many answers end the waiting
	got     int
	first   int       // frames of the session before the message was sent
	turn    int       // its place in the order of sending
	ahead   time.Time // when a message that was sent before was last answered
	cut     string    // why its answer cannot be read, if that is known
	// beyond is why no more was read of what came, if that is so.
	beyond string
	// disputed says that it cannot be told whether an answer is its own, and listening that it was
	// acknowledged as a subscription, whose response is its end.
	disputed, listening bool
	// met says that another message of the session was under way at the same time.
	met bool
	// doubtful takes a response under another id for the answer, if one has come.
	doubtful func()
	// completed says that the outcome is settled. The outcome itself belongs to
	// whoever holds the exchange from then on, and is not looked at any more.
	completed bool
	done      chan struct{} // closed when the answers are there
	once      sync.Once
	start     time.Duration
	starting  bool // it is what a process of a modern session hears first
}

// Do sends a message and waits for what becomes of it. It always returns an
// exchange; the outcome says what happened.
func (s *Session) Do(ctx context.Context, q Request) *recording.Exchange {
	r := s.retries()
	refusals := 0 // because of other messages
	for trial := 0; ; trial++ {
		done := s.turn(ctx, q, trial > 0)
		q.again = trial < mostDisputes && q.ID == nil
		p := s.Start(ctx, q)
		x := p.Wait(ctx)
		done()
		if refusals > 0 {
			s.solitary(x)
		}
		switch {
		case p.inDispute():
		case x.Conflict() && q.Notification || x.Barred(): // later it says something else, or the same
			return x
		case x.Conflict() && refusals < mostDisputes:
			refusals++
		case !r.again(ctx, x):
			return x
		}
	}
}

// fail ends an exchange that never got under way.
func (p *Pending) fail(o recording.Outcome, reason string) *Pending {
	p.s.mu.Lock()
	p.completed = true
	p.s.mu.Unlock()
	p.x.Outcome, p.x.Reason = o, reason
	p.once.Do(func() { close(p.done) })
	return p
}

// Exchange is the exchange so far; it is complete once Wait has returned.
func (p *Pending) Exchange() *recording.Exchange { return p.x }

// Cancel drops the HTTP response; on stdio it does nothing.
func (p *Pending) Cancel() {
	p.s.mu.Lock()
	sent := p.sent
	p.s.mu.Unlock()
	if sent != nil && sent.Cancel != nil {
		sent.Cancel()
	}
}

func (p *Pending) timeout() time.Duration {
	if p.q.Timeout > 0 {
		return p.q.Timeout
	}
	if p.starting {
		return max(p.s.opts.Timeout, p.s.opts.Start)
	}
	return p.s.opts.Habits.expected(p.q.Method, p.s.opts.Timeout)
}

// Wait waits for the answer and completes the exchange.
func (p *Pending) Wait(ctx context.Context) *recording.Exchange {
	x := p.x
	if x.Outcome != "" {
		return x
	}
	over := p.sent.Done
	if p.q.NoAwait || (p.q.Notification && over == nil) {
		return p.finish(recording.Sent, "")
	}
	timeout := p.timeout()
	prompts, first := p.prompts(timeout)
	timer := time.NewTimer(first)
	defer timer.Stop()
	extra := p.overtime(timeout)
	for {
		select {
		case <-p.done:
			if p.inDispute() {
				return p.finish(recording.Canceled, disputedReason)
			}
			if why := p.unreadable(); why != "" {
				return p.finish(recording.HTTPOnly, why)
			}
			p.settle(over)
			return p.finish(recording.Replied, "")
		case <-over:
			if p.s.over == requirement.HTTP || p.q.Notification || p.sent.Status() >= 400 ||
				p.sent.Status() == 0 {
				if p.resume(ctx) {
					return p.finish(recording.Replied, "")
				}
				p.believe()
				return p.ended()
			}
			over = nil // HTTP+SSE: the answer comes on the event stream
		case <-p.s.conn.Done():
			p.believe()
			if p.replied() {
				return p.finish(recording.Replied, "")
			}
			return p.finish(p.unlessClosed(recording.Lost, p.s.conn.Err()), p.s.lost())
		case <-timer.C:
			if first < timeout {
				p.prompt(ctx)
				timer.Reset(timeout - first)
				prompts, first = false, timeout
				continue
			}
			if left := p.patience(timeout); left > 0 {
				timer.Reset(left)
				continue
			}
			if p.s.unheard() {
				if more := extra.More(); more > 0 {
					timer.Reset(more)
					continue
				}
			}
			if prompts {
				prompts = false
				if p.prompt(ctx); p.replied() {
					continue
				}
			}
			return p.expire(ctx, timeout+extra.Given())
		case <-ctx.Done():
			p.Cancel()
			if slow, ok := errors.AsType[tooSlow](context.Cause(ctx)); ok {
				return p.finish(recording.Silent, slow.Error())
			}
			return p.finish(recording.Canceled, context.Cause(ctx).Error())
		}
	}
}

// patience is how much longer to wait: a target that works through its messages
// one by one answers each in time if the time counts from when it came to it.
// Only messages that were sent before put off the end, so there is one.
func (p *Pending) patience(timeout time.Duration) time.Duration {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.ahead.IsZero() {
		return 0
	}
	return timeout - time.Since(p.ahead)
}

// overtime is what a process gets that is still starting when its time is over: nothing has come
// from it, and the message was to wait until it has started.
func (p *Pending) overtime(timeout time.Duration) *transport.Overtime {
	if w, ok := p.s.conn.(interface{ Working() bool }); ok && timeout >= p.s.opts.Start {
		return transport.NewOvertime(timeout, w.Working)
	}
	return transport.NewOvertime(timeout, nil)
}

func (s *Session) unheard() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.incoming) == 0
}

// settle lets a short HTTP response end by itself, so that status and trailing
// frames belong to the exchange; a stream that stays open is not waited for.
func (p *Pending) settle(over <-chan struct{}) {
	if over == nil || p.s.over != requirement.HTTP {
		return
	}
	within(20*time.Millisecond, over)
}

// ended completes an exchange whose HTTP response has ended.
func (p *Pending) ended() *recording.Exchange {
	switch err := p.sent.Err(); {
	case p.replied():
		return p.finish(recording.Replied, "")
	case p.sent.Status() == 0 && err != nil:
		return p.finish(p.unlessClosed(recording.Lost, err), err.Error())
	case p.q.Notification:
		return p.finish(recording.Sent, "")
	case err != nil:
		return p.finish(p.unlessClosed(recording.HTTPOnly, err), err.Error())
	case p.s.opts.Kind != recording.Probe && p.s.over == requirement.SSE && p.sent.Status() >= 400 &&
		within(200*time.Millisecond, p.s.conn.Done()):
		// The session ended, and this is how it is said to who comes too late.
		return p.finish(p.unlessClosed(recording.Lost, p.s.conn.Err()), p.s.lost())
	default:
		return p.finish(recording.HTTPOnly, p.noResponse())
	}
}

// unlessClosed is the outcome of a message that ended with an error. Over HTTP whoever shares a
// session closes it when it turns out to be over: what others have under way then was dropped by us.
func (p *Pending) unlessClosed(o recording.Outcome, err error) recording.Outcome {
	if p.s.over != requirement.Stdio && errors.Is(err, transport.ErrClosed) {
		return recording.Canceled
	}
	return o
}

// noResponse says what came by HTTP instead of a response to the request.
func (p *Pending) noResponse() string {
	header := p.sent.Header()
	text := "HTTP " + strconv.Itoa(p.sent.Status())
	if to := header.Get("Location"); to != "" && p.sent.Status()/100 == 3 {
		return text + ", a redirect to " + strconv.Quote(short(to)) +
			": none is followed, because messages and credentials are meant for the URL of the target " +
			"alone; if it is the right one, give it as that of the target (--url)"
	}
	if coding := wire.Coding(header); coding != "" {
		return text + " with a body in the Content-Encoding " + strconv.Quote(short(coding)) +
			", which was not asked for (Accept-Encoding: identity) and cannot be read: let the server, or " +
			"a proxy before it, encode only what a request asks for"
	}
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	switch kind = strings.TrimSpace(kind); kind {
	case "", "application/json", "text/event-stream":
		text += " without a JSON-RPC response to the request"
	default:
		text += " with a body of type " + strconv.Quote(short(kind)) +
			", without a JSON-RPC response to the request"
	}
	return text + challenge(header)
}

// metadata is where a challenge says who gives credentials (RFC 9728, section 5.1).
var metadata = regexp.MustCompile(`(?i)\bresource_metadata\s*=\s*"?([^"\s,]+)`)

// challenge says what credentials are asked for; empty if none are. It begins with a semicolon.
func challenge(h http.Header) string {
	text := strings.Join(h.Values("WWW-Authenticate"), ", ")
	if text == "" {
		return ""
	}
	if at := metadata.FindStringSubmatch(text); at != nil {
		return "; its challenge names the metadata " + strconv.Quote(short(at[1]))
	}
	return "; its challenge is " + strconv.Quote(short(text))
}

// expire completes an exchange that waited long enough, and tells the target,
// as the specification asks (basic/utilities/cancellation): an HTTP stream is
// dropped, elsewhere notifications/cancelled is sent.
func (p *Pending) expire(ctx context.Context, timeout time.Duration) *recording.Exchange {
	x := p.finish(recording.Silent, "no answer within "+timeout.String())
	p.Cancel()
	s := p.s
	if p.q.Timeout == 0 && x.Outcome == recording.Silent {
		s.opts.Habits.noAnswer(p.q.Method, s.opts.Kind == recording.Clean)
	}
	if s.opts.Kind != recording.Probe && len(x.ID) > 0 && p.q.Method != "initialize" &&
		(!s.opts.Revision.Modern() || s.over == requirement.Stdio) {
		s.Start(ctx, Request{Step: recording.StepCancel, Method: "notifications/cancelled",
			Notification: true,
			Params:       map[string]any{"requestId": x.ID, "reason": "no answer in time"}})
	}
	return x
}

// finish fixes the outcome and what HTTP said.
func (p *Pending) finish(o recording.Outcome, reason string) *recording.Exchange {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	x := p.x
	p.completed = true
	pending := p.got < p.want && len(p.ids) > 0 || o == recording.Sent && p.beyond != ""
	if o != recording.Canceled && (pending || o == recording.Silent || o == recording.HTTPOnly ||
		o == recording.Lost) {
		// Where its answer may have come and was not kept, that there is none proves nothing.
		if s.opts.Transcript.Overflow() {
			o, reason = recording.Canceled, "so much was sent by the target that nothing more is kept"
		} else if why := p.limit(); why != "" {
			o, reason, x.Limit = recording.Canceled, why, true
		}
	}
	if p.q.Body != nil && len(x.Replies) == 0 {
		s.garbled = time.Now()
	}
	x.Outcome, x.Reason = o, reason
	x.Took = s.opts.Transcript.Now() - p.start
	switch {
	case o != recording.Replied:
	case s.took == 0:
		s.took, s.slow = x.Took, true
	default:
		s.longest = max(s.longest, x.Took)
		s.slow = s.slow && x.Took >= slowly
	}
	if p.sent != nil && p.sent.Status != nil {
		x.Status = p.sent.Status()
		x.Header = p.sent.Header()
	}
	if o != recording.Canceled && p.conflicted(x) {
		x.Outcome, x.Reason = recording.Refused, conflictReason
	} else if o != recording.Canceled && throttled(x) {
		x.Outcome, x.Reason = recording.Refused, "the target answered "+calledLater(x)+
			": it asks to be called later"
	} else if o != recording.Canceled {
		s.refuseBarred(x)
	}
	s.free()
	if o != recording.Silent { // a late answer still belongs to it
		s.drop(p)
	}
	return x
}

// unreadable is why the answer that came cannot be read; empty if it can.
func (p *Pending) unreadable() string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return cmp.Or(p.beyond, p.cut)
}

// Cut is why we cut the answer off, or the connection; empty if we did not.
func (p *Pending) Cut() string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.limit()
}

// limit is [Pending.Cut] under the lock.
func (p *Pending) limit() string {
	if p.sent != nil && p.sent.Err != nil {
		if limit, ok := errors.AsType[*transport.LimitError](p.sent.Err()); ok {
			return limit.Reason
		}
	}
	return cmp.Or(p.s.Cut(), p.beyond)
}

// Cut is why we cut the connection, as more came on it than is read; empty if we did not.
func (s *Session) Cut() string {
	if limit, ok := errors.AsType[*transport.LimitError](s.conn.Err()); ok {
		return limit.Reason
	}
	return ""
}

func (p *Pending) replied() bool {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return len(p.x.Replies) > 0
}

// forget removes a pending message; drop does so under the lock.
func (s *Session) forget(p *Pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(p)
}

func (s *Session) drop(p *Pending) {
	s.pending = slices.DeleteFunc(s.pending, func(q *Pending) bool { return q == p })
}

// lost is why the connection ended.
func (s *Session) lost() string {
	reason := "the connection was closed"
	if err := s.conn.Err(); err != nil {
		reason = err.Error()
	}
	if p, ok := s.conn.(interface{ Stderr() string }); ok {
		if last := lastLine(p.Stderr()); last != "" {
			reason += "; its standard error ends with: " + last
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Cut() == "" && s.rec.Lost == "" && !s.closed {
		s.rec.Lost = reason
	}
	return reason
}

// Await waits until an incoming frame after the given number fits, and returns
// it; ok is false if none came in time or the connection ended.
func (s *Session) Await(ctx context.Context, after int, d time.Duration,
	fits func(*wire.Frame) bool) (frame *wire.Frame, ok bool) {
	return s.awaitOr(ctx, after, d, fits, nil, nil)
}

// awaitOr is [Session.Await] that also ends when one of two channels closes, or both, which may
// be nil.
func (s *Session) awaitOr(ctx context.Context, after int, d time.Duration, fits func(*wire.Frame) bool, a,
	b <-chan struct{}) (frame *wire.Frame, ok bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	seen, ended := 0, false
	for {
		s.mu.Lock()
		arrived, changed := s.incoming[seen:], s.changed
		seen = len(s.incoming)
		s.mu.Unlock()
		// The condition is asked without the lock: it may look into the session.
		for i := range arrived {
			if f := &arrived[i]; f.Number > after && fits(f) {
				return f, true
			}
		}
		if ended {
			return nil, false
		}
		// What has come together with the end is looked at once more.
		select {
		case <-changed:
		case <-timer.C:
			ended = true
		case <-ctx.Done():
			ended = true
		case <-s.conn.Done():
			ended = true
		case <-a:
			ended = true
		case <-b:
			ended = true
		}
	}
}

// within reports whether a channel is closed within a time.
func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// Quiet lets time pass, unless the run ends first.
func (s *Session) Quiet(ctx context.Context, d time.Duration) { within(d, ctx.Done()) }

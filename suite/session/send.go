package session

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Start sends a message without waiting for an answer.
func (s *Session) Start(ctx context.Context, q Request) *Pending {
	return s.StartTogether(ctx, q)[0]
}

// StartTogether sends messages one after the other without waiting for answers. Over stdio they
// are written together, so that the target can read them at once: what is to meet it in the same
// moment does so however busy the machine is.
func (s *Session) StartTogether(ctx context.Context, qs ...Request) []*Pending {
	all := make([]*Pending, len(qs))
	var together []*Pending // those that can be sent
	for i, q := range qs {
		p := s.prepare(ctx, q)
		all[i] = p
		if p.x.Outcome != "" {
			continue
		}
		p.start = s.opts.Transcript.Now()
		p.x.Sent = p.start
		if s.over == requirement.Stdio {
			together = append(together, p)
		} else {
			s.send(ctx, p)
		}
	}
	if len(together) > 0 {
		s.send(ctx, together...)
	}
	return all
}

// prepare makes a message ready to be sent. What keeps it from being sent is the outcome of its
// exchange.
func (s *Session) prepare(ctx context.Context, q Request) *Pending {
	s.mu.Lock()
	id := q.ID
	if id == nil && !q.Notification {
		s.nextID += 7 // not in steps of one, so that a server that counts its own answers is seen
		id = json.RawMessage(strconv.Itoa(s.nextID))
	}
	// In a modern session nothing precedes the first request, so it is this one that
	// waits until the process has started.
	starting := s.over == requirement.Stdio && s.opts.Revision.Modern() && len(s.incoming) == 0
	x := &recording.Exchange{Step: q.Step, Tags: q.Tags, Session: s.opts.ID, Kind: s.opts.Kind,
		Method: q.Method}
	s.rec.Exchanges = append(s.rec.Exchanges, x)
	connected := s.conn != nil
	s.mu.Unlock()
	p := &Pending{s: s, x: x, q: q, want: max(q.Answers, 1), starting: starting, done: make(chan struct{})}
	if err := s.paced(ctx); err != nil {
		return p.fail(recording.Canceled, err.Error())
	}
	m, params, err := s.message(q, id)
	if err != nil {
		return p.fail(recording.Unsent, err.Error())
	}
	x.Params = params
	p.message = m
	switch {
	case q.Body != nil && q.ID != nil:
		p.ids = []json.RawMessage{q.ID}
	case q.Body == nil && q.ID == nil && id != nil && len(m.Body) > 0:
		p.ids = []json.RawMessage{id} // it is ours
	default:
		p.ids = requestIDs(m.Body)
	}
	if len(p.ids) == 1 && !bytes.HasPrefix(bytes.TrimLeft(m.Body, " \t\r\n"), []byte("[")) {
		x.ID = p.ids[0]
	}
	if !connected {
		return p.fail(recording.Unsent, "there is no connection")
	}
	if q.Unframed && !s.parts.Load() {
		select {
		case s.line <- struct{}{}:
			s.parts.Store(true)
		case <-ctx.Done():
			return p.fail(recording.Canceled, context.Cause(ctx).Error())
		}
	}
	return p
}

// send hands messages to the connection, in one write. The pending entries are registered
// before, because an answer can arrive before the sender has returned.
func (s *Session) send(ctx context.Context, all ...*Pending) {
	m := all[0].message
	s.mu.Lock()
	conn := s.conn
	for i, p := range all {
		p.first = len(s.incoming)
		s.turns++
		p.turn = s.turns
		s.meet(p)
		s.pending = append(s.pending, p)
		for _, id := range p.ids {
			s.given[string(id)] = p.x
		}
		if i > 0 {
			m.Behind = append(m.Behind, p.message.Body)
		}
	}
	s.mu.Unlock()
	bounded, cancel := context.WithTimeout(ctx, all[0].timeout())
	defer cancel()
	sent, err := conn.Send(bounded, m)
	for _, p := range all {
		if err != nil {
			p.unsent(ctx, err)
		} else {
			p.away(sent)
		}
	}
	if last := all[len(all)-1].q; last.Step != recording.StepAnswer && !last.Unframed &&
		s.parts.CompareAndSwap(true, false) {
		<-s.line
	}
}

// unsent completes an exchange whose message could not be sent.
func (p *Pending) unsent(ctx context.Context, err error) {
	p.s.forget(p)
	switch {
	case context.Cause(ctx) != nil:
		p.fail(recording.Canceled, context.Cause(ctx).Error())
	case p.Cut() != "":
		p.x.Limit = true
		p.fail(recording.Canceled, p.Cut())
	case !p.s.Alive():
		p.fail(p.unlessClosed(recording.Lost, err), err.Error())
	default:
		p.fail(recording.Unsent, err.Error())
	}
}

// away notes that a message was sent, and gives it what came on its channel meanwhile.
func (p *Pending) away(sent *transport.Sent) {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	p.sent = sent
	if sent.Request != "" {
		s.channels[sent.Request] = p
		for i := p.first; i < len(s.incoming); i++ {
			if f := &s.incoming[i]; f.Channel == sent.Request {
				s.assign(f, p)
			}
		}
	}
}

// requestIDs lists the ids of the requests in a message, if they can be read, or
// in several messages, a line each.
func requestIDs(body []byte) []json.RawMessage {
	var ids []json.RawMessage
	messages := func(raw []byte) []wire.Message { return (&wire.Frame{Raw: raw}).Parsed().Messages }
	all := messages(body)
	if all == nil && bytes.IndexByte(body, '\n') >= 0 {
		for line := range bytes.Lines(body) {
			all = append(all, messages(line)...)
		}
	}
	for _, m := range all {
		id := m.Get("id")
		if m.Get("method").Exists() && (id.Type == gjson.String || id.Type == gjson.Number) {
			ids = append(ids, json.RawMessage(id.Raw))
		}
	}
	return ids
}

// Paced spaces messages out evenly, so many a second over all sessions that have it as their
// limiter. It is nil, which limits nothing, if the rate is not above 0.
func Paced(rate float64) func(context.Context) error {
	if !(rate > 0) { // no number is no limit, either
		return nil
	}
	const slowest = time.Hour
	every := time.Duration(min(float64(time.Second)/rate, float64(slowest)))
	var mu sync.Mutex
	var next time.Time
	return func(ctx context.Context) error {
		mu.Lock()
		wait := max(time.Until(next), 0)
		next = time.Now().Add(wait + every)
		mu.Unlock()
		if wait > 0 && within(wait, ctx.Done()) {
			return context.Cause(ctx)
		}
		return nil
	}
}

package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// receive is the sink of the connection: it numbers the frame and gives it to
// the exchange it belongs to.
func (s *Session) receive(f wire.Frame) {
	if heir := s.heir.Load(); heir != nil {
		(*heir)(f)
		return
	}
	f.Session = s.opts.ID
	f.Number, f.At = s.opts.Transcript.Add(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Number > s.last {
		s.last = f.Number
	}
	switch f.Dir {
	case wire.Out:
		s.said = f.At
		s.sentFrame(&f)
		return
	case wire.Note:
		s.rec.Idle = f.At-s.said >= idle
		return
	}
	s.said = f.At
	if f.Number == 0 {
		// The transcript is full, and the run about to end: its memory is
		// bounded only if the frame is not kept here either.
		f.Raw, f.Text, f.HTTP, f.Event = nil, "", nil, nil
		return
	}
	s.incoming = append(s.incoming, f)
	last := &s.incoming[len(s.incoming)-1]
	s.route(last)
	close(s.changed)
	s.changed = make(chan struct{})
}

// sentFrame notes the number of an outgoing frame in its exchange: the oldest
// pending one without a number whose bytes it is.
func (s *Session) sentFrame(f *wire.Frame) {
	for _, p := range s.pending {
		if p.x.Request == 0 && p.matchesBody(f) {
			p.x.Request = f.Number
			return
		}
	}
}

// matchesBody reports whether an outgoing frame carries this message: bytes of
// the caller's own making are compared (the frame may have been cut), else the id
// (or, without one, the method) is the one we gave it.
func (p *Pending) matchesBody(f *wire.Frame) bool {
	switch {
	case p.q.Body != nil:
		return bytes.Equal(p.q.Body, f.Raw) || f.Truncated && bytes.HasPrefix(p.q.Body, f.Raw)
	case len(p.x.ID) > 0:
		return bytes.Equal(p.message.Body, f.Raw) ||
			wire.SameID(json.RawMessage(gjson.GetBytes(f.Raw, "id").Raw), p.x.ID) &&
				gjson.GetBytes(f.Raw, "method").String() == p.x.Method
	case p.q.HTTPMethod != "":
		return f.HTTP != nil && f.HTTP.Method == p.q.HTTPMethod
	default:
		return gjson.GetBytes(f.Raw, "method").String() == p.x.Method
	}
}

// streamSSE is the channel of HTTP+SSE that all messages share. The POST requests
// have HTTP responses of their own beside it, as on Streamable HTTP.
const streamSSE = "sse"

// route gives an incoming frame to exchanges. On a channel of its own (an HTTP
// response) everything belongs to the request of the channel; on a shared
// channel responses are told apart by id. What comes on a channel before its owner
// is known waits until it is: see [Pending.send].
func (s *Session) route(f *wire.Frame) {
	if owner := s.channels[f.Channel]; owner != nil {
		s.assign(f, owner)
		return
	}
	if s.over == requirement.HTTP || s.over == requirement.SSE && f.Channel != streamSSE {
		return
	}
	all := f.Parsed().Messages
	for i := range all {
		s.routeMessage(f, &all[i])
	}
	if f.Truncated && s.tooLong(f) {
		return
	}
	if len(all) == 0 {
		s.endSpread(f.Raw)
		// No message, such as an empty array: what else can it be but a
		// reaction to a probe?
		if p := s.probing(true); p != nil {
			p.x.Others = append(p.x.Others, f.Number)
		}
	}
}

// tooLong ends the exchange whose answer was cut because of its length. The id is
// read from what is left of it, if it stands there.
func (s *Session) tooLong(f *wire.Frame) bool {
	var p *Pending
	if m := wire.NewMessage(wire.LookedUp(wire.Parse(f.Raw))); m.Get("id").Value() != nil &&
		!m.Get("method").Exists() {
		p = s.byID(&m)
	} else {
		p = cmp.Or(s.probing(true), s.onlyAwaiting())
	}
	if p == nil || p.completed {
		return false
	}
	p.x.Others = append(p.x.Others, f.Number)
	p.beyond = beyond(f)
	p.once.Do(func() { close(p.done) })
	return true
}

// beyond says why nothing more is read of an answer; empty if all of it was.
func beyond(f *wire.Frame) string {
	switch {
	case f.HasFlaw(wire.FlawTooDeep):
		return "the answer is nested deeper than is read"
	case f.HasFlaw(wire.FlawTooLong):
		return fmt.Sprintf("the answer has %d bytes or more, which is more than is read of one message "+
			"(--message-bytes)", f.Size)
	}
	return ""
}

// routeMessage handles one message on a shared channel.
func (s *Session) routeMessage(f *wire.Frame, m *wire.Message) {
	if m.Get("method").Exists() {
		s.serverMessage(f, m)
		return
	}
	if !m.Get("result").Exists() && !m.Get("error").Exists() {
		return
	}
	if p := s.byID(m); p != nil {
		p.attach(f, m)
		return
	}
	// it was answered before, or we have given it up
	if x := s.given[m.Get("id").Raw]; x != nil {
		s.renames = false
		s.disproved(x)
		s.opts.Habits.hasAnswered(x.Method, false)
		x.Replies = append(x.Replies, f.Number)
		return
	}
	if s.ofAnother(m.Get("id")) {
		s.crowded = true
		return
	}
	if s.theirs[m.Get("id").Raw] {
		return // with an id of its own the target reacts to our answer to its request
	}
	if m.Get("id").Value() == nil {
		s.anonymous(f, m)
		return
	}
	// An id that we never gave: it answers a probe, if one is under way. Otherwise
	// it can only be told whose it is if a single answer is awaited.
	if p := s.probing(false); p != nil {
		p.attach(f, m)
		return
	}
	if p := s.onlyAwaiting(); p != nil {
		p.doubt(f, m)
	}
}

// ofAnother reports whether an id is one that a session other than this one gave: see
// [firstID].
func (s *Session) ofAnother(id gjson.Result) bool {
	return s.over == requirement.SSE && id.Type == gjson.Number && id.Int() >= firstOfSession &&
		id.Int()/idsOfSession != int64(s.nextID/idsOfSession)
}

// probing is the oldest unanswered probe under way to which a response without
// an id of ours can belong: a message of the caller's own making or, if the
// response has no id at all, a notification whose answer is looked out for.
func (s *Session) probing(nameless bool) *Pending {
	for _, p := range s.pending {
		if p.q.NoAwait || len(p.x.Replies) > 0 || p.completed {
			continue
		}
		if p.q.Body != nil && (nameless || len(p.ids) == 0) || p.q.Notification && nameless {
			return p
		}
	}
	return nil
}

// foreign reports whether a response bears an id, and it is not that of a request in the message.
func (p *Pending) foreign(m *wire.Message) bool {
	id := m.Get("id")
	return len(p.ids) > 0 && id.Exists() && id.Type != gjson.Null &&
		!slices.ContainsFunc(p.ids, func(own json.RawMessage) bool {
			return m.HasID(own) || id.String() == gjson.ParseBytes(own).String()
		})
}

// byID finds the pending exchange with an id of the same type and value, else
// one whose id has the same characters ("7" and 7), else nil.
func (s *Session) byID(m *wire.Message) *Pending {
	var alike *Pending
	id := m.Get("id")
	text := id.String()
	for _, p := range s.pending {
		for _, own := range p.ids {
			switch {
			case m.HasID(own):
				return p
			case id.Exists() && id.Type != gjson.Null && text == gjson.ParseBytes(own).String():
				alike = p
			}
		}
	}
	return alike
}

// onlyAwaiting is the single exchange that awaits an answer, if there is one.
func (s *Session) onlyAwaiting() *Pending {
	if all := s.awaiting(); len(all) == 1 {
		return all[0]
	}
	return nil
}

// awaiting lists the exchanges that await an answer.
func (s *Session) awaiting() []*Pending {
	return recording.Keep(s.pending, func(p *Pending) bool {
		return !p.q.Notification && !p.q.NoAwait && len(p.x.Replies) == 0 && !p.completed
	})
}

// assign gives a frame to the exchange that owns its channel. On a stream that
// we opened by GET a response can belong to a request elsewhere.
func (s *Session) assign(f *wire.Frame, p *Pending) {
	p.beyond = cmp.Or(p.beyond, beyond(f))
	if s.oldStream(f, p) {
		p.x.Others = append(p.x.Others, f.Number)
		p.cut = "the answer to POST is an event stream of HTTP+SSE: its first event names an endpoint"
		p.once.Do(func() { close(p.done) })
		return
	}
	reply := false
	all := f.Parsed().Messages
	for i := range all {
		switch m := &all[i]; {
		case m.Get("method").Exists():
			s.serverMessage(f, m)
		case !m.Get("result").Exists() && !m.Get("error").Exists():
		case p.q.HTTPMethod == http.MethodGet:
			if q := s.byID(m); q != nil {
				q.attach(f, m)
			}
		case p.foreign(m) && len(p.x.Replies) == 0:
			p.doubt(f, m)
		default:
			p.attach(f, m)
			reply = true
		}
	}
	if !reply {
		p.x.Others = append(p.x.Others, f.Number)
	}
}

// oldStream reports whether a frame shows that the endpoint speaks HTTP+SSE and
// opens its event stream whatever the method of the request is. No response will
// ever come on that stream: it need not be waited for.
func (s *Session) oldStream(f *wire.Frame, p *Pending) bool {
	return s.over == requirement.HTTP && p.q.HTTPMethod == "" && !p.completed && f.Event != nil &&
		f.Event.Type == "endpoint" &&
		len(p.x.Replies) == 0 && len(f.Parsed().Messages) == 0
}

// progress notes, for the messages that were sent after p, that the target has
// come one step nearer to them.
func (s *Session) progress(p *Pending) {
	now := time.Now()
	for _, q := range s.pending {
		if q.turn > p.turn {
			q.ahead = now
		}
	}
}

// attach adds a reply; the last one that is wanted ends the waiting. What comes
// after the exchange was given up is noted, but changes nothing. The messages of a
// batch come one after the other, so a frame that is noted already is the last one.
func (p *Pending) attach(f *wire.Frame, m *wire.Message) {
	n := len(p.x.Replies)
	if n == 0 {
		// Only the first answer is a step ahead: a target that repeats itself
		// would else put off the end of what waits behind for good.
		p.s.progress(p)
	} else {
		p.s.disproved(p.x)
	}
	p.s.renames = p.s.renames && p.foreign(m)
	// an error in time says nothing of requests that are in order
	if p.completed || m.Get("result").Exists() {
		p.s.opts.Habits.hasAnswered(p.q.Method, !p.completed &&
			p.s.opts.Transcript.Now()-p.start <= p.s.opts.Timeout)
	}
	if n == 0 || p.x.Replies[n-1] != f.Number {
		p.x.Replies = append(p.x.Replies, f.Number)
	}
	if p.completed {
		return
	}
	p.got++
	if p.got == 1 {
		p.x.Attach(m.Object)
	}
	if id := m.Get("id"); len(p.ids) > 1 && (!id.Exists() || id.Type == gjson.Null) {
		p.got = max(p.got, p.want) // a batch was refused as a whole
	}
	if p.got >= p.want {
		p.once.Do(func() { close(p.done) })
	}
}

// The bounds on answers: a target that floods us with requests, or does not read
// what it asked for, gets no more of them.
const (
	answersAtOnce = 32
	answersInAll  = 2000
)

// serverMessage answers requests of the server: ping with an empty result, what the client has declared as
// the script says, everything else with -32601. Modern clients do not write responses (2026-07-28
// basic/transports/stdio): the frame stands in the transcript and is judged there.
func (s *Session) serverMessage(f *wire.Frame, m *wire.Message) {
	id := m.Get("id")
	if p := s.byID(m); p != nil && strings.TrimSpace(m.Raw) == string(bytes.TrimSpace(p.message.Body)) {
		s.echoed(p, f)
		return
	}
	if !id.Exists() || id.Type == gjson.Null || s.opts.Revision.Modern() || s.closed ||
		s.answering >= answersAtOnce || s.answeredAll >= answersInAll {
		return
	}
	method, member := m.Get("method").String(), `"error":{"code":-32601,"message":"`+recording.RefusalText+
		`"}`
	if method == "ping" {
		member = `"result":{}`
	} else if s.opts.Answer != nil {
		if own, ok := s.opts.Answer(method, json.RawMessage(id.Raw)); ok {
			member = own
		}
	}
	s.theirs[id.Raw] = true
	if member == "" {
		return
	}
	s.answering++
	s.answeredAll++
	q := Response(method, json.RawMessage(id.Raw), member)
	q.NoAwait = true
	s.answers.Go(func() {
		defer func() { s.mu.Lock(); s.answering--; s.mu.Unlock() }()
		select {
		case s.line <- struct{}{}:
			defer func() { <-s.line }()
		case <-s.life.Done():
			return
		}
		s.Start(s.life, q).Finish()
	})
}

// Response answers a request of the target by a result or an error.
func Response(method string, id json.RawMessage, member string) Request {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, id, member)
	return Request{Step: recording.StepAnswer, Body: body, Tags: recording.Tags{recording.TagMethod: method}}
}

// echoTime is how long anything else may follow a request of ours that came back: the
// echo of a terminal is followed by the answer, though not before the server behind it
// has started. So it grows with the time that a target has to start, and of what a
// terminal has marked by a carriage return no more is known than of silence.
func (s *Session) echoTime(f *wire.Frame) time.Duration {
	if slices.ContainsFunc(f.Flaws, func(x wire.Flaw) bool { return x.Code == wire.FlawCR }) {
		return s.opts.Start
	}
	return s.opts.Start / 3
}

// echoed notes that a request of ours came back as it was sent. It is not answered, and
// a target that sends nothing else is not waited for as long as others: it is no MCP server.
func (s *Session) echoed(p *Pending, f *wire.Frame) {
	s.echoes++
	time.AfterFunc(s.echoTime(f), func() {
		if !s.onlyEchoes() {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !p.completed && len(p.x.Replies) == 0 {
			p.cut = echoReason
			p.once.Do(func() { close(p.done) })
		}
	})
}

// echoReason says what a target is that sends our requests back.
const echoReason = "the target sent our own request back and nothing else: it is no MCP server"

func (s *Session) onlyEchoes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.echoes > 0 && s.echoes == len(s.incoming)
}

// Incoming lists the frames that the target sent after a frame number.
func (s *Session) Incoming(after int) []wire.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return recording.Keep(s.incoming, func(f wire.Frame) bool { return f.Number > after })
}

// Evidence is that of an exchange to which more frames may still come, as where an event stream goes on
// behind the response.
func (s *Session) Evidence(x *recording.Exchange) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.Evidence()
}

// Answers is how many responses an exchange has so far.
func (s *Session) Answers(x *recording.Exchange) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(x.Replies)
}

// Join counts a frame among those of an exchange, unless it is one already.
func (s *Session) Join(x *recording.Exchange, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(x.Evidence(), number) {
		x.Others = append(x.Others, number)
	}
}

package scenario

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Client is a script's hold on a session. Every exchange that goes through it
// stands in the recording.
type Client struct {
	*Play
	*order
	S *session.Session // replaced when it is lost
	// buffered clients keep their exchanges until all of them are done.
	buffered bool
	buffer   []*recording.Exchange
}

// Clean is a client on the session that all well-behaved scripts share.
func (p *Play) Clean() (*Client, bool) {
	s, err := p.Shared(p)
	return p.client(s, err, nil)
}

// client is a client on a session that was opened for one of the lists of the play, or for
// others as well; ok is false, and the recording says why, if there is none.
func (p *Play) client(s *session.Session, err error, list *[]*session.Session) (c *Client, ok bool) {
	if err != nil {
		p.Break(Code(err), err.Error())
		return nil, false
	}
	if list != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		*list = append(*list, s)
	}
	common := list != &p.own
	return &Client{Play: p, S: s, order: newOrder(p, s, common)}, true
}

// Probing are the options of a session that may be lost.
var Probing = session.Options{Kind: recording.Probe}

// Fresh opens a session for this script alone; it is closed when the script
// ends. ok is false if it could not be opened: then the recording says why, and
// the client, if there is one, holds what was seen of the attempt.
func (p *Play) Fresh(o session.Options) (*Client, bool) {
	o.Kind = cmp.Or(o.Kind, recording.Clean)
	s, err := p.Open(p, o)
	return p.client(s, err, &p.own)
}

// GoOn is a client on the session that a script of the same kind has left, or else on a fresh one; used tells
// which. Whatever happened in it before is not part of this recording.
func (p *Play) GoOn(o session.Options) (c *Client, used, ok bool) {
	s := p.TakeOver(p.scenario.In)
	if s == nil {
		c, ok = p.Fresh(o)
		return c, false, ok
	}
	c, ok = p.client(s, nil, &p.own)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part(s, recording.Part{After: p.Transcript.Len()})
	return c, true, ok
}

// Leave leaves the session of a client to the scripts that follow this one. It must have opened it for
// itself, and be done with it. Over HTTP, where a session is no process, it just ends with the script.
func (c *Client) Leave() {
	p := c.Play
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.OnStdio() || !c.S.Alive() || !slices.Contains(p.own, c.S) || p.Rec.Parts[c.S.ID()].Until > 0 {
		return
	}
	p.part(c.S, recording.Part{After: p.Rec.Parts[c.S.ID()].After, Until: p.Transcript.Len()})
	p.Sessions.Leave(c.S, p.scenario.In)
}

// part notes which part of a session is in the recording; the lock is held.
func (p *Play) part(s *session.Session, part recording.Part) {
	if p.Rec.Parts == nil {
		p.Rec.Parts = map[string]recording.Part{}
	}
	p.Rec.Parts[s.ID()] = part
}

// Expendable is a client on a session that may be lost. Over stdio, where there is but one for all scripts,
// it is replaced first if an earlier script, whose last request went without an answer, has left it in a
// state in which an ordinary request is not answered any more: this one has nothing to do with that.
func (p *Play) Expendable() (*Client, bool) {
	s, used, err := p.Borrow(p)
	c, ok := p.client(s, err, &p.lent)
	if !ok || !used || !p.OnStdio() {
		return c, ok
	}
	if answered, _ := p.answered.Load(s); answered != true && !c.works() {
		ok = c.Replace()
	}
	return c, ok
}

// works reports whether an ordinary request is answered, or a sign of life given where the target is too slow
// for such a request in any session.
func (c *Client) works() bool {
	q := c.Ordinary(recording.StepAlive)
	late := c.S.Overdue(q.Method)
	var x *recording.Exchange
	if !late {
		x = c.S.Do(c, q)
		late = x.Outcome == recording.Silent && c.S.Overdue(q.Method)
	}
	if late {
		x = c.Life()
	}
	return (x.Outcome == recording.Replied || x.Outcome == recording.Canceled) && c.S.Cut() == ""
}

// Start sends a message without waiting for its answer; [Client.Wait] does.
func (c *Client) Start(q session.Request) *session.Pending {
	pending := c.S.Start(c, q)
	c.Note(pending.Exchange())
	return pending
}

// Do sends a message and waits for what becomes of it. If the session is lost
// meanwhile, or has gone deaf, the message is sent once more, alone, in a fresh
// session: the exchange that is returned is then the second one, and it is
// marked as fatal if that session was lost again. The first one stays in the
// recording under the step's name with "/lost" added.
func (c *Client) Do(q session.Request) *recording.Exchange {
	send := func(c *Client) (*recording.Exchange, shown) {
		x := c.S.Do(c, q)
		return x, c.shows(q, x)
	}
	return c.pass(&message{c: c, q: q, send: send})
}

// Once sends a message and waits for what becomes of it. Unlike [Client.Do] it never does so again in another
// session.
func (c *Client) Once(q session.Request) *recording.Exchange { return c.Note(c.S.Do(c, q)) }

// Quiet watches silence for a while.
func (c *Client) Quiet(d time.Duration) { c.S.Quiet(c, d) }

// DoEach sends messages that do not depend on each other: see [Each].
func (c *Client) DoEach(all ...session.Request) {
	Each(c, all, func(_ int, q session.Request, c *Client) { c.Do(q) })
}

// OfListed sends a request about a resource that was listed or read before, as [Client.Do] does. Where it is
// refused a plain read follows, [recording.StepStillThere], by which a resource that is gone by now is told
// from one that is there.
func (c *Client) OfListed(q session.Request) *recording.Exchange {
	x := c.Do(q)
	if uri := q.Tags[recording.TagURI]; uri != "" && (x.Failed() || x.Status >= http.StatusBadRequest) {
		c.ReadResource(recording.StepStillThere, uri, nil)
	}
	return x
}

// shows is what an exchange shows of the message.
func (c *Client) shows(q session.Request, x *recording.Exchange) shown {
	switch {
	case x.Outcome == recording.Canceled:
		// not if it was cut off because the session is over: it says nothing then
		if !c.S.Alive() && context.Cause(c) == nil {
			return loss
		}
	case x.Outcome == recording.Refused:
	case ofEnded(x):
		if c.together() && q.Header[HeaderSession] == "" && !slices.Contains(q.Omit, HeaderSession) {
			return doubt
		}
	case x.Outcome == recording.Replied:
	case !c.S.Alive() || x.Outcome == recording.Lost:
		return loss
	case !answeredByHTTP(x) && x.Outcome != recording.Sent && x.Outcome != recording.Unsent:
		return doubt
	}
	return answer
}

// ofEnded reports whether an answer has a status by which targets answer what bears the id of a session that
// has ended: 404 (2025-11-25 basic/transports#session-management), or another one that says that there is no
// such session, or that it is an error.
func ofEnded(x *recording.Exchange) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound,
		http.StatusGone, http.StatusInternalServerError}, x.Status)
}

// over reports whether what became of a sign of life says that the session has ended. After another status
// than 404, by which a target may also refuse what it does not know, an ordinary request has to be answered
// so as well.
func (c *Client) over(life *recording.Exchange) bool {
	status := life.Status
	if c.S.HTTPSession() == "" || !ofEnded(life) {
		return false
	}
	if status != http.StatusNotFound {
		life = c.Once(c.Ordinary(recording.StepAlive))
	}
	// Who shares it may have found out meanwhile.
	return life.Status == status || life.Outcome == recording.Canceled && !c.S.Alive()
}

// together reports whether the session is one that the target can end over something else: others use it at
// the same time, or it has had other messages before and was not ended by the script.
func (c *Client) together() bool {
	c.order.mu.Lock()
	defer c.order.mu.Unlock()
	return !c.fresh && !c.ended && (c.common || c.buffered || c.used) && c.S.HTTPSession() != ""
}

// Patience is how long to wait for the answer to a message that the target may well ignore:
// many times what an ordinary request takes now, but no less than the given time.
func (c *Client) Patience(least time.Duration) time.Duration {
	x := c.Once(c.Ordinary(recording.StepAlive))
	if x.Outcome != recording.Replied {
		return c.Limits.Timeout
	}
	return c.Limits.longer(c.Limits.UpTo(least), x.Took)
}

// Life asks for a sign of life: any answer will do.
func (c *Client) Life() *recording.Exchange { return c.S.Do(c, c.lifeline(0)) }

// lifeline is a request for a sign of life, with a timeout unless that is 0.
func (c *Client) lifeline(timeout time.Duration) session.Request {
	return session.Request{Step: recording.StepAlive, Method: session.LifeMethod(c.Revision()),
		Timeout: timeout}
}

// Alive reports whether the session still answers after an exchange that got no
// JSON-RPC answer.
func (c *Client) Alive(x *recording.Exchange) bool {
	m := &message{c: c, x: x}
	if !answeredByHTTP(x) {
		m.shown = c.shows(session.Request{}, x)
	}
	over, alive := c.sign([]*message{m})
	return m.survived(over, alive)
}

// answeredByHTTP reports whether a message was answered by an HTTP status alone,
// which shows that the target lives. A status of success without the response
// that was due shows nothing: some servers answer so on a session that is broken.
func answeredByHTTP(x *recording.Exchange) bool {
	return x.Outcome == recording.HTTPOnly && (x.Status >= 300 || x.Status > 0 && len(x.ID) == 0)
}

// Replace gives the client a new session in place of one that was lost. It
// returns false if none can be opened; the recording then says why.
func (c *Client) Replace() bool { return c.replace(c) }

// Each calls do for each item with a client of its own on the same session, at
// most eight at a time, and returns when all are done. Scripts use it for
// requests that do not depend on each other. The recording holds the exchanges
// in the order of the items, however they overlapped.
func Each[T any](c *Client, items []T, do func(i int, item T, c *Client)) { each(c, 8, items, do) }

// each is [Each] with a number of its own.
func each[T any](c *Client, width int, items []T, do func(i int, item T, c *Client)) {
	slots := make(chan struct{}, c.width(width))
	clones := make([]*Client, len(items))
	var wg sync.WaitGroup
	for i, item := range items {
		slots <- struct{}{}
		clones[i] = &Client{Play: c.Play, S: c.current(), order: c.order, buffered: true}
		wg.Go(func() {
			defer func() { <-slots }()
			defer c.Survive()
			do(i, item, clones[i])
		})
	}
	wg.Wait()
	for _, clone := range clones {
		for _, x := range clone.buffer {
			c.Note(x)
		}
	}
	c.S = c.current()
}

// width is how many messages may be under way, of so many.
func (c *Client) width(n int) int {
	if c.OneByOne {
		return 1
	}
	return n
}

// Note adds an exchange to the recording.
func (c *Client) Note(x *recording.Exchange) *recording.Exchange {
	if c.buffered {
		c.buffer = append(c.buffer, x)
		return x
	}
	return c.Play.Note(x)
}

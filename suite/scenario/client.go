package scenario

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Client is a script's hold on a session. Every exchange that goes through it
// stands in the recording.
type Client struct {
	P *Play

	S *session.Session // replaced when it is lost
	// shared says that other scripts use the session, too; sole that not even
	// another client of this script does, because it took the place of a lost one; fresh that
	// nothing was sent in that one before what is tried in it.
	shared, sole, fresh bool
	// used says that a message was answered in the session before, and ended that the script has ended it.
	used, ended bool
	// common says that the first session of the client was not the script's own.
	common bool
	// buffered clients keep their exchanges until all of them are done.
	buffered bool
	buffer   []*recording.Exchange
	// retries is what clients of [Each] over stdio have in common, signs what all have.
	retries *retries
	signs   *signs
	// longest is what an answer has taken at most in sessions that were replaced.
	longest time.Duration
}

// Clean is a client on the session that all well-behaved scripts share.
func (p *Play) Clean(ctx context.Context) (*Client, bool) {
	s, err := p.Shared(ctx)
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
	return &Client{P: p, S: s, shared: common, common: common}, true
}

// Fresh opens a session for this script alone; it is closed when the script
// ends. ok is false if it could not be opened: then the recording says why, and
// the client, if there is one, holds what was seen of the attempt.
func (p *Play) Fresh(ctx context.Context, o session.Options) (*Client, bool) {
	o.Kind = cmp.Or(o.Kind, recording.Clean)
	s, err := p.Open(ctx, o)
	return p.client(s, err, &p.own)
}

// TakeOver is a client on a session with that history which another script has left, or else
// on a fresh one; used tells which. Whatever happened in it before is not part of this recording.
func (p *Play) TakeOver(ctx context.Context, o session.Options, h History) (c *Client, used, ok bool) {
	o.Kind = cmp.Or(o.Kind, recording.Clean)
	s := p.Sessions.TakeOver(o, h)
	if s == nil {
		c, ok = p.Fresh(ctx, o)
		return c, false, ok
	}
	c, ok = p.client(s, nil, &p.own)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part(s, recording.Part{After: p.Transcript.Len()})
	return c, true, ok
}

// Leave leaves the session of a client, which is as one opened with these options and has
// that history, to another script. The script must have opened it for itself, and be done with it. Over
// HTTP, where a session is no process, it just ends with the script.
func (c *Client) Leave(o session.Options, h History) {
	o.Kind = cmp.Or(o.Kind, recording.Clean)
	p := c.P
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Combination.Transport != requirement.Stdio || !c.S.Alive() || !slices.Contains(p.own, c.S) || p.Rec.Parts[c.S.ID()].Until > 0 {
		return
	}
	p.part(c.S, recording.Part{After: p.Rec.Parts[c.S.ID()].After, Until: p.Transcript.Len()})
	p.Sessions.Leave(c.S, o, h)
}

// part notes which part of a session is in the recording; the lock is held.
func (p *Play) part(s *session.Session, part recording.Part) {
	if p.Rec.Parts == nil {
		p.Rec.Parts = map[string]recording.Part{}
	}
	p.Rec.Parts[s.ID()] = part
}

// Expendable is a client on a session that may be lost. Over stdio, where there is but one
// for all scripts, it is replaced first if an earlier script has left it in a state in which
// an ordinary request is not answered any more: that is nothing to hold against this one.
func (p *Play) Expendable(ctx context.Context) (*Client, bool) {
	s, used, err := p.Borrow(ctx)
	c, ok := p.client(s, err, &p.lent)
	if ok && used && p.Combination.Transport == requirement.Stdio && !c.works(ctx) {
		ok = c.Replace(ctx)
	}
	return c, ok
}

// works reports whether an ordinary request is answered, or a sign of life given where the target is too slow for such a
// request in any session.
func (c *Client) works(ctx context.Context) bool {
	q := c.P.Ordinary(recording.StepAlive)
	late := c.S.Overdue(q.Method)
	var x *recording.Exchange
	if !late {
		x = c.S.Do(ctx, q)
		late = x.Outcome == recording.Silent && c.S.Overdue(q.Method)
	}
	if late {
		x = c.Life(ctx)
	}
	return (x.Outcome == recording.Replied || x.Outcome == recording.Canceled) && c.S.Cut() == ""
}

// Start sends a message without waiting for its answer; [Client.Wait] does.
func (c *Client) Start(ctx context.Context, q session.Request) *session.Pending {
	pending := c.S.Start(ctx, q)
	c.Note(pending.Exchange())
	return pending
}

// Do sends a message and waits for what becomes of it. If the session is lost
// meanwhile, or has gone deaf, the message is sent once more, alone, in a fresh
// session: the exchange that is returned is then the second one, and it is
// marked as fatal if that session was lost again. The first one stays in the
// recording under the step's name with "/lost" added.
func (c *Client) Do(ctx context.Context, q session.Request) *recording.Exchange {
	return c.twice(ctx, candidate{q: q}, func() (*recording.Exchange, bool) {
		x := c.S.Do(ctx, q)
		usable := c.usable(ctx, q, x)
		c.used = c.used || usable && x.Succeeded()
		c.ended = c.ended || q.HTTPMethod == http.MethodDelete
		return x, usable
	})
}

// OfListed sends a request about a resource that was listed or read before, as [Client.Do] does. Where it is refused a plain read
// follows, [recording.StepStillThere], by which a resource that is gone by now is told from one that is there.
func (c *Client) OfListed(ctx context.Context, q session.Request) *recording.Exchange {
	x := c.Do(ctx, q)
	if uri := q.Tags[recording.TagURI]; uri != "" && (x.Failed() || x.Status >= http.StatusBadRequest) {
		c.Do(ctx, session.Request{Step: recording.StepStillThere, Method: "resources/read", Tags: recording.Tags{recording.TagURI: uri}, Params: map[string]any{"uri": uri}})
	}
	return x
}

// try sends a message and reports whether what came of it shows what the target makes of it,
// and not only that the session was lost.
type try = func() (x *recording.Exchange, usable bool)

// twice tries a message and, if the session is lost over it, once more in a fresh one.
func (c *Client) twice(ctx context.Context, m candidate, send try) *recording.Exchange {
	if c.onceIsEnough() {
		return c.alone(ctx, m, send)
	}
	x, usable := send()
	if usable {
		c.fresh = false
		c.keepInMind(m)
		return c.Note(x)
	}
	x.Step += recording.StepLost
	c.Note(x)
	c.ends(ctx, x)
	if c.retries != nil && (x.Outcome == recording.Lost || x.Outcome == recording.Unsent) {
		return c.inTurn(ctx, m, x, send)
	}
	if !c.Replace(ctx) {
		return x
	}
	again := c.alone(ctx, m, send)
	c.findEnder(ctx, x)
	return again
}

// onceIsEnough reports whether a message that costs the session need not be tried again: it is alone in it, and this is the
// repetition of a script in which it had cost two. Each trial starts a process.
func (c *Client) onceIsEnough() bool {
	return c.fresh && c.P.Limits.Patience > 1 && c.P.Combination.Transport == requirement.Stdio
}

// ends waits until a server that was started has ended, if a message was lost to it that it may
// have died of: the next session is to be one with another.
func (c *Client) ends(ctx context.Context, sent ...*recording.Exchange) {
	for _, x := range slices.Backward(sent) {
		if c.P.OneByOne && x.Outcome == recording.Lost {
			c.P.Endpoint.Server().AwaitEnd(ctx, c.P.SentAt(x))
			return
		}
	}
}

// alone tries a message of which it is known that it, or one sent together with it, cost a
// session.
func (c *Client) alone(ctx context.Context, m candidate, send try) *recording.Exchange {
	x, usable := send()
	switch why := c.S.Cut(); {
	case usable:
		first := c.fresh
		c.fresh = false
		c.keepInMind(m)
		if first && ofEnded(x) && x.Status != http.StatusNotFound && c.triable(m) && c.endedBy(ctx) != 0 {
			c.findEnder(ctx, x)
		}
	case why != "":
		x.Outcome, x.Reason, x.Limit = recording.Canceled, why, true
		c.Replace(ctx)
	default:
		x.Fatal = true
		c.Replace(ctx)
	}
	return c.Note(x)
}

// usable reports whether an exchange shows what the target makes of the message, and
// not only that the session was lost.
func (c *Client) usable(ctx context.Context, q session.Request, x *recording.Exchange) bool {
	switch {
	case x.Outcome == recording.Canceled: // not if it was cut off because the session is over: it says nothing then
		return c.S.Alive() || context.Cause(ctx) != nil
	case x.Outcome == recording.Refused:
		return true
	case ofEnded(x):
		return !c.expelled(ctx, q)
	}
	return x.Outcome == recording.Replied || c.Alive(ctx, x)
}

// ofEnded reports whether an answer has a status by which targets answer what bears the id of a session that has ended: 404
// (2025-11-25 basic/transports#session-management), or another one that says that there is no such session, or that it is an error.
func ofEnded(x *recording.Exchange) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusInternalServerError}, x.Status)
}

// expelled reports whether the target has ended a session in which other messages were sent as well,
// as it may at any time, and does over what they say: then it answers whatever bears the id of the session
// in such a way, and not only the message in question.
func (c *Client) expelled(ctx context.Context, q session.Request) bool {
	if !c.together() || q.Header[HeaderSession] != "" || slices.Contains(q.Omit, HeaderSession) {
		return false
	}
	if c.signs != nil && c.signs.s == c.S {
		return c.signs.over(ctx, c)
	}
	return c.over(ctx, c.Note(c.Life(ctx)))
}

// over reports whether what became of a sign of life says that the session has ended. After another status than 404, by which a
// target may also refuse what it does not know, an ordinary request has to be answered so as well.
func (c *Client) over(ctx context.Context, life *recording.Exchange) bool {
	status := life.Status
	if status != http.StatusNotFound && ofEnded(life) {
		life = c.Note(c.S.Do(ctx, c.P.Ordinary(recording.StepAlive)))
	}
	return ofEnded(life) && life.Status == status || life.Outcome == recording.Canceled && !c.S.Alive() // who shares it found out
}

// together reports whether the session is one that the target can end over something else: others use it at the
// same time, or it has had other messages before and was not ended by the script.
func (c *Client) together() bool {
	return !c.fresh && !c.ended && (c.common || c.buffered || c.used) && c.S.HTTPSession() != ""
}

// Probe sends a message to which silence may be a fitting answer (a
// notification, or something that is no message at all). Instead of waiting as
// long as for an answer that is due, it asks the target for a sign of life, which
// comes after an answer to the probe if the target works in order, and then
// waits a moment more. Loss of the session is treated as in [Client.Do].
func (c *Client) Probe(ctx context.Context, q session.Request) *recording.Exchange {
	return c.twice(ctx, candidate{q, true}, func() (*recording.Exchange, bool) { return c.probe(ctx, q) })
}

// ProbeAfter is a [Client.Probe] that follows the answer to a request, out of which it is made: where the session is lost,
// both are sent again in a fresh one.
func (c *Client) ProbeAfter(ctx context.Context, first session.Request, then func(*recording.Exchange) session.Request) *recording.Exchange {
	return c.twice(ctx, candidate{}, func() (*recording.Exchange, bool) { return c.probe(ctx, then(c.Note(c.S.Do(ctx, first)))) })
}

// probe sends a probe and a request for a sign of life.
func (c *Client) probe(ctx context.Context, q session.Request) (x *recording.Exchange, alive bool) {
	pending := c.S.Start(ctx, q)
	x = pending.Exchange()
	if x.Outcome != "" {
		return x, c.Alive(ctx, x)
	}
	if ended := pending.Ended(); ended != nil {
		// On Streamable HTTP the response to the probe itself is the end.
		x = c.insist(ctx, q, pending.Wait(ctx))
		if ofEnded(x) {
			return x, !c.expelled(ctx, q)
		}
		return x, x.Outcome == recording.Refused || x.Outcome == recording.Replied || answeredByHTTP(x) || c.Alive(ctx, x)
	}
	wait := c.sign()
	if c.P.Limits.Patience > 1 {
		wait = 0 // what is found deaf now is accused: it may take longer for what it was not sent before
	}
	life := c.Note(c.life(ctx, wait))
	if life.Outcome == recording.Replied {
		select {
		case <-pending.Answered():
		case <-time.After(c.afterLife(ctx, life)):
		case <-ctx.Done():
		}
	}
	x = pending.Finish()
	if x.Outcome == recording.Sent && !q.Notification {
		x.Outcome, x.Reason = recording.Silent, overlooked
	}
	if life.Outcome != recording.Replied && x.Outcome != recording.Replied {
		c.unheard(x, "nothing was answered any more: "+life.Reason)
	}
	return x, life.Outcome == recording.Replied && c.S.Alive()
}

// insist sends a message again that the target refused because it is busy.
func (c *Client) insist(ctx context.Context, q session.Request, x *recording.Exchange) *recording.Exchange {
	if x.Outcome != recording.Refused {
		return x
	}
	return c.S.Do(ctx, q)
}

// Patience is how long to wait for the answer to a message that the target may well ignore:
// many times what an ordinary request takes now, but no less than the given time.
func (c *Client) Patience(ctx context.Context, least time.Duration) time.Duration {
	x := c.Note(c.S.Do(ctx, c.P.Ordinary(recording.StepAlive)))
	if x.Outcome != recording.Replied {
		return c.P.Limits.Timeout
	}
	return c.P.Limits.longer(c.P.Limits.UpTo(least), x.Took)
}

// Life asks for a sign of life: any answer will do.
func (c *Client) Life(ctx context.Context) *recording.Exchange { return c.life(ctx, 0) }

// life is [Client.Life] with a timeout, unless that is 0.
func (c *Client) life(ctx context.Context, timeout time.Duration) *recording.Exchange {
	q := session.Request{Step: recording.StepAlive, Method: "ping", Timeout: timeout}
	if c.P.Modern() {
		q.Method = "server/discover"
	}
	return c.S.Do(ctx, q)
}

// Alive reports whether the session still answers after an exchange that got no
// JSON-RPC answer.
func (c *Client) Alive(ctx context.Context, x *recording.Exchange) bool {
	if !c.S.Alive() || x.Outcome == recording.Lost {
		return false
	}
	if answeredByHTTP(x) || x.Outcome == recording.Sent || x.Outcome == recording.Unsent {
		return true
	}
	life := c.Note(c.Life(ctx))
	switch {
	case life.Outcome == recording.Canceled: // if it was for another reason than that the session is over
		return c.S.Alive()
	case c.S.HTTPSession() == "" || !c.over(ctx, life):
	case c.together():
		// The target has ended the session while the message was under way, and which of those that
		// were it ended it over shows when this one is sent again, alone.
		x.Outcome, x.Reason = recording.Canceled, "the target ended the session meanwhile, in which there were other messages as well"
		return false
	default: // over, and nobody else was there
		return false
	}
	return life.Outcome == recording.Replied || life.Outcome == recording.Refused
}

// answeredByHTTP reports whether a message was answered by an HTTP status alone,
// which shows that the target lives. A status of success without the response
// that was due shows nothing: some servers answer so on a session that is broken.
func answeredByHTTP(x *recording.Exchange) bool {
	return x.Outcome == recording.HTTPOnly && (x.Status >= 300 || x.Status > 0 && len(x.ID) == 0)
}

// Replace gives the client a new session in place of one that was lost. It
// returns false if none can be opened; the recording then says why. In place of a
// borrowed one over stdio, where it is a process, others can borrow the new one.
func (c *Client) Replace(ctx context.Context) bool {
	old := c.S
	kind := old.Kind()
	if c.shared && kind == recording.Probe && c.P.Combination.Transport == requirement.Stdio {
		s, err := c.P.Renew(ctx, old)
		fresh, ok := c.P.client(s, err, &c.P.lent)
		if ok {
			c.S, c.fresh = fresh.S, true
		}
		return ok
	}
	if c.shared || c.sole || !old.Alive() || c.P.Limited() {
		// What is deaf or gone nobody else is to get; it must not pile up either, nor stand
		// in the way.
		c.P.End(old)
	}
	fresh, ok := c.P.Fresh(ctx, session.Options{Kind: kind})
	if !ok {
		return false
	}
	c.S, c.shared, c.sole, c.fresh = fresh.S, false, true, true
	return true
}

// Each calls do for each item with a client of its own on the same session, at
// most eight at a time, and returns when all are done. Scripts use it for
// requests that do not depend on each other. The recording holds the exchanges
// in the order of the items, however they overlapped.
func Each[T any](c *Client, items []T, do func(i int, item T, c *Client)) { each(c, 8, items, do) }

// each is [Each] with a number of its own.
func each[T any](c *Client, width int, items []T, do func(i int, item T, c *Client)) {
	if c.P.OneByOne {
		width = 1
	}
	slots := make(chan struct{}, width)
	clones := make([]*Client, len(items))
	var again *retries
	if c.P.Combination.Transport == requirement.Stdio {
		again = &retries{}
	}
	shared := newSigns(c.S, len(items), width)
	var wg sync.WaitGroup
	for i, item := range items {
		slots <- struct{}{}
		from := c
		if i > 0 && c.P.OneByOne && !c.S.Alive() {
			from = clones[i-1] // which is done, and may have replaced the session
		}
		clones[i] = &Client{P: c.P, S: from.S, shared: from.shared, buffered: true, retries: again, signs: shared}
		if again != nil && !from.S.Alive() {
			again.await(0, false)
			again.take(clones[i])
			again.next()
		}
		wg.Go(func() {
			defer func() { <-slots }()
			defer shared.end()
			defer c.P.Survive()
			do(i, item, clones[i])
		})
	}
	wg.Wait()
	for _, clone := range clones {
		for _, x := range clone.buffer {
			c.Note(x)
		}
		if clone.S != c.S && !c.S.Alive() {
			c.S, c.shared, c.sole, c.fresh = clone.S, clone.shared, clone.sole, clone.fresh
		}
	}
	for _, x := range shared.asked {
		c.Note(x)
	}
}

// Note adds an exchange to the recording.
func (c *Client) Note(x *recording.Exchange) *recording.Exchange {
	if c.buffered {
		c.buffer = append(c.buffer, x)
		return x
	}
	return c.P.Note(x)
}

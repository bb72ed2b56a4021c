package scenario

import (
	"context"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Probes sends messages to which silence may be a fitting answer: notifications, or what is no message at
// all. Where they share a channel a sign of life is asked for behind each, which comes after an answer to
// the probe if the target works in order. Over HTTP, where each has a response, several are under way. Loss
// of the session is treated as in [Client.Do]. The exchanges come in the order of the messages.
func (c *Client) Probes(qs ...session.Request) []*recording.Exchange {
	messages := make([]*message, len(qs))
	for i, q := range qs {
		send := func(c *Client) (*recording.Exchange, shown) {
			return c.probe(q, nil)
		}
		messages[i] = &message{c: c, q: q, send: send}
	}
	if c.OnHTTP() {
		for some := range slices.Chunk(messages, c.width(8)) {
			c.atOnce(some)
		}
	} else {
		c.inOrder(messages)
	}
	all := make([]*recording.Exchange, len(messages))
	for i, m := range messages {
		all[i] = m.x
	}
	return all
}

// atOnce sends probes one after the other, and then waits for what comes of them.
func (c *Client) atOnce(messages []*message) {
	started := make([]*session.Pending, len(messages))
	for i, m := range messages {
		started[i] = c.S.Start(c, m.q)
	}
	Each(c, messages, func(i int, m *message, c *Client) {
		again := m.send
		m.c, m.send = c, func(c *Client) (*recording.Exchange, shown) {
			m.send = again
			return c.probe(m.q, started[i])
		}
		c.pass(m)
	})
}

// inOrder sends probes that share a channel.
func (c *Client) inOrder(messages []*message) {
	certain := c.ahead(messages)
	var lost []*message
	for _, m := range messages {
		switch {
		case !certain:
			m.giveUp()
		case m.shown == answer:
			c.heard(m)
		default:
			lost = append(lost, m)
		}
	}
	c.lose(lost)
	if !certain && (c.S.Alive() || c.Replace()) {
		for _, m := range messages {
			c.pass(m)
		}
	}
}

// ProbeAfter probes with a message that is made out of the answer to a request: where the session is lost,
// both are sent again in a fresh one.
func (c *Client) ProbeAfter(
	q session.Request, then func(*recording.Exchange) session.Request,
) {
	send := func(c *Client) (*recording.Exchange, shown) {
		return c.probe(then(c.Once(q)), nil)
	}
	c.pass(&message{c: c, send: send})
}

// probe sends a single probe, unless it is under way over HTTP.
func (c *Client) probe(
	q session.Request, begun *session.Pending,
) (*recording.Exchange, shown) {
	if !c.OnHTTP() {
		m := &message{c: c, q: q}
		c.ahead([]*message{m})
		return m.x, m.shown
	}
	if begun == nil {
		begun = c.S.Start(c, q)
	}
	x := begun.Wait(c)
	if x.Outcome == recording.Refused { // because the target is busy
		x = c.S.Do(c, q)
	}
	return x, c.shows(q, x)
}

// ahead sends probes with a sign of life behind each, and does not wait before it sends the next, unless the
// answer may bear no id: then it is the one that comes before the sign. It sets what came of them, and
// reports whether it is certain which answer without an id belongs to which.
func (c *Client) ahead(all []*message) (certain bool) {
	timeout := c.signTime()
	var probes, signs []*session.Pending
	for _, m := range all {
		probes = append(probes, c.S.Start(c, m.q))
		signs = append(signs, c.S.Start(c, c.lifeline(timeout)))
		if m.q.Body != nil && signs[len(signs)-1].Wait(c).Outcome != recording.Replied {
			break
		}
	}
	at, life := c.firstWithout(signs)
	if at == len(probes) {
		within(c, c.afterLife(life), probes)
		if !c.S.Alive() {
			at--
		}
	}
	for i, m := range all {
		if m.shown = loss; i >= len(probes) {
			continue
		}
		m.x = probes[i].Finish()
		switch {
		case i < at || life.Outcome == recording.Canceled:
			m.shown = answer
			if m.x.Outcome == recording.Sent && !m.q.Notification {
				m.x.Outcome, m.x.Reason = recording.Silent, overlooked
			}
		case m.x.Outcome != recording.Replied:
			c.unheard(m.x, "nothing was answered any more: "+life.Reason)
		}
	}
	for i := range len(probes) - 1 {
		if c.nameless(probes[i], probes[i+1].Exchange().Request) {
			return false
		}
	}
	return true
}

// firstWithout waits for signs of life, and returns which is the first that is not given, and what came of
// that, or of the last.
func (c *Client) firstWithout(signs []*session.Pending) (int, *recording.Exchange) {
	var life *recording.Exchange
	for at := range signs {
		if life = c.Note(signs[at].Wait(c)); life.Outcome != recording.Replied {
			for _, behind := range signs[at+1:] {
				behind.Finish()
			}
			return at, life
		}
	}
	return len(signs), life
}

// nameless reports whether something without an id was taken for the answer to a message after the next one
// was sent: it may be the answer to that. What an HTTP response has belongs to its own request.
func (c *Client) nameless(p *session.Pending, next int) bool {
	return slices.ContainsFunc(c.S.Evidence(p.Exchange()), func(n int) bool {
		f, ok := c.Transcript.Frame(n)
		return ok && n > next && f.Dir == wire.In && f.HTTP == nil &&
			gjson.GetBytes(f.Raw, "id").Value() == nil
	})
}

// within waits until all messages are answered, for so long at most.
func within(ctx context.Context, d time.Duration, all []*session.Pending) {
	window := time.NewTimer(d)
	defer window.Stop()
	for _, p := range all {
		select {
		case <-p.Answered():
		case <-window.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// signTime is how long a sign of life is waited for after probes in a process, of which one may have made
// it deaf: as long as the first answer took, in which its start is, and many times as long as any other
// answer, but no less than three seconds. Where that is not known it is as long as for any answer.
func (c *Client) signTime() time.Duration {
	const least = 3 * time.Second
	first, longest := c.S.Pace()
	c.longest = max(c.longest, longest)
	accused := c.fresh && c.Limits.Patience > 1 // at once: it may take longer for what comes first
	if accused || !c.OnStdio() || first == 0 || c.longest == 0 {
		return 0
	}
	return c.Limits.longer(max(least, first), c.longest)
}

// afterLife is how long an answer is still waited for after a sign of life that was asked for
// later: many times as long as that took, so that it is enough on a busy machine and no more
// than that on another one. A sign of life that was late because the process had just started
// is asked for again.
func (c *Client) afterLife(life *recording.Exchange) time.Duration {
	const times, part, most = 10, 3, 10
	window := c.Limits.QuietWindow
	least := window / part
	if c.Limits.Patience > 1 {
		least = window // a repetition: what is red now is printed
	}
	took := life.Took
	if times*took > max(window, least) {
		if again := c.Note(c.Life()); again.Outcome == recording.Replied {
			took = min(took, again.Took)
		}
	}
	return max(least, min(times*took, most*window))
}

// overlooked is the reason of silence where the target is alive.
const overlooked = "no answer, although a later request was answered"

// unheard completes a probe after which nothing was heard any more.
func (c *Client) unheard(x *recording.Exchange, reason string) {
	x.Outcome, x.Reason = recording.Lost, reason
	switch why := c.S.Cut(); {
	case why != "":
		x.Outcome, x.Reason, x.Limit = recording.Canceled, why, true
	case c.S.Alive():
		x.Outcome = recording.Silent
	}
}

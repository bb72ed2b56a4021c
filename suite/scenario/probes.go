package scenario

import (
	"context"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Probes is [Client.Probe] for several messages at once: they are sent one after
// the other, and a single sign of life is asked for at the end. If there is none,
// each message is probed alone in a session of its own, so that the one that did
// it can be told: those that were not answered or, where all were, any of them. The exchanges come in the order of the messages.
func (c *Client) Probes(ctx context.Context, qs ...session.Request) []*recording.Exchange {
	if len(qs) == 1 && c.onceIsEnough() {
		return []*recording.Exchange{c.Probe(ctx, qs[0])}
	}
	pending := make([]*session.Pending, len(qs))
	for i, q := range qs {
		pending[i] = c.S.Start(ctx, q)
	}
	all := make([]*recording.Exchange, len(qs))
	alive := c.settled(ctx, qs, pending, all)
	answered := func(x *recording.Exchange) bool { // and not only by who says that the session is over
		return x.Outcome == recording.Replied && (alive || !ofEnded(x))
	}
	heard := true
	for i, p := range pending {
		if all[i] == nil {
			all[i] = p.Finish()
		}
		heard = heard && answered(all[i])
	}
	mixed := alive && mixedUp(qs, pending, all)
	for i, x := range all {
		switch {
		case mixed:
			x.Step += recording.StepLost
		case answered(x) && (alive || !heard):
		case answered(x): // like the others, and then nothing was
			x.Step += recording.StepLost
		case !alive:
			x.Step += recording.StepLost
			if ofEnded(x) || x.Outcome == recording.Refused {
				break // it is the session that is not found, or the message was not looked at
			}
			c.unheard(x, "nothing was answered any more")
		case x.Outcome == recording.Sent && !qs[i].Notification:
			x.Outcome, x.Reason = recording.Silent, overlooked
		}
		c.Note(x)
	}
	if alive {
		c.fresh = false
		for _, q := range qs {
			c.keepInMind(candidate{q, true})
		}
		for i := 0; mixed && i < len(qs); i++ {
			all[i] = c.Probe(ctx, qs[i])
		}
		return all
	}
	if c.ends(ctx, all...); !c.Replace(ctx) {
		return all
	}
	if i := slices.IndexFunc(all, ofEnded); i >= 0 {
		defer c.findEnder(ctx, all[i])
	}
	for i, q := range qs {
		if !c.S.Alive() && !c.Replace(ctx) { // over before anything was sent, as one that a target ends after a few messages
			return all
		}
		if !answered(all[i]) || heard {
			tried := c.alone
			if !c.fresh && c.S.HTTPSession() != "" {
				tried = c.twice // one that ends after a few messages may have ended over those before
			}
			all[i] = tried(ctx, candidate{q, true}, func() (*recording.Exchange, bool) { return c.probe(ctx, q) })
		}
	}
	return all
}

// ProbesInTurn is [Client.Probe] for several messages, one after the other, where those that the target says nothing to are waited for
// once, and not each for itself. A response without an id that may be for more than one of them does not say which: then, and
// where the target is lost, each is probed by itself.
func (c *Client) ProbesInTurn(ctx context.Context, qs ...session.Request) {
	if c.P.Combination.Transport == requirement.Stdio && c.sendInTurn(ctx, qs) {
		return
	}
	for _, q := range qs {
		c.Probes(ctx, q)
	}
}

// sendInTurn sends probes with a sign of life behind each, waits for what was not answered by then, and reports whether it is clear
// what belongs to which. If it is not, the exchanges count as lost.
func (c *Client) sendInTurn(ctx context.Context, qs []session.Request) bool {
	var pending []*session.Pending
	alive, clear, wait := true, true, time.Duration(0)
	for _, q := range qs {
		open := unanswered(pending)
		pending = append(pending, c.S.Start(ctx, q))
		life := c.Note(c.life(ctx, c.sign()))
		if life.Outcome == recording.Canceled {
			wait = 0
			break
		}
		alive = life.Outcome == recording.Replied && c.S.Alive()
		if clear = alive && !slices.ContainsFunc(open, c.nameless); !clear {
			break
		}
		wait = max(wait, c.afterLife(ctx, life))
	}
	if open := unanswered(pending); clear {
		within(ctx, wait, open)
		alive = c.S.Alive()
		clear = alive && (len(open) == 1 || !slices.ContainsFunc(open, c.nameless))
	}
	for i, p := range pending {
		x := p.Finish()
		switch {
		case !alive && x.Outcome != recording.Replied:
			c.unheard(x, "nothing was answered any more")
		case x.Outcome == recording.Sent && !qs[i].Notification:
			x.Outcome, x.Reason = recording.Silent, overlooked
		}
		if !clear {
			x.Step += recording.StepLost
		}
		if c.Note(x); !alive && i == len(pending)-1 {
			c.ends(ctx, x)
		}
	}
	c.fresh = c.fresh && !alive
	return clear || ctx.Err() != nil || !alive && !c.Replace(ctx)
}

// unanswered keeps the messages that have no answer yet.
func unanswered(all []*session.Pending) []*session.Pending {
	return recording.Keep(all, func(p *session.Pending) bool {
		select {
		case <-p.Answered():
			return false
		default:
			return true
		}
	})
}

// nameless reports whether what was said to a message has no id.
func (c *Client) nameless(p *session.Pending) bool {
	return slices.ContainsFunc(c.S.Evidence(p.Exchange()), func(n int) bool {
		f, ok := c.P.Transcript.Frame(n)
		return ok && f.Dir == wire.In && gjson.GetBytes(f.Raw, "id").Value() == nil
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

// mixedUp reports whether one of several notifications on a channel that all messages share was answered: such
// an answer bears no id, so that it shows only one by one which of them it was.
func mixedUp(qs []session.Request, pending []*session.Pending, all []*recording.Exchange) bool {
	answered, several := false, 0
	for i, q := range qs {
		if q.Notification {
			several++
			answered = answered || len(all[i].Replies) > 0
		}
	}
	return answered && several > 1 && pending[0].Ended() == nil
}

// sign is how long a sign of life is waited for after probes in a process, of which one may have made
// it deaf: as long as the first answer took, in which its start is, and many times as long as any other
// answer, but no less than three seconds. Where that is not known it is as long as for any answer.
func (c *Client) sign() time.Duration {
	const least = 3 * time.Second
	first, longest := c.S.Pace()
	c.longest = max(c.longest, longest)
	if c.P.Combination.Transport != requirement.Stdio || first == 0 || c.longest == 0 {
		return 0
	}
	return c.P.Limits.longer(max(least, first), c.longest)
}

// afterLife is how long an answer is still waited for after a sign of life that was asked for
// later: many times as long as that took, so that it is enough on a busy machine and no more
// than that on another one. A sign of life that was late because the process had just started
// is asked for again.
func (c *Client) afterLife(ctx context.Context, life *recording.Exchange) time.Duration {
	const times, part, most = 10, 3, 10
	window := c.P.Limits.QuietWindow
	least := window / part
	if c.P.Limits.Patience > 1 {
		least = window // a repetition: what is red now is printed
	}
	took := life.Took
	if times*took > max(window, least) {
		if again := c.Note(c.Life(ctx)); again.Outcome == recording.Replied {
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

// settled waits until the messages have been answered, or until the target had
// occasion to answer them, and reports whether it is alive. The exchanges that are complete
// then it puts in their places.
func (c *Client) settled(ctx context.Context, qs []session.Request, pending []*session.Pending, all []*recording.Exchange) bool {
	if pending[0].Ended() != nil {
		// On Streamable HTTP each message has a response of its own.
		heard := true
		for i, p := range pending {
			x := c.insist(ctx, qs[i], p.Wait(ctx))
			all[i] = x
			if ofEnded(x) && c.expelled(ctx, qs[i]) {
				return false
			}
			heard = heard && (x.Outcome == recording.Replied || x.Outcome == recording.Sent || x.Outcome == recording.Canceled || x.Outcome == recording.Refused || answeredByHTTP(x))
		}
		if heard {
			return true
		}
		life := c.Note(c.Life(ctx))
		return life.Outcome == recording.Replied || life.Outcome == recording.Canceled || life.Outcome == recording.Refused || answeredByHTTP(life)
	}
	life := c.Note(c.life(ctx, c.sign()))
	if life.Outcome != recording.Replied {
		return life.Outcome == recording.Canceled
	}
	within(ctx, c.afterLife(ctx, life), pending)
	return c.S.Alive() || ctx.Err() != nil
}

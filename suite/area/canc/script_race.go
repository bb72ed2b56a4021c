package canc

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Steps "raced" are requests that are cancelled as soon as they are sent, by steps
// "cancel" (on Streamable HTTP in modern revisions: by closing their streams).
// Step "before" is such a request that is not cancelled, "after" one at the end, "between" one after requests
// that are followed by more. If that at the end is not served, steps "undisturbed" are as many messages in
// another session as there were from "before" on.
var cancelRaceScenario = &scenario.Scenario{
	Name:  CancelRace,
	Title: "cancellations that race with the response",
	Sends: "An ordinary request, requests that are cancelled as soon as they are sent, and an ordinary " +
		"one at the end, over stdio up to three times while nothing comes of it; if that is not served, " +
		"all of it once more where nobody else has said anything, and then as many messages without " +
		"cancellations in another session. A repetition over stdio does without these two.",
	Phase: scenario.Destructive,
	In:    scenario.Closing, // what it makes deaf is not to be replaced for others
	Script: func(p *scenario.Play) {
		c, alone, ok := racing(p)
		if !ok {
			return
		}
		served := race(c)
		settled := served || answeredTwice(p.Rec, c.S.Answers) || again(p)
		// what is deaf or gone had heard from other scripts as well; now one starts
		if !settled && !alone && c.Replace() {
			for _, x := range p.Rec.Exchanges {
				x.Step += recording.StepLost
			}
			served = race(c)
			settled = served || answeredTwice(p.Rec, c.S.Answers)
		}
		raced := c.S
		if !settled && p.Rec.Step(recording.StepBefore).Succeeded() {
			undisturbed(c)
		}
		if !c.S.Alive() || !served && c.S == raced {
			p.End(c.S) // nobody else is to get what is deaf or gone
		}
	},
}

// race sends a request, races others with their cancellations, and sends one more. It reports whether that is
// served. Where many are raced at once, and nothing came of it, that is done again: it is a matter of chance
// whether a request is just being answered when its cancellation is read.
func race(c *scenario.Client) (served bool) {
	const times, enough = 3, 2 * time.Second
	patience := c.Patience(3 * time.Second)
	before := c.Once(c.Ordinary(recording.StepBefore))
	n, began := races(c, before), time.Now()
	for i := range times {
		var pending []*session.Pending
		if together(c) {
			pending = raceTogether(c, i, n)
		} else {
			pending = raceApart(c, n, before.Took)
		}
		last := c.Ordinary(stepAfter)
		// one after the other, at the worst
		last.Timeout = max(patience, 3*time.Duration(len(pending)+1)*before.Took)
		after := c.S.Do(c, last)
		for _, one := range pending {
			one.Cancel()
			one.Finish()
		}
		over := after.Status == http.StatusNotFound && c.S.HTTPSession() != ""
		served = !over && !unserved(after)
		more := together(c) && i+1 < times && time.Since(began) < enough && after.Succeeded() &&
			!answeredTwice(c.Rec, c.S.Answers)
		if more {
			after.Step = stepBetween
		}
		c.Note(after)
		if !more {
			break
		}
	}
	return served
}

// answeredTwice reports whether requests that were cancelled, and they alone, have more than one response.
// That is wrong whatever follows it: why nothing is served any more need not be found out in further
// sessions.
func answeredTwice(r *recording.Recording, answers func(*recording.Exchange) int) bool {
	before := r.Step(recording.StepBefore)
	twice := func(x *recording.Exchange) bool { return answers(x) > 1 }
	return before != nil && !twice(before) && slices.ContainsFunc(r.Steps(stepRaced), twice)
}

// again reports whether the race is repeated where each session is a process: the first time has shown
// that nobody else is the reason, nor how much is said, so now it is enough to see the same again.
func again(p *scenario.Play) bool {
	return p.Limits.Patience > 1 && p.OnStdio()
}

// racing is a client for the race; alone says that nobody else has said anything to whoever may end. Where
// the end of a session says something, nothing has happened in it before that could be the reason. A process
// is started for it only when the one that others have used is not there any more.
func racing(p *scenario.Play) (c *scenario.Client, alone, ok bool) {
	if p.OnHTTP() && !p.Modern() {
		c, ok = p.Fresh(scenario.Probing)
		return c, !p.OneByOne, ok
	}
	c, ok = p.Expendable()
	return c, false, ok
}

// undisturbed says as much in another session as was said in one from the first ordinary request on, for as
// long as that lasted, and cancels nothing: a server may end because of how much is asked of it, or how long
// it lasts. Lists are asked for as often as there, and in place of the other messages stand requests whose
// answers are small.
func undisturbed(c *scenario.Client) {
	said := c.Transcript.Session(c.S.ID())
	before, until := c.Rec.Step(recording.StepBefore), c.Transcript.Now()
	if c.S.Alive() {
		until = c.Rec.Step(stepAfter).Sent // what it is silent to says nothing about how long it lasts
	}
	lasting := until - before.Sent
	if !c.Replace() {
		return
	}
	until = c.Transcript.Now() + lasting
	for _, f := range said {
		if f.Dir != wire.Out || f.Number < before.Request {
			continue
		}
		q := c.Ordinary(stepUndisturbed)
		if gjson.GetBytes(f.Raw, "method").Str != q.Method {
			q = session.Request{Step: stepUndisturbed, Method: c.LifeMethod()}
		}
		if c.Once(q).Outcome != recording.Replied {
			return
		}
	}
	c.Quiet(until - c.Transcript.Now())
	c.Once(c.Ordinary(stepUndisturbed))
}

// together reports whether requests are raced several at once.
func together(c *scenario.Client) bool {
	return !c.Modern() && c.OnStdio()
}

// raced is a request that is about to be cancelled.
func raced(c *scenario.Client) session.Request {
	q := c.Ordinary(stepRaced)
	q.Tags = recording.Tags{recording.TagCancelled: "yes"}
	return q
}

// raceApart sends requests one after the other, and the cancellation of each behind it: at once, then
// later and later, up to when the response is due. Where both travel on connections of their own,
// it would else be left to chance at which moment of a request its cancellation arrives.
func raceApart(c *scenario.Client, n int, took time.Duration) []*session.Pending {
	const least = 20 * time.Millisecond
	pending := make([]*session.Pending, n)
	for i := range pending {
		pending[i] = c.Start(raced(c))
		if byClosing(c) {
			pending[i].Cancel()
			continue
		}
		part := float64(i) / float64(n)
		// most of them early, as a response takes longest on its way
		c.Quiet(time.Duration(part * part * float64(took)))
		cancelled := c.Start(cancelling(pending[i].Exchange().ID))
		over(c, max(2*took, least), pending[i], cancelled)
		cancelled.Finish()
	}
	return pending
}

// over waits until the responses to messages have ended, but not for longer than a limit: a
// request that was cancelled need not be answered.
func over(ctx context.Context, limit time.Duration, all ...*session.Pending) {
	bounded, stop := context.WithTimeout(ctx, limit)
	defer stop()
	for _, one := range all {
		select {
		case <-one.HTTPEnded():
		case <-bounded.Done():
			return
		}
	}
}

// raceTogether writes several requests at once, each with its cancellation, under ids that no earlier round
// has had. A target that reads both in one go comes to the cancellation while it is busy with the request;
// were they written one by one, then on a busy machine either would be done with before the other is there.
func raceTogether(c *scenario.Client, round, n int) (pending []*session.Pending) {
	const pairs, most, least = 5, 8, 3
	first := 930_001 + round*most*pairs
	writes := min(max(n/pairs, least), most)
	for id := first; id < first+writes*pairs; id += pairs {
		var batch []session.Request
		for i := range pairs {
			q := raced(c)
			q.ID = json.RawMessage(strconv.Itoa(id + i))
			batch = append(batch, q, cancelling(q.ID))
		}
		for i, one := range c.S.StartTogether(c, batch...) {
			c.Note(one.Exchange())
			if i%2 == 0 {
				pending = append(pending, one)
			} else {
				one.Finish()
			}
		}
	}
	return pending
}

// cancelling is the cancellation of a request, for which nobody waits.
func cancelling(id json.RawMessage) session.Request {
	q := cancellation(recording.StepCancel, map[string]any{"requestId": id})
	q.NoAwait = true
	return q
}

// races is how many requests are raced: few hit the moment at which a response is under way, but
// where responses are long or slow a run could not keep, or wait for, many.
func races(c *scenario.Client, before *recording.Exchange) int {
	const least, volume, waiting = 5, 4 << 20, 6 * time.Second
	most := 24
	switch {
	case c.Brief() && !together(c):
		most = 8
	case !c.Modern():
		most = 40
	}
	most *= max(c.Limits.Patience, 1) // a repetition is to meet the same moment again
	size := 1
	for _, f := range c.S.Incoming(before.Request) {
		size += f.Size
	}
	return min(max(min(volume/size, int(waiting/max(before.Took, time.Microsecond))), least), most)
}

// byClosing reports whether a request is cancelled by closing its stream.
func byClosing(c *scenario.Client) bool {
	return c.Modern() && c.OnHTTP()
}

// cancel cancels a request as a client does.
func cancel(c *scenario.Client, pending *session.Pending) {
	if byClosing(c) {
		pending.Cancel()
		return
	}
	c.Once(cancelling(pending.Exchange().ID))
}

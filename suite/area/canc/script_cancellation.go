package canc

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// cancellation is a notifications/cancelled with these params.
func cancellation(step recording.Step, params any) session.Request {
	return session.Request{Step: step, Method: "notifications/cancelled", Notification: true, Params: params}
}

// unknownID is the id of a request that is cancelled before it is made: a number, as a server that does
// not answer under strings breaks something else.
const unknownID = 900006

// longerID is the id of a read under way. It begins with unknownID, and as a string, under which nothing is
// made, it is cancelled as well.
const longerID = "9000060"

// Steps "done" are requests that are answered: an ordinary one and, but for sessions over HTTP, which may end
// after a few messages, one that every target serves, a read and, where there are subscriptions, one of them,
// which step "unsubscribe" gives up at the end. Then come cancellations: steps "finished"
// name those requests, "unknown" one that was never made, "no-id" none, "object-id" an
// object, and "no-params" has no params at all. Where a resource is known to be slow, but not too slow for
// those who do one thing after the other, step "under-way" is a read of it meanwhile, which none of
// them names, under an id that begins with the one that "unknown" names at first, and is as a string the one
// that it names then, and in modern revisions on stdio step "listen" is a subscription that stands (tag
// "ended": no longer). "elsewhere" is one in another session, under the id that "unknown" names at first. If
// the session is lost, each request that was made in it is repeated in one of its own, and cancelled when it
// is answered. Step "after" is a request at the end, and "named" one that has the id which "unknown" named
// before there was such a request. If the slow read came to nothing, step "undisturbed" is the same in a
// session in which nothing is cancelled.
var oddCancellationsScenario = &scenario.Scenario{
	Name:  OddCancellations,
	Title: "cancellations without effect",
	Sends: "An ordinary request and, but for sessions over HTTP, one that every target serves, a read and " +
		"a subscription of what is read, and cancellations of them when they are answered already, of one " +
		"that was never made, without an id, with an object as id, and without params, during a slow read " +
		"if there is one, and a subscription in 2026-07-28 on stdio; then an ordinary request, one with " +
		"the id that was cancelled before it was made, and the slow read in another session if it came to " +
		"nothing. In a legacy session over HTTP, another client reads the slow resource meanwhile, under " +
		"an id that the first one cancels.",
	In:    scenario.Expendable,
	After: verdict.Reads,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		c.Do(c.Ordinary(stepDone))
		var more []session.Request
		if c.S.HTTPSession() == "" {
			more = toFinish(c)
		}
		c.DoEach(more...)
		var cancellations []session.Request
		for _, x := range c.Rec.Steps(stepDone) {
			cancellations = append(cancellations, cancellationOfDone(x))
		}
		standing := standing(c)
		var underWay *session.Pending
		elsewhere := func() *session.Pending { return nil }
		if slow := c.Target.Subjects.Slow; slow != nil && slow.AtLeast < c.Limits.Timeout/4 {
			elsewhere = anothersRead(c)
			q := slowly(c, stepUnderWay)
			q.ID = json.RawMessage(longerID)
			underWay = c.Start(q)
		}
		used := c.S
		c.Probes(append(cancellations, cancellation(stepUnknown, map[string]any{"requestId": unknownID}),
			cancellation(stepUnknown, map[string]any{"requestId": longerID}),
			cancellation(stepNoID, map[string]any{"reason": "no request is named"}),
			cancellation(stepObjectID, map[string]any{"requestId": map[string]any{}}),
			cancellation(stepNoParams, nil))...)
		if c.S != used {
			for _, q := range append(more, c.Ordinary(stepDone)) {
				c.ProbeAfter(q, cancellationOfDone)
			}
		}
		others := elsewhere()
		if underWay != nil {
			underWay.Wait(c)
		}
		if c.Do(c.Ordinary(stepAfter)).Succeeded() {
			named := c.Ordinary(stepNamed)
			named.ID = json.RawMessage(strconv.Itoa(unknownID))
			c.Do(named)
		}
		if standing != nil {
			endStanding(c, standing)
		}
		for _, q := range more {
			if q.Method == "resources/subscribe" {
				c.Do(session.Request{Step: recording.StepUnsubscribe, Method: "resources/unsubscribe",
					Params: q.Params})
			}
		}
		if underWay != nil {
			undisturbedRead(c, underWay, others)
		}
	}),
}

// anothersRead begins a slow read of another client's, under an id that a cancellation names in a session
// where there is no such request; what it returns waits for the answer. On stdio another client has another
// process, and without sessions clients are not told apart.
func anothersRead(c *scenario.Client) (wait func() *session.Pending) {
	nothing := func() *session.Pending { return nil }
	if c.Modern() || c.OnStdio() || len(c.Sessionless()) > 0 || c.Limited() {
		return nothing
	}
	other, ok := c.Fresh(scenario.Probing)
	if !ok {
		return nothing
	}
	q := slowly(c, stepElsewhere)
	q.ID = json.RawMessage(strconv.Itoa(unknownID))
	read := other.S.Start(c, q)
	// what comes on another connection may overtake it
	other.Quiet(min(c.Target.Subjects.Slow.AtLeast/4, 50*time.Millisecond))
	return func() *session.Pending {
		other.Note(read.Wait(c))
		return read
	}
}

// undisturbedRead repeats a slow read in a session in which nothing is cancelled, if one that may have been
// disturbed came to nothing.
func undisturbedRead(c *scenario.Client, disturbed ...*session.Pending) {
	fails := func(one *session.Pending) bool { return one != nil && !one.Wait(c).Succeeded() }
	if !slices.ContainsFunc(disturbed, fails) || c.Limited() {
		return
	}
	if c, ok := c.Fresh(scenario.Probing); ok {
		c.Once(slowly(c, stepUndisturbed))
	}
}

// cancellationOfDone is the cancellation of a request that is answered.
func cancellationOfDone(x *recording.Exchange) session.Request {
	id := x.ID
	if len(id) == 0 {
		id = json.RawMessage("900005")
	}
	return cancellation(stepFinished, map[string]any{"requestId": id})
}

// toFinish are requests of other kinds than an ordinary one.
func toFinish(c *scenario.Client) []session.Request {
	all := []session.Request{{Step: stepDone, Method: c.LifeMethod()}}
	uri := c.Readable()
	if slow := c.Target.Subjects.Slow; uri == "" || slow != nil && slow.URI == uri {
		return all
	}
	all = append(all, scenario.About(stepDone, "resources/read", uri))
	if !c.Modern() && c.Facts.Declares("resources.subscribe") {
		all = append(all, scenario.About(stepDone, "resources/subscribe", uri))
	}
	return all
}

// standing is a subscription that no cancellation names, where one channel carries all messages; nil if there
// is none.
func standing(c *scenario.Client) *session.Stream {
	if !c.Modern() || !c.OnStdio() || !c.Facts.Declares("resources.listChanged") {
		return nil
	}
	st := c.S.Listen(c, recording.StepListen, session.Filter{ListChanged: true},
		session.Request{Timeout: c.Limits.UpTo(2 * time.Second), Tags: recording.Tags{}})
	if st.Ack == nil || scenario.Answered(st) {
		c.Note(st.Stop(c))
		return nil
	}
	return st
}

// endStanding ends a subscription, and notes whether the target had ended it before.
func endStanding(c *scenario.Client, st *session.Stream) {
	if scenario.Answered(st) && st.Cut() == "" {
		st.Exchange().Tags[scenario.TagEnded] = "yes"
	}
	c.Note(st.Stop(c))
}

// slow leaves out targets without a resource that is slow to read.
var slow = scenario.Where(func(p *scenario.Play) bool { return p.Target.Subjects.Slow != nil },
	recording.CodeNeedsConfig, "the target file has to name a resource that is slow to read (subjects.slow)")

// slowly is a read of the slow resource.
func slowly(c *scenario.Client, step recording.Step) session.Request {
	return scenario.About(step, "resources/read", c.Target.Subjects.Slow.URI)
}

// slowRead is one that is to be cancelled, with a progress token.
func slowRead(c *scenario.Client, step recording.Step) session.Request {
	q := slowly(c, step)
	q.Meta, q.Tags = map[string]any{"progressToken": "mcpcheck-" + string(step)},
		recording.Tags{recording.TagCancelled: "yes"}
	return q
}

// underway lets time pass until a slow read is certainly under way, and certainly
// not done.
func underway(c *scenario.Client) {
	c.Quiet(min(c.Target.Subjects.Slow.AtLeast/4, 250*time.Millisecond))
}

// Step "slow" is a slow read with a progress token. It is cancelled by step
// "cancel" after the mark "cancelling"; then the script waits for longer than the
// read takes. The tag "grace" is how long something may still follow. Step "under-way" is the same read,
// which is not cancelled; if it comes to nothing, "undisturbed" is one in another session.
var cancelledReadScenario = &scenario.Scenario{
	Name:  CancelledRead,
	Title: "cancelling a slow read",
	Sends: "Two slow reads, and the cancellation of the first while both are under way; then silence is " +
		"watched.",
	Phase: scenario.Quiet,
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool { return !p.Modern() || !p.OnHTTP() },
			recording.CodeCombination,
			"over HTTP a request is cancelled by closing its stream: nothing can come after that"),
		slow,
	),
	Script: scenario.OnFresh(session.Options{}, func(c *scenario.Client) {
		q := slowRead(c, stepSlow)
		q.Tags[tagGrace] = min(c.Target.Subjects.Slow.AtLeast/4, 500*time.Millisecond).String()
		pending := c.Start(q)
		beside := slowly(c, stepUnderWay)
		beside.Tags = recording.Tags{recording.TagCancelled: "yes"} // should the cancellation take it along
		other := c.Start(beside)
		underway(c)
		c.Mark(markCancelling)
		cancel(c, pending)
		c.Quiet(min(c.Target.Subjects.Slow.AtLeast*3/2, 10*time.Second) + c.Limits.QuietWindow)
		pending.Finish()
		pending.Cancel()
		undisturbedRead(c, other)
	}),
}

// Steps "dropped" are slow reads whose streams are closed while they are under way.
// Step "after" is a request at the end.
var droppedReadsScenario = &scenario.Scenario{
	Name:  DroppedReads,
	Title: "dropping many slow reads",
	Sends: "Many slow reads whose streams are closed while they are under way, and an ordinary request at " +
		"the end.",
	Phase: scenario.Destructive,
	In:    scenario.Expendable,
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool { return p.Modern() && p.OnHTTP() },
			recording.CodeCombination,
			"only in modern revisions over HTTP a closed stream cancels a request"),
		slow,
	),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		const reads = 100
		pending := make([]*session.Pending, reads)
		for i := range pending {
			pending[i] = c.Start(slowRead(c, stepDropped))
		}
		underway(c)
		for _, one := range pending {
			one.Cancel()
			one.Finish()
		}
		underway(c) // the target has noticed it by then
		c.Once(c.Ordinary(stepAfter))
	}),
}

// Step "slow" is a slow read over Streamable HTTP whose stream is closed after its
// first event with an id, which the tag "event" of step "resume" names: a GET
// with Last-Event-ID, which is repeated where its stream ends before the response.
var resumedReadScenario = &scenario.Scenario{
	Name:  ResumedRead,
	Title: "resuming a slow read",
	Sends: "A slow read whose stream is closed after its first event, and a GET with Last-Event-ID, again " +
		"up to three times where that stream ends early.",
	Phase: scenario.Quiet,
	In:    scenario.Expendable,
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool { return !p.Modern() && p.OnHTTP() },
			recording.CodeCombination,
			"it is about resumable streams, which only Streamable HTTP up to 2025-11-25 has"),
		slow,
	),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		pending, event, seen := untilEvent(c)
		// the session that others had used is over
		if x := pending.Exchange(); x.Status == http.StatusNotFound && c.Replace() {
			x.Step += recording.StepLost
			pending, event, seen = untilEvent(c)
		}
		if !seen {
			c.Skip(recording.CodeNotExercised,
				"the read was answered before an event with an id: its stream cannot be resumed")
			return
		}
		pending.Cancel()
		resumed(c, pending, event.Event.ID)
		pending.Finish()
	}),
}

// resumed waits for the answer to a read on the streams that go on behind an event. A server may end these
// before the answer, too, for the client to come back after the time of their last retry field: it does so up
// to three times, in all longer than the read takes.
func resumed(c *scenario.Client, pending *session.Pending, last string) {
	const attempts = 3
	slow := c.Target.Subjects.Slow.AtLeast
	timer := time.NewTimer(slow + c.Limits.Timeout)
	defer timer.Stop()
	for range attempts {
		over := false
		resume := c.Start(session.Request{Step: recording.StepResume, HTTPMethod: http.MethodGet,
			Header: map[string]string{session.HeaderLastEventID: last},
			Tags:   recording.Tags{tagEvent: last, tagRequest: string(pending.Exchange().ID)}})
		select {
		case <-pending.Answered():
			over = true
		case <-resume.Ended():
		case <-timer.C:
			over = true
		case <-c.Done():
			over = true
		}
		resume.Cancel()
		id, wait := resume.LastEvent()
		if x := resume.Finish(); over || x.Status != http.StatusOK {
			return
		}
		if id != "" {
			last = id
		}
		select {
		case <-pending.Answered():
			return
		default:
			c.Quiet(max(wait, slow/2))
		}
	}
}

// untilEvent starts a slow read and waits for its first event with an id; seen is false if the read was
// answered before: then it is too late to drop its stream.
func untilEvent(c *scenario.Client) (pending *session.Pending, event *wire.Frame, seen bool) {
	after := c.S.Last()
	pending = c.Start(slowRead(c, stepSlow))
	event, seen = c.S.Await(c, after, c.Target.Subjects.Slow.AtLeast+c.Limits.QuietWindow,
		func(f *wire.Frame) bool {
			return f.Event != nil && f.Event.HasID && f.Event.ID != ""
		})
	select {
	case <-pending.Answered():
		seen = false
	default:
	}
	if !seen {
		pending.Wait(c)
	}
	return pending, event, seen
}

// Step "first" opens and closes a listen stream, steps "listen" many more of them.
// Step "last" opens one more; the tag "acknowledged" says of each that it was.
// Step "after" is an ordinary request.
var listenChurnScenario = &scenario.Scenario{
	Name:  ListenChurn,
	Title: "opening and closing listen streams",
	Sends: "Many listen streams, opened and closed again, and one more that has to be acknowledged.",
	Phase: scenario.Destructive,
	In:    scenario.Expendable,
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool { return p.Modern() && p.OnHTTP() },
			recording.CodeCombination, "it is about the streams of modern revisions over HTTP"),
		scenario.Declared("resources.listChanged"),
	),
	Script: func(p *scenario.Play) {
		c, ok := p.Expendable()
		if !ok || !listenOnce(c, stepFirst) {
			return
		}
		p.Establish(recording.FactListens, "yes")
		scenario.Each(c, make([]struct{}, 40),
			func(_ int, _ struct{}, c *scenario.Client) { listenOnce(c, recording.StepListen) })
		listenOnce(c, stepLast)
		c.Once(p.Ordinary(stepAfter))
	},
}

// listenOnce opens a listen stream and closes it, and reports whether it was
// acknowledged.
func listenOnce(c *scenario.Client, step recording.Step) bool {
	st := c.S.Listen(c, step, session.Filter{ListChanged: true},
		session.Request{Timeout: c.Limits.UpTo(2 * time.Second), Tags: recording.Tags{}})
	if st.Ack != nil {
		st.Exchange().Tags[tagAcknowledged] = "yes"
	}
	c.Note(st.Stop(c))
	return st.Ack != nil
}

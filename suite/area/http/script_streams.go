package http

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// lingering is how long a stream may stay open after the answer before it counts
// as not ended.
const lingering = 2 * time.Second

// The stream that GET opens (legacy revisions) is open as long as the other requests last. A response
// without a head is waited for in full, and then the session is ended ("delete"). The tag
// "open" is set on those whose event stream was still open two seconds after the answer.
var httpStreamsScenario = &scenario.Scenario{
	Name:  HTTPStreams,
	Title: "watching the event streams of requests and of GET",
	Sends: "A GET stream, if there is one, and lists and reads with progress tokens beside it, also a " +
		"read of what does not exist; their streams are watched for what does not belong there.",
	Phase: scenario.Quiet,
	In:    scenario.Own,
	After: verdict.Reads,
	When:  scenario.OverHTTP,
	Script: scenario.OnFresh(session.Options{}, func(c *scenario.Client) {
		stream := c.S.OpenStream(c, stepGet)
		all := []session.Request{c.Ordinary(recording.StepList)}
		if c.Facts.Declares("resources") {
			all = append(all, session.Request{Step: stepTemplates, Method: "resources/templates/list"})
		}
		if uri := c.Readable(); uri != "" {
			all = append(all, scenario.ReadRequest(recording.StepRead, uri, "mcpcheck-progress-read"))
			// What fails may end by another way than what succeeds.
			all = append(all, scenario.ReadRequest(stepMissing,
				cmp.Or(scenario.NoSuch(uri), "x-mcpcheck-7b4e91:no-such-resource"),
				"mcpcheck-progress-missing"))
		}
		if slow := c.Target.Subjects.Slow; slow != nil {
			all = append(all, scenario.ReadRequest(stepSlow, slow.URI, "mcpcheck-progress-slow"))
		}
		scenario.Each(c, all, func(_ int, q session.Request, c *scenario.Client) { streamed(c, q) })
		if stream != nil {
			if stream.Status() == 0 {
				stream.Exchange().Tags = recording.Tags{tagLate: "yes"}
			}
			if stream.Open() || stream.Status() == 0 && stream.Head(c, c.Limits.Timeout) {
				c.Quiet(c.Limits.QuietWindow)
			} else if stream.Status() == 0 {
				// Some write it with the first event only, or when the stream ends with the session.
				c.Do(session.Request{Step: scenario.StepDelete, HTTPMethod: http.MethodDelete})
				stream.Head(c, lingering)
			}
			c.Drop(stream)
		}
	}),
}

// streamed sends a request and, if it is answered by an event stream, waits for
// the end of the stream.
func streamed(c *scenario.Client, q session.Request) {
	if q.Tags == nil {
		q.Tags = recording.Tags{}
	}
	pending := c.Start(q)
	x := pending.Wait(c)
	if x.Conflict() {
		c.Do(q) // which waits until nothing else is under way
		return
	}
	if x.Outcome != recording.Replied || pending.Ended() == nil {
		return
	}
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-pending.Ended():
	case <-timer.C:
		x.Tags[recording.TagOpen] = "yes"
		pending.Cancel()
	case <-c.Done():
	}
}

// Steps "crowd" are streams that stand at the same time, opened by GET or by listen requests, as many as the
// target takes, "crowded" is a request beside them, and "relieved" one after they are ended.
var httpCrowdScenario = &scenario.Scenario{
	Name:  HTTPCrowd,
	Title: "a request beside several open streams",
	Sends: "Six streams that stand at the same time, opened by GET or, in 2026-07-28, by listen requests, " +
		"an ordinary request beside them and, if that is not answered, one after their end.",
	Phase: scenario.Mutate, // who serves nothing beside them keeps others waiting as well
	In:    scenario.Expendable,
	When:  scenario.OverHTTP,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		if c.Limited() {
			c.Skip(recording.CodeNotExercised, "streams do not stand side by side")
			return
		}
		const most = 6
		var all []*session.Stream
		for range most {
			one := c.S.OpenStream(c, stepCrowd)
			if c.Modern() {
				one = c.S.Listen(c, stepCrowd, session.Filter{ListChanged: true}, session.Request{})
			}
			if !one.Open() {
				c.Drop(one)
				break
			}
			all = append(all, one)
		}
		ask := func(step recording.Step) *recording.Exchange {
			q := c.Ordinary(step)
			q.Tags = recording.Tags{tagStreams: strconv.Itoa(len(all))}
			return c.Once(q)
		}
		x := ask(stepCrowded)
		for _, one := range all {
			c.Drop(one)
		}
		if !x.Succeeded() {
			ask(stepRelieved)
		}
	}),
}

var httpBroadcastScenario = &scenario.Scenario{
	Name:  HTTPBroadcast,
	Title: "watching two streams for one change",
	Sends: "Two GET streams in one session, a subscription, and one change of the resource.",
	Phase: scenario.Mutate,
	After: recording.Names{recording.Changes},
	When: scenario.All(
		scenario.OverLegacyHTTP,
		scenario.Declared("resources.subscribe"),
		scenario.Where(func(p *scenario.Play) bool { return p.Target.Triggers.Update != nil },
			recording.CodeNeedsConfig,
			"the target file has to give a trigger that changes a resource (triggers.update)"),
	),
	Script: scenario.OnFresh(session.Options{}, func(c *scenario.Client) {
		uri := c.Target.Triggers.Update.URI
		changes := c.Earlier(recording.Changes)
		subscribed := changes.Step(recording.StepSubscribe)
		if _, changed := changes.Mark(recording.MarkUpdate); changed && subscribed != nil &&
			subscribed.Succeeded() &&
			subscribed.Tags[scenario.TagTold] == "no" {
			c.Skip(recording.CodeNotExercised, "no update came when one was due")
			return
		}
		one, two := c.S.OpenStream(c, stepGet1), c.S.OpenStream(c, stepGet2)
		x := c.Do(scenario.About(recording.StepSubscribe, "resources/subscribe", uri))
		if x.Succeeded() && one.Open() && two.Open() {
			after := c.Mark(markTriggered)
			if c.Fire(c.Target.Triggers.Update) {
				c.S.Await(c, after, c.Limits.Timeout, func(f *wire.Frame) bool {
					return f.Dir == wire.In && len(f.Raw) > 0
				})
				c.Quiet(c.Limits.QuietWindow)
			}
		}
		c.Drop(one)
		c.Drop(two)
	}),
}

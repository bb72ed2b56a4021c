package sse

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Steps "first" and "second" are requests whose event streams are to be told
// apart; "json" are those of other kinds, which were answered without event ids. If the first one's events
// have ids, "resume" asks for what came after its first event. Where that is served, "other" is another
// request in another session, under the id of the first, if the target keeps sessions; "resume-last" asks for
// what came after the last event that answered the first, "resume-unknown" names an event that never was,
// "resume-raised" one with a much higher number than any had, and "resume-elsewhere" asks for the same as
// "resume" in the other session. "listen" is a stream by GET; if an event on it has an id, "third" is a
// request after its end, and "listen-again" asks for what came after that event. The tag "id" is the event
// that is named.
var httpResumeScenario = &scenario.Scenario{
	Name:  recording.HTTPResume,
	Title: "resuming a stream",
	Sends: "Two requests with event streams, and, if events have ids, GET with Last-Event-ID, in their " +
		"session and in another one, where another request has the id of the first; " +
		"also with the id of an event that never was, and with a real one whose number is raised. A GET " +
		"stream that is dropped and, if events on it have ids, asked for again behind another request.",
	Phase: scenario.Quiet,
	In:    scenario.Own,
	After: verdict.Reads,
	When:  scenario.OverLegacyHTTP,
	Script: scenario.OnFresh(scenario.Probing, func(c *scenario.Client) {
		listened := besideListening(c)
		x, ids := streamed(c)
		if len(ids) == 0 {
			if !listened() {
				c.Skip(recording.CodeNotExercised,
					"the events that answer requests have no ids, nor has one on a stream by GET")
			}
			return
		}
		asked := time.Now()
		all := resumptions{{c, c.S.Peek(c, resume(recording.StepResume, ids[0]), c.Limits.Timeout)}}
		took := time.Since(asked)
		if all[0].stream.Status() == http.StatusOK && !c.Limited() {
			other := otherSession(c, x)
			all.ask(c, resume(stepLast, ids[len(ids)-1]))
			all.ask(c, resume(stepUnknown, strangeEvent))
			if last := ids[len(ids)-1]; scenario.Raised(last) != last {
				all.ask(c, resume(stepRaised, scenario.Raised(last)))
			}
			if other != nil {
				all.ask(other, resume(stepElsewhere, ids[0]))
			}
		}
		all.watch(c.Play, took)
		listened()
	}),
}

// streamed makes two requests that are answered by events with ids, of the first kind of which that is seen:
// a slow read, what every target serves, and a read that was answered by a stream before. It returns the
// first of them.
func streamed(c *scenario.Client) (x *recording.Exchange, ids []string) {
	kinds := []func(step recording.Step) session.Request{c.Ordinary}
	if slow := c.Target.Subjects.Slow; slow != nil && slow.Progress {
		kinds = slices.Insert(kinds, 0, func(step recording.Step) session.Request {
			return scenario.ReadRequest(step, slow.URI, "mcpcheck-progress-"+string(step))
		})
	}
	if r := c.Earlier(recording.Reads); r != nil {
		for _, read := range r.Steps(recording.StepRead) {
			if uri := read.URI(); read.Succeeded() &&
				read.EventStream() {
				kinds = append(kinds, func(step recording.Step) session.Request {
					return scenario.About(step, "resources/read", uri)
				})
				break
			}
		}
	}
	for _, kind := range kinds {
		x = c.Do(kind(stepFirst))
		if ids = eventIDs(c, x); len(ids) > 0 {
			c.Do(kind(stepSecond))
			break
		}
		x.Step = stepJSON
	}
	return x, ids
}

// besideListening has [resumedListening] go on in its own session meanwhile, or else in this one when it
// is waited for.
func besideListening(c *scenario.Client) (listened func() bool) {
	here := func() bool { return resumedListening(c) }
	if c.S.HTTPSession() == "" || c.Limited() {
		return here
	}
	other, ok := c.Fresh(scenario.Probing)
	if !ok {
		return here
	}
	result := make(chan bool, 1)
	go func() {
		defer close(result)
		defer c.Survive()
		result <- resumedListening(other)
	}()
	return func() bool { return <-result }
}

// resumedListening opens a stream by GET and, if an event on it had an id, drops it, makes another request,
// and asks for what came after that event. It reports whether it did.
func resumedListening(c *scenario.Client) bool {
	after := c.S.Last()
	st := c.S.OpenStream(c, stepListen)
	if st.Open() { // where nothing happens, an id can only come at the beginning
		c.S.Await(c, after, c.Limits.QuietWindow/3, func(f *wire.Frame) bool {
			return hasID(f) && strings.HasPrefix(f.Channel, "get:")
		})
	}
	id, _ := st.LastEvent()
	c.Drop(st)
	if id == "" || c.Limited() {
		return false
	}
	c.Do(c.Ordinary(stepThird))
	again := resumptions{}
	began := time.Now()
	again.ask(c, resume(stepListenAgain, id))
	again.watch(c.Play, time.Since(began))
	return true
}

func hasID(f *wire.Frame) bool { return f.Event != nil && f.Event.HasID && f.Event.ID != "" }

// strangeEvent is the id of no event.
const strangeEvent = "mcpcheck-7b4e91-never-sent"

// otherSession opens a session beside one, if that is one, and makes another request under the id of one made
// there.
func otherSession(c *scenario.Client, x *recording.Exchange) *scenario.Client {
	if c.S.HTTPSession() == "" {
		return nil
	}
	other, ok := c.Fresh(scenario.Probing)
	if !ok {
		return nil
	}
	other.Do(session.Request{Step: stepOther, Method: "resources/templates/list", ID: x.ID})
	return other
}

// resumptions are streams that were asked for by the id of an event.
type resumptions []resumption

type resumption struct {
	c      *scenario.Client
	stream *session.Stream
}

// ask asks for one more, and does not wait for the head of the response: that may come with the first event.
func (all *resumptions) ask(c *scenario.Client, q session.Request) {
	*all = append(*all, resumption{c, &session.Stream{Pending: c.S.Start(c, q)}})
}

// watch listens to each until it has ended, at most for a window of silence after its head, and ends them.
// What is replayed comes at once: the window is no longer than many times what the head of the first one
// took, and in a repetition twice as long. Heads are waited for several times as long as that, at least for
// such a window.
func (all resumptions) watch(p *scenario.Play, took time.Duration) {
	const times, part = 5, 3
	window := min(p.Limits.QuietWindow,
		time.Duration(max(p.Limits.Patience, 1))*max(p.Limits.QuietWindow/part, 2*times*took))
	var watched sync.WaitGroup
	for _, one := range all {
		watched.Go(func() {
			if one.stream.Head(p, p.Limits.UpTo(max(window, times*took))); one.stream.Status() == 0 {
				return
			}
			silence, done := context.WithTimeout(p, window)
			defer done()
			select {
			case <-one.stream.HTTPEnded():
			case <-silence.Done():
			}
		})
	}
	watched.Wait()
	for _, one := range all {
		one.c.Drop(one.stream)
	}
}

// resume is a request for what came after an event.
func resume(step recording.Step, id string) session.Request {
	return session.Request{Step: step, HTTPMethod: http.MethodGet, Tags: recording.Tags{tagID: id},
		Header: map[string]string{session.HeaderLastEventID: id}}
}

// eventIDs are the ids of the events that answered a request.
func eventIDs(c *scenario.Client, x *recording.Exchange) []string {
	own := map[int]bool{}
	for _, n := range c.S.Evidence(x) {
		own[n] = true
	}
	var ids []string
	for _, f := range c.S.Incoming(0) {
		if own[f.Number] && hasID(&f) {
			ids = append(ids, f.Event.ID)
		}
	}
	return ids
}

// Step "open" is the GET that opens the event stream of HTTP+SSE, as a plain HTTP
// request. It ends when the first event with data has come. The tag "url" is the
// address of the stream, without credentials.
var sseEndpointScenario = &scenario.Scenario{
	Name:  SSEEndpoint,
	Title: "opening the event stream of HTTP+SSE by hand",
	Sends: "A plain GET that opens the event stream of HTTP+SSE, up to its first event.",
	When: scenario.Where(func(p *scenario.Play) bool {
		return p.Combination.Transport == requirement.SSE && p.Combination.Defined()
	}, recording.CodeCombination, "the scenario is about HTTP+SSE"),
	Script: func(p *scenario.Play) {
		c, ok := p.PlainHTTP(target.DialOptions{})
		if !ok {
			return
		}
		st := c.S.Peek(p, session.Request{Step: stepOpen, HTTPMethod: http.MethodGet,
			Tags: recording.Tags{tagURL: p.Address().Redacted()}}, p.Limits.StartTimeout)
		if st.Open() {
			c.S.Await(p, 0, p.Limits.Timeout, func(f *wire.Frame) bool {
				return f.Event != nil && f.Event.Type == "endpoint"
			})
		}
		c.Drop(st)
	},
}

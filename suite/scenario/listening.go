package scenario

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// manySubscriptions is how many listed resources one listen request names.
const manySubscriptions = 100

// Steps "listen" open streams, of which the first, on stdio, is not cancelled at the end
// but goes with the connection: what connects later is not to inherit it; the tag "name" says for what:
// "full" is all that the target declares, "list" the list alone, "uris" two resources, "unsupported"
// what the target does not declare (listed in the tag "unsupported") beside
// something that it does. Further tags: "ack" is the number of the frame that
// acknowledged it; "ended" the time in milliseconds after which the stream had
// ended, or was found so, if it was; "alive" is set on a stream that was neither acknowledged
// nor refused, if the target answered a request after it; "listed" and
// "templates" are the sizes of the lists; on stdio the stream "uris" is cancelled before silence is
// watched, its tag "stopped" is the number of the last frame before, and "settled" a request right after.
// Steps "before" and "during" are ordinary requests, before and while the streams stand, and "first-discover"
// opens the connection; those meanwhile ask for progress and, where logging is declared, for log messages. On
// Streamable HTTP the stream "uris" is another client's, under the id of "full". At last steps "compare" read
// a few of the resources that are watched. One that yields something else than in the beginning is read once
// more as "unchanged", whose tag "heard" is set if an update follows, and as "later" if none does.
var listeningScenario = &Scenario{
	Name:  recording.Listening,
	Title: "listening while nothing happens",
	Sends: "On a connection that begins with discovery listen streams for all that is declared, for " +
		"the list " +
		"alone, for two resources, and for what is not declared; ordinary requests before and " +
		"meanwhile, and " +
		"reads of a few resources.",
	Waits: true, // nobody else talks in its session
	After: []recording.Name{recording.WalkResources, recording.WalkTemplates, recording.Reads},
	When:  InModern,
	Script: func(p *Play) {
		c, ok := p.Fresh(session.Options{})
		if !ok {
			return
		}
		c.first(session.Request{Step: StepFirstDiscover, Method: "server/discover"})
		c.Do(session.Request{Step: recording.StepBefore, Method: "server/discover"})
		var open streams
		defer func() { open.leave(p) }()
		for _, f := range p.filters() {
			st := c.listenApart(f)
			open.add(st)
			if st.Ack == nil && !Answered(st) {
				return // the others would take as long
			}
		}
		c.meanwhile()
		open.look()
		open.stopOne(c)
		c.Quiet(p.Limits.QuietWindow)
		open.look()
		c.untold(open)
	},
}

// untold waits for an update of a resource that is watched and not what it was in the beginning, if there is
// one.
func (c *Client) untold(open streams) {
	const few = 8
	i := slices.IndexFunc(open, func(st *session.Stream) bool {
		return st.Exchange().Tags[recording.TagName] == "full" && st.Ack != nil &&
			st.Exchange().Tags[TagEnded] == ""
	})
	if i < 0 {
		return
	}
	uris := Acknowledged(open[i].Ack.Raw)
	w := &selfWatch{p: c.Play, c: c, accepted: uris[:min(len(uris), few)], patience: time.Second}
	if w.uri = w.different(); w.uri != "" {
		w.watch("untold")
	}
}

// listenApart opens a stream, one of them as another client would, under an id that is in use: the ids of two
// clients have nothing to do with each other.
func (c *Client) listenApart(f Filter) *session.Stream {
	if f.Name != "uris" || !c.OnHTTP() || c.Limited() {
		return c.Listen(f)
	}
	other, ok := c.Fresh(session.Options{})
	if !ok {
		return c.Listen(f)
	}
	f.ID = digitsOnly
	return other.Listen(f)
}

// digitsOnly is an id, in JSON, that is a string and easily taken for a number.
const digitsOnly = `"90071"`

// Filter is a listen request to be sent.
type Filter struct {
	Name string
	// who tells sessions apart; empty if there is only one.
	who    string
	ID     string // JSON; empty means one of the session's own
	tags   recording.Tags
	Filter session.Filter
}

// filters lists the listen requests that make sense with what is declared.
func (p *Play) filters() []Filter {
	changes := p.Facts.Declares("resources.listChanged")
	var uris []string
	if p.Facts.Declares("resources.subscribe") {
		for _, l := range Sample(p.Resources(), manySubscriptions) {
			uris = append(uris, l.URI())
		}
	}
	tags := recording.Tags{recording.TagListed: strconv.Itoa(len(p.AllResources())),
		TagTemplates: strconv.Itoa(len(p.AllTemplates()))}
	var all []Filter
	if changes || len(uris) > 0 {
		all = append(all, Filter{Name: "full", ID: digitsOnly, tags: tags, Filter: session.Filter{URIs: uris,
			ListChanged: changes}})
	}
	if changes {
		all = append(all, Filter{Name: "list", Filter: session.Filter{ListChanged: true}})
	}
	if len(uris) > 0 {
		all = append(all, Filter{Name: "uris", Filter: session.Filter{URIs: uris[:min(2, len(uris))]}})
	}
	if f, ok := p.unsupportedFilter(uris, changes); ok {
		all = append(all, f)
	}
	return all
}

// unsupportedFilter asks for what is not declared, and for something that is, so
// that there is no reason to refuse the request as a whole.
func (p *Play) unsupportedFilter(uris []string, changes bool) (Filter, bool) {
	f := session.Filter{ListChanged: changes, Further: map[string]any{}}
	if len(uris) > 0 { // the second one, which others watch behind the first
		f.URIs = uris[min(1, len(uris)-1):][:1]
	}
	var unsupported []string
	add := func(member string, value any) {
		unsupported = append(unsupported, member)
		f.Further[member] = value
	}
	for _, feature := range []string{"tools", "prompts"} {
		if !p.Facts.Declares(feature + ".listChanged") {
			add(feature+"ListChanged", true)
		}
	}
	if !changes {
		add("resourcesListChanged", true)
	}
	if all := p.Resources(); !p.Facts.Declares("resources.subscribe") && len(all) > 0 {
		add("resourceSubscriptions", []string{all[0].URI()})
	}
	return Filter{Name: "unsupported", tags: recording.Tags{TagUnsupported: strings.Join(unsupported, " ")},
		Filter: f}, len(unsupported) > 0
}

// Listen opens a stream and notes how it was received.
func (c *Client) Listen(f Filter) *session.Stream {
	q := session.Request{Tags: f.tags.With(recording.Tags{recording.TagName: f.Name})}
	if f.who != "" {
		q.Tags[recording.TagWho] = f.who
	}
	if f.ID != "" {
		q.ID = json.RawMessage(f.ID)
	}
	st := c.S.Listen(c, recording.StepListen, f.Filter, q)
	c.Note(st.Exchange())
	switch {
	case st.Ack != nil:
		q.Tags[recording.TagAck] = strconv.Itoa(st.Ack.Number)
	case !Answered(st):
		if c.Life().Outcome == recording.Replied {
			q.Tags[recording.TagAlive] = "yes"
		}
	case st.Exchange().Outcome == "" && st.Cut() == "": // its stream is closed
		q.Tags[recording.TagAlive] = "closed"
	}
	return st
}

// Answered reports whether a listen request has ended: it was answered or, on
// Streamable HTTP, the stream is closed, or it could not be sent.
func Answered(st *session.Stream) bool {
	if st.Exchange().Outcome != "" {
		return true
	}
	select {
	case <-st.Answered():
		return true
	case <-st.Ended():
		return true
	default:
		return false
	}
}

// meanwhile sends ordinary requests that invite other notifications.
func (c *Client) meanwhile() {
	all := []session.Request{{Method: "resources/list"}}
	if uri := c.Readable(); uri != "" {
		all = append(all, About("", "resources/read", uri))
	}
	if slow := c.Target.Subjects.Slow; slow != nil {
		all = append(all, About("", "resources/read", slow.URI))
	}
	Each(c, all, func(i int, q session.Request, c *Client) {
		q.Step, q.Meta = StepDuring, map[string]any{"progressToken": "mcpcheck-during-" + strconv.Itoa(i)}
		if c.Facts.Declares("logging") {
			q.Meta[session.MetaLogLevel] = "debug"
		}
		// Not by Do, which would ask again in a fresh session: whether this one
		// answers, with its streams open, is the question.
		c.Once(q)
	})
}

// streams are the open streams of a script.
type streams []*session.Stream

func (all *streams) add(st *session.Stream) { *all = append(*all, st) }

// look notes which streams have ended by themselves since they were acknowledged.
func (all streams) look() {
	for _, st := range all {
		tags := st.Exchange().Tags
		if st.Ack == nil || tags[TagEnded] != "" || tags[TagStopped] != "" || st.Cut() != "" {
			continue
		}
		ended := st.EndedAt()
		if !Answered(st) {
			f := st.Cancelled()
			if f == nil {
				continue
			}
			ended = f.At
		}
		tags[TagEnded] = strconv.FormatInt((ended - st.Ack.At).Milliseconds(), 10)
	}
}

// stopOne cancels the stream "uris" where all share a channel, so that what still comes for it
// can be seen: what comes after the answer to a later request was sent later still. On
// Streamable HTTP nothing can come on a stream that is closed.
func (all streams) stopOne(c *Client) {
	for _, st := range all {
		if tags := st.Exchange().Tags; tags[recording.TagName] == "uris" && !st.OwnChannel() &&
			st.Ack != nil && tags[TagEnded] == "" {
			tags[TagStopped] = strconv.Itoa(c.S.Last())
			End(c, st)
			c.Do(session.Request{Step: StepSettled, Method: "server/discover"})
		}
	}
}

// stop ends all streams as a client does.
func (all streams) stop(ctx context.Context) {
	var wg sync.WaitGroup
	for _, st := range all {
		if st.Exchange().Tags[TagStopped] == "" {
			wg.Go(func() { End(ctx, st) })
		}
	}
	wg.Wait()
}

// leave ends all streams but the first, which on stdio is left to end with the
// connection. On Streamable HTTP a stream has a connection of its own.
func (all streams) leave(ctx context.Context) {
	if len(all) == 0 {
		return
	}
	all[1:].stop(ctx)
	if first := all[0]; first.OwnChannel() {
		End(ctx, first)
	} else {
		first.Finish()
	}
}

// End ends a stream as a client does, unless it has ended already: only what is
// under way may be cancelled.
func End(ctx context.Context, st *session.Stream) {
	if Answered(st) {
		st.Finish()
		return
	}
	st.Stop(ctx)
}

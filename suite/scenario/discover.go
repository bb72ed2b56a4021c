package scenario

import (
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

// Step "discover" is server/discover on the session that scripts share.
var discoveryScenario = &Scenario{
	Name:  recording.Discovery,
	Title: "asking what the target is and can do",
	Sends: "server/discover.",
	When:  InModern,
	Script: func(p *Play) {
		if c, ok := p.Clean(); ok {
			c.Do(session.Request{Step: recording.StepDiscover, Method: "server/discover"})
		}
	},
}

// Steps "first-list" and "first-read" each open a connection. Where one is not served,
// "then-discover" and the same step with "-again" follow, which tells a server that wants to be asked
// something else first from one that lacks the thing altogether. The tag "walked" says that the list was
// served on another connection before; what is read was, too.
//
// "logged" are requests with a log level (tag "level") on the connection that began with the list,
// "after-logs" a request without one that ends them. "cursor" goes on, on the connection of the read, with
// the cursor of another connection; if it is refused, "cursor-again" does with one that "cursor-source" has
// just been handed out on yet another one.
var firstMessagesScenario = &Scenario{
	Name:  recording.FirstMessages,
	Title: "opening connections with any request",
	Sends: "New connections that begin with a list or a read; a cursor of one connection on another; " +
		"requests with and without a log level.",
	In:    Opening,
	After: []recording.Name{recording.WalkResources, recording.Reads},
	When:  InModern,
	Script: func(p *Play) {
		uri := p.Readable()
		scripts := []func(*Client){func(c *Client) {
			c.firstList()
			c.logged(uri)
		}}
		if uri != "" {
			scripts = append(scripts, func(c *Client) { c.firstRead(uri) })
		}
		p.together(scripts...)
		again := p.Rec.Step(StepFirstRead + StepAgain)
		if again != nil && !again.Succeeded() { // it may be gone by now
			if c, ok := p.Clean(); ok {
				c.ReadResource(recording.StepStillThere, uri, nil)
			}
		}
	},
}

func (c *Client) firstList() {
	q := c.Ordinary(recording.StepFirstList)
	q.Tags = recording.Tags{}
	if walk := c.Earlier(recording.WalkResources).Step(recording.StepPage); walk != nil && walk.Succeeded() {
		q.Tags[TagWalked] = "yes"
	}
	c.first(q)
}

func (c *Client) firstRead(uri string) {
	c.first(Of(StepFirstRead, "resources/read", uri))
	pages := c.Earlier(recording.WalkResources).Steps(recording.StepPage)
	if len(pages) > 1 && pages[1].Succeeded() {
		cursor := map[string]any{"cursor": pages[0].Value("nextCursor").Str}
		x := c.Do(session.Request{Step: StepCursor, Method: "resources/list", Params: cursor})
		if x.Failed() {
			c.freshCursor()
		}
	}
	c.Leave()
}

// freshCursor goes on with a cursor that another connection has just been handed out and has not used itself:
// one that was refused may have been good for a while, or for one request.
func (c *Client) freshCursor() {
	if c.Instances > 0 { // there may be no room for yet another one
		return
	}
	other, ok := c.Fresh(session.Options{})
	if !ok {
		return
	}
	first := c.Ordinary(StepCursorSource)
	if x := other.Do(first); x.Succeeded() && x.Value("nextCursor").Type == gjson.String {
		c.Do(session.Request{Step: StepCursor + StepAgain, Method: "resources/list",
			Params: map[string]any{"cursor": x.Value("nextCursor").Str}})
	}
}

// logged sends requests with log levels, then the same without.
func (c *Client) logged(uri string) {
	ask := func(step recording.Step) session.Request {
		if uri == "" {
			return c.Ordinary(step)
		}
		return About(step, "resources/read", uri)
	}
	for _, level := range []string{"error", "debug"} {
		q := ask(StepLogged)
		q.Tags, q.Meta = recording.Tags{"level": level}, map[string]any{session.MetaLogLevel: level}
		c.Do(q)
	}
	c.Do(ask("after-logs"))
}

// first sends the first message of a connection.
func (c *Client) first(q session.Request) {
	if c.Do(q).Succeeded() {
		return
	}
	c.Do(session.Request{Step: "then-discover", Method: "server/discover"})
	q.Step += StepAgain
	c.Do(q)
}

// together plays scripts at the same time, each on a fresh session. The recording
// holds their exchanges one script after the other. Where the target allows
// fewer instances than there are scripts, the last ones are left out.
func (p *Play) together(scripts ...func(*Client)) {
	if n := p.Instances; n > 0 && len(scripts) > n {
		scripts = scripts[:n]
	}
	clients := make([]*Client, len(scripts))
	var wg sync.WaitGroup
	for i, script := range scripts {
		wg.Go(func() {
			defer p.Survive()
			if c, ok := p.Fresh(session.Options{}); ok {
				c.buffered = true
				clients[i] = c
				script(c)
			}
		})
	}
	wg.Wait()
	for _, c := range clients {
		if c != nil {
			for _, x := range c.buffer {
				p.Note(x)
			}
		}
	}
}

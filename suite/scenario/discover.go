package scenario

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Step "discover" is server/discover on the session that scripts share.
var discoveryScenario = &Scenario{
	Name:  recording.Discovery,
	Title: "asking what the target is and can do",
	Sends: "server/discover.",
	Phase: Read,
	When:  InModern,
	Script: func(ctx context.Context, p *Play) {
		if c, ok := p.Clean(ctx); ok {
			c.Do(ctx, session.Request{Step: recording.StepDiscover, Method: "server/discover"})
		}
	},
}

// Steps "first-list", "first-read" and "first-discover" each open a connection of
// their own. Where one is not served, "then-discover" and the same step with
// "-again" follow, which tells a server that wants to be asked something else
// first from one that lacks the thing altogether. The tag "walked" says that the
// list was served on another connection before; what is read was, too.
//
// "cursor" goes on, on the connection of the read, with the cursor of another
// connection. "logged" are requests with a log level (tag "level") on the connection
// that began with discovery, "after-logs" a request without one that ends them.
var firstMessagesScenario = &Scenario{
	Name:  recording.FirstMessages,
	Title: "opening connections with any request",
	Sends: "New connections that begin with a list, a read or discovery; a cursor of one connection on another; requests with and without a log level.",
	Phase: Read,
	After: []recording.Name{recording.WalkResources, recording.Reads},
	When:  InModern,
	Script: func(ctx context.Context, p *Play) {
		uri := p.Readable()
		scripts := []func(*Client){func(c *Client) { p.firstList(ctx, c) }}
		if uri != "" {
			scripts = append(scripts, func(c *Client) { p.firstRead(ctx, c, uri) })
		}
		scripts = append(scripts, func(c *Client) {
			c.first(ctx, session.Request{Step: recording.StepFirstDiscover, Method: "server/discover"})
			p.logged(ctx, c, uri)
		})
		p.together(ctx, session.Options{}, scripts...)
	},
}

func (p *Play) firstList(ctx context.Context, c *Client) {
	q := p.Ordinary(recording.StepFirstList)
	q.Tags = recording.Tags{}
	if walk := p.Earlier(recording.WalkResources).Step(recording.StepPage); walk != nil && walk.Succeeded() {
		q.Tags[recording.TagWalked] = "yes"
	}
	c.first(ctx, q)
}

func (p *Play) firstRead(ctx context.Context, c *Client, uri string) {
	c.first(ctx, session.Request{Step: recording.StepFirstRead, Method: "resources/read",
		Params: map[string]any{"uri": uri}, Tags: recording.Tags{recording.TagURI: uri}})
	pages := p.Earlier(recording.WalkResources).Steps(recording.StepPage)
	if len(pages) > 1 && pages[1].Succeeded() {
		cursor := pages[0].Result().Get("nextCursor").Str
		c.Do(ctx, session.Request{Step: recording.StepCursor, Method: "resources/list", Params: map[string]any{"cursor": cursor}})
	}
}

// logged sends requests with log levels, then one without.
func (p *Play) logged(ctx context.Context, c *Client, uri string) {
	for _, level := range []string{"error", "debug"} {
		q := p.Ordinary(recording.StepLogged)
		if uri != "" {
			q.Method, q.Params = "resources/read", map[string]any{"uri": uri}
		}
		q.Tags, q.Meta = recording.Tags{recording.TagLevel: level}, map[string]any{session.MetaLogLevel: level}
		c.Do(ctx, q)
	}
	c.Do(ctx, session.Request{Step: recording.StepAfterLogs, Method: "server/discover"})
}

// first sends the first message of a connection.
func (c *Client) first(ctx context.Context, q session.Request) {
	if c.Do(ctx, q).Succeeded() {
		return
	}
	c.Do(ctx, session.Request{Step: recording.StepThenDiscover, Method: "server/discover"})
	q.Step += recording.StepAgain
	c.Do(ctx, q)
}

// together plays scripts at the same time, each on a fresh session. The recording
// holds their exchanges one script after the other. Where the target allows
// fewer instances than there are scripts, the last ones are left out.
func (p *Play) together(ctx context.Context, o session.Options, scripts ...func(*Client)) {
	if n := p.Endpoint.Instances; n > 0 && len(scripts) > n {
		scripts = scripts[:n]
	}
	clients := make([]*Client, len(scripts))
	var wg sync.WaitGroup
	for i, script := range scripts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer p.Survive()
			if c, ok := p.Fresh(ctx, o); ok {
				c.buffered = true
				clients[i] = c
				script(c)
			}
		}()
	}
	wg.Wait()
	for _, c := range clients {
		if c == nil {
			continue
		}
		for _, x := range c.buffer {
			p.Note(x)
		}
	}
}

// Ordinary is a request that the target should serve: a list of its resources,
// or, where it declares none, one that every target of the era serves.
func (p *Play) Ordinary(step recording.Step) session.Request {
	q := session.Request{Step: step, Method: "resources/list"}
	switch known := len(p.Facts.Declared) > 0; {
	case p.Facts.Declares("resources") && !p.Modern():
		q.Params = map[string]any{}
	case p.Facts.Declares("resources") || p.Modern() && !known:
		// A target without discovery was found to be modern by its list.
	case p.Modern():
		q.Method = "server/discover"
	default:
		q.Method = "ping"
	}
	return q
}

// Heavy is the size of a result, in bytes, from which on a resource is read no
// more than once in a combination: all that a target sends is kept in memory.
const Heavy = 1 << 20

// Readable is a listed URI that was read with success; empty if there is none,
// or none whose content is light enough to be read again and again. The scenario
// must come after [recording.Reads].
func (p *Play) Readable() string {
	r := p.Earlier(recording.Reads)
	if r == nil {
		return ""
	}
	for _, x := range r.Steps(recording.StepRead) {
		if x.Succeeded() && !Required(x) && len(x.Result().Raw) < Heavy && !strings.HasPrefix(x.Tags[recording.TagURI], "https:") {
			return x.Tags[recording.TagURI]
		}
	}
	return ""
}

// Light is the resources that were listed without those whose content is known
// to be too long to be read again and again. The scenario must come after
// [recording.Reads].
func (p *Play) Light() []Listed {
	long := map[string]bool{}
	if r := p.Earlier(recording.Reads); r != nil {
		for _, x := range r.Steps(recording.StepRead) {
			long[x.Tags[recording.TagURI]] = len(x.Result().Raw) >= Heavy
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Resources()), func(l Listed) bool { return long[l.URI()] })
}

// Required reports whether a result asks for input.
func Required(x *recording.Exchange) bool {
	return x.Succeeded() && x.Result().Get("resultType").String() == "input_required"
}

// InModern skips a scenario in revisions with a handshake, inLegacy in those
// without.
func InModern(p *Play) *recording.Skipped {
	if p.Modern() {
		return nil
	}
	return Skip(recording.CodeCombination, "%s opens with a handshake", p.Revision())
}

func InLegacy(p *Play) *recording.Skipped {
	if !p.Modern() {
		return nil
	}
	return Skip(recording.CodeCombination, "%s has no handshake", p.Revision())
}

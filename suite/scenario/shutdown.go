package scenario

import (
	"context"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Step "listen" opens a stream (tags as in listening); then the target is made to
// end it. The tag "ended" is set if the stream was answered or closed, "canceled"
// if a notification cancelled it, "lost" if the connection ended. If none of this
// happened and a resource can be changed, the tag "update" says whether the
// change was still notified ("seen") or not ("missed").
var _ = register(&Scenario{
	Name:  recording.Shutdown,
	Title: "letting the target end its subscriptions",
	Sends: "A listen stream that the target is then made to end.",
	Phase: Mutate,
	After: []recording.Name{recording.WalkResources},
	When: func(p *Play) *recording.Skipped {
		switch {
		case !p.Modern():
			return inModern(p)
		case p.Target.Triggers.Shutdown == nil:
			return skip(recording.CodeNeedsConfig, "say in the target file how to make the target end its subscriptions (triggers.shutdown)")
		case !p.listens():
			return skip(recording.CodeUndeclared, "the target declares neither resources.subscribe nor resources.listChanged")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{})
		if !ok {
			return
		}
		st := c.listen(ctx, p.watched())
		if st.Ack == nil {
			return
		}
		after := p.Mark(recording.MarkShutdown)
		if p.fire(ctx, p.Target.Triggers.Shutdown, c) {
			c.parting(ctx, st, after)
		}
		end(ctx, st)
		p.back(ctx)
	},
})

// watched is what the stream is opened for: the resource that can be changed, so
// that a stream which died silently can be told from one that lives.
func (p *Play) watched() filter {
	f := session.Filter{ListChanged: p.Facts.Declares("resources.listChanged")}
	if p.Facts.Declares("resources.subscribe") {
		switch all := p.Resources(); {
		case p.Target.Triggers.Update != nil:
			f.URIs = []string{p.Target.Triggers.Update.URI}
		case len(all) > 0:
			f.URIs = []string{all[0].URI()}
		}
	}
	return filter{name: "shutdown", id: `"mcpcheck-shutdown"`, filter: f}
}

// parting waits for the end of the stream and notes how it came.
func (c *Client) parting(ctx context.Context, st *session.Stream, after int) {
	x := st.Exchange()
	done := make(chan struct{})
	watched, cancel := context.WithCancel(ctx)
	go func() {
		defer close(done)
		defer cancel()
		select {
		case <-st.Answered():
		case <-st.Ended():
		case <-watched.Done():
		}
	}()
	cancelled := func(f *wire.Frame) bool {
		return notifies(f, "notifications/cancelled") && gjson.GetBytes(f.Raw, "params.requestId").Raw == string(x.ID)
	}
	wait := min(changeTime, c.p.Limits.Timeout)
	c.s.Await(watched, after, wait, cancelled)
	cancel()
	<-done
	// A cancellation and a result may come together, in any order.
	c.s.Quiet(ctx, c.p.Limits.QuietWindow/3)
	for _, f := range c.s.Incoming(after) {
		if cancelled(&f) {
			x.Tags["canceled"] = "yes"
		}
	}
	switch {
	case answered(st):
		x.Tags["ended"] = "yes"
	case !c.s.Alive():
		x.Tags["lost"] = "yes"
	case x.Tags["canceled"] == "":
		c.stillWatched(ctx, x)
	}
}

// stillWatched finds out whether a stream of whose end nothing was heard still
// delivers.
func (c *Client) stillWatched(ctx context.Context, x *recording.Exchange) {
	update := c.p.Target.Triggers.Update
	if update == nil || !c.p.Facts.Declares("resources.subscribe") {
		return
	}
	after := c.s.Last()
	c.p.Mark(recording.MarkUpdate)
	if !c.p.fire(ctx, update, c) {
		return
	}
	_, ok := c.s.Await(ctx, after, min(changeTime, c.p.Limits.Timeout), func(f *wire.Frame) bool {
		return notifies(f, "notifications/resources/updated")
	})
	x.Tags["update"] = "missed"
	if ok {
		x.Tags["update"] = "seen"
	}
}

// back waits until the target can be reached again, for the sake of what comes
// after this script.
func (p *Play) back(ctx context.Context) {
	const pause = 250 * time.Millisecond
	until := time.Now().Add(p.Limits.Start)
	for ctx.Err() == nil {
		s, err := p.open(ctx, session.Options{Kind: recording.Clean})
		if err == nil {
			life := (&Client{p: p, s: s}).life(ctx)
			p.end(s)
			if life.Outcome == recording.Replied {
				return
			}
		}
		if time.Now().After(until) {
			p.Break(recording.CodeUnreachable, "the target did not come back after triggers.shutdown")
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

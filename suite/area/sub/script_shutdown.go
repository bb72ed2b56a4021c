package sub

import (
	"context"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Step "listen" opens a stream (tags as in listening); then the target is made to
// end it. The tag "ended" is set if the stream was answered or closed, "canceled"
// if a notification cancelled it, "lost" if the connection ended. If none of this
// happened and a resource can be changed, the tag "update" says whether the
// change was still notified ("seen") or not ("missed").
var shutdownScenario = &scenario.Scenario{
	Name:  Shutdown,
	Title: "letting the target end its subscriptions",
	Sends: "A listen stream that the target is then made to end.",
	Phase: scenario.Mutate,
	After: verdict.ResourceWalk,
	When: scenario.All(
		scenario.InModern,
		scenario.Where(func(p *scenario.Play) bool { return p.Target.Triggers.Shutdown != nil },
			recording.CodeNeedsConfig,
			"say in the target file how to make the target end its subscriptions (triggers.shutdown)"),
		scenario.Where(listens, recording.CodeUndeclared,
			"the target declares neither resources.subscribe nor resources.listChanged"),
	),
	Script: scenario.OnFresh(session.Options{}, func(c *scenario.Client) {
		st := c.Listen(watched(c.Play))
		if st.Ack == nil {
			return
		}
		after := c.Mark(markShutdown)
		if c.Fire(c.Target.Triggers.Shutdown, c) {
			parting(c, st, after)
		}
		scenario.End(c, st)
		back(c.Play)
	}),
}

// watched is what the stream is opened for: the resource that can be changed, so
// that a stream which died silently can be told from one that lives.
func watched(p *scenario.Play) scenario.Filter {
	f := session.Filter{ListChanged: p.Facts.Declares("resources.listChanged")}
	if p.Facts.Declares("resources.subscribe") {
		switch all := p.Resources(); {
		case p.Target.Triggers.Update != nil:
			f.URIs = []string{p.Target.Triggers.Update.URI}
		case len(all) > 0:
			f.URIs = []string{all[0].URI()}
		}
	}
	return scenario.Filter{Name: "shutdown", ID: `"mcpcheck-shutdown"`, Filter: f}
}

// parting waits for the end of the stream and notes how it came.
func parting(c *scenario.Client, st *session.Stream, after int) {
	x := st.Exchange()
	done := make(chan struct{})
	watched, cancel := context.WithCancel(c)
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
		return scenario.Notifies(f, "notifications/cancelled") &&
			gjson.GetBytes(f.Raw, "params.requestId").Raw == string(x.ID)
	}
	wait := c.Limits.UpTo(scenario.ChangeTime)
	c.S.Await(watched, after, wait, cancelled)
	cancel()
	<-done
	// A cancellation and a result may come together, in any order.
	c.Quiet(c.Limits.QuietWindow / 3)
	for _, f := range c.S.Incoming(after) {
		if cancelled(&f) {
			x.Tags[tagCanceled] = "yes"
		}
	}
	switch {
	case scenario.Answered(st):
		x.Tags[scenario.TagEnded] = "yes"
	case !c.S.Alive():
		x.Tags[tagLost] = "yes"
	case x.Tags[tagCanceled] == "":
		stillWatched(c, x)
	}
}

// stillWatched finds out whether a stream of whose end nothing was heard still
// delivers.
func stillWatched(c *scenario.Client, x *recording.Exchange) {
	update := c.Target.Triggers.Update
	if update == nil || !c.Facts.Declares("resources.subscribe") {
		return
	}
	after := c.S.Last()
	c.Mark(recording.MarkUpdate)
	if !c.Fire(update, c) {
		return
	}
	_, ok := c.S.Await(c, after, c.Limits.UpTo(scenario.ChangeTime), func(f *wire.Frame) bool {
		return scenario.Notifies(f, "notifications/resources/updated")
	})
	x.Tags[tagUpdate] = "missed"
	if ok {
		x.Tags[tagUpdate] = "seen"
	}
}

// back waits until the target can be reached again, for the sake of what comes
// after this script.
func back(p *scenario.Play) {
	const pause = 250 * time.Millisecond
	until := time.Now().Add(p.Limits.StartTimeout)
	for p.Err() == nil {
		s, err := p.Open(p, session.Options{Kind: recording.Clean})
		if err == nil {
			life := (&scenario.Client{Play: p, S: s}).Life()
			p.End(s)
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
		case <-p.Done():
		}
	}
}

package compare

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

const (
	fewSubscriptions = 8 // resources that are tried until the server accepts one
	rounds           = 2 // changes that are caused before a missing update counts
	changeTime       = 5 * time.Second
	updated          = "notifications/resources/updated"
)

// subscription is a resource that one side was asked to watch.
type subscription struct {
	t      *talk
	uri    string // in the words of the side
	s      *session.Session
	stream *session.Stream
	answer answer
	after  int         // the last frame before the change
	heard  *wire.Frame // the update
}

// subscribe asks for updates of a resource.
func (r *round) subscribe(ctx context.Context, t *talk, uri string) *subscription {
	sub := &subscription{t: t, uri: r.in(t, uri)}
	s, err := t.session(ctx)
	if err != nil {
		sub.answer = answer{none: err.Error()}
		return sub
	}
	sub.s = s
	if t.rev.Modern() {
		sub.stream = s.Listen(ctx, recording.StepListen, session.Filter{URIs: []string{sub.uri}}, session.Request{})
		if sub.stream.Ack == nil {
			sub.answer = reply(sub.stream.Stop(ctx))
			if !sub.answer.failed && !sub.answer.void {
				sub.answer = answer{none: "subscriptions/listen was not acknowledged"}
				if ctx.Err() != nil { // that says nothing about the side
					sub.answer = answer{none: context.Cause(ctx).Error(), void: true}
				}
			}
			sub.stream = nil
			return sub
		}
		sub.answer = answer{body: gjson.GetBytes(sub.stream.Ack.Raw, "params.notifications")}
		for _, u := range sub.answer.body.Get("resourceSubscriptions").Array() {
			sub.answer.stands = sub.answer.stands || u.String() == sub.uri
		}
		return sub
	}
	sub.stream = s.OpenStream(ctx, recording.StepStream)
	sub.answer = reply(t.do(ctx, session.Request{Step: recording.StepSubscribe, Method: "resources/subscribe", Params: map[string]any{"uri": sub.uri}}))
	sub.answer.stands = sub.answer.none == "" && !sub.answer.failed
	return sub
}

// end gives the subscription up.
func (sub *subscription) end(ctx context.Context) {
	if sub.answer.stands && !sub.t.rev.Modern() {
		sub.t.do(ctx, session.Request{Step: recording.StepUnsubscribe, Method: "resources/unsubscribe", Params: map[string]any{"uri": sub.uri}})
	}
	if sub.stream != nil && sub.t.rev.Modern() {
		sub.stream.Stop(ctx)
	} else if sub.stream != nil {
		sub.stream.Cancel()
		sub.stream.Finish()
	}
}

// subscriptions compares whether both sides accept a subscription, and, where the
// target file says how to change the resource, whether the update arrives.
func (r *round) subscriptions(ctx context.Context, listed []entry) {
	uris := named(listed)
	trigger := r.cfg.Direct.Triggers.Update
	if trigger != nil {
		uris = []string{trigger.URI}
	}
	if len(uris) == 0 {
		r.note(string(r.rev) + ": nothing is listed that could be subscribed")
		return
	}
	r.cfg.Progress(Event{Revision: r.rev, Title: string(Subscriptions), Done: r.total, Total: r.total})
	for i, uri := range uris[:min(len(uris), fewSubscriptions)] {
		d := r.subscribe(ctx, r.direct, uri)
		t := r.subscribe(ctx, r.through, uri)
		q := &question{group: Subscriptions, subject: uri, direct: d.answer, through: t.answer}
		last := i == min(len(uris), fewSubscriptions)-1
		if stands := d.answer.stands; stands || last || stands != t.answer.stands {
			r.asked = append(r.asked, q)
			r.accepted(ctx, q, d, t)
			if stands && t.answer.stands && trigger != nil {
				r.updates(ctx, trigger, d, t)
			}
		}
		d.end(ctx)
		t.end(ctx)
		if d.answer.stands || t.answer.stands || ctx.Err() != nil {
			return
		}
	}
}

// accepted compares what both sides made of a subscription. If they differ both are
// asked again, the server once more than the gateway.
func (r *round) accepted(ctx context.Context, q *question, d, t *subscription) {
	q.differ = func(a, b answer) ([]finding, bool) {
		f := finding{subject: q.subject, path: []string{standing}, kind: Dropped, direct: a.shown(), through: b.shown()}
		switch {
		case a.stands && b.stands:
			return nil, true // what is granted is the same; what else an acknowledgment says is up to the session
		case a.none != "" || b.none != "" || a.stands == b.stands:
			return nil, false
		case b.stands:
			f.kind = Added
		}
		return []finding{f}, true
	}
	if q.found = q.compare(r.names, d.answer, t.answer); len(q.found) == 0 {
		return // what is void is accounted for as not established
	}
	again := make([]*subscription, 0, 3)
	for _, side := range []*talk{r.direct, r.through, r.direct} {
		sub := r.subscribe(ctx, side, q.subject)
		defer sub.end(ctx)
		again = append(again, sub)
	}
	r.settle(ctx, q, again[1].answer, []answer{d.answer, again[0].answer, again[2].answer})
}

// updates makes the resource change and compares what is heard of it. An update that
// the server sent and the gateway did not has to be missing twice.
func (r *round) updates(ctx context.Context, trigger *target.Trigger, d, t *subscription) {
	f := finding{subject: trigger.URI, path: []string{updated}, kind: Dropped}
	for n := range rounds {
		if why := r.change(ctx, trigger, d, t); why != "" {
			r.gap(r.rev, Subscriptions, trigger.URI, why)
			return
		}
		switch {
		case (d.heard == nil || t.heard == nil) && !(d.s.Alive() && t.s.Alive()):
			r.gap(r.rev, Subscriptions, trigger.URI, "a session was lost after triggers.update: updates could not be compared")
			return
		case d.heard == nil && t.heard == nil:
			r.gap(r.rev, Subscriptions, trigger.URI, "neither side said that it has changed after triggers.update: updates could not be compared")
			return
		case d.heard == nil:
			f.through = quoted("it arrived")
			r.unsteady(Subscriptions, r.rev, f, "the direct side did not hear of the change, the other did")
			return
		case t.heard != nil:
			for _, x := range r.names.diff(trigger.URI, payload(d.heard), payload(t.heard), updated) {
				r.add(Subscriptions, r.rev, x)
			}
			return
		case n == rounds-1:
			f.direct = quoted("it arrived")
			r.add(Subscriptions, r.rev, f)
		}
	}
}

// payload is what a notification says, without the id of the subscription.
func payload(f *wire.Frame) gjson.Result {
	return without(gjson.GetBytes(f.Raw, "params"), "_meta")
}

// change pulls the trigger and waits until both sides have heard of it. What it returns
// is why the change could not be made. A tool is called on both sides: on stdio each may
// have a server of its own.
func (r *round) change(ctx context.Context, trigger *target.Trigger, subs ...*subscription) string {
	for _, sub := range subs {
		sub.after, sub.heard = sub.s.Last(), nil
	}
	patience := changeTime
	if trigger.Kind() == target.KindTool {
		for _, sub := range subs {
			if why := r.call(ctx, sub.t, trigger.Tool); why != "" {
				return sub.t.name + ": triggers.update failed: " + why
			}
		}
	} else if err := trigger.Fire(ctx); err != nil {
		return "triggers.update failed: " + err.Error()
	}
	var wg sync.WaitGroup
	for _, sub := range subs {
		wg.Go(func() {
			f, ok := sub.s.Await(ctx, sub.after, patience, func(f *wire.Frame) bool {
				return gjson.GetBytes(f.Raw, "method").String() == updated && gjson.GetBytes(f.Raw, "params.uri").String() == sub.uri
			})
			if ok {
				sub.heard = f
			}
		})
	}
	wg.Wait()
	return ""
}

// call calls a tool of the server.
func (r *round) call(ctx context.Context, t *talk, tool *target.Tool) string {
	name, arguments := tool.Name, tool.Arguments
	if t == r.through {
		name = r.names.name.forward(name)
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	a := reply(t.do(ctx, session.Request{Step: recording.StepTrigger, Method: "tools/call", Params: map[string]any{"name": name, "arguments": arguments}}))
	switch {
	case a.none != "":
		return a.none
	case a.failed:
		return a.body.Raw
	case a.body.Get("isError").Bool():
		return strings.TrimSpace(a.body.Get("content.0.text").String())
	}
	return ""
}

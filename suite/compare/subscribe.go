package compare

import (
	"context"
	"strings"
	"sync"
	"time"

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
	stands bool
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
		sub.stream = s.Listen(ctx, "listen", session.Filter{URIs: []string{sub.uri}}, session.Request{})
		if sub.stream.Ack == nil {
			sub.answer = reply(sub.stream.Stop(ctx))
			if !sub.answer.failed {
				sub.answer = answer{none: "subscriptions/listen was not acknowledged"}
			}
			sub.stream = nil
			return sub
		}
		sub.answer = answer{body: gjson.GetBytes(sub.stream.Ack.Raw, "params.notifications")}
		for _, u := range sub.answer.body.Get("resourceSubscriptions").Array() {
			sub.stands = sub.stands || u.String() == sub.uri
		}
		return sub
	}
	sub.stream = s.OpenStream(ctx, "stream")
	sub.answer = reply(t.do(ctx, session.Request{Step: "subscribe", Method: "resources/subscribe", Params: map[string]any{"uri": sub.uri}}))
	sub.stands = sub.answer.none == "" && !sub.answer.failed
	return sub
}

// end gives the subscription up.
func (sub *subscription) end(ctx context.Context) {
	if sub.stands && !sub.t.rev.Modern() {
		sub.t.do(ctx, session.Request{Step: "unsubscribe", Method: "resources/unsubscribe", Params: map[string]any{"uri": sub.uri}})
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
func (r *round) subscriptions(ctx context.Context, uris []string) {
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
		if d.stands || last || d.stands != t.stands {
			r.asked = append(r.asked, q)
			r.accepted(ctx, q, d, t)
			if d.stands && t.stands && trigger != nil {
				r.updates(ctx, trigger, d, t)
			}
		}
		d.end(ctx)
		t.end(ctx)
		if d.stands || d.stands != t.stands || ctx.Err() != nil {
			return
		}
	}
}

// accepted compares what both sides made of a subscription. If they differ they are
// asked again.
func (r *round) accepted(ctx context.Context, q *question, d, t *subscription) {
	compare := func(_ names, a, b answer) []finding {
		return []finding{{subject: q.subject, path: []string{"subscription"}, kind: Changed, direct: a.shown(), through: b.shown()}}
	}
	kind := Changed
	switch {
	case d.answer.void || t.answer.void:
		return // accounted for as not established
	case d.stands && !t.stands:
		kind = Dropped
	case !d.stands && t.stands:
		kind = Added
	case d.stands:
		return // what is granted is the same; what else an acknowledgment says is up to the session
	default:
		compare = q.compare
	}
	q.found = compare(names{}, d.answer, t.answer)
	if len(q.found) == 0 {
		return
	}
	d2, t2 := r.subscribe(ctx, r.direct, q.subject), r.subscribe(ctx, r.through, q.subject)
	defer d2.end(ctx)
	defer t2.end(ctx)
	for _, f := range q.found {
		if kind != Changed {
			f.kind = kind
		}
		switch {
		case d2.answer.void || t2.answer.void:
			r.gap(r.rev, q.group, q.subject, "what differs could not be asked again")
		case d2.stands != d.stands:
			r.unsteady(Subscriptions, r.rev, f, "the server's own answers differ")
		case t2.stands != t.stands:
			r.unsteady(Subscriptions, r.rev, f, "it was seen once and not again")
		default:
			r.add(Subscriptions, r.rev, f)
		}
	}
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
		case d.heard == nil && t.heard == nil:
			r.note(string(r.rev) + ": neither side said that " + trigger.URI + " has changed after triggers.update: updates could not be compared")
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
	a := reply(t.do(ctx, session.Request{Step: "trigger", Method: "tools/call", Params: map[string]any{"name": name, "arguments": arguments}}))
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

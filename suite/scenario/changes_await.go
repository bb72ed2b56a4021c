package scenario

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// sameID has the bystander watch the resource under the id of a stream of the watcher, and changes it: the
// ids of two clients have nothing to do with each other. On stdio every session is its own server.
func (w *watch) sameID() {
	if !w.p.Modern() || !w.p.OnHTTP() || w.bystander == nil || w.beside == nil || w.beside.Ack == nil ||
		Answered(w.beside) || w.t.Update.Kind() == target.KindWait || w.p.Err() != nil {
		return
	}
	st := w.bystander.Listen(Filter{Name: "foreign", who: bystander, tags: w.about(),
		ID: string(w.beside.Exchange().ID), Filter: session.Filter{URIs: []string{w.t.Update.URI}}})
	w.streams.add(st)
	after := w.p.Transcript.Len()
	if st.Ack != nil && w.update(MarkShared) {
		w.await(w.bystander, after, 1, updated, w.changed)
	}
}

// await waits until a session has got a number of notifications of a method, and reports whether it did.
// Where there is no way for them to come, or one about the same was waited for in vain before, silence is
// watched instead.
func (w *watch) await(c *Client, after, n int, method string, fits func(*wire.Frame) bool) bool {
	vain := silent{c, method}
	if w.deaf(c) || w.vain[vain] {
		came := c.S.AwaitDue(c, after, n, "", w.p.Limits.QuietWindow, fits)
		w.vain[vain] = w.vain[vain] && came == 0
		return came >= n
	}
	came := c.S.AwaitDue(c, after, n, method, w.p.Limits.UpTo(ChangeTime), fits)
	w.vain[vain] = n > 0 && came == 0
	return came >= n
}

// told notes at the subscription that no update came, unless its session ended meanwhile.
func (w *watch) told() {
	x := w.p.Rec.Step(recording.StepSubscribe)
	came := func(f wire.Frame) bool { return Notifies(&f, updated) }
	ended := func(y *recording.Exchange) bool {
		return y.Session == x.Session && y.Status == http.StatusNotFound
	}
	if x != nil && !slices.ContainsFunc(w.watcher.S.Incoming(0), came) &&
		!slices.ContainsFunc(w.p.Rec.Exchanges, ended) {
		x.Tags[TagTold] = "no"
	}
}

// silent is a client to which no notification of a method came when one was due.
type silent struct {
	client *Client
	method string
}

// deaf reports whether a session has no channel for notifications: that of a legacy
// target on Streamable HTTP that gave it no stream.
func (w *watch) deaf(c *Client) bool {
	for _, st := range w.streams {
		if tags := st.Exchange().Tags; tags[recording.TagWho] == w.who(c) &&
			(w.p.Modern() || tags[recording.TagOpen] != "") {
			return false
		}
	}
	return len(w.streams) > 0
}

// Notifies reports whether a frame holds a notification of a method, alone or
// in a batch.
func Notifies(f *wire.Frame, method string) bool {
	if !wire.Valid(f.Raw) {
		return false
	}
	m := gjson.ParseBytes(f.Raw)
	if !m.IsArray() {
		return m.Get("method").String() == method
	}
	return slices.ContainsFunc(m.Array(), func(one gjson.Result) bool {
		return one.Get("method").String() == method
	})
}

// watching is how many open streams of the watcher watch a resource, in 2026-07-28: as many updates are due.
func (w *watch) watching(uri string) int {
	n := 0
	for _, st := range w.streams {
		tags := st.Exchange().Tags
		if tags[recording.TagWho] == watcher && st.Ack != nil && tags[TagStopped] == "" &&
			slices.Contains(Acknowledged(st.Ack.Raw), uri) {
			n++
		}
	}
	return n
}

// changed reports whether a frame tells of the resource that is changed, or of a part of it: any update does,
// but for one of the other resource and its parts.
func (w *watch) changed(f *wire.Frame) bool {
	uri := gjson.GetBytes(f.Raw, "params.uri").Str
	return Notifies(f, updated) && (w.t.UpdateOther == nil || strings.HasPrefix(uri, w.t.Update.URI) ||
		!strings.HasPrefix(uri, w.t.UpdateOther.URI))
}

// follow prepares for streams of GET that the target ends and that are asked for again. What it returns gives
// up all streams.
func (w *watch) follow() (stop func()) {
	following, cancel := context.WithCancel(w.p)
	w.following = following
	return func() {
		cancel()
		for _, f := range w.followed {
			f.Wait()
		}
		w.streams.stop(w.p)
	}
}

// fire pulls a trigger, when the streams of GET stand on which what follows can be told.
func (w *watch) fire(t *target.Trigger) bool {
	const patience = 5 * time.Second
	for _, f := range w.followed {
		f.Standing(w.p, patience)
	}
	return w.p.Fire(t, w.all()...)
}

// borrow has a new session ask for what followed the first of several events with an id on a stream of GET of
// the watcher's.
func (w *watch) borrow() {
	if w.p.Modern() || !w.p.OnHTTP() || w.bystander == nil || len(w.watcher.Sessionless()) > 0 ||
		w.p.Limited() {
		return
	}
	told := slices.DeleteFunc(w.watcher.S.Incoming(0), func(f wire.Frame) bool {
		return f.Event == nil || f.Event.ID == "" || len(f.Raw) == 0 || !strings.HasPrefix(f.Channel, "get:")
	})
	if len(told) < 2 {
		return
	}
	c, ok := w.p.Fresh(Probing)
	if !ok {
		return
	}
	id := told[0].Event.ID
	st := c.S.Peek(w.p, session.Request{Step: StepBorrowed, HTTPMethod: http.MethodGet,
		Tags: recording.Tags{"id": id}, Header: map[string]string{session.HeaderLastEventID: id}},
		w.p.Limits.QuietWindow)
	if st.Status() == http.StatusOK {
		c.Quiet(w.p.Limits.QuietWindow)
	}
	c.Drop(st)
}

package scenario

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Two sessions watch the target change: the tag "who" says whether an exchange is
// of the "watcher", which subscribes, or of the "bystander", which does not, or late.
//
// "subscribe-next" and "unsubscribe-next" are about another resource that is listed,
// "subscribe-again" subscribes the same one once more, which may restore what was lost
// before; "foreign-subscribe" and "foreign-unsubscribe" are the bystander's, which without
// sessions is not told from the watcher and only sends the latter; "unsubscribe-again" is
// the watcher's second.
//
// Steps of legacy revisions: "stream" opens a GET stream on Streamable HTTP (tag
// "open" if it stands), "subscribe" and "unsubscribe" are about the resource that
// is changed (tag "uri"; "other" is the one that has nothing to do with it; "told" is "no" if no update came
// while the session stood). Steps of 2026-07-28: "listen" opens streams as in listening; by their tag "name"
// they are "uris" (the resource), "off" (another resource and this one, with
// resourcesListChanged: false), "list" (the list), and "none" (nothing). "uris" is ended before the resource
// changes for the last time: its tag "stopped" is the number of the last frame before it was ended, and on
// Streamable HTTP so are the others but "off". There the bystander then opens "foreign" for the same
// resource, under the id of "off", and the resource changes once more.
//
// "unchanged" reads the resource before it is changed, "at-once" as soon as the first update
// is there; where both yield the same, "later" reads it once more after a while. "beside" is the bystander's
// read before the change. If it yielded the same as well, "newcomer" is a read in a session that is opened
// after "later" and, if that one is another, in one more.
//
// In all revisions: "listed" are the pages of the list before the changes,
// "added" and "removed" those after them (tag "uri" if it is known what
// comes or goes); the tag "look" counts the attempts. Legacy revisions over HTTP have "beside-listed" as
// well, the bystander's before the changes, and "beside-changed" after the first one, where the watcher is
// told of that and the bystander is not. "borrowed" is the request of a further session for what followed an
// event of the watcher's stream (tag "id"). "busy" are requests of the bystander. The marks are set before
// each change.
var changesScenario = &Scenario{
	Name:  recording.Changes,
	Title: "watching resources and the list change",
	Sends: "Two sessions, one subscribed and one not, for a while both; the triggers of the target file " +
		"change, add and remove resources meanwhile; the list before and after. A third session may ask " +
		"for what followed an event of the first.",
	Phase: Mutate,
	After: bothWalks,
	When: Where(func(p *Play) bool {
		t := &p.Target.Triggers
		return t.Update != nil || t.Add != nil || t.Remove != nil
	}, recording.CodeNeedsConfig,
		"say in the target file how to make the target change (triggers.update, triggers.update-other, "+
			"triggers.add, triggers.remove)"),
	Script: func(p *Play) {
		w := &watch{p: p, t: &p.Target.Triggers, vain: map[silent]bool{}}
		if !w.open() {
			return
		}
		defer w.follow()()
		if w.begin() && w.updates() && w.twice() && w.list() && w.giveUp() {
			w.last()
			w.sameID()
			w.borrow()
		}
		w.streams.look()
		w.told()
	},
}

// watch is the state of the script.
type watch struct {
	p                  *Play
	t                  *target.Triggers
	watcher, bystander *Client
	streams            streams
	following          context.Context // ends when the streams are given up
	followed           []*session.Followed
	// ending is the stream, or the subscription, that is given up midway.
	ending *session.Stream
	// beside is the stream, in 2026-07-28, that watches the resource to the end.
	beside *session.Stream
	// subscribed and announced say that updates, and changes of the list, are
	// to be expected by the watcher.
	subscribed, announced bool
	doubled               bool // it was subscribed twice
	vain                  map[silent]bool
}

const (
	watcher   = "watcher"
	bystander = "bystander"

	updated     = "notifications/resources/updated"
	listChanged = "notifications/resources/list_changed"
)

// open opens the two sessions. A target of which only one instance may run has
// no bystander.
func (w *watch) open() (ok bool) {
	if w.watcher, ok = w.p.Fresh(session.Options{}); !ok {
		return false
	}
	if w.p.Instances == 1 {
		return true
	}
	w.bystander, ok = w.p.Fresh(session.Options{})
	return ok
}

// all lists the sessions.
func (w *watch) all() []*Client {
	if w.bystander == nil {
		return []*Client{w.watcher}
	}
	return []*Client{w.watcher, w.bystander}
}

// begin subscribes the watcher and looks at the list.
func (w *watch) begin() bool {
	if w.p.Modern() {
		w.listen()
	} else {
		w.subscribe()
	}
	w.busy()
	if w.subscribed {
		if w.p.Modern() {
			w.read(StepUnchanged, w.watcher, watcher)
		}
		if w.bystander != nil {
			w.read(StepBeside, w.bystander, bystander)
		}
	}
	if w.t.Add != nil || w.t.Remove != nil {
		if w.announced && w.apart() {
			w.look(w.bystander, StepBesideListed, "", "1")
		}
		w.look(w.watcher, StepListed, "", "1")
	}
	return w.watcher.S.Alive()
}

// subscribe is the legacy way to watch.
func (w *watch) subscribe() {
	w.channel(w.watcher, watcher)
	if w.bystander != nil {
		w.channel(w.bystander, bystander)
	}
	w.announced = w.p.Facts.Declares("resources.listChanged")
	if w.t.Update == nil || !w.p.Facts.Declares("resources.subscribe") {
		return
	}
	// before: what a read does to a subscription is to be seen later
	w.read(StepUnchanged, w.watcher, watcher)
	w.subscribed = w.ask(w.watcher, recording.StepSubscribe, "resources/subscribe", w.t.Update.URI, w.about())
}

// ask sends a request about a resource, and reports whether it was granted.
func (w *watch) ask(c *Client, step recording.Step, method, uri string, more recording.Tags) bool {
	return c.Do(Of(step, method, uri, recording.Tags{recording.TagWho: w.who(c)}, more)).Succeeded()
}

func (w *watch) who(c *Client) string {
	if c == w.bystander {
		return bystander
	}
	return watcher
}

// about are the tags that name the resources that are changed.
func (w *watch) about() recording.Tags {
	tags := w.watcher.Sessionless().With(recording.Tags{recording.TagURI: w.t.Update.URI})
	if w.t.UpdateOther != nil {
		tags[TagOther] = w.t.UpdateOther.URI
	}
	return tags
}

// channel opens the stream on which a legacy target on Streamable HTTP can send
// notifications.
func (w *watch) channel(c *Client, who string) {
	st := c.S.OpenStream(c, recording.StepStream)
	if st == nil {
		return
	}
	st.Exchange().Tags = c.Sessionless().With(recording.Tags{recording.TagWho: who})
	c.Note(st.Exchange())
	if st.Open() {
		st.Exchange().Tags[recording.TagOpen] = "yes"
		if !w.p.Limited() {
			w.followed = append(w.followed, st.Follow(w.following))
		}
	}
	w.streams.add(st)
}

// listen is the modern way to watch.
func (w *watch) listen() {
	changes := w.p.Facts.Declares("resources.listChanged") && (w.t.Add != nil || w.t.Remove != nil)
	if w.t.Update != nil && w.p.Facts.Declares("resources.subscribe") {
		uris := []string{w.t.Update.URI}
		w.ending = w.watcher.Listen(Filter{Name: "uris", who: watcher, tags: w.about(),
			Filter: session.Filter{URIs: uris}})
		w.streams.add(w.ending)
		w.beside = w.watcher.Listen(Filter{Name: "off", who: watcher, tags: w.about(), ID: digitsOnly,
			Filter: session.Filter{
				URIs: w.several(), Further: map[string]any{"resourcesListChanged": false}}})
		w.streams.add(w.beside)
		w.subscribed = w.ending.Ack != nil && slices.Contains(Acknowledged(w.ending.Ack.Raw),
			w.t.Update.URI) || w.beside.Ack != nil
	}
	if changes {
		st := w.watcher.Listen(Filter{Name: "list", who: watcher, ID: `"mcpcheck-list"`,
			Filter: session.Filter{ListChanged: true}})
		w.streams.add(st)
		w.announced = st.Ack != nil
	}
	if w.subscribed || w.announced {
		w.streams.add(w.watcher.Listen(Filter{Name: "none", who: watcher}))
	}
}

// several are the resource that is changed and, before it, another one: that of the other trigger or, for
// want of it, one that is listed. Who watches only the first of a filter is seen by that.
func (w *watch) several() []string {
	if w.t.UpdateOther != nil {
		return []string{w.t.UpdateOther.URI, w.t.Update.URI}
	}
	if uri, ok := w.another(); ok {
		return []string{uri, w.t.Update.URI}
	}
	return []string{w.t.Update.URI}
}

// busy keeps the bystander's connection in use while the target changes.
func (w *watch) busy() {
	if w.bystander != nil {
		w.bystander.Do(session.Request{Step: "busy", Method: session.LifeMethod(w.p.Revision()),
			Tags: recording.Tags{recording.TagWho: bystander}})
	}
}

// updates changes resources: first the one that nobody subscribed, but for one stream of 2026-07-28.
func (w *watch) updates() bool {
	if w.t.Update == nil {
		return true
	}
	if w.t.UpdateOther != nil {
		after := w.p.Mark(MarkOther)
		if !w.fire(w.t.UpdateOther) {
			return false
		}
		w.await(w.watcher, after, w.watching(w.t.UpdateOther.URI), updated, func(f *wire.Frame) bool {
			return Notifies(f, updated)
		})
		delete(w.vain, silent{w.watcher, updated}) // it says nothing of the other one
	}
	return w.update(recording.MarkUpdate)
}

// update changes the subscribed resource and waits for the update.
func (w *watch) update(mark recording.MarkName) bool {
	after := w.p.Mark(mark)
	if !w.fire(w.t.Update) {
		return false
	}
	if mark == recording.MarkUpdate && w.subscribed && w.await(w.watcher, after, 1, updated, w.changed) {
		w.reread()
	}
	w.busy() // some send only when they are asked for something
	if w.subscribed && !w.await(w.watcher, after, max(w.watching(w.t.Update.URI), 1), updated,
		w.changed) && w.watcher.S.HTTPSession() != "" {
		// the target may have ended the session, and the subscription with it
		w.watcher.Note(w.watcher.Life())
	}
	return w.watcher.S.Alive()
}

// reread reads the changed resource as soon as its update has come and, if it is what it
// was, a while later and, where sessions got the same before, in two that are opened then.
func (w *watch) reread() {
	before := w.p.Rec.Step(StepUnchanged)
	now := w.read(StepAtOnce, w.watcher, watcher)
	if !before.Succeeded() || !now.Succeeded() ||
		before.Value("contents").Raw != now.Value("contents").Raw {
		return
	}
	w.watcher.Quiet(w.p.Limits.QuietWindow)
	w.read(StepLater, w.watcher, watcher)
	if beside := w.p.Rec.Step(StepBeside); beside == nil || !beside.Succeeded() ||
		beside.Value("contents").Raw != before.Value("contents").Raw {
		return
	}
	for range 2 {
		c, ok := w.p.Fresh(session.Options{})
		if !ok || w.p.Limited() {
			return
		}
		newcomer := w.read(StepNewcomer, c, bystander)
		if !newcomer.Succeeded() ||
			newcomer.Value("contents").Raw == now.Value("contents").Raw {
			return
		}
	}
}

// read reads the resource that is changed. Not by Do, which might ask again in a fresh
// session: that one would have subscribed to nothing.
func (w *watch) read(step recording.Step, c *Client, who string) *recording.Exchange {
	return c.Once(Of(step, "resources/read", w.t.Update.URI,
		recording.Tags{recording.TagWho: who}))
}

// twice subscribes what is subscribed, and has the bystander subscribe it and give it
// up: none of this takes the subscription away, if there is one that shows. Each is followed by a change; a
// trigger that only waits would take too long for that.
func (w *watch) twice() bool {
	if w.p.Modern() || !w.subscribed || w.t.Update.Kind() == target.KindWait ||
		w.vain[silent{w.watcher, updated}] {
		return true
	}
	if !w.next() {
		return false
	}
	w.doubled = w.ask(w.watcher, StepSubscribeAgain, "resources/subscribe", w.t.Update.URI, nil)
	if w.doubled && !w.update(MarkDoubled) {
		return false
	}
	if w.bystander == nil || w.p.OnStdio() {
		return w.watcher.S.Alive() // on stdio every session is a server of its own
	}
	if len(w.bystander.Sessionless()) == 0 && w.ask(w.bystander, StepForeignSubscribe,
		"resources/subscribe", w.t.Update.URI, nil) {
		after := w.p.Transcript.Len()
		if !w.update(MarkShared) {
			return false
		}
		w.await(w.bystander, after, 1, updated, w.changed)
	}
	w.ask(w.bystander, StepForeignUnsubscribe, "resources/unsubscribe", w.t.Update.URI, nil)
	return w.update(MarkForeign)
}

// next subscribes another resource, one that is no part of the first nor the reverse, and
// gives it up: the first subscription stays.
func (w *watch) next() bool {
	uri, ok := w.another()
	if !ok {
		return true
	}
	if !w.ask(w.watcher, StepSubscribeNext, "resources/subscribe", uri, nil) ||
		!w.ask(w.watcher, StepUnsubscribeNext, "resources/unsubscribe", uri, nil) {
		return w.watcher.S.Alive()
	}
	return w.update(MarkNext)
}

// another is a listed resource that has nothing to do with those that are changed.
func (w *watch) another() (string, bool) {
	changed := []string{w.t.Update.URI}
	if w.t.UpdateOther != nil {
		changed = append(changed, w.t.UpdateOther.URI)
	}
	for _, l := range w.p.Resources() {
		if uri := l.URI(); !slices.ContainsFunc(changed, func(c string) bool {
			return strings.HasPrefix(uri, c) || strings.HasPrefix(c, uri)
		}) {
			return uri, true
		}
	}
	return "", false
}

// giveUp unsubscribes, in 2026-07-28 one stream of several.
func (w *watch) giveUp() bool {
	switch {
	case w.p.Modern() && w.ending != nil:
		w.streams.look()
		// those that are over need no place, where a stream has its own channel
		for _, st := range w.streams {
			if st == w.ending || st != w.beside && st.OwnChannel() {
				st.Exchange().Tags[TagStopped] = strconv.Itoa(w.watcher.S.Last())
				End(w.p, st)
			}
		}
		// What is under way may still come before the next change.
		w.watcher.Quiet(w.p.Limits.QuietWindow)
	case !w.p.Modern() && w.subscribed:
		w.subscribed = false
		steps := []recording.Step{recording.StepUnsubscribe}
		if w.doubled { // some count subscriptions, which is their right
			steps = append(steps, "unsubscribe-again")
		}
		for _, step := range steps {
			w.ask(w.watcher, step, "resources/unsubscribe", w.t.Update.URI, nil)
		}
	}
	return w.watcher.S.Alive()
}

// list makes a resource come and go.
func (w *watch) list() bool {
	for _, change := range []struct {
		t    *target.Trigger
		mark recording.MarkName
		step recording.Step
	}{{w.t.Add, MarkAdd, StepAdded}, {w.t.Remove, MarkRemove, StepRemoved}} {
		if change.t == nil {
			continue
		}
		after := w.p.Mark(change.mark)
		if !w.fire(change.t) {
			return false
		}
		w.busy()
		seen := w.announced && w.await(w.watcher, after, 1, listChanged, listChanges)
		w.relist(change.step, change.t.URI, seen)
		if first := change.mark == MarkAdd || w.t.Add == nil; first && seen && w.apart() &&
			!w.await(w.bystander, after, 1, listChanged, listChanges) {
			w.look(w.bystander, StepBesideChanged, change.t.URI, "1")
		}
		if !w.announced { // what was never declared takes its time as well
			w.watcher.Quiet(w.p.Limits.QuietWindow)
		}
		if !w.watcher.S.Alive() {
			return false
		}
	}
	return true
}

// apart reports whether the bystander is one of several sessions of the same server that are told of changes
// of the list. On stdio every session is its own server, and in 2026-07-28 only who asks for it is told.
func (w *watch) apart() bool {
	return !w.p.Modern() && !w.p.OnStdio() && w.bystander != nil && len(w.bystander.Sessionless()) == 0
}

// listChanges reports whether a frame announces a change of the list.
func listChanges(f *wire.Frame) bool { return Notifies(f, listChanged) }

// relist looks at the list after a change; where the change was announced it
// looks again for a while, because a list may lag behind.
func (w *watch) relist(step recording.Step, uri string, announced bool) {
	const looks, pause = 6, 400 * time.Millisecond
	before := w.lastLook()
	for n := 1; ; n++ {
		now := w.look(w.watcher, step, uri, strconv.Itoa(n))
		if now != before || !announced || n == looks || w.p.Err() != nil {
			return
		}
		w.watcher.Quiet(pause)
	}
}

// look walks through the list.
func (w *watch) look(c *Client, step recording.Step, uri, n string) string {
	const most = 200 // it is asked for again and again
	pages := c.WalkUpTo("resources/list", "resources", step, min(w.p.Limits.Pages, most))
	for _, x := range pages {
		x.Tags[TagLook], x.Tags[recording.TagWho] = n, w.who(c)
		if uri != "" {
			x.Tags[recording.TagURI] = uri
		}
	}
	return URIs(pages)
}

// lastLook is the list as it was last seen.
func (w *watch) lastLook() string {
	var last []*recording.Exchange
	for _, x := range w.p.Rec.Exchanges {
		if x.Method != "resources/list" || x.Tags[recording.TagWho] != watcher {
			continue
		}
		if n := len(last); n > 0 && (last[n-1].Step != x.Step || last[n-1].Tags[TagLook] != x.Tags[TagLook]) {
			last = nil
		}
		last = append(last, x)
	}
	return URIs(last)
}

// last changes the resource once more, now that the subscription is given up,
// and lets the silence be heard.
func (w *watch) last() {
	if w.t.Update != nil && !w.update(MarkSilenced) {
		return
	}
	w.watcher.Quiet(w.p.Limits.QuietWindow)
}

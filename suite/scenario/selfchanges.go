package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Where no trigger changes a resource: steps "subscribe" are about a few listed resources, of which one may
// change by itself. If an update comes in a window of silence, or if none does and step "compare" reads
// something else than was read in the beginning, that is read "at-once". In the end all are given up by steps
// "unsubscribe".
var selfUpdatesScenario = &Scenario{
	Name:  recording.SelfUpdates,
	Title: "looking for a resource that changes by itself",
	Sends: "Subscriptions to a few listed resources, a window of silence, and reads if no update comes.",
	Waits: true, // its silence is that of one session
	After: []recording.Name{recording.WalkResources, recording.Reads},
	When: All(
		Where(func(p *Play) bool {
			return !p.Modern()
		}, recording.CodeCombination, "2026-07-28 subscribes by subscriptions/listen"),
		Where(func(p *Play) bool { return p.Target.Triggers.Update == nil }, recording.CodeNotExercised,
			"triggers.update changes a resource"),
		Declared("resources.subscribe"),
	),
	Script: func(p *Play) {
		w, ok := watchSelf(p)
		if !ok {
			return
		}
		defer func() { w.streams.stop(p) }()
		if w.find(); w.uri != "" {
			w.ask(StepAtOnce, "resources/read", w.uri)
		}
		w.giveUp("")
	},
}

// NothingChanges is why nothing is known of what changes by itself.
const NothingChanges = "no listed resource changed by itself, again and again: say in the target file how " +
	"to make one change (triggers.update)"

// The same is done once more while no other script subscribes or gives up anything. If an update comes,
// "at-once" reads what it names, and all that follows is about that one. If none comes, one that is not what
// it was in the beginning is watched (tag "name": "untold"), as is one of which only a single update came
// ("once").
//
// If further updates come in quick succession, so that their absence says something, it is watched three
// times: after another one was subscribed once more by "subscribe-next", and all but this one were given up
// by steps "unsubscribe" ("next"), on Streamable HTTP after "foreign-subscribe" and "foreign-unsubscribe" in
// another session ("foreign"), and after it was given up and subscribed once more by "subscribe-again"
// ("again"). To be watched is to be read ("unchanged", whose tag "heard" is set if an update follows), and to
// be read again ("later") if none does. The marks "silenced" and "silence-heard" enclose the time after
// "settled", a request that follows the end of the subscription. At last "stream-2" opens another GET stream,
// and the mark "doubled" stands before the updates that then come.
var selfChangesScenario = &Scenario{
	Name:  recording.SelfChanges,
	Title: "watching a resource that changes by itself",
	Sends: "Subscriptions to a few listed resources and a window of silence; if updates come in quick " +
		"succession, reads, and subscriptions that are given up and made again, in another session as well.",
	// what other sessions give up meanwhile, in whatever revision, a server that does not tell them apart
	// ends here
	Phase: Mutate,
	After: []recording.Name{recording.WalkResources, recording.Reads, recording.SelfUpdates},
	When: func(p *Play) *recording.Skipped {
		found := p.Earlier(recording.SelfUpdates)
		if found.Skipped == nil && found.Step(StepAtOnce) == nil {
			return Skip(recording.CodeNeedsConfig, NothingChanges)
		}
		return found.Skipped
	},
	Script: func(p *Play) {
		w, ok := watchSelf(p)
		if !ok {
			return
		}
		defer func() { w.streams.stop(p) }()
		switch heard := w.find(); {
		case heard:
			w.ask(StepAtOnce, "resources/read", w.uri)
			if w.often() {
				w.play()
				return
			}
			w.watch("once")
		case w.uri != "":
			w.patience = time.Second
			w.watch("untold")
		}
		w.giveUp("")
	},
}

// selfWatch is the state of the script.
type selfWatch struct {
	p        *Play
	c        *Client
	streams  streams
	accepted []string
	uri      string        // the resource that changes by itself
	last     int           // the number of the frame that told so last
	patience time.Duration // within which another update is due
}

// watchSelf begins the script, on Streamable HTTP in a session of its own, which has a GET stream.
func watchSelf(p *Play) (*selfWatch, bool) {
	w := &selfWatch{p: p}
	var ok bool
	if !p.OnHTTP() {
		w.c, ok = p.Clean()
		return w, ok
	}
	if w.c, ok = p.Fresh(session.Options{}); !ok {
		return w, false
	}
	if w.c.S.HTTPSession() == "" {
		p.Skip(recording.CodeNotExercised,
			"the target issues no session ids, so it cannot keep subscriptions")
		return w, false
	}
	return w, w.open(recording.StepStream)
}

// open opens a GET stream, if it takes one to be notified.
func (w *selfWatch) open(step recording.Step) bool {
	st := w.c.S.OpenStream(w.p, step)
	if st == nil {
		return true
	}
	w.c.Note(st.Exchange())
	w.streams.add(st)
	return st.Open()
}

// ask sends a request about a resource. Not by Do, which might ask again in a fresh session: that one would
// have subscribed to nothing.
func (w *selfWatch) ask(step recording.Step, method, uri string) *recording.Exchange {
	return w.c.Once(Of(step, method, uri))
}

// askAll sends a request about each of several resources, at the same time; where its session has ended there
// is nil.
func (w *selfWatch) askAll(step recording.Step, method string, uris []string) []*recording.Exchange {
	all, own := make([]*recording.Exchange, len(uris)), w.c.S
	Each(w.c, uris, func(i int, uri string, c *Client) {
		if c.S == own && own.Alive() {
			all[i] = c.Once(Of(step, method, uri))
		}
	})
	return all
}

// find subscribes a few resources and waits for one of them to change. It reports whether an update came; if
// none did, the resource is one whose contents are others than they were, if there is one.
func (w *selfWatch) find() bool {
	const few = 8
	// the first is the last, should one take the place of another
	for _, l := range slices.Backward(Sample(w.p.Resources(), few)) {
		if x := w.ask(recording.StepSubscribe, "resources/subscribe", l.URI()); x.Succeeded() {
			w.accepted = append(w.accepted, l.URI())
		} else if !w.c.S.Alive() {
			return false
		}
	}
	if len(w.accepted) == 0 {
		w.p.Skip(recording.CodeNotExercised, "none of the listed resources can be subscribed")
		return false
	}
	if w.await(w.p.Limits.QuietWindow) {
		return true
	}
	w.uri = w.different()
	return false
}

// different is a subscribed resource whose contents are not what they were in the beginning; empty if there
// is none.
func (w *selfWatch) different() string {
	first := map[string]string{}
	for _, x := range w.p.Earlier(recording.Reads).Steps(recording.StepRead) {
		first[x.Param("uri").Str] = x.Value("contents").Raw
	}
	known := slices.DeleteFunc(slices.Clone(w.accepted), func(uri string) bool { return first[uri] == "" })
	for i, x := range w.askAll("compare", "resources/read", known) {
		if x == nil {
			continue
		}
		if now := x.Value("contents").Raw; now != "" && now != first[known[i]] {
			return known[i]
		}
	}
	return ""
}

// await waits for an update of the resource or, as long as none is found, of any that is subscribed.
func (w *selfWatch) await(d time.Duration) bool {
	f, ok := w.c.S.Await(w.p, w.last, d, func(f *wire.Frame) bool {
		uri := gjson.GetBytes(f.Raw, "params.uri").Str
		if !Notifies(f, updated) || w.uri != "" && uri != w.uri {
			return false
		}
		if !slices.Contains(w.accepted, uri) {
			return false
		}
		w.uri = uri
		return true
	})
	if ok {
		w.last = f.Number
	}
	return ok
}

// often measures how often updates come. What comes seldom cannot be missed by anyone who waits a moment.
func (w *selfWatch) often() bool {
	const gaps, longest = 3, 600 * time.Millisecond
	var most time.Duration
	w.patience = time.Second
	for range gaps {
		began := w.p.Transcript.Now()
		if !w.await(longest) {
			return false
		}
		most = max(most, w.p.Transcript.Now()-began)
	}
	w.patience = max(5*most, time.Second)
	return true
}

// giveUp ends all subscriptions but one.
func (w *selfWatch) giveUp(but string) {
	w.askAll(recording.StepUnsubscribe, "resources/unsubscribe",
		slices.DeleteFunc(slices.Clone(w.accepted), func(uri string) bool { return uri == but }))
}

// play has subscriptions come and go, and looks what becomes of the one that stands.
func (w *selfWatch) play() {
	if i := slices.IndexFunc(w.accepted, func(uri string) bool { return uri != w.uri }); i >= 0 {
		w.ask(StepSubscribeNext, "resources/subscribe", w.accepted[i])
	}
	since := w.c.S.Last()
	w.giveUp(w.uri)
	if !w.watch("next") { // what else would be seen has the same cause
		w.giveUp("")
		return
	}
	for range 3 { // as long is listened for what was given up
		w.await(w.patience)
	}
	if w.p.OnHTTP() && !w.p.Limited() {
		if other, ok := w.p.Fresh(session.Options{}); ok {
			for _, step := range []recording.Step{StepForeignSubscribe, StepForeignUnsubscribe} {
				method := strings.Replace(string(step), "foreign-", "resources/", 1)
				other.Once(Of(step, method, w.uri))
			}
			if !w.watch("foreign") {
				return
			}
		}
	}
	if !w.c.S.Alive() || !w.ask(StepUnsubscribeNext, "resources/unsubscribe", w.uri).Succeeded() {
		return
	}
	settled := w.c.Once(session.Request{Step: StepSettled, Method: "ping"})
	w.p.Mark(MarkSilenced)
	w.c.Quiet(w.patience)
	w.p.Mark(MarkSilenceHeard)
	// what comes in a session that is shared is in no recording but by an exchange
	for _, f := range w.c.S.Incoming(since) {
		if len(w.streams) == 0 && Notifies(&f, updated) {
			w.c.S.Join(settled, f.Number)
		}
	}
	if !w.c.S.Alive() || !w.ask(StepSubscribeAgain, "resources/subscribe", w.uri).Succeeded() {
		return
	}
	w.watch("again")
	if w.p.OnHTTP() && w.open(StepSecondStream) && w.streams[0].Open() {
		w.p.Mark(MarkDoubled)
		for range 3 {
			w.await(w.patience)
		}
		w.c.Quiet(w.p.Limits.QuietWindow / 3)
	}
	w.ask("unsubscribe-again", "resources/unsubscribe", w.uri)
}

// watch reads the resource and waits for an update, and reports whether one came. If none comes it is read
// again, a few times, so that contents that change with every read can be told from a change.
func (w *selfWatch) watch(name string) bool {
	const looks = 4
	for _, st := range w.streams {
		if !st.Open() {
			return false // a target may end it at any time
		}
	}
	if !w.c.S.Alive() {
		return false
	}
	w.last = w.c.S.Last()
	before := w.ask(StepUnchanged, "resources/read", w.uri)
	before.Tags[recording.TagName] = name
	if w.await(w.patience) {
		before.Tags[TagHeard] = "yes"
		return true
	}
	for range looks {
		w.ask(StepLater, "resources/read", w.uri).Tags[recording.TagName] = name
	}
	return false
}

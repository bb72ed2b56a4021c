package sub

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// on keeps the messages that belong to a listen request: on Streamable HTTP those
// of its stream; on stdio those that bear its id, be it as a string instead of a
// number or the other way round.
func on(all []verdict.Heard, r *recording.Recording, x *recording.Exchange) []verdict.Heard {
	request := r.Frame(x.Request)
	return slices.DeleteFunc(slices.Clone(all), func(h verdict.Heard) bool {
		if h.Frame.Session != x.Session {
			return true
		}
		if r.Combination.Transport == requirement.HTTP {
			return request == nil || h.Frame.Channel != request.Channel
		}
		id := h.Subscription()
		if !id.Exists() && !h.Msg.Get("method").Exists() {
			id = h.Msg.Get("id")
		}
		return !id.Exists() || id.String() != gjson.ParseBytes(x.ID).String()
	})
}

func bystanderOf(r *recording.Recording) string { return verdict.RoleOf(r, "bystander") }

// grantsURI reports whether an acknowledgment grants updates for a URI.
func grantsURI(ack verdict.Heard, uri string) bool {
	return slices.ContainsFunc(ack.Msg.Get("params.notifications.resourceSubscriptions").Array(), func(u gjson.Result) bool {
		return u.Type == gjson.String && u.Str == uri
	})
}

// asksFor reports whether the filter of a listen request names a URI, or one to which it is related.
func asksFor(x *recording.Exchange, uri string) bool {
	return slices.ContainsFunc(x.Param("notifications.resourceSubscriptions").Array(), func(u gjson.Result) bool { return related(uri, u.String()) })
}

// sameID reports whether a value is the id of a request, in value and type.
func sameID(v gjson.Result, x *recording.Exchange) bool {
	return v.Exists() && wire.SameID(json.RawMessage(v.Raw), x.ID)
}

// related reports whether an update for one URI may come from a subscription to
// another: it is the same, or one lies below the other. What goes on with another letter or digit, as a:10 does behind a:1, is
// a neighbour.
func related(uri, subscribed string) bool {
	short, long := uri, subscribed
	if len(short) > len(long) {
		short, long = long, short
	}
	n := len(short)
	return strings.HasPrefix(long, short) && (n == 0 || n == len(long) || !inWord(short[n-1]) || !inWord(long[n]))
}

// namesChanged: of the updates that come when a resource is changed, one names it, or what lies below it, in whatever
// spelling. One that does not say what it is about is judged elsewhere.
func namesChanged(r *recording.Recording, x *recording.Exchange, updates []verdict.Heard, v *verdict.Verdict) bool {
	spelt := func(uri string) string {
		if plain, err := url.PathUnescape(uri); err == nil {
			uri = plain
		}
		return strings.TrimRight(strings.ToLower(uri), "/")
	}
	changed := spelt(x.Tags[recording.TagURI])
	if slices.ContainsFunc(updates, func(h verdict.Heard) bool {
		named := spelt(h.URI())
		return named == "" || len(named) >= len(changed) && related(named, changed)
	}) {
		return true
	}
	v.Fail(verdict.Finding{
		Expected: verdict.Updated + " that names the resource that was changed, or one below it",
		Actual: "updates came for " + verdict.Quoted(updates[0].URI()) + " only, while " +
			x.Tags[recording.TagURI] + " is what was subscribed" +
			verdict.WithTrigger(r, recording.MarkUpdate),
		Frames: append(x.Evidence(), verdict.FrameNumbers(updates)...),
		Warn:   true,
		Downgraded: "how the URI of a sub-resource relates to the one that was subscribed is the server's " +
			"business, but nothing shows that these do",
		Hint: "put the URI of the resource that has changed into params.uri, as it was subscribed",
	})
	return false
}

// inWord reports whether a byte is one of a letter or a digit.
func inWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

// listenable asks for something that can be listened to.
var listenable = verdict.Where(func(f *recording.Facts) bool {
	return f.Declares("resources.subscribe") || f.Declares("resources.listChanged")
}, recording.CodeUndeclared, "the target declares neither capabilities.resources.subscribe nor capabilities.resources.listChanged")

// sessionless skips a requirement where a legacy target keeps no sessions on
// Streamable HTTP: it cannot remember who subscribed to what.
func sessionless(x *recording.Exchange, v *verdict.Verdict) bool {
	if x == nil || x.Tags[recording.TagSessionless] == "" {
		return false
	}
	v.NotExercised("the target issues no session ids on Streamable HTTP, so it cannot keep subscriptions")
	return true
}

// state says how an update stands to the subscriptions of its session.
type state int

const (
	never    state = iota // nothing was subscribed before it
	ended                 // what it is about was subscribed, and given up again
	standing              // a subscription stands that may have brought it
)

// standingOf finds out how an update stands to the subscriptions of its session, and
// by which exchanges. Whatever may be under way counts for the target.
func standingOf(h verdict.Heard, r *recording.Recording) (state, []*recording.Exchange) {
	var last *recording.Exchange // the unsubscription of the resource
	found := never
	for _, x := range r.Exchanges {
		if x.Session != h.Frame.Session || x.Request == 0 || x.Request > h.Frame.Number {
			continue
		}
		uri := x.Param("uri").String()
		switch x.Method {
		case "resources/subscribe":
			if x.Failed() {
				continue
			}
			if related(h.URI(), uri) || h.URI() == "" || !judge.IsString(h.Msg.Get("params.uri")) {
				found, last = standing, nil
			} else if found == never {
				found = standing // how the two relate is the target's business
			}
		case "resources/unsubscribe":
			if related(h.URI(), uri) && x.Succeeded() && len(x.Replies) > 0 && found == standing && comesAfter(h, r.Frame(x.Replies[0])) {
				last = x
			}
		}
	}
	if last != nil && found == standing && !othersStand(h, r) {
		return ended, []*recording.Exchange{last}
	}
	return found, nil
}

// underWay is for how long a message that was sent before another one may still come on another connection.
const underWay = 250 * time.Millisecond

// comesAfter reports whether an update was sent after a response, and not only read
// after it: what comes on another connection may have been under way.
func comesAfter(h verdict.Heard, reply *wire.Frame) bool {
	return reply != nil && reply.Number < h.Frame.Number && (reply.Channel == h.Frame.Channel || h.Frame.At-reply.At > underWay)
}

// othersStand reports whether the session of an update has a subscription that was
// not given up: it may have brought the update.
func othersStand(h verdict.Heard, r *recording.Recording) bool {
	stands := map[string]bool{}
	for _, x := range r.Exchanges {
		if x.Session != h.Frame.Session || x.Request == 0 || x.Request > h.Frame.Number {
			continue
		}
		switch uri := x.Param("uri").String(); {
		case x.Method == "resources/subscribe" && !x.Failed():
			stands[uri] = true
		case x.Method == "resources/unsubscribe" && x.Succeeded():
			delete(stands, uri)
		}
	}
	return len(stands) > 0
}

// keepsSessions reports whether the session of a message is one that the target
// knows: on Streamable HTTP it has an id.
func keepsSessions(h verdict.Heard, r *recording.Recording) bool {
	s := r.Session(h.Frame.Session)
	return r.Combination.Transport != requirement.HTTP || s != nil && s.Initialize != nil && s.Initialize.Header.Get("Mcp-Session-Id") != ""
}

// asked reports whether a subscription was requested in the session of an update before it came.
// That is all the schema asks for: one that was refused may have been made all the same.
func asked(h verdict.Heard, r *recording.Recording) bool {
	return slices.ContainsFunc(r.Exchanges, func(x *recording.Exchange) bool {
		return x.Session == h.Frame.Session && x.Method == "resources/subscribe" && x.Request > 0 && x.Request < h.Frame.Number
	})
}

// withoutSubscription: no session gets updates before it has subscribed to anything. A target that keeps no
// sessions cannot tell who has, but where nothing can be subscribed nobody has.
func withoutSubscription(r *recording.Recording, v *verdict.Verdict) {
	withheld := verdict.Withholds("resources.subscribe").Skip(v.Facts) == nil &&
		!slices.ContainsFunc(v.Recordings(), func(rec *recording.Recording) bool {
			return slices.ContainsFunc(rec.Calls("resources/subscribe"),
				(*recording.Exchange).Succeeded) // by whomever: without sessions nobody is told apart
		})
	for _, h := range verdict.Elsewhere(verdict.Only(verdict.Hear(r, "", 0), verdict.Updated), r, v) {
		if how, _ := standingOf(h, r); how == never && (withheld || keepsSessions(h, r) && !asked(h, r)) {
			v.That(false, noUpdates, verdict.Updated+" for "+verdict.Quoted(h.URI()), h.Frame.Number)
		}
	}
	if !withheld {
		return
	}
	for _, rec := range v.Recordings() { // without sessions they come on any stream, which may be that of a probe
		for _, h := range verdict.Only(verdict.Hear(rec, "", 0), verdict.Updated) {
			if s := rec.Session(h.Frame.Session); s != nil && s.Kind == recording.Probe {
				v.That(false, noUpdates, verdict.Updated+" for "+verdict.Quoted(h.URI()), h.Frame.Number)
			}
		}
	}
}

// noUpdates is what is expected of a session that has subscribed to nothing.
const noUpdates = "no " + verdict.Updated + " in a session that has subscribed to nothing"

// afterTheEnd: what was given up brings no more updates.
func afterTheEnd(r *recording.Recording, v *verdict.Verdict) {
	for _, h := range verdict.Elsewhere(verdict.Only(verdict.Hear(r, "", 0), verdict.Updated), r, v) {
		how, by := standingOf(h, r)
		if how == ended {
			v.That(false, "no "+verdict.Updated+" after a confirmed unsubscribe", verdict.Updated+" for "+verdict.Quoted(h.URI()), append(by[0].Evidence(), h.Frame.Number)...)
		} else if how == standing && keepsSessions(h, r) {
			v.NotExercised("updates came while their resource was subscribed only")
		}
	}
}

// unlistened: a connection of 2026-07-28 on which nobody listens hears of no change.
// Over HTTP whatever comes on the stream of another request is judged there.
func unlistened(r *recording.Recording, v *verdict.Verdict) {
	if onHTTP(r) {
		return
	}
	for _, h := range verdict.Elsewhere(verdict.Only(verdict.Hear(r, "", 0), verdict.Updated, verdict.ListUpdated), r, v) {
		listens := slices.ContainsFunc(r.Exchanges, func(x *recording.Exchange) bool {
			return x.Session == h.Frame.Session && x.Method == "subscriptions/listen" && x.Request > 0 && x.Request < h.Frame.Number
		})
		if !listens {
			v.That(false, "no change notifications on a connection without a listen request", h.Method()+" on a connection that did not listen", h.Frame.Number)
		}
	}
}

// unrelatedUpdates: what comes in a session is about what it has subscribed, and what
// lies below or above it.
func unrelatedUpdates(r *recording.Recording, v *verdict.Verdict) {
	strays := map[string][]int{}
	for _, h := range verdict.Elsewhere(verdict.Only(verdict.Hear(r, "", 0), verdict.Updated), r, v) {
		subscribed, its := false, false
		for _, x := range r.Exchanges {
			if x.Session == h.Frame.Session && x.Method == "resources/subscribe" && x.Request > 0 && x.Request < h.Frame.Number && !x.Failed() {
				subscribed, its = true, its || related(h.URI(), x.Param("uri").String())
			}
		}
		if subscribed && !its && h.URI() != "" && keepsSessions(h, r) { // the others are SUB-06's
			strays[h.URI()] = append(strays[h.URI()], h.Frame.Number)
		}
	}
	tellStrays(strays, "what is subscribed and what lies below it", v)
}

// tellStrays tells of updates, by URI, that nobody subscribed to. Of what is listed on its
// own they warn if they come more than once; the rest is remarked upon, because it may be
// a part of what was subscribed, whatever its URI looks like.
func tellStrays(strays map[string][]int, expected string, v *verdict.Verdict) {
	if walk := v.Recording(recording.WalkResources); walk != nil && len(strays) > 0 {
		for _, i := range verdict.ListedURIs(walk, &verdict.Verdict{Facts: v.Facts}) { // why there is no list is judged elsewhere
			if frames := strays[i.Str]; len(frames) > 1 {
				v.Fail(verdict.Finding{
					Expected: "updates for " + expected,
					Actual: strconv.Itoa(len(frames)) + " " + verdict.Updated + " for " + i.Str +
						", which is listed on its own and was not subscribed",
					Frames: frames,
					Warn:   true,
					Downgraded: "how the URI of an update relates to the one that was subscribed is the " +
						"server's business, but nothing shows that these do",
					Hint: "send updates only for what the session has subscribed, and for resources " +
						"that are parts of it",
				})
				delete(strays, i.Str)
			}
		}
	}
	var rest verdict.Sightings
	for _, uri := range slices.Sorted(maps.Keys(strays)) {
		rest.Add(verdict.Quoted(uri), strays[uri]...)
	}
	rest.Observe(v, "update-unsubscribed", "%d {URI in updates that was not subscribed, and by which nothing shows that it is a part of what was|URIs in updates that were not subscribed, and by which nothing shows that they are parts of what was}: %s")
}

// watchedStreams: on streams on which nothing is made to happen, updates are about what
// their filters name.
func watchedStreams(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(recording.StepListen) {
		ack, ok := verdict.AckOf(r, x)
		if !ok {
			continue
		}
		watches := verdict.Granted(x.Param("notifications.resourceSubscriptions"))
		for _, h := range verdict.Only(on(verdict.Hear(r, x.Session, ack.Frame.Number), r, x), verdict.Updated) {
			if h.URI() != "" && watches && !asksFor(x, h.URI()) { // without any it is the type that was not asked for
				v.WarnUnless(false, "updates for what the filter names and what lies below it", verdict.Updated+" for "+h.URI()+", which was not asked for", h.Frame.Number)
			}
		}
	}
}

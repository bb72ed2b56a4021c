package sub

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"

	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// stillByItself skips what takes a resource that changes by itself, and often.
func stillByItself(r *view) bool {
	if slices.ContainsFunc(r.Steps(scenario.StepUnchanged), func(x *recording.Exchange) bool {
		return x.Tags[recording.TagName] == "next"
	}) {
		return false
	}
	r.Skip(recording.CodeNeedsConfig, "%s", scenario.NothingChanges)
	return true
}

// toldByItself: a target that tells of the changes of a resource goes on to do so while it is
// subscribed. What happened just before has a name.
func toldByItself(happened map[string]string) judging {
	return func(r *view) {
		changeUntold(r)
		if stillByItself(r) {
			return
		}
		for _, before := range r.Steps(scenario.StepUnchanged) {
			what, asked := happened[before.Tags[recording.TagName]]
			later := changedSince(r, before)
			switch {
			case !asked:
			case before.Tags[scenario.TagHeard] != "":
				r.Holds()
			case later != nil && !r.LostSession(before.Session):
				r.warn(updated+" for "+before.URI()+
					", which is subscribed and changes by itself, as before",
					"none came any more, although other contents are read, "+what,
					"that its contents were changed, and not made for each read, is seen from outside "+
						"only by two reads that yield the same",
					"keep a set of subscribed URIs for each session, to which a subscription adds, and "+
						"out of which only its own end takes",
					before, later)
			}
		}
	}
}

// changeUntold remarks upon a resource that is subscribed and changes by itself, without a word. It is no
// more than a remark, as an update may be late, and comprise several changes.
func changeUntold(r *view) {
	for _, before := range r.Steps(scenario.StepUnchanged) {
		name := before.Tags[recording.TagName]
		said := map[string]string{"untold": "no update", "once": "no further update"}[name]
		later := changedSince(r, before)
		if said != "" && later != nil && before.Tags[scenario.TagHeard] == "" {
			r.Observe(verdict.Several{before, later}, "change-untold", "%s of %s came within a second, "+
				"although it is subscribed, and reads meanwhile yield other contents", said,
				before.URI())
		}
	}
}

// givenUpByThen: what was subscribed as well and given up brings no updates when another resource changes.
func givenUpByThen(r *view) {
	if stillByItself(r) {
		return
	}
	tellStrays(r, r.sent.of(updated).keep(func(h heard) bool {
		return slices.ContainsFunc(r.before(h), func(s *subscription) bool {
			stands := s.until == nil || s.brings(r.Step(scenario.StepUnchanged).Tags[recording.TagURI])
			return !stands && h.URI() == s.uris[0] && h.Frame.At-r.Frame(s.until.Replies[0]).At > underWay
		})
	}), anySubscribed)
	r.Holds()
}

// changedSince is a read that yields other contents than one before, and the same as the read next to it:
// what is made anew for each read, such as the time, is no change of the resource. It is nil if none does.
func changedSince(r *view, before *recording.Exchange) *recording.Exchange {
	old, last := contentsOf(before), ""
	for _, x := range r.Steps(scenario.StepLater) {
		if x.Tags[recording.TagName] != before.Tags[recording.TagName] {
			continue
		}
		now := contentsOf(x)
		if old != "" && now != "" && now == last && now != old {
			return x
		}
		last = now
	}
	return nil
}

// silentByThen: what changes by itself, and is no longer subscribed, brings no more updates. That it does
// is said of all sessions together.
func silentByThen(r *view) {
	if stillByItself(r) {
		return
	}
	settled := r.Step(scenario.StepSettled)
	from, began := r.Mark(scenario.MarkSilenced)
	until, ended := r.Mark(scenario.MarkSilenceHeard)
	if settled == nil || !settled.Succeeded() || !began || !ended {
		r.NotExercised("the subscription of what changes by itself could not be given up")
		return
	}
	late := r.updates(settled.Session, from.After).between(0, until.After)
	if !slices.ContainsFunc(late, func(h heard) bool { return h.Frame.At-from.At > underWay }) {
		r.Holds()
	}
}

// byThemselves: of several streams that watch a resource which changes by itself each gets its updates; of
// several resources in one filter every one is watched. A stream that gets nothing at all is judged by the
// former, one that gets the updates of some resources only by the latter.
func byThemselves(ofEach bool) judging {
	return func(r *view) {
		if ofEach {
			changeUntold(r)
		}
		r.Skip(recording.CodeNeedsConfig, "no resource that several streams watch changed by itself again "+
			"and again: say in the target file how to make one change (triggers.update)")
		standing := recording.Keep(r.streams("full", "uris", "unsupported"), func(s *subscription) bool {
			return s.ack.Frame != nil && !s.ended() && s.Tags[scenario.TagStopped] == ""
		})
		since, uris := 0, map[string]bool{}
		for _, s := range standing {
			since = max(since, s.ack.Frame.Number)
			for _, uri := range s.uris {
				uris[uri] = true
			}
		}
		for _, uri := range slices.Sorted(maps.Keys(uris)) {
			watching := recording.Keep(standing, func(s *subscription) bool {
				return slices.Contains(s.uris, uri)
			})
			var most messages
			for _, s := range watching {
				its := s.came(since).of(updated).keep(func(h heard) bool { return h.URI() == uri })
				if len(its) > len(most) {
					most = its
				}
			}
			const apart = 50 * time.Millisecond // so much longer an update may take on another connection
			if len(most) < 2 || most[len(most)-1].Frame.At-most[0].Frame.At < apart || len(watching) < 2 {
				continue
			}
			for _, s := range watching {
				missesNone(s, uri, s.came(since).of(updated), most, ofEach)
			}
		}
	}
}

// missesNone judges what a stream got, while another one got most of the updates of a resource.
func missesNone(s *subscription, uri string, got, most messages, ofEach bool) {
	others := got.keep(func(h heard) bool { return !related(h.URI(), uri) })
	none := strconv.Itoa(len(most)) + " for " + uri + " on another stream, and none for the subscription " +
		string(s.ID)
	switch {
	case len(got) > len(others) || !ofEach && len(got) > 0:
		s.Holds()
	case ofEach && !comesAgain(others) || s.LostSession(s.Session):
	case ofEach:
		s.Fail(verdict.Several{s.evidence(), others.frames(), most.frames()}, eachOfFilter,
			"%s, which brings those of another resource", none).Hint(everyURI)
	default:
		s.Fail(verdict.Several{s.evidence(), most.frames()}, eachStream+"under its own id", "%s", none).
			Hint("keep filter and id with each subscription, and send an update on every stream that " +
				"watches the resource")
	}
}

// comesAgain reports whether updates tell of the same resource twice: a stream on which they do is not merely
// behind, or bounded in how much it brings at a time.
func comesAgain(all messages) bool {
	uris := map[string]bool{}
	for _, h := range all {
		uris[h.URI()] = true
	}
	return len(uris) < len(all)
}

package sub

import (
	"cmp"
	"encoding/json"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// view is a recording as the checks of this area look at it: who subscribed to what and until when, and what
// the target sent. What is found goes into its verdict.
type view struct {
	*verdict.Verdict
	sent messages        // in all sessions
	subs []*subscription // in the order in which they were asked for, with those that were refused
}

// subscription is the exchange by which a session subscribed: to a resource, by resources/subscribe, or to a
// stream, by subscriptions/listen.
type subscription struct {
	*recording.Exchange
	*view
	// uris are the resources of which it may bring updates: the one that was asked for, or those that the
	// acknowledgment of the stream grants.
	uris []string
	// ack is the acknowledgment of a stream; it has no frame if none came.
	ack heard
	// until is the confirmed resources/unsubscribe that ended it; nil if none did.
	until *recording.Exchange
}

const (
	updated     = verdict.Updated
	listUpdated = verdict.ListUpdated
	// granted is the filter in an acknowledgment.
	granted = "params.notifications"
)

// viewOf makes the view of a recording. What was sent is found once.
func viewOf(v *verdict.Verdict) *view {
	type key struct{ frames int }
	sent, _ := v.Note(key{len(v.Frames)}, func() any { return messages(v.Hear("", 0)) }).(messages)
	w := &view{Verdict: v, sent: sent}
	for _, x := range v.Exchanges {
		if strings.Contains(x.Method, "subscri") {
			w.add(x)
		}
	}
	return w
}

// add takes an exchange into account that begins or ends a subscription.
func (r *view) add(x *recording.Exchange) {
	uri := cmp.Or(x.URI(), x.Param("uri").String())
	s := &subscription{Exchange: x, view: r, uris: []string{uri}}
	switch x.Method {
	case "resources/subscribe":
		r.subs = append(r.subs, s)
	case "resources/unsubscribe":
		for _, o := range r.subs {
			stood := o.Session == x.Session && o.until == nil && slices.Equal(o.uris, s.uris)
			if stood && x.Succeeded() && len(x.Replies) > 0 {
				o.until = x
			}
		}
	case "subscriptions/listen":
		s.ack, _ = r.Ack(x)
		s.uris = nil
		for _, uri := range s.ack.Get(granted + ".resourceSubscriptions").Array() {
			if uri.Type == gjson.String {
				s.uris = append(s.uris, uri.Str)
			}
		}
		r.subs = append(r.subs, s)
	}
}

// by lists the subscriptions by a line of the script.
func (r *view) by(name recording.Step) []*subscription {
	return recording.Keep(r.subs, func(s *subscription) bool { return s.Step == name })
}

// streams lists the listen requests with one of these names, or all of them.
func (r *view) streams(names ...string) []*subscription {
	return recording.Keep(r.by(recording.StepListen), func(s *subscription) bool {
		return len(names) == 0 || slices.Contains(names, s.Tags[recording.TagName])
	})
}

// acked goes through the streams that were acknowledged. The verdict says why others were not.
func (r *view) acked(all []*subscription) iter.Seq[*subscription] {
	return func(yield func(*subscription) bool) {
		for _, s := range all {
			if s.ack.Frame == nil {
				r.Unacknowledged(s.Exchange)
			} else if !yield(s) {
				return
			}
		}
	}
}

// before lists the subscriptions that may have brought a message: its session asked for them before it came.
func (r *view) before(h heard) []*subscription {
	return recording.Keep(r.subs, func(s *subscription) bool {
		return s.Session == h.Frame.Session && s.Request > 0 && s.Request < h.Frame.Number
	})
}

// unasked reports whether a message came before its session had asked for any subscription. That is all the
// schema asks for: one that was refused may have been made all the same.
func (r *view) unasked(h heard) bool { return len(r.before(h)) == 0 }

// unrefused lists the subscriptions that may have brought a message, without those that were refused.
func (r *view) unrefused(h heard) []*subscription {
	return recording.Keep(r.before(h), func(s *subscription) bool { return !s.Failed() })
}

type heard = recording.Message

// messages are some of those that the target sent.
type messages []heard

func (all messages) keep(fits func(heard) bool) messages { return recording.Keep(all, fits) }

func (all messages) of(methods ...string) messages { return verdict.Only(all, methods...) }

func (all messages) frames() verdict.Frames { return verdict.FrameNumbers(all) }

// between keeps what came after one frame and no later than another.
func (all messages) between(after, until int) messages {
	return all.keep(func(h heard) bool { return h.Frame.Number > after && h.Frame.Number <= until })
}

// said lists what was sent in a session after a frame; an empty session means all of them.
func (r *view) said(session string, after int) messages {
	return r.sent.between(after, math.MaxInt).keep(func(h heard) bool {
		return session == "" || h.Frame.Session == session
	})
}

// updates lists those that came in a session after a frame.
func (r *view) updates(session string, after int) messages { return r.said(session, after).of(updated) }

// elsewhere lists what was sent in clean sessions, but for those that are judged by themselves.
func (r *view) elsewhere(methods ...string) messages {
	return r.Elsewhere(r.sent.of(methods...))
}

// came lists what came for a subscription after a frame: all that came in its session or, of a stream, what
// it carries.
func (s *subscription) came(after int) messages {
	all := s.said(s.Session, max(after, s.Request))
	if s.Method == "resources/subscribe" {
		return all
	}
	return all.keep(s.carries)
}

// carries reports whether a message of its session came for a stream: on Streamable HTTP, on its channel; on
// stdio, with its id, as a string instead of a number as well, or the other way round.
func (s *subscription) carries(h heard) bool {
	if request := s.Frame(s.Request); s.OnHTTP() {
		return request != nil && h.Frame.Channel == request.Channel
	}
	id := h.Subscription()
	if !id.Exists() && h.Method() == "" {
		id = h.Get("id")
	}
	return id.Exists() && id.String() == gjson.ParseBytes(s.ID).String()
}

// uri is the resource that is changed, in a recording of changes; other is the one that has nothing to do
// with it.
func (s *subscription) uri() string   { return s.Tags[recording.TagURI] }
func (s *subscription) other() string { return s.Tags[scenario.TagOther] }

// ended reports whether a stream ended by itself.
func (s *subscription) ended() bool { return s.Tags[scenario.TagEnded] != "" }

// evidence is that of a subscription, and of further steps.
func (s *subscription) evidence(steps ...recording.Step) verdict.Frames {
	frames := s.ListenEvidence(s.Exchange)
	for _, x := range s.Steps(steps...) {
		frames = append(frames, x.Evidence()...)
	}
	return frames
}

// is reports whether a value is the id of the request, in value and type.
func (s *subscription) is(id gjson.Result) bool {
	return id.Exists() && wire.SameID(json.RawMessage(id.Raw), s.ID)
}

// brings reports whether a subscription may bring updates of a resource.
func (s *subscription) brings(uri string) bool {
	return slices.ContainsFunc(s.uris, func(its string) bool { return related(uri, its) })
}

// asked lists the URIs in the filter of a stream.
func (s *subscription) asked() []gjson.Result {
	return s.Param("notifications.resourceSubscriptions").Array()
}

// asksFor reports whether the filter of a stream names a URI, or one to which it is related.
func (s *subscription) asksFor(uri string) bool {
	return slices.ContainsFunc(s.asked(), func(its gjson.Result) bool { return related(uri, its.String()) })
}

// own keeps the updates of the resource that is changed, or of one related to it: all but those of the other
// resource and, on streams, its parts.
func (s *subscription) own(all messages) messages {
	return all.of(updated).keep(func(h heard) bool { return !s.ofOther(h.URI()) })
}

func (s *subscription) ofOther(uri string) bool {
	part := s.Modern() && strings.HasPrefix(uri, s.other()) && !strings.HasPrefix(uri, s.uri())
	return s.other() != "" && (uri == s.other() || part)
}

// mine lists the updates of the resource that is changed which came for a subscription since it was.
func (s *subscription) mine() messages { return s.own(s.came(s.changed())) }

// inSession lists those that came in its session, for whichever subscription.
func (s *subscription) inSession() messages { return s.own(s.said(s.Session, s.changed())) }

// changed is the number of the last frame before the resource was changed first, or the other one which
// streams watch as well.
func (r *view) changed() int {
	if r.Modern() {
		return r.first()
	}
	return r.changedAt()
}

// first is the number of the last frame before the first change, if there is one.
func (r *view) first() int { return r.Marks[0].After }

// changedAt is the number of the last frame before the resource was changed; 0 if it was not.
func (r *view) changedAt() int {
	if m, ok := r.Mark(recording.MarkUpdate); ok {
		return m.After
	}
	return 0
}

// around are the numbers of the last frames before the change that precedes another one of the same resource,
// before that one, and before the next one. Those that were not reached come last.
func (r *view) around(mark recording.MarkName) (before, at, next int) {
	at, next = math.MaxInt, math.MaxInt
	others := []recording.MarkName{scenario.MarkOther, scenario.MarkAdd, scenario.MarkRemove}
	for _, m := range r.Marks {
		switch {
		case m.Failed || slices.Contains(others, m.Name):
		case m.Name == mark:
			at = m.After
		case at < math.MaxInt:
			return before, at, m.After
		default:
			before = m.After
		}
	}
	return before, at, next
}

// lapsed reports whether a subscription brought updates after the change before another one, and none for
// that one, or, if it may come late, for what follows: what happened between the two was no reason to end it,
// but did.
func (s *subscription) lapsed(mark recording.MarkName, late bool) bool {
	before, at, next := s.around(mark)
	if late {
		next = math.MaxInt
	}
	mine := s.mine()
	switch {
	case at == math.MaxInt || len(mine.between(before, at)) == 0:
	case len(mine.between(at, next)) > 0:
		s.Holds()
	default:
		return !s.LostSession(s.Session)
	}
	return false
}

// promptly reports whether what is sent after a change comes soon: then what does not come is not late.
func (r *view) promptly(mark recording.MarkName, all messages) bool {
	const soon = time.Second
	m, ok := r.Mark(mark)
	came := all.between(m.After, math.MaxInt)
	return ok && len(came) > 0 && came[0].Frame.At-m.At < soon
}

// none says that no update came for a change.
func (s *subscription) none(mark recording.MarkName) string {
	return "none came for " + s.uri() + s.WithTrigger(mark)
}

// warn states what is a warning at most, why, and what to change, where that is not what the row says.
func (r *view) warn(expected, actual, why, hint string, on ...verdict.Cited) {
	r.Fail(verdict.Several(on), expected, "%s", actual).Warn(why).Hint(hint)
}

// keepsSessions reports whether the session of a message is one that the target
// knows: on Streamable HTTP it has an id.
func (r *view) keepsSessions(h heard) bool {
	s := r.Session(h.Frame.Session)
	return !r.OnHTTP() || s != nil && s.Initialize != nil && s.Initialize.Header.Get("Mcp-Session-Id") != ""
}

// related reports whether an update for one URI may come from a subscription to another: it is the same, or
// one lies below the other. What goes on with another letter or digit, as a:10 does behind a:1, is a
// neighbour.
func related(uri, subscribed string) bool {
	short, long := uri, subscribed
	if len(short) > len(long) {
		short, long = long, short
	}
	n := len(short)
	return strings.HasPrefix(long, short) &&
		(n == 0 || n == len(long) || !inWord(short[n-1]) || !inWord(long[n]))
}

// inWord reports whether a byte is one of a letter or a digit.
func inWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

// underWay is for how long a message that was sent before another one may still come on another connection.
const underWay = 250 * time.Millisecond

// comesAfter reports whether an update was sent after a response, and not only read
// after it: what comes on another connection may have been under way.
func comesAfter(h heard, reply *wire.Frame) bool {
	return reply != nil && reply.Number < h.Frame.Number &&
		(reply.Channel == h.Frame.Channel || h.Frame.At-reply.At > underWay)
}

package life

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// ofTheRevision judges all that the target sent in the combination against the
// schemas of the revision, in clean sessions and in answers to probes. What another
// requirement judges is left to it; of the rest each member is told once.
func ofTheRevision(v *verdict.Verdict) {
	set := schema.For(v.Revision())
	if set == nil {
		return
	}
	b := newBreaches(v, set)
	b.look(v.Recording, func(*recording.Session) bool { return true })
	probe := func(s *recording.Session) bool { return s != nil && s.Kind == recording.Probe }
	for _, rec := range v.Recordings() {
		// What came in clean sessions has been looked at: it need not even be read again.
		probed := slices.ContainsFunc(rec.Frames, func(f wire.Frame) bool {
			return probe(b.sessions[f.Session])
		})
		if rec.Scenario != recording.Everything && probed {
			b.look(rec, probe)
		}
	}
	b.tell(v)
}

// ofTheClient: what only clients send, by the schema's list of their messages, does not
// come from the target. Requests of any kind are judged by RPC-22 in modern revisions.
func ofTheClient(v *verdict.Verdict) {
	// An agreement besides the schema may bring further methods.
	more := len(v.Facts.Capability("experimental").Map())+len(v.Facts.Capability("extensions").Map()) > 0
	for _, m := range v.OwnCalls() {
		area, _, _ := strings.Cut(m.Method(), "/")
		if m.Method() != "" && !more && !schema.Defines(m.Method()) &&
			(m.Kind != wire.KindRequest || !v.Modern()) {
			v.Fail(m, "messages that servers send", "%s, which the schema of no revision has", m.Method()).
				Warn("no sentence forbids own methods, but clients drop what they do not know").
				Cause("a method that no revision has")
		}
		request := m.Kind == wire.KindRequest && !v.Modern() &&
			(m.Method() == "initialize" ||
				slices.Contains([]string{"resources", "prompts", "tools", "completion", "logging"}, area))
		if request || m.Method() == "notifications/initialized" ||
			m.Method() == "notifications/roots/list_changed" {
			v.Fail(m, "messages that servers send", "%s, which the schema has for clients only", m.Method()).
				Warn().Hint(fmt.Sprintf("leave %s to the client", m.Method()))
		}
	}
}

// breaches collects where messages break their schemas.
type breaches struct {
	set      *schema.Set
	rev      requirement.Revision
	sessions map[string]*recording.Session
	sent     map[string][]*recording.Exchange // by session
	seen     map[int]bool                     // frames
	judged   int
	found    map[string]*breach
}

// breach is a member of a type that is not as the schema has it.
type breach struct {
	schema.Violation
	said   string         // the message in words, of the first sighting
	frames verdict.Frames // of the first sightings
	times  int
}

func newBreaches(v *verdict.Verdict, set *schema.Set) *breaches {
	b := &breaches{set: set, rev: v.Revision(), sessions: map[string]*recording.Session{},
		sent: map[string][]*recording.Exchange{},
		seen: map[int]bool{}, found: map[string]*breach{}}
	known := map[*recording.Exchange]bool{}
	add := func(x *recording.Exchange) {
		if x != nil && !known[x] {
			known[x] = true
			b.sent[x.Session] = append(b.sent[x.Session], x)
		}
	}
	recs := append([]*recording.Recording{v.Recording}, v.Recordings()...)
	for _, rec := range recs {
		if rec == nil {
			continue
		}
		for _, s := range rec.Sessions {
			b.sessions[s.ID] = s
			add(s.Initialize)
		}
		for _, x := range rec.Exchanges {
			add(x)
		}
	}
	for _, all := range b.sent {
		slices.SortFunc(all, func(a, b *recording.Exchange) int { return a.Request - b.Request })
	}
	return b
}

// look judges the messages of the sessions of a recording that are wanted.
func (b *breaches) look(r *recording.Recording, wanted func(*recording.Session) bool) {
	var fresh []int
	for _, m := range r.Received() {
		n := m.Frame.Number
		if s := b.sessions[m.Frame.Session]; s == nil || !wanted(s) || b.seen[n] {
			continue
		}
		var asked *recording.Exchange
		if m.Kind == wire.KindResponse {
			asked = m.Asker(b.sent[m.Frame.Session])
		}
		if fresh = append(fresh, n); b.ours(m, asked) {
			b.judge(m, asked)
		}
	}
	for _, n := range fresh { // not before: a frame can hold several messages
		b.seen[n] = true
	}
}

// ours reports whether a message is one of the revision that is judged: probes also
// speak other ones. A response answers what was asked.
func (b *breaches) ours(m recording.Message, asked *recording.Exchange) bool {
	const version = `_meta.io\.modelcontextprotocol/protocolVersion`
	handshake := func(x *recording.Exchange) bool { return x.Method == "initialize" }
	if b.rev.Modern() {
		if asked != nil {
			return asked.Param(version).String() == string(b.rev)
		}
		return m.Kind != wire.KindResponse && !slices.ContainsFunc(b.sent[m.Frame.Session], handshake)
	}
	if asked != nil && (asked.Param(version).Exists() || asked.Method == "server/discover") {
		return false
	}
	opening := b.sessions[m.Frame.Session].Initialize
	if asked != nil && handshake(asked) {
		opening = asked
	}
	return opening != nil && opening.Value("protocolVersion").String() == string(b.rev)
}

// judge holds one message against its schema.
func (b *breaches) judge(m recording.Message, asked *recording.Exchange) {
	found, said := b.violations(m, asked)
	_, declared := m.Feature(b.sessions[m.Frame.Session])
	for _, f := range found {
		if len(f.Requirements) == 0 || declared && slices.Equal(f.Requirements, []string{"LIFE-12"}) {
			b.note(f, said, m.Frame.Number)
		}
	}
}

// violations lists what is wrong with a message, and says which one it is. Of responses it
// lists only what no requirement judges.
func (b *breaches) violations(m recording.Message, asked *recording.Exchange) (found []schema.Violation,
	said string) {
	said = m.Said()
	switch {
	case m.Kind == wire.KindResponse:
		method := ""
		if asked != nil {
			method = asked.Method
			said = "the answer to " + method
		}
		found = b.set.Unjudged(method, m.Result)
	case m.Kind == wire.KindRequest && !strings.HasPrefix(m.Method(), "notifications/"):
		found = b.set.RequestIn(m.Result)
	case m.Get("method").Exists():
		found = b.set.NotificationIn(m.Result)
	default:
		return nil, said // no message at all: judged elsewhere
	}
	b.judged++
	return found, said
}

func (b *breaches) note(f schema.Violation, said string, frame int) {
	const shown = 3
	key := f.Message + " " + f.Member
	one := b.found[key]
	if one == nil {
		one = &breach{Violation: f, said: said}
		b.found[key] = one
	}
	if one.times++; len(one.frames) < shown {
		one.frames = append(one.frames, frame)
	}
}

// tell notes one finding for each member of each type.
func (b *breaches) tell(v *verdict.Verdict) {
	if b.judged > 0 {
		v.Holds()
	}
	for _, key := range slices.Sorted(maps.Keys(b.found)) {
		f := b.found[key]
		actual := fmt.Sprintf("%s is %s in %s", f.Member, f.Got, f.said)
		if f.times > 1 {
			actual += fmt.Sprintf(", and wrong in %d messages in all", f.times)
		}
		v.Fail(f.frames, fmt.Sprintf("%s as %s, as %s has it in %s", f.Member, f.Want, b.rev, f.Message),
			"%s", actual).Cause(f.Member + " as " + f.Want).
			Hint(map[bool]string{true: verdict.OmitNull}[f.Got == "null"])
	}
}

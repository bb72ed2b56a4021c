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
	"github.com/tidwall/gjson"
)

// ofTheRevision judges all that the target sent in the combination against the
// schemas of the revision, in clean sessions and in answers to probes. What another
// requirement judges is left to it; of the rest each member is told once.
func ofTheRevision(r *recording.Recording, v *verdict.Verdict) {
	set := schema.For(v.Revision())
	if set == nil {
		return
	}
	b := newBreaches(r, v, set)
	b.look(r, func(*recording.Session) bool { return true })
	for _, rec := range v.Recordings() {
		if rec.Scenario != recording.Everything {
			b.look(rec, func(s *recording.Session) bool { return s.Kind == recording.Probe })
		}
	}
	b.tell(v)
}

// breaches collects where messages break their schemas.
type breaches struct {
	set      *schema.Set
	rev      requirement.Revision
	sessions map[string]*recording.Session
	sent     map[string][]*recording.Exchange // by session
	seen     map[int]bool                     // frames
	sound    map[string]bool                  // results that were found in order, by method
	judged   int
	found    map[string]*breach
}

// breach is a member of a type that is not as the schema has it.
type breach struct {
	schema.Violation
	said   string // the message in words, of the first sighting
	frames []int  // of the first sightings
	times  int
}

func newBreaches(r *recording.Recording, v *verdict.Verdict, set *schema.Set) *breaches {
	b := &breaches{set: set, rev: v.Revision(), sessions: map[string]*recording.Session{}, sent: map[string][]*recording.Exchange{},
		seen: map[int]bool{}, sound: map[string]bool{}, found: map[string]*breach{}}
	known := map[*recording.Exchange]bool{}
	add := func(x *recording.Exchange) {
		if x != nil && !known[x] {
			known[x] = true
			b.sent[x.Session] = append(b.sent[x.Session], x)
		}
	}
	recs := append([]*recording.Recording{r}, v.Recordings()...)
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
	for _, m := range verdict.Received(r) {
		n := m.Frame.Number
		if s := b.sessions[m.Frame.Session]; s == nil || !wanted(s) || b.seen[n] {
			continue
		}
		var asked *recording.Exchange
		if m.Kind == wire.KindResponse {
			asked = verdict.Asker(b.sent[m.Frame.Session], m)
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
func (b *breaches) ours(m verdict.Message, asked *recording.Exchange) bool {
	handshake := func(x *recording.Exchange) bool { return x.Method == "initialize" }
	if b.rev.Modern() {
		if asked != nil {
			return asked.Param("_meta."+gjson.Escape(verdict.KeyProtocolVersion)).String() == string(b.rev)
		}
		return m.Kind != wire.KindResponse && !slices.ContainsFunc(b.sent[m.Frame.Session], handshake)
	}
	if asked != nil && (asked.Param("_meta."+gjson.Escape(verdict.KeyProtocolVersion)).Exists() || asked.Method == "server/discover") {
		return false
	}
	opening := b.sessions[m.Frame.Session].Initialize
	if asked != nil && handshake(asked) {
		opening = asked
	}
	return opening != nil && opening.Result().Get("protocolVersion").String() == string(b.rev)
}

// judge holds one message against its schema.
func (b *breaches) judge(m verdict.Message, asked *recording.Exchange) {
	found, said := b.violations(m, asked)
	for _, f := range found {
		if ownerOf(f, b.rev) < 0 {
			b.note(f, said, m.Frame.Number)
		}
	}
}

// violations lists what is wrong with a message, and says which one it is.
func (b *breaches) violations(m verdict.Message, asked *recording.Exchange) (found []schema.Violation, said string) {
	said = m.Said()
	switch {
	case m.Kind == wire.KindResponse:
		method := ""
		if asked != nil {
			method = asked.Method
			said = "the answer to " + method
		}
		result := m.Get("result")
		key := method + "\x00" + result.Raw
		if result.Exists() && b.sound[key] {
			break
		}
		if found = b.set.ResponseIn(method, m.Result); len(found) == 0 && result.Exists() {
			b.sound[key] = true
		}
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
		v.That(false, fmt.Sprintf("%s as %s, as %s has it in %s", f.Member, f.Want, b.rev, f.Message), actual, f.frames...)
		v.Cause(f.Member + " as " + f.Want)
		if f.Got == "null" {
			v.Hint("leave the member out instead of sending null")
		}
	}
}

// owner says who judges a member of some types. A member that ends with an ellipsis
// stands for all below it as well.
type owner struct {
	types    string // names with spaces between; empty: all
	member   string
	from, to requirement.Revision // empty: no bound
	ids      string               // requirements with spaces between
}

// ownerOf is the place of the entry of the table below that says who judges what is
// violated; -1 if nobody does.
func ownerOf(f schema.Violation, rev requirement.Revision) int {
	for i, o := range owned {
		if rev < o.from || o.to != "" && rev > o.to || o.types != "" && !slices.Contains(strings.Fields(o.types), f.Message) {
			continue
		}
		stem, deep := strings.CutSuffix(o.member, "…")
		if f.Member == stem || deep && strings.HasPrefix(f.Member, stem) && (stem == "" || strings.ContainsAny(f.Member[len(stem):len(stem)+1], ".[")) {
			return i
		}
	}
	return -1
}

// The types that share members.
const (
	listTypes    = "ListResourcesResult ListResourceTemplatesResult"
	serverInfo   = "_meta.io.modelcontextprotocol/serverInfo"
	subscription = "params._meta.io.modelcontextprotocol/subscriptionId"
	since2026    = requirement.R20260728
	until2025    = requirement.R20251125
)

// owned lists what the schemas know and other requirements judge. The first entry
// that fits counts.
var owned = []owner{
	{"", "jsonrpc", "", "", "RPC-01"},
	{"JSONRPCResponse JSONRPCError", "id", "", "", "RPC-02"},
	{"JSONRPCResponse", "result", "", "", "RPC-06"},
	{"JSONRPCError", "error", "", "", "RPC-07"},
	{"JSONRPCError", "error.message", "", "", "RPC-07"},
	{"JSONRPCError", "error.code", "", "", "RPC-07 RPC-08"},
	{"JSONRPCNotification", "method", "", "", "RPC-12"},
	{"JSONRPCNotification", "params", "", "", "RPC-12"},
	{"JSONRPCRequest", "…", since2026, "", "RPC-22"},
	{"JSONRPCRequest", "id", "", "", "RPC-21"},
	{"CreateMessageRequest ListRootsRequest ElicitRequest", "…", "", "", "LIFE-12"},

	{"SubscriptionsListenResult", "_meta", "", "", "SUB-35"},
	{"SubscriptionsListenResult", "_meta.io.modelcontextprotocol/subscriptionId", "", "", "SUB-35"},
	{"", "_meta", "", "", "META-01"},
	{"", "params._meta", "", "", "META-01"},
	{"ListResourcesResult", "resources[]._meta", "", "", "META-01"},
	{"ListResourceTemplatesResult", "resourceTemplates[]._meta", "", "", "META-01"},
	{"ReadResourceResult", "contents[]._meta", "", "", "META-01"},
	{"", "resultType", "", "", "META-11"},
	{"", serverInfo, "", "", "META-13"},
	{"", serverInfo + ".name", "", "", "META-13"},
	{"", serverInfo + ".version", "", "", "META-13"},
	{listTypes, serverInfo + ".icons…", "", "", "ICON-01"},
	{listTypes, "ttlMs", "", "", "CACHE-01 CACHE-05"},
	{listTypes, "cacheScope", "", "", "CACHE-01 CACHE-07"},
	{"ReadResourceResult", "ttlMs", "", "", "CACHE-03 CACHE-05"},
	{"ReadResourceResult", "cacheScope", "", "", "CACHE-03 CACHE-07"},
	{"DiscoverResult", "ttlMs", "", "", "CACHE-04 CACHE-05"},
	{"DiscoverResult", "cacheScope", "", "", "CACHE-04 CACHE-07"},

	{"InitializeResult", "protocolVersion", "", "", "LIFE-01"},
	{"InitializeResult", "capabilities", "", "", "LIFE-01"},
	{"InitializeResult", "serverInfo", "", "", "LIFE-01"},
	{"InitializeResult", "serverInfo.name", "", "", "LIFE-01"},
	{"InitializeResult", "serverInfo.version", "", "", "LIFE-01"},
	{"InitializeResult", "instructions", "", "", "LIFE-07"},
	{"InitializeResult", "serverInfo.title", "", "", "LIFE-07"},
	{"InitializeResult", "serverInfo.description", "", "", "LIFE-07"},
	{"InitializeResult", "serverInfo.websiteUrl", "", "", "LIFE-07"},
	{"InitializeResult", "serverInfo.icons", "", "", "LIFE-07 ICON-01"},
	{"InitializeResult", "serverInfo.icons…", "", "", "ICON-01"},
	{"DiscoverResult", "supportedVersions…", "", "", "DISC-02"},
	{"DiscoverResult", "capabilities", "", "", "DISC-02"},
	{"DiscoverResult", "instructions", "", "", "DISC-02"},
	{"InitializeResult DiscoverResult", "capabilities.resources", "", "", "CAP-02"},
	{"InitializeResult DiscoverResult", "capabilities.resources…", "", "", "CAP-03"},
	{"InitializeResult DiscoverResult", "capabilities.logging", "", "", "CAP-11"},
	{"InitializeResult DiscoverResult", "capabilities.prompts", "", "", "CAP-11"},
	{"InitializeResult DiscoverResult", "capabilities.tools", "", "", "CAP-11"},
	{"InitializeResult DiscoverResult", "capabilities.completions", "", "", "CAP-11"},
	{"InitializeResult DiscoverResult", "capabilities.experimental…", "", "", "CAP-11"},
	{"InitializeResult DiscoverResult", "capabilities.extensions…", "", "", "CAP-11"},

	{listTypes, "nextCursor", "", "", "PAGE-01"},
	{"ListResourcesResult", "resources", "", "", "LIST-01"},
	{"ListResourcesResult", "resources[]", "", "", "LIST-02"},
	{"ListResourcesResult", "resources[].uri", "", "", "LIST-02"},
	{"ListResourcesResult", "resources[].name", "", "", "LIST-02"},
	{"ListResourcesResult", "resources[].title", "", "", "LIST-05"},
	{"ListResourcesResult", "resources[].description", "", "", "LIST-05"},
	{"ListResourcesResult", "resources[].mimeType", "", "", "LIST-05"},
	{"ListResourcesResult", "resources[].size", "", "", "LIST-05"},
	{"ListResourcesResult", "resources[].annotations.audience[]", "", "", "ANN-03"},
	{"ListResourcesResult", "resources[].annotations.priority", "", "", "ANN-01 ANN-05"},
	{"ListResourcesResult", "resources[].annotations…", "", "", "ANN-01"},
	{"ListResourcesResult", "resources[].icons…", "", "", "ICON-01"},
	{"ListResourceTemplatesResult", "resourceTemplates", "", "", "TMPL-01"},
	{"ListResourceTemplatesResult", "resourceTemplates[]", "", "", "TMPL-02"},
	{"ListResourceTemplatesResult", "resourceTemplates[].uriTemplate", "", "", "TMPL-02"},
	{"ListResourceTemplatesResult", "resourceTemplates[].name", "", "", "TMPL-02"},
	{"ListResourceTemplatesResult", "resourceTemplates[].title", "", "", "TMPL-09"},
	{"ListResourceTemplatesResult", "resourceTemplates[].description", "", "", "TMPL-09"},
	{"ListResourceTemplatesResult", "resourceTemplates[].mimeType", "", "", "TMPL-09"},
	{"ListResourceTemplatesResult", "resourceTemplates[].annotations.audience[]", "", "", "ANN-03"},
	{"ListResourceTemplatesResult", "resourceTemplates[].annotations.priority", "", "", "ANN-01 ANN-05"},
	{"ListResourceTemplatesResult", "resourceTemplates[].annotations…", "", "", "ANN-01"},
	{"ListResourceTemplatesResult", "resourceTemplates[].icons…", "", "", "ICON-01"},
	{"ReadResourceResult", "contents", "", "", "READ-01"},
	{"ReadResourceResult", "contents[]", "", "", "READ-02"},
	{"ReadResourceResult", "contents[].uri", "", "", "READ-02"},
	{"ReadResourceResult", "contents[].mimeType", "", "", "READ-02"},
	{"ReadResourceResult", "contents[].text", "", "", "READ-03"},
	{"InputRequiredResult", "requestState", "", "", "MRTR-02"},
	{"InputRequiredResult", "inputRequests", "", "", "MRTR-02"},
	{"InputRequiredResult", "inputRequests.*", "", "", "MRTR-02"},
	{"InputRequiredResult", "inputRequests.*.method", "", "", "MRTR-02"},
	{"InputRequiredResult", "inputRequests.*.params", "", "", "MRTR-02"},
	{"CompleteResult", "completion", "", "", "COMP-02"},
	{"CompleteResult", "completion.values", "", "", "COMP-02 COMP-03"},
	{"CompleteResult", "completion.values[]", "", "", "COMP-02"},
	{"CompleteResult", "completion.total", "", "", "COMP-04"},
	{"CompleteResult", "completion.hasMore", "", "", "COMP-04"},

	{"ResourceUpdatedNotification", "params", "", "", "SUB-04"},
	{"ResourceUpdatedNotification", "params.uri", "", "", "SUB-04"},
	{"ResourceUpdatedNotification ResourceListChangedNotification", subscription, "", "", "SUB-29"},
	{"ProgressNotification LoggingMessageNotification", subscription, "", "", "META-19"},
	{"SubscriptionsAcknowledgedNotification", subscription, "", "", "SUB-23"},
	{"SubscriptionsAcknowledgedNotification", "params", "", "", "SUB-22"},
	{"SubscriptionsAcknowledgedNotification", "params.notifications…", "", "", "SUB-22"},
	{"ProgressNotification", "params", "", "", "PROG-01"},
	{"ProgressNotification", "params.progressToken", "", "", "PROG-01"},
	{"ProgressNotification", "params.progress", "", "", "PROG-02"},
	{"ProgressNotification", "params.total", "", "", "PROG-02"},
	{"ProgressNotification", "params.message", "", "", "PROG-02"},
	{"CancelledNotification", "params", since2026, "", "CANC-07"},
	{"CancelledNotification", "params.requestId", since2026, "", "CANC-07"},
	{"CancelledNotification", "params", "", until2025, "CANC-08"},
	{"CancelledNotification", "params.requestId", "", until2025, "CANC-08"},
	{"LoggingMessageNotification", "params", "", "", "META-21"},
	{"LoggingMessageNotification", "params.level", "", "", "META-21"},
	{"LoggingMessageNotification", "params.data", "", "", "META-21"},
	{"LoggingMessageNotification", "params.logger", "", "", "META-21"},

	{"UnsupportedProtocolVersionError", "error.data…", "", "", "DISC-09"},
	{"MissingRequiredClientCapabilityError", "error.data", "", "", "ERR-60"},
	{"MissingRequiredClientCapabilityError", "error.data.requiredCapabilities", "", "", "ERR-60"},
}

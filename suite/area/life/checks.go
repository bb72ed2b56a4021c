// Package life is the area LIFE: the handshake of the legacy revisions, what is
// agreed in it, and ping (basic/lifecycle and basic/utilities/ping).
package life

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	// a handshake in slow motion: the end of it is held back
	Handshake       recording.Name = "handshake"
	Pings           recording.Name = "pings"            // ping with and without params
	FaultyHandshake recording.Name = "faulty-handshake" // initialize with members missing
	Negotiation     recording.Name = "negotiation"      // initialize with a version that nobody implements
	CapableClient   recording.Name = "capable-client"   // a client that declares what it can do
)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{
	handshakeScenario, pingsScenario, faultyHandshakeScenario, negotiationScenario, capableClientScenario,
}

// The steps of the area's scripts.
const (
	stepEarlyPing, stepFirst, stepAgain, stepPing recording.Step = "early-ping", "first", "again", "ping"
	stepPingMeta, stepNoMembers, stepNoClientInfo recording.Step = "ping-meta", "no-members", "no-client-info"
	stepSound, stepAlien, stepReturn              recording.Step = "sound", "alien", "return"
	stepLater, stepOpen, stepServed               recording.Step = "later", "open", "served"
	stepRoots, stepUsed, stepBeside, stepLeft     recording.Step = "roots", "used", "beside", "left"
	stepNoVersion                                 recording.Step = "no-version"
)

// The marks of the area's scripts.
const (
	markWaiting, markWaited recording.MarkName = "waiting", "waited"
)

// Checks lists the checks of basic/lifecycle and basic/utilities/ping.
var Checks = verdict.Checks{
	"LIFE-01": {Judge: func(v *verdict.Verdict) {
		for _, x := range handshakes(v) {
			verdict.TypedResult("InitializeResult", "protocolVersion", "capabilities", "serverInfo",
				"serverInfo.name", "serverInfo.version")(x, v)
		}
	}},
	"LIFE-03": {From: recording.Names{recording.Everything, Negotiation},
		Judge: func(v *verdict.Verdict) {
			for _, x := range handshakes(v) {
				asked, got := x.Param("protocolVersion"), x.Value("protocolVersion")
				if !judge.IsString(got) {
					v.NotExercised("protocolVersion is no string: see LIFE-01")
					continue
				}
				v.That(x, got.Str == asked.Str,
					"the requested version "+asked.Str+", which the server supports", "the version %v",
					got).Cause("another version than the requested one")
			}
			for _, x := range v.Steps(stepReturn) {
				if v.Answered(x) && x.Succeeded() {
					got := x.Value("protocolVersion")
					v.That(verdict.Several{verdict.All(v.Steps(stepAlien)...), x},
						got.String() == x.Tags[scenario.TagVersion],
						"the version "+x.Tags[scenario.TagVersion]+", which the server had offered before",
						"the version %v", got)
				}
			}
		}},
	"LIFE-04": {From: recording.Names{Negotiation}, Judge: counterOffer},
	"LIFE-05": {From: recording.Names{Negotiation},
		Judge: func(v *verdict.Verdict) {
			latest := requirement.Revision("")
			for _, rev := range v.Facts.Served {
				if !rev.Modern() {
					latest = max(latest, rev)
				}
			}
			for _, x := range v.Steps(stepAlien) {
				offer := x.Value("protocolVersion")
				if !v.Answered(x) || !x.Succeeded() || !judge.IsString(offer) || offer.Str == alien(x) {
					continue
				}
				v.That(x, offer.Str >= string(latest), "the offer of "+string(latest)+
					", the latest version that the server accepts", "the offer of %s", offer.Str).
					Cause("an offer that is not the latest version")
			}
		}},
	"LIFE-07": {Judge: func(v *verdict.Verdict) {
		for _, x := range handshakes(v) {
			optionalMembers(x, v)
		}
	}},
	"LIFE-09": {Judge: early},
	"LIFE-10": {From: recording.Names{Handshake},
		Judge: func(v *verdict.Verdict) {
			if how := v.Facts.Notes[recording.FactSingle]; how != "" {
				v.Observe(nil, "one-session-at-a-time", "all of this is judged one session at a time, as a "+
					"target file asks for with instances: 1: %s", how)
			}
			for _, x := range v.Steps(stepFirst) {
				if again := v.Step(stepAgain); again != nil && !x.Succeeded() {
					x = again
				}
				if code, _ := x.Code(); x.Failed() && code == -32601 {
					v.NeedsSubject("%s is unknown to the target: %v", x.Method, x)
					continue
				}
				v.Expect(x, matcher.BeResult(), "%s after the handshake", x.Method)
			}
		}},
	"LIFE-12": {Judge: func(v *verdict.Verdict) {
		clean := len(v.Received()) > 0
		for _, m := range v.OwnRequests() {
			if feature, declared := m.Feature(v.Session(m.Frame.Session)); feature != "" && !declared {
				clean = false
				v.Fail(m, "no request for "+feature+", which the client did not declare",
					"a request for %s", m.Method()).
					Hint("look at the capabilities of the client before asking it for " + feature)
			}
		}
		if clean {
			v.Holds()
		}
	}},
	"LIFE-13": {With: verdict.Every, Probes: true,
		Judge: func(v *verdict.Verdict) {
			ofTheRevision(v)
			ofTheClient(v)
			if v.Modern() {
				return
			}
			// 2025-03-26 has batches. Elsewhere arrays are those of SSE-23 in 2024-11-05 and of BATCH-07
			// later, on the transports that the revision defines; but over stdio the former has no such
			// requirement.
			if c := v.Facts.Combination; c.Revision != requirement.R20250326 &&
				(!c.Defined() || c.Revision == requirement.R20241105 && c.Transport == requirement.Stdio) {
				v.NoArrays()
			}
			for _, m := range v.Responses() {
				kind := m.Get("result.resultType")
				v.That(m, kind.Str != "input_required", "a result of the negotiated revision",
					"resultType input_required, which contradicts it")
			}
		}},
	"LIFE-14": {From: recording.Names{Pings},
		Judge: func(v *verdict.Verdict) {
			var full verdict.Sightings
			for _, x := range v.Steps(stepPing, stepPingMeta) {
				if v.Expect(x, matcher.BeResult(), "ping").Held() {
					rest := slices.DeleteFunc(judge.Names(x.Result()), func(name string) bool {
						return name == "_meta"
					})
					if len(rest) > 0 {
						full.Add(x, "%s", strings.Join(rest, ", "))
					}
				}
			}
			full.Observe(v, "ping-result-with-members",
				"%d {result of a ping, which is an empty one, has|results of pings, which are empty ones,"+
					" have} members: %s")
		}},
	"LIFE-16": {From: recording.Names{Handshake},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepEarlyPing) {
				if x.Outcome == recording.Silent {
					v.Fail(x, "an answer", "%v to a ping before initialized", x)
					continue
				}
				v.Expect(x, matcher.BeResult(), "a ping before initialized")
			}
		}},
	"LIFE-17": {From: recording.Names{FaultyHandshake, Negotiation},
		Judge: func(v *verdict.Verdict) {
			if x := v.Step(stepSound); x != nil && x.Outcome == recording.Lost && v.Facts.Owned &&
				v.OnStdio() {
				v.Block(x, recording.CodeDied, "the program ends at its start without a faulty initialize "+
					"as well: %s", x.Reason)
				return
			}
			for _, x := range v.Steps(stepNoMembers, stepNoClientInfo, stepNoVersion, stepAlien) {
				tolerable(x, v)
			}
			for _, x := range v.Steps(stepSound) {
				if faulty := v.Steps(stepNoMembers, stepNoClientInfo, stepAlien); len(faulty) > 0 {
					v.RestsOn(faulty[len(faulty)-1])
				}
				v.That(x, x.Succeeded(), "a sound handshake that succeeds after a faulty one", "%v", x)
			}
			if len(v.Exchanges) > 0 && v.Step(stepSound) == nil && v.Broken != nil &&
				v.Broken.Code != recording.CodeInterrupted {
				v.Fail(v.Exchanges[len(v.Exchanges)-1], "a connection on which a sound handshake succeeds "+
					"after a faulty one", "%s", v.Broken.Reason)
			}
		}},
	"LIFE-18": {From: capableOnes, With: plainOnes, Judge: servesCapable},
	"LIFE-19": {From: capableOnes, With: plainOnes, Judge: outlivesCapable},
}

// early: before its answer to initialize a server sends nothing but pings and log messages, and no other
// request before the handshake has ended. That notifications come then is only remarked upon: the sentence
// speaks of requests, but of logging among them.
func early(v *verdict.Verdict) {
	ended, began := map[string]int{}, map[string]int{}
	for _, end := range v.Steps(recording.StepInitialized) {
		v.Holds()
		ended[end.Session] = end.Request
	}
	for _, s := range v.Sessions {
		if x := s.Initialize; x != nil && x.Succeeded() && len(x.Replies) > 0 {
			began[s.ID] = x.Replies[0]
		}
	}
	for _, m := range v.OwnCalls() {
		at, end := m.Frame.Number, ended[m.Frame.Session]
		if m.Method() == "ping" || m.Method() == "notifications/message" {
			continue
		}
		switch {
		case at < began[m.Frame.Session]:
			v.Fail(m, "nothing but ping and log messages before the answer to initialize", "%s", m.Method())
		case at > end:
		case m.Kind == wire.KindRequest:
			v.Fail(verdict.Several{m, verdict.Frames{end}}, "no request but ping before "+
				"notifications/initialized", "a request for %s", m.Method())
		default:
			v.Observe(m, "notification-before-initialized", "%s before notifications/initialized, when "+
				"clients need not be ready for more than pings and log messages", m.Method())
		}
	}
}

// handshakes lists the answered handshakes of sessions in which we kept to the specification.
func handshakes(v *verdict.Verdict) []*recording.Exchange {
	var all []*recording.Exchange
	for _, s := range v.Sessions {
		if s.Initialize != nil && s.Initialize.Succeeded() && s.Kind != recording.Probe {
			all = append(all, s.Initialize)
		}
	}
	return all
}

// alien is the version that a handshake asked for.
func alien(x *recording.Exchange) string { return x.Param("protocolVersion").String() }

// counterOffer: an unknown version is met with another one, and that one works.
func counterOffer(v *verdict.Verdict) {
	for _, x := range v.Steps(stepAlien, stepLater) {
		if matcher.Refused(x) && (x.Step == stepAlien || alien(x) == futureVersion) {
			v.Fail(x, "the offer of a version that the server supports",
				"%v to a handshake with the version %s", x, alien(x)).Warn()
			continue
		}
		if x.Step == stepLater || !v.Answered(x) {
			continue
		}
		offer := x.Value("protocolVersion")
		v.That(x, judge.IsString(offer) && offer.Str != alien(x),
			"the offer of a version that the server supports, in place of "+alien(x),
			"protocolVersion is %v", offer).
			Hint("never repeat a version that the server does not know: answer with the latest one that it " +
				"supports")
	}
	for _, x := range v.Steps(stepReturn) {
		v.Expect(x, matcher.BeResult(), "a handshake with %s, which the server had offered",
			x.Tags[scenario.TagVersion])
	}
	for _, x := range v.Steps(stepAlien, stepLater) {
		offer := requirement.Revision(x.Value("protocolVersion").Str)
		switch {
		case x.Step == stepLater && offer == futureVersion:
			v.Fail(x, "the offer of a version that the server supports, in place of "+futureVersion,
				"protocolVersion is %s", futureVersion).Cause("a version of the future").
				Hint("look the version up among those that the server supports, instead of comparing which " +
					"one is later")
		case offer.Modern() && slices.Contains(requirement.Revisions(), offer):
			v.Fail(x, "a version that begins with a handshake", "protocolVersion is %s, which has none, in "+
				"the answer to %s", offer, faulty(x)).
				Warn("a version that is supported is to be confirmed, but initialize selects one that has " +
					"a handshake").Cause("a version without a handshake").
				Hint("answer initialize with the latest version that begins with a handshake")
		}
	}
}

// optionalMembers judges the types of what a handshake may hold.
func optionalMembers(x *recording.Exchange, v *verdict.Verdict) {
	verdict.TypedResult("InitializeResult", "instructions", "serverInfo.title", "serverInfo.description",
		"serverInfo.icons", "serverInfo.websiteUrl")(x, v)
	site := x.Value("serverInfo.websiteUrl")
	if problems := hardProblems(site); v.Revision() >= requirement.R20251125 && judge.IsString(site) &&
		len(problems) > 0 {
		v.Fail(x, "serverInfo.websiteUrl as a URI", "%v: %v", site, problems[0])
	}
}

// hardProblems are those that make a string no URI.
func hardProblems(uri gjson.Result) []judge.Problem {
	return slices.DeleteFunc(judge.URI(uri.Str), func(p judge.Problem) bool { return p.Soft })
}

// faulty says what is wrong with a handshake.
func faulty(x *recording.Exchange) string {
	switch x.Step {
	case stepNoMembers:
		return "initialize with empty params"
	case stepNoClientInfo:
		return "initialize without clientInfo"
	case stepNoVersion:
		return "initialize with the protocolVersion " + cmp.Or(x.Param("protocolVersion").Raw, "left out")
	}
	return "initialize with the version " + verdict.Quoted(alien(x))
}

// tolerable: a faulty initialize was answered, somehow.
func tolerable(x *recording.Exchange, v *verdict.Verdict) {
	switch x.Outcome {
	case recording.Silent, recording.Lost:
		v.Fail(x, "an answer to a faulty initialize, error or result", "%v to %s", x, faulty(x))
	default:
		if !v.Answered(x) {
			return
		}
		got := x.Value("protocolVersion")
		v.That(x, !x.Succeeded() || x.Step == stepAlien || mayBeVersion(got.Str),
			"an error, or a version of the protocol", "protocolVersion is %v in the answer to %s", got,
			faulty(x)).Title("A faulty initialize gets an error or a version of the protocol")
	}
}

// mayBeVersion reports whether a version may be one of the protocol, known to us or not: a date, or
// the label of a draft.
func mayBeVersion(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil || strings.Contains(strings.ToLower(version), "draft")
}

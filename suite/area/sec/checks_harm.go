package sec

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The checks of harm that was seen to be done, whatever sentence speaks of it.

// ownersContents: what the owner of a protected resource reads is not given to others.
func ownersContents(v *verdict.Verdict) {
	for _, x := range v.Steps(recording.StepRead) {
		if turnedAway(x) {
			v.Holds()
			continue
		}
		uri := x.URI()
		owner := slices.IndexFunc(v.Exchanges, func(y *recording.Exchange) bool {
			return y.Step == stepOwner && y.Param("uri").String() == uri
		})
		switch {
		case !v.Answered(x):
		case owner < 0 || !verdict.Yields(v.Exchanges[owner]):
			v.NeedsSubject("the owner of %s could not read it, so that nothing can be compared", uri)
		case x.Succeeded():
			same := verdict.Yields(x) && slices.Equal(verdict.Bodies(x), verdict.Bodies(v.Exchanges[owner]))
			v.That(verdict.Several{v.Exchanges[owner], x}, !same, "a refusal",
				"the identity %q gets the contents of %s that its owner gets", x.Tags[tagIdentity], uri)
		default:
			v.Holds()
		}
	}
}

// survives: no probe ends a server that serves. Where a connection is not a server of its
// own, only one that was started for the run is known to have ended. While it is open which message
// ended a server, none is known to have been survived.
func survives(v *verdict.Verdict) {
	endsSessions(v)
	if !v.OwnServer() {
		v.NotExercised("whether a message ends the server, or only a connection, cannot be seen at an " +
			"address")
		return
	}
	for _, r := range v.Recordings() {
		if why := r.Unprovoked(); why != "" {
			v.Block(nil, recording.CodeDied, "the target also fails where nothing is wrong with what it "+
				"was sent: %s", why)
			return
		}
	}
	seen := map[*recording.Exchange]bool{}
	open, survived := false, 0
	amid := map[string]verdict.Several{}
	for _, r := range v.Recordings() {
		amidProbes(r, v, seen, amid)
		for i, x := range r.Exchanges {
			if x.Kind != recording.Probe || seen[x] || !v.Began(r, x) {
				continue
			}
			seen[x] = true
			switch {
			case v.EndsServer(r, x) && divided(r, x) &&
				v.Input(recording.InvalidMessages).LostOverText():
				// that is the finding
			case v.EndsServer(r, x):
				v.Fail(x, "a server that goes on serving", "%s ended the server%s, and did so again when "+
					"it was sent alone", verdict.Sent(r, x), matcher.InBrackets(x.Reason)).
					SharedCause(verdict.Ends).Harmless(byClientAlone(v, x))
			case lostOnce(x, r.Exchanges[i+1:]):
				open = true
				v.Block(x, recording.CodeDied, "the connection was lost over %s%s, which could not be sent "+
					"again alone", verdict.Sent(r, x), matcher.InBrackets(x.Reason))
			default:
				survived++
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(amid)) {
		// What they do together nobody can tell, and many sessions may have one cause: so much was said in
		// them.
		v.Observe(amid[why], "ended-amid-probes", "the server ended (%s) amid messages of which none ends "+
			"it when sent again alone: it may end after so many", why)
	}
	if survived > 0 && !open {
		v.Holds()
	}
}

// byClientAlone reports whether nobody but a client that has the server to itself can send a message: over
// stdio all but the URIs and the values, which a model or a user may have from elsewhere.
func byClientAlone(v *verdict.Verdict, x *recording.Exchange) bool {
	return v.OnStdio() &&
		x.Param("uri").Type != gjson.String && x.Param("argument.value").Type != gjson.String
}

// endsSessions tells of messages that sessions end over without a word about it. A server may end one at any
// time, but then it says so by 404, at which clients begin another one (2025-11-25
// basic/transports#session-management).
func endsSessions(v *verdict.Verdict) {
	ordinary := func(x *recording.Exchange) bool {
		return x.Ends != 0 && x.Step.Sent() == recording.StepAlive
	}
	if slices.ContainsFunc(v.Recordings(), func(r *recording.Recording) bool {
		return slices.ContainsFunc(r.Exchanges, ordinary)
	}) {
		return
	}
	told := map[string]bool{}
	for _, r := range v.Recordings() {
		for _, x := range r.Exchanges {
			if x.Ends == 0 || told[verdict.Sent(r, x)] {
				continue
			}
			told[verdict.Sent(r, x)] = true
			on := verdict.Several{x}
			for _, y := range r.Exchanges {
				if y.Session == x.Session && y.Status == x.Ends && y.Step.Sent() == recording.StepAlive {
					on = append(on, y)
				}
			}
			v.Observe(on, "session-broken", "everything is answered by HTTP %d in a session that has had "+
				"%s, each time that this was sent in a new one; a session that is over is answered by 404, "+
				"at which clients begin another", x.Ends, verdict.Sent(r, x))
		}
	}
}

// divided reports whether a message had newlines in it over stdio, and one of its lines is no JSON.
func divided(r *recording.Recording, x *recording.Exchange) bool {
	f := r.Frame(x.Request)
	if f == nil || !r.OnStdio() {
		return false
	}
	lines := bytes.Split(bytes.TrimRight(f.Raw, "\n"), []byte("\n"))
	return len(lines) > 1 && slices.ContainsFunc(lines, func(line []byte) bool { return !wire.Valid(line) })
}

// amidProbes collects, by how servers ended, the frames of probes amid which they did, and of which none
// ended one when it was sent again alone. Where what was sent again, such as a race, ended a server once
// more, that is judged for itself.
func amidProbes(r *recording.Recording, v *verdict.Verdict, seen map[*recording.Exchange]bool,
	amid map[string]verdict.Several) {
	for _, s := range r.Sessions {
		if s.Kind != recording.Probe || s.Lost == "" || s.Idle {
			continue
		}
		var probes verdict.Several
		guilty := false
		for i, x := range r.Exchanges {
			if x.Session != s.ID || seen[x] || !strings.HasSuffix(string(x.Step),
				string(recording.StepLost)) || !v.Began(r, x) {
				continue
			}
			again := sentAgain(x, r.Exchanges[i+1:])
			guilty = guilty || again == nil || again.Fatal ||
				slices.ContainsFunc(r.Sessions, func(s *recording.Session) bool {
					return s.ID == again.Session && s.Lost != "" && !s.Idle
				})
			probes = append(probes, x)
		}
		if !guilty && len(probes) > 0 {
			amid[s.Lost] = append(amid[s.Lost], probes...)
		}
	}
}

// lostOnce reports whether the connection was lost over a message that was not sent again alone,
// given what came after it.
func lostOnce(x *recording.Exchange, later []*recording.Exchange) bool {
	return x.Outcome == recording.Lost && strings.HasSuffix(string(x.Step), string(recording.StepLost)) &&
		sentAgain(x, later) == nil
}

// sentAgain is the message that was lost with a session, as it was sent again alone; nil if it was not.
func sentAgain(x *recording.Exchange, later []*recording.Exchange) *recording.Exchange {
	i := slices.IndexFunc(later, func(y *recording.Exchange) bool {
		return y.Step+recording.StepLost == x.Step && y.Method == x.Method && maps.Equal(y.Tags, x.Tags)
	})
	if i < 0 {
		return nil
	}
	return later[i]
}

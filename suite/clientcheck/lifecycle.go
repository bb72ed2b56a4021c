package clientcheck

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// lifecycleChecks are those of how sessions begin and end.
var lifecycleChecks = []check{
	{"CL-01", "it said nothing in a session", firstInitialize},
	{"CL-02", "no handshake succeeded", onceInitialize},
	{"CL-03", "it ended with the handshake", completesHandshake},
	{"CL-04", "it sent no initialize request", settlesVersion},
	{"CL-29", "its session was still open when it was judged", endsSession},
}

func firstInitialize(v *judging) {
	if !v.whole {
		v.incomplete("the beginning of the session is no longer in the journal")
		return
	}
	for _, m := range v.fromClient(kindRequest, kindNotification, kindBatch) {
		switch {
		case m.method == methodPing:
			continue
		case m.method != methodInitialize || m.kind != kindRequest:
			v.violated("initialize as the first message", "the first message is "+m.what(),
				"begin every connection and session with initialize, and wait for its result", m)
		default:
			v.that(!m.batched, "an initialize request by itself", "initialize is part of a batch",
				"send initialize alone, and batches only after the handshake", m)
		}
		return
	}
}

func onceInitialize(v *judging) {
	if v.accepted == nil {
		return
	}
	v.pass(v.initialize)
	for _, m := range v.requests(methodInitialize) {
		if m.Seq > v.accepted.Seq {
			v.violated("one initialize request in the session",
				"initialize was sent again after it had succeeded",
				"keep the result of the first handshake; for another one open another session", v.initialize,
				m)
		}
	}
	arrived := recording.Keep(v.notes(methodInitialized), func(m *message) bool {
		return m.HTTP == nil || m.reply != nil && m.status() < http.StatusBadRequest
	})
	if len(arrived) > 1 {
		v.violated("one notifications/initialized in the session", "notifications/initialized was sent again",
			"send it once, after the result of initialize", arrived[0], arrived[1])
	}
}

// unready are the methods that need no complete handshake.
var unready = []string{methodPing, methodInitialize, methodInitialized}

func completesHandshake(v *judging) {
	if v.accepted == nil {
		return
	}
	const expected = "notifications/initialized after the result of initialize"
	hasty := early(v)
	switch done := v.initialized(); {
	case done == nil:
		for _, m := range v.requests() {
			if m.Seq >= v.accepted.Seq && !slices.Contains(unready, m.method) {
				v.violated(expected, "notifications/initialized was never sent, but "+m.what()+" was",
					"send notifications/initialized as soon as the result of initialize is there",
					v.accepted, m)
				return
			}
		}
	case done.Seq < v.accepted.Seq:
		v.violated(expected, "notifications/initialized was sent before that result",
			"wait for the result of initialize", done, v.accepted)
	case !hasty:
		v.pass(v.accepted, done)
	}
}

// early finds requests that came before the handshake was complete.
func early(v *judging) bool {
	done := v.initialized()
	for _, m := range v.requests() {
		// Over HTTP the order in which requests arrive is not that in which they were sent.
		overtaken := v.Transport != requirement.Stdio &&
			(m.answer == nil || done != nil && m.answer.Seq > done.Seq)
		switch {
		case m.method == methodInitialize || m.method == methodPing || m.Seq < v.initialize.Seq:
			continue
		case m.Seq < v.accepted.Seq:
			v.warn("it is a SHOULD NOT", "nothing but pings until initialize is answered",
				m.what()+" was sent before the result of initialize", "wait for the result of initialize",
				m, v.accepted)
		case done != nil && m.Seq < done.Seq && !overtaken:
			v.warn("the order is only implied", "notifications/initialized before other requests",
				m.what()+" came before notifications/initialized", "send notifications/initialized first",
				m, done)
		default:
			continue
		}
		return true
	}
	return false
}

// introduction is what an initialize request has to say.
var introduction = []form{
	text("protocolVersion"), object("capabilities"), object("clientInfo"),
	text("clientInfo.name"), text("clientInfo.version"),
}

func settlesVersion(v *judging) {
	for _, m := range v.requests(methodInitialize) {
		if !m.whole {
			continue
		}
		r := m.succeeded()
		agreed, offered := r.Get("protocolVersion").String(), m.Get("params.protocolVersion").String()
		lacks := m.misfit(introduction)
		switch {
		case lacks != nil:
			v.violated("protocolVersion, capabilities and clientInfo with name and version",
				"initialize lacks a proper "+lacks.path, "send all three members, in the form of the schema",
				m)
		case agreed != "" && agreed != offered && !requirement.Revision(agreed).Known() &&
			v.last().Seq > m.answer.Seq:
			v.warn("to disconnect is a SHOULD", "the end of the session, for want of a common version",
				"the client went on with "+shorten(agreed)+", which is no published version",
				"compare the version in the result with those that you support, "+
					"and disconnect if it is none of them",
				m.answer, v.last())
		case !offerable(offered):
			v.warn("a client may support versions of its own", "a published version",
				"initialize offers "+shorten(offered)+", which never was a version of the protocol",
				"offer the newest published version that the client supports", m)
		default:
			v.pass(m)
		}
	}
}

// offerable reports whether a version is, was or may become one: published, a draft, the one from
// before the first, or a date after the newest.
func offerable(version string) bool {
	const beforeTheFirst = "2024-10-07" // which released clients still know
	all := requirement.Revisions()
	_, err := time.Parse(time.DateOnly, version)
	return requirement.Revision(version).Known() || version == beforeTheFirst ||
		strings.Contains(strings.ToLower(version), "draft") || err == nil && version > string(all[len(all)-1])
}

func endsSession(v *judging) {
	reason := ""
	if v.closed != nil {
		reason = v.closed.Reason
	}
	switch {
	case v.Crashed != "" && !v.deleted:
		v.NotExercised("the client did not come to its end")
	case v.Transport == requirement.HTTP:
		endsOverHTTP(v)
	case v.closed == nil && !v.Ended:
		v.NotExercised("the connection was still open when it was judged")
	case reason == "client":
		v.pass(v.closed)
	case v.Interrupted != "":
		v.NotExercised("the client was ended")
	case v.closed == nil || reason == "abort" || reason == "interrupted":
		v.warn("a signal may have come between", "the end of the server's standard input",
			"the server was ended with its standard input open",
			"close the standard input of the server and wait for it to exit before sending signals", v.last())
	default:
		v.NotExercised("the server ended the connection first")
	}
}

func endsOverHTTP(v *judging) {
	switch {
	case v.modern:
		v.NotExercised("there are no sessions to end: every request stands by itself")
	case v.session == "":
		v.NotExercised("the server issued no session")
	case v.deleted:
		v.pass(v.closed)
	case v.closed != nil && v.closed.Reason != "shutdown" || v.gone():
		v.NotExercised("the server ended the session first")
	case v.Ended || v.closed != nil:
		v.violated("a DELETE with the session's id", "the client ended without a DELETE",
			"send DELETE with "+headerSession+" when the session is no longer needed", v.last())
	default:
		v.NotExercised("the session was still open when it was judged")
	}
}

package client

import (
	"slices"

	"github.com/tidwall/gjson"

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

func firstInitialize(g *group, v *judging) {
	for _, c := range g.conversations {
		if !c.whole {
			v.incomplete("the beginning of the session is no longer in the journal")
			continue
		}
		first := slices.IndexFunc(c.messages, func(m *message) bool {
			return !m.sent && m.method != "ping" && m.kind != kindUnreadable && m.kind != kindResponse
		})
		if first < 0 {
			continue
		}
		switch m := c.messages[first]; {
		case m.method != "initialize" || m.kind != kindRequest:
			v.violated("initialize as the first message", "the first message is "+m.what(),
				"begin every connection and session with initialize, and wait for its result", m.Seq)
		case m.batched:
			v.violated("an initialize request by itself", "initialize is part of a batch", "send initialize alone, and batches only after the handshake", m.Seq)
		default:
			v.pass(m.Seq)
		}
	}
}

func onceInitialize(g *group, v *judging) {
	for _, c := range g.conversations {
		if c.accepted == nil {
			continue
		}
		v.pass(c.initialize.Seq)
		for _, m := range c.requests("initialize") {
			if m.Seq > c.accepted.Seq {
				v.violated("one initialize request in the session", "initialize was sent again after it had succeeded",
					"keep the result of the first handshake; for another one open another session", c.initialize.Seq, m.Seq)
			}
		}
	}
}

func completesHandshake(g *group, v *judging) {
	for _, c := range g.conversations {
		if c.accepted == nil {
			continue
		}
		hasty := early(c, v)
		switch {
		case c.initialized == nil:
			if later := slices.DeleteFunc(c.requests(), func(m *message) bool {
				return m.Seq < c.accepted.Seq || m.method == "ping" || m.method == "initialize" || m.method == "notifications/initialized"
			}); len(later) > 0 {
				v.violated("notifications/initialized after the result of initialize", "notifications/initialized was never sent, but "+later[0].what()+" was",
					"send notifications/initialized as soon as the result of initialize is there", c.accepted.Seq, later[0].Seq)
			}
		case c.initialized.Seq < c.accepted.Seq:
			v.violated("notifications/initialized after the result of initialize", "notifications/initialized was sent before that result",
				"wait for the result of initialize", c.initialized.Seq, c.accepted.Seq)
		case !hasty:
			v.pass(c.accepted.Seq, c.initialized.Seq)
		}
	}
}

// early finds requests that came before the handshake was complete.
func early(c *conversation, v *judging) bool {
	for _, m := range c.requests() {
		if m.method == "initialize" || m.method == "ping" || m.Seq < c.initialize.Seq {
			continue
		}
		if m.Seq < c.accepted.Seq {
			v.warn("it is a SHOULD NOT", "nothing but pings until initialize is answered", m.what()+" was sent before the result of initialize",
				"wait for the result of initialize", m.Seq, c.accepted.Seq)
			return true
		}
		// Over HTTP the order in which requests arrive is not that in which they were sent.
		overtaken := c.Transport != requirement.Stdio && (m.answer == nil || c.initialized != nil && m.answer.Seq > c.initialized.Seq)
		if c.initialized != nil && m.Seq < c.initialized.Seq && !overtaken {
			v.warn("the order is only implied", "notifications/initialized before other requests", m.what()+" came before notifications/initialized",
				"send notifications/initialized first", m.Seq, c.initialized.Seq)
			return true
		}
	}
	return false
}

func settlesVersion(g *group, v *judging) {
	for c, m := range g.requests("initialize") {
		if !m.whole {
			continue
		}
		if lacks := missing(m); lacks != "" {
			v.violated("protocolVersion, capabilities and clientInfo with name and version", "initialize lacks a proper "+lacks,
				"send all three members, in the form of the schema", m.Seq)
			continue
		}
		r, _ := m.succeeded()
		agreed, offered := r.Get("protocolVersion").String(), m.params.Get("protocolVersion").String()
		if agreed != "" && agreed != offered && !requirement.Revision(agreed).Known() && c.last() > m.answer.Seq {
			v.warn("to disconnect is a SHOULD", "the end of the session, for want of a common version", "the client went on with "+shorten(agreed)+", which is no published version",
				"compare the version in the result with those that you support, and disconnect if it is none of them", m.answer.Seq, c.last())
			continue
		}
		v.pass(m.Seq)
	}
}

// missing is the first member of an initialize request that is not as it has to be.
func missing(m *message) string {
	for _, path := range []string{"protocolVersion", "capabilities", "clientInfo", "clientInfo.name", "clientInfo.version"} {
		x, isObject := m.params.Get(path), path == "capabilities" || path == "clientInfo"
		if isObject && !x.IsObject() || !isObject && x.Type != gjson.String {
			return path
		}
	}
	return ""
}

func endsSession(g *group, v *judging) {
	for _, c := range g.conversations {
		if c.Transport == requirement.HTTP {
			endsOverHTTP(g, v, c)
			continue
		}
		switch {
		case c.closed == nil && !g.options.Ended:
			v.skip("the connection was still open when it was judged")
		case c.closed != nil && c.closed.Reason == "client":
			v.pass(c.closed.Seq)
		case c.closed == nil || c.closed.Reason == "abort":
			v.warn("a signal may have come between", "the end of the server's standard input", "the server was ended with its standard input open",
				"close the standard input of the server and wait for it to exit before sending signals", c.last())
		default:
			v.skip("the server ended the connection first")
		}
	}
}

func endsOverHTTP(g *group, v *judging, c *conversation) {
	switch {
	case c.modern:
		v.skip("there are no sessions to end: every request stands by itself")
	case c.session == "":
		v.skip("the server issued no session")
	case c.deleted && c.closed == nil:
		v.pass()
	case c.deleted:
		v.pass(c.closed.Seq)
	case c.closed != nil && c.closed.Reason != "shutdown" || c.lost(g.record):
		v.skip("the server ended the session first")
	case g.options.Ended || c.closed != nil:
		v.violated("a DELETE with the session's id", "the client ended without a DELETE", "send DELETE with "+headerSession+" when the session is no longer needed", c.last())
	default:
		v.skip("the session was still open when it was judged")
	}
}

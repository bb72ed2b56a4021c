package verify

import (
	"slices"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func lifecycleRules() []Rule {
	handshake := []Section{in("basic/lifecycle", "initialization")}
	return []Rule{
		{
			ID: "CL-01", Title: "A session begins with initialize", Profile: profileLifecycle,
			Text:  "The first thing that a client of a revision with a handshake says on a connection, or in a session, is an initialize request, which stands by itself and not in a batch.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: legacy, Transports: onAll, Sections: handshake,
			Tolerated: "A ping may come before, and so may requests of a later era by which a client finds out what the server speaks.",
			Occasion:  "it said nothing in a session", judge: firstInitialize,
		},
		{
			ID: "CL-02", Title: "A session is initialized once", Profile: profileLifecycle,
			Text:  "Once a session has been initialized, no further initialize request is sent in it: the handshake is how a session begins.",
			Level: "SHOULD", Grade: Warn, Basis: Implied, Revisions: legacy, Transports: onAll, Sections: handshake,
			Tolerated: "A handshake that was refused may be repeated. No sentence forbids another one, so that it is a warning.",
			Occasion:  "no handshake succeeded", judge: onceInitialize,
		},
		{
			ID: "CL-03", Title: "The initialized notification completes the handshake", Profile: profileLifecycle,
			Text:  "After the result of initialize the client sends notifications/initialized, and only then other requests; before that result it asks for nothing but pings.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: legacy, Transports: onAll, Sections: handshake,
			Tolerated: "Over HTTP a request may overtake the notification. A client that ends right after the handshake is not held to it.",
			Occasion:  "it ended with the handshake", judge: completesHandshake,
		},
		{
			ID: "CL-04", Title: "The handshake offers a version and settles on one that is known", Profile: profileLifecycle,
			Text:  "An initialize request names a protocol version, the capabilities and the identity of the client, and the client goes on only with a version that it offered or that at least exists.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: legacy, Transports: onAll, Sections: []Section{in("basic/lifecycle", "version-negotiation")},
			Tolerated: "Which versions a client supports beyond the one that it offers cannot be seen: every published one passes.",
			Occasion:  "it sent no initialize request", judge: settlesVersion,
		},
		{
			ID: "CL-29", Title: "What is no longer needed is ended", Profile: profileLifecycle,
			Text:  "A client that no longer needs a session over HTTP ends it with DELETE; one that started a server as a process closes its standard input.",
			Level: "SHOULD", Grade: Warn, Basis: Normative, Revisions: everyOne, Transports: onBoth,
			Sections: []Section{
				{From: hook.R20250326, To: lastLegacy, Transport: hook.HTTP, Page: "basic/transports", Anchor: "session-management"},
				{From: first, To: lastLegacy, Transport: hook.Stdio, Page: "basic/lifecycle", Anchor: "stdio"},
				inModern("basic/transports/stdio", "shutdown"),
			},
			Tolerated: "Whether the client closed the input or died cannot always be told apart; a session that the server ended needs no DELETE.",
			Occasion:  "its session was still open when it was judged", judge: endsSession,
		},
	}
}

func firstInitialize(g *group, v *ruling) {
	for _, c := range g.talks {
		if !c.whole {
			v.lacking("the beginning of the session is no longer in the journal")
			continue
		}
		for _, m := range c.messages {
			if m.sent || m.method == "ping" || m.kind == journal.Unreadable || m.kind == journal.Response {
				continue
			}
			switch {
			case m.method == "initialize" && m.kind == journal.Request && m.batched:
				v.broken("an initialize request by itself", "initialize is part of a batch", "send initialize alone, and batches only after the handshake", m.seq())
			case m.method == "initialize" && m.kind == journal.Request:
				v.fine(m.seq())
			default:
				v.broken("initialize as the first message", "the first message is "+m.what(),
					"begin every connection and session with initialize, and wait for its result", m.seq())
			}
			break
		}
	}
}

func onceInitialize(g *group, v *ruling) {
	for _, c := range g.talks {
		if c.welcome == nil {
			continue
		}
		again := false
		for _, m := range c.requests("initialize") {
			if m.seq() > c.welcome.seq() {
				again = true
				v.broken("one initialize request in the session", "initialize was sent again after it had succeeded",
					"keep the result of the first handshake; for another one open another session", c.greeting.seq(), m.seq())
			}
		}
		if !again {
			v.fine(c.greeting.seq())
		}
	}
}

func completesHandshake(g *group, v *ruling) {
	for _, c := range g.talks {
		if c.welcome == nil {
			continue
		}
		hasty := early(c, v)
		switch {
		case c.initialized == nil:
			if later := slices.DeleteFunc(c.requests(), func(m *message) bool {
				return m.seq() < c.welcome.seq() || m.method == "ping" || m.method == "initialize" || m.method == "notifications/initialized"
			}); len(later) > 0 {
				v.broken("notifications/initialized after the result of initialize", "notifications/initialized was never sent, but "+later[0].what()+" was",
					"send notifications/initialized as soon as the result of initialize is there", c.welcome.seq(), later[0].seq())
			}
		case c.initialized.seq() < c.welcome.seq():
			v.broken("notifications/initialized after the result of initialize", "notifications/initialized was sent before that result",
				"wait for the result of initialize", c.initialized.seq(), c.welcome.seq())
		case !hasty:
			v.fine(c.welcome.seq(), c.initialized.seq())
		}
	}
}

// early finds requests that came before the handshake was complete.
func early(c *conversation, v *ruling) bool {
	for _, m := range c.requests() {
		if m.method == "initialize" || m.method == "ping" || m.seq() < c.greeting.seq() {
			continue
		}
		if m.seq() < c.welcome.seq() {
			v.dubious("it is a SHOULD NOT", "nothing but pings until initialize is answered", m.what()+" was sent before the result of initialize",
				"wait for the result of initialize", m.seq(), c.welcome.seq())
			return true
		}
		// Over HTTP the order in which requests arrive is not that in which they were sent.
		overtaken := c.transport != hook.Stdio && (m.answer == nil || c.initialized != nil && m.answer.seq() > c.initialized.seq())
		if c.initialized != nil && m.seq() < c.initialized.seq() && !overtaken {
			v.dubious("the order is only implied", "notifications/initialized before other requests", m.what()+" came before notifications/initialized",
				"send notifications/initialized first", m.seq(), c.initialized.seq())
			return true
		}
	}
	return false
}

func settlesVersion(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.requests("initialize") {
			if !m.whole {
				continue
			}
			if lacks := missing(m); lacks != "" {
				v.broken("protocolVersion, capabilities and clientInfo with name and version", "initialize lacks a proper "+lacks,
					"send all three members, in the form of the schema", m.seq())
				continue
			}
			agreed, offered := "", m.params.Get("protocolVersion").String()
			if r, ok := m.succeeded(); ok {
				agreed = r.Get("protocolVersion").String()
			}
			if agreed != "" && agreed != offered && !slices.Contains(everyOne, agreed) && c.last() > m.answer.seq() {
				v.dubious("to disconnect is a SHOULD", "the end of the session, for want of a common version", "the client went on with "+shorten(agreed)+", which is no published version",
					"compare the version in the result with those that you support, and disconnect if it is none of them", m.answer.seq(), c.last())
				continue
			}
			v.fine(m.seq())
		}
	}
}

// missing is the first member of an initialize request that is not as it has to be.
func missing(m *message) string {
	for _, want := range []struct {
		path string
		kind gjson.Type
	}{{"protocolVersion", gjson.String}, {"capabilities", gjson.JSON}, {"clientInfo", gjson.JSON}, {"clientInfo.name", gjson.String}, {"clientInfo.version", gjson.String}} {
		if x := m.params.Get(want.path); x.Type != want.kind || want.kind == gjson.JSON && !x.IsObject() {
			return want.path
		}
	}
	return ""
}

func endsSession(g *group, v *ruling) {
	for _, c := range g.talks {
		switch {
		case c.transport == hook.HTTP && c.modern:
			v.idle("there are no sessions to end: every request stands by itself")
		case c.transport == hook.HTTP && c.session == "":
			v.idle("the server issued no session")
		case c.transport == hook.HTTP && c.deleted:
			v.fine(seqOf(c.closed)...)
		case c.transport == hook.HTTP && (c.closed != nil && c.closed.Reason != "shutdown" || g.record.dead(c)):
			v.idle("the server ended the session first")
		case c.transport == hook.HTTP && (g.options.Ended || c.closed != nil):
			v.broken("a DELETE with the session's id", "the client ended without a DELETE", "send DELETE with "+headerSession+" when the session is no longer needed", c.last())
		case c.transport == hook.HTTP:
			v.idle("the session was still open when it was judged")
		case c.closed == nil && !g.options.Ended:
			v.idle("the connection was still open when it was judged")
		case c.closed != nil && c.closed.Reason == "client":
			v.fine(c.closed.Seq)
		case c.closed == nil || c.closed.Reason == "abort":
			v.dubious("a signal may have come between", "the end of the server's standard input", "the server was ended with its standard input open",
				"close the standard input of the server and wait for it to exit before sending signals", c.last())
		default:
			v.idle("the server ended the connection first")
		}
	}
}

func seqOf(e *journal.Entry) []uint64 {
	if e == nil {
		return nil
	}
	return []uint64{e.Seq}
}

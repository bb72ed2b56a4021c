package clientcheck

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
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
		if all := g.arrived(c, "notifications/initialized"); len(all) > 1 {
			v.violated("one notifications/initialized in the session", "notifications/initialized was sent again", "send it once, after the result of initialize", all[0].Seq, all[1].Seq)
		}
	}
}

// arrived lists the notifications of the client with a method, without those whose POST failed.
func (g *group) arrived(c *conversation, method string) []*message {
	return slices.DeleteFunc(c.fromClient(kindNotification), func(m *message) bool {
		a := g.record.status[m.Seq]
		return m.method != method || m.HTTP != nil && (a == nil || a.HTTP.Status >= http.StatusBadRequest)
	})
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
		if !offerable(offered) {
			v.warn("a client may support versions of its own", "a published version", "initialize offers "+shorten(offered)+", which never was a version of the protocol",
				"offer the newest published version that the client supports", m.Seq)
			continue
		}
		v.pass(m.Seq)
	}
}

// offerable reports whether a version is, was or may become one: published, a draft, the one from
// before the first, or a date after the newest.
func offerable(version string) bool {
	const beforeTheFirst = "2024-10-07" // which released clients still know
	all := requirement.Revisions()
	_, err := time.Parse(time.DateOnly, version)
	return requirement.Revision(version).Known() || version == beforeTheFirst || strings.Contains(strings.ToLower(version), "draft") ||
		err == nil && version > string(all[len(all)-1])
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
		if g.options.Crashed != "" && !c.deleted {
			v.skip("the client did not come to its end")
			continue
		}
		if c.Transport == requirement.HTTP {
			endsOverHTTP(g, v, c)
			continue
		}
		switch {
		case c.closed == nil && !g.options.Ended:
			v.skip("the connection was still open when it was judged")
		case c.closed != nil && c.closed.Reason == "client":
			v.pass(c.closed.Seq)
		case g.options.Interrupted != "":
			v.skip("the client was ended")
		case c.closed == nil || c.closed.Reason == "abort" || c.closed.Reason == "interrupted":
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

// listChecks are those of lists and their pages.
var listChecks = []check{
	{"CL-12", "it sent no cursor", cursorsVerbatim},
	{"CL-13", "no list that it asked for had a second page (\"--page-size\" makes some)", everyPage},
	{"CL-14", "it sent no cursor", cursorsStay},
	{"CL-31", "no result of a list or read had a positive ttlMs", usesCache},
	{"CL-32", "no list_changed was sent to it after it had listed resources", fetchesAgain},
}

// lists are the methods with pages.
var lists = []string{methodList, methodTemplates, "prompts/list", "tools/list"}

// given reports whether a conversation was given a cursor before a message: for a list, or for
// any if method is empty.
func (c *conversation) given(cursor, method string, before int) bool {
	for _, m := range c.requests(lists...) {
		for _, a := range m.answers {
			if x := a.result().Get("nextCursor"); x.Type == gjson.String && x.String() == cursor && a.Seq < before && (method == "" || m.method == method) {
				return true
			}
		}
	}
	return false
}

// unreadable reports whether a conversation has answers to lists that are not known.
func (c *conversation) unreadable() bool {
	return !c.whole || slices.ContainsFunc(c.requests(lists...), func(m *message) bool { return m.answer != nil && !m.answer.whole })
}

// givenElsewhere reports whether another conversation was given a cursor.
func (g *group) givenElsewhere(c *conversation, cursor string, before int) bool {
	return slices.ContainsFunc(g.record.conversations, func(other *conversation) bool { return other != c && other.given(cursor, "", before) })
}

func cursorsVerbatim(g *group, v *judging) {
	for c, m := range g.requests(lists...) {
		x := m.params.Get("cursor")
		switch cursor := x.String(); {
		case x.Type != gjson.String: // see CL-14
		case c.given(cursor, "", m.Seq) || g.givenElsewhere(c, cursor, m.Seq):
			v.pass(m.Seq)
		case c.unreadable():
			v.incomplete("an answer that may have given the cursor is not in the journal in full")
		default:
			v.violated("a cursor that the server gave", fmt.Sprintf("the cursor %q of %s was never given", shorten(cursor), m.what()),
				"keep nextCursor as a string and send it unchanged", m.Seq)
		}
	}
}

func cursorsStay(g *group, v *judging) {
	for c, m := range g.requests(lists...) {
		x := m.params.Get("cursor")
		switch cursor := x.String(); {
		case !x.Exists():
		case x.Type != gjson.String:
			v.violated("a string, or no cursor", "the cursor of "+m.what()+" is "+shorten(x.Raw), "leave cursor out on the first page", m.Seq)
		case c.given(cursor, m.method, m.Seq):
			v.pass(m.Seq)
		case c.given(cursor, "", m.Seq):
			v.violated("a cursor of "+m.method, "the cursor of "+m.what()+" was given for another list", "keep a cursor for each list", m.Seq)
		case g.givenElsewhere(c, cursor, m.Seq) && !c.unreadable() && !c.modern: // without sessions there are none to leave
			v.violated("a cursor of this session", "the cursor of "+m.what()+" was given in another session", "begin at the first page in each session", m.Seq)
		}
	}
}

func everyPage(g *group, v *judging) {
	for _, method := range lists {
		var reached, left, next, enough []int
		for _, c := range g.conversations {
			l, n := unfollowed(c, method, g.options.Crashed != "")
			switch {
			case len(l) > 0 && seenEnough(c, method, l[0]):
				enough = l
			case left == nil:
				left = l
			}
			if next == nil {
				next = n
			}
			reached = append(reached, completed(c, method)...)
		}
		switch {
		case len(reached) > 0:
			v.pass(reached...)
		case left != nil:
			v.violated("a request of "+method+" with that nextCursor", "the nextCursor of an answer to "+method+" was never used", "ask again with the cursor until an answer has none", left...)
		case enough != nil:
			v.pass(enough...)
			v.remark("the pages of "+method+" were followed, but not to the end", enough...)
		case next != nil:
			v.skip("a walk through the pages was broken off, and not by the client's own choice")
		}
	}
}

// completed are the answers at which a walk through several pages ended.
func completed(c *conversation, method string) []int {
	var ends []int
	for _, m := range c.requests(method) {
		r, ok := m.succeeded()
		if ok && m.params.Get("cursor").Type == gjson.String && r.Get("nextCursor").Type != gjson.String {
			ends = append(ends, m.Seq, m.answer.Seq)
		}
	}
	return ends
}

// unfollowed is the first page that was not gone on with, and any page that was. A client that
// crashed may have been about to go on.
func unfollowed(c *conversation, method string, crashed bool) (left, followed []int) {
	requests := c.requests(method)
	for _, m := range requests {
		r, ok := m.succeeded()
		next := r.Get("nextCursor")
		if !ok || next.Type != gjson.String {
			continue
		}
		used := slices.ContainsFunc(requests, func(q *message) bool {
			x := q.params.Get("cursor")
			altered := x.Type != gjson.String && x.Exists() || x.Type == gjson.String && !c.given(x.String(), "", q.Seq)
			return x.Type == gjson.String && x.String() == next.String() || altered && q.Seq > m.answer.Seq // see CL-12 and CL-14
		})
		switch {
		case used || c.overtaken(m) || crashed && c.elsewhere(m) == 0:
			followed = []int{m.Seq}
		case left == nil:
			left = []int{m.Seq, m.answer.Seq}
		}
	}
	return left, followed
}

// seenEnough reports whether a client that can follow cursors had seen enough of a list with a
// page: the page was itself asked for by a cursor, once, and it was the last that was asked for.
func seenEnough(c *conversation, method string, page int) bool {
	requests := c.requests(method)
	last := requests[len(requests)-1]
	cursor := last.params.Get("cursor")
	again := slices.ContainsFunc(requests[:len(requests)-1], func(q *message) bool { return q.params.Get("cursor").Raw == cursor.Raw })
	return last.Seq == page && cursor.Type == gjson.String && !again
}

// elsewhere is when the client has gone on to something else than lists, which may be walked
// through at the same time: it has then left the walk on its own account. 0 means never.
func (c *conversation) elsewhere(page *message) int {
	for _, q := range c.requests() {
		if q.Seq > page.answer.Seq && !slices.Contains(lists, q.method) && q.method != "ping" {
			return q.Seq
		}
	}
	return 0
}

// overtaken reports whether the list changed while the client could still be about to ask for
// the next page.
func (c *conversation) overtaken(page *message) bool {
	left := c.elsewhere(page)
	return slices.ContainsFunc(c.fromServer(kindNotification), func(x *message) bool {
		return x.method == listChanged && x.Seq > page.Seq && (left == 0 || x.Seq < left)
	})
}

func usesCache(g *group, v *judging) {
	for _, c := range g.conversations {
		fresh := map[string]*message{}
		for _, m := range c.requests(methodList, methodTemplates, methodRead) {
			key := m.method + "\x00" + m.uri + "\x00" + m.params.Get("cursor").Raw
			if old := fresh[key]; old != nil {
				ttl := old.answer.result().Get("ttlMs").Int()
				if m.Time.Sub(old.answer.Time).Milliseconds() < ttl {
					v.Observe("asked-while-fresh", m.what()+" was sent again although the result is fresh for "+fmt.Sprint(ttl)+" ms", old.answer.Seq, m.Seq)
				}
			}
			if r, ok := m.succeeded(); ok && r.Get("ttlMs").Int() > 0 {
				fresh[key] = m
				v.pass(m.answer.Seq)
			}
		}
	}
}

func fetchesAgain(g *group, v *judging) {
	for _, c := range g.conversations {
		listed := c.requests(methodList)
		for _, x := range c.fromServer(kindNotification) {
			if x.method != listChanged || len(listed) == 0 || listed[0].Seq > x.Seq {
				continue
			}
			switch last := listed[len(listed)-1]; {
			case last.Seq > x.Seq:
				v.pass(x.Seq, last.Seq)
			case g.options.Ended:
				v.remark("the list was not fetched again after list_changed", x.Seq)
			default:
				v.skip("the list has not been fetched since it changed")
			}
		}
	}
}

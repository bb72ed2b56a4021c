package verify

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func listRules() []Rule {
	guidelines := []Section{{From: first, To: modern, Page: "server/utilities/pagination", Anchor: "implementation-guidelines"}}
	return []Rule{
		{
			ID: "CL-12", Title: "Cursors are used as they came", Profile: profileLists,
			Text:  "A cursor is opaque: a client sends what a nextCursor said, byte for byte, and neither alters cursors nor makes them up.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: everyOne, Transports: onAll, Sections: guidelines,
			Occasion: "it sent no cursor", judge: cursorsVerbatim,
		},
		{
			ID: "CL-13", Title: "Lists are read to their end", Profile: profileLists,
			Text:  "A client copes with lists of several pages: it asks for the next one until there is no nextCursor.",
			Level: "SHOULD", Grade: Warn, Basis: Normative, Revisions: everyOne, Transports: onAll, Sections: guidelines,
			Tolerated: "A client that has read a list to its end once need not do so each time. One that followed cursors and then left the list, as users of long lists do, is remarked upon. Cursors that come again are not followed in circles. A page that was refused, or a list that changed before the client went on to something else, ends the matter.",
			Occasion:  "no list that it asked for had a second page (\"--page-size\" makes some)", judge: everyPage,
		},
		{
			ID: "CL-14", Title: "Cursors stay with their list", Profile: profileLists,
			Text:  "A cursor is a string, left out where there is none, and is sent only for the list that gave it; where there are sessions, only in the one that gave it.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: everyOne, Transports: onAll, Sections: guidelines,
			Occasion: "it sent no cursor", judge: cursorsStay,
		},
		{
			ID: "CL-31", Title: "Results are used while they are fresh", Profile: profileLists,
			Text:  "A result that says how long it stays fresh need not be fetched again before.",
			Level: "MAY", Grade: Info, Basis: Implied, Revisions: modernOnly, Transports: onBoth,
			Sections:  []Section{inModern("server/utilities/caching", "")},
			Tolerated: "A client need not cache at all: repeated requests are remarked upon.",
			Occasion:  "no result of a list or read had a positive ttlMs", judge: usesCache,
		},
		{
			ID: "CL-32", Title: "A list that changed is fetched again", Profile: profileLists,
			Text:  "A client that keeps a list fetches it again when the server says that it has changed.",
			Level: "MAY", Grade: Info, Basis: Implied, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{{From: first, To: modern, Page: "server/resources", Anchor: "list-changed-notification"}},
			Tolerated: "A client that has no use for the list: it is only remarked upon.",
			Occasion:  "no list_changed was sent to it after it had listed resources", judge: fetchesAgain,
		},
	}
}

// lists are the methods with pages.
var lists = []string{hook.MethodList, hook.MethodTemplates, "prompts/list", "tools/list"}

// given lists the cursors that a conversation was given before a message, for a list, or
// for all if method is empty.
func (c *conversation) given(method string, before uint64) map[string]bool {
	all := map[string]bool{}
	for _, m := range c.requests(lists...) {
		for _, a := range m.answers {
			if x := a.result().Get("nextCursor"); x.Type == gjson.String && a.seq() < before && (method == "" || m.method == method) {
				all[x.String()] = true
			}
		}
	}
	return all
}

// unreadable reports whether a conversation has answers to lists that are not known.
func (c *conversation) unreadable() bool {
	for _, m := range c.requests(lists...) {
		if m.answer != nil && !m.answer.whole {
			return true
		}
	}
	return !c.whole
}

// cursors calls visit for each request of a list with a cursor of any kind.
func (g *group) cursors(visit func(c *conversation, m *message, cursor gjson.Result)) {
	for _, c := range g.talks {
		for _, m := range c.requests(lists...) {
			if x := m.params.Get("cursor"); x.Exists() {
				visit(c, m, x)
			}
		}
	}
}

// giver is another conversation that was given a cursor.
func (g *group) giver(c *conversation, cursor string, before uint64) *conversation {
	for _, other := range g.record.talks {
		if other != c && other.given("", before)[cursor] {
			return other
		}
	}
	return nil
}

func cursorsVerbatim(g *group, v *ruling) {
	g.cursors(func(c *conversation, m *message, x gjson.Result) {
		switch {
		case x.Type != gjson.String:
			return // see CL-14
		case c.given("", m.seq())[x.String()] || g.giver(c, x.String(), m.seq()) != nil:
			v.fine(m.seq())
		case c.unreadable():
			v.lacking("an answer that may have given the cursor is not in the journal in full")
		default:
			v.broken("a cursor that the server gave", fmt.Sprintf("the cursor %q of %s was never given", shorten(x.String()), m.what()),
				"keep nextCursor as a string and send it unchanged", m.seq())
		}
	})
}

func cursorsStay(g *group, v *ruling) {
	g.cursors(func(c *conversation, m *message, x gjson.Result) {
		if x.Type != gjson.String {
			v.broken("a string, or no cursor", "the cursor of "+m.what()+" is "+shorten(x.Raw), "leave cursor out on the first page", m.seq())
			return
		}
		cursor := x.String()
		switch other := g.giver(c, cursor, m.seq()); {
		case c.given(m.method, m.seq())[cursor]:
			v.fine(m.seq())
		case c.given("", m.seq())[cursor]:
			v.broken("a cursor of "+m.method, "the cursor of "+m.what()+" was given for another list", "keep a cursor for each list", m.seq())
		case other != nil && !c.unreadable() && !c.modern: // without sessions there are none to leave
			v.broken("a cursor of this session", "the cursor of "+m.what()+" was given in another session", "begin at the first page in each session", m.seq())
		}
	})
}

func everyPage(g *group, v *ruling) {
	for _, method := range lists {
		var left, next, lazy []uint64
		reached := []uint64{}
		for _, c := range g.talks {
			l, n := unfollowed(c, method)
			if len(l) > 0 && idler(c, method, l[0]) {
				lazy, l = l, nil
			}
			if left == nil {
				left = l
			}
			if next == nil {
				next = n
			}
			reached = append(reached, completed(c, method)...)
		}
		switch {
		case len(reached) > 0:
			v.fine(reached...)
		case left != nil:
			v.broken("a request of "+method+" with that nextCursor", "the nextCursor of an answer to "+method+" was never used", "ask again with the cursor until an answer has none", left...)
		case lazy != nil:
			v.fine(lazy...)
			v.observe("client-habit", "the pages of "+method+" were followed, but not to the end", lazy...)
		case next != nil:
			v.idle("a walk through the pages was broken off by the server")
		}
	}
}

// completed are the answers at which a walk through several pages ended.
func completed(c *conversation, method string) []uint64 {
	var ends []uint64
	for _, m := range c.requests(method) {
		r, ok := m.succeeded()
		if ok && m.params.Get("cursor").Type == gjson.String && r.Get("nextCursor").Type != gjson.String {
			ends = append(ends, m.seq(), m.answer.seq())
		}
	}
	return ends
}

// unfollowed is the last page of a walk that was not gone on with, and any page that
// was.
func unfollowed(c *conversation, method string) (left, followed []uint64) {
	requests := c.requests(method)
	for _, m := range requests {
		r, ok := m.succeeded()
		next := r.Get("nextCursor")
		if !ok || next.Type != gjson.String {
			continue
		}
		used := false
		for _, q := range requests {
			used = used || q.params.Get("cursor").Type == gjson.String && q.params.Get("cursor").String() == next.String()
		}
		switch {
		case used || c.overtaken(m):
			followed = []uint64{m.seq()}
		case left == nil:
			left = []uint64{m.seq(), m.answer.seq()}
		}
	}
	return left, followed
}

// idler reports whether a client that can follow cursors had seen enough of a list with a page:
// the page was itself asked for by a cursor, once, and it was the last that was asked for.
func idler(c *conversation, method string, page uint64) bool {
	requests := c.requests(method)
	last := requests[len(requests)-1]
	cursor := last.params.Get("cursor")
	again := slices.ContainsFunc(requests[:len(requests)-1], func(q *message) bool { return q.params.Get("cursor").Raw == cursor.Raw })
	return last.seq() == page && cursor.Type == gjson.String && !again
}

// overtaken reports whether the list changed while the client could still be about to ask for
// the next page: once it has gone on to something else, it has left the walk on its own account.
// Other lists may be walked through at the same time.
func (c *conversation) overtaken(page *message) bool {
	left := c.moved(page.answer.seq())
	return slices.ContainsFunc(c.told(journal.Notification), func(x *message) bool {
		return x.method == hook.NotificationListChanged && x.seq() > page.seq() && (left == 0 || x.seq() < left)
	})
}

// moved is the number of the first request after another number that is not one of a list, 0
// if there is none.
func (c *conversation) moved(after uint64) uint64 {
	for _, q := range c.requests() {
		if q.seq() > after && !slices.Contains(lists, q.method) && q.method != "ping" {
			return q.seq()
		}
	}
	return 0
}

func usesCache(g *group, v *ruling) {
	for _, c := range g.talks {
		fresh := map[string]*message{}
		for _, m := range c.requests(hook.MethodList, hook.MethodTemplates, hook.MethodRead) {
			key := m.method + "\x00" + m.uri + "\x00" + m.params.Get("cursor").Raw
			if old := fresh[key]; old != nil {
				ttl := old.answer.result().Get("ttlMs").Int()
				if m.entry.Time.Sub(old.answer.entry.Time).Milliseconds() < ttl {
					v.observe("asked-while-fresh", m.what()+" was sent again although the result is fresh for "+fmt.Sprint(ttl)+" ms", old.answer.seq(), m.seq())
				}
			}
			if r, ok := m.succeeded(); ok && r.Get("ttlMs").Int() > 0 {
				fresh[key] = m
				v.fine(m.answer.seq())
			}
		}
	}
}

func fetchesAgain(g *group, v *ruling) {
	for _, c := range g.talks {
		listed := c.requests(hook.MethodList)
		for _, x := range c.told(journal.Notification) {
			if x.method != hook.NotificationListChanged || len(listed) == 0 || listed[0].seq() > x.seq() {
				continue
			}
			switch {
			case listed[len(listed)-1].seq() > x.seq():
				v.fine(x.seq(), listed[len(listed)-1].seq())
			case g.options.Ended:
				v.broken("", "the list was not fetched again after list_changed", "", x.seq())
			default:
				v.idle("the list has not been fetched since it changed")
			}
		}
	}
}

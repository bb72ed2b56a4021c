package client

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

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
			l, n := unfollowed(c, method)
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
			v.skip("a walk through the pages was broken off by the server")
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

// unfollowed is the first page that was not gone on with, and any page that was.
func unfollowed(c *conversation, method string) (left, followed []int) {
	requests := c.requests(method)
	for _, m := range requests {
		r, ok := m.succeeded()
		next := r.Get("nextCursor")
		if !ok || next.Type != gjson.String {
			continue
		}
		used := slices.ContainsFunc(requests, func(q *message) bool {
			x := q.params.Get("cursor")
			return x.Type == gjson.String && x.String() == next.String()
		})
		switch {
		case used || c.overtaken(m):
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

// overtaken reports whether the list changed while the client could still be about to ask for
// the next page: once it has gone on to something else than lists, which may be walked through
// at the same time, it has left the walk on its own account.
func (c *conversation) overtaken(page *message) bool {
	left := 0
	for _, q := range c.requests() {
		if left == 0 && q.Seq > page.answer.Seq && !slices.Contains(lists, q.method) && q.method != "ping" {
			left = q.Seq
		}
	}
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

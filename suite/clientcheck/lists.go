package clientcheck

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// listChecks are those of lists and their pages.
var listChecks = []check{
	{"CL-12", "it sent no cursor", cursorsVerbatim},
	{"CL-13", `no list that it asked for had a second page ("--page-size" makes some)`, together(everyPage)},
	{"CL-14", "it sent no cursor", cursorsStay},
	{"CL-31", "no result of a list or read had a positive ttlMs", usesCache},
	{"CL-32", "no list_changed was sent to it after it had listed resources", fetchesAgain},
}

// lists are the methods with pages.
var lists = []string{methodList, methodTemplates, "prompts/list", "tools/list"}

// given reports whether a conversation was given a cursor by one of some methods before a message.
func (c *conversation) given(cursor string, before *message, methods ...string) bool {
	return slices.ContainsFunc(c.requests(methods...), func(m *message) bool {
		return slices.ContainsFunc(m.answers, func(a *message) bool {
			x := a.Get("result.nextCursor")
			return x.Type == gjson.String && x.Str == cursor && a.Seq < before.Seq
		})
	})
}

// unreadable reports whether a conversation has answers to lists that are not known.
func (c *conversation) unreadable() bool {
	return !c.whole || slices.ContainsFunc(c.requests(lists...), func(m *message) bool {
		return m.answer != nil && !m.answer.whole
	})
}

// givenElsewhere reports whether another conversation was given a cursor.
func (c *conversation) givenElsewhere(cursor string, before *message) bool {
	return slices.ContainsFunc(c.conversations, func(other *conversation) bool {
		return other != c && other.given(cursor, before, lists...)
	})
}

func cursorsVerbatim(c *conversation, v *judging) {
	for _, m := range c.requests(lists...) {
		x := m.Get("params.cursor")
		known := c.given(x.Str, m, lists...) || c.givenElsewhere(x.Str, m)
		switch {
		case x.Type != gjson.String: // see CL-14
		case !known && c.unreadable():
			v.incomplete("an answer that may have given the cursor is not in the journal in full")
		default:
			v.that(known, "a cursor that the server gave",
				fmt.Sprintf("the cursor %q of %s was never given", shorten(x.Str), m.what()),
				"keep nextCursor as a string and send it unchanged", m)
		}
	}
}

func cursorsStay(c *conversation, v *judging) {
	for _, m := range c.requests(lists...) {
		x, what := m.Get("params.cursor"), "the cursor of "+m.what()
		switch cursor := x.Str; {
		case !x.Exists():
		case x.Type != gjson.String:
			v.violated("a string, or no cursor", what+" is "+shorten(x.Raw),
				"leave cursor out on the first page", m)
		case c.given(cursor, m, lists...):
			v.that(c.given(cursor, m, m.method), "a cursor of "+m.method, what+" was given for another list",
				"keep a cursor for each list", m)
		case c.givenElsewhere(cursor, m) && !c.unreadable() && !c.modern: // which has no sessions
			v.violated("a cursor of this session", what+" was given in another session",
				"begin at the first page in each session", m)
		}
	}
}

// everyPage judges all conversations of a combination together: who has read a list to its end once
// need not do so each time.
func everyPage(all []*conversation, v *judging) {
	for _, method := range lists {
		var reached []cited
		var left, next, enough *message
		for _, c := range all {
			l, n := unfollowed(c, method)
			switch {
			case l != nil && seenEnough(c.requests(method), l):
				enough = l
			case left == nil:
				left = l
			}
			next = cmp.Or(next, n)
			reached = append(reached, completed(c, method)...)
		}
		switch {
		case reached != nil:
			v.pass(reached...)
		case left != nil:
			v.violated("a request of "+method+" with that nextCursor",
				"the nextCursor of an answer to "+method+" was never used",
				"ask again with the cursor until an answer has none", left, left.answer)
		case enough != nil:
			v.pass(enough, enough.answer)
			v.remark("the pages of "+method+" were followed, but not to the end", enough, enough.answer)
		case next != nil:
			v.NotExercised("a walk through the pages was broken off, and not by the client's own choice")
		}
	}
}

// completed are the answers at which a walk through several pages ended.
func completed(c *conversation, method string) []cited {
	var ends []cited
	for _, m := range c.requests(method) {
		r := m.succeeded()
		if r.Exists() && m.Get("params.cursor").Type == gjson.String &&
			r.Get("nextCursor").Type != gjson.String {
			ends = append(ends, m, m.answer)
		}
	}
	return ends
}

// unfollowed is the first page that was not gone on with, and any page that was. A client that
// crashed may have been about to go on.
func unfollowed(c *conversation, method string) (left, followed *message) {
	requests := c.requests(method)
	for _, m := range requests {
		next := m.succeeded().Get("nextCursor")
		if next.Type != gjson.String {
			continue
		}
		used := slices.ContainsFunc(requests, func(q *message) bool {
			x := q.Get("params.cursor")
			if x.Type == gjson.String && x.Str == next.Str {
				return true
			}
			altered := x.Exists() && (x.Type != gjson.String || !c.given(x.Str, q, lists...))
			return altered && q.Seq > m.answer.Seq // see CL-12 and CL-14
		})
		switch {
		case used || c.overtaken(m) || c.Crashed != "" && c.elsewhere(m) == nil:
			followed = m
		case left == nil:
			left = m
		}
	}
	return left, followed
}

// seenEnough reports whether a client that can follow cursors had seen enough of a list with a
// page: the page was itself asked for by a cursor, once, and it was the last that was asked for.
func seenEnough(requests []*message, page *message) bool {
	cursor := page.Get("params.cursor")
	same := recording.Keep(requests,
		func(q *message) bool { return q.Get("params.cursor").Raw == cursor.Raw })
	return cursor.Type == gjson.String && requests[len(requests)-1] == page && len(same) == 1
}

// elsewhere is with what the client has gone on to something else than lists, which may be walked
// through at the same time: it has then left the walk on its own account. It is nil if it never has.
func (c *conversation) elsewhere(page *message) *message {
	return first(recording.Keep(c.requests(), func(q *message) bool {
		return q.Seq > page.answer.Seq && !slices.Contains(lists, q.method) && q.method != methodPing
	}))
}

// overtaken reports whether the list changed while the client could still be about to ask for
// the next page.
func (c *conversation) overtaken(page *message) bool {
	left := c.elsewhere(page)
	return slices.ContainsFunc(of(c.fromServer(kindNotification), listChanged), func(x *message) bool {
		return x.Seq > page.Seq && (left == nil || x.Seq < left.Seq)
	})
}

func usesCache(c *conversation, v *judging) {
	fresh := map[string]*message{}
	for _, m := range c.requests(methodList, methodTemplates, methodRead) {
		key := m.method + "\x00" + m.uri + "\x00" + m.Get("params.cursor").Raw
		if old := fresh[key]; old != nil {
			ttl := old.Get("result.ttlMs").Int()
			if (m.at - old.at).Milliseconds() < ttl {
				v.Observe("asked-while-fresh",
					fmt.Sprintf("%s was sent again although the result is fresh for %d ms", m.what(), ttl),
					old.Seq, m.Seq)
			}
		}
		if m.succeeded().Get("ttlMs").Int() > 0 {
			fresh[key] = m.answer
			v.pass(m.answer)
		}
	}
}

func fetchesAgain(c *conversation, v *judging) {
	listed := c.requests(methodList)
	for _, x := range of(c.fromServer(kindNotification), listChanged) {
		if len(listed) == 0 || listed[0].Seq > x.Seq {
			continue
		}
		switch last := listed[len(listed)-1]; {
		case last.Seq > x.Seq:
			v.pass(x, last)
		case c.Ended:
			v.remark("the list was not fetched again after list_changed", x)
		default:
			v.NotExercised("the list has not been fetched since it changed")
		}
	}
}

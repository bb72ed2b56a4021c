package clientcheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// listChecks are those of lists and their pages.
var listChecks = []check{
	{"CL-12", "it sent no cursor", cursorsVerbatim},
	{"CL-13", `no list that it asked for had a second page ("--page-size" makes some)`, together(everyPage)},
	{"CL-14", "it sent no cursor", cursorsStay},
	{"CL-31", "no result of a list or read had a positive ttlMs", usesCache},
	{"CL-32", "no list_changed was sent to it after it had listed resources", fetchesAgain},
	{"CL-42", `no list that it asked for had an empty nextCursor ("--quirk empty-cursor" makes one)`,
		together(emptyCursors)},
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

func cursorsVerbatim(v *judging) {
	for _, m := range v.requests(lists...) {
		x := m.Get("params.cursor")
		known := v.given(x.Str, m, lists...) || v.givenElsewhere(x.Str, m)
		switch {
		case x.Type != gjson.String: // see CL-14
		case !known && v.unreadable():
			v.incomplete("an answer that may have given the cursor is not in the journal in full")
		default:
			v.that(known, "a cursor that the server gave",
				fmt.Sprintf("the cursor %q of %s was never given", shorten(x.Str), m.what()),
				"keep nextCursor as a string and send it unchanged", m)
		}
	}
}

func cursorsStay(v *judging) {
	for _, m := range v.requests(lists...) {
		x, what := m.Get("params.cursor"), "the cursor of "+m.what()
		switch cursor := x.Str; {
		case !x.Exists():
		case x.Type != gjson.String:
			v.violated("a string, or no cursor", what+" is "+shorten(x.Raw),
				"leave cursor out on the first page", m)
		case v.given(cursor, m, lists...):
			v.that(v.given(cursor, m, m.method), "a cursor of "+m.method, what+" was given for another list",
				"keep a cursor for each list", m)
		case v.givenElsewhere(cursor, m) && !v.unreadable() && !v.modern: // which has no sessions
			v.violated("a cursor of this session", what+" was given in another session",
				"begin at the first page in each session", m)
		}
	}
}

// everyPage judges all conversations of a combination together: who has read a list to its end once
// need not do so each time.
func everyPage(v *judging) {
	for _, method := range lists {
		var reached []cited
		var left, next, enough *message
		for _, c := range v.members {
			l, n := unfollowed(c, method)
			switch {
			case l != nil && !barren(l) && seenEnough(c.requests(method), l):
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
			actual := "the nextCursor of an answer to " + method + " was never used"
			if barren(left) {
				actual += ": the page is empty, and not the last"
			}
			v.violated("a request of "+method+" with that nextCursor", actual,
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
		if next.Type != gjson.String || c.modern && next.Str == "" { // see CL-42
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
		case used || c.excused(m):
			followed = m
		case left == nil:
			left = m
		}
	}
	return left, followed
}

// excused reports whether a client that did not go on from a page may have been about to.
func (c *conversation) excused(page *message) bool {
	return c.overtaken(page) || c.Crashed != "" && c.elsewhere(page) == nil
}

// barren reports whether a page has no entries.
func barren(page *message) bool {
	barren := true
	page.succeeded().ForEach(func(_, x gjson.Result) bool {
		barren = !x.IsArray() || len(x.Array()) == 0
		return barren
	})
	return barren
}

// emptyCursors judges how the client took empty cursors. That it follows others to the end of a list shows
// that it means to read lists whole.
func emptyCursors(v *judging) {
	const expected = `a request with the cursor ""`
	const hint = "end a list where nextCursor is missing or null, not where it is false in a condition"
	follows := func(c *conversation) bool {
		ends := func(method string) bool { return completed(c, method) != nil }
		return (c.SingleClient || !c.separate()) && slices.ContainsFunc(lists, ends)
	}
	empty := func(x gjson.Result) bool { return x.Type == gjson.String && x.Str == "" }
	for _, c := range v.members {
		for _, m := range c.requests(lists...) {
			if !empty(m.succeeded().Get("nextCursor")) {
				continue
			}
			used := func(q *message) bool { return q.Seq > m.answer.Seq && empty(q.Get("params.cursor")) }
			actual := "the empty nextCursor of an answer to " + m.method + " was taken for the end"
			why := "" // it is no more than a warning
			if !slices.ContainsFunc(v.members, follows) || seenEnough(c.requests(m.method), m) {
				why = "a client need not read a list to its end"
			}
			switch {
			case slices.ContainsFunc(c.requests(m.method), used):
				v.pass(m.answer)
			case c.excused(m) || !c.Ended && c.elsewhere(m) == nil:
				v.NotExercised("the client may have been about to go on from an empty nextCursor")
			default:
				v.warn(why, expected, actual, hint, m, m.answer)
			}
		}
	}
}

// seenEnough reports whether a client that can follow cursors had seen enough of a list with a
// page: the page was itself asked for by a cursor, once, and it was the last that was asked for.
func seenEnough(requests []*message, page *message) bool {
	cursor := page.Get("params.cursor")
	same := recording.Keep(requests,
		func(q *message) bool { return q.Get("params.cursor").Raw == cursor.Raw })
	return cursor.Type == gjson.String && last(requests) == page && len(same) == 1
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

func usesCache(v *judging) {
	fresh := map[string]*message{}
	for _, m := range v.messages {
		if m.Direction == out && slices.Contains([]string{listChanged, updated}, m.method) {
			// It ends what was fresh: the lists, or a read of the resource or of that which it is a part of.
			uri := m.Get("params.uri").String()
			maps.DeleteFunc(fresh, func(_ string, q *message) bool {
				return (q.uri == "") == (m.method == listChanged) && strings.HasPrefix(uri, q.uri)
			})
		}
		if m.Direction == out || m.kind != kindRequest ||
			!slices.Contains([]string{methodList, methodTemplates, methodRead}, m.method) {
			continue
		}
		key := m.method + "\x00" + m.uri + "\x00" + m.Get("params.cursor").Raw
		if old := fresh[key]; old != nil && !m.again() && old.answer.Seq < m.Seq &&
			(v.SingleClient || !v.separate()) {
			ttl := old.succeeded().Get("ttlMs").Int()
			if (m.at - old.answer.at).Milliseconds() < ttl {
				v.Observe(verdict.Several{old.answer, m}, "asked-while-fresh",
					"%s was sent again although the result is fresh for %d ms", m.what(), ttl)
			}
		}
		if m.succeeded().Get("ttlMs").Int() > 0 {
			v.pass(m.answer)
			if !m.again() { // whose results are not to be cached
				fresh[key] = m
			}
		}
	}
}

func fetchesAgain(v *judging) {
	listed := v.requests(methodList)
	for _, x := range of(v.fromServer(kindNotification), listChanged) {
		if len(listed) == 0 || listed[0].Seq > x.Seq {
			continue
		}
		switch newest := last(listed); {
		case newest.Seq > x.Seq:
			v.pass(x, newest)
		case v.Ended:
			v.remark("the list was not fetched again after list_changed", x)
		default:
			v.NotExercised("the list has not been fetched since it changed")
		}
	}
}

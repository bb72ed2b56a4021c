package admin

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reports"
)

var (
	directions = []journal.Direction{"", journal.In, journal.Out}
	kinds      = journal.Kinds()
)

// query is the query as the journal takes it. Field names the member that holds it.
func (q Query) query(server *reference.Server, code, field string) (journal.Query, error) {
	if field != "" {
		field += "."
	}
	if !slices.Contains(directions, q.Direction) {
		return journal.Query{}, problem(code, field+"direction", "direction must be in or out, not %q",
			q.Direction)
	}
	kindsWanted := q.Kinds
	if q.Kind != "" {
		kindsWanted = append(slices.Clone(kindsWanted), q.Kind)
	}
	for _, k := range kindsWanted {
		if !slices.Contains(kinds, k) {
			return journal.Query{}, problem(code, field+"kinds", "there are no entries of the kind %q", k)
		}
	}
	if q.Limit < 0 || q.Limit > MaxLimit {
		return journal.Query{}, problem(code, field+"limit", "limit must be between 0 and %d", MaxLimit)
	}
	return journal.Query{
		Direction: q.Direction, Kinds: kindsWanted, Method: q.Method, URI: q.URI, Session: q.Session,
		Transport: q.Transport,
		Identity:  server.Fingerprint(q.Identity), Rule: q.Rule, Since: q.Since, Limit: q.Limit,
		Newest: q.Newest,
	}, nil
}

func getJournal(c *call) (list EntryList, err error) {
	v := c.URL.Query()
	q := Query{
		Direction: journal.Direction(v.Get("direction")), Method: v.Get("method"), URI: v.Get("uri"),
		Session:   v.Get("session"),
		Transport: v.Get("transport"), Identity: v.Get("identity"), Rule: v.Get("rule"),
		Newest: v.Get("newest") == "true",
	}
	for _, k := range append(v["kind"], v["kinds"]...) {
		q.Kinds = append(q.Kinds, journal.Kind(k))
	}
	if q.Limit, err = c.number("limit", DefaultLimit, MaxLimit); err != nil {
		return list, err
	}
	if since := v.Get("since"); since != "" {
		if q.Since, err = strconv.ParseUint(since, 10, 64); err != nil {
			return list, problem(CodeParameter, "since", `the query parameter "since" must be a number`)
		}
	}
	if newest := v.Get("newest"); newest != "" && newest != "true" && newest != "false" {
		return list, problem(CodeParameter, "newest", `the query parameter "newest" must be true or false`)
	}
	selected, err := q.query(c.server, CodeParameter, "")
	if err != nil {
		return list, err
	}
	j := c.server.Journal()
	list = EntryList{Last: j.Last(), Lost: j.Lost(), Entries: []journal.Entry{}}
	if q.Limit > 0 {
		list.Entries = append(list.Entries, j.Query(selected)...)
	}
	return list, nil
}

func postWait(c *call, w Wait) (o Outcome, err error) {
	if w.Count < 0 || w.Count > MaxLimit {
		return o, problem(CodeInvalid, "count", "count must be between 0 and %d", MaxLimit)
	}
	patience, err := timeout(w.Timeout)
	if err != nil {
		return o, err
	}
	q, err := w.Query.query(c.server, CodeInvalid, "query")
	if err != nil {
		return o, err
	}
	ctx, cancel := within(c.Context(), patience)
	defer cancel()
	j := c.server.Journal()
	limit := q.Limit
	q.Limit = 0 // is for the answer
	o = outcome(j, j.WaitFor(ctx, q, max(w.Count, 1)))
	if q.Limit = limit; q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	o.Entries = j.Query(q)
	return o, nil
}

func outcome(j *journal.Journal, err error) Outcome {
	o := Outcome{Met: err == nil, Last: j.Last()}
	if err != nil {
		o.Message = err.Error()
	}
	return o
}

func postAssert(c *call, a Assertion) (o Outcome, err error) {
	if operation.Given(a.Exactly != nil, a.AtLeast != nil, a.InOrder != nil) != 1 || a.InOrder != nil &&
		len(a.InOrder) == 0 {
		return o, problem(CodeInvalid, "",
			"an assertion has exactly one of exactly, atLeast and inOrder, which must not be empty")
	}
	if len(a.InOrder) > DefaultLimit {
		return o, problem(CodeInvalid, "inOrder", "inOrder has more than %d queries", DefaultLimit)
	}
	j := c.server.Journal()
	if a.InOrder != nil {
		var queries []journal.Query
		for i, q := range a.InOrder {
			selected, err := q.query(c.server, CodeInvalid, "inOrder."+strconv.Itoa(i))
			if err != nil {
				return o, err
			}
			queries = append(queries, selected)
		}
		return outcome(j, j.InOrder(queries...)), nil
	}
	q, err := a.Query.query(c.server, CodeInvalid, "query")
	if err != nil {
		return o, err
	}
	if a.Exactly != nil {
		return outcome(j, j.Exactly(q, *a.Exactly)), nil
	}
	return outcome(j, j.AtLeast(q, *a.AtLeast)), nil
}

func postVerify(c *call, v Verify) (*reports.Report, error) {
	if c.judge == nil {
		return nil, problem(CodeNotFound, "",
			"there is nobody here to judge clients: the journal can be judged elsewhere")
	}
	var entries bytes.Buffer
	if _, err := journal.WriteJSON(&entries,
		c.server.Journal().Query(journal.Query{Since: v.Since})); err != nil {
		return nil, err
	}
	return c.judge(&entries, v)
}

package journal

import (
	"fmt"
	"strings"
)

// shown is how many entries an error of an assertion lists.
const shown = 10

// Exactly fails unless n entries are selected. The error lists the newest that were.
func (j *Journal) Exactly(q Query, n int) error {
	if got := j.Count(q); got != n {
		return fmt.Errorf("%s: %d, not %d%s", q, got, n, j.list(q))
	}
	return nil
}

// AtLeast fails unless n entries or more are selected.
func (j *Journal) AtLeast(q Query, n int) error {
	if got := j.Count(q); got < n {
		return fmt.Errorf("%s: %d, fewer than %d%s", q, got, n, j.list(q))
	}
	return nil
}

// InOrder fails unless there is an entry for each query, each after that of the
// query before it. Others may lie between them.
func (j *Journal) InOrder(queries ...Query) error {
	since := uint64(0)
	for i, q := range queries {
		q.Since = max(q.Since, since)
		q.Limit = 1
		found := j.Query(q)
		if len(found) == 0 {
			if i == 0 {
				return fmt.Errorf("%s: none%s", queries[0], j.list(Query{}))
			}
			return fmt.Errorf("%s: none after %s (entry %d)%s", queries[i], queries[i-1], since,
				j.list(Query{}))
		}
		since = found[0].Seq
	}
	return nil
}

// list shows the newest entries that are selected or, if none is, the newest of all.
func (j *Journal) list(q Query) string {
	q.Limit, q.Newest = shown, true
	found, what := j.Query(q), "the newest of them"
	if len(found) == 0 {
		found, what = j.Query(Query{Limit: shown, Newest: true}), "the journal ends with"
	}
	if len(found) == 0 {
		return "; the journal is empty"
	}
	var b strings.Builder
	b.WriteString("; " + what)
	for i := range found {
		b.WriteString("\n  " + found[i].String())
	}
	return b.String()
}

// String is the entry in one line.
func (e *Entry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", e.Seq, e.Kind)
	for _, part := range []string{string(e.Direction), e.Transport, e.Method, e.URI, e.Scope, e.Reason} {
		if part != "" {
			b.WriteString(" " + part)
		}
	}
	if e.ID != nil {
		b.WriteString(" id " + string(e.ID))
	}
	if e.HTTP != nil && e.HTTP.Method != "" {
		b.WriteString(" " + e.HTTP.Method + " " + e.HTTP.Path)
	}
	if e.HTTP != nil && e.HTTP.Status != 0 {
		fmt.Fprintf(&b, " HTTP %d", e.HTTP.Status)
	}
	if e.Failure() != nil {
		b.WriteString(" failed")
	}
	if len(e.Rules) > 0 {
		b.WriteString(" [" + strings.Join(e.Rules, ", ") + "]")
	}
	return b.String()
}

package journal

import (
	"fmt"
	"slices"
	"strings"
)

// Query selects entries: all members that are set must hold.
type Query struct {
	Direction Direction
	// Kinds are alternatives.
	Kinds []Kind
	// Method is a JSON-RPC method. "resources/*" matches by beginning.
	Method string
	// URI is the URI of the resource, byte for byte.
	URI       string
	Session   string
	Transport string
	// Identity is a fingerprint; "a|b" is either.
	Identity string
	// Rule names a rule that was in force.
	Rule string
	// Since leaves out the entries up to this number.
	Since uint64
	// Match, if not nil, must hold as well. It must not use the journal.
	Match func(e *Entry) bool
	// Limit is how many entries are wanted at the most, counted from the oldest,
	// or with Newest from the newest; 0 means all. The order is always by number.
	Limit  int
	Newest bool
}

// Received selects the requests and notifications of clients with a method.
func Received(method string) Query {
	return Query{Direction: In, Kinds: []Kind{Request, Notification}, Method: method}
}

// Sent selects the messages of the server with a method: notifications, requests,
// and the responses to requests with it.
func Sent(method string) Query {
	return Query{Direction: Out, Kinds: []Kind{Request, Notification, Response}, Method: method}
}

// selects reports whether an entry is selected, apart from Limit.
func (q *Query) selects(e *Entry) bool {
	return e.Seq > q.Since &&
		(q.Direction == "" || q.Direction == e.Direction) &&
		(len(q.Kinds) == 0 || slices.Contains(q.Kinds, e.Kind)) &&
		matches(q.Method, e.Method) &&
		(q.URI == "" || q.URI == e.URI) &&
		(q.Session == "" || q.Session == e.Session) &&
		(q.Transport == "" || q.Transport == e.Transport) &&
		(q.Identity == "" || e.Identity != "" && strings.Contains("|"+q.Identity+"|", "|"+e.Identity+"|")) &&
		(q.Rule == "" || slices.Contains(e.Rules, q.Rule)) &&
		(q.Match == nil || q.Match(e))
}

func matches(pattern, method string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(method, prefix)
	}
	return pattern == "" || pattern == method
}

// String is the query in words, for messages.
func (q Query) String() string {
	var parts []string
	add := func(format string, value any) { parts = append(parts, fmt.Sprintf(format, value)) }
	switch q.Direction {
	case In:
		parts = append(parts, "received")
	case Out:
		parts = append(parts, "sent")
	}
	for i, k := range q.Kinds {
		if i > 0 {
			parts = append(parts, "or")
		}
		parts = append(parts, string(k))
	}
	for _, m := range []struct{ format, value string }{
		{"%s", q.Method}, {"about %s", q.URI}, {"of session %s", q.Session}, {"over %s", q.Transport},
		{"by %s", q.Identity}, {"under %s", q.Rule},
	} {
		if m.value != "" {
			add(m.format, m.value)
		}
	}
	if q.Since > 0 {
		add("after %d", q.Since)
	}
	if len(parts) == 0 {
		return "any entry"
	}
	return strings.Join(parts, " ")
}

// Query returns the entries that are selected, oldest first.
func (j *Journal) Query(q Query) (found []Entry) {
	j.locked(func() {
		j.each(q.Since, func(e *Entry) bool {
			if q.selects(e) {
				found = append(found, *e)
			}
			return q.Newest || q.Limit <= 0 || len(found) < q.Limit
		})
	})
	if q.Newest && q.Limit > 0 && len(found) > q.Limit {
		found = slices.Clone(found[len(found)-q.Limit:])
	}
	return found
}

// Count is the number of entries that are selected.
func (j *Journal) Count(q Query) (n int) {
	j.locked(func() {
		j.each(q.Since, func(e *Entry) bool {
			if q.selects(e) {
				n++
			}
			return q.Limit <= 0 || n < q.Limit
		})
	})
	return n
}

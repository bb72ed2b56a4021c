package record

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

const (
	pathSubscription = `params._meta.io\.modelcontextprotocol/subscriptionId`
	pathToken        = `params._meta.progressToken` // #nosec G101 -- the name of a member

	pathResultSubscription = `result._meta.io\.modelcontextprotocol/subscriptionId`
)

// exchange is a recorded request with its answer and what the server said around it.
type exchange struct {
	session, revision string
	seq               uint64 // of the request
	id                json.RawMessage
	method            string
	params            json.RawMessage
	token             string         // the progress token, as JSON
	canonical         string         // params without what does not count
	masked            *regexp.Regexp // what canonical may have been before it was masked; nil if it was not
	answer            []byte         // nil if there was none
	status            int            // of HTTP
	// before are the messages that came on its behalf until it was answered, after those that
	// followed the answer.
	before, after []message
}

// message is what the server sent beside answers.
type message struct {
	raw    []byte
	method string
	// of is the listen request to which it belongs; nil if it belongs to none.
	of *exchange
}

// builder puts exchanges together.
type builder struct {
	all    []*exchange
	open   map[string]*exchange // by number of the request and id
	last   map[string]*exchange // the newest that was answered, by session
	newest *exchange            // of all sessions
}

// exchanges are the requests of the client in a recording, in their order.
func (r *Recording) exchanges() []*exchange {
	b := &builder{open: map[string]*exchange{}, last: map[string]*exchange{}}
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Truncated() {
			continue
		}
		for _, m := range members(e, e.Raw) {
			switch {
			case e.Direction == journal.In && m.Kind == journal.Request:
				b.asked(&m)
			case e.Direction == journal.Out && m.Kind == journal.Response:
				b.answered(&m)
			case e.Direction == journal.Out && (m.Kind == journal.Notification || m.Kind == journal.Request):
				b.said(&m)
			}
		}
	}
	return b.all
}

// Masked counts the requests of the client in which something was masked, and those among them that this
// made like others: they are answered in the order in which they were recorded.
func (r *Recording) Masked() (requests, alike int) {
	same := map[string]int{}
	for _, x := range r.exchanges() {
		if x.masked != nil {
			same[x.revision+" "+x.method+" "+x.canonical]++
		}
	}
	for _, n := range same {
		requests += n
		if n > 1 {
			alike += n
		}
	}
	return requests, alike
}

func openKey(seq uint64, id []byte) string { return strconv.FormatUint(seq, 10) + "\x00" + idKey(id) }

func (b *builder) asked(m *journal.Entry) {
	x := &exchange{
		session: m.Session, revision: m.Revision, seq: m.Seq, id: m.ID, method: m.Method, params: m.Params(),
		token: gjson.GetBytes(m.Raw, pathToken).Raw,
	}
	x.canonical = canonical(x.params)
	if strings.Contains(x.canonical, mask.Replacement) {
		// What was masked stood in one string.
		x.masked = regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(x.canonical),
			regexp.QuoteMeta(mask.Replacement), `(?:[^"\\]|\\.)*`) + `$`)
	}
	b.all = append(b.all, x)
	b.open[openKey(x.seq, x.id)] = x
}

func (b *builder) answered(m *journal.Entry) {
	k := openKey(m.RequestSeq, m.ID)
	x := b.open[k]
	if x == nil {
		return // to nothing that was recorded
	}
	delete(b.open, k)
	x.answer, x.session = m.Raw, m.Session
	x.revision = cmp.Or(x.revision, m.Revision)
	if m.HTTP != nil {
		x.status = m.HTTP.Status
	}
	b.last[x.session], b.newest = x, x
}

// said finds out what a message followed, or belongs to.
func (b *builder) said(m *journal.Entry) {
	msg := message{raw: m.Raw, method: m.Method}
	if id := gjson.GetBytes(m.Raw, pathSubscription).Raw; id != "" {
		msg.of = b.pending(func(x *exchange) bool {
			return x.method == hook.MethodListen && string(x.id) == id && near(x, m)
		})
	}
	var during *exchange
	if token := gjson.GetBytes(m.Raw, "params.progressToken").Raw; token != "" {
		during = b.pending(func(x *exchange) bool { return x.token == token && near(x, m) })
	}
	last := b.last[m.Session]
	switch {
	case during != nil:
	case msg.of != nil && b.newest != nil && b.newest.seq >= msg.of.seq:
		last = b.newest
	case msg.of != nil:
		during = msg.of
	case m.Stream == "post":
		during = b.pending(func(x *exchange) bool { return x.seq == m.RequestSeq })
	}
	switch {
	case during != nil:
		during.before = append(during.before, msg)
	case last != nil:
		last.after = append(last.after, msg)
	case len(b.all) > 0:
		b.all[0].before = append(b.all[0].before, msg)
	}
}

// near reports whether a message can belong to an exchange: that of the same session or,
// over HTTP, of the same request.
func near(x *exchange, m *journal.Entry) bool {
	return x.session == m.Session || x.seq == m.RequestSeq
}

// pending finds the newest request without an answer for which a condition holds.
func (b *builder) pending(is func(x *exchange) bool) *exchange {
	var found *exchange
	for _, x := range b.open {
		if is(x) && (found == nil || x.seq > found.seq) {
			found = x
		}
	}
	return found
}

// canonical is what of params counts: without metadata, members sorted.
func canonical(params json.RawMessage) string {
	o, ok := hook.DecodeObject(params)
	if !ok {
		if len(params) > 0 {
			return string(params)
		}
		o = hook.Object{}
	}
	delete(o, "_meta")
	return string(hook.Encode(o))
}

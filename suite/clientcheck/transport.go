package clientcheck

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// httpChecks are those of HTTP.
var httpChecks = []check{
	{"CL-05", "nothing came after a handshake", versionHeader},
	{"CL-06", "no session id was issued, or nothing came after it", sessionHeader},
	{"CL-07", "it sent no POST", acceptHeader},
	{"CL-08", "it sent no POST", contentType},
	{"CL-10", "it sent no request", mirrorHeaders},
	{"CL-11", "it sent no POST", versionsAgree},
	{"CL-17", "no session was lost (\"mockserver verify --provoke\" ends one)", replacesSession},
	{"CL-30", "it resumed no stream", resumes},
	{"CL-43", `it came back to no stream with a retry time ("mockserver verify --provoke-stream" ends one)`,
		waits},
}

// what is an HTTP request in a few words.
func (e *entry) what() string {
	if e.Method != "" {
		return e.HTTP.Method + " of " + shorten(e.Method)
	}
	return shorten(e.HTTP.Method)
}

// later lists the HTTP requests of the client after the handshake.
func (c *conversation) later() []*entry {
	return recording.Keep(c.heads, func(e *entry) bool {
		return c.accepted != nil && e.Seq >= c.accepted.Seq
	})
}

func versionHeader(v *judging) {
	expected := "MCP-Protocol-Version: " + string(v.Combination.Revision)
	hint := "send " + expected + " on every request after the handshake, GET and DELETE included"
	for _, e := range v.later() {
		switch got := e.Header(headerVersion); {
		case e.Method == methodInitialize: // a second handshake is the matter of CL-02
		case got == string(v.Combination.Revision):
			v.pass(e)
		case got == "":
			v.violated(expected, "the "+e.what()+" has no MCP-Protocol-Version", hint, v.accepted, e)
		default:
			v.warn("that it is the negotiated version is a SHOULD", expected,
				"the "+e.what()+" has MCP-Protocol-Version: "+shorten(got), hint, v.accepted, e)
		}
	}
}

func sessionHeader(v *judging) {
	const expected = "MCP-Session-Id as issued"
	for _, e := range v.later() {
		switch got := e.Header(headerSession); {
		case v.session == "":
		case got == v.session:
			v.pass(e)
		case got == "":
			v.violated(expected, "the "+e.what()+" has no MCP-Session-Id",
				"send the id of the answer to initialize on every later request", v.accepted, e)
		default:
			v.violated(expected, "the "+e.what()+" has another MCP-Session-Id, which was not issued",
				"keep the id byte for byte", v.accepted, e)
		}
	}
}

func acceptHeader(v *judging) {
	wanted := map[string][]string{
		http.MethodPost: {"application/json", "text/event-stream"}, http.MethodGet: {"text/event-stream"},
	}
	for _, e := range v.heads {
		want := wanted[e.HTTP.Method]
		values := strings.Join(e.HTTP.Header.Values("Accept"), ",")
		if want != nil {
			lacks := slices.ContainsFunc(want, func(t string) bool { return !accepted(values, t) })
			v.that(!lacks, "Accept: "+strings.Join(want, ", "),
				fmt.Sprintf("the %s has Accept: %q", e.what(), shorten(values)),
				"list both types on POST, the event stream on GET", e)
		}
	}
}

// accepted reports whether an Accept header takes a type: what it says of the type itself
// counts before what it says of ranges.
func accepted(values, want string) bool {
	family, _, _ := strings.Cut(want, "/")
	ranges := false
	for part := range strings.SplitSeq(values, ",") {
		kind, parameters, _ := mime.ParseMediaType(part)
		weight, err := strconv.ParseFloat(parameters["q"], 64)
		taken := err != nil || weight != 0 // 0 says that it is not accepted
		switch kind {
		case want:
			return taken
		case family + "/*", "*/*":
			ranges = ranges || taken
		}
	}
	return ranges
}

func contentType(v *judging) {
	for _, e := range v.heads {
		got := e.Header("Content-Type")
		kind, _, err := mime.ParseMediaType(got)
		if e.HTTP.Method == http.MethodPost {
			v.that(err == nil && kind == "application/json", "Content-Type: application/json",
				fmt.Sprintf("the %s has Content-Type: %q", e.what(), shorten(got)),
				"name the type of the body", e)
		}
	}
}

// posted lists the messages of the client that stand by themselves in an HTTP request.
func posted(all []*message) []*message {
	return recording.Keep(all, func(m *message) bool { return m.HTTP != nil && !m.batched })
}

func mirrorHeaders(v *judging) {
	for _, m := range posted(v.requests()) {
		what := m.what()
		method, named := m.HTTP.Header.Values("Mcp-Method"), m.HTTP.Header.Values("Mcp-Name")
		member := map[string]string{"tools/call": "name", "prompts/get": "name", methodRead: "uri"}[m.method]
		name := m.Get("params." + member)
		encoded := wire.HeaderValue(name.Str)
		expected := "Mcp-Name: " + shorten(encoded)
		switch {
		case len(method) != 1 || strings.Trim(method[0], " \t") != m.method:
			v.violated("Mcp-Method: "+shorten(m.method),
				fmt.Sprintf("Mcp-Method of %s is %q", what, shorten(strings.Join(method, ", "))),
				"put the method into Mcp-Method", m)
		case member == "" || name.Type != gjson.String:
			v.pass(m)
		case len(named) != 1:
			v.violated(expected, fmt.Sprintf("%s has %d headers Mcp-Name", what, len(named)),
				"put the name or URI into Mcp-Name", m)
		default:
			v.that(strings.Trim(named[0], " \t") == encoded || wire.FromSentinel(named[0]) == name.Str,
				expected, fmt.Sprintf("Mcp-Name of %s is %q", what, shorten(named[0])),
				"put the name or URI into Mcp-Name byte for byte, in Base64 where it is not plain ASCII", m)
		}
	}
}

func versionsAgree(v *judging) {
	for _, m := range posted(v.fromClient()) {
		got, body := m.Header(headerVersion), m.meta("protocolVersion").String()
		if got == "" {
			v.violated("MCP-Protocol-Version on every POST",
				"the POST of "+m.what()+" has no MCP-Protocol-Version",
				"send MCP-Protocol-Version: "+string(v.Combination.Revision), m)
			continue
		}
		v.that(m.kind != kindRequest || body == "" || body == got, "the version of the body, "+shorten(body),
			"MCP-Protocol-Version of "+m.what()+" says "+shorten(got)+", its _meta "+shorten(body),
			"take both from one place", m)
	}
}

func replacesSession(v *judging) {
	for _, e := range v.heads {
		id := e.Header(headerSession) // of one that nobody issued see CL-06
		if e.status() == http.StatusNotFound && e.HTTP.Method == http.MethodPost && e.Method != "" &&
			id != "" && (v.session == "" || id == v.session) {
			judgeLost(v, e)
			return
		}
	}
}

// judgeLost judges what came after a session was lost.
func judgeLost(v *judging, lost *entry) {
	const hint = "on 404 to a request with MCP-Session-Id forget the id, " +
		"send initialize without it and go on in the new session"
	const expected = "an initialize request without MCP-Session-Id"
	answer := lost.reply
	for _, other := range v.conversations {
		begun := other.initialize
		if other.Transport == requirement.HTTP && begun != nil && begun.Seq >= answer.Seq {
			v.that(begun.Header(headerSession) == "", expected,
				"initialize was sent with the id of the session that is lost", hint, lost, answer, begun)
			return
		}
	}
	for _, e := range v.heads {
		if e.Seq > answer.Seq && e.Header(headerSession) != "" && e.HTTP.Method != http.MethodDelete {
			v.violated(expected, "the client went on with the id that was refused", hint, lost, answer, e)
			return
		}
	}
	if v.Ended && v.SingleClient {
		v.warn("the client may have had nothing more to do", expected,
			"no new session was begun after the 404", hint, lost, answer)
		return
	}
	v.NotExercised("nothing has come since the session was lost")
}

func resumes(v *judging) {
	for _, e := range v.heads {
		id := e.Header(headerLast)
		if e.HTTP.Method != http.MethodGet || id == "" {
			continue
		}
		sent := slices.IndexFunc(v.events, func(x *entry) bool { return x.EventID == id && x.Seq < e.Seq })
		switch {
		case sent >= 0:
			v.pass(v.events[sent], e)
		case v.lost:
			v.incomplete("events of the session are no longer in the journal")
		default:
			v.violated("the id of an event of this session",
				fmt.Sprintf("Last-Event-ID is %q, which was never sent in this session", shorten(id)),
				"keep the id field of the last event byte for byte", e)
		}
	}
	for _, s := range v.broken() {
		named := recording.Keep(s.events, func(x *entry) bool { return x.EventID != "" })
		if e := v.back(s); e != nil && e.Header(headerLast) == "" && named != nil {
			v.warn("a client need not resume a stream", "Last-Event-ID with the id of the last event",
				"a GET without Last-Event-ID came after the stream had ended, of which events had ids",
				"keep the id of the last event, and name it to be sent what came meanwhile",
				last(named), s.ended, e)
		}
	}
}

// broken lists the HTTP requests whose event streams the server ended too early: those of GET, and of POST
// those without a response to all that was asked.
func (c *conversation) broken() []*entry {
	return recording.Keep(c.heads, func(h *entry) bool {
		open := func(m *message) bool { return m.answer == nil || m.answer.Seq > h.ended.Seq }
		return h.ended != nil && slices.Contains([]string{"server", "abort"}, h.ended.Reason) &&
			(h.HTTP.Method == http.MethodGet || slices.ContainsFunc(h.asked, open))
	})
}

// back is the GET by which a client came back to a stream: one that names an event of it, or else the first
// behind a GET while no other was open. It is nil if there is none.
func (c *conversation) back(s *entry) *entry {
	var anew *entry
	for _, e := range c.heads {
		if e.HTTP.Method != http.MethodGet || e.Seq < s.ended.Seq {
			continue
		}
		open := slices.ContainsFunc(c.heads, func(h *entry) bool {
			return h.HTTP.Method == http.MethodGet && h.status() == http.StatusOK && h.Seq < e.Seq &&
				(h.ended == nil || h.ended.Seq > e.Seq)
		})
		id := e.Header(headerLast)
		switch of := func(x *entry) bool { return x.EventID == id }; {
		case id != "" && slices.ContainsFunc(s.events, of):
			return e
		case id == "" && anew == nil && s.HTTP.Method == http.MethodGet && !open:
			anew = e
		}
	}
	return anew
}

// waits judges whether a client waited for as long as a stream had asked it to. Three quarters of the time
// are enough: clocks differ.
func waits(v *judging) {
	for _, s := range v.broken() {
		retry := last(recording.Keep(s.events, func(x *entry) bool {
			return x.Retry > 0 && x.Seq < s.ended.Seq
		}))
		e := v.back(s)
		if retry == nil || e == nil {
			continue
		}
		asked := time.Duration(retry.Retry) * time.Millisecond
		took := (e.at - s.ended.at).Round(time.Millisecond)
		why := "" // it is no more than a warning
		if e.Header(headerLast) == "" {
			why = "it may be another stream"
		}
		if took >= asked*3/4 {
			v.pass(retry, s.ended, e)
		} else {
			v.warn(why, "no GET for "+asked.String()+", as retry says",
				"the client came back after "+took.String(),
				"wait for as many milliseconds as the retry field says after the stream has ended",
				retry, s.ended, e)
		}
	}
}

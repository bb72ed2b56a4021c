package clientcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// When an answer to a ping counts as due, and when it came late.
const (
	patience = 500 * time.Millisecond
	patient  = 3 // further requests
	prompt   = 5 * time.Second
)

// serverChecks are those of how a client treats what the server asks and tells it.
var serverChecks = []check{
	{"CL-19", "no notification was sent to it", silentOnNotifications},
	{"CL-20", "the server asked it nothing: over HTTP a client has to accept event streams", answersRequests},
	{"CL-26", "the server asked for nothing but pings", refusesUndeclared},
	{"CL-44", "it was not asked for its roots, or named none", fileRoots},
}

// notified is the last notification of the server before a message, or what it sent that could
// not be read; nil if there is none.
func (c *conversation) notified(m *message) *message {
	return last(before(c.fromServer(kindNotification, kindUnreadable), m))
}

// toNotification is the notification that a response can only be one to, if it belongs to no
// request and no request is open as it comes; else nil.
func (c *conversation) toNotification(m *message) *message {
	for _, x := range c.Exchanges {
		if x.Request < m.Seq && len(x.Replies) == 0 {
			return nil
		}
	}
	if n := c.notified(m); n != nil && n.kind == kindNotification {
		return n
	}
	return nil
}

func silentOnNotifications(v *judging) {
	if n := v.fromServer(kindNotification); len(n) > 0 {
		v.pass(n[0])
	}
	for _, m := range v.stray {
		if n := v.toNotification(m); n != nil && v.whole {
			v.violated("no response",
				m.what()+" was sent after "+n.what()+", and no request of the server has that id",
				"answer only what has an id", n, m)
		}
	}
}

func answersRequests(v *judging) {
	for _, x := range v.conversation.Exchanges {
		answered(v, x)
	}
	for _, m := range v.stray {
		if n := v.notified(m); v.whole && v.toNotification(m) == nil &&
			(n == nil || n.kind != kindUnreadable) {
			v.violated("the id of a request of the server", m.what()+" answers nothing that was asked",
				"copy the id of the request, with its type", m)
		}
	}
}

// answered judges the responses to a request of the server.
func answered(v *judging, x *recording.Exchange) {
	const hint = "answer ping with an empty result"
	ping := x.Method == methodPing
	switch {
	case len(x.Replies) > 1:
		v.violated("one response", shorten(x.Method)+" was answered more than once",
			"answer each request once", x)
	case len(x.Replies) == 0 && ping && v.due(x):
		v.violated("an empty result", "the ping was never answered", hint, x)
	case len(x.Replies) == 0:
		v.NotExercised("the conversation ended before a response was due")
	case ping && x.Error().Exists():
		v.violated("an empty result", "the ping was answered with an error", hint, x)
	case ping && x.Took > prompt:
		v.warn("how soon is prompt is not said", "a prompt response",
			"the ping was answered after "+x.Took.Round(time.Second).String(),
			"answer pings at once, whatever else goes on", x)
	default:
		v.pass(x)
	}
}

// due reports whether the client has had the time to answer a request.
func (c *conversation) due(x *recording.Exchange) bool {
	later := 0
	for _, m := range c.fromClient() {
		if m.Seq < x.Request {
			continue
		}
		if later++; later >= patient || m.at-x.Sent > patience {
			return true
		}
	}
	// Over HTTP a client leaves no trace when it goes: a session that it did not end itself
	// may have outlived it.
	outlived := c.Transport == requirement.HTTP && !c.deleted
	return c.closed != nil && !outlived && c.closed.at-x.Sent > patience
}

func refusesUndeclared(v *judging) {
	capabilities := map[string]string{"roots/list": "roots", "sampling/createMessage": "sampling",
		"elicitation/create": "elicitation"}
	for _, x := range v.conversation.Exchanges {
		capability := capabilities[x.Method]
		declared := capability != "" && v.initialize != nil &&
			v.initialize.Get("params.capabilities."+capability).Exists()
		replied, what := len(x.Replies) > 0, shorten(x.Method)
		switch {
		case x.Method == methodPing:
		case replied && declared:
			v.that(!x.HasCode(codeUnknownMethod), "an answer, since "+capability+" was declared",
				what+" was refused as an unknown method",
				"declare only what is implemented", x)
		case replied:
			v.that(x.Error().Exists(), "an error, since nothing of the kind was declared",
				what+" was answered with a result",
				"declare what is implemented", x)
		case !declared && v.due(x):
			v.violated("an error", what+" was left without an answer",
				"answer unknown requests with the error -32601", x)
		default:
			v.NotExercised("the conversation ended before a response was due")
		}
	}
}

// The errors that only revisions without handshake have: of headers that do not agree, a capability that is
// missing, and a version that the server does not speak.
const (
	codeMismatch    = -32020
	codeCapability  = -32021
	codeUnsupported = -32022
)

// modernChecks are those that only revisions without handshake have.
var modernChecks = []check{
	{"CL-09", "it sent no request", metadata},
	{"CL-27", "it sent nothing", oneEra},
	{"CL-28", "no version was refused (\"--revision\" limits what the server speaks)", otherVersion},
	{"CL-34", "no result asked it for input, or it did not retry", retries},
}

func metadata(v *judging) {
	const hint = "put protocolVersion, clientInfo and clientCapabilities into the _meta of every request, " +
		"under io.modelcontextprotocol/"
	for _, m := range v.requests() {
		info, its := m.meta("clientInfo"), "the _meta of "+m.what()
		switch {
		case !m.whole:
		case !judge.IsString(m.meta("protocolVersion")):
			v.violated("a protocolVersion in _meta", its+" has no protocolVersion", hint, m)
		case !m.meta("clientCapabilities").IsObject():
			v.violated("clientCapabilities in _meta, be it {}", its+" has no clientCapabilities", hint, m)
		case !info.Exists():
			v.warn("it is a SHOULD, and a client may be told to leave it out", "clientInfo in _meta",
				its+" has no clientInfo", hint, m)
		default:
			v.that(judge.IsString(info.Get("name")) && judge.IsString(info.Get("version")),
				"a clientInfo with name and version",
				"the clientInfo of "+m.what()+" is "+shorten(info.Raw), hint, m)
		}
	}
}

func oneEra(v *judging) {
	const expected, why = "requests with metadata to the end", "it is only implied"
	v.pass(v.last())
	for _, m := range v.fromClient(kindResponse) {
		if v.toNotification(m) == nil { // else see CL-19
			v.violated("requests and notifications only", m.what()+" was sent",
				"answer input requests by a retry; there are no others", m)
		}
	}
	known := v.understood()
	if known == nil {
		return
	}
	if s := v.sibling; s != nil && s.initialize != nil && known.answer.Seq < s.initialize.Seq {
		v.warn(why, expected, "initialize was sent after "+known.what()+" had been answered in this revision",
			"choose one era for a connection, by the answer to server/discover", known.answer, s.initialize)
	}
	for _, m := range v.requests(methodInitialize) {
		if known.answer.Seq < m.Seq {
			v.warn(why, expected,
				"initialize was sent, with the metadata of this revision, after "+known.what()+
					" had been answered in it",
				"leave the handshake to older revisions: server/discover says what a server can do",
				known.answer, m)
		}
	}
}

// otherVersion judges what came after a version had been refused.
func otherVersion(v *judging) {
	refused := first(recording.Keep(v.requests(), func(m *message) bool {
		return m.code() == codeUnsupported
	}))
	if refused == nil {
		return
	}
	var supported []string
	modern := false
	for _, x := range refused.answer.Get("error.data.supported").Array() {
		supported = append(supported, x.String())
		modern = modern || requirement.Revision(x.String()).Modern()
	}
	for _, other := range v.conversations {
		if other.Transport != v.Transport || other != v.conversation && other != v.sibling &&
			(v.Transport == requirement.Stdio || !v.SingleClient) {
			continue
		}
		for _, m := range other.requests() {
			if m.Seq <= refused.answer.Seq {
				continue
			}
			version := m.meta("protocolVersion").String()
			if m.method == methodInitialize {
				version = m.Get("params.protocolVersion").String()
			}
			const hint = "choose from data.supported, or tell the user that there is no common version"
			names := "one of " + shorten(strings.Join(supported, ", "))
			actual := "the client went on with " + shorten(version)
			listed, back := slices.Contains(supported, version), !other.modern && modern
			if back {
				actual += " by initialize, though the server speaks versions without a handshake"
			}
			v.that(listed && !back || supported == nil && !other.modern, names, actual, hint,
				refused, refused.answer, m)
			return
		}
	}
	v.NotExercised("the client gave up: it may support none of %s", strings.Join(supported, ", "))
}

func retries(v *judging) {
	requests := v.requests()
	for i, m := range requests {
		r := m.succeeded()
		if r.Get("resultType").String() != "input_required" {
			continue
		}
		for _, q := range requests[i+1:] {
			if q.again() && q.Seq > m.answer.Seq && q.method == m.method && q.uri == m.uri {
				judgeRetry(v, m, q, r)
				break
			}
		}
	}
}

func judgeRetry(v *judging, m, retry *message, r gjson.Result) {
	answered := judge.Names(retry.Get("params.inputResponses"))
	missing := slices.DeleteFunc(judge.Names(r.Get("inputRequests")),
		func(key string) bool { return slices.Contains(answered, key) })
	state, echoed := r.Get("requestState"), retry.Get("params.requestState")
	evidence := []cited{m, m.answer, retry}
	switch {
	case len(missing) > 0:
		v.violated("an inputResponses member for each input request",
			fmt.Sprintf("the retry has none for %q", shorten(missing[0])),
			"answer all input requests under their keys", evidence...)
	case state.Exists() && (echoed.Type != state.Type || echoed.String() != state.String()):
		v.violated("the requestState of the result", "the retry has another one, or none",
			"return requestState byte for byte", evidence...)
	case !state.Exists() && echoed.Exists():
		v.violated("no requestState, since the result had none", "the retry has one",
			"leave requestState out", evidence...)
	default:
		v.that(retry.id != m.id, "an id of its own for the retry",
			"the retry has the id of the first request", "take a new id", evidence...)
	}
}

// fileRoots judges the roots that a client named: in its responses, or without handshake in retries.
func fileRoots(v *judging) {
	judge := func(roots gjson.Result, seen ...cited) {
		for _, root := range roots.Array() {
			uri := root.Get("uri").String()
			scheme, _, _ := strings.Cut(uri, ":")
			v.that(strings.EqualFold(scheme, "file"), "a file:// URI for each root",
				"a root is "+shorten(cmp.Or(uri, root.Raw)), "write the path as a file:// URI", seen...)
		}
	}
	for _, x := range v.conversation.Exchanges {
		if x.Method == "roots/list" {
			judge(x.Value("roots"), x)
		}
	}
	for _, m := range v.requests() {
		m.Get("params.inputResponses").ForEach(func(_, response gjson.Result) bool {
			judge(response.Get("roots"), m)
			return true
		})
	}
}

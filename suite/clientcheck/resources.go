package clientcheck

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"
)

// resourceChecks are those of how resources are named and used.
var resourceChecks = []check{
	{"CL-15", "it named no resource that it had been told of", together(urisVerbatim)},
	{"CL-16", "it named no resource by a template that it had been told of", expansions},
	{"CL-18", "it subscribed to nothing", subscriptions},
	{"CL-23", "it used no optional feature", onlyDeclared},
	{"CL-40", "it named no resource and no template", together(toldOf)},
	{"CL-41", "nothing that it asked for was refused for good", takesRefusals},
}

// use is a URI that the client sent to name a resource, and the message that first told of it, if one did.
type use struct {
	*message
	uri  string
	told *message
}

// fresh reports whether nothing had told of the URI when it was sent.
func (u use) fresh() bool { return u.told == nil || u.told.Seq >= u.Seq }

// names reports by a few words that the client has named something.
func (u use) names() string { return fmt.Sprintf("%s names %q", u.what(), shorten(u.uri)) }

// uses lists the URIs of resources that the client sent.
func uses(conversations ...*conversation) []use {
	var all []use
	for _, c := range conversations {
		for _, m := range c.requests(methodRead, methodSubscribe, methodUnsubscribe, methodListen) {
			uris := []gjson.Result{m.Get("params.uri")}
			if m.method == methodListen {
				uris = m.Get("params.notifications.resourceSubscriptions").Array()
			}
			for _, x := range uris {
				if x.Type == gjson.String {
					all = append(all, use{m, x.Str, c.uris[x.Str]})
				}
			}
		}
	}
	return all
}

// missed reports whether a request was answered with the error for a resource that does not exist,
// which in revisions without a handshake is that for bad params.
func (m *message) missed() bool { return m.code() == -32002 || m.code() == -32602 }

// codeUnknownMethod is the error of JSON-RPC for a method that there is not.
const codeUnknownMethod = -32601

func toldOf(v *judging) {
	g := v.group
	remarked := map[string]bool{}
	look := func(u use, known bool) {
		if known || !u.fresh() || !u.missed() || remarked[u.uri] {
			v.pass(u)
			return
		}
		remarked[u.uri] = true
		v.remark(u.names()+", which the server does not have and never told of", u, u.answer)
	}
	for _, u := range uses(v.members...) {
		look(u, g.expands(u))
	}
	for _, c := range v.members {
		for _, m := range c.requests(methodComplete) {
			if ref := m.Get("params.ref.uri"); ref.Type == gjson.String {
				template := use{m, ref.Str, g.templates[ref.Str]}
				look(use{m, ref.Str, g.uris[ref.Str]}, !template.fresh())
			}
		}
	}
}

// enoughRefusals is how often a client may be refused the same on end.
const enoughRefusals = 5

func takesRefusals(v *judging) {
	refused := map[string][]cited{}
	refuse := func(key, what string, x cited) {
		refused[key] = append(refused[key], x)
		v.pass(x)
		if len(refused[key]) == enoughRefusals {
			v.remark(what+" was sent again and again, and refused each time", refused[key]...)
		}
	}
	for _, m := range v.messages {
		switch {
		case m.Direction == out && m.kind == kindNotification:
			clear(refused) // something may be there now
		case m.Direction == out || m.kind != kindRequest:
		case m.uri != "" && m.missed():
			refuse(m.method+" "+m.uri, fmt.Sprintf("%s of %q", m.what(), shorten(m.uri)), m)
		case m.code() == codeUnknownMethod:
			refuse(m.method, m.what()+", a method that the server does not know,", m)
		}
	}
	clear(refused)
	for _, e := range v.heads {
		if e.status() == http.StatusMethodNotAllowed {
			refuse(e.HTTP.Method, shorten(e.HTTP.Method)+", which the server does not offer,", e)
		} else {
			delete(refused, e.HTTP.Method)
		}
	}
}

func expansions(v *judging) {
	if len(v.templates) == 0 {
		v.NotExercised("the client gave no occasion: it never listed resource templates")
		return
	}
	for _, u := range uses(v.conversation) {
		if !u.fresh() {
			continue // what comes back from a read was not known before
		}
		for _, text := range slices.Sorted(maps.Keys(v.templates)) {
			if how := expands(text, u.uri); how != "" {
				v.that(how == expansion, fmt.Sprintf("an expansion of %q", shorten(text)),
					u.names()+", with "+how,
					"expand templates with a library for RFC 6570", v.templates[text], u)
				break
			}
		}
	}
}

// expansion is what a URI is by [expands] that is nothing else.
const expansion = "expansion"

// expands says whether a URI is an expansion of a template, or what about it shows that it
// was meant to be one; empty if neither.
func expands(text, uri string) string {
	literal, _, _ := strings.Cut(text, "{")
	tail, ok := strings.CutPrefix(uri, literal)
	switch {
	case literal == "" || !ok:
		return ""
	case strings.ContainsAny(tail, "{}"):
		return "braces left in it"
	case strings.ContainsFunc(tail, func(r rune) bool {
		return r <= ' ' || r >= 0x7F || strings.ContainsRune("<>\"\\^`|", r)
	}):
		return "characters that are not percent-encoded"
	}
	if t, err := uritemplate.New(text); err == nil && t.Match(uri) != nil {
		return expansion
	}
	return ""
}

// expands reports whether a URI is what a template, listed before, expands to:
// {path} makes of a/b what looks like another spelling of it.
func (g *group) expands(u use) bool {
	for text, told := range g.templates {
		if told.Seq < u.Seq && expands(text, u.uri) == expansion {
			return true
		}
	}
	return false
}

func subscriptions(v *judging) {
	requests := v.requests(methodSubscribe, methodUnsubscribe)
	offered := v.conversation.Facts.Capability("resources.subscribe").Bool()
	if len(v.conversation.Facts.Declared) > 0 && !offered && len(requests) == 0 {
		v.Skip(recording.CodeUndeclared, "the server does not declare resources.subscribe")
	}
	on := map[string]*message{}
	for _, m := range requests {
		since, subscribes := on[m.uri], m.method == methodSubscribe
		switch {
		case subscribes && since != nil:
			v.remark(fmt.Sprintf("it subscribed to %q twice", shorten(m.uri)), since, m)
		case !subscribes && since == nil && v.whole:
			v.remark(fmt.Sprintf("it unsubscribed from %q without being subscribed", shorten(m.uri)), m)
		default:
			v.pass(m)
		}
		if !subscribes {
			delete(on, m.uri)
		} else if m.succeeded().Exists() {
			on[m.uri] = m
		}
	}
}

// needed is the capability that a method needs, beside that of the feature named by its
// beginning.
func needed(method string, revision requirement.Revision) string {
	feature, _, _ := strings.Cut(method, "/")
	switch {
	case method == methodSubscribe || method == methodUnsubscribe:
		return "resources.subscribe"
	case feature == "completion" && revision != requirement.R20241105:
		return "completions"
	case slices.Contains([]string{"resources", "prompts", "tools", "logging", "tasks"}, feature):
		return feature
	}
	return ""
}

func onlyDeclared(v *judging) {
	for _, m := range v.requests() {
		capability := needed(m.method, v.Combination.Revision)
		switch x := v.conversation.Facts.Capability(capability); {
		case len(v.conversation.Facts.Declared) == 0 || capability == "" || m.Seq < v.accepted.Seq:
		case x.Exists() && x.Type != gjson.False:
			v.pass(m)
		default:
			v.violated("only what the server declared",
				m.what()+" was sent, but "+capability+" was not declared",
				"look into the capabilities in the result of initialize first", v.accepted, m)
		}
	}
}

func urisVerbatim(v *judging) {
	g := v.group
	exact := g.spellings(canonical)
	near := []map[string]string{g.spellings(rough), g.spellings(bare), g.spellings(bareOfPath)}
	verbatim, named := map[[2]string]bool{}, uses(v.members...)
	for _, u := range named {
		verbatim[[2]string{u.method, u.uri}] = true
	}
	for _, u := range named {
		listed, ok := exact[canonical(u.uri)]
		for i := 0; i < len(near) && !ok && u.answer != nil && u.answer.failed(); i++ {
			listed, ok = near[i][rough(u.uri)]
			// A client that sends the listed URI as it is does not make another of it.
			ok = ok && !verbatim[[2]string{u.method, listed}]
		}
		switch told := g.uris[listed]; {
		case !u.fresh():
			v.pass(u)
		case ok && told.Seq < u.Seq && !g.expands(u):
			v.violated(fmt.Sprintf("the URI as it was listed, %q", shorten(listed)),
				fmt.Sprintf("%s, for what was listed as %q", u.names(), shorten(listed)),
				"keep URIs as strings: do not parse, decode or normalize them", told, u)
		}
	}
}

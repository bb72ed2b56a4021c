package client

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// resourceChecks are those of how resources are named and used.
var resourceChecks = []check{
	{"CL-15", "it named no resource that it had been told of", urisVerbatim},
	{"CL-16", "it named no resource by a template that it had been told of", expansions},
	{"CL-18", "it subscribed to nothing", subscriptions},
	{"CL-23", "it used no optional feature", onlyDeclared},
}

// known collects the URIs that a group was told of by lists, results and notifications,
// or if name is "uriTemplate", the templates, each with the number of the first message.
func (g *group) known(name string) map[string]int {
	told := map[string]int{}
	for _, c := range g.conversations {
		for _, m := range c.messages {
			if !m.sent || !m.whole {
				continue
			}
			for _, x := range []gjson.Result{m.result(), m.params} {
				collect(x, name, func(uri string) {
					if _, ok := told[uri]; !ok {
						told[uri] = m.Seq
					}
				})
			}
		}
	}
	return told
}

// collect finds all strings under a name, however deep they lie.
func collect(x gjson.Result, name string, found func(string)) {
	if !x.IsObject() && !x.IsArray() {
		return
	}
	x.ForEach(func(key, value gjson.Result) bool {
		if key.Str == name && value.Type == gjson.String && x.IsObject() {
			found(value.String())
		} else {
			collect(value, name, found)
		}
		return true
	})
}

// named goes through the URIs of resources that the client sent.
func (g *group) named(visit func(m *message, uri string)) {
	for _, m := range g.requests(methodRead, "resources/subscribe", "resources/unsubscribe", methodListen) {
		uris := []gjson.Result{m.params.Get("uri")}
		if m.method == methodListen {
			uris = m.params.Get("notifications.resourceSubscriptions").Array()
		}
		for _, x := range uris {
			if x.Type == gjson.String {
				visit(m, x.String())
			}
		}
	}
}

func expansions(g *group, v *judging) {
	told, templates := g.known("uri"), g.known("uriTemplate")
	if len(templates) == 0 {
		v.skip("the client gave no occasion: it never listed resource templates")
		return
	}
	g.named(func(m *message, uri string) {
		if seq, listed := told[uri]; listed && seq < m.Seq {
			return // what comes back from a read was not known before
		}
		for _, text := range slices.Sorted(maps.Keys(templates)) {
			switch how := expands(text, uri); how {
			case "":
				continue
			case "expansion":
				v.pass(templates[text], m.Seq)
			default:
				v.violated(fmt.Sprintf("an expansion of %q", shorten(text)), fmt.Sprintf("%s names %q, with %s", m.what(), shorten(uri), how),
					"expand templates with a library for RFC 6570", templates[text], m.Seq)
			}
			return
		}
	})
}

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
	case strings.ContainsFunc(tail, func(r rune) bool { return r <= ' ' || r >= 0x7F || strings.ContainsRune("<>\"\\^`|", r) }):
		return "characters that are not percent-encoded"
	}
	if t, err := uritemplate.New(text); err == nil && t.Match(uri) != nil {
		return "expansion"
	}
	return ""
}

func subscriptions(g *group, v *judging) {
	for _, c := range g.conversations {
		requests := c.requests("resources/subscribe", "resources/unsubscribe")
		if d, ok := c.declared(); ok && !d.Get("resources.subscribe").Bool() && len(requests) == 0 {
			v.Skip(recording.CodeUndeclared, "the server does not declare resources.subscribe")
			continue
		}
		on := map[string]int{}
		for _, m := range requests {
			since, subscribed := on[m.uri]
			_, taken := m.succeeded()
			subscribes := m.method == "resources/subscribe"
			switch {
			case subscribes && subscribed:
				v.remark(fmt.Sprintf("it subscribed to %q twice", shorten(m.uri)), since, m.Seq)
			case !subscribes && !subscribed && c.whole:
				v.remark(fmt.Sprintf("it unsubscribed from %q without being subscribed", shorten(m.uri)), m.Seq)
			default:
				v.pass(m.Seq)
			}
			if !subscribes {
				delete(on, m.uri)
			} else if taken {
				on[m.uri] = m.Seq
			}
		}
	}
}

// needed is the capability that a method needs, beside that of the feature named by its
// beginning.
func needed(method string, revision requirement.Revision) string {
	switch feature, _, _ := strings.Cut(method, "/"); feature {
	case "completion":
		if revision == requirement.R20241105 {
			return ""
		}
		return "completions"
	case "resources", "prompts", "tools", "logging", "tasks":
		if method == "resources/subscribe" || method == "resources/unsubscribe" {
			return "resources.subscribe"
		}
		return feature
	}
	return ""
}

func onlyDeclared(g *group, v *judging) {
	for c, m := range g.requests() {
		declared, ok := c.declared()
		capability := needed(m.method, c.Revision)
		x := declared.Get(capability)
		switch {
		case !ok || capability == "" || m.Seq < c.accepted.Seq:
		case !x.Exists() || x.Type == gjson.False:
			v.violated("only what the server declared", m.what()+" was sent, but "+capability+" was not declared",
				"look into the capabilities in the result of initialize first", c.accepted.Seq, m.Seq)
		default:
			v.pass(m.Seq)
		}
	}
}

package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func resourceRules() []Rule {
	return []Rule{
		{
			ID: "CL-15", Title: "URIs are sent as they were listed", Profile: profileResources,
			Text:  "A client names a resource by the URI under which the server listed it, byte for byte: how a URI is to be understood is up to the server.",
			Level: "SHOULD", Grade: Warn, Basis: SchemaDoc, Revisions: everyOne, Transports: onAll,
			Sections: []Section{{From: first, To: modern, Page: "server/resources", Anchor: "reading-resources"}},
			Tolerated: "URIs that are not another spelling of a listed one may come from anywhere, and what a listed template expands to may look like one. " +
				"A URI without the scheme, the query or the like counts only if nothing was found under it, and if the client never sent the listed URI itself. It is a comment of the schema that says so, hence a warning.",
			Occasion: "it named no resource that it had been told of", judge: urisVerbatim,
		},
		{
			ID: "CL-16", Title: "Templates are expanded by RFC 6570", Profile: profileResources,
			Text:  "What a client reads by a resource template is an expansion of it by RFC 6570: no braces are left, and what may not stand in a URI is percent-encoded.",
			Level: "SHOULD", Grade: Warn, Basis: SchemaDoc, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{{From: first, To: modern, Page: "server/resources", Anchor: "resource-templates"}},
			Tolerated: "A URI that merely begins like a template. It is a comment of the schema that says so, hence a warning.",
			Occasion:  "it named no resource by a template that it had been told of", judge: expansions,
		},
		{
			// Listen streams of the modern revision end with their request, their
			// connection or a cancellation, whichever comes first: nothing can
			// be held against a client.
			ID: "CL-18", Title: "Subscriptions begin before they end", Profile: profileResources,
			Text:  "A client subscribes to what it is not subscribed to, and ends subscriptions that it has.",
			Level: "MAY", Grade: Info, Basis: Implied, Revisions: legacy, Transports: onAll,
			Sections:  []Section{in("server/resources", "subscriptions")},
			Tolerated: "Everything: servers take both without harm. It is remarked upon.",
			Occasion:  "it subscribed to nothing", judge: subscriptions,
		},
		{
			// The modern revision asks servers to declare, but does not say what
			// clients have to make of it: there is no row for it.
			ID: "CL-23", Title: "Only what was declared is asked for", Profile: profileResources,
			Text:  "A client uses the features that the server declared in the handshake: it does not subscribe, complete, or call methods of a feature that was not declared.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: legacy, Transports: onAll,
			In:        map[string]Exception{first: {"SHOULD", Warn}, hook.R20250326: {"SHOULD", Warn}},
			Sections:  []Section{in("basic/lifecycle", "operation")},
			Tolerated: "Completions in the first revision, which has no capability for them.",
			Occasion:  "it used no optional feature", judge: onlyDeclared,
		},
	}
}

// naming are the methods whose params name a resource.
var naming = []string{hook.MethodRead, "resources/subscribe", "resources/unsubscribe"}

// known collects the URIs that a group was told of by lists, results and notifications,
// or if name is "uriTemplate", the templates; whole says that nothing is missing.
func (g *group) known(name string) (told map[string]uint64, whole bool) {
	told, whole = map[string]uint64{}, true
	for _, c := range g.talks {
		whole = whole && c.whole
		for _, m := range c.messages {
			if !m.sent || !m.whole {
				whole = whole && (!m.sent || m.whole)
				continue
			}
			collect(m.raw.Get("result"), name, func(uri string) { remember(told, uri, m.seq()) })
			collect(m.params, name, func(uri string) { remember(told, uri, m.seq()) })
		}
	}
	return told, whole
}

func remember(told map[string]uint64, uri string, seq uint64) {
	if _, ok := told[uri]; !ok {
		told[uri] = seq
	}
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

// named calls visit for each URI of a resource that the client sent.
func (g *group) named(visit func(m *message, uri string)) {
	for _, c := range g.talks {
		for _, m := range c.requests(naming...) {
			if x := m.params.Get("uri"); x.Type == gjson.String {
				visit(m, x.String())
			}
		}
		for _, m := range c.requests(hook.MethodListen) {
			for _, x := range m.params.Get("notifications.resourceSubscriptions").Array() {
				if x.Type == gjson.String {
					visit(m, x.String())
				}
			}
		}
	}
}

func expansions(g *group, v *ruling) {
	templates, _ := g.known("uriTemplate")
	if len(templates) == 0 {
		v.idle("the client gave no occasion: it never listed resource templates")
		return
	}
	told, _ := g.known("uri")
	g.named(func(m *message, uri string) {
		if seq, listed := told[uri]; listed && seq < m.seq() {
			return // what comes back from a read was not known before
		}
		for _, text := range slices.Sorted(keys(templates)) {
			switch how := expands(text, uri); how {
			case "":
				continue
			case "expansion":
				v.fine(templates[text], m.seq())
			default:
				v.broken(fmt.Sprintf("an expansion of %q", shorten(text)), fmt.Sprintf("%s names %q, with %s", m.what(), shorten(uri), how),
					"expand templates with a library for RFC 6570", templates[text], m.seq())
			}
			return
		}
	})
}

func keys(m map[string]uint64) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// expands says whether a URI is an expansion of a template, or what about it shows that it
// was meant to be one; empty if neither.
func expands(text, uri string) string {
	literal, _, _ := strings.Cut(text, "{")
	if literal == "" || !strings.HasPrefix(uri, literal) {
		return ""
	}
	tail := uri[len(literal):]
	switch {
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

func subscriptions(g *group, v *ruling) {
	for _, c := range g.talks {
		if d, ok := c.declared(); ok && !d.Get("resources.subscribe").Bool() && len(c.requests("resources/subscribe", "resources/unsubscribe")) == 0 {
			v.undeclared("the server does not declare resources.subscribe")
			continue
		}
		on := map[string]uint64{}
		for _, m := range c.requests("resources/subscribe", "resources/unsubscribe") {
			since, subscribed := on[m.uri]
			_, taken := m.succeeded()
			switch {
			case m.method == "resources/subscribe" && subscribed:
				v.broken("", fmt.Sprintf("it subscribed to %q twice", shorten(m.uri)), "", since, m.seq())
			case m.method == "resources/unsubscribe" && !subscribed && c.whole:
				v.broken("", fmt.Sprintf("it unsubscribed from %q without being subscribed", shorten(m.uri)), "", m.seq())
			default:
				v.fine(m.seq())
			}
			if m.method == "resources/unsubscribe" {
				delete(on, m.uri)
			} else if taken {
				on[m.uri] = m.seq()
			}
		}
	}
}

// needed is the capability that a method needs, beside that of the feature named by its
// beginning.
func needed(method, revision string) string {
	feature, _, _ := strings.Cut(method, "/")
	switch {
	case method == "resources/subscribe" || method == "resources/unsubscribe":
		return "resources.subscribe"
	case feature == "completion" && revision == first:
		return ""
	case feature == "completion":
		return "completions"
	case feature == "resources" || feature == "prompts" || feature == "tools" || feature == "logging" || feature == "tasks":
		return feature
	}
	return ""
}

func onlyDeclared(g *group, v *ruling) {
	for _, c := range g.talks {
		declared, ok := c.declared()
		if !ok {
			continue
		}
		for _, m := range c.received(journal.Request) {
			capability := needed(m.method, c.revision)
			x := declared.Get(capability)
			switch {
			case capability == "" || m.seq() < c.welcome.seq():
			case !x.Exists() || x.Type == gjson.False:
				v.broken("only what the server declared", m.what()+" was sent, but "+capability+" was not declared",
					"look into the capabilities in the result of initialize first", c.welcome.seq(), m.seq())
			default:
				v.fine(m.seq())
			}
		}
	}
}

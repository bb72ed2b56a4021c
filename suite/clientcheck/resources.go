package clientcheck

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"
)

// resourceChecks are those of how resources are named and used.
var resourceChecks = []check{
	{"CL-15", "it named no resource that it had been told of", urisVerbatim},
	{"CL-16", "it named no resource by a template that it had been told of", expansions},
	{"CL-18", "it subscribed to nothing", subscriptions},
	{"CL-23", "it used no optional feature", onlyDeclared},
	{"CL-40", "it named no resource and no template", toldOf},
	{"CL-41", "nothing that it asked for was missing", takesRefusals},
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

// missed reports whether a request was answered with the error for a resource that does not exist,
// which in revisions without a handshake is that for bad params.
func (m *message) missed() bool {
	return m.answer != nil && slices.Contains([]int64{-32002, -32602}, m.answer.raw.Get("error.code").Int())
}

func toldOf(g *group, v *judging) {
	told, templates := g.known("uri"), g.known("uriTemplate")
	remarked := map[string]bool{}
	look := func(m *message, uri string, known bool) {
		if seq, listed := told[uri]; known || listed && seq < m.Seq || !m.missed() || remarked[uri] {
			v.pass(m.Seq)
			return
		}
		remarked[uri] = true
		v.remark(fmt.Sprintf("%s names %q, which the server does not have and never told of", m.what(), shorten(uri)), m.Seq, m.answer.Seq)
	}
	g.named(func(m *message, uri string) { look(m, uri, expansion(templates, m, uri)) })
	for _, m := range g.requests(methodComplete) {
		if ref := m.params.Get("ref.uri"); ref.Type == gjson.String {
			seq, listed := templates[ref.String()]
			look(m, ref.String(), listed && seq < m.Seq)
		}
	}
}

// enoughRefusals is how often a client may be told on end that there is no such resource.
const enoughRefusals = 5

func takesRefusals(g *group, v *judging) {
	for _, c := range g.conversations {
		refused := map[string][]int{}
		for _, m := range c.messages {
			switch {
			case m.sent && m.kind == kindNotification:
				clear(refused) // something may be there now
			case m.sent || m.kind != kindRequest || m.uri == "" || !m.missed():
			default:
				refused[m.method+" "+m.uri] = append(refused[m.method+" "+m.uri], m.Seq)
				v.pass(m.Seq)
				if all := refused[m.method+" "+m.uri]; len(all) == enoughRefusals {
					v.remark(fmt.Sprintf("%s of %q was sent again and again, and refused each time", m.what(), shorten(m.uri)), all...)
				}
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

func urisVerbatim(g *group, v *judging) {
	told, templates := g.known("uri"), g.known("uriTemplate")
	exact := spellings(told, canonical)
	near := []map[string]string{spellings(told, rough), spellings(told, bare), spellings(told, bareOfPath)}
	verbatims := map[[2]string]bool{}
	g.named(func(m *message, uri string) { verbatims[[2]string{m.method, uri}] = true })
	g.named(func(m *message, uri string) {
		seq, verbatim := told[uri]
		listed, ok := exact[canonical(uri)]
		for i := 0; i < len(near) && !ok && m.answer != nil && m.answer.failed(); i++ {
			listed, ok = near[i][rough(uri)]
			// A client that sends the listed URI as it is does not make another of it.
			ok = ok && !verbatims[[2]string{m.method, listed}]
		}
		switch {
		case verbatim && seq < m.Seq:
			v.pass(m.Seq)
		case ok && told[listed] < m.Seq && !expansion(templates, m, uri):
			v.violated(fmt.Sprintf("the URI as it was listed, %q", shorten(listed)), fmt.Sprintf("%s names %q, for what was listed as %q", m.what(), shorten(uri), shorten(listed)),
				"keep URIs as strings: do not parse, decode or normalize them", told[listed], m.Seq)
		}
	})
}

// spellings sorts URIs by what a function makes of them; of several the one that was told first
// counts.
func spellings(told map[string]int, key func(string) string) map[string]string {
	all := map[string]string{}
	for uri := range told {
		k := key(uri)
		if old, ok := all[k]; k != "" && (!ok || told[uri] < told[old] || told[uri] == told[old] && uri < old) {
			all[k] = uri
		}
	}
	return all
}

// expansion reports whether a URI is what a template, listed before a message, expands to:
// {path} makes of a/b what looks like another spelling of it.
func expansion(templates map[string]int, m *message, uri string) bool {
	for text, seq := range templates {
		if seq < m.Seq && expands(text, uri) == "expansion" {
			return true
		}
	}
	return false
}

// decoded is a URI without percent-encoding, however often that was applied.
func decoded(s string) string {
	for range 3 {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == s {
			break
		}
		s = plain
	}
	return s
}

// canonical is a spelling that all spellings of a URI have in common: case of scheme and
// host, percent-encoding, and dots and slashes at the end make no difference.
func canonical(uri string) string {
	s := decoded(uri)
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok {
		return s
	}
	scheme = strings.ToLower(scheme)
	if after, has := strings.CutPrefix(rest, "//"); has {
		host, path, _ := strings.Cut(after, "/")
		rest = "//" + strings.ToLower(host) + "/" + strings.ReplaceAll("/"+path, "/./", "/")[1:]
	} else if scheme == "file" && strings.HasPrefix(rest, "/") {
		rest = "//" + rest
	}
	return scheme + ":" + strings.TrimRight(rest, "/")
}

var (
	schemes  = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
	defaults = map[string]string{"http:": ":80", "https:": ":443", "ws:": ":80", "wss:": ":443", "ftp:": ":21"}
)

// rough is what is left of a URI without anything that clients lose or add on its way: query
// and fragment, the host of this machine, the default port, case, encoding, dots. It is empty
// if that is nothing beside the scheme.
func rough(uri string) string {
	scheme, rest := parts(uri)
	if rest == "" {
		return ""
	}
	return scheme + rest
}

// bare is rough without the scheme.
func bare(uri string) string {
	_, rest := parts(uri)
	return rest
}

// bareOfPath is bare of the path of a URI that has a host; empty if it has none, or no more than
// a host.
func bareOfPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return ""
	}
	return bare(u.EscapedPath())
}

func parts(uri string) (scheme, rest string) {
	s, _, _ := strings.Cut(uri, "#")
	s, _, _ = strings.Cut(s, "?")
	s = strings.ToLower(decoded(strings.ReplaceAll(s, "+", " ")))
	scheme = schemes.FindString(s)
	s = s[len(scheme):]
	if after, ok := strings.CutPrefix(s, "//"); ok {
		host, below, _ := strings.Cut(after, "/")
		host = strings.TrimSuffix(host, defaults[scheme])
		if host == "localhost" && scheme == "file:" {
			host = ""
		}
		s = host + "/" + below
	}
	return scheme, strings.Trim(path.Clean("/"+s), "/")
}

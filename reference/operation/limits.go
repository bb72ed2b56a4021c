package operation

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Limits say to which messages of the client a rule applies: all members that are set must hold.
type Limits struct {
	// Method is a JSON-RPC method; "resources/*" matches by beginning, "a|b"
	// either. HTTP requests without a message have their HTTP method instead
	// ("GET" is the opening of an event stream, "DELETE" the end of a session).
	Method string `yaml:"method" json:"method,omitempty"`
	// URI is a pattern for params.uri. A URI with braces in it is an RFC 6570
	// template. Otherwise "**" stands for anything and "*" for anything
	// without a slash, and what is neither must be equal.
	URI string `yaml:"uri" json:"uri,omitempty"`
	// Count is how many matching messages are affected; 0 means all.
	Count int `yaml:"count" json:"count,omitempty"`
	// Skip is how many matching messages pass before the first is affected.
	Skip int `yaml:"skip" json:"skip,omitempty"`
	// Session is the id of a session or connection.
	Session string `yaml:"session" json:"session,omitempty"`
	// Identity is a bearer token or its fingerprint (journal.Fingerprint); "a|b" is either.
	Identity string `yaml:"identity" json:"identity,omitempty"`
}

// maxCount bounds what is counted.
const maxCount = 1 << 30

// Validate says what is wrong with the limits; nil if they can be held to.
func (l Limits) Validate() error {
	if l.Count < 0 || l.Count > maxCount || l.Skip < 0 || l.Skip > maxCount {
		return fmt.Errorf("count and skip must be between 0 and %d", maxCount)
	}
	if strings.Contains(l.URI, "{") {
		if _, err := uritemplate.New(l.URI); err != nil {
			return fmt.Errorf("uri %q is no URI template: %w", l.URI, err)
		}
	}
	return nil
}

// Matcher is limits made ready.
type Matcher struct {
	Limits
	// Free says that nothing is limited.
	Free     bool
	methods  hook.Methods
	template *uritemplate.Template
	glob     *regexp.Regexp
}

// Matcher makes the limits ready. The error says which pattern cannot be read.
func (l Limits) Matcher() (*Matcher, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	m := &Matcher{Limits: l, Free: l == Limits{}, methods: hook.MethodsOf(l.Method)}
	if strings.Contains(l.URI, "{") {
		m.template, _ = uritemplate.New(l.URI) // has been seen to be one
	} else if strings.Contains(l.URI, "*") {
		m.glob = glob(l.URI)
	}
	return m, nil
}

// Match reports whether the limits hold for a message, Count and Skip aside.
func (m *Matcher) Match(t *hook.Trace) bool {
	return m.Free || m.methods.Has(t.Method) && m.matchURI(t.URI) &&
		(m.Session == "" || m.Session == t.Session) &&
		(m.Identity == "" || t.Token != "" && m.identifies(t.Token))
}

func (m *Matcher) identifies(token string) bool {
	for identity := range strings.SplitSeq(m.Identity, "|") {
		if identity == token || identity == journal.Fingerprint(token) {
			return true
		}
	}
	return false
}

func (m *Matcher) matchURI(uri string) bool {
	switch {
	case m.URI == "" || m.URI == uri:
		return true
	case uri == "":
		return false
	case m.template != nil:
		return m.template.Match(uri) != nil
	}
	return m.glob != nil && m.glob.MatchString(uri)
}

// glob is a pattern in which "**" stands for anything and "*" for anything without a slash.
func glob(pattern string) *regexp.Regexp {
	form := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*\*`, `.*`)
	return regexp.MustCompile(`(?s)^` + strings.ReplaceAll(form, `\*`, `[^/]*`) + `$`)
}

package operation

import (
	"fmt"
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
	// Identity is a bearer token or its fingerprint (journal.Fingerprint).
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
}

// Matcher makes the limits ready. The error says which pattern cannot be read.
func (l Limits) Matcher() (*Matcher, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	m := &Matcher{Limits: l, Free: l == Limits{}, methods: hook.MethodsOf(l.Method)}
	if strings.Contains(l.URI, "{") {
		m.template, _ = uritemplate.New(l.URI) // has been seen to be one
	}
	return m, nil
}

// Match reports whether the limits hold for a message, Count and Skip aside.
func (m *Matcher) Match(t *hook.Trace) bool {
	return m.Free || m.methods.Has(t.Method) && m.matchURI(t.URI) &&
		(m.Session == "" || m.Session == t.Session) &&
		(m.Identity == "" || t.Token != "" && (m.Identity == t.Token || m.Identity == journal.Fingerprint(t.Token)))
}

func (m *Matcher) matchURI(uri string) bool {
	switch {
	case m.URI == "" || m.URI == uri:
		return true
	case uri == "":
		return false
	case m.template != nil:
		return m.template.Match(uri) != nil
	case !strings.Contains(m.URI, "*"):
		return false
	}
	return glob(m.URI, uri)
}

// glob matches "**" with anything and "*" with anything without a slash. It takes
// time in proportion to the product of the lengths at the most.
func glob(pattern, s string) bool {
	// reach[i] says that the pattern so far can match the first i bytes.
	reach := make([]bool, len(s)+1)
	reach[0] = true
	for len(pattern) > 0 {
		if pattern[0] != '*' {
			for i := len(s); i > 0; i-- {
				reach[i] = reach[i-1] && s[i-1] == pattern[0]
			}
			reach[0] = false
			pattern = pattern[1:]
			continue
		}
		deep := strings.HasPrefix(pattern, "**")
		for i := 1; i <= len(s); i++ {
			reach[i] = reach[i] || reach[i-1] && (deep || s[i-1] != '/')
		}
		pattern = strings.TrimLeft(pattern, "*")
	}
	return reach[len(s)]
}

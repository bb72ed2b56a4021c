package operation

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Limits say to which messages of the client a rule applies, and how often: all members that are set
// must hold. Of the messages for which they hold the first Skip pass, of the others every Every-th is
// affected, each with the probability Chance, until there have been Count.
type Limits struct {
	// Method is a JSON-RPC method; "resources/*" matches by beginning, "a|b"
	// either. HTTP requests without a message have their HTTP method instead
	// ("GET" is the opening of an event stream, "DELETE" the end of a session).
	Method string `yaml:"method" json:"method,omitempty"`
	// URI is a pattern for params.uri. A URI with braces in it is an RFC 6570
	// template. Otherwise "**" stands for anything and "*" for anything
	// without a slash, and what is neither must be equal.
	URI string `yaml:"uri" json:"uri,omitempty"`
	// When are tests of the message as it came in, whose paths begin with params or header.
	When []Test `yaml:"when" json:"when,omitempty"`
	// While are the states that scenarios have to be in: {link: down}. One that has not been set is in
	// the state "".
	While map[string]string `yaml:"while" json:"while,omitempty"`
	// Become are the states that scenarios are in from the next message on when one has been affected.
	Become map[string]string `yaml:"become" json:"become,omitempty"`
	// Count is how many matching messages are affected; 0 means all. Those that the rule does
	// nothing about are not counted, unless it does no more than to note.
	Count int `yaml:"count" json:"count,omitempty" mistaken:"times,limit,max"`
	// Skip is how many matching messages pass before the first is affected.
	Skip int `yaml:"skip" json:"skip,omitempty"`
	// Every affects only every so many of them; 0 means each.
	Every int `yaml:"every" json:"every,omitempty"`
	// Chance is the probability, drawn by the seed, with which one is affected; 0 means always.
	Chance float64 `yaml:"chance" json:"chance,omitempty"`
	// Session is the id of a session or connection.
	Session string `yaml:"session" json:"session,omitempty"`
	// Identity is a bearer token or its fingerprint (journal.Fingerprint); "a|b" is either.
	Identity string `yaml:"identity" json:"identity,omitempty"`
}

// maxCount bounds what is counted, maxStates the scenarios that a rule can name.
const (
	maxCount  = 1 << 30
	maxStates = 100
)

// limitRoots are what the paths of Limits.When begin with.
var limitRoots = []string{"header", "params"}

// Counted reports whether it matters how many messages have been affected, or that one has.
func (l Limits) Counted() bool {
	return l.Count > 0 || l.Skip > 0 || l.Every > 0 || l.Chance > 0 || len(l.Become) > 0
}

// None reports whether nothing is limited, and no state set.
func (l Limits) None() bool { return reflect.ValueOf(l).IsZero() }

// Validate says what is wrong with the limits; nil if they can be held to.
func (l Limits) Validate() error {
	return l.Check().First()
}

// Check says what is wrong with the limits, member by member.
func (l Limits) Check() Problems {
	c := &Problems{}
	Between(c, "count", l.Count, 0, maxCount)
	Between(c, "skip", l.Skip, 0, maxCount)
	Between(c, "every", l.Every, 0, maxCount)
	c.chance(l.Chance)
	if strings.Contains(l.URI, "{") {
		if _, err := uritemplate.New(l.URI); err != nil {
			c.Say("uri", "%q is no URI template: %v", l.URI, err)
		}
	}
	for i, t := range l.When {
		c.test(fmt.Sprintf("when[%d]", i), t, limitRoots)
	}
	c.Below("while", CheckStates(l.While))
	c.Below("become", CheckStates(l.Become))
	return *c
}

// chance checks a probability.
func (c *Problems) chance(p float64) {
	if !(p >= 0 && p <= 1) {
		c.Say("chance", "must be between 0 and 1")
	}
}

// stateForm is what scenarios are called.
var stateForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// CheckStates says what is wrong with states by scenario.
func CheckStates(states map[string]string) (found Problems) {
	if len(states) > maxStates {
		found.Say("", "names more than %d scenarios", maxStates)
		return found
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if !stateForm.MatchString(name) {
			found.Say("", "%q is no name of a scenario: letters, digits, - and _", name)
		}
		if len(states[name]) > 100 {
			found.Say(name, "a state has 100 characters at the most")
		}
	}
	return found
}

// Matcher is limits made ready.
type Matcher struct {
	Limits
	// Free says that nothing is limited.
	Free     bool
	methods  hook.Methods
	template *uritemplate.Template
	glob     *regexp.Regexp
	when     []test
}

// Matcher makes the limits ready. The error says which pattern cannot be read.
func (l Limits) Matcher() (*Matcher, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	m := &Matcher{Limits: l, Free: l.None(), methods: hook.MethodsOf(l.Method), when: compiled(l.When)}
	if strings.Contains(l.URI, "{") {
		m.template, _ = uritemplate.New(l.URI) // has been seen to be one
	} else if strings.Contains(l.URI, "*") {
		m.glob = glob(l.URI)
	}
	return m, nil
}

// Match reports whether the limits hold for a message, but for states and what is counted.
func (m *Matcher) Match(t *hook.Trace) bool { return m.Concerns(t) && m.Tests(t) }

// Concerns is Match without the tests of what is in the message, which take time.
func (m *Matcher) Concerns(t *hook.Trace) bool {
	return m.Free || m.methods.Has(t.Method) && m.matchURI(t.URI) &&
		(m.Session == "" || m.Session == t.Session) &&
		(m.Identity == "" || t.Token != "" && m.identifies(t.Token))
}

func (m *Matcher) identifies(token string) bool {
	return slices.ContainsFunc(strings.Split(m.Identity, "|"), func(identity string) bool {
		return identity == token || identity == journal.Fingerprint(token)
	})
}

// Tests reports whether the tests of what is in a message hold.
func (m *Matcher) Tests(t *hook.Trace) bool { return len(m.when) == 0 || all(m.when, traced(t).find) }

// traced is a message as it came in, as paths see it.
func traced(t *hook.Trace) *subject {
	return &subject{make: func(name string) (any, bool) {
		if name == "header" {
			return headerOf(t.Header), t.Header != nil
		}
		v, err := hook.Decode(t.Params)
		return v, err == nil
	}}
}

// Holds reports whether scenarios are in the states that the limits name.
func (m *Matcher) Holds(states map[string]string) bool {
	for name, state := range m.While {
		if states[name] != state {
			return false
		}
	}
	return true
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

// methods are those that messages of the protocol have, and HTTP requests without one.
var methods = strings.Fields(`
initialize ping server/discover resources/list resources/read resources/templates/list
resources/subscribe resources/unsubscribe subscriptions/listen completion/complete
logging/setLevel tools/list tools/call prompts/list prompts/get tasks/get tasks/result
tasks/list tasks/cancel tasks/update roots/list sampling/createMessage elicitation/create
notifications/initialized notifications/cancelled notifications/progress notifications/message
notifications/roots/list_changed notifications/resources/updated
notifications/resources/list_changed notifications/tools/list_changed
notifications/prompts/list_changed notifications/subscriptions/acknowledged
notifications/elicitation/complete notifications/tasks/status GET POST DELETE OPTIONS HEAD PUT
PATCH
`)

// Warnings lists what is most likely a mistake in limits that can be held to: methods that no message of
// the protocol has, and patterns that no URI meets.
func (l Limits) Warnings() (found Problems) {
	for _, method := range strings.Split(l.Method, "|") {
		if method == "" || strings.HasSuffix(method, "*") || slices.Contains(methods, method) {
			continue
		}
		found.Say("method", "the protocol has no method %q%s", method, nearest.Question(method, methods))
	}
	if strings.Contains(l.URI, "|") {
		found.Say("uri", "no URI has a | in it, as the pattern %q has: make a rule of each alternative",
			l.URI)
	}
	return found
}

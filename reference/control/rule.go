package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Rule is one deviation: exactly one of Fault, Quirk, Fail and Delay is set.
type Rule struct {
	// ID names the rule in a set, which makes one up if it is empty.
	ID string `json:"id,omitempty"`
	// Fault is the name of a fault or of a failure of the connection.
	Fault string `json:"fault,omitempty"`
	// Quirk is the name of a quirk.
	Quirk string `json:"quirk,omitempty"`
	// Fail answers requests with a canned failure.
	Fail *Failure `json:"fail,omitempty"`
	// Delay holds answers back.
	Delay *Delay `json:"delay,omitempty"`
	Limits
}

// Limits say to which messages a rule applies: all members that are set must hold.
type Limits struct {
	// Method is a JSON-RPC method; "resources/*" matches by beginning, "a|b"
	// either. HTTP requests without a message have their HTTP method instead
	// ("GET" is the opening of an event stream, "DELETE" the end of a session).
	Method string `json:"method,omitempty"`
	// URI is a pattern for params.uri. A URI with braces in it is an RFC 6570
	// template. Otherwise "**" stands for anything and "*" for anything
	// without a slash, and what is neither must be equal.
	URI string `json:"uri,omitempty"`
	// Count is how many matching messages are affected; 0 means all.
	Count int `json:"count,omitempty"`
	// Skip is how many matching messages pass before the first is affected.
	Skip int `json:"skip,omitempty"`
	// Session is the id of a session or connection.
	Session string `json:"session,omitempty"`
	// Identity is a bearer token or its fingerprint (journal.Fingerprint).
	Identity string `json:"identity,omitempty"`
}

// Failure is what matching requests are answered with. With a Code it is a
// JSON-RPC error, over HTTP with Status (0 means 200). Without one, Status makes it an
// HTTP answer without a JSON-RPC message (over HTTP+SSE that to the POST, whose request
// is then never answered on the stream); on stdio such a failure is the error -32603.
type Failure struct {
	Code    int64           `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Status  int             `json:"status,omitempty"`
	// Header is added to the answer, Retry-After say.
	Header map[string]string `json:"header,omitempty"`
	// Body is the body of an HTTP answer without a message, as plain text.
	Body string `json:"body,omitempty"`
}

// maxCount bounds Count and Skip.
const maxCount = 1 << 30

// Validate says what is wrong with a rule; nil if a set takes it.
func (r Rule) Validate() error {
	given := 0
	for _, is := range []bool{r.Fault != "", r.Quirk != "", r.Fail != nil, r.Delay != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return errors.New("a rule has exactly one of fault, quirk, fail and delay")
	}
	if err := r.Limits.validate(); err != nil {
		return err
	}
	switch {
	case r.Fault != "":
		return r.limitable(func() (hook.Hooks, error) {
			m, err := findFault(r.Fault)
			return m.static, err
		})
	case r.Quirk != "":
		return r.limitable(func() (hook.Hooks, error) {
			m, err := findQuirk(r.Quirk)
			return m.static, err
		})
	case r.Fail != nil:
		return r.Fail.validate()
	}
	return r.Delay.validate()
}

// limitable refuses limits for what acts on whole connections.
func (r Rule) limitable(find func() (hook.Hooks, error)) error {
	h, err := find()
	if err != nil {
		return err
	}
	streams := h.Streams.Reader != nil || h.Streams.Writer != nil || h.Streams.Start != nil || h.Streams.End != nil
	messages := h.Handle != nil || h.Emit != nil || h.Receive != nil || h.Event != nil || h.HTTP != nil
	if streams && !messages && r.Limits != (Limits{}) {
		return fmt.Errorf("%s acts on whole connections and cannot be limited", r.name())
	}
	return nil
}

func (l Limits) validate() error {
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

func (f *Failure) validate() error {
	switch {
	case f.Code == 0 && f.Status == 0:
		return errors.New("a failure needs a code, a status or both")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Code != 0 && f.Body != "":
		return errors.New("a failure with a code has no body of its own")
	case f.Data != nil && !json.Valid(f.Data):
		return errors.New("the data of a failure must be JSON")
	}
	return nil
}

// made is what a named deviation consists of.
type made struct {
	static      hook.Hooks // for looking at
	hooks       hook.Maker
	overlay     func(*world.World)
	requirement string
	summary     string
}

func findFault(name string) (made, error) {
	if f, ok := fault.Find(name); ok {
		return made{hook.Join(f.Hooks, probe(f.Make)), f.HooksFor, f.Overlay, f.Requirement, f.Summary}, nil
	}
	for _, c := range connectionFailures {
		if c.Name == name {
			return made{hook.Join(c.Hooks, probe(c.Make)), c.HooksFor, nil, "connection", c.Summary}, nil
		}
	}
	return made{}, fmt.Errorf("unknown fault %q%s", name, nearby(name, FaultNames(), "--list-faults"))
}

func findQuirk(name string) (made, error) {
	if q, ok := quirk.Find(name); ok {
		return made{hook.Join(q.Hooks, probe(q.Make)), q.HooksFor, q.Overlay, strings.Join(q.Permits, ","), q.Summary}, nil
	}
	return made{}, fmt.Errorf("unknown quirk %q%s", name, nearby(name, QuirkNames(), "--list-quirks"))
}

// probe makes hooks to look at which there are; they are never used.
func probe(m hook.Maker) hook.Hooks {
	if m == nil {
		return hook.Hooks{}
	}
	return m(stream(0, 0))
}

// nearby says what a name may have been meant to be, or where all stand.
func nearby(name string, known []string, flag string) string {
	if s := nearest.Question(name, known); s != "" {
		return s
	}
	return ": see " + flag
}

// FaultNames lists the names of the faults and of the failures of the connection.
func FaultNames() []string {
	var names []string
	for _, f := range fault.All() {
		names = append(names, f.Name)
	}
	for _, c := range connectionFailures {
		names = append(names, c.Name)
	}
	return names
}

// QuirkNames lists the names of the quirks.
func QuirkNames() []string {
	var names []string
	for _, q := range quirk.All() {
		names = append(names, q.Name)
	}
	return names
}

// Overlay is how the rule changes the world that is served; nil if it does not.
func (r Rule) Overlay() func(*world.World) {
	switch {
	case r.Fault != "":
		m, _ := findFault(r.Fault) // an unknown one has none
		return m.overlay
	case r.Quirk != "":
		m, _ := findQuirk(r.Quirk)
		return m.overlay
	}
	return nil
}

// name is what the journal calls the rule.
func (r Rule) name() string {
	switch {
	case r.Fault != "":
		return r.Fault
	case r.Quirk != "":
		return r.Quirk
	case r.Fail != nil && r.Fail.Code != 0:
		return fmt.Sprintf("fail %d", r.Fail.Code)
	case r.Fail != nil:
		return fmt.Sprintf("fail HTTP %d", r.Fail.Status)
	case r.Delay != nil:
		return "delay " + r.Delay.String()
	}
	return r.ID
}

// matcher is limits made ready.
type matcher struct {
	Limits
	template *uritemplate.Template
	free     bool // nothing is limited
}

func (l Limits) compile() (*matcher, error) {
	m := &matcher{Limits: l, free: l == Limits{}}
	if strings.Contains(l.URI, "{") {
		t, err := uritemplate.New(l.URI)
		if err != nil {
			return nil, err
		}
		m.template = t
	}
	return m, nil
}

func (m *matcher) match(t *hook.Trace) bool {
	return m.free || matchMethod(m.Method, t.Method) && m.matchURI(t.URI) &&
		(m.Session == "" || m.Session == t.Session) &&
		(m.Identity == "" || t.Token != "" && (m.Identity == t.Token || m.Identity == journal.Fingerprint(t.Token)))
}

func matchMethod(pattern, method string) bool {
	if pattern == "" {
		return true
	}
	return slices.ContainsFunc(strings.Split(pattern, "|"), func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return p == method || open && strings.HasPrefix(method, prefix)
	})
}

func (m *matcher) matchURI(uri string) bool {
	switch {
	case m.URI == "" || m.URI == uri:
		return true
	case uri == "":
		return false
	case m.template != nil:
		return m.template.Match(uri) != nil
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

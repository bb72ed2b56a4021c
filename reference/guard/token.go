package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Token is a bearer token that is accepted.
type Token struct {
	// Secret is the token itself.
	Secret string
	// Identity is the name of its owner, who may have several; empty if it has none.
	Identity string
	// Scopes are what it is good for; none means everything.
	Scopes []string
}

// Demand makes a scope necessary.
type Demand struct {
	Scope string
	// Method and URI are patterns as in control.Limits: the messages for which the scope is
	// needed.
	Method, URI string
}

// The scopes that are needed where nobody says otherwise.
const (
	ScopeRead      = "resources:read"
	ScopeSubscribe = "resources:subscribe"
)

// Standard are the demands where nobody makes others: [ScopeRead] to list, read and complete,
// [ScopeSubscribe] to subscribe and listen.
func Standard() []Demand {
	return []Demand{
		{Scope: ScopeRead,
			Method: "resources/list|resources/templates/list|resources/read|completion/complete"},
		{Scope: ScopeSubscribe, Method: "resources/subscribe|resources/unsubscribe|" + hook.MethodListen},
	}
}

const (
	maxTokens  = 1000
	minLength  = 4
	maxLength  = 4096
	maxDemands = 1000
)

// Scopes are those that demands name, nil for the standard ones, each once.
func Scopes(demands []Demand) []string {
	if demands == nil {
		demands = Standard()
	}
	var all []string
	for _, d := range demands {
		if !slices.Contains(all, d.Scope) {
			all = append(all, d.Scope)
		}
	}
	return all
}

// Parse reads tokens from text: separated by commas or line breaks, each the token, with
// "@" and the name of its owner behind it if it has one, and its scopes after blanks:
//
//	alices-secret@alice, bobs-secret@bob resources:read
//
// Tokens with one owner are as good as each other, but for their scopes.
//
// Errors do not quote the tokens.
func Parse(text string) ([]Token, error) {
	var tokens []Token
	for n, part := range strings.FieldsFunc(text, func(r rune) bool {
		return r == ',' || r == '\n' || r == '\r'
	}) {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			continue
		}
		secret, identity, named := strings.Cut(fields[0], "@")
		t := Token{Secret: secret, Identity: identity, Scopes: fields[1:]}
		switch {
		case named && identity == "":
			return nil, fmt.Errorf("token %d: the name behind @ is missing", n+1)
		case len(secret) < minLength || len(secret) > maxLength:
			return nil, fmt.Errorf("token %d: a token has %d to %d characters", n+1, minLength, maxLength)
		case strings.ContainsFunc(strings.TrimRight(secret, "="), notOfToken):
			return nil, fmt.Errorf("token %d: a token consists of letters, digits and -._~+/, with = at "+
				"its end only", n+1)
		case slices.ContainsFunc(tokens, func(o Token) bool { return o.Secret == secret }):
			return nil, fmt.Errorf("token %d: it has been given before", n+1)
		}
		for _, scope := range t.Scopes {
			if err := checkScope(scope); err != nil {
				return nil, fmt.Errorf("token %d: %w", n+1, err)
			}
		}
		if tokens = append(tokens, t); len(tokens) > maxTokens {
			return nil, fmt.Errorf("there are more than %d tokens", maxTokens)
		}
	}
	if len(tokens) == 0 {
		return nil, errors.New("there is no token: it is written TOKEN, or TOKEN@NAME SCOPE ..., with " +
			"commas between several")
	}
	return tokens, nil
}

func notOfToken(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune("-._~+/", r))
}

// checkScope holds a scope against RFC 6749, section 3.3.
func checkScope(scope string) error {
	if scope == "" || strings.ContainsFunc(scope, func(r rune) bool {
		return r <= ' ' || r > '~' || r == '"' || r == '\\'
	}) {
		return fmt.Errorf("%q is no scope", scope)
	}
	return nil
}

// ParseDemand reads a demand from text, SCOPE=METHOD or SCOPE=METHOD:URI, where both are
// patterns: "notes=resources/read:note:**".
func ParseDemand(s string) (Demand, error) {
	scope, rest, ok := strings.Cut(s, "=")
	d := Demand{Scope: scope}
	d.Method, d.URI, _ = strings.Cut(rest, ":")
	if !ok || d.Method == "" {
		return Demand{}, fmt.Errorf("the demand %q is not written SCOPE=METHOD or SCOPE=METHOD:URI", s)
	}
	if err := checkScope(scope); err != nil {
		return Demand{}, err
	}
	if _, err := d.matcher(); err != nil {
		return Demand{}, fmt.Errorf("the demand %q: %w", s, err)
	}
	return d, nil
}

func (d Demand) matcher() (func(t *hook.Trace) bool, error) {
	m, err := control.Limits{Method: d.Method, URI: d.URI}.Matcher()
	if err != nil {
		return nil, err
	}
	return m.Match, nil
}

// holds reports whether the token is good for a scope.
func (t Token) holds(scope string) bool {
	return len(t.Scopes) == 0 || slices.Contains(t.Scopes, scope)
}

// holder is to whom the sessions belong that are begun with the token: to its owner, who may have
// another token by and by, or to the token itself if it has none.
func (t Token) holder() string {
	if t.Identity != "" {
		return "owner " + t.Identity
	}
	return "token " + journal.Fingerprint(t.Secret)
}

// Owner describes the owner of a token without the token.
type Owner struct {
	Identity string `json:"identity,omitempty"`
	// Fingerprint is by what the journal tells tokens apart.
	Fingerprint string `json:"fingerprint"`
	// Scopes are what the token is good for; none means everything.
	Scopes []string `json:"scopes"`
}

func (t Token) owner() Owner {
	return Owner{Identity: t.Identity, Fingerprint: journal.Fingerprint(t.Secret),
		Scopes: append([]string{}, t.Scopes...)}
}

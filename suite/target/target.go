// Package target describes the server under test: how to reach it, what it
// serves that a run may rely on, how to make it change, and who may see what.
//
// A description comes from the command line (one endpoint, nothing else), from
// a target file ([Load]), or from Go code that embeds the suite. Nothing but an
// endpoint is ever required: whatever else is missing only narrows what a run
// can establish.
package target

import (
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Target is a server under test.
type Target struct {
	// Name is what reports call the target; empty means the address of the
	// first endpoint.
	Name string `yaml:"name"`
	// File is the file that the description was read from; empty if there
	// was none.
	File string `yaml:"-"`
	// Endpoints are the ways to reach the target; all lead to the same server.
	Endpoints []Endpoint `yaml:"endpoints"`
	// Revisions limits the run to these revisions; empty means all.
	Revisions []requirement.Revision `yaml:"revisions"`
	// Subjects are the resources, templates and completions whose behaviour
	// is known.
	Subjects Subjects `yaml:"subjects"`
	// Triggers make the target change.
	Triggers Triggers `yaml:"triggers"`
	// Identities are callers with rights of their own, beside the one that
	// the endpoints' headers and environment stand for.
	Identities []Identity `yaml:"identities"`
	// Authorization says how the target finds out who calls.
	Authorization Authorization `yaml:"authorization"`
	// Origins are the origins of web pages that the target accepts.
	Origins []string `yaml:"origins"`
	// Allow names behaviour that is intended although the specification
	// advises against it; the requirements concerned are opted out.
	Allow []Allowance `yaml:"allow"`
	// OptOut lists single requirements that are not to be judged.
	OptOut []OptOut `yaml:"opt-out"`
	// Secret lists further values to be masked in reports.
	Secret []Value `yaml:"secrets"`
	// Limits bounds the run; zero members keep the defaults.
	Limits Limits `yaml:"limits"`
}

// OptOut is a requirement that is not to be judged.
type OptOut struct {
	// ID is the permanent id of the requirement, such as "SEC-06".
	ID string `yaml:"id"`
	// Reason says why, in the user's words; reports repeat it.
	Reason string `yaml:"reason"`
}

// Allowance names behaviour that is intended, or a permission for the run.
type Allowance string

// The allowances.
const (
	// AllowAnyOrigin: the server accepts requests from web pages of any origin.
	AllowAnyOrigin Allowance = "any-origin"
	// AllowPublicBind: the server is meant to be reached from other machines.
	AllowPublicBind Allowance = "public-bind"
	// AllowFetch: the run may fetch the https URIs that the target lists from
	// the web. It opts nothing out; without it nothing but the target is
	// ever contacted.
	AllowFetch Allowance = "fetch-https"
)

// Allowances lists all allowances, in the order of the documentation.
func Allowances() []Allowance {
	return []Allowance{AllowAnyOrigin, AllowPublicBind, AllowFetch}
}

// Concerns lists the requirements that an allowance opts out.
func (a Allowance) Concerns() []string {
	switch a {
	case AllowAnyOrigin:
		return []string{"SEC-01", "SEC-02", "SEC-03"}
	case AllowPublicBind:
		return []string{"SEC-06"}
	}
	return nil
}

// Authorization says how the target finds out who calls, over HTTP.
type Authorization string

// The ways of authorisation. Empty means that it is not known.
const (
	AuthorizationProtocol Authorization = "protocol" // as the specification's authorization page has it
	AuthorizationOwn      Authorization = "own"      // a scheme of its own
	AuthorizationNone     Authorization = "none"     // everybody may call
)

// Authorizations lists the ways of authorisation.
func Authorizations() []Authorization {
	return []Authorization{AuthorizationProtocol, AuthorizationOwn, AuthorizationNone}
}

// Identity is a caller with rights of its own.
type Identity struct {
	// Name is how subjects refer to the identity.
	Name string `yaml:"name"`
	// Header replaces or adds HTTP headers of endpoints with a URL or handler.
	Header map[string]Value `yaml:"headers"`
	// Env replaces or adds environment variables of endpoints with a command.
	Env map[string]Value `yaml:"env"`
	// Rights compares the identity with the one of the endpoints.
	Rights Rights `yaml:"rights"`
}

// On reports whether the identity has credentials of its own on a transport:
// environment variables for a command, headers over HTTP. Without any it cannot be
// told there from the caller that the endpoints stand for.
func (i *Identity) On(t requirement.Transport) bool {
	if t == requirement.Stdio {
		return len(i.Env) > 0
	}
	return len(i.Header) > 0
}

// Rights compares an identity with the one that the endpoints stand for; empty
// means equal.
type Rights string

// The rights.
const (
	// RightsEqual: another caller who may see the same.
	RightsEqual Rights = "equal"
	// RightsWeaker: may connect, but sees less.
	RightsWeaker Rights = "weaker"
	// RightsForeign: the credential is valid, but was issued for another server.
	RightsForeign Rights = "foreign"
	// RightsNone: the credential is not valid, or there is none.
	RightsNone Rights = "none"
)

// Limits bounds a run against this target. Zero members keep the defaults;
// flags of the command line stand above them.
type Limits struct {
	Timeout      time.Duration `yaml:"timeout"`       // one request
	StartTimeout time.Duration `yaml:"start-timeout"` // from starting or dialling to the first answer
	Budget       time.Duration `yaml:"budget"`        // the whole run
	QuietWindow  time.Duration `yaml:"quiet-window"`  // how long silence is watched
	Jobs         int           `yaml:"jobs"`          // scenarios at once
	Rate         float64       `yaml:"rate"`          // requests per second; 0 means no limit
	Message      int           `yaml:"message-bytes"` // bytes of one incoming message
	Connection   int64         `yaml:"connection-bytes"`
}

// AllRights lists the rights.
func AllRights() []Rights { return []Rights{RightsEqual, RightsWeaker, RightsForeign, RightsNone} }

// Identity finds an identity by name, or nil.
func (t *Target) Identity(name string) *Identity {
	for i := range t.Identities {
		if t.Identities[i].Name == name {
			return &t.Identities[i]
		}
	}
	return nil
}

// WithRights finds the first identity with the given rights, or nil.
func (t *Target) WithRights(r Rights) *Identity {
	for i := range t.Identities {
		if t.Identities[i].rights() == r {
			return &t.Identities[i]
		}
	}
	return nil
}

func (i *Identity) rights() Rights {
	if i.Rights == "" {
		return RightsEqual
	}
	return i.Rights
}

// Allowed is the set of the allowances, as checks look them up.
func (t *Target) Allowed() map[string]bool {
	set := make(map[string]bool, len(t.Allow))
	for _, a := range t.Allow {
		set[string(a)] = true
	}
	return set
}

// OptedOut reports whether a requirement is not to be judged, because of opt-out
// or allow, and why.
func (t *Target) OptedOut(id string) (reason string, ok bool) {
	for _, o := range t.OptOut {
		if o.ID == id {
			return o.Reason, true
		}
	}
	for _, a := range t.Allow {
		if slices.Contains(a.Concerns(), id) {
			return "the target file allows " + string(a), true
		}
	}
	return "", false
}

// Wants reports whether a revision is to be tried on an endpoint: neither the
// target nor the endpoint is limited to others. It does not say that the target
// speaks it.
func (t *Target) Wants(e *Endpoint, rev requirement.Revision) bool {
	return limited(t.Revisions, rev) && limited(e.Revisions, rev)
}

func limited(to []requirement.Revision, rev requirement.Revision) bool {
	return len(to) == 0 || slices.Contains(to, rev)
}

// Configured names what the description gives: the paths of the fields of
// subjects and triggers that are set, such as "subjects.missing" and
// "triggers.update"; "identities" and "identities.weaker"; "origins"; and
// "authorization" and "authorization.protocol".
func (t *Target) Configured() map[string]bool {
	set := make(map[string]bool)
	for name, given := range t.Subjects.given() {
		if given {
			set["subjects."+name] = true
		}
	}
	for name, tr := range t.Triggers.All() {
		if tr != nil {
			set["triggers."+name] = true
		}
	}
	for i := range t.Identities {
		set["identities"] = true
		set["identities."+string(t.Identities[i].rights())] = true
	}
	if len(t.Origins) > 0 {
		set["origins"] = true
	}
	if t.Authorization != "" {
		set["authorization"] = true
		set["authorization."+string(t.Authorization)] = true
	}
	return set
}

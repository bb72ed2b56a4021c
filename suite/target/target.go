// Package target describes the server under test: how to reach it, what it
// serves that a run may rely on, how to make it change, and who may see what.
//
// A description comes from the command line (one endpoint, nothing else), from
// a target file ([Load]), or from Go code that embeds the suite. Nothing but an
// endpoint is ever required: whatever else is missing only narrows what a run
// can establish.
package target

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Target is a server under test.
type Target struct {
	// Name is what reports call the target; empty means the command of the
	// first endpoint, or its address if it has none.
	Name string `yaml:"name"`
	// About is what its maker calls it; reports and certificates repeat it.
	About reports.About `yaml:"about"`
	// File is the file that the description was read from; empty if there
	// was none.
	File string `yaml:"-"`
	// Endpoints are the ways to reach the target; all lead to the same server.
	Endpoints []Endpoint `yaml:"endpoints"`
	// Revisions limits the run to these revisions; empty means all.
	Revisions []requirement.Revision `yaml:"revisions"`
	// Since declares what is judged: this revision and newer ones; empty means all. Unlike Revisions it makes
	// no run partial.
	Since requirement.Revision `yaml:"since"`
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
	// Others lists secrets of targets that are judged beside this one.
	Others []string `yaml:"-"`
	// Limits bounds the run; zero members keep the defaults.
	Limits Limits `yaml:"limits"`
}

// OptOut is a requirement that is not to be judged.
type OptOut struct {
	// ID is the permanent id of the requirement, such as "SEC-06".
	ID string `json:"id" yaml:"id"`
	// Reason says why, in the user's words; reports repeat it.
	Reason string `json:"reason" yaml:"reason"`
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
	// AllowRisky: the run may read and expand what speaks of deletion or
	// execution. It opts nothing out; see [judge.Risky].
	AllowRisky Allowance = "risky"
)

// Allowances lists all allowances, in the order of the documentation.
func Allowances() []Allowance {
	return []Allowance{AllowAnyOrigin, AllowPublicBind, AllowFetch, AllowRisky}
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
	Name string `yaml:"name" is:"given"`
	// Header replaces or adds HTTP headers of endpoints with a URL or handler.
	Header map[string]Value `yaml:"headers" is:"headers"`
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

// Limits bounds a run. Those of a configuration, as flags make one, stand above those of its target;
// members that are zero in both are [DefaultLimits].
type Limits struct {
	Timeout      time.Duration `yaml:"timeout"`       // one request
	StartTimeout time.Duration `yaml:"start-timeout"` // from starting or dialling to the first answer
	// the whole run; without one it gets more than the default where detection takes more than 3 s
	Budget      time.Duration `yaml:"budget"`
	QuietWindow time.Duration `yaml:"quiet-window"` // how long silence is watched
	Jobs        int           `yaml:"jobs"`         // scenarios at once
	// messages per second; 0: 50 where a URL is not on this machine, else no limit; negative: no limit
	Rate            float64 `yaml:"rate"`
	MessageBytes    int     `yaml:"message-bytes"`    // of one message that are read
	ConnectionBytes int64   `yaml:"connection-bytes"` // of one connection that are read
	RunBytes        int64   `yaml:"run-bytes"`        // of what crosses the wire that are kept
	Pages           int     `yaml:"pages"`            // of a list that are asked for
	Reads           int     `yaml:"-"`                // listed resources that are read; negative: all
}

// DefaultLimits are the limits of a run for which nobody gives any.
var DefaultLimits = Limits{
	Timeout: 10 * time.Second, StartTimeout: 30 * time.Second, Budget: 5 * time.Minute,
	QuietWindow: 300 * time.Millisecond, Jobs: 8, MessageBytes: 16 << 20, ConnectionBytes: 64 << 20,
	RunBytes: 128 << 20, Pages: 2500, Reads: 50,
}

// Over is l with the members of others in place of those that are not set: zero, or negative where that
// means nothing.
func (l Limits) Over(others Limits) Limits {
	for f, v := range reflect.ValueOf(&l).Elem().Fields() {
		if v.IsZero() || v.CanInt() && v.Int() < 0 && f.Name != "Reads" {
			v.Set(reflect.ValueOf(others).FieldByIndex(f.Index))
		}
	}
	return l
}

// remoteRate is the rate at which a server on another machine is called.
const remoteRate = 50

// Pace is the rate at which the target is called, in messages per second, where this one is
// asked for: 0 asks for the default, which is a limit where a URL is not on this machine, and
// a negative number for none. None is 0.
func (t *Target) Pace(rate float64) float64 {
	if rate == 0 && slices.ContainsFunc(t.Endpoints, func(e Endpoint) bool { return !e.Loopback() }) {
		return remoteRate
	}
	return max(rate, 0)
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
	return cmp.Or(i.Rights, RightsEqual)
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

// Wants reports whether a revision is to be tried on an endpoint: it is not older than what is judged, and
// neither the target nor the endpoint is limited to others. It does not say that the target
// speaks it.
func (t *Target) Wants(e *Endpoint, rev requirement.Revision) bool {
	return rev.Since(t.Since) && limited(t.Revisions, rev) && limited(e.Revisions, rev)
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
	for name, v := range fields(reflect.ValueOf(t.Subjects)) {
		if given(v) {
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

// Credentials reports whether an endpoint sends headers that are not public, by which the
// target may know who asks.
func (t *Target) Credentials() bool {
	return slices.ContainsFunc(t.Endpoints, func(e Endpoint) bool {
		for _, v := range e.Header {
			if !v.Public {
				return true
			}
		}
		return false
	})
}

// Subjects are resources, templates and completions whose behaviour is known
// beforehand. All are optional.
type Subjects struct {
	// Texts and Blobs are readable resources with known contents.
	Texts []Text `yaml:"texts"`
	Blobs []Blob `yaml:"blobs"`
	// Missing are URIs that certainly lead to nothing.
	Missing []string `yaml:"missing" is:"uri"`
	// Complete is every URI that a complete walk of resources/list delivers,
	// in any order; CompleteTemplates every URI template.
	Complete          []string `yaml:"complete"`
	CompleteTemplates []string `yaml:"complete-templates"`
	// Templates are URI templates with arguments that are known to work, or
	// not to.
	Templates []Template `yaml:"templates"`
	// Completions are arguments with the values expected for them.
	Completions []Completion `yaml:"completions"`
	// Broken is a URI whose backend fails on every read. If it takes a
	// trigger to break it, that is triggers.break.
	Broken string `yaml:"broken"`
	// Slow is a resource that takes a while to read.
	Slow *Slow `yaml:"slow"`
	// Input is a resource whose read asks for input (2026-07-28).
	Input *Input `yaml:"input"`
	// Protected are resources that some identity must not see.
	Protected []Protected `yaml:"protected"`
	// Roots are directories served under file: URIs, with what must stay out
	// of reach.
	Roots []Root `yaml:"roots"`
}

// Text is a text resource with known contents.
type Text struct {
	URI string `yaml:"uri" is:"uri"`
	// Text is the expected text; nil means that only text as such is
	// expected, whatever it says.
	Text *string `yaml:"text"`
	// MIMEType is the expected media type; empty means any.
	MIMEType string `yaml:"mime-type"`
	// Contains says that Text is only a part of the contents. Otherwise they
	// must agree character for character, line ends included.
	Contains bool `yaml:"contains"`
}

// Blob is a binary resource with known contents: Base64 or SHA256 (Size is
// optional with both).
type Blob struct {
	URI string `yaml:"uri" is:"uri"`
	// Base64 is the contents in the standard alphabet with padding.
	Base64 string `yaml:"base64"`
	// SHA256 is the digest of the contents in hexadecimal.
	SHA256 string `yaml:"sha256"`
	// Size is the number of bytes; nil means that it is not known.
	Size     *int64 `yaml:"size"`
	MIMEType string `yaml:"mime-type"`
}

// Template is a URI template with known expansions.
type Template struct {
	// Template is the URI template as the target lists it.
	Template  string      `yaml:"template"`
	Arguments []Arguments `yaml:"arguments"`
}

// Arguments are values for the variables of a template and what a read of the
// expansion yields: a text, an error (Missing), or, with neither, any contents.
type Arguments struct {
	// Vars gives each variable a value, before any percent-encoding.
	// Variables left out are undefined in the sense of RFC 6570.
	Vars map[string]string `yaml:"vars"`
	// Text is the expected text.
	Text *string `yaml:"text"`
	// Contains says that Text is only a part of the contents.
	Contains bool `yaml:"contains"`
	// Missing says that these arguments lead to no resource.
	Missing bool `yaml:"missing"`
}

// Completion is an argument of a template with the values expected for it.
type Completion struct {
	Template string `yaml:"template"`
	Argument string `yaml:"argument" is:"given"`
	// Prefix is what has been typed so far.
	Prefix string `yaml:"prefix"`
	// Context gives the values of other arguments (2025-06-18 on).
	Context map[string]string `yaml:"context"`
	// Values must all be among the suggestions.
	Values []string `yaml:"values"`
	// Never lists values that must not be suggested to this caller.
	Never []string `yaml:"never"`
}

// Slow is a resource that takes a while to read.
type Slow struct {
	URI string `yaml:"uri" is:"uri"`
	// AtLeast is how long a read certainly takes.
	AtLeast time.Duration `yaml:"at-least"`
	// Progress says that the target reports progress meanwhile.
	Progress bool `yaml:"progress"`
}

// Input is a resource whose read asks for input first.
type Input struct {
	URI string `yaml:"uri" is:"uri"`
	// Answers holds the result to give to each input request, by its key in
	// inputRequests; "*" stands for every other key.
	Answers map[string]map[string]any `yaml:"answers"`
	// Requires names the client capabilities that the read needs, such as
	// "elicitation"; empty if unknown.
	Requires []string `yaml:"requires"`
	// StateMatters says that the outcome depends on requestState, so that a
	// tampered state must be refused.
	StateMatters bool `yaml:"state-matters"`
	// Text is the expected text after the last answer; nil means any.
	Text *string `yaml:"text"`
}

// Protected is a resource that an identity must not see.
type Protected struct {
	URI string `yaml:"uri" is:"uri"`
	// Identity names the one that must be refused.
	Identity string `yaml:"identity"`
}

// Root is a directory that the target serves under file: URIs.
type Root struct {
	// Root is the file: URI of the directory.
	Root string `yaml:"root" is:"given"`
	// Canary is a file outside the root that must not be readable.
	Canary *Canary `yaml:"canary"`
	// Sibling is a file: URI in a directory beside the root whose name
	// begins with the name of the root, such as /srv/data-old/x for the root
	// /srv/data; its contents are those of the canary.
	Sibling string `yaml:"sibling"`
	// Symlink is a file: URI inside the root that links to the canary.
	Symlink string `yaml:"symlink"`
	// ForbidLinks says that links which lead out of the root must not be
	// followed. Without it, following them is taken as intended.
	ForbidLinks bool `yaml:"forbid-links"`
	// Template is a URI template whose variable names a file below the root.
	Template string `yaml:"template"`
}

// Canary is a file that must stay out of reach. If its contents come back, the
// target has let somebody out of the root.
type Canary struct {
	// URI or Path says where the file is.
	URI  string `yaml:"uri"`
	Path string `yaml:"path"`
	// Content is a marker that the file contains and nothing else served
	// does: at least 8 bytes.
	Content string `yaml:"content"`
}

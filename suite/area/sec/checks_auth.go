package sec

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The checks of authorisation: who may call, and see what.
var secAuthChecks = []verdict.Check{
	{Requirement: "SEC-08", From: []recording.Name{Credentials}, Judge: challenge},
	{Requirement: "SEC-09", From: []recording.Name{Credentials}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		if metadata(r) == nil {
			challenge(r, v)
		} else if x := challenged(r); x != nil {
			v.Holds()
		}
	}},
	{Requirement: "SEC-10", From: []recording.Name{Credentials}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		x := r.Step(stepInvalid)
		if demanded(r, v) && answeredOrigin(x, v) {
			authority(r, v)(x.Status == http.StatusUnauthorized, "HTTP 401", matcher.Describe(x)+" to an invented bearer token", x.Evidence()...)
		}
	}},
	{Requirement: "SEC-11", From: []recording.Name{Rights}, Judge: insufficientScope},
	{Requirement: "SEC-12", From: []recording.Name{Rights}, Judge: protectedResources},
	{Requirement: "SEC-15", From: []recording.Name{Credentials}, Judge: missingCredentials},
	{Requirement: "SEC-60", From: []recording.Name{Credentials}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		x := metadata(r)
		if x == nil {
			v.Skip(recording.CodeNotExercised, "the target offers no protected-resource metadata")
			return
		}
		servers := gjson.Get(x.Tags[recording.TagText], "authorization_servers")
		v.That(servers.IsArray() && len(servers.Array()) > 0 && judge.IsString(servers.Get("0")), "authorization_servers with at least one entry", "authorization_servers is "+judge.Brief(servers), x.Evidence()...)
	}},
	{Requirement: "SEC-61", From: []recording.Name{Credentials}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		if x := r.Step(stepForeign); x != nil && answeredOrigin(x, v) {
			v.That(x.Status == http.StatusUnauthorized, "HTTP 401", matcher.Describe(x)+" to a token that was issued for another server", x.Evidence()...)
			v.Hint("check the audience of tokens")
		}
	}},
}

// challenged is the first 401; nil if there is none.
func challenged(r *recording.Recording) *recording.Exchange {
	for _, x := range r.Steps(recording.StepAnonymous, stepAnonymousList, stepInvalid, stepNone, stepForeign) {
		if x.Status == http.StatusUnauthorized {
			return x
		}
	}
	return nil
}

// metadata is the exchange that fetched the protected-resource metadata; nil if
// there is none.
func metadata(r *recording.Recording) *recording.Exchange {
	for _, x := range r.Steps(stepMetadata) {
		if x.Status == http.StatusOK && gjson.Valid(x.Tags[recording.TagText]) && gjson.Parse(x.Tags[recording.TagText]).IsObject() {
			return x
		}
	}
	return nil
}

// authority is how severely authorisation is judged: schemes of the target's own
// are allowed, so it must be known that the one of the protocol is used.
func authority(r *recording.Recording, v *verdict.Verdict) func(bool, string, string, ...int) bool {
	x := challenged(r)
	bearer := x != nil && strings.Contains(strings.ToLower(x.Header.Get("WWW-Authenticate")), "resource_metadata")
	if v.Facts.Configured["authorization.own"] || !v.Facts.Configured["authorization.protocol"] && metadata(r) == nil && !bearer {
		return v.WarnUnless
	}
	return v.That
}

// demanded reports whether the target asks for credentials; if not, it says so. One
// that does not know the method of the request refuses it to everybody.
func demanded(r *recording.Recording, v *verdict.Verdict) bool {
	if x := r.Step(recording.StepAnonymous); x != nil && !x.Succeeded() && x.Status >= 200 && !verdict.Unknown(x) {
		return true
	}
	if challenged(r) == nil {
		v.Skip(recording.CodeNotExercised, "the target serves requests without credentials")
		return false
	}
	return true
}

// challenge: a 401 says where the resource metadata is.
func challenge(r *recording.Recording, v *verdict.Verdict) {
	x := challenged(r)
	if x == nil {
		v.Skip(recording.CodeNotExercised, "no request was answered by HTTP 401")
		return
	}
	got := strings.Join(x.Header.Values("WWW-Authenticate"), ", ")
	authority(r, v)(strings.Contains(strings.ToLower(got), "resource_metadata"), "WWW-Authenticate with resource_metadata",
		fmt.Sprintf("HTTP 401 with WWW-Authenticate: %q", got), x.Evidence()...)
}

// missingCredentials: whoever is refused for want of credentials is told by 401.
// The same requests were served with credentials, so nothing else can be the cause.
func missingCredentials(r *recording.Recording, v *verdict.Verdict) {
	if !demanded(r, v) {
		return
	}
	for _, x := range r.Steps(recording.StepAnonymous, stepAnonymousList, stepNone) {
		if !answeredOrigin(x, v) || x.Succeeded() {
			continue
		}
		if x.Step == stepAnonymousList && x.Status != http.StatusUnauthorized && x.Status != http.StatusForbidden {
			continue // something else may be wrong with it
		}
		authority(r, v)(x.Status == http.StatusUnauthorized, "HTTP 401", matcher.Describe(x)+" to "+x.Method+" without valid credentials", x.Evidence()...)
	}
}

// insufficientScope: 403, and a challenge that names the error and the scope.
func insufficientScope(r *recording.Recording, v *verdict.Verdict) {
	if v.Facts.Configured["authorization.own"] {
		v.Skip(recording.CodeNotExercised, "the target has an authorisation of its own, which need not know scopes")
		return
	}
	for _, x := range r.Steps(recording.StepRead) {
		switch {
		case x.Status == 0 || x.Outcome == recording.Refused:
			v.Skip(recording.CodeNotExercised, "there was no HTTP response")
			continue
		case x.Succeeded():
			v.Skip(recording.CodeNotExercised, "the resource was served, which is judged elsewhere")
			continue
		}
		got := strings.Join(x.Header.Values("WWW-Authenticate"), ", ")
		v.That(x.Status == http.StatusForbidden && strings.Contains(got, "insufficient_scope") && strings.Contains(got, "scope="),
			"HTTP 403 with error=\"insufficient_scope\" and the scope needed", fmt.Sprintf("%s, WWW-Authenticate: %q", matcher.Describe(x), got), x.Evidence()...)
	}
}

// protectedResources: neither contents nor updates for those without the right.
func protectedResources(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(recording.StepRead, recording.StepSubscribe) {
		about := fmt.Sprintf("the identity %q, %s of %s", x.Tags[tagIdentity], x.Step, x.Tags[recording.TagURI])
		switch {
		case x.Step == recording.StepSubscribe && v.Modern():
			v.That(x.Tags[tagGranted] == "", "a refusal", "updates were granted to "+about, x.Evidence()...)
		case turnedAway(x):
			v.Holds()
		case v.Answered(x):
			v.That(!x.Succeeded(), "a refusal", matcher.Describe(x)+" to "+about, x.Evidence()...)
			v.Hint("check the right at each operation")
		}
	}
}

// Package sec is the area SEC: the security of transports, and authorisation
// (basic/transports#security-warning and basic/authorization).
package sec

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	Origins recording.Name = "origins" // requests with foreign, own and no Origin
	// requests without valid credentials, and the resource metadata
	Credentials recording.Name = "credentials"
	// protected resources asked for by callers without the right
	Rights        recording.Name = "rights"
	PublicAddress recording.Name = "public-address" // a local server asked at another address of the machine
	// requests with a made-up token while logging is at its most talkative
	LogSecrets recording.Name = "log-secrets"
)

// Checks lists the checks of the area.
var Checks = verdict.Join(secChecks, secAuthChecks)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{credentialsScenario, rightsScenario, logSecretsScenario, originsScenario,
	publicAddressScenario}

// The steps of the area's scripts. "invalid" has made-up credentials, "anonymous-list" none, "owner" is a
// read by whom the resource belongs to. "no-origin" and "own-origin" come before "request", "notification"
// and "get" from a foreign page, "foreign-host" has such a page's Host, "look-alike" an origin that resembles
// the target's; "control" repeats without an Origin what was refused. "public" calls another address of the
// machine.
const (
	stepInvalid, stepAnonymousList, stepMetadata recording.Step = "invalid", "anonymous-list", "metadata"
	stepOwner, stepGet, stepLevel, stepNoOrigin  recording.Step = "owner", "get", "level", "no-origin"
	stepControl                                  recording.Step = "control"
	stepOwnOrigin, stepForeignHost, stepRequest  recording.Step = "own-origin", "foreign-host", "request"
	stepNotification, stepPublic                 recording.Step = "notification", "public"
	stepLookAlike                                recording.Step = "look-alike"
	stepForeign                                                 = recording.Step(target.RightsForeign)
	stepNone                                                    = recording.Step(target.RightsNone)
)

// The tags of the area's scripts.
const (
	tagFrom, tagIdentity, tagGranted, tagHost recording.Tag = "from", "identity", "granted", "host"
	tagAddress, tagOf, tagOrdinary            recording.Tag = "address", "of", "ordinary"
)

var origins, credentials = recording.Names{Origins}, recording.Names{Credentials}

// The checks of transport security: where requests may come from.
var secChecks = verdict.Checks{
	"SEC-01": {From: origins, Needs: verdict.Allowed("any-origin"),
		Judge: func(v *verdict.Verdict) {
			uncheckedHost(v)
			forbiddenOrigin(v)
			lookAlikesRefused(v)
		}},
	"SEC-02": {From: origins, Needs: verdict.Allowed("any-origin"),
		Judge: func(v *verdict.Verdict) {
			uncheckedHost(v)
			x := v.Step(stepRequest)
			if refusedToAll(v, x) {
				v.NotExercised("what was asked is refused without an Origin as well")
			} else if answeredOrigin(x, v) {
				served(v.That(x, turnedAway(x), "a refusal", "%v to a request from the origin %s", x,
					x.Tags[recording.TagOrigin]), x, v)
			}
			lookAlikesRefused(v)
		}},
	"SEC-03": {From: origins, Needs: verdict.Allowed("any-origin"),
		Judge: everyOrigin},
	"SEC-04": {From: origins, Judge: func(v *verdict.Verdict) {
		without, with := v.Step(stepNoOrigin), v.Step(stepOwnOrigin)
		if answeredOrigin(without, v) && answeredOrigin(with, v) {
			v.RestsOn(with)
			v.That(without, without.Succeeded() || !with.Succeeded(), "service without an Origin",
				"%v to a request without Origin, which is served with one", without).Warn()
		}
	}},
	"SEC-06": {From: recording.Names{PublicAddress}, Needs: verdict.Allowed("public-bind"),
		Judge: func(v *verdict.Verdict) {
			if x := v.Step(stepPublic); x != nil && x.Outcome != recording.Canceled {
				v.That(x, x.Status == 0, "a server that listens on loopback addresses only",
					"HTTP %d from %s, an address of this machine that others can reach", x.Status,
					x.Tags[tagAddress])
			}
		}},
	"SEC-63": {With: verdict.Every, Probes: true, Judge: survives},
	"SEC-14": {From: recording.Names{LogSecrets, recording.Everything}, Judge: loggedSecrets},
}

// foreignServed is the cause of what the requirements on the Origin of older and newer revisions see alike.
const foreignServed = "a foreign origin is served"

// chosen reports whether the origins that are allowed may be the operator's choice: the
// server is not local, and its origins are not configured. Violations warn then.
func chosen(v *verdict.Verdict) bool { return !v.Facts.Local && !v.Facts.Configured["origins"] }

// answeredOrigin reports whether it is known what became of a request: a
// response, or a connection that was closed on it.
func answeredOrigin(x *recording.Exchange, v *verdict.Verdict) bool {
	switch {
	case x == nil:
		v.NotExercised("no such request was made")
		return false
	case x.Status == http.StatusUnauthorized || x.Outcome == recording.Lost && !x.Fatal,
		x.Status > 0 && x.Outcome != recording.Refused && x.Outcome != recording.Silent:
		return true
	case x.Status == 0 && (x.Outcome == recording.Sent || x.Outcome == recording.HTTPOnly):
		v.Block(x, recording.CodeNoAnswer, "it is not known what became of %s from a foreign origin: no "+
			"HTTP response came in time", v.What(x))
		return false
	}
	return v.Answered(x)
}

// forbiddenOrigin: 403, and nothing that looks like an answer to the request.
func forbiddenOrigin(v *verdict.Verdict) {
	x := v.Step(stepRequest)
	if !answeredOrigin(x, v) {
		return
	}
	about := " to a request from the origin " + x.Tags[recording.TagOrigin]
	if x.Status == http.StatusUnauthorized {
		v.Fail(x, "HTTP 403", "HTTP 401%s", about).Warn("it is refused, but with another status").
			Harmless(true).Hint("look at the Origin before credentials are asked for")
		return
	}
	served(v.That(x, x.Status == http.StatusForbidden, "HTTP 403", "%v%s", x, about), x, v)
	if x.Status == http.StatusForbidden {
		raw := v.Body(x)
		id := gjson.GetBytes(raw, "id")
		v.That(x, !gjson.ValidBytes(raw) || !id.Exists() || id.Type == gjson.Null,
			"a body without id, if any", "the id %v", id).Title("The refusal of a foreign Origin has no id").
			Kept().Warn("it is refused as it should be; only the body is unusual").Harmless(true).
			Hint("refuse a foreign Origin before the body is read")
	}
}

// served says of a request from a foreign origin that it should have been refused.
func served(f *verdict.Finding, x *recording.Exchange, v *verdict.Verdict) {
	if f.WarnIf(chosen(v)).Harmless(unserved(x)); !unserved(x) {
		f.SharedCause(foreignServed)
	}
}

// uncheckedHost: no sentence of the specification is about Host, but browsers send no
// Origin with a GET to what they take for the page's own host.
func uncheckedHost(v *verdict.Verdict) {
	if x := v.Step(stepForeignHost); x != nil && x.Succeeded() {
		v.Observe(x, "host-unchecked", `a request with "Host: %s" is served at a loopback address: once `+
			"its name leads there (DNS rebinding), a foreign page passes for the server's own wherever "+
			"browsers send no Origin, as with GET", x.Tags[tagHost])
	}
}

// lookAlikesRefused: who refuses a foreign origin refuses those that only look like an allowed one, or are
// had over TLS, too. That "null" is served is remarked upon: some mean it to be.
func lookAlikesRefused(v *verdict.Verdict) {
	foreign := v.Step(stepRequest)
	if foreign == nil || !turnedAway(foreign) || refusedToAll(v, foreign) {
		return
	}
	v.RestsOn(foreign)
	for _, x := range v.Steps(stepLookAlike) {
		switch {
		case !x.Succeeded():
		case x.Tags[recording.TagOrigin] == nullOrigin:
			v.Observe(x, "null-origin", "a request from the origin null is served, which every sandboxed "+
				"page and every page from a file has")
		default:
			v.Fail(x, "a refusal", "%v to a request from the origin %s, which is foreign as well", x,
				x.Tags[recording.TagOrigin]).WarnIf(chosen(v)).
				SharedCause("an origin like an allowed one is served").
				Hint("compare the whole Origin, not its beginning, its end or its scheme, with a list of " +
					"those that are allowed")
		}
	}
}

// everyOrigin: a target that looks at the Origin of requests at all looks at that
// of all of them. One that never looks is judged by SEC-01 and SEC-02.
func everyOrigin(v *verdict.Verdict) {
	steps := v.Steps(stepRequest, recording.StepInitialize, recording.StepRead, stepNotification,
		recording.StepListen, stepGet, scenario.StepDelete)
	// What may be refused for other reasons as well does not show that it looks.
	elsewise := []recording.Step{stepGet, scenario.StepDelete}
	if v.Modern() {
		elsewise = append(elsewise, recording.StepInitialize, stepNotification)
	}
	// Nor does what is refused to everybody.
	steps = slices.DeleteFunc(steps, func(x *recording.Exchange) bool {
		return refusedToAll(v, x)
	})
	looks := slices.IndexFunc(steps, func(x *recording.Exchange) bool {
		byStatus := x.Status >= http.StatusBadRequest || x.Outcome == recording.Lost
		return x.Status == http.StatusForbidden || turnedAway(x) && !slices.Contains(elsewise, x.Step) &&
			(byStatus || servedToOthers(v, x))
	})
	if looks < 0 {
		v.NotExercised("the target does not look at the Origin at all, which is judged elsewhere")
		return
	}
	v.RestsOn(steps[looks])
	for _, x := range steps {
		if !answeredOrigin(x, v) {
			continue
		}
		v.That(x, turnedAway(x), "every request from a foreign origin to be refused, as others are",
			"%v to %s", x, fromPage(x)).WarnIf(chosen(v))
	}
}

// fromPage names a request by what was sent from a foreign page.
func fromPage(x *recording.Exchange) string {
	name := "a request for " + x.Method
	switch {
	case x.Step == stepGet || x.Step == scenario.StepDelete:
		name = "an HTTP " + strings.ToUpper(string(x.Step))
	case strings.HasPrefix(x.Method, "notifications/"):
		name = "the notification " + x.Method
	}
	return name + " from the origin " + x.Tags[recording.TagOrigin]
}

// loggedSecrets: what the client sent as a credential does not turn up in the log.
func loggedSecrets(v *verdict.Verdict) {
	secrets := sentSecrets(v)
	if v.Scenario == LogSecrets {
		echoedSecrets(secrets, v)
	}
	for _, f := range v.Notifications("notifications/message", 0) {
		if len(secrets) == 0 {
			v.NotExercised("no credentials were sent")
			return
		}
		v.Holds()
		for name, secret := range secrets {
			v.That(f, !strings.Contains(string(f.Raw), secret), "log messages without credentials",
				"the value of the header %q in a log message", name)
		}
	}
}

// echoedSecrets remarks upon a made-up token that comes back in an answer, where whoever collects errors
// keeps it.
func echoedSecrets(secrets map[string]string, v *verdict.Verdict) {
	for _, f := range v.Incoming(0) {
		for name, secret := range secrets {
			if gjson.GetBytes(f.Raw, "method").Str != "notifications/message" &&
				strings.Contains(string(f.Raw), secret) {
				v.Observe(f, "credentials-echoed", "an answer repeats the value of the header %s", name)
				return
			}
		}
	}
}

// sentSecrets are the credentials in the requests, by header.
func sentSecrets(v *verdict.Verdict) map[string]string {
	const shortest = 8
	secrets := map[string]string{}
	for i := range v.Frames {
		f := &v.Frames[i]
		if f.Dir != wire.Out || f.HTTP == nil {
			continue
		}
		for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key"} {
			value := f.HTTP.Header.Get(name)
			if scheme, token, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "Bearer") ||
				strings.EqualFold(scheme, "Basic")) {
				value = token
			}
			if len(value) >= shortest {
				secrets[name] = value
			}
		}
	}
	return secrets
}

// The checks of authorisation: who may call, and see what.
var secAuthChecks = verdict.Checks{
	"SEC-08": {From: credentials, Judge: challenge},
	"SEC-09": {From: credentials, Judge: func(v *verdict.Verdict) {
		if metadata(v) == nil {
			challenge(v)
		} else if x := challenged(v); x != nil {
			v.Holds()
		}
	}},
	"SEC-10": {From: credentials, Judge: func(v *verdict.Verdict) {
		x := v.Step(stepInvalid)
		if demanded(v) && answeredOrigin(x, v) {
			v.That(x, x.Status == http.StatusUnauthorized, "HTTP 401", "%v to an invented bearer token", x).
				WarnIf(ownScheme(v)).Harmless(!x.Succeeded())
		}
	}},
	"SEC-11": {From: recording.Names{Rights}, Judge: insufficientScope},
	"SEC-12": {From: recording.Names{Rights}, Judge: protectedResources},
	"SEC-62": {From: recording.Names{Rights}, Judge: ownersContents},
	"SEC-15": {From: credentials, Judge: missingCredentials},
	"SEC-60": {From: credentials, Judge: func(v *verdict.Verdict) {
		x := metadata(v)
		if x == nil {
			v.NotExercised("the target offers no protected-resource metadata")
			return
		}
		servers := gjson.Get(x.Tags[recording.TagText], "authorization_servers")
		v.That(x, servers.IsArray() && len(servers.Array()) > 0 && judge.IsString(servers.Get("0")),
			"authorization_servers with at least one entry", "authorization_servers is %v", servers)
	}},
	"SEC-61": {From: credentials, Judge: func(v *verdict.Verdict) {
		if x := v.Step(stepForeign); x != nil && answeredOrigin(x, v) {
			v.That(x, x.Status == http.StatusUnauthorized, "HTTP 401", "%v to a token that was issued for "+
				"another server", x).Harmless(!x.Succeeded())
		}
	}},
}

// challenged is the first 401; nil if there is none.
func challenged(v *verdict.Verdict) *recording.Exchange {
	for _, x := range v.Steps(scenario.StepAnonymous, stepAnonymousList, stepInvalid, stepNone, stepForeign) {
		if x.Status == http.StatusUnauthorized {
			return x
		}
	}
	return nil
}

// metadata is the exchange that fetched the protected-resource metadata; nil if
// there is none.
func metadata(v *verdict.Verdict) *recording.Exchange {
	for _, x := range v.Steps(stepMetadata) {
		if x.Status == http.StatusOK && gjson.Valid(x.Tags[recording.TagText]) &&
			gjson.Parse(x.Tags[recording.TagText]).IsObject() {
			return x
		}
	}
	return nil
}

// ownScheme reports whether authorisation may go by a scheme of the target's own, which is
// allowed: it is not known that the one of the protocol is used. Violations warn then.
func ownScheme(v *verdict.Verdict) bool {
	x := challenged(v)
	bearer := x != nil && strings.Contains(strings.ToLower(x.Header.Get("WWW-Authenticate")),
		"resource_metadata")
	return v.Facts.Configured["authorization.own"] || !v.Facts.Configured["authorization.protocol"] &&
		metadata(v) == nil && !bearer
}

// demanded reports whether the target asks for credentials; if not, it says so. One
// that does not know the method of the request refuses it to everybody, and where nobody has
// credentials only HTTP 401 says that they are what is missing.
func demanded(v *verdict.Verdict) bool {
	x := v.Step(scenario.StepAnonymous)
	if x == nil || x.Succeeded() || x.Status < 200 || verdict.Unknown(x) || x.Tags[tagOrdinary] != "" {
		x = challenged(v)
	}
	if x == nil {
		v.NotExercised("the target serves requests without credentials")
		return false
	}
	v.RestsOn(x)
	return true
}

// challenge: a 401 says where the resource metadata is.
func challenge(v *verdict.Verdict) {
	x := challenged(v)
	if x == nil {
		v.NotExercised("no request was answered by HTTP 401")
		return
	}
	got := strings.Join(x.Header.Values("WWW-Authenticate"), ", ")
	v.That(x, strings.Contains(strings.ToLower(got), "resource_metadata"),
		"WWW-Authenticate with resource_metadata", "HTTP 401 with WWW-Authenticate: %s", judge.Quote(got)).
		WarnIf(ownScheme(v))
}

// missingCredentials: whoever is refused for want of credentials is told by 401.
// The same requests were served with credentials, so nothing else can be the cause.
func missingCredentials(v *verdict.Verdict) {
	if !demanded(v) {
		return
	}
	for _, x := range v.Steps(scenario.StepAnonymous, stepAnonymousList, stepNone) {
		if !answeredOrigin(x, v) || x.Succeeded() {
			continue
		}
		if x.Step == stepAnonymousList && x.Status != http.StatusUnauthorized &&
			x.Status != http.StatusForbidden {
			continue // something else may be wrong with it
		}
		v.That(x, x.Status == http.StatusUnauthorized, "HTTP 401", "%v to %s without valid credentials", x,
			x.Method).WarnIf(ownScheme(v))
	}
}

// insufficientScope: 403, and a challenge that names the error and the scope.
func insufficientScope(v *verdict.Verdict) {
	if v.Facts.Configured["authorization.own"] {
		v.NotExercised("the target has an authorisation of its own, which need not know scopes")
		return
	}
	for _, x := range v.Steps(recording.StepRead) {
		switch {
		case x.Status == 0 || x.Outcome == recording.Refused:
			v.NotExercised("there was no HTTP response")
			continue
		case x.Succeeded():
			v.NotExercised("the resource was served, which is judged elsewhere")
			continue
		}
		got := strings.Join(x.Header.Values("WWW-Authenticate"), ", ")
		v.That(x, x.Status == http.StatusForbidden && strings.Contains(got, "insufficient_scope") &&
			strings.Contains(got, "scope="), `HTTP 403 with error="insufficient_scope" and the scope needed`,
			"%v, WWW-Authenticate: %s", x, judge.Quote(got))
	}
}

// protectedResources: neither contents nor updates for those without the right.
func protectedResources(v *verdict.Verdict) {
	for _, x := range v.Steps(recording.StepRead, recording.StepSubscribe) {
		about := fmt.Sprintf("the identity %q, %s of %s", x.Tags[tagIdentity], x.Step,
			x.URI())
		switch {
		case x.Step == recording.StepSubscribe && v.Modern():
			v.That(x, x.Tags[tagGranted] == "", "a refusal", "updates were granted to %s", about)
		case turnedAway(x):
			v.Holds()
		case v.Answered(x):
			v.That(x, !x.Succeeded(), "a refusal", "%v to %s", x, about)
		}
	}
}

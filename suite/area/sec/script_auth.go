package sec

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// A token that nobody issued.
const inventedToken = "Bearer mcpcheck-7b4e91-invented-token" // #nosec G101 -- it is meant to be refused

// Steps: "anonymous" is the first request of a client without credentials
// (initialize or server/discover), "anonymous-list" the list after it, if it was
// served; where no client has credentials, the tag "ordinary" says that nothing sets the first request apart.
// "invalid" is the first request with a token that nobody issued, "none" and "foreign" with those of
// identities with such rights. "metadata" fetches the protected-resource metadata: the tag "from" says
// whether a challenge or the well-known address led there, "text" is the body.
var credentialsScenario = &scenario.Scenario{
	Name:  Credentials,
	Title: "calling without valid credentials",
	Sends: "First requests without credentials, with a token that nobody issued and with those of " +
		"other identities; a fetch of the protected-resource metadata.",
	When:     scenario.OverHTTP,
	Security: true,
	Script: func(p *scenario.Play) {
		c, ok := stranger(p)
		if !ok {
			return
		}
		first := opening(p, scenario.StepAnonymous, nil)
		if !p.Target.Credentials() {
			first.Tags = recording.Tags{tagOrdinary: "yes"}
		}
		x := c.Do(first)
		anonymousList(c, x)
		demanded := slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden}, x.Status)
		if d, ok := stranger(p); ok {
			y := alone(d, opening(p, stepInvalid, map[string]string{"Authorization": inventedToken}))
			demanded = demanded || y.Status == http.StatusUnauthorized
		}
		for _, rights := range []target.Rights{target.RightsNone, target.RightsForeign} {
			if id := p.Target.WithRights(rights); id != nil {
				asIdentity(p, recording.Step(rights), id)
			}
		}
		if demanded || p.Target.Authorization == target.AuthorizationProtocol {
			askMetadata(c, x)
		}
	},
}

// stranger is a client that sends none of the endpoint's credentials.
func stranger(p *scenario.Play) (*scenario.Client, bool) {
	return p.PlainHTTP(target.DialOptions{Anonymous: true})
}

// opening is the first request of a client.
func opening(p *scenario.Play, step recording.Step, header map[string]string) session.Request {
	if p.Modern() {
		return session.Request{Step: step, Method: "server/discover", Header: header}
	}
	return session.Request{Step: step, Method: "initialize", Header: header,
		Params: session.InitializeParams(string(p.Revision()))}
}

// alone sends the first request of a client and ends the session that it may open.
func alone(c *scenario.Client, q session.Request) *recording.Exchange {
	x := c.Do(q)
	if !c.Modern() && x.Succeeded() {
		_ = c.S.Adopt(x) // only so that the session is ended in order
	}
	return x
}

// anonymousList goes on where the first request was served.
func anonymousList(c *scenario.Client, first *recording.Exchange) {
	if !first.Succeeded() {
		return
	}
	if !c.Modern() {
		if c.S.Adopt(first) != nil {
			return
		}
		c.Note(c.S.Initialized(c))
	}
	c.Do(c.Ordinary(stepAnonymousList))
}

// asIdentity sends the first request with the headers of an identity.
func asIdentity(p *scenario.Play, step recording.Step, id *target.Identity) {
	c, ok := p.PlainHTTP(target.DialOptions{Anonymous: true, As: id})
	if ok {
		alone(c, opening(p, step, nil))
	}
}

var resourceMetadata = regexp.MustCompile(`(?i)resource_metadata\s*=\s*(?:"([^"]*)"|([^\s,"]+))`)

// askMetadata fetches the protected-resource metadata (RFC 9728) from where the
// challenge points, if that is on the same host, and from the well-known addresses.
func askMetadata(c *scenario.Client, challenged *recording.Exchange) {
	home := c.Address()
	const wellKnown = "/.well-known/oauth-protected-resource"
	places := [][2]string{{"path", wellKnown + strings.TrimSuffix(home.Path, "/")}, {"root", wellKnown}}
	if m := resourceMetadata.FindStringSubmatch(strings.Join(challenged.Header.Values("WWW-Authenticate"),
		", ")); m != nil {
		if u, err := home.Parse(m[1] + m[2]); err == nil && sameHost(u, home) {
			places = append([][2]string{{"challenge", u.RequestURI()}}, places...)
		}
	}
	for _, place := range places {
		q := session.Request{Step: stepMetadata, HTTPMethod: http.MethodGet, URL: place[1],
			Tags:   recording.Tags{tagFrom: place[0]},
			Header: map[string]string{"Accept": "application/json"}}
		x := c.Do(q)
		own := c.S.Evidence(x)
		for _, f := range c.S.Incoming(x.Request) {
			if slices.Contains(own, f.Number) {
				x.Tags[recording.TagText] += string(f.Whole())
			}
		}
		if x.Status == http.StatusOK {
			return
		}
	}
}

func sameHost(a, b *url.URL) bool {
	return strings.EqualFold(a.Host, b.Host) && (a.Scheme == b.Scheme || a.Scheme == "https")
}

// For each protected resource: "owner" is a read by the caller that the endpoint
// stands for; "read" and "subscribe" are made as the identity that must not see it
// (tags "uri" and "identity"; "granted" if a modern subscription was granted).
// Between them stands "list", so that the right is asked for in the middle of a
// session.
var rightsScenario = &scenario.Scenario{
	Name:  Rights,
	Title: "asking for protected resources without the right",
	Sends: "Reads and subscriptions of protected resources, by the caller who may and by the one who must " +
		"not, with a list in between.",
	When: scenario.Where(func(p *scenario.Play) bool { return len(p.Target.Subjects.Protected) > 0 },
		recording.CodeNeedsConfig,
		"the target file has to give a weaker identity and a resource beyond its rights (identities, "+
			"subjects.protected)"),
	Script: scenario.OnClean(func(owner *scenario.Client) {
		for _, protected := range owner.Target.Subjects.Protected {
			owner.ReadResource(stepOwner, protected.URI, nil)
			id := owner.Target.Identity(protected.Identity)
			if id == nil {
				continue
			}
			if c, ok := inRole(owner.Play, id); ok {
				intrude(c, protected)
			}
		}
	}),
}

// inRole opens a session of an identity on any transport.
func inRole(p *scenario.Play, id *target.Identity) (*scenario.Client, bool) {
	if !id.On(p.Combination.Transport) {
		p.Skip(recording.CodeNeedsConfig, fmt.Sprintf("the identity %q has no credentials of its own on %s",
			id.Name, p.Combination.Transport))
		return nil, false
	}
	dialer, err := p.Endpoint.Dialer(target.DialOptions{Transport: p.Combination.Transport, As: id})
	if err != nil {
		p.Skip(recording.CodeNeedsConfig, fmt.Sprintf("the identity %q cannot be taken on: %v", id.Name, err))
		return nil, false
	}
	return p.Fresh(session.Options{Kind: recording.Probe, Dialer: dialer})
}

func intrude(c *scenario.Client, protected target.Protected) {
	tags := recording.Tags{tagIdentity: protected.Identity}
	read := scenario.Of(recording.StepRead, "resources/read", protected.URI, tags)
	subscribe := scenario.Of(recording.StepSubscribe, "resources/subscribe", protected.URI, tags)
	c.Do(c.Ordinary(recording.StepList))
	c.Do(read)
	switch {
	case !c.Facts.Declares("resources.subscribe"):
	case c.Modern():
		st := c.S.Listen(c, recording.StepSubscribe, session.Filter{URIs: []string{protected.URI}},
			session.Request{Tags: subscribe.Tags})
		granted := st.Ack != nil && slices.Contains(scenario.Acknowledged(st.Ack.Raw), protected.URI)
		x := c.Note(st.Stop(c))
		if granted {
			x.Tags[tagGranted] = "yes"
		}
	default:
		c.Do(subscribe)
	}
	c.Do(read)
}

// authorized reports whether the endpoint sends an Authorization header.
func authorized(p *scenario.Play) bool {
	for name := range p.Endpoint.Header {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return p.Address().User != nil
}

// Steps: "level" asks for all log messages, where that is possible; "list" and
// "read" carry a made-up bearer token, which must not turn up in the log.
var logSecretsScenario = &scenario.Scenario{
	Name:     LogSecrets,
	Title:    "watching the log for credentials",
	Sends:    "A list and a read with a made-up bearer token, with all log messages switched on.",
	Phase:    scenario.Quiet,
	In:       scenario.Own,
	After:    verdict.Reads,
	Security: true,
	When: scenario.All(
		overAnyHTTP,
		scenario.Where(func(p *scenario.Play) bool { return !authorized(p) },
			recording.CodeNotExercised,
			"the endpoint has credentials of its own, which every other scenario sends"),
	),
	Script: scenario.OnFresh(scenario.Probing, func(c *scenario.Client) {
		stream := c.S.OpenStream(c, stepGet)
		if !c.Modern() && c.Facts.Declares("logging") {
			c.Do(session.Request{Step: stepLevel, Method: "logging/setLevel",
				Params: map[string]any{"level": "debug"}})
		}
		all := []session.Request{c.Ordinary(recording.StepList)}
		if uri := c.Readable(); uri != "" {
			all = append(all, scenario.About(recording.StepRead, "resources/read", uri))
		}
		for _, q := range all {
			q.Header = map[string]string{"Authorization": inventedToken}
			if c.Modern() {
				q.Meta = map[string]any{session.MetaLogLevel: "debug"}
			}
			c.Do(q)
		}
		if stream != nil || c.Combination.Transport == requirement.SSE {
			c.Quiet(c.Limits.QuietWindow)
		}
		if stream != nil {
			c.Drop(stream)
		}
	}),
}

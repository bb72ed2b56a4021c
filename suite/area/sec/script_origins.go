package sec

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// foreignHost and foreignOrigin are those of a page which no server can mean to serve.
const (
	foreignHost   = "evil.example.invalid"
	foreignOrigin = "http://" + foreignHost
	nullOrigin    = "null"
)

// overAnyHTTP is the condition of scenarios about both HTTP transports.
var overAnyHTTP = scenario.Where(func(p *scenario.Play) bool {
	return !p.OnStdio() && p.Combination.Defined()
}, recording.CodeCombination, "the scenario is about HTTP")

// Steps, all with the tag "origin": "no-origin" and "own-origin" are the same
// request without an Origin and with one that the target accepts or that is its
// own; those with a foreign one are "request", "initialize" (legacy), "read",
// "notification", "listen" (modern) and the HTTP requests "get" and "delete"; "look-alike" are
// requests from origins that a comparison of parts takes for the target's own, from a foreign one with https,
// and from "null". "control" is a request without an Origin that was refused with one, and not by 403; its
// tag "of" is the step of that. On a loopback address "foreign-host" is a request without Origin whose Host
// header is that of a foreign page, as it is after DNS rebinding (tag "host").
var originsScenario = &scenario.Scenario{
	Name:  Origins,
	Title: "calling from foreign web pages",
	Sends: "Requests without an Origin, with the target's own, and with that of a foreign web page: " +
		"requests, notifications, GET and DELETE; requests from origins that look like its own, and from " +
		"that of a page with a certificate; on a loopback address also a request with the Host header of " +
		"such a page.",
	After:    verdict.Reads,
	When:     overAnyHTTP,
	Security: true,
	Script: scenario.OnFresh(scenario.Probing, func(c *scenario.Client) {
		origin := ownOrigin(c)
		for _, q := range c.Ordinarily(
			session.Request{Step: stepNoOrigin, Tags: recording.Tags{recording.TagOrigin: "none"},
				Omit: []string{"Origin"}},
			session.Request{Step: stepOwnOrigin, Tags: recording.Tags{recording.TagOrigin: origin},
				Header: map[string]string{"Origin": origin}},
		) {
			c.Do(q)
		}
		all := foreignRequests(c)
		if loopback(c.Address().Hostname()) {
			all = append(all,
				c.Ordinarily(session.Request{Step: stepForeignHost,
					Tags: recording.Tags{tagHost: foreignHost},
					Omit: []string{"Origin"}, Header: map[string]string{"Host": foreignHost}})...)
		}
		scenario.Each(c, all, func(_ int, q session.Request, c *scenario.Client) {
			if q.Step == stepForeignHost {
				c.Do(q)
				return
			}
			control(c, q, foreign(c, q))
		})
		c.DoEach(lookAlikes(c, origin)...)
		foreignStream(c)
		if c.OnHTTP() {
			foreignInitialize(c.Play)
			foreign(c, session.Request{Step: scenario.StepDelete, HTTPMethod: http.MethodDelete})
		}
	}),
}

// foreignRequests are the messages that are sent from a foreign page.
func foreignRequests(c *scenario.Client) []session.Request {
	all := []session.Request{c.Ordinary(stepRequest), scenario.Notification(stepNotification)}
	if uri := c.Readable(); uri != "" {
		all = append(all, scenario.About(recording.StepRead, "resources/read", uri))
	}
	if c.Modern() {
		all = append(all, session.Request{Step: recording.StepListen, Method: "subscriptions/listen",
			Params: map[string]any{"notifications": map[string]any{"resourcesListChanged": true}}})
	}
	return all
}

// lookAlikes are requests from foreign origins in which the target's own, or localhost, stands at the
// beginning or at the end, from a foreign page that has a certificate, and from null, which is that of
// sandboxed pages and files.
func lookAlikes(c *scenario.Client, own string) []session.Request {
	u, err := url.Parse(own)
	if err != nil || u.Hostname() == "" || c.Brief() {
		return nil
	}
	names := []string{u.Hostname()}
	if loopback(u.Hostname()) && u.Hostname() != "localhost" {
		names = append(names, "localhost")
	}
	origins := []string{nullOrigin, "https://" + foreignHost}
	for _, name := range names {
		if !strings.Contains(name, ":") { // which no name begins with
			origins = append(origins, u.Scheme+"://"+name+"."+foreignHost)
		}
		if labels := strings.Split(name, "."); net.ParseIP(name) == nil {
			// Of a longer name the end: what stands before it may be a sibling, which is served for good
			// reason.
			origins = append(origins, u.Scheme+"://evil"+strings.Join(labels[max(len(labels)-2, 0):], "."))
		}
	}
	all := make([]session.Request, len(origins))
	for i, origin := range origins {
		all[i] = session.Request{Step: stepLookAlike, Tags: recording.Tags{recording.TagOrigin: origin},
			Header: map[string]string{"Origin": origin}}
	}
	return c.Ordinarily(all...)
}

// foreign sends a request as from a foreign page; a stream that it opens is
// dropped at once.
func foreign(c *scenario.Client, q session.Request) *recording.Exchange {
	q.Tags, q.Header = recording.Tags{recording.TagOrigin: foreignOrigin},
		map[string]string{"Origin": foreignOrigin}
	if q.HTTPMethod == http.MethodGet || q.Step == recording.StepListen {
		return c.Peek(q, time.Second)
	}
	return c.Do(q)
}

// control sends a request from nowhere that was refused from a foreign page, unless the
// status says that the Origin was the reason.
func control(c *scenario.Client, q session.Request, x *recording.Exchange) {
	if !turnedAway(x) || x.Status == http.StatusForbidden {
		return
	}
	q.Step, q.Tags, q.Omit = stepControl, recording.Tags{recording.TagOrigin: "none", tagOf: string(q.Step)},
		[]string{"Origin"}
	if q.Method == "subscriptions/listen" {
		c.Peek(q, time.Second)
		return
	}
	c.Do(q)
}

// foreignStream asks for an event stream as from a foreign page. Over HTTP+SSE this is a
// connection of its own, for which the first one makes room: there are targets that
// allow only one.
func foreignStream(c *scenario.Client) {
	if c.Combination.Transport == requirement.SSE {
		c.End(c.S)
		var ok bool
		if c, ok = c.PlainHTTP(target.DialOptions{}); !ok {
			return
		}
	}
	foreign(c, session.Request{Step: stepGet, HTTPMethod: http.MethodGet})
}

// foreignInitialize opens a session from a foreign page.
func foreignInitialize(p *scenario.Play) {
	if p.Modern() {
		return
	}
	c, ok := p.Fresh(session.Options{Kind: recording.Probe, NoHandshake: true})
	if !ok {
		return
	}
	x := c.Once(session.Request{Step: recording.StepInitialize, Method: "initialize",
		Tags:   recording.Tags{recording.TagOrigin: foreignOrigin},
		Header: map[string]string{"Origin": foreignOrigin},
		Params: session.InitializeParams(string(p.Revision()))})
	if x.Succeeded() {
		_ = c.S.Adopt(x) // only so that the session is ended in order
	}
}

// ownOrigin is an origin that the target accepts: a configured one, else its own.
func ownOrigin(c *scenario.Client) string {
	if len(c.Target.Origins) > 0 {
		return c.Target.Origins[0]
	}
	u := c.Address()
	return u.Scheme + "://" + u.Host
}

// Step "public" is a request to another address of this machine, with the Host
// header of the endpoint. The tag "address" is that address.
var publicAddressScenario = &scenario.Scenario{
	Name:     PublicAddress,
	Title:    "calling a local server at another address of the machine",
	Sends:    "A request to another address of this machine, with the Host header of the endpoint.",
	Security: true,
	When: scenario.All(overAnyHTTP, scenario.Where(func(p *scenario.Play) bool {
		return p.Endpoint.ListensAt(p.Address().Hostname()) || p.Endpoint.URL != "" &&
			loopback(p.Address().Hostname())
	}, recording.CodeNeedsConfig, "the endpoint is not on a loopback address of this machine")),
	Script: func(p *scenario.Play) {
		other := otherAddress()
		if p.Endpoint.Handler != nil {
			other = elsewhere
		}
		if other == "" {
			p.Skip(recording.CodeNotExercised, "this machine has no other network address")
			return
		}
		u := *p.Address()
		host := u.Host
		u.Host = net.JoinHostPort(other, wire.Port(&u))
		u.User = nil
		e := &target.Endpoint{URL: u.String(), Forced: requirement.HTTP, CAFile: p.Endpoint.CAFile,
			Handler: p.Endpoint.Handler}
		dialer, err := e.Dialer(target.DialOptions{})
		if err != nil {
			p.Break(recording.CodeUnreachable, err.Error())
			return
		}
		c, ok := p.Fresh(session.Options{Kind: recording.Probe, NoHandshake: true, Dialer: dialer})
		if !ok {
			return
		}
		st := c.S.Peek(p, session.Request{Step: stepPublic, HTTPMethod: http.MethodGet,
			Tags:   recording.Tags{tagAddress: other},
			Header: map[string]string{"Host": host}}, p.Limits.UpTo(2*time.Second))
		c.Drop(st)
	},
}

// elsewhere stands for the network address of the machine where the target is in
// this process; it belongs to nobody (RFC 5737).
const elsewhere = "192.0.2.1"

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// otherAddress is an address of this machine by which others could reach it;
// empty if there is none.
func otherAddress() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	return ""
}

// turnedAway reports whether a request was refused, in whatever form: by an HTTP status, a way to somewhere
// else among them, by an error, or by the end of the connection.
func turnedAway(x *recording.Exchange) bool {
	return !x.Succeeded() && (x.Status >= http.StatusMultipleChoices || x.Failed() ||
		x.Outcome == recording.Lost)
}

// unserved reports whether nothing came back for a request, or will: no result, and no word that it was
// taken.
func unserved(x *recording.Exchange) bool {
	return !x.Succeeded() && x.Status != http.StatusAccepted
}

// refusedToAll reports whether a request was turned away without an Origin as well.
func refusedToAll(v *verdict.Verdict, x *recording.Exchange) bool {
	return x != nil && slices.ContainsFunc(v.Steps(stepControl), func(y *recording.Exchange) bool {
		return y.Tags[tagOf] == string(x.Step) && turnedAway(y)
	})
}

// servedToOthers reports whether what was turned away was served without an Origin.
func servedToOthers(v *verdict.Verdict, x *recording.Exchange) bool {
	return slices.ContainsFunc(v.Steps(stepControl), func(y *recording.Exchange) bool {
		return y.Tags[tagOf] == string(x.Step) && !turnedAway(y)
	})
}

package scenario

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// The protocol's own headers.
const (
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderSession = "Mcp-Session-Id"
)

// StrangeSession is a session id that no server ever issued.
const StrangeSession = "mcpcheck-7b4e91-never-issued"

// chosenSession is a session id that the client has made up, another one in each run: of the end of one that
// was issued.
func chosenSession(issued string) string {
	const few = 8
	return "mcpcheck-7b4e91-chosen-" + issued[max(len(issued)-few, 0):]
}

// Sessionless is a tag that tells that a legacy target keeps no sessions.
func (c *Client) Sessionless() recording.Tags {
	if c.OnHTTP() && !c.Modern() && c.S.HTTPSession() == "" {
		return recording.Tags{TagSessionless: "yes"}
	}
	return nil
}

// PlainHTTP opens a client for single HTTP requests to the endpoint, whatever its
// transport, without a handshake.
func (p *Play) PlainHTTP(o target.DialOptions) (*Client, bool) {
	e := *p.Endpoint
	if e.Path == "" && e.Handler != nil {
		e.Path = p.Address().Path
	}
	e.Forced = requirement.HTTP
	dialer, err := e.Dialer(o)
	if err != nil {
		p.Break(recording.CodeUnreachable, err.Error())
		return nil, false
	}
	return p.Fresh(session.Options{Kind: recording.Probe, NoHandshake: true, Dialer: dialer})
}

// Address is the URL of the endpoint; of a handler in this process, the one that
// it is called by.
func (p *Play) Address() *url.URL {
	if u, err := url.Parse(p.Endpoint.URL); err == nil && p.Endpoint.URL != "" {
		return u
	}
	path := p.Endpoint.Path
	if path == "" {
		path = map[requirement.Transport]string{requirement.HTTP: "/mcp",
			requirement.SSE: "/sse"}[p.Combination.Transport]
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1", Path: path}
}

// As opens a session of another caller, over HTTP.
func (p *Play) As(id *target.Identity) (*Client, bool) {
	header := map[string]string{}
	for name, v := range id.Header {
		value, err := v.Reveal()
		if err != nil {
			p.Skip(recording.CodeNeedsConfig, fmt.Sprintf("the identity %q cannot be taken on: %v", id.Name,
				err))
			return nil, false
		}
		header[name] = value
	}
	return p.Fresh(session.Options{Kind: recording.Probe, Header: header})
}

// Peek makes an HTTP request and drops its response as soon as its head is there,
// so that a stream which stays open costs no time.
func (c *Client) Peek(q session.Request, d time.Duration) *recording.Exchange {
	return c.Drop(c.S.Peek(c, q, d))
}

// Drop ends an exchange whose response may still be open, and adds it to the recording.
func (c *Client) Drop(st *session.Stream) *recording.Exchange { return c.Note(c.Dropped(st)) }

// Dropped is [Client.Drop] for an exchange that is in the recording already.
func (c *Client) Dropped(st *session.Stream) *recording.Exchange {
	select {
	case <-st.HTTPEnded():
		return st.Wait(c)
	default:
	}
	x := st.Finish()
	st.Cancel()
	return x
}

// In two fresh sessions (tag "session": a or b) "use" makes requests of different
// kinds. Then, in session a: "without-id", "unknown-id" and "get-without-id" if there are session
// ids, with the tag "form" under one made from the session id, "other-revision" opens a session of another
// revision beside it and "after-other" goes on in a, "no-version" leaves out the version header,
// "bad-version" (tag "version"), "get-bad-version" and "delete-bad-version" send a bad one. Session b, or a
// if no other can stand beside it: "delete", and if it is accepted "after-delete", repeated for a second
// while it is served, then "get-after-delete" and "delete-again"; "reopen" is a new initialize, and
// "chosen-id" one that comes with a session id which the client has made up.
var httpSessionsScenario = &Scenario{
	Name:  recording.HTTPSessions,
	Title: "opening, using and ending HTTP sessions",
	Sends: "Two sessions in use side by side; requests without a session id, with an unknown one, with " +
		"one that was made of the session's own, with a bad version header; then DELETE, use after it, " +
		"and a new session, also under an id of the client's.",
	When: OverLegacyHTTP,
	Script: func(p *Play) {
		a, ok := p.Fresh(Probing)
		if !ok {
			return
		}
		if a.use("a"); p.Instances == 1 {
			a.onlySession()
			return
		}
		b, ok := p.Fresh(Probing)
		if !ok {
			return
		}
		b.use("b")
		if a.S.HTTPSession() != "" {
			a.idProbes(b.S.HTTPSession())
			b.end()
			a.chosenID()
		}
		a.besideOther()
		if p.Revision() >= requirement.R20250618 {
			a.badVersions()
		}
	},
}

// onlySession does in one session what needs no other one beside it.
func (c *Client) onlySession() {
	if c.S.HTTPSession() != "" {
		c.idProbes(c.S.HTTPSession())
	}
	if c.Revision() >= requirement.R20250618 {
		c.badVersions()
	}
	if c.S.HTTPSession() != "" {
		c.end()
		c.chosenID()
	}
}

// chosenID opens a session under an id of its own making, if the target takes it.
func (c *Client) chosenID() {
	chosen := chosenSession(c.S.HTTPSession())
	q := Handshake(StepChosenID, c.Revision())
	q.Tags[TagSession], q.Header = chosen, map[string]string{HeaderSession: chosen}
	c.Initialize(q, c.Revision())
}

// use makes requests of different kinds in a session.
func (c *Client) use(name string) {
	list, get := c.Ordinary(StepUse), session.Request{Step: StepUse, HTTPMethod: http.MethodGet}
	for _, q := range []session.Request{list, Notification(StepUse), list, get} {
		if q.Tags = (recording.Tags{TagSession: name}); q.HTTPMethod != "" {
			c.Peek(q, time.Second)
		} else {
			c.Do(q)
		}
	}
}

// idProbes asks under no id, and under ids that were never issued; other is that of another session.
func (c *Client) idProbes(other string) {
	probes := []session.Request{
		{Step: StepWithoutID, Omit: []string{HeaderSession}},
		{Step: StepUnknownID, Header: map[string]string{HeaderSession: StrangeSession}},
	}
	own := c.S.HTTPSession()
	made := [][2]string{
		{"one character changed", Changed(own, len(own)/2)}, {"its last character cut off", own[:len(own)-1]},
		{"a further character", own + "0"},
	}
	if strings.HasPrefix(other, own[:len(own)/2]) {
		made = nil // what is made of an id that can be guessed may be that of another session
	}
	for _, m := range made {
		probes = append(probes, session.Request{Step: StepUnknownID,
			Tags: recording.Tags{TagForm: m[0]}, Header: map[string]string{HeaderSession: m[1]}})
	}
	c.DoEach(c.Ordinarily(probes...)...)
	c.Peek(session.Request{Step: StepGetWithoutID, HTTPMethod: http.MethodGet,
		Omit: []string{HeaderSession}}, time.Second)
}

// besideOther opens a session in another revision, if the target serves one.
func (c *Client) besideOther() {
	for _, rev := range c.Facts.Served {
		if rev.Modern() || rev == c.Revision() {
			continue
		}
		_, x := c.Initialize(Handshake(StepOtherRevision, rev), rev)
		if x != nil && x.Succeeded() {
			c.Do(c.Ordinary(StepAfterOther))
		}
		return
	}
}

// badVersions sends version headers that no server supports, at last with the
// request that could end the session.
func (c *Client) badVersions() {
	probes := []session.Request{{Step: StepNoVersion, Omit: []string{HeaderVersion}}}
	for _, version := range []string{PastVersion, "not-a-version"} {
		probes = append(probes, session.Request{Step: StepBadVersion,
			Tags: recording.Tags{TagVersion: version}, Header: map[string]string{HeaderVersion: version}})
	}
	c.DoEach(c.Ordinarily(probes...)...)
	bad := map[string]string{HeaderVersion: PastVersion}
	c.Peek(session.Request{Step: StepGetBadVersion, HTTPMethod: http.MethodGet, Header: bad}, time.Second)
	c.Do(session.Request{Step: StepDeleteBadVersion, HTTPMethod: http.MethodDelete, Header: bad})
}

// end ends a session and looks what becomes of its id.
func (c *Client) end() {
	x := c.Do(session.Request{Step: StepDelete, HTTPMethod: http.MethodDelete})
	if x.Status < 200 || x.Status > 299 {
		return
	}
	for attempt := 0; ; attempt++ {
		x := c.Do(c.Ordinary(StepAfterDelete))
		if x.Status != http.StatusOK || attempt == 4 {
			break
		}
		c.Quiet(250 * time.Millisecond)
	}
	c.Peek(session.Request{Step: StepGetAfterDelete, HTTPMethod: http.MethodGet}, time.Second)
	c.Do(session.Request{Step: StepDeleteAgain, HTTPMethod: http.MethodDelete})
	c.Initialize(Handshake(StepReopen, c.Revision()), c.Revision())
}

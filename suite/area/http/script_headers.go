package http

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// The protocol's own headers.
const (
	headerMethod = "Mcp-Method"
	headerName   = "Mcp-Name"
)

// Each step is an independent request, most of them variations of "ordinary". The tag "unlisted" is
// that of reads of a URI that is not served, "ack" is set on listen requests that were acknowledged.
var httpHeadersScenario = &scenario.Scenario{
	Name:  HTTPHeaders,
	Title: "sending headers that are missing, wrong or oddly written",
	Sends: "One request in many variations: Mcp-Method, Mcp-Name and the version header left out," +
		" contradicting the body or oddly written; also GET, DELETE and listen.",
	In:    scenario.Expendable,
	After: verdict.Reads,
	When:  scenario.All(scenario.OverHTTP, scenario.InModern),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		all := append(versionProbes(c), methodProbes(c)...)
		if uri := c.Readable(); uri != "" {
			all = append(all, nameProbes(uri)...)
		} else if c.Facts.Declares("resources") {
			all = append(all, unlistedNameProbes()...)
		}
		scenario.Each(c, all, func(_ int, q session.Request, c *scenario.Client) {
			if q.Method == "resources/read" && q.Tags[tagUnlisted] == "" &&
				(q.Step == stepEncodedName || q.Step == stepSpelling) {
				c.OfListed(q)
				return
			}
			c.Do(q)
		})
		c.Peek(session.Request{Step: stepGet, HTTPMethod: http.MethodGet}, c.Limits.Timeout)
		c.Do(session.Request{Step: scenario.StepDelete, HTTPMethod: http.MethodDelete})
		if listen(c, session.Request{Step: recording.StepListen}).Tags[recording.TagAck] != "" {
			scenario.Each(c, listenProbes(), func(_ int, q session.Request, c *scenario.Client) {
				listen(c, q)
			})
		}
	}),
}

// listenProbes are listen requests whose headers contradict the body: what opens a stream may be checked
// elsewhere than what is answered.
func listenProbes() []session.Request {
	tags := func() recording.Tags {
		return recording.Tags{scenario.TagForm: "subscriptions/listen", tagDiffers: "header"}
	}
	return []session.Request{
		{Step: stepOtherMethod, Tags: tags(), Header: map[string]string{headerMethod: "resources/list"}},
		{Step: stepMismatch, Tags: tags(),
			Header: map[string]string{scenario.HeaderVersion: scenario.PastVersion}},
	}
}

// listen opens a stream and ends it.
func listen(c *scenario.Client, q session.Request) *recording.Exchange {
	q.Tags = q.Tags.With()
	st := c.S.Listen(c, q.Step, session.Filter{ListChanged: true}, q)
	x := c.Note(st.Stop(c))
	switch {
	case st.Ack != nil:
		x.Tags[recording.TagAck] = strconv.Itoa(st.Ack.Number)
	case x.Outcome == recording.Sent && x.Status >= http.StatusMultipleChoices:
		x.Outcome, x.Reason = recording.HTTPOnly,
			"HTTP "+strconv.Itoa(x.Status)+" without a JSON-RPC response to the request"
	case x.Outcome == recording.Sent && x.Status == 0:
		x.Outcome, x.Reason = recording.Silent, "neither an acknowledgment nor an answer came in time"
	}
	return x
}

// versionProbes are about the version header and the metadata it mirrors.
func versionProbes(c *scenario.Client) []session.Request {
	return c.Ordinarily(
		session.Request{Step: stepOrdinary},
		session.Request{Step: scenario.StepNoVersion, Omit: []string{scenario.HeaderVersion}},
		session.Request{Step: stepMismatch, Tags: recording.Tags{tagDiffers: "body"},
			Meta: map[string]any{session.MetaVersion: string(requirement.R20251125)}},
		session.Request{Step: stepMismatch, Tags: recording.Tags{tagDiffers: "header"},
			Header: map[string]string{scenario.HeaderVersion: scenario.PastVersion}},
		session.Request{Step: stepUnsupportedVersion, Version: scenario.PastVersion},
		session.Request{Step: scenario.StepUnknownMethod, Method: "x-mcpcheck-unknown/method"},
		session.Request{Step: stepNoCapabilities, Meta: map[string]any{session.MetaCapabilities: nil}},
		session.Request{Step: stepNoVersionMeta, Meta: map[string]any{session.MetaVersion: nil}},
		session.Request{Step: scenario.StepNoMeta, Bare: true, Params: json.RawMessage(`{}`)},
		session.Request{Step: stepSessionHeader,
			Header: map[string]string{scenario.HeaderSession: "mcpcheck-no-such-session"}},
		session.Request{Step: stepLastEvent, Header: map[string]string{session.HeaderLastEventID: "5"}},
	)
}

// methodProbes are about Mcp-Method.
func methodProbes(c *scenario.Client) []session.Request {
	method := c.Ordinary("").Method
	all := c.Ordinarily(
		session.Request{Step: scenario.StepNoMethod, Omit: []string{headerMethod}},
		session.Request{Step: stepOtherMethod,
			Header: map[string]string{headerMethod: "resources/templates/list"}},
		session.Request{Step: stepMethodCase,
			Header: map[string]string{headerMethod: strings.ToUpper(method)}},
		session.Request{Step: stepSpelling, Omit: []string{headerMethod, scenario.HeaderVersion},
			Exact: [][2]string{{"mcp-method", method}, {"mcp-protocol-version", string(c.Revision())}}},
		session.Request{Step: stepNameless, Method: "server/discover"},
	)
	if c.Facts.Declares("resources") {
		all = append(all, session.Request{Step: stepNameless, Method: "resources/list"},
			session.Request{Step: stepNameless, Method: "resources/templates/list"})
	}
	return all
}

// nameProbes are about Mcp-Name, on a resource that can be read.
func nameProbes(uri string) []session.Request {
	const stranger = "x-mcpcheck-7b4e91:another-resource"
	probe := func(step recording.Step, form string, header map[string]string) session.Request {
		q := scenario.Of(step, "resources/read", uri, recording.Tags{scenario.TagForm: form})
		q.Header = header
		return q
	}
	named := func(value string) map[string]string { return map[string]string{headerName: value} }
	missing := probe(stepNoName, "", nil)
	missing.Omit = []string{headerName}
	spelled := probe(stepSpelling, "", nil)
	spelled.Omit = []string{headerMethod, headerName}
	spelled.Exact = [][2]string{{"MCP-METHOD", spelled.Method}, {"mCp-nAmE", wire.HeaderValue(uri)}}
	other := stranger
	if i := lastLetter(uri); i >= 0 {
		other = uri[:i] + string(uri[i]^('a'-'A')) + uri[i+1:]
	}
	return []session.Request{
		missing,
		probe(stepOtherName, "", named(wire.HeaderValue(other))),
		probe(stepEncodedName, "", named(wire.Sentinel(uri))),
		probe(stepBrokenName, "alphabet", named("=?base64?!!!?=")),
		// What comparing the beginning takes for the uri.
		probe(stepWrongName, "", named(wire.Sentinel(uri+"-7b4e91"))),
		spelled,
	}
}

// lastLetter is where the last letter behind scheme and host stands, which have no case (RFC 3986, section
// 6.2.2.1); letters of percent-encoded bytes have none, either. Negative if there is none.
func lastLetter(uri string) int {
	_, rest, _ := strings.Cut(uri, ":")
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		_, rest, _ = strings.Cut(after, "/")
	}
	for i := len(rest) - 1; i >= 0; i-- {
		if c := rest[i] | 0x20; c >= 'a' && c <= 'z' && !strings.Contains(rest[max(i-2, 0):i], "%") {
			return len(uri) - len(rest) + i
		}
	}
	return -1
}

// unlistedNameProbes are about Mcp-Name where there is nothing to read: its rules hold
// for any read.
func unlistedNameProbes() []session.Request {
	const uri = "x-mcpcheck-7b4e91:no-such-resource"
	plain := scenario.Of(stepUnlistedRead, "resources/read", uri)
	all := []session.Request{plain}
	for _, q := range nameProbes(uri) {
		if q.Step != stepSpelling {
			all = append(all, q)
		}
	}
	for _, q := range all {
		q.Tags[tagUnlisted] = "yes"
	}
	return all
}

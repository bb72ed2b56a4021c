package http

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// The protocol's own headers.
const (
	headerMethod = "Mcp-Method"
	headerName   = "Mcp-Name"
)

// Steps, each an independent request: "ordinary", of which most others are
// variations; "no-version", "mismatch" (tag "differs":
// body or header), "unsupported-version", "unknown-method", "no-capabilities",
// "no-version-meta" and "no-meta"; "no-method", "other-method", "method-case";
// for a readable resource "no-name", "other-name", "encoded-name", "broken-name",
// "wrong-name" and "spelling", or, where nothing can be read, "unlisted-read" and the
// same without "spelling", for a URI that is not served (tag "unlisted"); "spelling" also for the list; "nameless" requests
// have no Mcp-Name because they need none; "session-header" and "last-event"
// carry what modern servers ignore; "get" and "delete"; "listen".
var httpHeadersScenario = &scenario.Scenario{
	Name:  HTTPHeaders,
	Title: "sending headers that are missing, wrong or oddly written",
	Sends: "One request in many variations: Mcp-Method, Mcp-Name and the version header left out, contradicting the body or oddly written; also GET, DELETE and listen.",
	Phase: scenario.Read,
	After: []recording.Name{recording.Reads},
	When: func(p *scenario.Play) *recording.Skipped {
		if skipped := scenario.OverHTTP(p); skipped != nil {
			return skipped
		}
		return scenario.InModern(p)
	},
	Script: func(ctx context.Context, p *scenario.Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		all := append(versionProbes(p), methodProbes(p)...)
		if uri := p.Readable(); uri != "" {
			all = append(all, nameProbes(uri)...)
		} else if p.Facts.Declares("resources") {
			all = append(all, unlistedNameProbes()...)
		}
		scenario.Each(c, all, func(_ int, q session.Request, c *scenario.Client) { c.Do(ctx, q) })
		c.Peek(ctx, session.Request{Step: "get", HTTPMethod: http.MethodGet}, p.Limits.Timeout)
		c.Do(ctx, session.Request{Step: "delete", HTTPMethod: http.MethodDelete})
		st := c.S.Listen(ctx, "listen", session.Filter{ListChanged: true}, session.Request{})
		c.Note(st.Stop(ctx))
	},
}

// versionProbes are about the version header and the metadata it mirrors.
func versionProbes(p *scenario.Play) []session.Request {
	probe := func(step recording.Step, change func(*session.Request)) session.Request {
		q := p.Ordinary(step)
		change(&q)
		return q
	}
	return []session.Request{
		p.Ordinary("ordinary"),
		probe("no-version", func(q *session.Request) { q.Omit = []string{scenario.HeaderVersion} }),
		probe("mismatch", func(q *session.Request) {
			q.Tags = recording.Tags{"differs": "body"}
			q.Meta = map[string]any{session.MetaVersion: string(requirement.R20251125)}
		}),
		probe("mismatch", func(q *session.Request) {
			q.Tags = recording.Tags{"differs": "header"}
			q.Header = map[string]string{scenario.HeaderVersion: scenario.PastVersion}
		}),
		probe("unsupported-version", func(q *session.Request) { q.Version = scenario.PastVersion }),
		probe("unknown-method", func(q *session.Request) { q.Method = "x-mcpcheck-unknown/method" }),
		probe("no-capabilities", func(q *session.Request) { q.Meta = map[string]any{session.MetaCapabilities: nil} }),
		probe("no-version-meta", func(q *session.Request) { q.Meta = map[string]any{session.MetaVersion: nil} }),
		probe("no-meta", func(q *session.Request) { q.Bare, q.Params = true, json.RawMessage(`{}`) }),
		probe("session-header", func(q *session.Request) {
			q.Header = map[string]string{scenario.HeaderSession: "mcpcheck-no-such-session"}
		}),
		probe("last-event", func(q *session.Request) { q.Header = map[string]string{session.HeaderLastEventID: "5"} }),
	}
}

// methodProbes are about Mcp-Method.
func methodProbes(p *scenario.Play) []session.Request {
	plain := func(step recording.Step) session.Request { return p.Ordinary(step) }
	missing, other, upper, spelled := plain("no-method"), plain("other-method"), plain("method-case"), plain("spelling")
	missing.Omit = []string{headerMethod}
	other.Header = map[string]string{headerMethod: "resources/templates/list"}
	upper.Header = map[string]string{headerMethod: strings.ToUpper(upper.Method)}
	spelled.Omit = []string{headerMethod, scenario.HeaderVersion}
	spelled.Exact = [][2]string{{"mcp-method", spelled.Method}, {"mcp-protocol-version", string(p.Revision())}}
	all := []session.Request{missing, other, upper, spelled, {Step: "nameless", Method: "server/discover"}}
	if p.Facts.Declares("resources") {
		all = append(all, session.Request{Step: "nameless", Method: "resources/list"},
			session.Request{Step: "nameless", Method: "resources/templates/list"})
	}
	return all
}

// nameProbes are about Mcp-Name, on a resource that can be read.
func nameProbes(uri string) []session.Request {
	const stranger = "x-mcpcheck-7b4e91:another-resource"
	probe := func(step recording.Step, form string, header map[string]string) session.Request {
		return session.Request{Step: step, Method: "resources/read", Params: map[string]any{"uri": uri},
			Header: header, Tags: recording.Tags{"form": form, "uri": uri}}
	}
	named := func(value string) map[string]string { return map[string]string{headerName: value} }
	missing := probe("no-name", "", nil)
	missing.Omit = []string{headerName}
	spelled := probe("spelling", "", nil)
	spelled.Omit = []string{headerMethod, headerName}
	spelled.Exact = [][2]string{{"MCP-METHOD", spelled.Method}, {"mCp-nAmE", session.HeaderValue(uri)}}
	return []session.Request{
		missing,
		probe("other-name", "", named(stranger)),
		probe("encoded-name", "", named(session.Sentinel(uri))),
		probe("broken-name", "alphabet", named("=?base64?!!!?=")),
		probe("wrong-name", "", named(session.Sentinel(stranger))),
		spelled,
	}
}

// unlistedNameProbes are about Mcp-Name where there is nothing to read: its rules hold
// for any read.
func unlistedNameProbes() []session.Request {
	const uri = "x-mcpcheck-7b4e91:no-such-resource"
	plain := session.Request{Step: "unlisted-read", Method: "resources/read", Params: map[string]any{"uri": uri}, Tags: recording.Tags{"uri": uri}}
	all := []session.Request{plain}
	for _, q := range nameProbes(uri) {
		if q.Step != "spelling" {
			all = append(all, q)
		}
	}
	for _, q := range all {
		q.Tags["unlisted"] = "yes"
	}
	return all
}

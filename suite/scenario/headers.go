package scenario

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// The protocol's own headers.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// overHTTP is the condition of scenarios that are about Streamable HTTP.
func overHTTP(p *Play) *recording.Skipped {
	if p.Combination.Transport != requirement.HTTP || !p.Combination.Defined() {
		return skip(recording.CodeCombination, "the scenario is about Streamable HTTP")
	}
	return nil
}

// overLegacyHTTP is overHTTP in revisions with a handshake.
func overLegacyHTTP(p *Play) *recording.Skipped {
	if skipped := overHTTP(p); skipped != nil {
		return skipped
	}
	return inLegacy(p)
}

// Steps, each an independent request: "ordinary", of which most others are
// variations; "no-version", "mismatch" (tag "differs":
// body or header), "unsupported-version", "unknown-method", "no-capabilities",
// "no-version-meta" and "no-meta"; "no-method", "other-method", "method-case";
// for a readable resource "no-name", "other-name", "encoded-name", "broken-name",
// "wrong-name" and "spelling", or, where nothing can be read, "unlisted-read" and the
// same without "spelling", for a URI that is not served (tag "unlisted"); "spelling" also for the list; "nameless" requests
// have no Mcp-Name because they need none; "session-header" and "last-event"
// carry what modern servers ignore; "get" and "delete"; "listen".
var _ = register(&Scenario{
	Name:  recording.HTTPHeaders,
	Title: "sending headers that are missing, wrong or oddly written",
	Sends: "One request in many variations: Mcp-Method, Mcp-Name and the version header left out, contradicting the body or oddly written; also GET, DELETE and listen.",
	Phase: Read,
	After: []recording.Name{recording.Reads},
	When: func(p *Play) *recording.Skipped {
		if skipped := overHTTP(p); skipped != nil {
			return skipped
		}
		return inModern(p)
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		all := append(p.versionProbes(), p.methodProbes()...)
		if uri := p.readable(); uri != "" {
			all = append(all, nameProbes(uri)...)
		} else if p.Facts.Declares("resources") {
			all = append(all, unlistedNameProbes()...)
		}
		Each(c, all, func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
		c.peek(ctx, session.Request{Step: "get", HTTPMethod: http.MethodGet}, p.Limits.Timeout)
		c.Do(ctx, session.Request{Step: "delete", HTTPMethod: http.MethodDelete})
		st := c.s.Listen(ctx, "listen", session.Filter{ListChanged: true}, session.Request{})
		c.note(st.Stop(ctx))
	},
})

// versionProbes are about the version header and the metadata it mirrors.
func (p *Play) versionProbes() []session.Request {
	probe := func(step string, change func(*session.Request)) session.Request {
		q := p.ordinary(step)
		change(&q)
		return q
	}
	return []session.Request{
		p.ordinary("ordinary"),
		probe("no-version", func(q *session.Request) { q.Omit = []string{headerVersion} }),
		probe("mismatch", func(q *session.Request) {
			q.Tags = Tags("differs", "body")
			q.Meta = map[string]any{session.MetaVersion: string(requirement.R20251125)}
		}),
		probe("mismatch", func(q *session.Request) {
			q.Tags = Tags("differs", "header")
			q.Header = map[string]string{headerVersion: pastVersion}
		}),
		probe("unsupported-version", func(q *session.Request) { q.Version = pastVersion }),
		probe("unknown-method", func(q *session.Request) { q.Method = "x-mcpcheck-unknown/method" }),
		probe("no-capabilities", func(q *session.Request) { q.Meta = map[string]any{session.MetaCapabilities: nil} }),
		probe("no-version-meta", func(q *session.Request) { q.Meta = map[string]any{session.MetaVersion: nil} }),
		probe("no-meta", func(q *session.Request) { q.Bare, q.Params = true, json.RawMessage(`{}`) }),
		probe("session-header", func(q *session.Request) {
			q.Header = map[string]string{headerSession: "mcpcheck-no-such-session"}
		}),
		probe("last-event", func(q *session.Request) { q.Header = map[string]string{session.HeaderLastEventID: "5"} }),
	}
}

// methodProbes are about Mcp-Method.
func (p *Play) methodProbes() []session.Request {
	plain := func(step string) session.Request { return p.ordinary(step) }
	missing, other, upper, spelled := plain("no-method"), plain("other-method"), plain("method-case"), plain("spelling")
	missing.Omit = []string{headerMethod}
	other.Header = map[string]string{headerMethod: "resources/templates/list"}
	upper.Header = map[string]string{headerMethod: strings.ToUpper(upper.Method)}
	spelled.Omit = []string{headerMethod, headerVersion}
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
	probe := func(step, form string, header map[string]string) session.Request {
		return session.Request{Step: step, Method: "resources/read", Params: map[string]any{"uri": uri},
			Header: header, Tags: Tags("form", form, "uri", uri)}
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
	plain := session.Request{Step: "unlisted-read", Method: "resources/read", Params: map[string]any{"uri": uri}, Tags: Tags("uri", uri)}
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

// peek makes an HTTP request and drops its response as soon as its head is there,
// so that a stream which stays open costs no time.
func (c *Client) peek(ctx context.Context, q session.Request, d time.Duration) *recording.Exchange {
	st := c.s.Peek(ctx, q, d)
	return c.note(c.dropped(ctx, st))
}

// dropped ends an exchange whose response may still be open.
func (c *Client) dropped(ctx context.Context, st *session.Stream) *recording.Exchange {
	select {
	case <-st.HTTPEnded():
		return st.Wait(ctx)
	default:
	}
	x := st.Finish()
	st.Cancel()
	return x
}

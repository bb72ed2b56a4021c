package life_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/disc"
	"github.com/mcpcheck/mcpcheck/suite/area/life"
	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// flawed is a recording in which members are wrong that requirements judge.
type flawed struct {
	rev      requirement.Revision
	scenario recording.Name
	declared string
	rec      []rt.Line
}

// brokenMembers breaks every member that the schemas leave to requirements.
func brokenMembers() []flawed {
	const old, now = requirement.R20251125, requirement.R20260728
	var all []flawed
	add := func(rev requirement.Revision, name recording.Name, rec ...rt.Line) {
		all = append(all, flawed{rev, name, `{"resources":{"subscribe":true,"listChanged":true}}`, rec})
	}
	listed := func(members ...string) {
		for _, m := range members {
			add(old, recording.WalkResources, areatest.Page("1d", `{}`, `{"resources":[`+m+`]}`))
			l := areatest.Page("1d", `{}`, `{"resourceTemplates":[`+strings.ReplaceAll(m, `"uri"`,
				`"uriTemplate"`)+`]}`)
			l.Method = "resources/templates/list"
			add(old, recording.WalkTemplates, l)
		}
	}
	const item = `{"uri":"a:1","name":"1",`
	listed(`5`, `{"uri":5,"name":"1"}`, `{"uri":"a:1"}`, item+`"title":null}`, item+`"description":1}`,
		item+`"mimeType":1}`,
		item+`"annotations":5}`, item+`"annotations":{"audience":["dog"]}}`,
		item+`"annotations":{"priority":2}}`, item+`"annotations":{"priority":"1"}}`,
		item+`"annotations":{"lastModified":1}}`, item+`"icons":[{"src":5}]}`)
	add(old, recording.WalkResources, areatest.Page("1d", `{}`, `{"resources":[`+item+`"size":"x"}]}`))
	for _, walk := range []struct {
		name           recording.Name
		method, member string
	}{{recording.WalkResources, "resources/list", "resources"},
		{recording.WalkTemplates, "resources/templates/list", "resourceTemplates"}} {
		one := func(rev requirement.Revision, result string) {
			l := areatest.Page("1d", `{}`, result)
			l.Method = walk.method
			add(rev, walk.name, l)
		}
		one(old, `{}`)
		one(old, `{"`+walk.member+`":[],"nextCursor":null}`)
		one(now, `{"`+walk.member+`":[],"resultType":"complete"}`)
		one(now, `{"`+walk.member+`":[],"resultType":"complete","ttlMs":-1,"cacheScope":"all"}`)
	}
	add(now, recording.WalkResources,
		areatest.Page("1d", `{}`,
			`{"resources":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1",`+
				`"icons":5}}}`))
	read := func(rev requirement.Revision, name recording.Name, result string) {
		add(rev, name, areatest.Asked("read", "resources/read", `{"uri":"a:1"}`, result, "uri", "a:1"))
	}
	for _, contents := range []string{`5`, `[5]`, `[{"text":""}]`, `[{"uri":"a:1","text":"","mimeType":1}]`,
		`[{"uri":"a:1"}]`} {
		read(old, recording.Reads, `{"contents":`+contents+`}`)
	}
	read(now, recording.Reads, `{"contents":[]}`)
	read(now, recording.Reads, `{"contents":[],"ttlMs":1.5,"cacheScope":5}`)
	for _, m := range []string{`"requestState":5`, `"inputRequests":[]`, `"inputRequests":{"a":5}`,
		`"inputRequests":{"a":{"method":"x","params":{}}}`,
		`"inputRequests":{"a":{"method":"elicitation/create"}}`} {
		read(now, recording.InputReads, `{"resultType":"input_required",`+m+`}`)
	}
	for _, m := range []string{`{}`, `{"completion":5}`, `{"completion":{"values":5}}`,
		`{"completion":{"values":[5]}}`, `{"completion":{"values":[],"total":"1","hasMore":1}}`,
		`{"completion":{"values":[` + strings.Repeat(`"a",`, 100) + `"a"]}}`} {
		add(now, recording.TemplateCompletions, areatest.Asked("complete", "completion/complete", `{}`, m))
	}
	for _, m := range []string{`"supportedVersions":5`, `"supportedVersions":[5]`, `"capabilities":5`,
		`"instructions":5`, `"ttlMs":1.5,"cacheScope":5`} {
		add(now, recording.Discovery, areatest.Discovery(`{`+m+`}`))
	}
	for _, m := range []string{`{}`, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}`,
		`{"instructions":5,"serverInfo":{"title":5,"description":5,"websiteUrl":5}}`,
		`{"serverInfo":{"icons":5}}`, `{"serverInfo":{"icons":[{"src":5}]}}`} {
		add(old, recording.Everything, hello("initialize", string(old), m))
	}
	for _, name := range []string{"resources", "logging", "prompts", "tools", "completions", "experimental",
		"extensions"} {
		rev := old
		if name == "extensions" {
			rev = now
		}
		declare(&all, rev, `{"`+name+`":true}`)
	}
	declare(&all, old, `{"resources":{"subscribe":5}}`)
	declare(&all, old, `{"experimental":{"a":5}}`)
	brokenMessages(add)
	return all
}

func declare(all *[]flawed, rev requirement.Revision, capabilities string) {
	l := hello("initialize", string(rev), `{"protocolVersion":"`+string(rev)+`","capabilities":`+capabilities+
		`,"serverInfo":{"name":"a","version":"1"}}`)
	if rev.Modern() {
		l = areatest.Discovery(`{"supportedVersions":[],"capabilities":` + capabilities + `}`)
	}
	*all = append(*all, flawed{rev, recording.Everything, capabilities, areatest.Lines(l)})
}

// brokenMessages breaks envelopes, metadata, notifications and errors.
func brokenMessages(add func(requirement.Revision, recording.Name, ...rt.Line)) {
	const old, now = requirement.R20251125, requirement.R20260728
	for _, m := range []string{
		`{"id":5,"result":{"resources":[]}}`, `{"jsonrpc":"2.0","id":true,"result":{}}`,
		`{"jsonrpc":"2.0","id":true,"error":{"code":1,"message":""}}`, `{"jsonrpc":"2.0","id":5,"result":[]}`,
		`{"jsonrpc":"2.0","id":5,"error":"x"}`, `{"jsonrpc":"2.0","id":5,"error":{}}`,
		`{"jsonrpc":"2.0","id":5,"error":{"code":"x","message":""}}`,
		`{"jsonrpc":"2.0","id":5,"result":{"resources":[],"_meta":5}}`,
		`{"jsonrpc":"2.0","id":5,"result":{"resources":[{"uri":"a:1","name":"1","_meta":5}]}}`,
	} {
		add(old, recording.Everything, areatest.Said(m))
	}
	add(old, recording.Everything, areatest.Asked("t", "resources/templates/list", `{}`,
		`{"resourceTemplates":[{"uriTemplate":"a:1","name":"1","_meta":5}]}`))
	add(old, recording.Everything, areatest.Asked("r", "resources/read", `{}`,
		`{"contents":[{"uri":"a:1","text":"","_meta":5}]}`))
	for _, m := range []string{`{}`, `{"_meta":{"io.modelcontextprotocol/serverInfo":5}}`,
		`{"_meta":{"io.modelcontextprotocol/serverInfo":{}}}`} {
		add(now, recording.Everything, areatest.Asked("r", "resources/read", `{}`, m))
	}
	tell := func(rev requirement.Revision, name recording.Name, method, params string) {
		add(rev, name, areatest.Unasked(`{"jsonrpc":"2.0","method":"`+method+`"`+params+`}`))
	}
	const strange = `,"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":null}}`
	for _, x := range []struct{ method, params string }{
		{verdict.Updated, ``}, {verdict.Updated, `,"params":{"uri":5}`},
		{verdict.Updated, `,"params":{"uri":"a:1","_meta":5}`}, {verdict.ListUpdated, `,"params":[]`},
		{"notifications/progress", ``},
		{"notifications/progress", `,"params":{"progressToken":null,"progress":"x","total":"x","message":5}`},
		{"notifications/cancelled", ``}, {"notifications/cancelled", `,"params":{"requestId":null}`},
		{"notifications/message", ``}, {"notifications/message", `,"params":{"level":"loud","logger":5}`},
	} {
		tell(old, recording.Everything, x.method, x.params)
	}
	for _, method := range []string{"notifications/progress", "notifications/message"} {
		tell(now, recording.Everything, method, strange)
	}
	for _, params := range []string{``, `,"params":{"requestId":null}`} {
		tell(now, recording.Everything, "notifications/cancelled", params)
	}
	add(old, recording.Everything, areatest.Unasked(`{"jsonrpc":"2.0","method":5}`))
	add(old, recording.Everything, areatest.Unasked(`{"jsonrpc":"2.0","id":null,"method":"ping"}`))
	add(old, recording.Everything,
		areatest.Unasked(
			`{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"_meta":{"progressToken":null}}}`))
	add(now, recording.Everything, areatest.Unasked(`{"jsonrpc":"2.0","id":null,"method":"ping"}`))
	ack := func(raw string) {
		add(now, recording.Listening, new(areatest.Script).Acked("7", "full", areatest.URIFilter,
			raw).Lines...)
	}
	ack(`{"jsonrpc":"2.0","method":"` + verdict.Acked + `"}`)
	ack(areatest.Sent(verdict.Acked, "null",
		`"notifications":{"promptsListChanged":5,"resourceSubscriptions":[5]}`))
	add(now, recording.Listening, new(areatest.Script).Listen("7", "full", areatest.URIFilter,
		areatest.URIFilter).Hears("", areatest.Sent(verdict.Updated, "null", `"uri":"a:1"`)).Lines...)
	for _, m := range []string{`{"resultType":"complete"}`, `{"resultType":"complete","_meta":{}}`} {
		l := new(areatest.Script).Listen("7", "full", areatest.URIFilter, areatest.URIFilter).Lines
		l[0].Outcome, l[0].Result = "", m
		add(now, recording.Listening, l...)
	}
	add(now, disc.Versions, areatest.Asked("unsupported", "resources/list",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}`, `{"code":-32022,"message":""}`))
	add(now, recording.Everything, areatest.Asked("r", "resources/read", `{}`,
		`{"code":-32021,"message":""}`))
	add(now, recording.Everything, areatest.Asked("r", "resources/read", `{}`,
		`{"code":-32021,"message":"","data":{"requiredCapabilities":[]}}`))
}

// owned says that a requirement judges a member, or with an ellipsis all below it.
type owned struct{ member, id string }

// owners lists what the schemas of a revision leave to requirements.
func owners(t *testing.T, rev requirement.Revision) map[owned]bool {
	var doc struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	raw := string(schema.Document(rev))
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		t.Fatal(err)
	}
	all := map[owned]bool{}
	var visit func(n any, member string)
	visit = func(n any, member string) {
		s, _ := n.(map[string]any)
		for suffix, keyword := range map[string]string{"": "x-requirement", "…": "x-requirement-below"} {
			ids, _ := s[keyword].(string)
			for _, id := range strings.Fields(ids) {
				all[owned{member + suffix, id}] = true
			}
			if ids != "" && !slices.ContainsFunc(strings.Fields(ids), func(id string) bool {
				return applies(id, rev)
			}) {
				t.Errorf("%s leaves %s%s to %s, of which none applies", rev, member, suffix, ids)
			}
		}
		if ref, ok := s["$ref"].(string); ok {
			visit(doc.Defs[strings.TrimPrefix(ref, "#/$defs/")], member)
		}
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			visit(p, strings.TrimPrefix(member+"."+name, "."))
		}
		branches, _ := s["allOf"].([]any)
		for _, b := range append(branches, s["then"], s["else"]) {
			if b != nil {
				visit(b, member)
			}
		}
		if s["items"] != nil {
			visit(s["items"], member+"[]")
		}
		if s["additionalProperties"] != nil {
			visit(s["additionalProperties"], member+".*")
		}
	}
	for name, d := range doc.Defs {
		switch {
		case strings.Contains(raw, `"#/$defs/`+name+`"`): // part of others
		case strings.HasSuffix(name, "Error") && !strings.HasPrefix(name, "JSONRPC"):
			visit(d, "error")
		default:
			visit(d, "")
		}
	}
	return all
}

// applies reports whether a requirement exists and is for a revision.
func applies(id string, rev requirement.Revision) bool {
	req, _ := area.Catalogue().Find(id)
	return req != nil && slices.Contains(req.Revisions, rev)
}

// covers reports whether a violation is of what is owned.
func (o owned) covers(f schema.Violation) bool {
	stem, deep := strings.CutSuffix(o.member, "…")
	return slices.Contains(f.Requirements, o.id) &&
		(f.Member == stem || deep && strings.HasPrefix(f.Member, stem))
}

// TestOwners: where the schemas leave a member to requirements, one of them applies in
// each revision, and each turns red in a recording in which the member is wrong.
func TestOwners(t *testing.T) {
	unproven := map[owned]bool{}
	for _, rev := range requirement.Revisions() {
		maps.Copy(unproven, owners(t, rev))
	}
	for n, x := range brokenMembers() {
		c := requirement.Combination{Revision: x.rev, Transport: requirement.Stdio}
		facts := rt.Facts(c, x.declared)
		if first := x.rec[0]; first.Method == "initialize" && strings.Contains(first.Result, `"icons"`) {
			facts.Declared = []byte(first.Result)
		}
		recs := verdict.Recordings{recording.WalkResources: rt.New(recording.WalkResources, facts, x.rec...)}
		recs[x.scenario] = rt.New(x.scenario, facts, x.rec...)
		everything := rt.New(recording.Everything, facts, x.rec...)
		hits := 0
		for _, m := range everything.Received() {
			for _, f := range life.Violations(everything, facts, m) {
				hits++
				if len(f.Requirements) == 0 {
					t.Errorf("%d: nobody judges %s", n, f)
				}
				for _, id := range f.Requirements {
					k, _ := area.BuiltIn().Check(id)
					req, _ := area.Catalogue().Find(id)
					if k != nil && applies(id, x.rev) && verdict.Evaluate(k, req, facts, recs).Outcome.Red() {
						maps.DeleteFunc(unproven, func(o owned, _ bool) bool {
							return o.id == id && o.covers(f)
						})
					}
				}
			}
		}
		if hits == 0 {
			t.Errorf("%d: nothing is wrong in %v", n, x.rec)
		}
	}
	for o := range unproven {
		t.Errorf("%s does not turn red over %s, which the schemas leave to it", o.id, o.member)
	}
}

// TestSchemas: what nobody else judges is told once for each member, wherever it was
// sent, as long as it was sent in the revision that is judged.
func TestSchemas(t *testing.T) {
	const old = requirement.R20251125
	greeting := func(flag string) rt.Line {
		return hello("initialize", string(old),
			`{"protocolVersion":"2025-11-25","capabilities":{"prompts":{"listChanged":`+flag+
				`}},"serverInfo":{"name":"a","version":"1"}}`)
	}
	req, _ := area.Catalogue().Find("LIFE-13")
	k, _ := area.BuiltIn().Check("LIFE-13")
	probe := func(l rt.Line) rt.Line {
		l.Kind, l.Session = recording.Probe, "p"
		return l
	}
	const needed = `{"code":-32042,"message":"m"}`
	for name, c := range map[string]struct {
		clean, probes []rt.Line
		want          verdict.Outcome
		actual        string
		frames        int
	}{
		"sound": {clean: areatest.Lines(greeting("true")), want: verdict.Pass},
		"wrong": {areatest.Lines(greeting(`"true"`)), nil, verdict.Fail,
			`capabilities.prompts.listChanged is "true" in the answer to initialize`, 1},
		"often": {areatest.Lines(greeting("5"), greeting("5"), greeting("5"), greeting("5")), nil,
			verdict.Fail, "wrong in 4 messages in all", 3},
		"two members": {areatest.Lines(greeting("5"), areatest.Asked("r", "resources/read", "{}", needed)),
			nil, verdict.Fail, "(and 1 more)", 2},
		"a probe": {areatest.Lines(greeting("true")), areatest.Lines(probe(greeting("true")),
			probe(areatest.Asked("x", "x/y", "{}", needed))), verdict.Fail,
			"error.data is absent in the answer to x/y", 1},
		"only a probe": {nil, areatest.Lines(probe(greeting("true")),
			probe(areatest.Asked("x", "x/y", "{}", needed))), verdict.Fail,
			"error.data is absent in the answer to x/y", 1},
		"other revision": {areatest.Lines(greeting("true")),
			areatest.Lines(probe(hello("initialize", "2024-11-05",
				`{"protocolVersion":"2024-11-05","capabilities":{"prompts":{"listChanged":5}}}`)),
				probe(areatest.Asked("x", "x/y", "{}", needed))), verdict.Pass, "", 0},
		"a modern request": {areatest.Lines(greeting("true")), areatest.Lines(probe(greeting("true")),
			probe(areatest.Asked("x", "x/y",
				`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, needed))), verdict.Pass,
			"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			facts := areatest.Stdio(old, `{}`)
			recs := verdict.Recordings{}
			if c.clean != nil {
				recs[recording.Everything] = rt.New(recording.Everything, facts, c.clean...)
			}
			if c.probes != nil {
				recs[recording.InvalidMessages] = rt.New(recording.InvalidMessages, facts, c.probes...)
				for i := range recs[recording.InvalidMessages].Frames {
					recs[recording.InvalidMessages].Frames[i].Number += 1000
				}
				for _, x := range recs[recording.InvalidMessages].Exchanges {
					x.Request += 1000
				}
			}
			got := verdict.Evaluate(k, req, facts, recs)
			if got.Outcome != c.want || !strings.Contains(got.Actual, c.actual) ||
				len(got.Frames) != c.frames {
				t.Errorf("%+v", got)
			}
		})
	}
}

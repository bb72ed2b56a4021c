package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

const modernOne = requirement.R20260728

// oneURI is a walk of one page with a resource of that URI.
func oneURI(uri string) []rt.Line {
	return lines(page("1d", `{}`, `{"resources":[{"uri":"`+uri+`","name":"x"}]}`))
}

// taggedRead is a read with tags in pairs.
func taggedRead(step, params, result, err string, tags ...string) rt.Line {
	m := map[string]string{}
	for i := 0; i+1 < len(tags); i += 2 {
		m[tags[i]] = tags[i+1]
	}
	return rt.Line{Step: step, Method: "resources/read", Params: params, Result: result, Error: err, Tags: m}
}

const (
	noSuch  = `{"code":-32602,"message":"no"}`
	oneText = `{"contents":[{"uri":"a:1","text":"hello"}]}`
	nothing = `{"contents":[]}`
)

func TestListedURIs(t *testing.T) {
	walkRuns(t, recording.WalkResources, `{"resources":{}}`, []run{
		{"URI-01", Pass, oneURI("file:///a#b")},
		{"URI-01", Pass, oneURI("my_app:x")},
		{"URI-01", Fail, oneURI("")},
		{"URI-01", Fail, oneURI("/etc/motd")},
		{"URI-01", Fail, oneURI("users/me")},
		{"URI-02", Pass, oneURI("X-a.b+c:1")},
		{"URI-02", NotApplicable, oneURI("/etc/motd")},
		{"URI-02", Fail, oneURI("my_app://x")},
		{"URI-03", Pass, oneURI("file:///%c3%bc")},
		{"URI-03", Fail, oneURI("file:///my file.txt")},
		{"URI-03", Fail, oneURI("file:///100%.txt")},
		{"URI-03", Fail, oneURI("note://{id}")},
		{"URI-05", Pass, oneURI("file:///a")},
		{"URI-05", Pass, oneURI("http://[::1]:80/a")},
		{"URI-05", NotApplicable, oneURI("note:a")},
		{"URI-05", Fail, oneURI("db://host:port/x")},
		{"URI-05", Fail, oneURI("note:a[1]")},
	})
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"URI-06", Pass, lines(taggedRead("read", `{"uri":"a:1"}`, oneText, ""))},
		{"URI-06", Pass, lines(taggedRead("read", `{"uri":"a b"}`, `{"contents":[{"uri":"a b","text":""}]}`, ""))},
		{"URI-06", Fail, lines(taggedRead("read", `{"uri":"a:1"}`, `{"contents":[{"uri":"main.rs","text":""}]}`, ""))},
		{"URI-06", Fail, lines(rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"/tmp/x"}}`}})},
	})
}

func TestRequestedURIs(t *testing.T) {
	guess := taggedRead("guessed", `{"uri":"a:2"}`, "", noSuch)
	fatal := taggedRead("malformed", `{"uri":""}`, "", "")
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	teapot := taggedRead("malformed", `{"uri":""}`, "", "")
	teapot.Outcome, teapot.Status = recording.HTTPOnly, 418
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"URI-08", Pass, lines(taggedRead("malformed", `{"uri":""}`, "", noSuch))},
		{"URI-08", Pass, lines(teapot)},
		{"URI-08", NotApplicable, lines(taggedRead("malformed", `{"uri":""}`, oneText, "", "served", "yes"))},
		{"URI-08", Fail, lines(taggedRead("malformed", `{"uri":""}`, oneText, ""))},
		{"URI-08", Fail, lines(taggedRead("malformed", `{"uri":""}`, "", ""))},
		{"URI-08", Fail, lines(fatal)},
		{"URI-09", Pass, lines(guess, taggedRead("stranger", `{"uri":"x:1"}`, "", noSuch))},
		{"URI-09", Warn, lines(guess, taggedRead("stranger", `{"uri":"x:1"}`, oneText, ""))},
		{"URI-09", Pass, lines(taggedRead("guessed", `{"uri":"a:2"}`, oneText, ""), taggedRead("stranger", `{"uri":"x:1"}`, oneText, ""))},
		{"URI-09", NotApplicable, lines(guess, taggedRead("stranger", `{"uri":"x:1"}`, nothing, ""))},
	})
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"URI-08", Pass, lines(taggedRead("malformed", `{"uri":""}`, nothing, ""))},
	}, requirement.Legacy()...)
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"URI-08", Fail, lines(taggedRead("malformed", `{"uri":""}`, nothing, ""))},
	}, modernOne)
	subscription := func(result, err string, tags map[string]string) []rt.Line {
		return lines(rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":""}`, Result: result, Error: err, Tags: tags})
	}
	walkRuns(t, recording.URISubscriptions, `{"resources":{"subscribe":true}}`, []run{
		{"URI-14", Pass, subscription("", noSuch, map[string]string{"form": "empty"})},
		{"URI-14", Pass, subscription(`{}`, "", map[string]string{"form": "climbing", "accepted": "yes"})},
		{"URI-14", Warn, subscription(`{}`, "", map[string]string{"form": "empty", "accepted": "yes"})},
	})
}

func TestTraversal(t *testing.T) {
	const out = `{"contents":[{"uri":"file:///x","text":"the canary-1234 sings"}]}`
	const blob = `{"contents":[{"uri":"file:///x","blob":"Y2FuYXJ5LTEyMzQ="}]}`
	const passwd = `{"contents":[{"uri":"file:///x","text":"root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/bin/false\n"}]}`
	const asked = `{"uri":"file:///root/../x"}`
	walkRuns(t, recording.Traversal, `{"resources":{}}`, []run{
		{"URI-10", Pass, lines(taggedRead("dots", asked, "", noSuch, "marker", "canary-1234"))},
		{"URI-10", Pass, lines(taggedRead("dots", asked, oneText, "", "marker", "canary-1234"))},
		{"URI-10", Fail, lines(taggedRead("dots", asked, out, "", "marker", "canary-1234"))},
		{"URI-10", Fail, lines(taggedRead("dots", asked, blob, "", "marker", "canary-1234"))},
		{"URI-10", Warn, lines(taggedRead("dots", asked, passwd, ""))},
		{"URI-11", Fail, lines(taggedRead("encoded", asked, out, "", "marker", "canary-1234"))},
		{"URI-11", NotApplicable, lines(taggedRead("dots", asked, out, "", "marker", "canary-1234"))},
		{"URI-12", Fail, lines(taggedRead("template", asked, out, "", "marker", "canary-1234"))},
		{"URI-13", Fail, lines(taggedRead("trick", asked, out, "", "marker", "canary-1234", "form", "sibling"))},
		{"URI-13", Warn, lines(taggedRead("trick", asked, out, "", "marker", "canary-1234", "form", "link", "links", "followed"))},
		{"URI-13", Fail, lines(taggedRead("trick", asked, out, "", "marker", "canary-1234", "form", "link", "links", "forbidden"))},
	})
}

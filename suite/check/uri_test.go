package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

const modernRevision = requirement.R20260728

// listing is a walk of one page with a resource of that URI.
func listing(uri string) []rt.Line {
	return lines(page("1d", `{}`, `{"resources":[{"uri":"`+uri+`","name":"x"}]}`))
}

// readLine is a read with tags in pairs.
func readLine(step, params, result, err string, tags ...string) rt.Line {
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
		{"URI-01", Pass, listing("file:///a#b")},
		{"URI-01", Pass, listing("my_app:x")},
		{"URI-01", Fail, listing("")},
		{"URI-01", Fail, listing("/etc/motd")},
		{"URI-01", Fail, listing("users/me")},
		{"URI-02", Pass, listing("X-a.b+c:1")},
		{"URI-02", NotApplicable, listing("/etc/motd")},
		{"URI-02", Fail, listing("my_app://x")},
		{"URI-03", Pass, listing("file:///%c3%bc")},
		{"URI-03", Fail, listing("file:///my file.txt")},
		{"URI-03", Fail, listing("file:///100%.txt")},
		{"URI-03", Fail, listing("note://{id}")},
		{"URI-05", Pass, listing("file:///a")},
		{"URI-05", Pass, listing("http://[::1]:80/a")},
		{"URI-05", NotApplicable, listing("note:a")},
		{"URI-05", Fail, listing("db://host:port/x")},
		{"URI-05", Fail, listing("note:a[1]")},
	})
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"URI-06", Pass, lines(readLine("read", `{"uri":"a:1"}`, oneText, ""))},
		{"URI-06", Pass, lines(readLine("read", `{"uri":"a b"}`, `{"contents":[{"uri":"a b","text":""}]}`, ""))},
		{"URI-06", Fail, lines(readLine("read", `{"uri":"a:1"}`, `{"contents":[{"uri":"main.rs","text":""}]}`, ""))},
		{"URI-06", Fail, lines(rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"/tmp/x"}}`}})},
	})
}

func TestRequestedURIs(t *testing.T) {
	guess := readLine("guessed", `{"uri":"a:2"}`, "", noSuch)
	fatal := readLine("malformed", `{"uri":""}`, "", "")
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	teapot := readLine("malformed", `{"uri":""}`, "", "")
	teapot.Outcome, teapot.Status = recording.HTTPOnly, 418
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"URI-08", Pass, lines(readLine("malformed", `{"uri":""}`, "", noSuch))},
		{"URI-08", Pass, lines(teapot)},
		{"URI-08", NotApplicable, lines(readLine("malformed", `{"uri":""}`, oneText, "", "served", "yes"))},
		{"URI-08", Fail, lines(readLine("malformed", `{"uri":""}`, oneText, ""))},
		{"URI-08", Fail, lines(readLine("malformed", `{"uri":""}`, "", ""))},
		{"URI-08", Fail, lines(fatal)},
		{"URI-09", Pass, lines(guess, readLine("stranger", `{"uri":"x:1"}`, "", noSuch))},
		{"URI-09", Warn, lines(guess, readLine("stranger", `{"uri":"x:1"}`, oneText, ""))},
		{"URI-09", Pass, lines(readLine("guessed", `{"uri":"a:2"}`, oneText, ""), readLine("stranger", `{"uri":"x:1"}`, oneText, ""))},
		{"URI-09", NotApplicable, lines(guess, readLine("stranger", `{"uri":"x:1"}`, nothing, ""))},
	})
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"URI-08", Pass, lines(readLine("malformed", `{"uri":""}`, nothing, ""))},
	}, requirement.Legacy()...)
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"URI-08", Fail, lines(readLine("malformed", `{"uri":""}`, nothing, ""))},
	}, modernRevision)
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
		{"URI-10", Pass, lines(readLine("dots", asked, "", noSuch, "marker", "canary-1234"))},
		{"URI-10", Pass, lines(readLine("dots", asked, oneText, "", "marker", "canary-1234"))},
		{"URI-10", Fail, lines(readLine("dots", asked, out, "", "marker", "canary-1234"))},
		{"URI-10", Fail, lines(readLine("dots", asked, blob, "", "marker", "canary-1234"))},
		{"URI-10", Warn, lines(readLine("dots", asked, passwd, ""))},
		{"URI-11", Fail, lines(readLine("encoded", asked, out, "", "marker", "canary-1234"))},
		{"URI-11", NotApplicable, lines(readLine("dots", asked, out, "", "marker", "canary-1234"))},
		{"URI-12", Fail, lines(readLine("template", asked, out, "", "marker", "canary-1234"))},
		{"URI-13", Fail, lines(readLine("trick", asked, out, "", "marker", "canary-1234", "form", "sibling"))},
		{"URI-13", Warn, lines(readLine("trick", asked, out, "", "marker", "canary-1234", "form", "link", "links", "followed"))},
		{"URI-13", Fail, lines(readLine("trick", asked, out, "", "marker", "canary-1234", "form", "link", "links", "forbidden"))},
	})
}

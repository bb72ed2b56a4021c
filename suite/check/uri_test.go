package check

import (
	"strings"
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
	refused := taggedRead("malformed", `{"uri":""}`, "", noSuch)
	odd := func(result, err string) []rt.Line {
		return lines(refused, taggedRead("odd", `{"uri":"data:,x"}`, result, err))
	}
	lost := taggedRead("variant", `{"uri":"a:1x"}`, "", "")
	lost.Outcome, lost.Fatal = recording.Lost, true
	long := taggedRead("stranger", `{"uri":"x:1"}`, "", "")
	long.Outcome, long.Fatal = recording.Lost, true
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"URI-08", Pass, odd("", noSuch)},
		{"URI-08", Pass, odd(oneText, "")},
		{"URI-08", Pass, odd(`{"contents":[{"uri":"a:1","text":null,"blob":""}]}`, "")},
		{"URI-08", Fail, odd(`{"contents":null}`, "")},
		{"URI-08", Fail, odd(`{}`, "")},
		{"URI-08", Fail, odd(`{"contents":[{"uri":null,"text":""}]}`, "")},
		{"URI-08", Fail, odd(`{"contents":[{"uri":"a:1","text":{}}]}`, "")},
		{"URI-08", Fail, odd("", "")},
		{"URI-08", Fail, lines(refused, lost)},
		{"URI-09", Fail, lines(guess, long)},
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
	fatalTrick := taggedRead("trick", asked, "", "", "guessed", "yes")
	fatalTrick.Outcome, fatalTrick.Fatal = recording.Lost, true
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
		{"URI-13", Pass, lines(taggedRead("trick", asked, "", noSuch, "marker", "canary-1234"), taggedRead("system", asked, oneText, "", "marker", "canary-1234"))},
		{"URI-13", Warn, lines(taggedRead("system", asked, passwd, "", "marker", "canary-1234"))},
		{"URI-13", Fail, lines(fatalTrick)},
		{"URI-11", Fail, lines(taggedRead("encoded", asked, "", `{"code":-32603,"message":"cannot parse \"canary-1234\""}`, "marker", "canary-1234"))},
		// Where the root is guessed, only files of the system tell, and not where all of it is served.
		{"URI-10", NotApplicable, lines(taggedRead("dots", asked, oneText, "", "guessed", "yes"))},
		{"URI-10", Warn, lines(taggedRead("dots", asked, passwd, "", "guessed", "yes"), taggedRead("system", asked, "", noSuch, "guessed", "yes"))},
		{"URI-10", NotApplicable, lines(taggedRead("dots", asked, passwd, "", "guessed", "yes"), taggedRead("system", asked, passwd, "", "guessed", "yes"))},
		{"URI-13", NotApplicable, lines(taggedRead("trick", asked, passwd, "", "guessed", "yes"), taggedRead("system", asked, passwd, "", "guessed", "yes"))},
	})
}

// observations are those of a check on a recording, in one revision; recs are further
// recordings that it looks at.
func observations(t *testing.T, id string, name recording.Name, rec []rt.Line, recs ...*recording.Recording) map[string]string {
	t.Helper()
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, `{"resources":{}}`)
	req, known := requirement.Find(id)
	k, ok := Find(id)
	if !known || !ok {
		t.Fatalf("%s has no check", id)
	}
	all := Recordings{name: rt.New(name, facts, rec...)}
	for _, r := range recs {
		all[r.Scenario] = r
	}
	found := map[string]string{}
	for _, o := range Evaluate(k, req, facts, all).Observations {
		if found[o.ID] != "" {
			t.Errorf("%s is told twice", o.ID)
		}
		if len(o.Frames) == 0 {
			t.Errorf("%s has no evidence", o.ID)
		}
		found[o.ID] = o.Detail
	}
	return found
}

// observed checks that there is one observation, and what it says.
func observed(t *testing.T, got map[string]string, id string, parts ...string) {
	t.Helper()
	if id == "" {
		if len(got) > 0 {
			t.Errorf("observed: %v", got)
		}
		return
	}
	if len(got) != 1 || got[id] == "" {
		t.Errorf("observed: %v instead of %s", got, id)
	}
	for _, part := range parts {
		if !strings.Contains(got[id], part) {
			t.Errorf("%s: %q does not contain %q", id, got[id], part)
		}
	}
}

func TestOtherSpellings(t *testing.T) {
	exact := taggedRead("exact", `{"uri":"file:///a/b"}`, oneText, "")
	variant := func(matching, uri, result string) rt.Line {
		err := ""
		if result == "" {
			err = noSuch
		}
		return taggedRead("variant", `{"uri":"`+uri+`"}`, result, err, "matching", matching)
	}
	see := func(rec ...rt.Line) map[string]string {
		return observations(t, "URI-08", recording.MalformedReads, rec)
	}
	guess := taggedRead("guessed", `{"uri":"file:///a/c"}`, "", noSuch)
	observed(t, see(guess, exact, variant("case", "file:///A/B", oneText), variant("case", "file:///a/B", oneText)), "uri-case-insensitive", "2 in other letters", "file:///a/B")
	observed(t, see(guess, exact, variant("prefix", "file:///a/b%00", oneText)), "uri-prefix-match", "1 longer or shorter", "file:///a/b%00")
	observed(t, see(guess, exact, variant("loose", "file:///a/b?x", oneText)), "uri-loose-match")
	observed(t, see(guess, exact, variant("", "FILE:///a/b", oneText)), "")
	observed(t, see(guess, exact, variant("case", "file:///a/B", nothing)), "")
	observed(t, see(guess, exact, variant("case", "file:///a/B", `{"contents":[{"uri":"a:1","text":"other"}]}`)), "")
	observed(t, see(guess, exact, variant("case", "file:///a/B", "")), "")
	everything := taggedRead("guessed", `{"uri":"file:///a/c"}`, oneText, "")
	observed(t, see(everything, exact, variant("case", "file:///a/B", oneText)), "")
}

func TestSystemFiles(t *testing.T) {
	const passwd = `{"contents":[{"uri":"file:///x","text":"root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/bin/false\n"}]}`
	system := taggedRead("system", `{"uri":"file:///etc/passwd"}`, passwd, "", "guessed", "yes")
	dots := taggedRead("dots", `{"uri":"file:///a/../etc/passwd"}`, passwd, "", "guessed", "yes")
	observed(t, observations(t, "URI-13", recording.Traversal, lines(dots, system)), "system-file", "2 files", "subjects.roots")
	observed(t, observations(t, "URI-13", recording.Traversal, lines(dots)), "")
	configured := taggedRead("system", `{"uri":"file:///etc/passwd"}`, passwd, "")
	observed(t, observations(t, "URI-13", recording.Traversal, lines(configured)), "")
}

// Several of a kind are one observation, with a count.
func TestCounted(t *testing.T) {
	guess := func(n string) rt.Line { return taggedRead("guessed", `{"uri":"a:`+n+`"}`, oneText, "") }
	stranger := func(n string) rt.Line { return taggedRead("stranger", `{"uri":"x:`+n+`"}`, oneText, "") }
	observed(t, observations(t, "ERR-01", recording.MissingReads, lines(guess("1"), guess("2"))), "catch-all-read", "2 made-up")
	observed(t, observations(t, "URI-09", recording.MalformedReads, lines(guess("1"), stranger("1"), stranger("2"), stranger("3"))), "catch-all-read", "3 of a made-up scheme")
	told := `{"code":-32603,"message":"ENOENT: /home/ci/app/x"}`
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, `{"resources":{}}`)
	elsewhere := rt.New(recording.MissingReads, facts, taggedRead("guessed", `{"uri":"a:2"}`, "", told))
	observed(t, observations(t, "URI-08", recording.MalformedReads, lines(taggedRead("malformed", `{"uri":""}`, "", told)), elsewhere), "leaked-path", "2 errors", "/home/ci/app/x")
}

// A pass that rests on a part of the corpus says so.
func TestCorpusCutShort(t *testing.T) {
	c := requirement.Combination{Revision: modernOne, Transport: requirement.Stdio}
	facts := rt.Facts(c, `{"resources":{}}`)
	const sentence = "judged on a sample: 32 of 150 reads were tried, since the target is slow"
	for _, x := range []struct {
		id          string
		name        recording.Name
		rec         []rt.Line
		want        Outcome
		reason      string
		observation bool
	}{
		{"URI-08", recording.MalformedReads, lines(taggedRead("malformed", `{"uri":""}`, "", noSuch)), Pass, sentence, true},
		{"URI-10", recording.Traversal, lines(taggedRead("dots", `{"uri":"a:../x"}`, "", noSuch, "root", "a:", "marker", "canary")), Pass, sentence, true},
		{"URI-08", recording.MalformedReads, lines(taggedRead("malformed", `{"uri":""}`, oneText, "")), Fail, "", false},
		{"URI-11", recording.Traversal, lines(taggedRead("dots", `{"uri":"a:../x"}`, "", noSuch, "root", "a:", "marker", "canary")), NotApplicable, "", false},
	} {
		req, _ := requirement.Find(x.id)
		k, _ := Find(x.id)
		rec := rt.New(x.name, facts, x.rec...)
		whole := Evaluate(k, req, facts, Recordings{x.name: rec})
		rec.Cut = &recording.Cut{Tried: 32, Of: 150, Reason: "the target is slow"}
		got := Evaluate(k, req, facts, Recordings{x.name: rec})
		if got.Outcome != x.want || x.reason != "" && got.Reason != x.reason || whole.Outcome == Pass && whole.Reason != "" {
			t.Errorf("%s: %s (%s), without a cut %s (%s)", x.id, got.Outcome, got.Reason, whole.Outcome, whole.Reason)
		}
		if has := len(got.Observations) > len(whole.Observations); has != x.observation {
			t.Errorf("%s: %v", x.id, got.Observations)
		}
		if x.observation {
			o := got.Observations[len(got.Observations)-1]
			if o.ID != "corpus-cut-short" || o.Detail != sentence || len(o.Frames) == 0 {
				t.Errorf("%s: %+v", x.id, o)
			}
		}
	}
}

package uri_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// oneURI is a walk of one page with a resource of that URI.
func oneURI(uri string) []rt.Line {
	return areatest.Lines(areatest.Page("1d", `{}`, `{"resources":[{"uri":"`+uri+`","name":"x"}]}`))
}

// TestTemplateAmongResources: who lists a URI template as a resource is not told to escape its braces.
func TestTemplateAmongResources(t *testing.T) {
	for uri, want := range map[string]string{"note://{id}": "resources/templates/list",
		"note://a}b{": "percent-encode", "note://a b": "percent-encode"} {
		facts := areatest.Stdio(requirement.R20251125, `{"resources":{}}`)
		rec := rt.New(recording.WalkResources, facts, oneURI(uri)...)
		if got := areatest.Judge("URI-03", rec); got.Outcome != verdict.Fail ||
			!strings.Contains(got.Hint, want) {
			t.Errorf("%s: %s: %s", uri, got.Outcome, got.Hint)
		}
	}
}

func TestListedURIs(t *testing.T) {
	areatest.WalkRuns(t, recording.WalkResources, `{"resources":{}}`,
		areatest.Pass("URI-01", oneURI("file:///a#b")...),
		areatest.Pass("URI-01", oneURI("my_app:x")...),
		areatest.Fail("URI-01", oneURI("")...),
		areatest.Fail("URI-01", oneURI("/etc/motd")...),
		areatest.Fail("URI-01", oneURI("users/me")...),
		areatest.Pass("URI-02", oneURI("X-a.b+c:1")...),
		areatest.NotApplicable("URI-02", oneURI("/etc/motd")...),
		areatest.Fail("URI-02", oneURI("my_app://x")...),
		areatest.Pass("URI-03", oneURI("file:///%c3%bc")...),
		areatest.Fail("URI-03", oneURI("file:///my file.txt")...),
		areatest.Fail("URI-03", oneURI("file:///100%.txt")...),
		areatest.Fail("URI-03", oneURI("note://{id}")...),
		areatest.Pass("URI-05", oneURI("file:///a")...),
		areatest.Pass("URI-05", oneURI("http://[::1]:80/a")...),
		areatest.NotApplicable("URI-05", oneURI("note:a")...),
		areatest.Fail("URI-05", oneURI("db://host:port/x")...),
		areatest.Fail("URI-05", oneURI("note:a[1]")...),
	)
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Pass("URI-06", areatest.TaggedRead("read", `{"uri":"a:1"}`, areatest.OneText, "")),
		areatest.Pass("URI-06",
			areatest.TaggedRead("read", `{"uri":"a b"}`, `{"contents":[{"uri":"a b","text":""}]}`, "")),
		areatest.Fail("URI-06",
			areatest.TaggedRead("read", `{"uri":"a:1"}`, `{"contents":[{"uri":"main.rs","text":""}]}`, "")),
		areatest.Fail("URI-06",
			rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
				`"params":{"uri":"/tmp/x"}}`}}),
	)
}

func TestRequestedURIs(t *testing.T) {
	guess := areatest.TaggedRead("guessed", `{"uri":"a:2"}`, "", areatest.NoSuch)
	fatal := areatest.TaggedRead("malformed", `{"uri":""}`, "", "")
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	teapot := areatest.TaggedRead("malformed", `{"uri":""}`, "", "")
	teapot.Outcome, teapot.Status = recording.HTTPOnly, 418
	areatest.WalkRuns(t, recording.MalformedReads, `{"resources":{}}`,
		areatest.Pass("URI-08", areatest.TaggedRead("malformed", `{"uri":""}`, "", areatest.NoSuch)),
		areatest.Pass("URI-08", teapot),
		areatest.NotApplicable("URI-08",
			areatest.TaggedRead("malformed", `{"uri":""}`, areatest.OneText, "", "served", "yes")),
		areatest.Fail("URI-08", areatest.TaggedRead("malformed", `{"uri":""}`, areatest.OneText, "")),
		areatest.Fail("URI-08", areatest.TaggedRead("malformed", `{"uri":""}`, "", "")),
		areatest.Fail("URI-08", fatal),
		areatest.Pass("URI-09", guess, areatest.TaggedRead("stranger", `{"uri":"x:1"}`, "", areatest.NoSuch)),
		areatest.Warn("URI-09", guess,
			areatest.TaggedRead("stranger", `{"uri":"x:1"}`, areatest.OneText, "")),
		areatest.Pass("URI-09", areatest.TaggedRead("guessed", `{"uri":"a:2"}`, areatest.OneText, ""),
			areatest.TaggedRead("stranger", `{"uri":"x:1"}`, areatest.OneText, "")),
		areatest.NotApplicable("URI-09", guess,
			areatest.TaggedRead("stranger", `{"uri":"x:1"}`, areatest.Nothing, "")),
	)
	refused := areatest.TaggedRead("malformed", `{"uri":""}`, "", areatest.NoSuch)
	odd := func(result, err string) []rt.Line {
		return areatest.Lines(refused, areatest.TaggedRead("odd", `{"uri":"data:,x"}`, result, err))
	}
	lost := areatest.TaggedRead("variant", `{"uri":"a:1x"}`, "", "")
	lost.Outcome, lost.Fatal = recording.Lost, true
	long := areatest.TaggedRead("stranger", `{"uri":"x:1"}`, "", "")
	long.Outcome, long.Fatal = recording.Lost, true
	areatest.WalkRuns(t, recording.MalformedReads, `{"resources":{}}`,
		areatest.Pass("URI-08", odd("", areatest.NoSuch)...),
		areatest.Pass("URI-08", odd(areatest.OneText, "")...),
		areatest.Pass("URI-08", odd(`{"contents":[{"uri":"a:1","text":null,"blob":""}]}`, "")...),
		areatest.Fail("URI-08", odd(`{"contents":null}`, "")...),
		areatest.Fail("URI-08", odd(`{}`, "")...),
		areatest.Fail("URI-08", odd(`{"contents":[{"uri":null,"text":""}]}`, "")...),
		areatest.Fail("URI-08", odd(`{"contents":[{"uri":"a:1","text":{}}]}`, "")...),
		areatest.Fail("URI-08", odd("", "")...),
		areatest.Fail("URI-08", refused, lost),
		areatest.Fail("URI-09", guess, long),
	)
	areatest.WalkRunsIn(t, recording.MalformedReads, `{"resources":{}}`, []areatest.Run{
		areatest.Pass("URI-08", areatest.TaggedRead("malformed", `{"uri":""}`, areatest.Nothing, "")),
	}, requirement.Legacy()...)
	areatest.WalkRunsIn(t, recording.MalformedReads, `{"resources":{}}`, []areatest.Run{
		areatest.Fail("URI-08", areatest.TaggedRead("malformed", `{"uri":""}`, areatest.Nothing, "")),
	}, areatest.ModernOne)
	subscription := func(result, err string, tags recording.Tags) []rt.Line {
		return areatest.Lines(rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":""}`,
			Result: result, Error: err, Tags: tags})
	}
	areatest.WalkRuns(t, recording.URISubscriptions, `{"resources":{"subscribe":true}}`,
		areatest.Pass("URI-14", subscription("", areatest.NoSuch, recording.Tags{"form": "empty"})...),
		areatest.Pass("URI-14",
			subscription(`{}`, "", recording.Tags{"form": "climbing", "accepted": "yes"})...),
		areatest.Warn("URI-14",
			subscription(`{}`, "", recording.Tags{"form": "empty", "accepted": "yes"})...),
	)
}

// TestAcknowledgmentIsShown: what grants a subscription is in the evidence, also where it is a notification.
func TestAcknowledgmentIsShown(t *testing.T) {
	facts := areatest.Stdio(areatest.ModernOne, `{"resources":{"subscribe":true}}`)
	rec := rt.New(recording.URISubscriptions, facts,
		rt.Line{Step: "subscribe", Method: "subscriptions/listen", Outcome: recording.Sent,
			Tags: recording.Tags{"form": "empty", "accepted": "yes"},
			Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
				`"params":{"notifications":{"resourceSubscriptions":[""]}}}`}})
	ack := rec.Frames[len(rec.Frames)-1].Number
	rec.Exchanges[0].Tags["ack"] = strconv.Itoa(ack)
	if got := areatest.Judge("URI-14", rec); got.Outcome != verdict.Warn ||
		!slices.Contains(got.Frames, ack) {
		t.Errorf("%s with the frames %d, without %d", got.Outcome, got.Frames, ack)
	}
}

// TestForbidden: HTTP 403 to a way out is a refusal of it where other reads are served, and else may be about
// credentials.
func TestForbidden(t *testing.T) {
	facts := areatest.HTTP(requirement.R20260728, `{"resources":{}}`)
	read := func(step recording.Step, uri string, status int, result string, tags ...string) rt.Line {
		l := areatest.TaggedRead(step, `{"uri":"`+uri+`"}`, result, "", tags...)
		if l.Status = status; result == "" {
			l.Outcome = recording.HTTPOnly
		}
		return l
	}
	dots := read("dots", "file:///r/../x", 403, "", "root", "file:///r", "marker", "canary-1")
	malformed := read("malformed", "no uri", 403, "")
	for listed, want := range map[*rt.Line]verdict.Outcome{
		new(read("read", "file:///r/a", 200, areatest.OneText)): verdict.Pass,
		new(read("read", "file:///r/a", 403, "")):               verdict.NotApplicable,
	} {
		for id, rec := range map[string]*recording.Recording{
			"URI-10": rt.New(recording.Traversal, facts, areatest.Lines(dots)...),
			"URI-08": rt.New(recording.MalformedReads, facts, areatest.Lines(malformed)...),
		} {
			areatest.Due(t, id, rec.Scenario, want, rec, rt.New(recording.Reads, facts, *listed))
		}
	}
}

func TestTraversal(t *testing.T) {
	const out = `{"contents":[{"uri":"file:///x","text":"the canary-1234 sings"}]}`
	const blob = `{"contents":[{"uri":"file:///x","blob":"Y2FuYXJ5LTEyMzQ="}]}`
	const passwd = `{"contents":[{"uri":"file:///x","text":"root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/` +
		`bin:/bin/false\n"}]}`
	const asked = `{"uri":"file:///root/../x"}`
	fatalTrick := areatest.TaggedRead("trick", asked, "", "", "guessed", "yes")
	fatalTrick.Outcome, fatalTrick.Fatal = recording.Lost, true
	areatest.WalkRuns(t, recording.Traversal, `{"resources":{}}`,
		areatest.Pass("URI-10",
			areatest.TaggedRead("dots", asked, "", areatest.NoSuch, "marker", "canary-1234")),
		areatest.Pass("URI-10",
			areatest.TaggedRead("dots", asked, areatest.OneText, "", "marker", "canary-1234")),
		areatest.Fail("URI-10", areatest.TaggedRead("dots", asked, out, "", "marker", "canary-1234")),
		areatest.Fail("URI-10", areatest.TaggedRead("dots", asked, blob, "", "marker", "canary-1234")),
		areatest.Fail("URI-10", areatest.TaggedRead("dots", asked, passwd, "")),
		areatest.Blocked("URI-10", rt.Line{Step: "dots", Method: "resources/read", Params: asked,
			Outcome: recording.Silent, Tags: areatest.Pairs("marker", "canary-1234")}),
		areatest.Fail("URI-11", areatest.TaggedRead("encoded", asked, out, "", "marker", "canary-1234")),
		areatest.NotApplicable("URI-11",
			areatest.TaggedRead("dots", asked, out, "", "marker", "canary-1234")),
		areatest.Fail("URI-12", areatest.TaggedRead("template", asked, out, "", "marker", "canary-1234")),
		areatest.Fail("URI-13",
			areatest.TaggedRead("trick", asked, out, "", "marker", "canary-1234", "form", "sibling")),
		areatest.Warn("URI-13", areatest.TaggedRead("trick", asked, out, "", "marker", "canary-1234",
			"form", "link", "links", "followed")),
		areatest.Fail("URI-13", areatest.TaggedRead("trick", asked, out, "", "marker", "canary-1234",
			"form", "link", "links", "forbidden")),
		areatest.Pass("URI-13",
			areatest.TaggedRead("trick", asked, "", areatest.NoSuch, "marker", "canary-1234"),
			areatest.TaggedRead("system", asked, areatest.OneText, "", "marker", "canary-1234")),
		areatest.Fail("URI-13", areatest.TaggedRead("system", asked, passwd, "", "marker", "canary-1234")),
		areatest.Fail("URI-13", fatalTrick),
		areatest.Fail("URI-11", areatest.TaggedRead("encoded", asked, "",
			`{"code":-32603,"message":"cannot parse \"canary-1234\""}`, "marker", "canary-1234")),
		// A root that is not served at all keeps nothing in.
		areatest.NotApplicable("URI-10", areatest.TaggedRead("dots", asked, "", areatest.NoSuch, "marker",
			"canary-1234", "unserved", "yes")),
		areatest.Fail("URI-10",
			areatest.TaggedRead("dots", asked, out, "", "marker", "canary-1234", "unserved", "yes")),
		areatest.Pass("URI-10", areatest.TaggedRead("dots", asked, areatest.OneText, "", "marker",
			"canary-1234", "unserved", "yes")),
		// Where the root is guessed, only files of the system tell, and not where all of it is served.
		areatest.NotApplicable("URI-10",
			areatest.TaggedRead("dots", asked, areatest.OneText, "", "guessed", "yes")),
		areatest.Fail("URI-10", areatest.TaggedRead("dots", asked, passwd, "", "guessed", "yes"),
			areatest.TaggedRead("system", asked, "", areatest.NoSuch, "guessed", "yes")),
		areatest.NotApplicable("URI-10", areatest.TaggedRead("dots", asked, passwd, "", "guessed", "yes"),
			areatest.TaggedRead("system", asked, passwd, "", "guessed", "yes")),
		areatest.Fail("URI-13", areatest.TaggedRead("trick", asked, passwd, "", "guessed", "yes"),
			areatest.TaggedRead("system", asked, passwd, "", "guessed", "yes")),
		areatest.NotApplicable("URI-13", areatest.TaggedRead("trick", asked, passwd, "", "guessed", "yes"),
			areatest.TaggedRead("system", asked, passwd, "", "guessed", "yes", "served", "yes")),
	)
}

// Where the root is guessed, the reason says what was tried and what would have it judged.
func TestGuessedRoot(t *testing.T) {
	const passwd = `{"contents":[{"uri":"file:///x","text":"root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/` +
		`bin:/bin/false\n"}]}`
	const asked = `{"uri":"notes:///../x"}`
	facts := areatest.Stdio(areatest.ModernOne, `{"resources":{}}`)
	read := func(step recording.Step, result string, tags ...string) rt.Line {
		refused := ""
		if result == "" {
			refused = areatest.NoSuch
		}
		return areatest.TaggedRead(step, asked, result, refused, append(tags, "guessed", "yes")...)
	}
	for name, x := range map[string]struct {
		id   string
		rec  []rt.Line
		code recording.Code
		want string
	}{
		"nothing leaked": {"URI-12", areatest.Lines(read("template", ""), read("template", areatest.OneText)),
			recording.CodeNeedsConfig, "tried, which proves nothing yet: name the root and a canary"},
		"plain name too": {"URI-12", areatest.Lines(read("template", passwd), read("system", passwd)),
			recording.CodeNotExercised, "judged under URI-13: "},
		"offered": {"URI-12", areatest.Lines(read("template", passwd),
			read("system", passwd, "served", "yes")), recording.CodeNeedsConfig,
			"name the root and a canary"},
		"only dots": {"URI-12", areatest.Lines(read("dots", "")), recording.CodeNeedsConfig,
			"the target file has to give"},
		"leaked": {"URI-12", areatest.Lines(read("template", passwd)), "",
			"once mended this becomes not applicable"},
	} {
		got := areatest.Judge(x.id, rt.New(recording.Traversal, facts, x.rec...))
		if got.Code != x.code || !strings.Contains(got.Reason+got.Hint, x.want) {
			t.Errorf("%s: %s, %s: %s %s", name, got.Outcome, got.Code, got.Reason, got.Hint)
		}
	}
}

// TestWayOutByTemplate: what a template lets out is reported once, whichever ways were tried besides, unless
// they have nothing to do with it.
func TestWayOutByTemplate(t *testing.T) {
	leak := `{"contents":[{"uri":"a:x","text":"canary"}]}`
	facts := areatest.Stdio(requirement.R20251125, `{"resources":{}}`)
	read := func(step recording.Step, uri string, tags ...string) rt.Line {
		return areatest.TaggedRead(step, `{"uri":"`+uri+`"}`, leak, "", append(tags, "root", "a:", "marker",
			"canary")...)
	}
	for id, direct := range map[string]rt.Line{
		"URI-10": read("dots", "docs:///in/../out"), "URI-11": read("encoded", "docs:///in/..%2fout"),
		"URI-13": read("trick", "docs:///in/....//out"),
	} {
		for want, by := range map[verdict.Outcome]rt.Line{
			verdict.NotApplicable: read("template", "docs:///../out", "template", "docs:///{+path}"),
			verdict.Fail:          read("template", "logs:///../out", "template", "logs:///{+path}"),
		} {
			got := areatest.Judge(id, rt.New(recording.Traversal, facts, by, direct))
			if got.Outcome != want || want != verdict.Fail &&
				!strings.Contains(got.Reason, "judged under URI-12") {
				t.Errorf("%s: %s (%s), want %s", id, got.Outcome, got.Reason, want)
			}
		}
		link := read("template", "docs:///sub/link", "template", "docs:///{+path}", "form", "link", "links",
			"followed")
		if got := areatest.Judge(id, rt.New(recording.Traversal, facts, link,
			direct)); got.Outcome != verdict.Fail {
			t.Errorf("%s beside a link that is followed: %s", id, got.Outcome)
		}
	}
}

// TestWaysOutOfOneKind: what is mended in one place has one cause, whatever requirement it breaks.
func TestWaysOutOfOneKind(t *testing.T) {
	leak := `{"contents":[{"uri":"a:x","text":"canary"}]}`
	facts := areatest.Stdio(requirement.R20251125, `{"resources":{}}`)
	read := func(step recording.Step, root string, tags ...string) rt.Line {
		return areatest.TaggedRead(step, `{"uri":"a:x"}`, leak, "", append(tags, "root", root, "marker",
			"canary")...)
	}
	for _, x := range []struct {
		id, want string
		rec      rt.Line
	}{
		{"URI-10", "nothing-from-outside-of-root-1-by-its-path", read("dots", "a:")},
		{"URI-11", "nothing-from-outside-of-root-1-by-its-path", read("encoded", "a:")},
		{"URI-11", "nothing-from-outside-of-root-2-by-its-path", read("encoded", "b:")},
		{"URI-12", "nothing-from-outside-of-root-1-by-its-path", read("template", "a:")},
		{"URI-13", "nothing-from-outside-of-root-1-by-its-path", read("trick", "a:", "form", "sibling")},
		{"URI-13", "nothing-from-outside-of-root-1-by-a-link", read("trick", "a:", "form", "link", "links",
			"forbidden")},
		{"URI-13", "nothing-from-outside-of-root-2-a-file-of-the-system", read("system", "b:")},
	} {
		first := areatest.TaggedRead("other", `{"uri":"a:x"}`, "", areatest.NoSuch, "root", "a:")
		got := areatest.Judge(x.id, rt.New(recording.Traversal, facts, first, x.rec))
		if got.Cause != x.want || !got.SharedCause {
			t.Errorf("%s: the cause is %s, want %s", x.id, got.Cause, x.want)
		}
	}
}

func TestOtherSpellings(t *testing.T) {
	exact := areatest.TaggedRead("exact", `{"uri":"file:///a/b"}`, areatest.OneText, "")
	variant := func(matching, uri, result string) rt.Line {
		err := ""
		if result == "" {
			err = areatest.NoSuch
		}
		return areatest.TaggedRead("variant", `{"uri":"`+uri+`"}`, result, err, "matching", matching)
	}
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "URI-08", recording.MalformedReads, rec)
	}
	guess := areatest.TaggedRead("guessed", `{"uri":"file:///a/c"}`, "", areatest.NoSuch)
	areatest.Observed(t, see(guess, exact, variant("case", "file:///A/B", areatest.OneText),
		variant("case", "file:///a/B", areatest.OneText)), "uri-case-insensitive", "2 in other letters",
		"file:///a/B")
	areatest.Observed(t, see(guess, exact, variant("prefix", "file:///a/b%00", areatest.OneText)),
		"uri-prefix-match", "1 longer or shorter", "file:///a/b%00")
	areatest.Observed(t, see(guess, exact, variant("loose", "file:///a/b?x", areatest.OneText)),
		"uri-loose-match")
	areatest.Observed(t, see(guess, exact, variant("", "FILE:///a/b", areatest.OneText)), "")
	areatest.Observed(t, see(guess, exact, variant("case", "file:///a/B", areatest.Nothing)), "")
	areatest.Observed(t,
		see(guess, exact, variant("case", "file:///a/B", `{"contents":[{"uri":"a:1","text":"other"}]}`)), "")
	areatest.Observed(t, see(guess, exact, variant("case", "file:///a/B", "")), "")
	everything := areatest.TaggedRead("guessed", `{"uri":"file:///a/c"}`, areatest.OneText, "")
	areatest.Observed(t, see(everything, exact, variant("case", "file:///a/B", areatest.OneText)), "")
}

func TestSystemFiles(t *testing.T) {
	const passwd = `{"contents":[{"uri":"file:///x","text":"root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/` +
		`bin:/bin/false\n"}]}`
	system := areatest.TaggedRead("system", `{"uri":"file:///etc/passwd"}`, passwd, "", "guessed", "yes",
		"served", "yes")
	dots := areatest.TaggedRead("dots", `{"uri":"file:///a/../etc/passwd"}`, passwd, "", "guessed", "yes")
	areatest.Observed(t, areatest.Observations(t, "URI-13", recording.Traversal,
		areatest.Lines(dots, system)), "system-file", "1 file of the system can", "subjects.roots")
	areatest.Observed(t, areatest.Observations(t, "URI-13", recording.Traversal, areatest.Lines(dots)), "")
	configured := areatest.TaggedRead("system", `{"uri":"file:///etc/passwd"}`, passwd, "")
	areatest.Observed(t, areatest.Observations(t, "URI-13", recording.Traversal, areatest.Lines(configured)),
		"")
}

// Several of a kind are one observation, with a count.
func TestCounted(t *testing.T) {
	guess := func(n string) rt.Line {
		return areatest.TaggedRead("guessed", `{"uri":"a:`+n+`"}`, areatest.OneText, "")
	}
	stranger := func(n string) rt.Line {
		return areatest.TaggedRead("stranger", `{"uri":"x:`+n+`"}`, areatest.OneText, "")
	}
	areatest.Observed(t, areatest.Observations(t, "ERR-01", recording.MissingReads,
		areatest.Lines(guess("1"), guess("2"))), "catch-all-read", "2 made-up")
	areatest.Observed(t, areatest.Observations(t, "URI-09", recording.MalformedReads,
		areatest.Lines(guess("1"), stranger("1"), stranger("2"), stranger("3"))), "catch-all-read",
		"3 of a made-up scheme")
	told := `{"code":-32603,"message":"ENOENT: /home/ci/app/x"}`
	facts := areatest.Stdio(requirement.R20251125, `{"resources":{}}`)
	elsewhere := rt.New(recording.MissingReads, facts, areatest.TaggedRead("guessed", `{"uri":"a:2"}`, "",
		told))
	areatest.Observed(t, areatest.Observations(t, "URI-08", recording.MalformedReads,
		areatest.Lines(areatest.TaggedRead("malformed", `{"uri":""}`, "", told)), elsewhere), "leaked-path",
		"2 errors", `: "/home/ci/app/x" in the answer to resources/read (2 times)`)
}

// A pass that rests on a part of the corpus says so.
func TestCorpusCutShort(t *testing.T) {
	c := requirement.Combination{Revision: areatest.ModernOne, Transport: requirement.Stdio}
	facts := rt.Facts(c, `{"resources":{}}`)
	const sentence = "judged on a sample: 32 of 150 reads were tried, since the target is slow"
	for _, x := range []struct {
		id          string
		name        recording.Name
		rec         []rt.Line
		want        verdict.Outcome
		reason      string
		observation bool
	}{
		{"URI-08", recording.MalformedReads, areatest.Lines(areatest.TaggedRead("malformed", `{"uri":""}`, "",
			areatest.NoSuch)), verdict.Pass, sentence, true},
		{"URI-10", recording.Traversal, areatest.Lines(areatest.TaggedRead("dots", `{"uri":"a:../x"}`, "",
			areatest.NoSuch, "root", "a:", "marker", "canary")), verdict.Pass, sentence, true},
		{"URI-08", recording.MalformedReads,
			areatest.Lines(areatest.TaggedRead("malformed", `{"uri":""}`, areatest.OneText, "")),
			verdict.Fail, "", false},
		{"URI-11", recording.Traversal, areatest.Lines(areatest.TaggedRead("dots", `{"uri":"a:../x"}`, "",
			areatest.NoSuch, "root", "a:", "marker", "canary")), verdict.NotApplicable, "", false},
	} {
		rec := rt.New(x.name, facts, x.rec...)
		whole := areatest.Judge(x.id, rec)
		rec.Cut = &recording.Cut{Tried: 32, Of: 150, Reason: "the target is slow"}
		got := areatest.Judge(x.id, rec)
		if got.Outcome != x.want || x.reason != "" && got.Reason != x.reason ||
			whole.Outcome == verdict.Pass && whole.Reason != "" {
			t.Errorf("%s: %s (%s), without a cut %s (%s)", x.id, got.Outcome, got.Reason, whole.Outcome,
				whole.Reason)
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

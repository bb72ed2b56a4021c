package verdict_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// TestDescribe: each outcome makes a sentence together with what was asked.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		x    recording.Exchange
		raw  string
		want string
	}{
		{recording.Exchange{Outcome: recording.Replied}, `{"error":{"code":-32602,"message":"no"}}`,
			`error -32602 ("no") to a ping`},
		{recording.Exchange{Outcome: recording.Replied, Status: 400},
			`{"error":{"code":-32602,"message":"no"}}`, `error -32602 with HTTP 400 ("no") to a ping`},
		{recording.Exchange{Outcome: recording.Replied}, `{"error":{"code":-32602}}`,
			`error -32602 without a message to a ping`},
		{recording.Exchange{Outcome: recording.Replied}, `{"error":"no"}`,
			`an error that is no object ("no") to a ping`},
		{recording.Exchange{Outcome: recording.Replied}, `{"error":{"message":"no"}}`,
			`an error without a code ("no") to a ping`},
		{recording.Exchange{Outcome: recording.Replied, Status: 200}, `{"result":{"_meta":{"a":1},"b":2}}`,
			`a result ({"b":2}) to a ping`},
		{recording.Exchange{Outcome: recording.Replied, Status: 200},
			`{"error":{"code":-32602,"message":"no"}}`, `error -32602 with HTTP 200 ("no") to a ping`},
		{recording.Exchange{Outcome: recording.Replied}, `{"id":1}`,
			`a reply without result and error ({"id":1}) to a ping`},
		{recording.Exchange{Outcome: recording.HTTPOnly, Status: 500, Reason: "HTTP 500"}, "",
			"HTTP 500 without a JSON-RPC response to a ping"},
		{recording.Exchange{Outcome: recording.HTTPOnly, Reason: "the body is no JSON"}, "",
			"no answer (the body is no JSON) to a ping"},
		{recording.Exchange{Outcome: recording.Silent, Reason: "no answer within 2s"}, "",
			"silence for 2s to a ping"},
		{recording.Exchange{Outcome: recording.Silent,
			Reason: "no answer, although a later request was answered"}, "",
			"silence (a later request was answered) to a ping"},
		{recording.Exchange{Outcome: recording.Silent}, "", "silence to a ping"},
		{recording.Exchange{Outcome: recording.Lost, Reason: "the process ended: exit status 1"}, "",
			"no answer but a lost connection (the process ended: exit status 1) to a ping"},
		{recording.Exchange{Outcome: recording.Unsent, Reason: "broken pipe"}, "",
			"no answer: it could not be sent (broken pipe) to a ping"},
		{recording.Exchange{Outcome: recording.Sent}, "", "no answer (none was due) to a ping"},
		{recording.Exchange{Outcome: recording.Refused, Status: 503, Reason: "x"}, "",
			"HTTP 503 again and again to a ping"},
		{recording.Exchange{Outcome: recording.Refused, Reason: "the target asks to be called later"}, "",
			"no answer (the target asks to be called later) to a ping"},
		{recording.Exchange{Outcome: recording.Canceled}, "", "no answer before the run ended to a ping"},
	} {
		if c.raw != "" {
			c.x.Attach(wire.ObjectOf(c.raw))
		}
		if got := matcher.Describe(&c.x) + " to a ping"; got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}

// TestDowngrade: a warning says why it is no failure.
func TestDowngrade(t *testing.T) {
	judge := func(id string, rev requirement.Revision, judge func(v *verdict.Verdict)) verdict.Result {
		req, ok := area.Catalogue().Find(id)
		if !ok {
			t.Fatalf("%s is not in the catalogue", id)
		}
		facts := rt.Facts(requirement.Combination{Revision: rev, Transport: requirement.Stdio}, `{}`)
		return verdict.Evaluate(&verdict.Check{Judge: judge}, req, facts,
			verdict.Recordings{recording.Everything: {}})
	}
	for _, c := range []struct {
		id     string
		rev    requirement.Revision
		judge  func(v *verdict.Verdict)
		reason string
		hint   string
	}{
		{"URI-09", requirement.R20251125, func(v *verdict.Verdict) { v.Fail(nil, "a", "b") },
			"cannot be seen", ""},
		{"ERR-61", requirement.R20260728, func(v *verdict.Verdict) { v.Fail(nil, "a", "b") },
			"implied, no sentence", ""},
		{"LIST-01", requirement.R20251125,
			func(v *verdict.Verdict) { v.Fail(nil, "a", "").Hint("c") }, "", "c"},
		{"LIST-01", requirement.R20251125, func(v *verdict.Verdict) {
			v.Fail(nil, "a", "").Warn(verdict.Lenient)
		}, verdict.Lenient, ""},
		{"LIST-01", requirement.R20251125, func(v *verdict.Verdict) { v.Fail(nil, "a", "b").Warn() },
			"cannot be seen", ""},
		{"LIST-01", requirement.R20251125, func(v *verdict.Verdict) {
			v.Fail(nil, "a", "b")
			v.That(nil, true, "a", "").Downgraded("d").Hint("c")
		}, "", ""},
		{"PAGE-05", requirement.R20251125, func(v *verdict.Verdict) { v.Fail(nil, "a", "b") },
			"only recommends this", ""},
		{"LIST-08", requirement.R20251125, func(v *verdict.Verdict) { v.Fail(nil, "a", "b") },
			"the schema describes it so", ""},
		{"CAP-13", requirement.R20260728, func(v *verdict.Verdict) { v.Fail(nil, "a", "b") },
			"the schema describes it so", ""},
		{"LIFE-16", requirement.R20251125, func(v *verdict.Verdict) { v.Fail(nil, "a", "b") },
			"implied, no sentence", ""},
	} {
		got := judge(c.id, c.rev, c.judge)
		if req, _ := area.Catalogue().Find(c.id); c.hint == "" {
			c.hint = req.Change // what to do is always said
		}
		if got.Cause != "" {
			t.Errorf("%s: the cause %q, which nobody gave", c.id, got.Cause)
		}
		if !got.Outcome.Red() || !strings.Contains(got.Reason, c.reason) || c.reason == "" &&
			got.Reason != "" || got.Hint != c.hint {
			t.Errorf("%s: %+v", c.id, got)
		}
	}
}

// TestCause: a violation has the code that the check gives, or that of the step and of
// what was expected of it, whatever the target sends.
func TestCause(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio},
		`{}`)
	x := rt.New(recording.Reads, facts, rt.Line{Step: "unknown-uri", Method: "resources/read",
		Result: `{}`}).Exchanges[0]
	for want, judge := range map[string]func(v *verdict.Verdict){
		"the-id-of-the-request": func(v *verdict.Verdict) {
			v.Fail(nil, "the id 7", "").Cause("The id, of the request.")
		},
		"": func(v *verdict.Verdict) { v.Fail(nil, "a", "b") },
		"unknown-uri-a-json-rpc-error-with-code-32602": func(v *verdict.Verdict) {
			v.Expect(x, matcher.BeErrorReply(-32602), "a read")
		},
	} {
		req, _ := area.Catalogue().Find("LIST-01")
		got := verdict.Evaluate(&verdict.Check{Judge: judge}, req, facts,
			verdict.Recordings{recording.Everything: {}})
		if got.Outcome != verdict.Fail || got.Cause != want {
			t.Errorf("%+v, and not the cause %q", got, want)
		}
	}
	if got := verdict.CauseCode(strings.Repeat("a ", 60)); len(got) != 79 || strings.HasSuffix(got, "-") {
		t.Errorf("%q", got)
	}
}

// TestFewRemarks: what is only remarked upon is remarked upon a few times, however often it was
// seen: messages that a server sends to all of its clients would fill the report.
func TestFewRemarks(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio},
		`{}`)
	r := rt.New(recording.Reads, facts)
	check := &verdict.Check{From: recording.Names{recording.Reads},
		Judge: func(v *verdict.Verdict) {
			v.Fail(nil, "a short one", "20 bytes")
			v.Fail(nil, "a timely one", "2s")
			for _, more := range []string{"30 bytes", "40 bytes", "50 bytes", "60 bytes"} {
				v.Fail(nil, "a short one", "%s", more)
			}
		}}
	row := &requirement.Requirement{ID: "X-01", Terms: requirement.Terms{Level: requirement.Should,
		Grade: requirement.Info, Basis: requirement.Normative}, Observed: "slow-and-long"}
	var got []string
	for _, o := range verdict.Evaluate(check, row, facts,
		verdict.Recordings{recording.Reads: r}).Observations {
		got = append(got, o.Detail)
		if o.ID != "slow-and-long" {
			t.Errorf("the observation is called %q", o.ID)
		}
	}
	if want := []string{"expected a short one; seen: 20 bytes", "expected a timely one; seen: 2s",
		"expected a short one; seen: 30 bytes", "expected a short one; seen: 40 bytes"}; !slices.Equal(got,
		want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEvidenceBeginsWithWhatIsTold: the frames of the finding that a verdict speaks of come first,
// also where another scenario was played before, then those of the next; no frame comes twice.
func TestEvidenceBeginsWithWhatIsTold(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio},
		`{}`)
	check := &verdict.Check{From: recording.Names{recording.Reads},
		Judge: func(v *verdict.Verdict) {
			v.Fail(verdict.Frames{9, 7}, "a server that goes on", "it ended")
			v.Fail(verdict.Frames{3, 9}, "a server that goes on", "it ended")
			v.Fail(verdict.Frames{4, 1}, "a server that goes on", "it ended")
			v.Fail(verdict.Frames{2}, "a server that goes on", "it ended")
		}}
	row := &requirement.Requirement{ID: "X-01", Terms: requirement.Terms{Level: requirement.Must,
		Grade: requirement.Fail, Basis: requirement.Normative}}
	got := verdict.Evaluate(check, row, facts,
		verdict.Recordings{recording.Reads: rt.New(recording.Reads, facts)})
	if want := []int{7, 9, 3, 1, 4}; !slices.Equal(got.Frames, want) {
		t.Errorf("%v, want %v", got.Frames, want)
	}
}

// TestParamsOf: what is said about params is about those of the method.
func TestParamsOf(t *testing.T) {
	for params, want := range map[string]string{
		"": "absent", "5": "5", "{}": "{}", `{"_meta":{"a":1}}`: "{}",
		`{"uri":5,"_meta":{"a":1},"b":[ ]}`: `{"uri":5,"b":[ ]}`,
	} {
		if got := verdict.ParamsOf(&recording.Exchange{Params: json.RawMessage(params)}); got != want {
			t.Errorf("%s: %s, not %s", params, got, want)
		}
	}
}

// What is in a file of the system stands in no sentence, and a sentence about a frame in
// which it was cut is the same.
func TestBriefWithoutLeaks(t *testing.T) {
	const users = `root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n`
	for raw, want := range map[string]string{
		`{"contents":[{"uri":"a:1","text":"` + users +
			`"}]}`: `{"contents":[{"uri":"a:1","text":"root:x:0:0:r…[68 bytes cut]"}]}`,
		`"` + users + `"`: `"root:x:0:0:r…[68 bytes cut]"`,
		`{"uri":"` + strings.Repeat("x", 90) + `","t":"` + users + `"}`: `{"uri":"` + strings.Repeat("x",
			90) + `","t":"root:x:0:0:…`,
	} {
		got := judge.Brief(gjson.Parse(raw))
		if !strings.HasPrefix(got, want[:min(len(want), 100)]) || strings.Contains(got, "/root") {
			t.Errorf("%s instead of %s", got, want)
		}
		if again := judge.Brief(gjson.Parse(judge.LeakCut{}.Cut(raw))); again != got {
			t.Errorf("%s, but of what was recorded %s", got, again)
		}
	}
}

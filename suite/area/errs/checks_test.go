package errs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/errs"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestMissingReads(t *testing.T) {
	configured := func(result, err string) []rt.Line {
		return areatest.Lines(areatest.TaggedRead("configured", `{"uri":"a:no"}`, result, err))
	}
	guessed := func(first, second string) []rt.Line {
		return areatest.Lines(areatest.TaggedRead("guessed", `{"uri":"a:1"}`, "", areatest.Failure(first)),
			areatest.TaggedRead("guessed", `{"uri":"a:2"}`, "", areatest.Failure(second)))
	}
	areatest.WalkRunsIn(t, recording.MissingReads, `{"resources":{}}`, []areatest.Run{
		areatest.Pass("ERR-01", configured("", areatest.Failure("-32602"))...),
		areatest.Pass("ERR-01", configured("", areatest.Failure("-32602.0"))...),
		areatest.Fail("ERR-01", configured("", areatest.Failure("-32002"))...),
		areatest.NotApplicable("ERR-01", configured("", areatest.Failure("-32021"))...),
		areatest.NotApplicable("ERR-01", configured(areatest.OneText, "")...),
		areatest.Fail("ERR-01", guessed("-32603", "-32603")...),
		areatest.Warn("ERR-01", guessed("-32603", "-32602")...),
		areatest.Fail("ERR-09", configured(areatest.Nothing, "")...),
		areatest.Warn("ERR-09", areatest.TaggedRead("guessed", `{"uri":"a:1"}`, areatest.Nothing, "")),
		areatest.Fail("ERR-09", configured("null", "")...),
		areatest.Fail("ERR-09", configured("{}", "")...),
		areatest.Warn("ERR-09", areatest.TaggedRead("guessed", `{"uri":"a:1"}`, "null", "")),
		areatest.NotApplicable("ERR-10", configured("null", "")...),
		areatest.Fail("ERR-10", configured(areatest.OneText, "")...),
		areatest.Pass("ERR-05", rt.Line{Step: "configured", Method: "resources/read", Params: metaParams,
			Error: areatest.Failure("-32602")}),
		areatest.Fail("ERR-05", rt.Line{Step: "configured", Method: "resources/read", Params: metaParams,
			Error: areatest.Failure("-32020")}),
		areatest.Fail("ERR-05", rt.Line{Step: "configured", Method: "resources/read", Params: metaParams,
			Error: `{"code":-32021,"message":"","data":{"requiredCapabilities":{}}}`}),
		areatest.Pass("ERR-05", rt.Line{Step: "configured", Method: "resources/read", Params: metaParams,
			Error: `{"code":-32021,"message":"",` +
				`"data":{"requiredCapabilities":{"elicitation":{"form":{}}}}}`}),
	}, areatest.ModernOne)
	areatest.WalkRunsIn(t, recording.MissingReads, `{"resources":{}}`, []areatest.Run{
		areatest.Pass("ERR-01", configured("", areatest.Failure("-32002"))...),
		areatest.Warn("ERR-01", configured("", areatest.Failure("-32602"))...),
		areatest.Warn("ERR-01", configured("", areatest.Failure("0"))...),
		areatest.Pass("ERR-01", guessed("-32002", "-32002")...),
		areatest.Warn("ERR-09", configured(areatest.Nothing, "")...),
		areatest.Warn("ERR-10", configured(areatest.OneText, "")...),
		areatest.Pass("ERR-10", configured("", areatest.Failure("-32603"))...),
		areatest.NotApplicable("ERR-10",
			areatest.TaggedRead("guessed", `{"uri":"a:1"}`, areatest.OneText, "")),
	}, requirement.Legacy()...)
}

// TestMissingWhereAllIsRefused: the code by which every listed resource is refused says nothing about one
// that is missing, unless it is one that means that.
func TestMissingWhereAllIsRefused(t *testing.T) {
	facts := areatest.Stdio(requirement.R20260728, `{"resources":{}}`)
	refused := func(step recording.Step, code string) rt.Line {
		return areatest.TaggedRead(step, `{"uri":"a:1"}`, "", areatest.Failure(code))
	}
	for name, c := range map[string]struct {
		listed rt.Line
		code   string
		want   verdict.Outcome
	}{
		"all refused alike": {refused("read", "1001"), "1001", verdict.NotApplicable},
		"refused otherwise": {refused("read", "1002"), "1001", verdict.Fail},
		"listed ones are read": {areatest.TaggedRead("read", `{"uri":"a:1"}`, areatest.OneText, ""), "1001",
			verdict.Fail},
		"all missing, old code": {refused("read", "-32002"), "-32002", verdict.Fail},
	} {
		got := areatest.Judge("ERR-01", rt.New(recording.MissingReads, facts,
			areatest.Lines(refused("guessed", c.code), refused("guessed", c.code))...),
			rt.New(recording.Reads, facts, areatest.Lines(c.listed)...))
		if got.Outcome != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

const metaParams = `{"uri":"a:1","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}`

func TestErrorCodes(t *testing.T) {
	seen := func(code string) []rt.Line {
		return areatest.Lines(areatest.TaggedRead("read", `{"uri":"a:1"}`, "", areatest.Failure(code)))
	}
	removed := func(step recording.Step, method, err string, status int) []rt.Line {
		return areatest.Lines(rt.Line{Step: step, Method: method, Error: err, Status: status})
	}
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Pass("ERR-02", seen("-32602")...), areatest.Fail("ERR-02", seen("-32002")...),
		areatest.Fail("ERR-02", seen("-32042")...),
		areatest.Pass("ERR-04", seen("-32021")...), areatest.Fail("ERR-04", seen("-32050")...),
		areatest.Pass("ERR-04", seen("-32100")...),
		areatest.Pass("ERR-06", seen("-32603")...), areatest.Pass("ERR-06", seen("1001")...),
		areatest.Warn("ERR-06", seen("-32000")...),
		areatest.Warn("ERR-06", seen("-32100")...),
		areatest.NotApplicable("ERR-60", seen("-32602")...), areatest.Fail("ERR-60", seen("-32021")...),
	)
	areatest.WalkRuns(t, recording.Everything, `{"resources":{},"extensions":{"com.example/x":{}}}`,
		areatest.Pass("ERR-04", seen("-32050")...))
	areatest.WalkRuns(t, errs.RemovedMethods, `{}`,
		areatest.Pass("ERR-61", removed("ping", "ping", areatest.Failure("-32601"), 404)...),
		areatest.Pass("ERR-61", removed("ping", "ping", areatest.Failure("-32601"), 0)...),
		areatest.Warn("ERR-61", removed("ping", "ping", areatest.Failure("-32601"), 200)...),
		areatest.Warn("ERR-61", removed("ping", "ping", areatest.Failure("-32602"), 404)...),
		areatest.Pass("ERR-61", removed("initialize", "initialize", areatest.Failure("-32022"), 400)...),
		// Another era beside this one is no remnant of it.
		areatest.Pass("ERR-61", rt.Line{Step: "ping", Method: "ping", Error: areatest.Failure("-32601")},
			rt.Line{Step: "initialize", Method: "initialize", Result: `{"protocolVersion":"2025-11-25"}`}),
		areatest.Warn("ERR-61",
			rt.Line{Step: "initialize", Method: "initialize", Result: `{"protocolVersion":"2026-07-28"}`}),
		areatest.Warn("ERR-61", rt.Line{Step: "initialize", Method: "initialize", Result: `{}`}),
	)
	areatest.WalkRuns(t, errs.BrokenRead, `{"resources":{}}`,
		areatest.Pass("ERR-08",
			areatest.TaggedRead("broken", `{"uri":"a:1"}`, "", areatest.Failure("-32603"))),
		areatest.Warn("ERR-08",
			areatest.TaggedRead("broken", `{"uri":"a:1"}`, "", areatest.Failure("-32602"))),
		areatest.NotApplicable("ERR-08",
			areatest.TaggedRead("broken", `{"uri":"a:1"}`, areatest.OneText, "")),
	)
	areatest.WalkRuns(t, recording.MalformedReads, `{"resources":{}}`,
		areatest.Pass("ERR-11", areatest.TaggedRead("untyped", `{}`, "", areatest.Failure("-32602"))),
		// see CAP-08
		areatest.NotApplicable("ERR-11",
			areatest.TaggedRead("untyped", `{}`, "", areatest.Failure("-32601"))),
		areatest.Warn("ERR-11", areatest.TaggedRead("untyped", `{}`, "", areatest.Failure("-32603"))),
		areatest.Fail("ERR-11", areatest.TaggedRead("untyped", `{}`, areatest.OneText, "")),
		areatest.Fail("ERR-11", areatest.TaggedRead("untyped", `{"uri":null}`, "", "")),
	)
}

// TestCodesAfterTheEnd: an error to a request that is open when its session is ended is not
// held against anybody, and before that it is, with the request among the evidence.
func TestCodesAfterTheEnd(t *testing.T) {
	facts := areatest.Stdio(requirement.R20260728, `{}`)
	for _, test := range []struct {
		closing time.Duration // the error comes after 2 ms
		want    verdict.Outcome
		frames  []int
	}{
		{closing: time.Millisecond, want: verdict.NotApplicable},
		{closing: 3 * time.Millisecond, want: verdict.Warn, frames: []int{1, 2}},
		{want: verdict.Warn, frames: []int{1, 2}}, // a recording that does not tell
	} {
		rec := rt.New(recording.Everything, facts, rt.Line{Step: "listen", Method: "subscriptions/listen",
			Error: areatest.Failure("-32000")})
		rec.Sessions[0].Closing = test.closing
		got := areatest.Judge("ERR-06", rec)
		if got.Outcome != test.want || !slices.Equal(got.Frames, test.frames) {
			t.Errorf("closing at %v: %s with the frames %v, not %s with %v", test.closing, got.Outcome,
				got.Frames, test.want, test.frames)
		}
	}
}

package meta_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/meta"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestMetaKeysAndResults(t *testing.T) {
	with := func(result string) []rt.Line {
		return areatest.Lines(areatest.Asked("page", "resources/list", "{}", result))
	}
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Pass("META-01", with(`{"_meta":{}}`)...),
		areatest.Fail("META-01", with(`{"_meta":null}`)...),
		areatest.NotApplicable("META-01", with(`{}`)...),
		areatest.Pass("META-02", with(`{"_meta":{"com.example/a":1,"plain":1,"com.example/":1}}`)...),
		areatest.Fail("META-02", with(`{"_meta":{"1acme/x":1}}`)...),
		areatest.Fail("META-02", with(`{"_meta":{"_internal":1}}`)...),
		areatest.Pass("META-04", with(`{"_meta":{"com.example.other/x":1}}`)...),
		areatest.Pass("META-11", with(`{"resultType":"odd"}`)...),
		areatest.Fail("META-11", with(`{}`)...),
		areatest.Fail("META-11", with(`{"resultType":1}`)...),
		areatest.Pass("META-12", with(`{"resultType":"input_required"}`)...),
		areatest.Fail("META-12", with(`{"resultType":"ok"}`)...),
		areatest.NotApplicable("META-12", with(`{}`)...),
		areatest.Pass("META-13",
			with(`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}`)...),
		areatest.Warn("META-13", with(`{}`)...),
		areatest.Warn("META-13", with(`{"_meta":{"io.modelcontextprotocol/serverInfo":"a"}}`)...),
		areatest.Pass("META-15",
			with(`{"_meta":{"traceparent":"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"}}`)...),
		areatest.Fail("META-15", with(`{"_meta":{"traceparent":"none"}}`)...),
		areatest.Fail("META-15", with(`{"_meta":{"traceparent":5}}`)...),
	)
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.Warn("META-04", with(`{"_meta":{"io.modelcontextprotocol/acme":1}}`)...),
		areatest.Warn("META-04", with(`{"_meta":{"example.com/x":1}}`)...),
		areatest.Pass("META-04", with(`{"_meta":{"com.example/x":1}}`)...),
		areatest.Pass("META-04", with(`{"_meta":{"uk.co.example.dev/x":1}}`)...),
		areatest.Fail("META-01", with(`{"resources":[{"uri":"a:1","name":"1","_meta":[]}]}`)...),
	}, requirement.R20251125, requirement.R20260728)
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.NotApplicable("META-01", with(`{"resources":[{"uri":"a:1","name":"1","_meta":[]}]}`)...),
	}, requirement.R20241105)
}

func TestMetaOfRequests(t *testing.T) {
	plain := areatest.Asked("plain", "resources/list", "{}", areatest.GoodList)
	areatest.WalkRuns(t, recording.Metadata, `{"resources":{}}`,
		areatest.Pass("META-06", plain,
			areatest.Asked("unknown-key", "resources/list", "{}", areatest.GoodList)),
		areatest.Fail("META-06", plain,
			areatest.Asked("unknown-key", "resources/list", "{}", areatest.ParamsError)),
		areatest.NotApplicable("META-06",
			areatest.Asked("plain", "resources/list", "{}", areatest.ParamsError),
			areatest.Asked("unknown-key", "resources/list", "{}", areatest.ParamsError)),
		areatest.Pass("META-10", plain,
			areatest.Asked("anonymous", "resources/list", "{}", areatest.GoodList)),
		areatest.Fail("META-10", plain,
			areatest.Asked("anonymous", "resources/list", "{}", areatest.ParamsError)),
		areatest.Fail("META-15", plain,
			areatest.Asked("traced", "resources/list", "{}", areatest.ParamsError)),
	)
	ill := areatest.Asked("odd-version", "resources/list", "{}", areatest.GoodList)
	areatest.WalkRuns(t, meta.BadMetadata, `{"resources":{}}`,
		areatest.Pass("META-07", plain,
			areatest.Asked("no-version", "resources/list", "{}", areatest.ParamsError)),
		areatest.Fail("META-07", plain,
			areatest.Asked("no-version", "resources/list", "{}", areatest.GoodList)),
		areatest.Fail("META-07", plain,
			areatest.Asked("no-version", "resources/list", "{}", `{"code":-32600,"message":"no"}`)),
		areatest.Pass("META-08", plain,
			areatest.Asked("no-capabilities", "resources/list", "{}", areatest.ParamsError)),
		areatest.Fail("META-08", plain,
			areatest.Asked("no-capabilities", "resources/list", "{}", areatest.GoodList), ill),
		areatest.Warn("META-08", plain,
			areatest.Asked("no-capabilities", "resources/list", "{}", areatest.ParamsError), ill),
		areatest.Pass("META-18", plain,
			areatest.Asked("odd-log-level", "resources/list", "{}", areatest.ParamsError)),
		areatest.Warn("META-18", plain,
			areatest.Asked("odd-log-level", "resources/list", "{}", `{"code":-32603,"message":"no"}`)),
		// Who does not log need not know the levels.
		areatest.NotApplicable("META-18", plain,
			areatest.Asked("odd-log-level", "resources/list", "{}", areatest.GoodList)),
	)
	areatest.WalkRuns(t, meta.BadMetadata, `{"resources":{},"logging":{}}`,
		areatest.Warn("META-18", plain,
			areatest.Asked("odd-log-level", "resources/list", "{}", areatest.GoodList)),
	)
	hello := areatest.Asked("initialize", "initialize", "{}", areatest.NotFoundError)
	areatest.WalkRuns(t, recording.BareRequests, `{"resources":{}}`,
		areatest.Pass("META-09", hello, plain,
			areatest.Asked("no-params", "resources/list", "", areatest.ParamsError),
			areatest.Asked("no-meta", "resources/list", "{}", areatest.ParamsError)),
		areatest.Fail("META-09", hello, plain,
			areatest.Asked("no-params", "resources/list", "", areatest.GoodList)),
		areatest.NotApplicable("META-09",
			areatest.Asked("initialize", "initialize", "{}", `{"protocolVersion":"2025-11-25"}`), plain,
			areatest.Asked("no-params", "resources/list", "", areatest.GoodList)),
	)
}

func TestHeaderMismatchForMissingVersion(t *testing.T) {
	mismatch := areatest.Asked("no-version", "resources/list", "{}", `{"code":-32020,"message":"no"}`)
	recorded := areatest.Lines(areatest.Asked("plain", "resources/list", "{}", areatest.GoodList), mismatch)
	for tr, want := range map[requirement.Transport]verdict.Outcome{requirement.HTTP: verdict.Pass,
		requirement.Stdio: verdict.Fail} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: tr},
			`{"resources":{}}`)
		areatest.Due(t, "META-07", tr, want, rt.New(meta.BadMetadata, facts, recorded...))
	}
}

func logged(level string) string {
	return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + level + `","data":1}}`
}

func TestLogChecks(t *testing.T) {
	read := func(meta string, incoming ...string) rt.Line {
		l := areatest.Asked("logged", "resources/read", `{"_meta":`+meta+`}`, `{"contents":[]}`)
		l.Incoming = incoming
		return l
	}
	const atError = `{"io.modelcontextprotocol/logLevel":"error"}`
	areatest.WalkRuns(t, recording.Everything, `{"logging":{}}`,
		areatest.Pass("META-16", read(`{}`)),
		areatest.Fail("META-16", read(`{}`, logged("info"))),
		areatest.NotApplicable("META-16", read(atError, logged("error"))),
		areatest.Pass("META-21", read(`{}`, logged("warning"))),
		areatest.Fail("META-21", read(`{}`, logged("warn"))),
		areatest.Fail("META-21",
			read(`{}`, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`)),
		areatest.Fail("META-21", read(`{}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":null,`+
				`"logger":1}}`)),
		areatest.NotApplicable("META-21", read(`{}`)),
		areatest.Pass("META-19",
			read(`{}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`)),
		areatest.Warn("META-19", read(`{}`, `{"jsonrpc":"2.0","method":"notifications/progress",`+
			`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`)),
	)
	areatest.WalkRuns(t, recording.FirstMessages, `{"logging":{}}`,
		areatest.Pass("META-17", read(atError, logged("critical"))),
		areatest.Warn("META-17", read(atError, logged("debug"))),
		areatest.Fail("META-17", read(atError), rt.Line{Incoming: []string{logged("error")}}),
		areatest.NotApplicable("META-17", read(atError)),
	)
	set := areatest.Asked("set", "logging/setLevel", `{"level":"error"}`, `{}`)
	unknown := areatest.Asked("unknown-level", "logging/setLevel", `{"level":"loud"}`, areatest.ParamsError)
	areatest.WalkRuns(t, meta.LogLevels, `{"logging":{}}`,
		areatest.Pass("META-60", set, read(`{}`, logged("error")), unknown),
		areatest.Warn("META-60", set, read(`{}`, logged("debug")), unknown),
		areatest.Warn("META-60", set, areatest.Asked("unknown-level", "logging/setLevel", `{}`, `{}`)),
		areatest.Warn("META-60", areatest.Asked("set", "logging/setLevel", `{}`, areatest.NotFoundError),
			unknown),
	)
}

// TestOnlyTheLevelsCode: an error where a level should have been taken is more than another code.
func TestOnlyTheLevelsCode(t *testing.T) {
	wrong := areatest.Refusal("unknown-level", "logging/setLevel", `{"level":"loud"}`, "-32603")
	for want, set := range map[requirement.Gravity]rt.Line{
		requirement.Codes: areatest.Asked("set", "logging/setLevel", `{"level":"error"}`, `{}`),
		"":                areatest.Refusal("set", "logging/setLevel", `{"level":"error"}`, "-32603"),
	} {
		facts := areatest.Stdio(requirement.R20251125, `{"logging":{}}`)
		got := areatest.Judge("META-60", rt.New(meta.LogLevels, facts, set, wrong))
		if got.Outcome != verdict.Warn || got.Gravity != want {
			t.Errorf("%s of gravity %q, not %q", got.Outcome, got.Gravity, want)
		}
	}
}

package meta_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
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
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`, []areatest.Run{
		{ID: "META-01", Want: verdict.Pass, Rec: with(`{"_meta":{}}`)},
		{ID: "META-01", Want: verdict.Fail, Rec: with(`{"_meta":null}`)},
		{ID: "META-01", Want: verdict.NotApplicable, Rec: with(`{}`)},
		{ID: "META-02", Want: verdict.Pass,
			Rec: with(`{"_meta":{"com.example/a":1,"plain":1,"com.example/":1}}`)},
		{ID: "META-02", Want: verdict.Fail, Rec: with(`{"_meta":{"1acme/x":1}}`)},
		{ID: "META-02", Want: verdict.Fail, Rec: with(`{"_meta":{"_internal":1}}`)},
		{ID: "META-04", Want: verdict.Pass, Rec: with(`{"_meta":{"com.example.other/x":1}}`)},
		{ID: "META-11", Want: verdict.Pass, Rec: with(`{"resultType":"odd"}`)},
		{ID: "META-11", Want: verdict.Fail, Rec: with(`{}`)},
		{ID: "META-11", Want: verdict.Fail, Rec: with(`{"resultType":1}`)},
		{ID: "META-12", Want: verdict.Pass, Rec: with(`{"resultType":"input_required"}`)},
		{ID: "META-12", Want: verdict.Fail, Rec: with(`{"resultType":"ok"}`)},
		{ID: "META-12", Want: verdict.NotApplicable, Rec: with(`{}`)},
		{ID: "META-13", Want: verdict.Pass,
			Rec: with(`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}`)},
		{ID: "META-13", Want: verdict.Warn, Rec: with(`{}`)},
		{ID: "META-13", Want: verdict.Warn,
			Rec: with(`{"_meta":{"io.modelcontextprotocol/serverInfo":"a"}}`)},
		{ID: "META-15", Want: verdict.Pass,
			Rec: with(
				`{"_meta":{"traceparent":"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"}}`)},
		{ID: "META-15", Want: verdict.Fail, Rec: with(`{"_meta":{"traceparent":"none"}}`)},
		{ID: "META-15", Want: verdict.Fail, Rec: with(`{"_meta":{"traceparent":5}}`)},
	})
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "META-04", Want: verdict.Warn, Rec: with(`{"_meta":{"io.modelcontextprotocol/acme":1}}`)},
		{ID: "META-04", Want: verdict.Warn, Rec: with(`{"_meta":{"example.com/x":1}}`)},
		{ID: "META-04", Want: verdict.Pass, Rec: with(`{"_meta":{"com.example/x":1}}`)},
		{ID: "META-04", Want: verdict.Pass, Rec: with(`{"_meta":{"uk.co.example.dev/x":1}}`)},
		{ID: "META-01", Want: verdict.Fail, Rec: with(`{"resources":[{"uri":"a:1","name":"1","_meta":[]}]}`)},
	}, requirement.R20251125, requirement.R20260728)
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "META-01", Want: verdict.NotApplicable,
			Rec: with(`{"resources":[{"uri":"a:1","name":"1","_meta":[]}]}`)},
	}, requirement.R20241105)
}

func TestMetaOfRequests(t *testing.T) {
	plain := areatest.Asked("plain", "resources/list", "{}", areatest.GoodList)
	areatest.WalkRuns(t, recording.Metadata, `{"resources":{}}`, []areatest.Run{
		{ID: "META-06", Want: verdict.Pass,
			Rec: areatest.Lines(plain, areatest.Asked("unknown-key", "resources/list", "{}",
				areatest.GoodList))},
		{ID: "META-06", Want: verdict.Fail,
			Rec: areatest.Lines(plain, areatest.Asked("unknown-key", "resources/list", "{}",
				areatest.ParamsError))},
		{ID: "META-06", Want: verdict.NotApplicable,
			Rec: areatest.Lines(areatest.Asked("plain", "resources/list", "{}", areatest.ParamsError),
				areatest.Asked("unknown-key", "resources/list", "{}", areatest.ParamsError))},
		{ID: "META-10", Want: verdict.Pass,
			Rec: areatest.Lines(plain, areatest.Asked("anonymous", "resources/list", "{}",
				areatest.GoodList))},
		{ID: "META-10", Want: verdict.Fail,
			Rec: areatest.Lines(plain, areatest.Asked("anonymous", "resources/list", "{}",
				areatest.ParamsError))},
		{ID: "META-15", Want: verdict.Fail,
			Rec: areatest.Lines(plain, areatest.Asked("traced", "resources/list", "{}",
				areatest.ParamsError))},
	})
	ill := areatest.Asked("odd-version", "resources/list", "{}", areatest.GoodList)
	areatest.WalkRuns(t, meta.BadMetadata, `{"resources":{}}`, []areatest.Run{
		{ID: "META-07", Want: verdict.Pass,
			Rec: areatest.Lines(plain, areatest.Asked("no-version", "resources/list", "{}",
				areatest.ParamsError))},
		{ID: "META-07", Want: verdict.Fail,
			Rec: areatest.Lines(plain, areatest.Asked("no-version", "resources/list", "{}",
				areatest.GoodList))},
		{ID: "META-07", Want: verdict.Fail,
			Rec: areatest.Lines(plain, areatest.Asked("no-version", "resources/list", "{}",
				`{"code":-32600,"message":"no"}`))},
		{ID: "META-08", Want: verdict.Pass,
			Rec: areatest.Lines(plain, areatest.Asked("no-capabilities", "resources/list", "{}",
				areatest.ParamsError))},
		{ID: "META-08", Want: verdict.Fail,
			Rec: areatest.Lines(plain, areatest.Asked("no-capabilities", "resources/list", "{}",
				areatest.GoodList), ill)},
		{ID: "META-08", Want: verdict.Warn,
			Rec: areatest.Lines(plain, areatest.Asked("no-capabilities", "resources/list", "{}",
				areatest.ParamsError), ill)},
		{ID: "META-18", Want: verdict.Pass,
			Rec: areatest.Lines(plain, areatest.Asked("odd-log-level", "resources/list", "{}",
				areatest.ParamsError))},
		{ID: "META-18", Want: verdict.Warn,
			Rec: areatest.Lines(plain, areatest.Asked("odd-log-level", "resources/list", "{}",
				`{"code":-32603,"message":"no"}`))},
		// Who does not log need not know the levels.
		{ID: "META-18", Want: verdict.NotApplicable,
			Rec: areatest.Lines(plain, areatest.Asked("odd-log-level", "resources/list", "{}",
				areatest.GoodList))},
	})
	areatest.WalkRuns(t, meta.BadMetadata, `{"resources":{},"logging":{}}`, []areatest.Run{
		{ID: "META-18", Want: verdict.Warn,
			Rec: areatest.Lines(plain, areatest.Asked("odd-log-level", "resources/list", "{}",
				areatest.GoodList))},
	})
	hello := areatest.Asked("initialize", "initialize", "{}", areatest.NotFoundError)
	areatest.WalkRuns(t, recording.BareRequests, `{"resources":{}}`, []areatest.Run{
		{ID: "META-09", Want: verdict.Pass, Rec: areatest.Lines(hello, plain,
			areatest.Asked("no-params", "resources/list", "", areatest.ParamsError),
			areatest.Asked("no-meta", "resources/list", "{}", areatest.ParamsError))},
		{ID: "META-09", Want: verdict.Fail, Rec: areatest.Lines(hello, plain,
			areatest.Asked("no-params", "resources/list", "", areatest.GoodList))},
		{ID: "META-09", Want: verdict.NotApplicable,
			Rec: areatest.Lines(areatest.Asked("initialize", "initialize", "{}",
				`{"protocolVersion":"2025-11-25"}`), plain, areatest.Asked("no-params", "resources/list", "",
				areatest.GoodList))},
	})
}

func TestHeaderMismatchForMissingVersion(t *testing.T) {
	mismatch := areatest.Asked("no-version", "resources/list", "{}", `{"code":-32020,"message":"no"}`)
	recorded := areatest.Lines(areatest.Asked("plain", "resources/list", "{}", areatest.GoodList), mismatch)
	req, _ := area.Catalogue().Find("META-07")
	k, _ := area.BuiltIn().Check("META-07")
	for tr, want := range map[requirement.Transport]verdict.Outcome{requirement.HTTP: verdict.Pass,
		requirement.Stdio: verdict.Fail} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: tr},
			`{"resources":{}}`)
		got := verdict.Evaluate(k, req, facts,
			verdict.Recordings{meta.BadMetadata: rt.New(meta.BadMetadata, facts, recorded...)})
		if got.Outcome != want {
			t.Errorf("%s on %s, expected %s", got.Outcome, tr, want)
		}
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
	areatest.WalkRuns(t, recording.Everything, `{"logging":{}}`, []areatest.Run{
		{ID: "META-16", Want: verdict.Pass, Rec: areatest.Lines(read(`{}`))},
		{ID: "META-16", Want: verdict.Fail, Rec: areatest.Lines(read(`{}`, logged("info")))},
		{ID: "META-16", Want: verdict.NotApplicable, Rec: areatest.Lines(read(atError, logged("error")))},
		{ID: "META-21", Want: verdict.Pass, Rec: areatest.Lines(read(`{}`, logged("warning")))},
		{ID: "META-21", Want: verdict.Fail, Rec: areatest.Lines(read(`{}`, logged("warn")))},
		{ID: "META-21", Want: verdict.Fail,
			Rec: areatest.Lines(read(`{}`,
				`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`))},
		{ID: "META-21", Want: verdict.Fail,
			Rec: areatest.Lines(read(`{}`,
				`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":null,`+
					`"logger":1}}`))},
		{ID: "META-21", Want: verdict.NotApplicable, Rec: areatest.Lines(read(`{}`))},
		{ID: "META-19", Want: verdict.Pass,
			Rec: areatest.Lines(read(`{}`,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`))},
		{ID: "META-19", Want: verdict.Warn,
			Rec: areatest.Lines(read(`{}`,
				`{"jsonrpc":"2.0","method":"notifications/progress",`+
					`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`))},
	})
	areatest.WalkRuns(t, recording.FirstMessages, `{"logging":{}}`, []areatest.Run{
		{ID: "META-17", Want: verdict.Pass, Rec: areatest.Lines(read(atError, logged("critical")))},
		{ID: "META-17", Want: verdict.Warn, Rec: areatest.Lines(read(atError, logged("debug")))},
		{ID: "META-17", Want: verdict.Fail, Rec: areatest.Lines(read(atError),
			rt.Line{Incoming: []string{logged("error")}})},
		{ID: "META-17", Want: verdict.NotApplicable, Rec: areatest.Lines(read(atError))},
	})
	set := areatest.Asked("set", "logging/setLevel", `{"level":"error"}`, `{}`)
	unknown := areatest.Asked("unknown-level", "logging/setLevel", `{"level":"loud"}`, areatest.ParamsError)
	areatest.WalkRuns(t, meta.LogLevels, `{"logging":{}}`, []areatest.Run{
		{ID: "META-60", Want: verdict.Pass, Rec: areatest.Lines(set, read(`{}`, logged("error")), unknown)},
		{ID: "META-60", Want: verdict.Warn, Rec: areatest.Lines(set, read(`{}`, logged("debug")), unknown)},
		{ID: "META-60", Want: verdict.Warn,
			Rec: areatest.Lines(set, areatest.Asked("unknown-level", "logging/setLevel", `{}`, `{}`))},
		{ID: "META-60", Want: verdict.Warn,
			Rec: areatest.Lines(areatest.Asked("set", "logging/setLevel", `{}`, areatest.NotFoundError),
				unknown)},
	})
}

// TestOnlyTheLevelsCode: an error where a level should have been taken is more than another code.
func TestOnlyTheLevelsCode(t *testing.T) {
	wrong := areatest.Refusal("unknown-level", "logging/setLevel", `{"level":"loud"}`, "-32603")
	for want, set := range map[requirement.Gravity]rt.Line{
		requirement.Codes: areatest.Asked("set", "logging/setLevel", `{"level":"error"}`, `{}`),
		"":                areatest.Refusal("set", "logging/setLevel", `{"level":"error"}`, "-32603"),
	} {
		k, _ := area.BuiltIn().Check("META-60")
		req, _ := area.Catalogue().Find("META-60")
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125,
			Transport: requirement.Stdio}, `{"logging":{}}`)
		got := verdict.Evaluate(k, req, facts,
			verdict.Recordings{meta.LogLevels: rt.New(meta.LogLevels, facts, set, wrong)})
		if got.Outcome != verdict.Warn || got.Gravity != want {
			t.Errorf("%s of gravity %q, not %q", got.Outcome, got.Gravity, want)
		}
	}
}

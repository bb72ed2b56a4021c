package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

func TestMetaKeysAndResults(t *testing.T) {
	with := func(result string) []rt.Line { return lines(asked("page", "resources/list", "{}", result)) }
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"META-01", Pass, with(`{"_meta":{}}`)},
		{"META-01", Fail, with(`{"_meta":null}`)},
		{"META-01", NotApplicable, with(`{}`)},
		{"META-02", Pass, with(`{"_meta":{"com.example/a":1,"plain":1,"com.example/":1}}`)},
		{"META-02", Fail, with(`{"_meta":{"1acme/x":1}}`)},
		{"META-02", Fail, with(`{"_meta":{"_internal":1}}`)},
		{"META-04", Pass, with(`{"_meta":{"com.example.other/x":1}}`)},
		{"META-11", Pass, with(`{"resultType":"odd"}`)},
		{"META-11", Fail, with(`{}`)},
		{"META-11", Fail, with(`{"resultType":1}`)},
		{"META-12", Pass, with(`{"resultType":"input_required"}`)},
		{"META-12", Fail, with(`{"resultType":"ok"}`)},
		{"META-12", NotApplicable, with(`{}`)},
		{"META-13", Pass, with(`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}`)},
		{"META-13", Warn, with(`{}`)},
		{"META-13", Warn, with(`{"_meta":{"io.modelcontextprotocol/serverInfo":"a"}}`)},
		{"META-15", Pass, with(`{"_meta":{"traceparent":"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"}}`)},
		{"META-15", Fail, with(`{"_meta":{"traceparent":"none"}}`)},
		{"META-15", Fail, with(`{"_meta":{"traceparent":5}}`)},
	})
	walkRuns(t, recording.Everything, `{}`, []run{
		{"META-04", Warn, with(`{"_meta":{"io.modelcontextprotocol/acme":1}}`)},
		{"META-04", Warn, with(`{"_meta":{"example.com/x":1}}`)},
		{"META-04", Pass, with(`{"_meta":{"com.example/x":1}}`)},
		{"META-04", Pass, with(`{"_meta":{"uk.co.example.dev/x":1}}`)},
		{"META-01", Fail, with(`{"resources":[{"uri":"a:1","name":"1","_meta":[]}]}`)},
	}, requirement.R20251125, requirement.R20260728)
	walkRuns(t, recording.Everything, `{}`, []run{
		{"META-01", NotApplicable, with(`{"resources":[{"uri":"a:1","name":"1","_meta":[]}]}`)},
	}, requirement.R20241105)
}

func TestMetaOfRequests(t *testing.T) {
	plain := asked("plain", "resources/list", "{}", goodList)
	walkRuns(t, recording.Metadata, `{"resources":{}}`, []run{
		{"META-06", Pass, lines(plain, asked("unknown-key", "resources/list", "{}", goodList))},
		{"META-06", Fail, lines(plain, asked("unknown-key", "resources/list", "{}", paramsError))},
		{"META-06", NotApplicable, lines(asked("plain", "resources/list", "{}", paramsError), asked("unknown-key", "resources/list", "{}", paramsError))},
		{"META-10", Pass, lines(plain, asked("anonymous", "resources/list", "{}", goodList))},
		{"META-10", Fail, lines(plain, asked("anonymous", "resources/list", "{}", paramsError))},
		{"META-15", Fail, lines(plain, asked("traced", "resources/list", "{}", paramsError))},
	})
	ill := asked("odd-version", "resources/list", "{}", goodList)
	walkRuns(t, recording.BadMetadata, `{"resources":{}}`, []run{
		{"META-07", Pass, lines(plain, asked("no-version", "resources/list", "{}", paramsError))},
		{"META-07", Fail, lines(plain, asked("no-version", "resources/list", "{}", goodList))},
		{"META-07", Fail, lines(plain, asked("no-version", "resources/list", "{}", `{"code":-32600,"message":"no"}`))},
		{"META-08", Pass, lines(plain, asked("no-capabilities", "resources/list", "{}", paramsError))},
		{"META-08", Fail, lines(plain, asked("no-capabilities", "resources/list", "{}", goodList), ill)},
		{"META-08", Warn, lines(plain, asked("no-capabilities", "resources/list", "{}", paramsError), ill)},
		{"META-18", Pass, lines(plain, asked("odd-log-level", "resources/list", "{}", paramsError))},
		{"META-18", Warn, lines(plain, asked("odd-log-level", "resources/list", "{}", `{"code":-32603,"message":"no"}`))},
		// Who does not log need not know the levels.
		{"META-18", NotApplicable, lines(plain, asked("odd-log-level", "resources/list", "{}", goodList))},
	})
	walkRuns(t, recording.BadMetadata, `{"resources":{},"logging":{}}`, []run{
		{"META-18", Warn, lines(plain, asked("odd-log-level", "resources/list", "{}", goodList))},
	})
	hello := asked("initialize", "initialize", "{}", notFoundError)
	walkRuns(t, recording.BareRequests, `{"resources":{}}`, []run{
		{"META-09", Pass, lines(hello, plain, asked("no-params", "resources/list", "", paramsError), asked("no-meta", "resources/list", "{}", paramsError))},
		{"META-09", Fail, lines(hello, plain, asked("no-params", "resources/list", "", goodList))},
		{"META-09", NotApplicable, lines(asked("initialize", "initialize", "{}", `{"protocolVersion":"2025-11-25"}`), plain, asked("no-params", "resources/list", "", goodList))},
	})
}

func TestHeaderMismatchForMissingVersion(t *testing.T) {
	mismatch := asked("no-version", "resources/list", "{}", `{"code":-32020,"message":"no"}`)
	recorded := lines(asked("plain", "resources/list", "{}", goodList), mismatch)
	req, _ := requirement.Find("META-07")
	k, _ := Find("META-07")
	for tr, want := range map[requirement.Transport]Outcome{requirement.HTTP: Pass, requirement.Stdio: Fail} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: tr}, `{"resources":{}}`)
		got := Evaluate(k, req, facts, Recordings{recording.BadMetadata: rt.New(recording.BadMetadata, facts, recorded...)})
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
		l := asked("logged", "resources/read", `{"_meta":`+meta+`}`, `{"contents":[]}`)
		l.Incoming = incoming
		return l
	}
	const atError = `{"io.modelcontextprotocol/logLevel":"error"}`
	walkRuns(t, recording.Everything, `{"logging":{}}`, []run{
		{"META-16", Pass, lines(read(`{}`))},
		{"META-16", Fail, lines(read(`{}`, logged("info")))},
		{"META-16", NotApplicable, lines(read(atError, logged("error")))},
		{"META-21", Pass, lines(read(`{}`, logged("warning")))},
		{"META-21", Fail, lines(read(`{}`, logged("warn")))},
		{"META-21", Fail, lines(read(`{}`, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`))},
		{"META-21", Fail, lines(read(`{}`, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":null,"logger":1}}`))},
		{"META-21", NotApplicable, lines(read(`{}`))},
		{"META-19", Pass, lines(read(`{}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`))},
		{"META-19", Warn, lines(read(`{}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`))},
	})
	walkRuns(t, recording.FirstMessages, `{"logging":{}}`, []run{
		{"META-17", Pass, lines(read(atError, logged("critical")))},
		{"META-17", Warn, lines(read(atError, logged("debug")))},
		{"META-17", Fail, lines(read(atError), rt.Line{Incoming: []string{logged("error")}})},
		{"META-17", NotApplicable, lines(read(atError))},
	})
	set := asked("set", "logging/setLevel", `{"level":"error"}`, `{}`)
	unknown := asked("unknown-level", "logging/setLevel", `{"level":"loud"}`, paramsError)
	walkRuns(t, recording.LogLevels, `{"logging":{}}`, []run{
		{"META-60", Pass, lines(set, read(`{}`, logged("error")), unknown)},
		{"META-60", Warn, lines(set, read(`{}`, logged("debug")), unknown)},
		{"META-60", Warn, lines(set, asked("unknown-level", "logging/setLevel", `{}`, `{}`))},
		{"META-60", Warn, lines(asked("set", "logging/setLevel", `{}`, notFoundError), unknown)},
	})
}

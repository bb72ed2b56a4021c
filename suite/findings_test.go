package suite_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// defects are such of a server that break several requirements at once.
var defects = map[string]struct {
	rule      string
	faults    []string
	revision  requirement.Revision
	transport requirement.Transport
	quiet     string   // the beginning of the only line of the quiet form
	with      []string // what it holds
}{
	"an error inside result": {
		rule: `{"do":[
			{"on":"response","when":[{"at":"error"}],
				"set":"result","to":{"error":{"code":-32602,"message":"no"}}},
			{"on":"response","when":[{"at":"error"}],"drop":"error"}]}`,
		revision: requirement.R20250618, transport: requirement.Stdio,
		quiet: "fail    ERR-11  an error object inside result: ", with: []string{"PAGE-05 (a warning)"},
	},
	"no ping": {
		faults: []string{"life-14-ping-unknown"}, revision: requirement.R20250618,
		transport: requirement.Stdio,
		quiet:     "fail    LIFE-14  ", with: []string{"also LIFE-16 (a warning)"},
	},
	"subscriptions to anything": {
		rule: `{"do":[
			{"on":"response","method":"resources/subscribe","when":[{"at":"error"}],
				"set":"result","to":{}},
			{"on":"response","method":"resources/subscribe","when":[{"at":"error"}],"drop":"error"}]}`,
		revision: requirement.R20251125, transport: requirement.Stdio,
		quiet: "fail    SUB-11  ", with: []string{"also URI-14 (a warning)"},
	},
	"no subscriptions": {
		rule: `{"do":[{"on":"request","method":"resources/subscribe",
			"when":[{"at":"params.uri","type":"string"}],"answer":{"code":-32603,"message":"no"}}]}`,
		revision: requirement.R20251125, transport: requirement.Stdio,
		quiet: "warn    SUB-01  ", with: []string{"also CAP-09"},
	},
	"a listed URI with a blank": {
		faults: []string{"uri-03-space-in-uri"}, revision: requirement.R20260728,
		transport: requirement.Stdio,
		rule: `{"do":[{"on":"request","method":"resources/read",
			"when":[{"at":"params.uri","matches":" "}],
			"answer":{"code":-32602,"message":"Resource not found"}}]}`,
		quiet: "fail    URI-03  ", with: []string{"also LIST-15"},
	},
	"the server ends over a long line": {
		rule: `{"do":[{"on":"request",
			"when":[{"at":"params._meta.mcpcheck/remark","matches":"(mcpcheck ){9}"}],"abort":true}]}`,
		revision: requirement.R20251125, transport: requirement.Stdio,
		quiet: "fail    SEC-63  ", with: []string{"also STDIO-06 (a warning)"},
	},
	"metadata is optional": {
		faults: []string{"meta-08-default-capabilities"}, revision: requirement.R20260728,
		transport: requirement.HTTP,
		quiet:     "fail    META-08  ", with: []string{"also HTTP-19"},
	},
}

// TestOneFindingADefect: one defect that breaks several requirements is one finding, and says what is wrong.
func TestOneFindingADefect(t *testing.T) {
	t.Parallel()
	for name, test := range defects {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := reference.Options{Revisions: []string{string(test.revision)}, Faults: test.faults}
				if test.rule != "" {
					o.Rules = make([]control.Rule, 1)
					if err := json.Unmarshal([]byte(test.rule), &o.Rules[0]); err != nil {
						t.Fatal(err)
					}
				}
				target, server, err := embedded.Complete(o)
				if err != nil {
					t.Fatal(err)
				}
				defer server.Close()
				report, err := suite.Run(t.Context(),
					suite.Config{Target: target, Transports: []requirement.Transport{test.transport}})
				if err != nil {
					t.Fatal(err)
				}
				red := slices.DeleteFunc(slices.Clone(report.Results),
					func(x reports.Result) bool { return !x.Verdict.Red() })
				var b strings.Builder
				if err := write.Console(&b, report,
					write.Options{Quiet: true, Width: 1000}); err != nil {
					t.Fatal(err)
				}
				line, rest, _ := strings.Cut(b.String(), "\n")
				if len(red) < 2 || !strings.HasPrefix(line, test.quiet) ||
					strings.HasPrefix(rest, "fail ") || strings.HasPrefix(rest, "warn ") {
					t.Errorf("%d red, told as\n%s", len(red), b.String())
				}
				for _, part := range test.with {
					if !strings.Contains(line, part) {
						t.Errorf("%s lacks %s", line, part)
					}
				}
			})
		})
	}
}

package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// logger is a program that logs what it is given before the answer to one method; if that is nothing, it does
// not answer.
type logger struct {
	method, log string
	brittle     bool // it takes a level that is none, and then fails
}

func (l logger) open(context.Context) (io.ReadWriteCloser, error) {
	in, ours := io.Pipe()
	answers, theirs := io.Pipe()
	go func() {
		broken := false
		for lines := bufio.NewScanner(in); lines.Scan(); {
			m := gjson.Parse(lines.Text())
			if !m.Get("id").Exists() {
				continue
			}
			answer, level := `"error":{"code":-32601,"message":"no"}`, m.Get("params.level").Str
			switch m.Get("method").Str {
			case "initialize":
				answer = `"result":{"protocolVersion":"` + m.Get("params.protocolVersion").Str +
					`","capabilities":{"resources":{},"logging":{}},"serverInfo":{"name":"logger",` +
					`"version":"1"}}`
			case "logging/setLevel":
				answer = `"result":{}`
				if broken = l.brittle && level == "loud"; level == "loud" && !broken {
					answer = `"error":{"code":-32602,"message":"no"}`
				}
			case "ping":
				answer = `"result":{}`
			case "resources/list":
				answer = aList
			}
			if broken && level == "" {
				answer = `"error":{"code":-32603,"message":"no such level"}`
			}
			if m.Get("method").Str == l.method && (level == "loud") == strings.Contains(l.log, "loud") {
				if l.log == "" {
					continue
				}
				_, _ = io.WriteString(theirs, l.log+"\n")
			}
			_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw, answer)
		}
		_ = theirs.Close()
	}()
	return bothWays{answers, ours}, nil
}

// What is said in an expendable process before it is lent is judged as in a clean one, and what is said to a
// probe there is not.
func TestLentSessionsAreCleanAtFirst(t *testing.T) {
	const bare = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error"}}`
	for name, c := range map[string]struct {
		logger
		want map[string]string
	}{
		"nothing is logged": {logger{}, map[string]string{"META-21": "not-applicable",
			"STDIO-02": "pass", "META-60": "pass"}},
		"without data": {logger{method: "logging/setLevel", log: bare},
			map[string]string{"META-21": "fail", "STDIO-02": "pass"}},
		"two on a line": {logger{method: "logging/setLevel", log: bare + bare},
			map[string]string{"STDIO-02": "fail"}},
		"to a level that is none": {logger{method: "logging/setLevel",
			log: strings.ReplaceAll(bare, "error", "loud")}, map[string]string{"META-21": "not-applicable"}},
		"broken by a level that is none": {logger{brittle: true}, map[string]string{"META-60": "warn",
			"RPC-13": "pass"}},
		"no answer": {logger{method: "logging/setLevel", log: ""},
			map[string]string{"RPC-09": "fail"}},
		"before the early ping": {logger{method: "ping", log: bare},
			map[string]string{"META-21": "fail"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{
						Endpoints: []target.Endpoint{{Name: "logger", Pipe: c.open,
							Command: []string{"logger"}}},
						Revisions: []requirement.Revision{requirement.R20250618},
					},
					Tool:   reports.Tool{Name: "test"},
					Limits: target.Limits{Budget: time.Hour}, Select: func(row Row) bool {
						return c.want[row.Requirement.ID] != "" || row.Requirement.ID == "META-60" ||
							row.Requirement.ID == "LIFE-16"
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				for _, x := range r.Report(false).Results {
					if want := c.want[x.ID]; want != "" && want != string(x.Verdict) {
						t.Errorf("%s is %s, not %s: %s %s", x.ID, x.Verdict, want, x.Actual, x.Reason)
					}
				}
			})
		})
	}
}

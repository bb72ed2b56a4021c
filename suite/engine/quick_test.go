package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// taciturn opens a connection to a server that passes over what has no method, and requests for what it does not have.
func taciturn(ignores ...string) func(context.Context) (io.ReadWriteCloser, error) {
	return func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			for in := bufio.NewScanner(theirs); in.Scan(); {
				m := gjson.ParseBytes(in.Bytes())
				silent := !gjson.ValidBytes(in.Bytes()) || !m.Get("id").Exists() || m.Get("method").Type != gjson.String
				for _, method := range ignores {
					silent = silent || m.Get("method").Str == method
				}
				if !silent {
					_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw, singleAnswer(m))
				}
			}
		}()
		return ours, nil
	}
}

// A quick run repeats warnings without waiting longer than at first; where there is a failure, and in any other run,
// the repetition waits longer for what did not come.
func TestQuickRepetition(t *testing.T) {
	for name, c := range map[string]struct {
		quick   bool
		ignores []string
		want    verdict.Outcome // of one row at least
		slow    bool
	}{
		"warnings":         {true, nil, verdict.Warn, false},
		"a failure":        {true, []string{"resources/templates/list"}, verdict.Fail, true},
		"in any other run": {false, nil, verdict.Warn, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{Endpoints: []target.Endpoint{{Name: "taciturn", Command: []string{"taciturn"}, Pipe: taciturn(c.ignores...)}}, Revisions: []requirement.Revision{requirement.R20251125}},
					Tool:   reports.Tool{Name: "test"}, Quick: c.quick,
					Select: func(row Row) bool { return row.Requirement.ID == "RPC-15" || row.Requirement.ID == "RPC-09" },
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				seen := false
				for _, row := range r.Rows() {
					j, _ := r.Await(t.Context(), row)
					seen = seen || j.Outcome == c.want
				}
				again := r.again[r.Rows()[0].Combination]
				if !seen || again == nil {
					t.Fatalf("nothing that is %s was repeated: %s", c.want, verdicts(r.Report(false)))
				}
				var longest time.Duration // between two messages
				frames := again.Recordings[recording.InvalidMessages].Frames
				for i := 1; i < len(frames); i++ {
					longest = max(longest, frames[i].At-frames[i-1].At)
				}
				if longest == 0 || (longest >= slowly*r.cfg.QuietWindow) != c.slow {
					t.Errorf("the repetition waited for %s", longest)
				}
			})
		})
	}
}

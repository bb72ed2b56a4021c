package reference

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/verify"
	"github.com/mcpcheck/mcpcheck/reports"
)

// Verdicts judges the clients that have used the server so far, see [verify.Judge].
func (s *Server) Verdicts(o verify.Options) *reports.Report {
	return verify.Judge(s.journal.Query(journal.Query{}), o)
}

// noticing is how long Verify waits for the server to note that clients have gone.
const noticing = time.Second

// Verify fails the test for every requirement that the client under test broke so far;
// warnings count as well. It is one client, which is taken to have done all that it wants to
// do: call it last, after the client has been closed. A client that sent nothing fails the
// test, too. A connection that the client has just closed is waited for, up to a second. For a
// milder judgement look at [Server.Verdicts].
func (t *TestServer) Verify(tb TB) {
	tb.Helper()
	t.awaitGone()
	r := t.Verdicts(verify.Options{Ended: true, SingleClient: true, Strict: true})
	if len(r.Results) == 0 {
		tb.Errorf("no client has sent anything")
	}
	for i := range r.Results {
		if x := &r.Results[i]; x.Verdict.Red() {
			tb.Errorf("%s", broken(r, x))
		}
	}
}

// awaitGone waits until all connections with the framing of stdio are noted as closed: a client
// that has closed its end cannot know when the server has read what came before. One that
// keeps its end open is judged as it is.
func (t *TestServer) awaitGone() {
	ctx, cancel := context.WithTimeout(context.Background(), noticing)
	defer cancel()
	onStdio := journal.Query{Match: func(e *journal.Entry) bool { return e.Transport == hook.Stdio }}
	// That it did not happen in time shows in the verdicts.
	_ = t.Journal().WaitUntil(ctx, onStdio, func(entries []journal.Entry) bool {
		open := map[string]bool{}
		for i := range entries {
			e := &entries[i]
			open[e.Session] = e.Kind != journal.Closed || e.Scope != journal.ScopeConnection
		}
		for _, still := range open {
			if still {
				return false
			}
		}
		return true
	})
}

// broken is a finding as a test shows it.
func broken(r *reports.Report, x *reports.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s (%s, %s on %s)\n  expected: %s\n  actual:   %s", x.ID, x.Verdict, x.Title, x.Section, x.Revision, x.Transport, x.Expected, x.Actual)
	if x.Hint != "" {
		b.WriteString("\n  change:   " + x.Hint)
	}
	for _, n := range x.Evidence {
		if f := r.Frame(n); f != nil {
			const most = 300
			fmt.Fprintf(&b, "\n  #%d %s %s", f.Number, f.Direction, reports.Sanitize(reports.Shorten(string(f.Data), most)))
		}
	}
	return b.String()
}

package proof

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestSharedCauses: what breaks several requirements at once has one code in all of them, by which reports
// make one finding of it.
func TestSharedCauses(t *testing.T) {
	t.Parallel()
	answering := control.Rule{Do: []operation.Operation{{On: "request", Method: "notifications/*",
		Answer: &operation.Stub{Raw: `{"jsonrpc":"2.0","id":null,"result":{}}`}}}}
	page := control.Rule{Do: []operation.Operation{
		{On: "http-answer", When: []operation.Test{{At: "status", Is: 200}, {At: "body.error"}},
			Set: "status", To: 400},
		{On: "http-answer", When: []operation.Test{{At: "status", Is: 400}, {At: "body.error"}}, Set: "body",
			To: map[string]any{"detail": "no"}},
	}}
	legacy := []requirement.Revision{requirement.R20250618, requirement.R20251125}
	for name, c := range map[string]struct {
		rule control.Rule
		ids  []string
		in   []requirement.Revision
	}{
		"origin": {control.Rule{Fault: "sec-01-origin-ignored"}, []string{"SEC-01", "SEC-02"}, legacy},
		"id": {control.Rule{Fault: "rpc-04-ids-in-small-letters"}, []string{"RPC-02", "RPC-04"},
			legacy},
		"cursor": {control.Rule{Fault: "page-04-cursor-ignored"}, []string{"PAGE-02", "PAGE-04"},
			legacy},
		"pages": {page, []string{"RPC-13", "PAGE-05", "COMP-08", "META-60"}, legacy},
		"unanswered": {control.Rule{Fault: "rpc-09-missing-unanswered"},
			[]string{"ERR-11", "URI-08", "URI-09"}, legacy},
		"notification": {answering, []string{"RPC-10", "CANC-01"}, legacy},
		"errors": {control.Rule{Fault: "rpc-16-errors-without-id"}, []string{"RPC-16", "HTTP-34"},
			[]requirement.Revision{requirement.R20260728}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				report := judge(t, reference.Options{Rules: []control.Rule{c.rule}}, suite.Config{Only: c.ids,
					Revisions: c.in, Transports: []requirement.Transport{requirement.HTTP}})
				causes := map[string][]string{}
				for i := range report.Results {
					if x := &report.Results[i]; x.Verdict.Red() && x.SharedCause &&
						!slices.Contains(causes[x.Cause], x.ID) {
						causes[x.Cause] = append(causes[x.Cause], x.ID)
					}
				}
				if len(causes) != 1 {
					t.Errorf("%d causes: %v", len(causes), causes)
				}
				for _, ids := range causes {
					if len(ids) != len(c.ids) {
						t.Errorf("%v", causes)
					}
				}
			})
		})
	}
}

// TestOneCauseInAllRevisions: what is wrong for one reason has one cause, although the revisions do not show
// the same of it.
func TestOneCauseInAllRevisions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		report := judge(t, reference.Options{Faults: []string{"sse-07-everything-replayed"}},
			suite.Config{Only: []string{"SSE-07"}, Transports: []requirement.Transport{requirement.HTTP}})
		causes := map[string]int{}
		for i := range report.Results {
			causes[report.Results[i].Cause]++
		}
		if len(causes) != 1 || len(report.Results) < 3 {
			t.Errorf("causes of %d verdicts: %v", len(report.Results), causes)
		}
	})
}

// TestEndOfTheServerIsOneCause: whatever message a server does not survive, that is one finding.
func TestEndOfTheServerIsOneCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ids := []string{"CANC-01", "PAGE-06", "SEC-63"}
		report := judge(t,
			reference.Options{Faults: []string{"canc-01-hangs-up", "page-06-long-cursor-kills"}},
			suite.Config{Only: ids,
				Revisions:  []requirement.Revision{requirement.R20251125},
				Transports: []requirement.Transport{requirement.Stdio}})
		causes := map[string]bool{}
		for i := range report.Results {
			x := &report.Results[i]
			if !x.Verdict.Red() || !x.SharedCause {
				t.Errorf("%s: %s, with a cause of its own: %t", x.ID, x.Verdict, !x.SharedCause)
			}
			causes[x.Cause] = true
		}
		if len(report.Results) != len(ids) || len(causes) != 1 {
			t.Errorf("%d verdicts with the causes %v", len(report.Results), causes)
		}
	})
}

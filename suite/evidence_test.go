package suite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestAcknowledgmentOnStdio: the answer that a verdict speaks of is among its messages also where nothing
// but an id in it ties it to the request, on a session that scripts share.
func TestAcknowledgmentOnStdio(t *testing.T) {
	t.Parallel()
	target, server, err := embedded.Target(reference.Options{Faults: []string{"uri-14-accepts-anything"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	report, err := suite.Run(t.Context(), suite.Config{Target: target, Only: []string{"URI-14"},
		Limits:     suite.Limits{QuietWindow: 50 * time.Millisecond},
		Revisions:  []requirement.Revision{requirement.R20260728},
		Transports: []requirement.Transport{requirement.Stdio}})
	if err != nil || len(report.Results) != 1 {
		t.Fatalf("%v, %+v", err, report)
	}
	if !strings.Contains(write.Finding(report, &report.Results[0]),
		"notifications/subscriptions/acknowledged") {
		t.Errorf("no acknowledgment in\n%s", write.Finding(report, &report.Results[0]))
	}
	if tool := report.Tool; tool.Name != "mcpcheck" || tool.Version == "" || tool.Catalogue == "" {
		t.Errorf("the report is by %+v", tool)
	}
}

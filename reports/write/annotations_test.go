package write_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
)

// TestAnnotations: a cause is one line, whatever the target said.
func TestAnnotations(t *testing.T) {
	r := &reports.Report{Results: []reports.Result{
		{ID: "PAGE-02", Title: "A walk ends", Level: "MUST", Revision: "2025-11-25", Transport: "stdio",
			Verdict: reports.Fail, Expected: "an end", Actual: "100%\r\n::error::forged ##[error]forged",
			Hint: "end it"},
		{ID: "ERR-01", Title: "A code", Level: "SHOULD", Revision: "2025-11-25", Transport: "stdio",
			Verdict: reports.Warn, Expected: "-32002", Actual: "-32603"},
		{ID: "ERR-01,file=x::y", Title: "Forged", Level: "MUST", Verdict: reports.Fail},
		{ID: "ERR-02", Title: "Known", Level: "MUST", Revision: "2025-11-25", Transport: "stdio",
			Verdict: reports.Fail, Excused: true},
		{ID: "ERR-03", Title: "Held", Level: "MUST", Revision: "2025-11-25", Transport: "stdio",
			Verdict: reports.Pass},
	}}
	for strict, want := range map[bool]string{
		false: "::error title=mcpcheck PAGE-02::MUST A walk ends (2025-11-25 on stdio)%0Aexpected: an " +
			"end%0Aactual: 100%25",
		true: "::error title=mcpcheck ERR-01::SHOULD A code",
	} {
		var b strings.Builder
		if err := write.Annotations(&b, r, write.Options{Strict: strict}); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"); len(lines) != 3 ||
			!strings.Contains(b.String(), want) {
			t.Errorf("%d lines:\n%s", len(lines), b.String())
		}
		if !strings.Contains(b.String(), "::error title=mcpcheck ERR-01%2Cfile=x%3A%3Ay::MUST Forged") {
			t.Errorf("an id is taken for properties:\n%s", b.String())
		}
		if !strict && !strings.Contains(b.String(), "::warning title=mcpcheck ERR-01::") {
			t.Error("a warning is no warning")
		}
		if strings.Contains(b.String(), "\n::error::forged") || strings.Contains(b.String(), "##[") ||
			strings.Contains(b.String(), "\r") {
			t.Errorf("the target wrote a command:\n%s", b.String())
		}
	}
}

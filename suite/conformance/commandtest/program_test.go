package commandtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/conformance"
)

// presented tells a child process to present a run and to write its report.
const presented = "MCPCHECK_TEST_PRESENTED"

// TestMain is the child process, too: Ginkgo presents once in a process only.
func TestMain(m *testing.M) {
	if os.Getenv(presented) == "" {
		status := m.Run()
		if dir, _ := tools(); dir != "" {
			_ = os.RemoveAll(dir)
		}
		os.Exit(status)
	}
	if err := present(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// config is the same run for both.
func config() (suite.Config, *reference.Server, error) {
	t, server, err := embedded.Target(reference.Options{})
	if err != nil {
		return suite.Config{}, nil, err
	}
	const expression = "area:LIST || area:PAGE || area:READ || area:LIFE"
	filter, err := conformance.Filter(expression)
	return suite.Config{Target: t, Embedded: true, Filter: filter, LabelFilter: expression, Skip: []string{"READ-01"}, QuietWindow: 20 * time.Millisecond}, server, err
}

func present() error {
	c, server, err := config()
	if err != nil {
		return err
	}
	defer server.Close()
	c.Unfiltered = true
	r, err := suite.Prepare(context.Background(), c)
	if err != nil {
		return err
	}
	p := conformance.Build(r, conformance.Expression(c), conformance.Options{})
	p.Run()
	return reports.WriteJSON(os.Stdout, p.Report())
}

// verdicts are what both must agree on.
func verdicts(t *testing.T, r *reports.Report) string {
	t.Helper()
	type verdict struct {
		ID, Revision, Transport, Verdict, Code, Reason, Expected, Actual string
	}
	var all []verdict
	for _, x := range r.Results {
		all = append(all, verdict{x.ID, x.Revision, x.Transport, string(x.Verdict), x.ReasonCode, x.Reason, x.Expected, x.Actual})
	}
	raw, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestPresentation: a run that Ginkgo presents comes to the same verdicts as one
// that nobody presents, and Ginkgo writes nothing of its own.
func TestPresentation(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), presented+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	theirs, err := reports.ReadJSON(&stdout)
	if err != nil {
		t.Fatalf("standard output holds more than the report: %v", err)
	}
	c, server, err := config()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ours, err := suite.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(ours.Results) == 0 {
		t.Fatal("there are no results")
	}
	if a, b := verdicts(t, theirs), verdicts(t, ours); a != b {
		t.Errorf("presented:\n%s\nplain:\n%s", a, b)
	}
}

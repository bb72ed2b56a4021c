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

// presented tells a child process to present a run and to write its report; late, to present it
// when its time is spent.
const presented, late = "MCPCHECK_TEST_PRESENTED", "late"

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
	return suite.Config{Target: t, Embedded: true, Filter: filter, LabelFilter: expression,
		Skip: []string{"READ-01"}, Limits: suite.Limits{QuietWindow: 20 * time.Millisecond}}, server, err
}

func present() error {
	c, server, err := config()
	if err != nil {
		return err
	}
	defer server.Close()
	c.Unfiltered = true
	if os.Getenv(presented) == late {
		c.Budget = 5 * time.Second // enough to find the target on a busy machine
	}
	r, err := suite.Prepare(context.Background(), c)
	if err != nil {
		return err
	}
	if os.Getenv(presented) == late {
		time.Sleep(time.Until(r.Deadline()))
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
		all = append(all, verdict{x.ID, x.Revision, x.Transport, string(x.Verdict), x.ReasonCode, x.Reason,
			x.Expected, x.Actual})
	}
	raw, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// child is the report of a child process.
func child(t *testing.T, how string) *reports.Report {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), presented+"="+how)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	report, err := reports.ReadJSON(&stdout)
	if err != nil {
		t.Fatalf("standard output holds more than the report: %v", err)
	}
	return report
}

// TestTimeIsSpent: where Ginkgo sees first that the time for the whole run is spent, the report says
// that, and not that somebody interrupted it.
func TestTimeIsSpent(t *testing.T) {
	t.Parallel()
	if got := child(t, late).Summary.Interrupted; got != "budget" {
		t.Errorf("the run ended early for %q", got)
	}
}

// TestPresentation: a run that Ginkgo presents comes to the same verdicts as one
// that nobody presents, and Ginkgo writes nothing of its own.
func TestPresentation(t *testing.T) {
	theirs := child(t, "1")
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

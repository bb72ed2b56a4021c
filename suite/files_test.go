package suite_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// embeddingVariable makes [TestOfAUser] judge: its value is the path of a baseline, "-" for none, or
// "half" for an endpoint beside that cannot be reached.
const embeddingVariable = "MCPCHECK_EMBEDDING_TEST"

// TestOfAUser is the test that somebody has of a server of theirs, which is faulty.
func TestOfAUser(t *testing.T) {
	path := os.Getenv(embeddingVariable)
	if path == "" {
		t.Skip("it is run by TestEmbedding")
	}
	c := faulty(t)
	switch path {
	case "-":
	case "half":
		c.Target.Endpoints = append(c.Target.Endpoints, target.Endpoint{Command: []string{"no-such-program"}})
		c.Only = []string{"PAGE-01"}
	default:
		c.Baseline = path
	}
	suite.Test(t, c) // the line that failures name
}

// faulty is a run against a server whose pages never end.
func faulty(t *testing.T) suite.Config {
	judged, server, err := embedded.Target(reference.Options{Faults: []string{"page-02-last-page-cycles"},
		PageSize: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return suite.Config{Target: judged, Only: []string{"PAGE-01", "PAGE-02"},
		Limits:     suite.Limits{QuietWindow: 50 * time.Millisecond},
		Revisions:  []requirement.Revision{requirement.R20251125},
		Transports: []requirement.Transport{requirement.Stdio}}
}

// TestEmbedding: a failure of a test says where the test stands, what proves it and how it is
// repeated, and that repeats it; what a baseline excuses fails nothing.
func TestEmbedding(t *testing.T) {
	t.Parallel()
	tested := func(value string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.v"}, args...)...)
		c.Env = append(os.Environ(), embeddingVariable+"="+value)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	out, err := tested("-", "-test.run", "^TestOfAUser$")
	if err == nil || !strings.Contains(out, "--- FAIL: TestOfAUser/2025-11-25/stdio/PAGE-02") ||
		!strings.Contains(out, "--- PASS: TestOfAUser/2025-11-25/stdio/PAGE-01") {
		t.Fatalf("got %v\n%s", err, out)
	}
	for _, part := range []string{"files_test.go:",
		"PAGE-02 A walk through the pages ends (MUST, 2025-11-25 on stdio, ", "expected: ", "actual: ",
		"change: ", `"nextCursor"`, "repeat:   go test -count=1 -run '"} {
		if !strings.Contains(out, part) {
			t.Errorf("the failure lacks %q:\n%s", part, out)
		}
	}
	pattern := regexp.MustCompile(`repeat: .* -run '(.*)'`).FindStringSubmatch(out)
	if pattern == nil {
		t.Fatalf("no pattern in\n%s", out)
	}
	if out, err := tested("-", "-test.run", pattern[1]); err == nil ||
		!strings.Contains(out, "--- FAIL: TestOfAUser/2025-11-25/stdio/PAGE-02") ||
		strings.Contains(out, "PAGE-01") {
		t.Errorf("repeated by %s: %v\n%s", pattern[1], err, out)
	}
	if out, err := tested("half", "-test.run", "^TestOfAUser$"); err == nil ||
		!strings.Contains(out, "files_test.go:") || !strings.Contains(out, "no-such-program") {
		t.Errorf("an endpoint that cannot be reached: got %v\n%s", err, out)
	}
	known := filepath.Join(t.TempDir(), "known.txt")
	for text, want := range map[string]string{
		"PAGE-02  # the router\n": "--- SKIP: TestOfAUser/2025-11-25/" +
			"stdio/PAGE-02",
		"PAGE-02  # known\nPAGE-01 @2025-11-25 @stdio  # mended now\n": "PAGE-01",
		"PAGE-99  # mistyped\n": `there is no requirement "PAGE-99"`,
	} {
		if err := os.WriteFile(known, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := tested(known, "-test.run", "^TestOfAUser$")
		if !strings.Contains(out, want) || (err == nil) != strings.HasPrefix(want, "--- SKIP") {
			t.Errorf("%q: got %v\n%s", text, err, out)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := faulty(t)
	c.Files = suite.Files{JSON: filepath.Join(dir, "r.json"), HTML: filepath.Join(dir, "r.html"),
		JUnit:    filepath.Join(dir, "r.xml"),
		Markdown: filepath.Join(dir, "r.md"), SARIF: filepath.Join(dir, "r.sarif")}
	c.Baseline = filepath.Join(dir, "known.txt")
	if err := os.WriteFile(c.Baseline, []byte("PAGE-02  # known\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := suite.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(c.Files.JSON)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reports.ReadJSON(bytes.NewReader(data))
	if err != nil || r.Summary.Excused != 1 {
		t.Errorf("got %v, %+v", err, r)
	}
	for _, path := range []string{c.Files.HTML, c.Files.JUnit, c.Files.Markdown, c.Files.SARIF} {
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "PAGE-02") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, wrong := range []suite.Files{{JSON: filepath.Join(dir, "no", "r.json")}, {HTML: "-"},
		{JSON: c.Files.JSON, HTML: c.Files.JSON}} {
		c.Files = wrong
		if r, err := suite.Run(t.Context(), c); r != nil || err == nil ||
			!strings.HasPrefix(err.Error(), "a report cannot be written: ") {
			t.Errorf("%+v: got %v", wrong, err)
		}
	}
}

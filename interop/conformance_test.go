package interop

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// check is one of the checks of a scenario of the official conformance suite.
type check struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  string `json:"errorMessage"`
}

// failed reports whether the suite holds something against the server.
func (c check) failed() bool { return c.Status == "FAILURE" || c.Status == "WARNING" }

// inScope are the scenarios of the official conformance suite that are about resources, lists and
// what they rest on, for each revision. All of their checks have to pass but those of outOfScope.
var inScope = map[string][]string{
	"2025-11-25": {
		"completion-complete", "dns-rebinding-protection", "logging-set-level", "ping", "prompts-get-simple",
		"prompts-list", "resources-list", "resources-read-binary", "resources-read-text",
		"resources-subscribe", "resources-templates-read",
		"resources-unsubscribe", "server-initialize", "server-session-lifecycle",
		"server-sse-multiple-streams",
		"tools-call-simple-text", "tools-list",
	},
	modern: {
		"caching", "completion-complete", "dns-rebinding-protection", "http-header-validation",
		"prompts-get-simple", "prompts-list", "resources-list", "resources-read-binary",
		"resources-read-text", "resources-templates-read",
		"sep-2164-resource-not-found", "server-sse-multiple-streams", "server-stateless",
		"tools-call-simple-text", "tools-list",
	},
}

// The reasons for which a check cannot pass with a server of resources.
const (
	noTools = "it calls tools of a kind that the world has none of; which tools there are is up to a " +
		"server (server/tools#listing-tools)"
	noPrompts = "it gets a prompt with arguments, or completes one; which prompts there are is up to a " +
		"server (server/prompts#listing-prompts)"
	noExtension = "extensions are negotiated, and one that a server does not name is not spoken (basic/" +
		"versioning#extension-negotiation)"
)

// outOfScope are the checks that cannot pass, by revision and scenario.
var outOfScope = map[string]map[string]map[string]string{
	"2025-11-25": {
		"completion-complete": {"completion-complete": noPrompts},
	},
	modern: {
		"completion-complete": {"completion-complete": noPrompts},
		"server-stateless": {
			"sep-2575-server-rejects-undeclared-capability":          noTools,
			"sep-2575-missing-capability-http-400":                   noTools,
			"sep-2575-http-server-no-independent-requests-on-stream": noTools,
			"sep-2575-server-no-log-without-loglevel":                noTools,
		},
	},
}

// otherScenarios says why scenarios are not in scope, by the beginning of their name.
var otherScenarios = map[string]string{
	"tools-": noTools, "prompts-": noPrompts, "tasks-": noExtension, "sep-2640-skills-": noExtension,
	"elicitation-":                         "it calls a tool that asks the user: " + noTools,
	"json-schema-2020-12":                  "it looks at the schema of a tool: " + noTools,
	"server-sse-polling":                   "it calls a tool that takes its time: " + noTools,
	"http-custom-header-server-validation": "the headers are those that tools ask for: " + noTools,
	"input-required-result-": "the tools and prompts that ask for input are missing: " +
		noTools,
}

// TestConformanceSuite runs the official conformance suite against the world that is made
// for it.
func TestConformanceSuite(t *testing.T) {
	node, dir := installNode(t)
	suite := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	url := serveMock(t, "public-suites")
	for _, revision := range []string{"2025-11-25", modern} {
		t.Run(revision, func(t *testing.T) {
			into := t.TempDir()
			cmd := exec.CommandContext(t.Context(), node, suite, "server", "--url", url, "--requirements",
				revision, "--timeout", "15000", "-o", into)
			out, err := cmd.CombinedOutput() // fails, for what is out of scope
			scenarios := results(t, into)
			if len(scenarios) == 0 {
				t.Fatalf("the suite judged nothing: %v\n%s", err, out)
			}
			judgeScenarios(t, revision, scenarios)
		})
	}
}

// judgeScenarios compares what the suite found with the tables.
func judgeScenarios(t *testing.T, revision string, scenarios map[string][]check) {
	t.Helper()
	for _, name := range inScope[revision] {
		if _, ok := scenarios[name]; !ok {
			t.Errorf("%s was not run", name)
		}
	}
	for name, checks := range scenarios {
		if !slices.Contains(inScope[revision], name) {
			if !explained(name) {
				t.Errorf("nothing says why %s is out of scope", name)
			}
			continue
		}
		passed := 0
		failed := map[string]bool{}
		for _, c := range checks {
			if !c.failed() {
				passed++
				continue
			}
			failed[c.ID] = true
			if outOfScope[revision][name][c.ID] == "" {
				t.Errorf("%s: %s %s: %s", name, c.Status, c.ID, c.Error)
			}
		}
		for id := range outOfScope[revision][name] {
			if !failed[id] {
				t.Errorf("%s: %s passes, though it is listed as one that cannot", name, id)
			}
		}
		t.Logf("%s: %d of %d checks pass", name, passed, len(checks))
	}
}

// explained reports whether there is a reason for a scenario to be out of scope.
func explained(name string) bool {
	for prefix := range otherScenarios {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// resultDir is how the suite names the directory of a scenario.
var resultDir = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// results reads what the suite has written: the checks of each scenario.
func results(t *testing.T, dir string) map[string][]check {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]check{}
	for _, d := range list {
		m := resultDir.FindStringSubmatch(d.Name())
		if m == nil {
			t.Errorf("%s is not named after a scenario", d.Name())
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, d.Name(), "checks.json"))
		if err != nil {
			t.Fatal(err)
		}
		var checks []check
		if err := json.Unmarshal(data, &checks); err != nil {
			t.Fatalf("%s: %v", d.Name(), err)
		}
		all[m[1]] = checks
	}
	return all
}

// serveMock starts the mock server with a world and returns its address. It is ended
// with the test.
func serveMock(t *testing.T, world string) string {
	t.Helper()
	return serveProgram(t, buildMock(t), "--world", world)
}

// serveProgram is serveMock with a mock server that was built before, and flags.
func serveProgram(t *testing.T, mock string, flags ...string) string {
	t.Helper()
	cmd := exec.Command(mock, append([]string{"--http", "127.0.0.1:0"}, flags...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			select {
			case said <- lines.Text():
			default: // only the first line tells the address
			}
		}
		_ = cmd.Wait() // that it was killed is no news
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("the mock server cannot be ended: %v", err)
		}
		<-ended
	})
	select {
	case line := <-said:
		if url := regexp.MustCompile(`http://\S+/mcp`).FindString(line); url != "" {
			return url
		}
		t.Fatalf("the mock server says %q", line)
	case <-ended:
		t.Fatal("the mock server ended before it listened")
	case <-time.After(start):
		t.Fatal("the mock server does not listen")
	}
	return ""
}

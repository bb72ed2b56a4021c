package commandtest

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/onsi/ginkgo/v2/types"
)

// tools are the programs that the tests run: the command ginkgo, the suite, and a server.
var tools = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "commandtest"); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"build", "-o", dir, "github.com/onsi/ginkgo/v2/ginkgo",
			"github.com/mcpcheck/mcpcheck/cmd/mockserver"},
		{"test", "-c", "-vet=off", "-o", filepath.Join(dir, "conformance.test"),
			"github.com/mcpcheck/mcpcheck/suite/conformance"},
	} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			os.Stderr.Write(out)
			return dir, err
		}
	}
	return dir, nil
})

func tool(t *testing.T, name string) string {
	t.Helper()
	dir, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// outcome is what came of a run of the command.
type outcome struct {
	status int
	text   string
	report types.Report
	junit  string
}

// TestTypos: labels that nothing bears and flags that there are not are told in a sentence.
func TestTypos(t *testing.T) {
	for flag, want := range map[string]string{
		"--ginkgo.label-filter=area:PGAE": "which no requirement bears: did you " +
			"mean PAGE?",
		"--ginkgo.label-filter=rev:2025-11-25 && rev:2025-06-18": "no specs ran",
		"--quick":      "there is no flag --quick here: -help lists all; what is judged",
		"--tiemout=3s": "did you mean timeout?",
		"--timeout=5":  "-help lists all flags",
	} {
		out, err := exec.CommandContext(t.Context(), tool(t, "conformance.test"), "--ginkgo.no-color",
			flag).CombinedOutput()
		const most = 2000 // of characters, where the list of all flags has 20,000
		if err == nil || !strings.Contains(string(out), want) || len(out) > most {
			t.Errorf("%s: %v, %d bytes\n%s", flag, err, len(out), out[:min(len(out), most)])
		}
	}
}

// ginkgo runs the suite with flags of Ginkgo and, behind --, those of the suite.
func ginkgo(t *testing.T, flags []string, args ...string) outcome {
	t.Helper()
	return ginkgoOn(t, tool(t, "conformance.test"), flags, args...)
}

// ginkgoOn runs a suite that is built, or one that is a directory.
func ginkgoOn(t *testing.T, suite string, flags []string, args ...string) outcome {
	t.Helper()
	o := outcome{}
	dir := t.TempDir()
	flags = append([]string{"--no-color", "--json-report=r.json", "--junit-report=r.xml",
		"--output-dir=" + dir}, flags...)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool(t, "ginkgo"), slices.Concat(flags, []string{suite, "--"}, args)...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	o.status, o.text = cmd.ProcessState.ExitCode(), string(out)
	var all []types.Report
	if raw, err := os.ReadFile(filepath.Join(dir, "r.json")); err != nil {
		t.Fatalf("%v\n%s", err, o.text)
	} else if err := json.Unmarshal(raw, &all); err != nil || len(all) != 1 {
		t.Fatalf("%d reports: %v", len(all), err)
	}
	o.report = all[0]
	raw, err := os.ReadFile(filepath.Join(dir, "r.xml"))
	if err != nil || xml.Unmarshal(raw, new(struct{})) != nil {
		t.Errorf("the JUnit report: %v", err)
	}
	o.junit = string(raw)
	return o
}

// ran lists the specs that were run, by their requirement.
func (o *outcome) ran(states types.SpecState) []string {
	var all []string
	for _, s := range o.report.SpecReports {
		if s.LeafNodeType == types.NodeTypeIt && s.NumAttempts > 0 && s.State.Is(states) {
			id, _, _ := strings.Cut(s.LeafNodeText, " ")
			all = append(all, id)
		}
	}
	return all
}

// reached are the states of specs that were run.
var reached = types.SpecStatePassed | types.SpecStateSkipped | types.SpecStateFailureStates

// server is a reference server with faults. It counts the requests.
func server(t *testing.T, faults ...string) (url string, requests *atomic.Int64) {
	t.Helper()
	_, s, err := embedded.Target(reference.Options{Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	requests = &atomic.Int64{}
	h := s.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL + "/mcp", requests
}

// at is how the suite is told of a server: one combination is enough.
func at(url string) []string {
	return []string{"--url=" + url, "--transport=http", "--revision=2025-11-25", "--quiet-window=50ms"}
}

const wrong = "list-02-missing-name" // breaks LIST-02, a MUST

func TestDryRun(t *testing.T) {
	t.Parallel()
	url, requests := server(t)
	o := ginkgo(t, []string{"--dry-run", "-v"}, at(url)...)
	if o.status != 0 || requests.Load() != 0 || !strings.Contains(o.text, "PAGE-02 ") {
		t.Errorf("status %d, %d requests\n%s", o.status, requests.Load(), o.text)
	}
}

// TestDirectory: the directory of the suite does as well as what is built of it: flags of both reach it.
func TestDirectory(t *testing.T) {
	t.Parallel()
	url, requests := server(t, wrong)
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	o := ginkgoOn(t, dir, []string{"--label-filter=id:LIST-02"}, at(url)...)
	if failed := o.ran(types.SpecStateFailureStates); o.status != 1 || requests.Load() == 0 ||
		!slices.Equal(failed, []string{"LIST-02"}) || len(o.ran(reached)) != 1 {
		t.Errorf("status %d, %d requests, %q failed\n%s", o.status, requests.Load(), failed, o.text)
	}
}

func TestLabelFilterAndReports(t *testing.T) {
	t.Parallel()
	url, _ := server(t, wrong)
	const secret = "a-key-that-nobody-may-see"
	o := ginkgo(t, []string{"--label-filter=area:LIST || id:PAGE-02"},
		append(at(url), "--header=X-Key: "+secret)...)
	if raw, err := json.Marshal(o.report); err != nil || strings.Contains(string(raw)+o.junit+o.text,
		secret) || !strings.Contains(string(raw), "X-Key") {
		t.Errorf("a secret is told, or the frames have no headers: %v", err)
	}
	ran := o.ran(reached)
	if o.status != 1 || len(ran) < 5 || slices.ContainsFunc(ran, func(id string) bool {
		return !strings.HasPrefix(id, "LIST-") && id != "PAGE-02"
	}) {
		t.Fatalf("status %d, %q ran\n%s", o.status, ran, o.text)
	}
	const frame = " ← HTTP 200 application/json {"
	n := strings.Count(o.text, "\n  expected: ")
	if n != 1 || !strings.Contains(o.text, frame) || !strings.Contains(o.junit, frame[:9]) {
		t.Errorf("the failure stands there %d times, or its frames are not as on the console\n%s", n, o.text)
	}
	if strings.Contains(o.text, "SSS") {
		t.Errorf("what the filter leaves out is printed:\n%s", o.text)
	}
	if failed := o.ran(types.SpecStateFailureStates); !slices.Equal(failed, []string{"LIST-02"}) {
		t.Fatalf("%q failed", failed)
	}
	for _, s := range o.report.SpecReports {
		if !strings.HasPrefix(s.LeafNodeText, "LIST-02 ") {
			continue
		}
		entries := map[string]types.ReportEntry{}
		for _, e := range s.ReportEntries {
			entries[e.Name] = e
		}
		for _, name := range []string{"verdict", "expected", "actual", "hint", "repeat", "frames"} {
			if e, ok := entries[name]; !ok || e.StringRepresentation() == "" ||
				!strings.Contains(o.junit, name) {
				t.Errorf("the entry %q: %+v", name, e)
			}
		}
		var v struct{ ID, Verdict, Section, Expected string }
		if err := json.Unmarshal([]byte(entries["verdict"].Value.AsJSON), &v); err != nil ||
			v.ID != "LIST-02" || v.Verdict != "fail" || v.Section == "" {
			t.Errorf("the verdict is %+v, %v", v, err)
		}
		if !strings.Contains(entries["frames"].StringRepresentation(), "resources/list") ||
			!strings.Contains(s.Failure.Message, "expected: "+v.Expected) {
			t.Errorf("frames %s\nmessage %s", entries["frames"].StringRepresentation(), s.Failure.Message)
		}
		if want := []string{"LIST ", "2025-11-25"}; len(s.ContainerHierarchyTexts) != 2 ||
			!strings.HasPrefix(s.ContainerHierarchyTexts[0], want[0]) ||
			!strings.HasPrefix(s.ContainerHierarchyTexts[1], want[1]) {
			t.Errorf("it stands below %q", s.ContainerHierarchyTexts)
		}
	}
}

// TestKnownFindings: what a baseline excuses is skipped, and what is outdated in it fails the
// suite; the report of mcpcheck is written beside those of Ginkgo.
func TestKnownFindings(t *testing.T) {
	t.Parallel()
	url, _ := server(t, wrong)
	dir := t.TempDir()
	known, report := filepath.Join(dir, "known.txt"), filepath.Join(dir, "report.json")
	for text, status := range map[string]int{"LIST-02  # the router": 0,
		"LIST-02  # the router\nLIST-01 @2025-11-25 @http  # mended": 1} {
		if err := os.WriteFile(known, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := ginkgo(t, []string{"--label-filter=id:LIST-02 || id:LIST-01"},
			append(at(url), "--baseline="+known, "--json="+report)...)
		if o.status != status || status == 1 != strings.Contains(o.text, "LIST-01 @2025-11-25 @http") {
			t.Errorf("%q: status %d\n%s", text, o.status, o.text)
		}
		if raw, err := os.ReadFile(report); err != nil || !strings.Contains(string(raw), `"excused":true`) ||
			!strings.Contains(string(raw),
				"go test github.com/mcpcheck/mcpcheck/suite/conformance "+
					"-ginkgo.label-filter='id:LIST-02 \\u0026\\u0026 rev:2025-11-25 \\u0026\\u0026 "+
					"transport:http' -args ") &&
				!strings.Contains(string(raw),
					"-ginkgo.label-filter='id:LIST-02 && rev:2025-11-25 && transport:http' -args ") ||
			!strings.Contains(string(raw), `"scope":"partial"`) ||
			strings.Contains(string(raw), `"interrupted"`) ||
			!strings.Contains(string(raw), `"summary":{"pass":1,"fail":1,`) ||
			strings.Contains(string(raw), "--json=") {
			t.Errorf("%q: %v\n%s", text, err, raw)
		}
	}
}

func TestFocusAndSkip(t *testing.T) {
	t.Parallel()
	url, requests := server(t)
	o := ginkgo(t, []string{"--focus=PAGE-0[1-3]", "--skip=PAGE-03"}, at(url)...)
	if ran := o.ran(reached); o.status != 0 || !slices.Equal(slices.Sorted(slices.Values(ran)),
		[]string{"PAGE-01", "PAGE-02"}) {
		t.Errorf("status %d, %q ran\n%s", o.status, ran, o.text)
	}
	if n := requests.Load(); n > 100 {
		t.Errorf("%d requests for two requirements: what the others need was played as well", n)
	}
}

func TestFailFast(t *testing.T) {
	t.Parallel()
	url, _ := server(t, wrong)
	o := ginkgo(t, []string{"--fail-fast", "--label-filter=area:LIST"}, at(url)...)
	if failed, ran := o.ran(types.SpecStateFailureStates), o.ran(reached); o.status != 1 ||
		!slices.Equal(failed, []string{"LIST-02"}) || ran[len(ran)-1] != "LIST-02" {
		t.Errorf("status %d, %q failed of %q\n%s", o.status, failed, ran, o.text)
	}
}

func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	url, _ := server(t, wrong)
	o := ginkgo(t, []string{"--procs=2", "--label-filter=area:LIST"}, at(url)...)
	ran := o.ran(reached)
	if once := slices.Compact(slices.Sorted(slices.Values(ran))); o.status != 1 || len(ran) < 5 ||
		len(once) != len(ran) {
		t.Errorf("status %d, %q ran\n%s", o.status, ran, o.text)
	}
	for _, s := range o.report.SpecReports {
		if s.LeafNodeType == types.NodeTypeIt && s.NumAttempts > 0 && s.ParallelProcess != 1 {
			t.Errorf("%s ran in process %d", s.LeafNodeText, s.ParallelProcess)
		}
	}
}

// A server that never answers a read: the time for the suite ends the run.
func TestTimeout(t *testing.T) {
	t.Parallel()
	url, _ := server(t, "rpc-09-never-answers")
	o := ginkgo(t, []string{"--timeout=3s", "--label-filter=area:READ || area:RPC"}, at(url)...)
	if o.status != 1 || !strings.Contains(strings.Join(o.report.SpecialSuiteFailureReasons, " "), "Timeout") {
		t.Errorf("status %d, %q\n%s", o.status, o.report.SpecialSuiteFailureReasons, o.text)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	o := ginkgo(t, []string{"--label-filter=area:LIST"}, at("http://127.0.0.1:1/mcp")...)
	if failed := o.ran(types.SpecStateFailureStates); o.status != 1 || len(failed) != 1 ||
		!strings.Contains(o.text, "the target could not be judged") {
		t.Errorf("status %d, %q failed\n%s", o.status, failed, o.text)
	}
}

// Of two endpoints one cannot be reached. The spec that fails with that has a verdict, too: the report has
// it, and the run is not one that was left before its end.
func TestOneUnreachable(t *testing.T) {
	t.Parallel()
	url, _ := server(t)
	results := map[string]int{}
	for name, endpoints := range map[string]string{"alone": "- url: " + url,
		"beside": "- url: " + url + "\n- url: http://127.0.0.1:1/mcp"} {
		dir := t.TempDir()
		config, report := filepath.Join(dir, "target.yaml"), filepath.Join(dir, "report.json")
		if err := os.WriteFile(config, []byte("endpoints:\n"+endpoints+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		o := ginkgo(t, []string{"--label-filter=area:LIST && rev:2025-11-25"}, "--config="+config,
			"--json="+report)
		raw, err := os.ReadFile(report)
		if err != nil {
			t.Fatalf("%v\n%s", err, o.text)
		}
		r, err := reports.ReadJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if failed := len(o.ran(types.SpecStateFailureStates)); r.Summary.Interrupted != "" ||
			failed != map[string]int{"beside": 1}[name] {
			t.Errorf("%s: ended early for %q, %d specs failed\n%s", name, r.Summary.Interrupted, failed,
				o.text)
		}
		results[name] = len(r.Results)
	}
	if results["alone"] == 0 || results["alone"] != results["beside"] {
		t.Errorf("results: %v", results)
	}
}

// The test binary alone is what "go test ./suite/conformance -args ..." runs.
func TestGoTest(t *testing.T) {
	t.Parallel()
	url, _ := server(t)
	out, err := exec.Command(tool(t, "conformance.test"),
		append([]string{"-test.run=TestConformance", "-ginkgo.focus=LIST-0", "-ginkgo.no-color"},
			at(url)...)...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("SUCCESS!")) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = exec.Command(tool(t, "conformance.test"), "-test.run=TestConformance",
		"--url=nonsense").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("--url has no scheme")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// An interrupt ends the run, and the processes of the target with it.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	mock := tool(t, "mockserver")
	link := filepath.Join(t.TempDir(), "mock-of-this-test")
	if err := os.Symlink(mock, link); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(tool(t, "conformance.test"), "-test.run=TestConformance", "-ginkgo.no-color", "--",
		link, "serve", "--stdio")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); running(t, link) < 2 && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err == nil || !strings.Contains(out.String(), "Interrupted by User") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if n := running(t, link); n > 0 {
		t.Errorf("%d processes of the target are left", n)
	}
}

// running counts the processes with a name.
func running(t *testing.T, name string) int {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	if len(files) == 0 {
		t.Skip("this system does not list its processes in /proc")
	}
	n := 0
	for _, f := range files {
		if raw, err := os.ReadFile(f); err == nil && bytes.HasPrefix(raw, []byte(name)) {
			n++
		}
	}
	return n
}

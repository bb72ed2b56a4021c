package proof

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/badtarget"
	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
)

// Memory and time that a run may take, whatever the target does. The budget is
// what the runs are given; ending the target takes time on top of it.
const (
	mostMemory = 256 << 20
	budget     = 6 * time.Second
	ending     = 30 * time.Second
)

// program, mockserver and badTarget build the programs, once.
var (
	program    = sync.OnceValues(func() (string, error) { return build("mcpcheck") })
	mockserver = sync.OnceValues(func() (string, error) { return build("mockserver") })
	badTarget  = sync.OnceValues(func() (string, error) {
		dir, err := programs()
		if err != nil {
			return "", err
		}
		return filepath.Join(dir, "badtarget"), badtarget.Build(dir)
	})
)

// programs is where they are: a directory of ours in the place for such.
var programs = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "mcpcheck") })

func build(name string) (string, error) {
	dir, err := programs()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	out, err := exec.Command("go", "build", "-o", path, "github.com/mcpcheck/mcpcheck/cmd/"+
		name).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
}

func TestMain(m *testing.M) {
	// Some tests wait for processes in real time: others run meanwhile.
	flag.Parse()
	if at := flag.Lookup("test.parallel"); at.Value.String() == at.DefValue {
		if err := at.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err) // it is a number
		}
	}
	// Thousands of short conversations leave much garbage and little else: it is collected
	// seldom, as long as there is room.
	debug.SetGCPercent(1200)
	debug.SetMemoryLimit(2 << 30)
	status := m.Run()
	if dir, err := programs(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(status)
}

// outcome is what a run left behind.
type outcome struct {
	status         int
	took           time.Duration
	memory         int64 // bytes, at the most
	stdout, stderr string
	report         *reports.Report
	files          map[string]string // by flag
}

// run runs mcpcheck as a child process, with short times, and reads its report.
func run(t *testing.T, env []string, args ...string) *outcome {
	t.Helper()
	short := []string{"--timeout", "500ms", "--start-timeout", "2s", "--budget", budget.String(),
		"--quiet-window", "50ms"}
	// its memory is judged
	return runWithin(t, 2*(budget+ending), append([]string{"GOGC=100"}, env...), append(short, args...)...)
}

// runWithin is run with the limits of mcpcheck itself, ended after a while.
func runWithin(t *testing.T, limit time.Duration, env []string, args ...string) *outcome {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{"json": filepath.Join(dir, "report.json"),
		"junit": filepath.Join(dir, "report.xml"), "record": filepath.Join(dir, "recording.json")}
	full := []string{"run"}
	for name, file := range files {
		full = append(full, "--"+name, file)
	}
	// Whatever happens, the test ends.
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append(full, args...)...)
	// garbage is collected seldom, as in this process
	cmd.Env = append(append(os.Environ(), "GOGC=800"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	peak := badtarget.PeakMemory(cmd.Process.Pid)
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := &outcome{status: cmd.ProcessState.ExitCode(), took: time.Since(begin), stdout: stdout.String(),
		stderr: stderr.String(), files: files}
	o.memory = peak()
	for name, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("no %s was written: %v", name, err)
		}
	}
	f, err := os.Open(files["json"])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if o.report, err = reports.ReadJSON(f); err != nil {
		t.Errorf("the report cannot be read: %v", err)
	}
	return o
}

// bad is a target and what a run against it has to say.
type bad struct {
	mode string
	// status is the exit status; cause a pattern of the line that says why.
	status int
	cause  string
	args   []string
	slow   bool // not with -short
}

// judgeBad checks what holds for all runs.
func (b *bad) judge(t *testing.T, o *outcome) {
	t.Helper()
	// On a slow machine the budget may end a run before its verdict is confirmed.
	early := o.status == 3 && strings.Contains(o.stdout, "ended early: the time for the whole run")
	if o.status != b.status && !early {
		t.Errorf("exit status %d, not %d", o.status, b.status)
	}
	if o.took > budget+ending {
		t.Errorf("it took %s", o.took)
	}
	if o.memory > mostMemory {
		t.Errorf("it took %d MiB", o.memory>>20)
	}
	found := false
	for line := range strings.Lines(o.stdout + o.stderr) {
		found = found || regexp.MustCompile(b.cause).MatchString(line)
	}
	if !found {
		t.Errorf("no line says %q", b.cause)
	}
	if strings.Contains(o.stderr, "goroutine ") || strings.Contains(o.stdout, "please report this") {
		t.Error("it panicked")
	}
	if t.Failed() {
		t.Logf("stdout:\n%s\nstderr:\n%s", o.stdout, o.stderr)
	}
	t.Logf("%.1f s, %d MiB", o.took.Seconds(), o.memory>>20)
}

// one narrows a run down, where more would only be more of the same.
var one = []string{"--revision", "2025-11-25"}

// TestBadProcesses: whatever a child process does, the run ends in time, in
// bounded memory, with the right status, a valid report and no process left.
func TestBadProcesses(t *testing.T) {
	for _, b := range []bad{
		// On a busy machine a flood may take longer to reach a limit than there is time for
		// the handshake.
		{mode: "exit", status: 3,
			cause: `ended during initialize: the process ended: exit status 7; .*no licence found`},
		// One that is still at work when its time to start is over gets more of it.
		{mode: "silent", status: 3, cause: `initialize was not answered: no answer within [2-6]`},
		{mode: "deaf", status: 3, cause: `initialize was not answered: no answer within [2-6]`, slow: true},
		{mode: "flood", status: 3, cause: `sent more than|initialize was not answered`, slow: true},
		{mode: "pings", status: 3,
			cause: `sent more than|messages and events on one connection|initialize was not answered`,
			slow:  true},
		{mode: "blank", status: 3,
			cause: `sent more than|messages and events on one connection|initialize was not answered`,
			slow:  true},
		{mode: "garbage", status: 3,
			cause: `not answered with JSON: the target sent "\\x00\\xff\{\]\} this is no JSON"`},
		{mode: "cursor", status: 1, cause: `PAGE-04`, args: append([]string{"--label-filter", "area:PAGE"},
			one...)},
		{mode: "third", status: 1, cause: `RPC-09`, args: one},
		{mode: "midline", status: 3, cause: `blocked .*resources/list: the process ended: exit status 0`,
			args: append([]string{"--label-filter", "area:LIST"}, one...)},
		{mode: "late=400ms", status: 0, cause: `NO FAILURES`,
			args: append([]string{"--only", "LIST-01,LIST-02,PAGE-02"}, one...), slow: true},
		{mode: "nothing", status: 3, cause: `NOT ESTABLISHED, nothing was judged`,
			args: append([]string{"--label-filter", "area:LIST || area:READ"}, one...)},
		// its processes end one after the other
		{mode: "stubborn", status: 0, cause: `NO FAILURES`,
			args: append([]string{"--only", "LIST-01", "--budget", "12s"}, one...), slow: true},
		{mode: "banner", status: 0, cause: `NO FAILURES`, args: append([]string{"--only", "LIST-01"},
			one...)},
		{mode: "huge", status: 3,
			cause: `blocked .*LIST-01.*the answer has \d+ bytes|blocked .*LIST-01.*bytes on one connection`,
			args:  append([]string{"--only", "LIST-01", "--timeout", "4s", "--budget", "20s"}, one...),
			slow:  true},
	} {
		t.Run(b.mode, func(t *testing.T) {
			if !sample.Share(b.mode, 2) {
				t.Skip("not in the sample")
			}
			t.Parallel()
			if b.slow && testing.Short() {
				t.Skip("slow")
			}
			bad, err := badTarget()
			if err != nil {
				t.Fatal(err)
			}
			pids := t.TempDir()
			args := append(b.args, "--env-pass", badtarget.EnvDir, "--quiet", "--", bad, b.mode)
			o := run(t, []string{badtarget.EnvDir + "=" + pids}, args...)
			b.judge(t, o)
			noneLeft(t, pids)
		})
	}
}

// TestHarm: a server that serves files from outside, dies of bad JSON and has empty contents
// for what is missing is not conformant, and what harms stands first: bad JSON only the client of a process
// can send.
func TestHarm(t *testing.T) {
	t.Parallel()
	bad, err := badTarget()
	if err != nil {
		t.Fatal(err)
	}
	o := runWithin(t, time.Minute, nil,
		append(one, "--only", "URI-10,URI-13,SEC-63,RPC-14,ERR-09,ERR-10,PAGE-05", "--no-color",
			"--quiet-window", "50ms", "--timeout", "3s",
			"--", bad, "harmful")...)
	if o.status != 1 {
		t.Errorf("exit status %d", o.status)
	}
	got := map[string]string{}
	for _, x := range o.report.Results {
		got[x.ID] = string(x.Verdict) + " " + string(x.Gravity)
	}
	for id, want := range map[string]string{"URI-13": "fail security", "SEC-63": "fail failure",
		"RPC-14": "not-applicable "} {
		if got[id] != want {
			t.Errorf("%s is %q, expected %q", id, got[id], want)
		}
	}
	_, short, _ := strings.Cut(o.stdout, "IN SHORT\n")
	lines := strings.Split(strings.TrimSpace(short), "\n")
	if len(lines) < 4 || !strings.Contains(lines[0], "URI-13   security: ") ||
		!strings.Contains(lines[1], "SEC-63   No message") ||
		!regexp.MustCompile(`^NOT CONFORMANT, partial run  .* 2 failed \(1 security\), `).MatchString(
			lines[len(lines)-1]) {
		t.Errorf("the console ends with\n%s", short)
	}
	var badge bytes.Buffer
	if err := write.Badge(&badge, o.report, ""); err != nil || !strings.Contains(badge.String(),
		"not conformant 0/1 (1 security)") {
		t.Errorf("%v, the badge is %s", err, badge.String())
	}
	if t.Failed() {
		t.Logf("%s\n%s", o.stdout, o.stderr)
	}
}

// TestSpent: a program that cannot be started any more breaks no requirement. What is left open says how
// it ended, and what its last words were.
func TestSpent(t *testing.T) {
	for _, starts := range []string{"2", "6"} {
		t.Run(starts, func(t *testing.T) {
			t.Parallel()
			bad, err := badTarget()
			if err != nil {
				t.Fatal(err)
			}
			o := runWithin(t, time.Minute, []string{badtarget.EnvDir + "=" + t.TempDir()}, "--quiet-window",
				"50ms", "--timeout", "3s",
				"--label-filter", "area:LIFE || area:RPC || area:SEC", "--env-pass", badtarget.EnvDir,
				"--", bad, "spent="+starts)
			told := 0
			for _, x := range o.report.Results {
				if x.Verdict.Red() {
					t.Errorf("%s in %s is %s: %s", x.ID, x.Revision, x.Verdict, x.Actual)
				}
				if x.Verdict == reports.Blocked &&
					strings.Contains(x.Reason,
						"exit status 7; its standard error ends with: badtarget: no space left for the "+
							"lock file") {
					told++
				}
			}
			if o.status != 3 || told == 0 {
				t.Errorf("exit status %d, %d verdicts say how the program ended\n%s", o.status, told,
					o.stdout)
			}
		})
	}
}

// noneLeft checks that no process group of the target is left.
func noneLeft(t *testing.T, pids string) {
	t.Helper()
	files, err := os.ReadDir(pids)
	if err != nil || len(files) == 0 {
		t.Fatalf("no process has left its id: %v", err)
	}
	for _, f := range files {
		pid, err := strconv.Atoi(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(-pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process group %d is still there: %v", pid, err)
		}
	}
}

// listen starts a target that listens on a loopback port, in a process of its
// own: its memory is not to be taken for that of the run. It returns the URL.
func listen(t *testing.T, mode string) string {
	t.Helper()
	if _, err := badTarget(); err != nil {
		t.Fatal(err)
	}
	dir, _ := programs() // where that is
	file := filepath.Join(t.TempDir(), "url")
	cmd := exec.Command(filepath.Join(dir, "badserver"), mode, file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
	})
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if url, err := os.ReadFile(file); err == nil {
			return string(url)
		}
	}
	t.Fatal("the target does not listen")
	return ""
}

// TestOrphanedGateway: where the server behind a gateway dies, while the gateway lives on and says so, no
// requirement is broken by its answers from then on.
func TestOrphanedGateway(t *testing.T) {
	t.Parallel()
	o := runWithin(t, time.Minute, nil, "--only",
		"LIFE-10,CAP-06,CAP-07,CAP-08,LIST-01,LIST-15,URI-08,ERR-10", "--quiet-window", "50ms", "--url",
		listen(t, "orphaned"))
	blocked := 0
	for _, x := range o.report.Results {
		switch {
		case x.Verdict.Red():
			t.Errorf("%s in %s is %s: %s", x.ID, x.Revision, x.Verdict, x.Actual)
		case x.Verdict == reports.Blocked && strings.Contains(x.Reason, "behind the target is gone"):
			blocked++
		}
	}
	if blocked == 0 || o.status != 3 {
		t.Errorf("exit status %d, %d verdicts blocked\n%s", o.status, blocked, o.stdout)
	}
}

// TestBadAddresses is the same for what listens at a URL.
func TestBadAddresses(t *testing.T) {
	for _, b := range []bad{
		{mode: "hang", status: 3, cause: `initialize was not answered: no answer within 2s`},
		{mode: "html", status: 3,
			cause: `HTTP 200 with a body of type "text/html", without a JSON-RPC response`},
		{mode: "error", status: 3, cause: `HTTP 500`},
		{mode: "throttle", status: 3, cause: `HTTP 429`},
		{mode: "garbage", status: 3, cause: `HTTP 200 without a JSON-RPC response`},
		{mode: "endless-json", status: 3, cause: `longer than 16777216 bytes`, slow: true},
		{mode: "endless-sse", status: 3,
			cause: `sent more than|not answered|messages and events on one connection`, slow: true},
		{mode: "endless-comments", status: 3, cause: `sent more than|not answered`, slow: true},
		{mode: "endless-header", status: 3, cause: `the head of the response .* is longer than`, slow: true},
		{mode: "cursor", status: 1, cause: `PAGE-04`, args: append([]string{"--label-filter", "area:PAGE"},
			one...)},
		{mode: "late=400ms", status: 0, cause: `NO FAILURES`,
			args: append([]string{"--only", "LIST-01,LIST-02,PAGE-02"}, one...), slow: true},
		{mode: "huge", status: 3, cause: `blocked .*LIST-01.*longer than 16777216 bytes`,
			args: append([]string{"--only", "LIST-01", "--timeout", "4s"}, one...), slow: true},
	} {
		t.Run(b.mode, func(t *testing.T) {
			if !sample.Share(b.mode, 2) {
				t.Skip("not in the sample")
			}
			t.Parallel()
			if b.slow && testing.Short() {
				t.Skip("slow")
			}
			o := run(t, nil, append(b.args, "--quiet", "--url", listen(t, b.mode))...)
			b.judge(t, o)
		})
	}
}

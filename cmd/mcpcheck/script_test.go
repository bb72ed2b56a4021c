package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/badtarget"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mcpcheck": main,
		// badtarget MODE: a server on standard input and output.
		"badtarget": func() { os.Exit(badtarget.Main(os.Args[1])) },
		// badserver MODE FILE: one on a loopback port; FILE gets the address.
		"badserver": func() { os.Exit(badtarget.Listen(os.Args[1], os.Args[2])) },
	})
}

// TestScripts plays the command line; see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			pids := filepath.Join(e.WorkDir, "pids")
			e.Setenv(badtarget.EnvDir, pids)
			e.Setenv("CLOSED", closedPort())
			return os.Mkdir(pids, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    status,
			"sentence":  sentence,
			"waitfile":  waitFile,
			"report":    validReport,
			"same":      sameResults,
			"catalogue": validCatalogue,
			"noneleft":  noneLeft,
			"interrupt": interrupt,
		},
	})
}

// closedPort is a loopback address where nobody listens.
func closedPort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:1"
	}
	defer l.Close()
	return l.Addr().String()
}

// status N COMMAND...: the command ends with exit status N.
func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// sentence: what stands on standard error is one line that begins with the name
// of the program; it has no trace of how the program is made.
func sentence(ts *testscript.TestScript, _ bool, _ []string) {
	text := ts.ReadFile("stderr")
	line, ended := strings.CutSuffix(text, "\n")
	if !ended || strings.Contains(line, "\n") || !strings.HasPrefix(line, "mcpcheck: ") {
		ts.Fatalf("not one sentence: %q", text)
	}
	for _, word := range []string{"goroutine", "%!", "context deadline exceeded", "0x"} {
		if strings.Contains(line, word) {
			ts.Fatalf("the sentence has %q in it: %s", word, line)
		}
	}
}

// waitfile FILE VARIABLE: waits for a file and puts its content into a variable.
func waitFile(ts *testscript.TestScript, _ bool, args []string) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil {
			ts.Setenv(args[1], string(data))
			return
		}
	}
	ts.Fatalf("%s did not come", args[0])
}

// read reads a report.
func read(ts *testscript.TestScript, file string) *reports.Report {
	r, err := reports.ReadJSON(strings.NewReader(ts.ReadFile(file)))
	ts.Check(err)
	return r
}

// report FILE [VERDICT CODE]: the report can be read; if a verdict and a code are
// given, a result has both.
func validReport(ts *testscript.TestScript, neg bool, args []string) {
	r := read(ts, args[0])
	if len(args) < 3 {
		return
	}
	found := slices.ContainsFunc(r.Results, func(x reports.Result) bool {
		return string(x.Verdict) == args[1] && x.ReasonCode == args[2]
	})
	if found == neg {
		ts.Fatalf("a result with %s %s: %t", args[1], args[2], found)
	}
}

// same REPORT REPORT: the results are the same, but for the time that they took
// and the numbers of frames.
func sameResults(ts *testscript.TestScript, _ bool, args []string) {
	a, b := read(ts, args[0]), read(ts, args[1])
	if len(a.Results) == 0 || len(a.Results) != len(b.Results) {
		ts.Fatalf("%d and %d results", len(a.Results), len(b.Results))
	}
	for i := range a.Results {
		x, y := a.Results[i], b.Results[i]
		if x.ID != y.ID || x.Revision != y.Revision || x.Transport != y.Transport || x.Verdict != y.Verdict ||
			x.ReasonCode != y.ReasonCode || x.Level != y.Level || x.Section != y.Section {
			ts.Fatalf("result %d differs:\n%+v\n%+v", i, x, y)
		}
	}
}

// catalogue FILE: the file is what "list --json" promises.
func validCatalogue(ts *testscript.TestScript, _ bool, args []string) {
	var all []map[string]any
	ts.Check(json.NewDecoder(bytes.NewBufferString(ts.ReadFile(args[0]))).Decode(&all))
	if len(all) < 200 {
		ts.Fatalf("%d requirements", len(all))
	}
	for _, x := range all {
		for name, kind := range map[string]any{"id": "", "title": "", "level": "", "grade": "", "section": "", "since": "",
			"check": true, "revisions": []any{}, "transports": []any{}, "faults": []any{}} {
			if fmt.Sprintf("%T", x[name]) != fmt.Sprintf("%T", kind) {
				ts.Fatalf("%v: %s is %T", x["id"], name, x[name])
			}
		}
		if _, told := x["reason"].(string); x["check"] == false && !told {
			ts.Fatalf("%v has neither check nor reason", x["id"])
		}
	}
}

// noneleft: no process of the target is left.
func noneLeft(ts *testscript.TestScript, _ bool, _ []string) {
	files, err := os.ReadDir(ts.Getenv(badtarget.EnvDir))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("no process was started")
	}
	for _, f := range files {
		pid, err := strconv.Atoi(f.Name())
		ts.Check(err)
		gone := func() bool { return errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) || zombie(pid) }
		// A process whose parent was in a hurry is reaped by somebody else.
		for end := time.Now().Add(2 * time.Second); !gone() && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		}
		if !gone() {
			ts.Fatalf("the process group %d is still there", pid)
		}
	}
}

// zombie reports whether a process has ended, but nobody has asked how.
func zombie(pid int) bool {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(data), ") Z ")
}

// interrupt SIGNAL[+SIGNAL] N COMMAND...: starts the command, sends it the signals
// once the target has been up for a moment, and expects exit status N.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	path, err := exec.LookPath(args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), badtarget.EnvDir+"="+ts.Getenv(badtarget.EnvDir))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ts.Check(cmd.Start())
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if files, err := os.ReadDir(ts.Getenv(badtarget.EnvDir)); err == nil && len(files) > 0 {
			break
		}
	}
	time.Sleep(700 * time.Millisecond) // past detection, which takes the target 0.3 s
	for i, name := range strings.Split(args[0], "+") {
		if i > 0 {
			time.Sleep(200 * time.Millisecond)
		}
		ts.Check(cmd.Process.Signal(signals[name]))
	}
	done := time.AfterFunc(15*time.Second, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !done.Stop() {
		ts.Fatalf("it did not end:\n%s", out.String())
	}
	ts.Logf("%s", out.String())
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("exit status %s (%v)", got, err)
	}
}

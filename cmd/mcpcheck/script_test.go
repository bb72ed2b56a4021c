package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	// Many tests wait for processes in real time: others run meanwhile, unless the command line says how
	// many. Under its own name this program is mcpcheck, which Ginkgo does not want to see that flag in.
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") != "mcpcheck" {
		if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
			panic(err) // it is a number
		}
	}
	testscript.Main(m, map[string]func(){"mcpcheck": main, "orderly": orderly,
		"badtarget": func() { os.Exit(badtarget.Main(os.Args[1])) }})
}

// repository is the root of the module: scripts are played elsewhere.
var repository = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// TestScripts plays the command line; see testdata/script.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	if err := badtarget.Build(dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+dir)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			pids := filepath.Join(e.WorkDir, badtarget.HomeDir)
			e.Setenv(badtarget.EnvDir, pids)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("USERPROFILE", e.WorkDir)
			e.Setenv("GOGC", "400") // hundreds of short calls: garbage is collected seldom
			e.Setenv("CLOSED", closedPort())
			return os.Mkdir(pids, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    status,
			"sentence":  sentence,
			"waitfile":  waitFile,
			"lacks":     lacks,
			"edit":      edit,
			"report":    validReport,
			"same":      sameResults,
			"differ":    differ,
			"catalogue": validCatalogue,
			"noneleft":  noneLeft,
			"interrupt": interrupt,
			"repeat":    repeat,
			"watch":     watchFile,
			"action":    action,
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

// lacks PATH TEXT...: none of the texts stands in the file, or in any file below the directory.
func lacks(ts *testscript.TestScript, _ bool, args []string) {
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, text := range args[1:] {
			if bytes.Contains(data, []byte(text)) {
				ts.Logf("%s has %s in it", path, text)
				err = errors.New("a text stands where it must not")
			}
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("there is no file in %s", args[0])
	}
}

// edit FILE OLD NEW: replaces a text wherever it stands, as sed does.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	if !bytes.Contains(data, []byte(args[1])) {
		ts.Fatalf("%s has no %s in it", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.ReplaceAll(data, []byte(args[1]), []byte(args[2])), 0o600))
}

// waitfile FILE VARIABLE: waits for a file and puts its content into a variable.
func waitFile(ts *testscript.TestScript, _ bool, args []string) {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil {
			ts.Setenv(args[1], string(data))
			return
		}
	}
	ts.Fatalf("%s did not come", args[0])
}

// watchFile STATUS FILE CONTENT... -- COMMAND...: the command watches, and the file gets another content each
// time it has judged; at last it is interrupted. Its output is in watch.out.
func watchFile(ts *testscript.TestScript, _ bool, args []string) {
	i := slices.Index(args, "--")
	contents, command := args[2:i], args[i+1:]
	path, err := exec.LookPath(command[0])
	ts.Check(err)
	out, err := os.Create(ts.MkAbs("watch.out"))
	ts.Check(err)
	defer out.Close()
	cmd := exec.Command(path, command[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("WORK"))
	cmd.Stdout, cmd.Stderr = out, out
	ts.Check(cmd.Start())
	defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	for n := range contents {
		for end := time.Now().Add(30 * time.Second); strings.Count(ts.ReadFile("watch.out"),
			"mcpcheck: watching") <= n && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		if n+1 < len(contents) {
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(contents[n+1]), 0o600))
		}
	}
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait() // how it ended is looked at
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s:\n%s", got, ts.ReadFile("watch.out"))
	}
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

// differ REPORT REPORT ID...: the verdicts that differ are those on these requirements, and
// no others.
func differ(ts *testscript.TestScript, _ bool, args []string) {
	a, b := read(ts, args[0]), read(ts, args[1])
	var ids []string
	for i := range max(len(a.Results), len(b.Results)) {
		x, y := a.Results[i], b.Results[i]
		if x.ID != y.ID || x.Revision != y.Revision {
			ts.Fatalf("result %d is on %s and on %s", i, x.ID, y.ID)
		}
		if x.Verdict != y.Verdict || x.ReasonCode != y.ReasonCode {
			ids = append(ids, x.ID)
		}
	}
	if !slices.Equal(ids, args[2:]) {
		ts.Fatalf("the verdicts on %v differ", ids)
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
		for name, kind := range map[string]any{"id": "", "title": "", "level": "", "grade": "", "section": "",
			"since": "",
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

// repeat N TEXT: a shell runs the command with which the first finding on standard output
// is repeated. It ends with exit status N, and all its findings have a text in their ids.
func repeat(ts *testscript.TestScript, _ bool, args []string) {
	_, rest, ok := strings.Cut(ts.ReadFile("stdout"), "\n  repeat ")
	if !ok {
		ts.Fatalf("no finding says how it is repeated")
	}
	command, _, _ := strings.Cut(rest, "\n")
	ts.Logf("%s", command)
	status(ts, false,
		[]string{args[0], "sh", "-c", strings.Replace(command, " run ", " run --json again.json ", 1)})
	n := 0
	for _, x := range read(ts, "again.json").Results {
		if x.Verdict == reports.Fail || x.Verdict == reports.Warn {
			n++
			if !strings.Contains(x.ID, args[1]) {
				ts.Fatalf("the repetition finds %s", x.ID)
			}
		}
	}
	if n != 1 {
		ts.Fatalf("the repetition has %d findings", n)
	}
}

// interrupt SIGNAL[+SIGNAL] N PROCESSES COMMAND...: starts the command, sends it the
// signals once it has started so many processes of the target, and expects exit status N.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM,
		"HUP": syscall.SIGHUP}
	processes, err := strconv.Atoi(args[2])
	ts.Check(err)
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(path, args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	home := ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	started := func() int {
		files, err := os.ReadDir(ts.Getenv(badtarget.EnvDir))
		ts.Check(err)
		return len(files)
	}
	before := started()
	ts.Check(cmd.Start())
	const most, ends = 30 * time.Second, time.Minute // the machine may be busy
	for end := time.Now().Add(most); started() < before+processes; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ts.Fatalf("%d processes were started, not %d:\n%s", started()-before, processes, out.String())
		}
	}
	for i, name := range strings.Split(args[0], "+") {
		if i > 0 {
			time.Sleep(200 * time.Millisecond)
		}
		ts.Check(cmd.Process.Signal(signals[name]))
	}
	done := time.AfterFunc(ends, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !done.Stop() {
		ts.Fatalf("it did not end:\n%s", out.String())
	}
	ts.Logf("%s", out.String())
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("exit status %s (%v)", got, err)
	}
}

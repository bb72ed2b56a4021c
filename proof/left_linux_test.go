package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/sample"
)

// ways are those in which a program leaves a process behind: commands of a shell in which note
// writes the id of the last one down.
var ways = map[string]string{
	"child":       "sleep 300 & note child $!",
	"session":     "setsid sleep 300 & note session $!",
	"daemon":      "(setsid sleep 300 </dev/null >/dev/null 2>&1 & note daemon $!)",
	"wrapper":     "sh -c \". $0.sh; sleep 300 & note wrapper \\$!; wait\" &",
	"deaf":        "(trap '' TERM HUP INT; setsid sleep 300 & note deaf $!)",
	"closed":      "sleep 300 <&- >&- 2>&- & note closed $!",
	"environment": "(env -i setsid $(command -v sleep) 300 & note environment $!)",
	"itself":      "note itself $$",
}

// leaver writes a script that does all this, and then something else. Each process has a file in
// the directory whose name ends with its id.
func leaver(t *testing.T, then string) (script, pids string) {
	t.Helper()
	dir := t.TempDir()
	script, pids = filepath.Join(dir, "leaver"), filepath.Join(dir, "pids")
	note := fmt.Sprintf("note() { touch %s/$1.$2; }\n", pids)
	lines := note
	for _, way := range ways {
		lines += way + "\n"
	}
	lines += fmt.Sprintf("until [ $(ls %s | wc -l) -ge %d ]; do sleep 0.1; done\n%s\n", pids, len(ways), then)
	for path, text := range map[string]string{script: lines, script + ".sh": note} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(pids, 0o700); err != nil {
		t.Fatal(err)
	}
	return script, pids
}

// pid is the id at the end of a name.
func pid(name string) string { return strings.TrimLeft(filepath.Ext(name), ".") }

// stat lists what proc_pid_stat(5) says of a process behind its name; nil if it has ended.
func stat(pid string) []string {
	data, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if err != nil || len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return nil
	}
	return fields
}

// remaining names the processes that are left: those noted that have not ended, and those of the
// programs in a directory.
func remaining(started map[string]string, dir string) []string {
	var left []string
	for name, at := range started {
		if fields := stat(pid(name)); fields != nil && fields[19] == at {
			left = append(left, name)
		}
	}
	all, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range all {
		if path, err := os.Readlink(link); err == nil && strings.HasPrefix(path, dir) {
			left = append(left, "program."+filepath.Base(filepath.Dir(link)))
		}
	}
	slices.Sort(left)
	return left
}

// noted waits until all processes have been noted, and returns when each of them was started.
func noted(t *testing.T, pids string) map[string]string {
	t.Helper()
	started := map[string]string{}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		files, err := os.ReadDir(pids)
		if err != nil || time.Now().After(deadline) {
			t.Errorf("only %v were started: %v", files, err)
			return started
		}
		if len(files) < len(ways) {
			continue
		}
		for _, f := range files {
			if fields := stat(pid(f.Name())); fields != nil {
				started[f.Name()] = fields[19]
			}
		}
		return started
	}
}

// TestNothingIsLeft: however a program of ours ends, nothing is left of what it has started, nor of
// itself; and it says what it has ended, if it can.
func TestNothingIsLeft(t *testing.T) {
	type end struct {
		name    string
		then    string // what the script does once it has left processes behind
		signals []syscall.Signal
	}
	const stays, ignores = "exec sleep 300", "trap '' TERM INT; exec sleep 300"
	var (
		killed   = end{"killed", stays, []syscall.Signal{syscall.SIGKILL}}
		crashes  = end{"crashes", stays, []syscall.Signal{syscall.SIGQUIT}} // as of a fatal error
		asked    = end{"asked", stays, []syscall.Signal{syscall.SIGTERM}}
		hungUp   = end{"hung up", ignores, []syscall.Signal{syscall.SIGHUP}}
		hurried  = end{"asked twice", ignores, []syscall.Signal{syscall.SIGINT, syscall.SIGINT}}
		ends     = end{"ends", "exit 0", nil}
		fails    = end{"fails", "exit 3", nil}
		timesOut = end{"times out", ignores, nil}
	)
	const targets = "endpoints:\n  - {name: a, command: [MOCK, --stdio]}\ntriggers:\n" +
		"  update: {uri: 'file:///project/README.md', exec: {command: [sh, SCRIPT], timeout: 5s}}\n"
	programs := map[string]struct {
		args string // SCRIPT is the script, FILE a file with the text below
		file string
		ends []end
	}{
		"run":       {"mcpcheck run -- sh SCRIPT", "", []end{killed, crashes, asked, hurried, fails}},
		"run serve": {"mcpcheck run --start-timeout 5s --serve SERVE", "", []end{killed, asked, ends}},
		"trigger": {"mcpcheck run --config FILE --only SUB-03 --revision 2025-11-25", targets,
			[]end{killed, asked, ends}},
		"init": {"mcpcheck init -- sh SCRIPT", "", []end{killed}},
		"compare": {"mcpcheck compare --direct FILE --through FILE",
			"endpoints:\n  - {name: a, command: [sh, SCRIPT]}\n", []end{killed}},
		"matrix": {"mcpcheck matrix --targets FILE --out OUT",
			"targets:\n  - {name: a, command: [sh, SCRIPT]}\n", []end{killed, asked, hurried}},
		"verify": {"mockserver verify --timeout 5s -- sh SCRIPT", "",
			[]end{killed, crashes, asked, hungUp, hurried, ends, fails, timesOut}},
		"verify faults": {"mockserver verify --faults page-02-last-page-cycles -- sh SCRIPT {url}", "",
			[]end{killed, hurried, ends}},
		"verify of run": {"mockserver verify -- sh FILE", "JUDGE run -- sh SCRIPT; exit 1", []end{killed}},
		"record": {"mockserver record --to OUT -- sh SCRIPT", "",
			[]end{killed, crashes, asked, hungUp, hurried, ends}},
	}
	type pair struct{ name, end string }
	var all []pair
	for name, c := range programs {
		for _, e := range c.ends {
			all = append(all, pair{name, e.name})
		}
	}
	// Each end with one program, and the hardest with all of them, is enough for most runs.
	chosen := sample.One(all, func(p pair) string { return p.end }, func(p pair) string {
		return p.name + p.end
	})
	for name, c := range programs {
		for _, e := range c.ends {
			switch {
			case testing.Short() && (e.name != killed.name || name != "run" && name != "verify"),
				!sample.InAll() && e.name != killed.name && !chosen(pair{name, e.name}):
				continue
			}
			t.Run(name+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				script, pids := leaver(t, e.then)
				said := play(t, c.args, c.file, script, pids, e.signals)
				dies := len(e.signals) > 1 || e.name == killed.name || e.name == crashes.name
				if !dies && name != "matrix" && !ended.MatchString(said) {
					t.Errorf("it does not say what it has ended:\n%s", said)
				}
			})
		}
	}
}

// ended is how a program says what it has ended.
var ended = regexp.MustCompile(`had left processes behind, which were ended: .*sleep`)

// play runs a program of ours, sends it signals once the script has left everything behind, and
// checks that nothing is left when it has ended. It returns what the program said.
func play(t *testing.T, args, file, script, pids string, signals []syscall.Signal) string {
	t.Helper()
	judge, err1 := program()
	mock, err2 := mockserver()
	dir := t.TempDir()
	named := func(name string) string { return filepath.Join(dir, name) }
	words := strings.NewReplacer("FILE", named("file.yaml"), "OUT", named("out"),
		"SERVE", "sh "+script+" {port}", "SCRIPT", script,
		"MOCK", named("mockserver"), "JUDGE", named("mcpcheck"))
	if err := errors.Join(err1, err2, os.Link(judge, named("mcpcheck")), os.Link(mock, named("mockserver")),
		os.WriteFile(named("file.yaml"), []byte(words.Replace(file)), 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var argv []string
	for a := range strings.FieldsSeq(args) {
		argv = append(argv, words.Replace(a))
	}
	cmd := exec.CommandContext(ctx, named(argv[0]), argv[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 30*time.Second
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started := noted(t, pids)
	for i, s := range signals {
		if i > 0 {
			time.Sleep(200 * time.Millisecond)
		}
		_ = cmd.Process.Signal(s) // it may have ended by itself
	}
	status, err := cmd.Process.Wait()
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	deadline := time.Now().Add(10 * time.Second)
	for ; time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left = remaining(started, dir); len(left) == 0 {
			break
		}
	}
	for _, process := range left {
		t.Error("left: ", process)
		n, _ := strconv.Atoi(pid(process))
		_ = syscall.Kill(n, syscall.SIGKILL)
	}
	_ = cmd.Wait() // for all that was said
	t.Logf("%v\n%s", status, out.String())
	return out.String()
}

// TestOthersAreLeft: a child of whoever became our program by exec(2), as in the scripts that
// containers begin with, is not ours to end.
func TestOthersAreLeft(t *testing.T) {
	t.Parallel()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	script, _ := leaver(t, "exit 1")
	const before = `sleep 300 >/dev/null 2>&1 & echo "before: $!"; exec "$0" run -- sh "$1"`
	out, err := exec.Command("sh", "-c", before, path, script).CombinedOutput()
	m := regexp.MustCompile(`before: (\d+)`).FindSubmatch(out)
	if m == nil || !ended.Match(out) {
		t.Fatalf("%v\n%s", err, out)
	}
	if stat(string(m[1])) == nil {
		t.Errorf("it was ended:\n%s", out)
	}
	n, _ := strconv.Atoi(string(m[1]))
	_ = syscall.Kill(n, syscall.SIGKILL)
}

// TestMarkIsNoCondition: a process that has taken the mark off is ended with the others.
func TestMarkIsNoCondition(t *testing.T) {
	t.Parallel()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip(err)
	}
	const unmarked = `setsid prlimit --rttime=1000:unlimited sleep 300 >/dev/null 2>&1 & ` +
		`echo "unmarked: $!" >&2; sleep 1; exit 1`
	out, _ := exec.Command(path, "run", "--", "sh", "-c", unmarked).CombinedOutput() // the target fails
	all := regexp.MustCompile(`unmarked: (\d+)`).FindAllSubmatch(out, -1)
	if all == nil || !ended.Match(out) {
		t.Errorf("it has ended nothing:\n%s", out)
	}
	for _, m := range all {
		if stat(string(m[1])) != nil {
			t.Errorf("%s is left", m[1])
			n, _ := strconv.Atoi(string(m[1]))
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
}

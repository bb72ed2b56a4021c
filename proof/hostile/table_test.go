//go:build unix

package hostile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
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
)

// What a run may take: the budget that it is given, the time to end its target, and memory.
const (
	budget     = 15 * time.Second
	ending     = 9 * time.Second
	mostMemory = 256 << 20
)

// outcome is what a run left behind.
type outcome struct {
	hostileCase
	Status  int
	Took    time.Duration
	Memory  int64
	Orphans int
	Result  string
	Cause   string
	Reds    []string
	Panics  bool
	// clean are the requirements that are red without the hostility.
	clean []string
}

// Beyond are the requirements that are red because of the hostility.
func (o *outcome) Beyond() []string {
	return slices.DeleteFunc(slices.Clone(o.Reds), func(id string) bool {
		return slices.Contains(o.clean, id)
	})
}

// Said is what there is to say of the run, what is wrong with mcpcheck first.
func (o *outcome) Said() string {
	if faults := o.faults(); len(faults) > 0 {
		return "**" + strings.Join(faults, "; ") + "** " + o.Cause
	}
	return o.Cause
}

// faults says what is wrong with mcpcheck in this case; empty if nothing is.
func (o *outcome) faults() []string {
	var all []string
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	for _, id := range o.Beyond() {
		add(!slices.Contains(o.Red, id), "%s is red", id)
	}
	add(o.Took > budget+ending, "it took %.0f s", o.Took.Seconds())
	add(o.Memory > mostMemory, "it took %d MiB", mib(o.Memory))
	add(o.Orphans > 0, "%d processes were left", o.Orphans)
	add(o.Panics, "it panicked")
	add(o.Result == "", "there is no report")
	return all
}

var (
	table = flag.Bool("table", false, "play the whole table of hostile servers")
	write = flag.String("write", "", "write a page of the table to this `file`")
)

// TestTable: mcpcheck is as it should be, whatever the server does. Cases are played one after the other, as
// seconds mean little where there are more than processors.
func TestTable(t *testing.T) {
	if !*table {
		t.Skip("it takes some minutes: -table plays it")
	}
	all, err := cases()
	if err != nil {
		t.Fatal(err)
	}
	program := built(t)
	clean := map[string][]string{}
	var outcomes []*outcome
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			over := strings.Replace(c.Over, "tls", "http", 1)
			if _, known := clean[over]; !known {
				clean[over] = play(t, program, "good-"+over).Reds
			}
			o := play(t, program, c.Name)
			o.clean = clean[over]
			for _, fault := range o.faults() {
				t.Error(fault)
			}
			outcomes = append(outcomes, o)
		})
	}
	if *write != "" {
		if err := os.WriteFile(*write, written(t, outcomes), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// play judges one hostile server.
func play(t *testing.T, program, name string) *outcome {
	t.Helper()
	c, err := find(name)
	if err != nil {
		t.Fatal(err)
	}
	pids := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 4*(budget+ending))
	defer cancel()
	report := filepath.Join(pids, "report.json")
	args := []string{"run", "--timeout", "2s", "--start-timeout", "4s", "--budget", budget.String(),
		"--quiet-window", "100ms", "--json", report}
	if c.Over == "stdio" {
		args = append(args, "--env-pass", badtarget.EnvDir, "--", os.Args[0], "serve", name)
	} else {
		args = append(args, "--url", listening(ctx, t, c))
		if c.Over == "sse" {
			args = append(args, "--transport", "sse")
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), badtarget.EnvDir+"="+pids)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	peak := badtarget.PeakMemory(cmd.Process.Pid)
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := &outcome{hostileCase: c, Status: cmd.ProcessState.ExitCode(), Took: time.Since(begin),
		Memory: peak(),
		Panics: strings.Contains(said.String(), "goroutine ") ||
			strings.Contains(said.String(), "please report")}
	o.Orphans = left(pids)
	o.read(report, said.String())
	return o
}

// listening starts a server that listens until the test ends.
func listening(ctx context.Context, t *testing.T, c hostileCase) (url string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0], "listen", c.Name)
	out, err := cmd.StdoutPipe()
	if err := cmp.Or(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	scheme, path := "http", "/mcp"
	switch c.Over {
	case "tls":
		scheme = "https"
	case "sse":
		path = "/sse"
	}
	return scheme + "://" + strings.TrimSpace(line) + path
}

// read takes over what the report says.
func (o *outcome) read(file, said string) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	r, err := reports.ReadJSON(f)
	if err != nil {
		return
	}
	o.Result = string(r.Summary.Outcome)
	blocked := ""
	for i := range r.Results {
		x := &r.Results[i]
		if x.Verdict.Red() && !slices.Contains(o.Reds, x.ID) {
			o.Reds = append(o.Reds, x.ID)
		}
		if x.Verdict == reports.Blocked && blocked == "" {
			blocked = x.ID + " blocked: " + x.Reason
		}
	}
	for _, e := range r.Target.Endpoints {
		o.Cause += e.Unreachable
	}
	if o.Cause == "" {
		o.Cause = blocked
	}
	if i := strings.Index(said, "left processes behind"); i >= 0 {
		o.Cause = "the processes that it left were ended"
	}
}

// left counts, and ends, the processes of the server that are still there.
func left(pids string) int {
	files, _ := filepath.Glob(filepath.Join(pids, "[0-9]*"))
	n := 0
	for _, f := range files {
		pid, err := strconv.Atoi(filepath.Base(f))
		if err != nil {
			continue
		}
		// The id may belong to another process by now: what was started here has the directory in
		// its environment. What only waits to be collected by its parent has none any more.
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(environment, []byte(badtarget.EnvDir+"="+pids+"\x00")) {
			n++
			_ = syscall.Kill(pid, syscall.SIGKILL) // it has just ended by itself, or is ended
		}
	}
	return n
}

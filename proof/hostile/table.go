//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
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
	return slices.DeleteFunc(slices.Clone(o.Reds), func(id string) bool { return slices.Contains(o.clean, id) })
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

// table plays the cases and writes what came out; it returns how many are not as they should be.
func table(w io.Writer, program string, jobs int, names []string) (wrong int, err error) {
	all, err := cases()
	if err != nil {
		return 0, err
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(c hostileCase) bool { return !slices.Contains(names, c.Name) })
	}
	dir, err := os.MkdirTemp("", "mcpcheck-hostile")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if program == "" {
		program = filepath.Join(dir, "mcpcheck")
		if out, err := exec.Command("go", "build", "-o", program,
			"github.com/mcpcheck/mcpcheck/cmd/mcpcheck").CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%w\n%s", err, out)
		}
	}
	clean := map[string][]string{}
	for _, over := range []string{"stdio", "http", "sse"} {
		if !slices.ContainsFunc(all, func(c hostileCase) bool { return c.Over == over }) {
			continue
		}
		o, err := play(program, dir, "good-"+over)
		if err != nil {
			return 0, err
		}
		clean[over] = o.Reds
	}
	outcomes := make([]*outcome, len(all))
	failed := make([]error, len(all))
	places := make(chan struct{}, max(jobs, 1))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			outcomes[i], failed[i] = play(program, dir, c.Name)
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return 0, err
	}
	for _, o := range outcomes {
		o.clean = clean[strings.Replace(o.Over, "tls", "http", 1)]
	}
	return write(w, outcomes)
}

// self is this program, which is the servers, too.
var self = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		panic(err) // there is one on every system on which this runs
	}
	return path
})

// play judges one hostile server.
func play(program, dir, name string) (*outcome, error) {
	c, err := find(name)
	if err != nil {
		return nil, err
	}
	pids, err := os.MkdirTemp(dir, "pids")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*(budget+ending))
	defer cancel()
	report := filepath.Join(pids, "report.json")
	args := []string{"run", "--timeout", "2s", "--start-timeout", "4s", "--budget", budget.String(),
		"--quiet-window", "100ms", "--json", report}
	if c.Over == "stdio" {
		args = append(args, "--env-pass", badtarget.EnvDir, "--", self(), "serve", name)
	} else {
		url, stop, err := listening(ctx, c)
		if err != nil {
			return nil, err
		}
		defer stop()
		args = append(args, "--url", url)
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
		return nil, err
	}
	peak := badtarget.PeakMemory(cmd.Process.Pid)
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	o := &outcome{hostileCase: c, Status: cmd.ProcessState.ExitCode(), Took: time.Since(begin),
		Memory: peak(),
		Panics: strings.Contains(said.String(), "goroutine ") ||
			strings.Contains(said.String(), "please report")}
	o.Orphans = left(pids)
	o.read(report, said.String())
	return o, nil
}

// listening starts a server that listens; stop ends it.
func listening(ctx context.Context, c hostileCase) (url string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, self(), "listen", c.Name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, err
	}
	scheme, path := "http", "/mcp"
	switch c.Over {
	case "tls":
		scheme = "https"
	case "sse":
		path = "/sse"
	}
	return scheme + "://" + strings.TrimSpace(line) + path, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
	}, nil
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

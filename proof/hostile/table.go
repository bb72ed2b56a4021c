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
	status  int
	took    time.Duration
	memory  int64
	orphans int
	result  string
	cause   string
	reds    []string
	panics  bool
}

// faults says what is wrong with mcpcheck in this case; empty if nothing is.
func (o *outcome) faults(clean []string) []string {
	var all []string
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	for _, id := range o.reds {
		add(!slices.Contains(o.Red, id) && !slices.Contains(clean, id), "%s is red", id)
	}
	add(o.took > budget+ending, "it took %.0f s", o.took.Seconds())
	add(o.memory > mostMemory, "it took %d MiB", o.memory>>20)
	add(o.orphans > 0, "%d processes were left", o.orphans)
	add(o.panics, "it panicked")
	add(o.result == "", "there is no report")
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
		clean[over] = o.reds
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
	return write(w, outcomes, clean), nil
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
	o := &outcome{hostileCase: c, status: cmd.ProcessState.ExitCode(), took: time.Since(begin),
		memory: peak(),
		panics: strings.Contains(said.String(), "goroutine ") ||
			strings.Contains(said.String(), "please report")}
	o.orphans = left(pids)
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
	o.result = string(r.Summary.Outcome)
	blocked := ""
	for i := range r.Results {
		x := &r.Results[i]
		if x.Verdict.Red() && !slices.Contains(o.reds, x.ID) {
			o.reds = append(o.reds, x.ID)
		}
		if x.Verdict == reports.Blocked && blocked == "" {
			blocked = x.ID + " blocked: " + x.Reason
		}
	}
	for _, e := range r.Target.Endpoints {
		o.cause += e.Unreachable
	}
	if o.cause == "" {
		o.cause = blocked
	}
	if i := strings.Index(said, "left processes behind"); i >= 0 {
		o.cause = "the processes that it left were ended"
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
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(environment, []byte(badtarget.EnvDir+"="+pids+"\x00")) {
			n++
			_ = p.Kill() // it has just ended by itself, or is ended
		}
		_ = p.Release() // never fails on a handle that is held
	}
	return n
}

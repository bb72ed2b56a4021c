package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// The specification's page on lifecycle, section "Shutdown", has the client end
// a stdio server like this, and [Process] does:
//
//  1. close the input stream to the child process;
//  2. wait for the server to exit, or send SIGTERM if it does not within a
//     reasonable time;
//  3. send SIGKILL if it does not exit within a reasonable time after SIGTERM.
//
// Signals go to the whole process group, because the command is often a wrapper
// (npx, a shell) around the server.

const (
	// exitWait is how long a target has to end after the end of its input, and after SIGTERM,
	// unless something else is said.
	exitWait = 2 * time.Second
	// drainWait is how long the output may stay open after the process has
	// exited: another process of its group holds it.
	drainWait = time.Second
	// goneWait is how long the end of a killed group is awaited.
	goneWait = 500 * time.Millisecond
)

// Process starts a command for each connection and speaks to it over its
// standard input and output.
//
// A connection also has the methods Stderr() string, the last bytes of the standard
// error so far, Advice(said string, ended bool) string, and Working() bool, for [NewOvertime].
type Process struct {
	// Argv is the command and its arguments. A command without a slash is
	// looked up in PATH.
	Argv []string
	// Env lists variables, "K=V", set over the usual ones of this process; see [environ.Of].
	Env []string
	// Dir is the working directory; empty means that of this process.
	Dir    string
	Limits Limits
	// CloseWait is how long the process has to exit after the end of its
	// input, TermWait after SIGTERM; default 2 s each.
	CloseWait, TermWait time.Duration
}

// briefWait is how long a process has to exit after the end of its input where that is not looked at again.
const briefWait = 250 * time.Millisecond

// brief marks a context in which a process is not waited for in full.
type brief struct{}

// Briefly is a context for [Conn.Close] in which a process is terminated soon after the end of its input, if
// it does not exit: for a program that is known to stay.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, brief{}, true) }

// unwanted is what a context knows of when nobody waits for processes any more.
type unwanted struct{}

// Until is a context for [Process.Dial] in which a process that was started has a second to end once a
// channel is closed, and is terminated then: how it would have ended is not known.
func Until(ctx context.Context, over <-chan struct{}) context.Context {
	return context.WithValue(ctx, unwanted{}, over)
}

// lastWait is how long a process has to exit for the end of its input once nobody waits for it any more.
const lastWait = time.Second

// IsBrief reports whether a context is one of [Briefly].
func IsBrief(ctx context.Context) bool { return ctx.Value(brief{}) != nil }

// closeWait is how long a process has to exit after the end of its input.
func (p *Process) closeWait(ctx context.Context) time.Duration {
	wait := cmp.Or(p.CloseWait, exitWait)
	if IsBrief(ctx) {
		return min(wait, briefWait)
	}
	return wait
}

// Transport is stdio.
func (p *Process) Transport() requirement.Transport { return requirement.Stdio }

// Dial starts the command. The process lives until Close, not until the end of
// the context. That it could not be started is the only error.
func (p *Process) Dial(ctx context.Context, sink Sink) (Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd, err := command("target", p.Argv, p.Env, p.Dir)
	if err != nil {
		return nil, err
	}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	stderr, err3 := cmd.StderrPipe()
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("cannot start %q: no pipes: %w", p.Argv[0], err)
	}
	if err := start(cmd); err != nil {
		return nil, err
	}
	c := &processConn{
		cmd: cmd, stdin: in, exited: make(chan struct{}), errRead: make(chan struct{}),
		gone: make(chan struct{}),
		Work: procgroup.Work{Leader: cmd.Process.Pid}, program: p, termWait: cmp.Or(p.TermWait, exitWait),
	}
	c.over, _ = ctx.Value(unwanted{}).(<-chan struct{})
	l := newLine(sink, p.Limits)
	c.tail = NewTail(l.limits.Stderr)
	l.exceeded = func() { c.kill("a limit of the connection was reached") }
	c.stdio = newStdio(l)
	c.start(out, in)
	go func() {
		defer close(c.errRead)
		// A read error here is the end of the stream, like any other.
		_, _ = io.Copy(c.tail, stderr)
	}()
	c.wg.Go(c.watchOutput)
	go c.watch(out, stderr)
	return c, nil
}

// command is a program that is to be started, as who it is.
func command(who string, argv, env []string, dir string) (*exec.Cmd, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, fmt.Errorf("cannot start the %s: the command is empty", who)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = environ.Of(env), dir
	return cmd, nil
}

// start starts a command, or says in one sentence why it did not start.
func start(cmd *exec.Cmd) error {
	if err := procgroup.Start(cmd); err != nil {
		return &worded{procgroup.Unstarted(cmd, err), err}
	}
	return nil
}

// Caveats says what this system cannot promise about processes, in sentences to
// show to the user; empty if everything holds.
func Caveats() []string { return caveats(procgroup.Supported, procgroup.Adopts) }

func caveats(groups, adopts bool) []string {
	const killed = "This system does not end the target when mcpcheck itself is killed."
	switch {
	case !groups:
		return []string{
			"This system has no process groups: processes that the target starts itself may be left " +
				"behind when it is ended.",
			"This system has no SIGTERM: a target that does not exit at the end of its input is killed " +
				"at once.",
			killed,
		}
	case !adopts:
		return []string{
			"This system does not tell who started an orphan: processes that the target starts in sessions " +
				"of their own may be left behind when it is ended.",
			killed,
		}
	}
	return nil
}

type processConn struct {
	*stdio
	procgroup.Work
	cmd      *exec.Cmd
	stdin    io.Closer
	tail     *Tail // of the standard error
	program  *Process
	termWait time.Duration
	over     <-chan struct{} // see [Until]; nil for never

	exited  chan struct{} // closed when the process was reaped
	errRead chan struct{} // closed when standard error has ended
	gone    chan struct{} // closed when nothing of the connection is left
	endTime time.Time     // valid once exited is closed
	status  string        // likewise

	stdinOnce sync.Once
}

// watch reaps the process and then clears away what is left of its group.
func (c *processConn) watch(out, stderr io.Closer) {
	defer close(c.gone)
	c.status = exitStatus(c.cmd)
	c.endTime = time.Now()
	close(c.exited)
	// After a SIGKILL of ours the others are dying anyway.
	left := procgroup.Alive(c.cmd.Process.Pid) && c.wasCut() == ""
	held := !within(drainWait, c.read, c.errRead)
	if held || left {
		c.cutting("we killed the rest of the process group")
	}
	procgroup.Clear(c.cmd.Process.Pid)
	switch {
	case held && !within(goneWait, c.read, c.errRead):
		c.note(channelOut,
			"a process that left the process group still holds the output; it cannot be ended from here")
	case left:
		c.note(channelOut, "the process left others of its group behind; they were killed")
	}
	c.note(channelOut, "the process ended: "+c.status)
	c.finish(fmt.Errorf("the process ended: %s", c.status))
	c.closeInput()
	// Closing our ends wakes the readers, whoever holds the others.
	_ = out.Close()
	_ = stderr.Close()
	c.wait()
	<-c.errRead
}

// watchOutput ends the connection when the process has closed its output, but
// goes on running.
func (c *processConn) watchOutput() {
	<-c.read
	if !within(drainWait, c.exited) {
		c.note(channelOut, "the process closed its standard output and goes on running")
		c.finish(errors.New("the process closed its standard output"))
	}
}

// exitStatus waits for the end of a program, and not for that of its output, as [exec.Cmd.Wait] does.
func exitStatus(cmd *exec.Cmd) string {
	state, err := cmd.Process.Wait()
	if err != nil {
		return "unknown: " + err.Error()
	}
	return state.String()
}

// Stderr is the last part of what the process has written to its standard error.
func (c *processConn) Stderr() string { return c.tail.String() }

// Advice is [Advice] for the process.
func (c *processConn) Advice(said string, ended bool) string {
	return Advice(said, c.program.Env, ended)
}

// closeInput closes the standard input of the process, which also wakes a
// writer that is stuck.
func (c *processConn) closeInput() {
	c.stdinOnce.Do(func() { _ = c.stdin.Close() })
}

func (c *processConn) kill(why string) {
	c.cutting(why)
	_ = procgroup.Kill(c.cmd.Process.Pid) // it may have ended by itself
}

// Close shuts the process down; see the top of this file. The end of the
// context cuts the waiting short.
func (c *processConn) Close(ctx context.Context) Ending {
	return c.close(func() Ending { return c.end(ctx) })
}

func (c *processConn) end(ctx context.Context) Ending {
	e := Ending{By: "us", How: "exited"}
	limit := c.limitErr()
	over := isClosed(c.exited)
	begin := time.Now()
	switch {
	case limit != nil:
		e.How, e.Reason = "killed", limit.Error()
	case over:
		e.By, e.Reason = "target", "the process ended: "+c.status
	default:
		if err := c.Err(); err != nil {
			e.Reason = err.Error()
		}
		if e.How = c.shutDown(ctx); e.How != "exited" && isClosed(c.over) {
			e.Reason = cmp.Or(e.Reason, "the run was over, and it was not waited for any longer")
		}
	}
	<-c.gone
	if e.By == "us" && c.endTime.After(begin) {
		e.Took = c.endTime.Sub(begin)
	}
	e.Status, e.Stderr = c.status, c.Stderr()
	return e
}

// shutDown takes the steps of the specification and says which one did it.
func (c *processConn) shutDown(ctx context.Context) string {
	// On a system whose pipes cannot be closed while a write is stuck, this
	// must not keep us from killing the process.
	go c.closeInput()
	if c.exits(ctx) {
		return "exited"
	}
	if ctx.Err() == nil && procgroup.Supported {
		_ = procgroup.Terminate(c.cmd.Process.Pid) // likewise
		c.cutting("we terminated the process")
		if waitFor(ctx, c.termWait, c.exited) {
			return "terminated"
		}
	}
	c.kill("we killed the process")
	<-c.exited
	return "killed"
}

// exits reports whether the process exits in time. One that is at work is not taken for one that
// ignores the end of its input, unless it need not be waited for anyway; on a machine with other
// work it may have as much processor time as it would have had time.
func (c *processConn) exits(ctx context.Context) bool {
	ctx, stop := c.wanted(ctx)
	defer stop()
	wait := c.program.closeWait(ctx)
	over := NewOvertime(wait, c.Working)
	c.Working() // what was before does not count
	before := c.Waited()
	over.waited = func() time.Duration { return c.Waited() - before }
	for more := wait; more > 0; more = over.More() {
		if waitFor(ctx, more, c.exited) {
			return true
		}
		if ctx.Err() != nil || IsBrief(ctx) {
			return false
		}
	}
	return false
}

// wanted is a context that ends, beside another one, a moment after nobody waits for the process any more.
func (c *processConn) wanted(ctx context.Context) (wanted context.Context, stop context.CancelFunc) {
	wanted, stop = context.WithCancel(ctx)
	if c.over != nil {
		go func() {
			select {
			case <-c.over:
				within(lastWait, wanted.Done())
				stop()
			case <-wanted.Done():
			}
		}()
	}
	return wanted, stop
}

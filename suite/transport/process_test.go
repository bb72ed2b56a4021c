//go:build unix

package transport

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// gone checks that neither the process nor one of its group is left running.
func gone(t *testing.T, c Conn) {
	t.Helper()
	pid := c.(*processConn).cmd.Process.Pid
	if err := syscall.Kill(-pid, 0); err == nil && !zombies(pid) {
		t.Errorf("the process group %d lives on", pid)
	}
}

// zombies reports whether all that is left of a group waits to be reaped, which
// is the business of init.
func zombies(group int) bool {
	out, err := exec.Command("ps", "-A", "-o", "pgid=,stat=").Output()
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == strconv.Itoa(group) && !strings.HasPrefix(f[1], "Z") {
			return false
		}
	}
	return true
}

func TestProcessEcho(t *testing.T) {
	c, l := dial(t, target("echo"))
	sent := send(t, c, Message{Body: []byte(`{"id":1}`)})
	if sent.Channel != "stdout" || sent.Done != nil || sent.Status() != 0 || sent.Header() != nil ||
		sent.Err() != nil {
		t.Errorf("got %+v", sent)
	}
	sent.Cancel()
	l.await(t, "the echo", in(`{"id":1}`))
	send(t, c, Message{Body: []byte(`{"id":`), Raw: true})
	send(t, c, Message{Body: []byte(`2}` + "\r\n\n"), Raw: true})
	l.await(t, "the blank line", func(f *wire.Frame) bool { return f.HasFlaw(wire.FlawBlank) })
	e := c.Close(t.Context())
	if e.By != "us" || e.How != "exited" || e.Status != "exit status 0" || e.Stderr != "ready\n" ||
		e.Took <= 0 {
		t.Errorf("got %+v", e)
	}
	if again := c.Close(t.Context()); again != e {
		t.Errorf("the second time it is %+v", again)
	}
	frames := l.all()
	if f := frames[0]; f.Dir != wire.Out || f.Channel != "stdin" || string(f.Raw) != `{"id":1}` ||
		f.Size != 8 {
		t.Errorf("the first frame is %+v", f)
	}
	split := l.await(t, "the split message", in("{\"id\":2}\r"))
	if len(split.Flaws) != 1 || !split.HasFlaw(wire.FlawCR) {
		t.Errorf("flaws %v", split.Flaws)
	}
	if f := frames[len(frames)-1]; f.Text != "the process ended: exit status 0" {
		t.Errorf("the last frame is %+v", f)
	}
	if _, err := c.Send(t.Context(), Message{}); err == nil {
		t.Error("a message was sent after the end")
	}
	gone(t, c)
}

// TestCaveats: what may be left behind is said wherever that can be.
func TestCaveats(t *testing.T) {
	const killed = "when mcpcheck itself is killed"
	for name, c := range map[string]struct {
		groups, adopts bool
		want           []string
	}{
		"Linux":      {true, true, nil},
		"other Unix": {true, false, []string{"sessions of their own may be left behind", killed}},
		"Windows": {false, false, []string{"that the target starts itself may be left behind",
			"no SIGTERM", killed}},
	} {
		got := caveats(c.groups, c.adopts)
		if !slices.EqualFunc(got, c.want, strings.Contains) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestProcessEndsByItself(t *testing.T) {
	c, _ := dial(t, target("exit"))
	finished(t, "the connection", c.Done())
	if err := c.Err(); err == nil || err.Error() != "the process ended: exit status 3" {
		t.Errorf("got %v", err)
	}
	if _, err := c.Send(t.Context(), Message{Body: []byte("{}")}); err == nil ||
		!strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v", err)
	}
	e := c.Close(t.Context())
	if e.By != "target" || e.How != "exited" || e.Status != "exit status 3" || e.Stderr != "no licence\n" ||
		e.Reason == "" {
		t.Errorf("got %+v", e)
	}
	gone(t, c)
}

func TestProcessIsTerminatedAndKilled(t *testing.T) {
	for mode, want := range map[string]string{"deaf": "terminated", "stubborn": "killed"} {
		p := target(mode)
		p.CloseWait, p.TermWait = 50*time.Millisecond, 50*time.Millisecond
		if mode == "deaf" {
			p.TermWait = patience
		}
		c, l := dial(t, p)
		l.await(t, "the sign of life", in(`{"ready":true}`))
		if e := c.Close(t.Context()); e.By != "us" || e.How != want || e.Took < 50*time.Millisecond {
			t.Errorf("%s: got %+v", mode, e)
		}
		gone(t, c)
	}
}

func TestHurriedProcessIsTerminatedSooner(t *testing.T) {
	p := target("deaf")
	p.CloseWait, p.TermWait = time.Hour, patience
	c, l := dial(t, p)
	l.await(t, "the sign of life", in(`{"ready":true}`))
	if e := c.Close(Briefly(t.Context())); e.By != "us" || e.How != "terminated" || e.Took < briefWait {
		t.Errorf("got %+v", e)
	}
	gone(t, c)
}

// Whether it is waited for already or not, and although it is at work: once nobody waits any more a process
// has a moment to end.
func TestProcessIsTerminatedWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{true, false} {
		over := make(chan struct{})
		p := target("deaf")
		p.CloseWait, p.TermWait = time.Hour, patience
		l := newLog()
		c, err := p.Dial(Until(t.Context(), over), l.sink)
		if err != nil {
			t.Fatal(err)
		}
		l.await(t, "the sign of life", in(`{"ready":true}`))
		if before {
			close(over)
		} else {
			time.AfterFunc(50*time.Millisecond, func() { close(over) })
		}
		if e := c.Close(t.Context()); e.By != "us" || e.How != "terminated" || e.Reason == "" {
			t.Errorf("got %+v", e)
		}
		gone(t, c)
	}
	c, _ := dial(t, target("echo"))
	if e := c.Close(Until(t.Context(), nil)); e.How != "exited" || e.Reason != "" {
		t.Errorf("got %+v", e)
	}
}

func TestProcessCloseObeysItsContext(t *testing.T) {
	p := target("stubborn")
	p.CloseWait, p.TermWait = time.Hour, time.Hour
	c, l := dial(t, p)
	l.await(t, "the sign of life", in(`{"ready":true}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e := c.Close(ctx); e.How != "killed" {
		t.Errorf("got %+v", e)
	}
	gone(t, c)
}

func TestProcessFloodsItsOutput(t *testing.T) {
	for mode, limits := range map[string]Limits{
		"flood":    {Total: 1 << 20},
		"newlines": {Frames: 1000},
	} {
		p := target(mode)
		p.Limits = limits
		c, l := dial(t, p)
		finished(t, "the connection", c.Done())
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), "limit") {
			t.Errorf("%s: got %v", mode, err)
		}
		e := c.Close(t.Context())
		if e.By != "us" || e.How != "killed" || !strings.Contains(e.Reason, "limit") {
			t.Errorf("%s: got %+v", mode, e)
		}
		if n := len(l.all()); n > 1200 {
			t.Errorf("%s: %d frames", mode, n)
		}
		for _, f := range l.all() {
			if f.HasFlaw(wire.FlawUnterminated) {
				t.Errorf("%s: the line that we cut is held against the target: %+v", mode, f)
			}
		}
		gone(t, c)
	}
}

func TestProcessMessageTooLong(t *testing.T) {
	p := target("echo")
	p.Limits = Limits{Message: 1000}
	c, l := dial(t, p)
	send(t, c, Message{Body: bytes.Repeat([]byte("x"), 100_000)})
	send(t, c, Message{Body: []byte("{}")})
	l.await(t, "the next message", in("{}"))
	f := l.await(t, "the long message", func(f *wire.Frame) bool { return f.Dir == wire.In })
	if len(f.Raw) != 1000 || f.Size != 100_000 || !f.Truncated || !f.HasFlaw(wire.FlawTooLong) ||
		f.HasFlaw(wire.FlawNotJSON) {
		t.Errorf("got %d of %d bytes, flaws %v", len(f.Raw), f.Size, f.Flaws)
	}
}

func TestProcessFloodsItsStandardError(t *testing.T) {
	p := target("noise")
	p.Limits = Limits{Stderr: 100}
	c, l := dial(t, p)
	send(t, c, Message{Body: []byte("{}")})
	l.await(t, "the echo", in("{}"))
	e := c.Close(t.Context())
	if len(e.Stderr) != 100 || !strings.HasSuffix(e.Stderr, "line 19999\nready\n") {
		t.Errorf("got %q", e.Stderr)
	}
}

func TestProcessLeavesAChildBehind(t *testing.T) {
	t.Parallel()
	c, l := dial(t, target("parent"))
	f := l.await(t, "the child", func(f *wire.Frame) bool { return gjson.GetBytes(f.Raw, "child").Exists() })
	l.await(t, "the child's sign of life", in(`{"ready":true}`))
	if e := c.Close(t.Context()); e.How != "exited" || e.By != "us" {
		t.Errorf("got %+v", e)
	}
	child := int(gjson.GetBytes(f.Raw, "child").Int())
	if err := syscall.Kill(child, 0); err == nil && !zombies(c.(*processConn).cmd.Process.Pid) {
		t.Error("the child lives on")
	}
	l.await(t, "the note", noted("they were killed"))
	gone(t, c)
}

func TestProcessPartialLastLine(t *testing.T) {
	c, l := dial(t, target("partial"))
	finished(t, "the connection", c.Done())
	f := l.await(t, "the partial line", in(`{"jsonrpc"`))
	if !f.HasFlaw(wire.FlawUnterminated) || !f.HasFlaw(wire.FlawNotJSON) {
		t.Errorf("flaws %v", f.Flaws)
	}
}

func TestProcessDoesNotReadItsInput(t *testing.T) {
	p := target("deaf")
	p.CloseWait = 50 * time.Millisecond
	c, l := dial(t, p)
	refused := func() string {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := c.Send(ctx, Message{Body: bytes.Repeat([]byte("x"), 1<<20)})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		return err.Error()
	}
	// On a busy machine the writer comes to the first message only after a while.
	first := refused()
	for end := time.Now().Add(patience); !strings.Contains(first, "was not taken") &&
		time.Now().Before(end); {
		first = refused()
	}
	if second := refused(); !strings.Contains(first, "was not taken") ||
		!strings.Contains(second, "an earlier message") {
		t.Errorf("got %s, then %s", first, second)
	}
	l.await(t, "the sign of life", in(`{"ready":true}`))
	if e := c.Close(t.Context()); e.How != "terminated" {
		t.Errorf("got %+v", e)
	}
	gone(t, c)
}

func TestProcessClosesItsOutput(t *testing.T) {
	t.Parallel()
	c, l := dial(t, target("mute"))
	finished(t, "the connection", c.Done())
	l.await(t, "the note", noted("closed its standard output"))
	if e := c.Close(t.Context()); e.By != "us" || e.How != "exited" ||
		!strings.Contains(e.Reason, "standard output") {
		t.Errorf("got %+v", e)
	}
}

func TestProcessCannotBeStarted(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    *Process
		want string
		is   error
	}{
		{&Process{}, "cannot start the target: the command is empty", nil},
		{&Process{Argv: []string{"no-such-command-anywhere"}},
			`cannot start "no-such-command-anywhere": executable file not found in PATH`, exec.ErrNotFound},
		{&Process{Argv: []string{"/no/such/file"}},
			`cannot start "/no/such/file": no such file, or its interpreter is missing`, fs.ErrNotExist},
		{&Process{Argv: []string{plain}},
			`cannot start "` + plain + `": permission denied; is it executable?`, fs.ErrPermission},
		{&Process{Argv: []string{"/bin/sh"}, Dir: "/no/such/dir"},
			`cannot start "/bin/sh": the working directory "/no/such/dir" does not exist`, fs.ErrNotExist},
	} {
		_, err := c.p.Dial(t.Context(), newLog().sink)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := target("echo").Dial(ctx, newLog().sink); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTail(t *testing.T) {
	tail := NewTail(5)
	for _, s := range []string{"ab", "", "cd", "efghijk", "l"} {
		if n, err := tail.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	if got := tail.String(); got != "hijkl" {
		t.Errorf("got %q", got)
	}
}

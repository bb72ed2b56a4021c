package transport

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// helperVar makes the test binary play a target instead of running tests.
const helperVar = "TRANSPORT_TEST_HELPER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperVar); mode != "" {
		os.Exit(helper(mode))
	}
	os.Exit(m.Run())
}

// helper plays a target and returns its exit status.
func helper(mode string) int {
	if strings.HasPrefix(mode, "served") {
		return served(mode)
	}
	switch mode {
	case "echo":
		fmt.Fprintln(os.Stderr, "ready")
		for in := bufio.NewReader(os.Stdin); ; {
			line, err := in.ReadString('\n')
			fmt.Print(line)
			if err != nil {
				return 0
			}
		}
	case "exit":
		fmt.Fprintln(os.Stderr, "no licence")
		return 3
	case "deaf": // to the end of its input
		fmt.Println(`{"ready":true}`)
		time.Sleep(time.Minute)
	case "stubborn": // to SIGTERM as well
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(`{"ready":true}`)
		time.Sleep(time.Minute)
	case "labours": // for a while after the end of its input
		fmt.Println(`{"ready":true}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
		labour()
		return 0
	case "flood":
		line := bytes.Repeat([]byte("x"), 1023)
		for {
			if _, err := fmt.Printf("%s\n", line); err != nil {
				return 1
			}
		}
	case "newlines":
		for chunk := bytes.Repeat([]byte("\n"), 4096); ; {
			if _, err := os.Stdout.Write(chunk); err != nil {
				return 1
			}
		}
	case "noise": // on standard error, then echo
		for i := range 20000 {
			fmt.Fprintf(os.Stderr, "line %d\n", i)
		}
		return helper("echo")
	case "partial":
		fmt.Print("{}\n{\"jsonrpc\"")
		return 0
	case "mute": // closes its output and lives on
		_ = os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "parent": // leaves a child behind that holds the output
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), helperVar+"=stubborn")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			return 1
		}
		fmt.Printf("{\"child\":%d}\n", cmd.Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	}
	return 99
}

// labour keeps a processor busy, for longer than those that call for it are given at first.
func labour() {
	for begin := time.Now(); time.Since(begin) < labourTime; {
	}
}

const labourTime = 2 * time.Second

// raceExit has a program that the race detector watches end at once, which else idles for a second.
const raceExit = "GORACE=atexit_sleep_ms=0"

// target is a process that plays the mode.
func target(mode string) *Process {
	return &Process{Argv: []string{os.Args[0]}, Env: []string{helperVar + "=" + mode, raceExit},
		CloseWait: patience, TermWait: patience}
}

// patience is what tests wait for what comes at once where nothing else has the processor.
const patience = time.Minute

// log is a sink that keeps all frames.
type frameLog struct {
	mu     sync.Mutex
	frames []wire.Frame
	inside bool
	more   chan struct{}
}

func newLog() *frameLog { return &frameLog{more: make(chan struct{}, 1)} }

func (l *frameLog) sink(f wire.Frame) {
	l.mu.Lock()
	if l.inside {
		panic("the sink was called twice at once")
	}
	l.inside = true
	l.mu.Unlock()
	l.mu.Lock()
	l.inside = false
	l.frames = append(l.frames, f)
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

func (l *frameLog) all() []wire.Frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]wire.Frame(nil), l.frames...)
}

// await returns the first frame that fits, and fails the test if none comes.
func (l *frameLog) await(t *testing.T, what string, fits func(*wire.Frame) bool) wire.Frame {
	t.Helper()
	timeout := time.After(patience)
	for {
		for _, f := range l.all() {
			if fits(&f) {
				return f
			}
		}
		select {
		case <-l.more:
		case <-timeout:
			t.Fatalf("%s did not come; there were:\n%s", what, l)
		}
	}
}

func (l *frameLog) String() string {
	var b strings.Builder
	for _, f := range l.all() {
		fmt.Fprintf(&b, "%s %s %.100q %s http=%+v event=%+v flaws=%v\n", f.Dir, f.Channel, f.Raw, f.Text,
			f.HTTP, f.Event, f.Flaws)
	}
	return b.String()
}

func in(raw string) func(*wire.Frame) bool {
	return func(f *wire.Frame) bool { return f.Dir == wire.In && string(f.Raw) == raw }
}

func noted(part string) func(*wire.Frame) bool {
	return func(f *wire.Frame) bool { return f.Dir == wire.Note && strings.Contains(f.Text, part) }
}

func dial(t *testing.T, d Dialer) (Conn, *frameLog) {
	t.Helper()
	l := newLog()
	c, err := d.Dial(t.Context(), l.sink)
	if err != nil {
		t.Fatal(err)
	}
	// The context of the test has ended when this runs.
	t.Cleanup(func() { c.Close(context.Background()) })
	return c, l
}

func send(t *testing.T, c Conn, m Message) *Sent {
	t.Helper()
	s, err := c.Send(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func finished(t *testing.T, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(patience):
		t.Fatalf("%s did not end", what)
	}
}

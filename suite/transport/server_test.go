//go:build unix

package transport

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/procgroup"
)

// program is one that plays the mode at a free port.
func program(mode string) Program {
	return Program{Argv: []string{os.Args[0]}, Env: []string{helperVar + "=" + mode, raceExit, "PORT={port}"},
		URL:       "http://127.0.0.1:{port}/mcp",
		StartWait: time.Minute, TermWait: 10 * time.Second}
}

// hello asks a server for its answer.
func hello(t *testing.T, s *Server, method string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL("http://127.0.0.1:{port}/mcp"), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// left reports whether anything of a process group is left that is to be ended.
func left(pid int) bool { return procgroup.Alive(pid) && !zombies(pid) }

// TestServer: a program is started, is ready when it says so, and nothing is left of it.
func TestServer(t *testing.T) {
	for _, ready := range []string{"", "tcp", "http", "output:listening at 127"} {
		t.Run(ready, func(t *testing.T) {
			p := program("served")
			var err error
			if p.Ready, err = ParseReady(ready); err != nil {
				t.Fatal(err)
			}
			s := NewServer(p)
			defer s.Close()
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := hello(t, s, http.MethodGet); err != nil {
				t.Error(err)
			}
			pid := s.current.cmd.Process.Pid
			if err := s.Start(t.Context()); err != nil || s.current.cmd.Process.Pid != pid {
				t.Errorf("it was started again: %v", err)
			}
			s.Close()
			if left(pid) {
				t.Error("the program was left running")
			}
			if s.Deaths() != 0 || s.Log() != "" {
				t.Errorf("its end is counted as a death: %d, %q", s.Deaths(), s.Log())
			}
			if err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "stopped") {
				t.Errorf("it was started after its end: %v", err)
			}
		})
	}
}

// TestServerFails: each way not to get ready is told in a sentence, and nothing is left.
func TestServerFails(t *testing.T) {
	t.Parallel()
	never := program("served-never")
	never.StartWait = 300 * time.Millisecond
	patient := program("served")
	patient.StartWait, patient.Ready.line = 300*time.Millisecond, accuses
	silent := program("served-silent")
	silent.StartWait, silent.Ready.http = 300*time.Millisecond, true
	missing := program("served")
	missing.Argv = []string{"mcpcheck-no-such-program", "{port}"}
	nowhere := program("served")
	nowhere.Dir = filepath.Join(t.TempDir(), "gone")
	for name, x := range map[string]struct {
		program Program
		want    []string
	}{
		"not found": {missing,
			[]string{`cannot start "mcpcheck-no-such-program": executable file not found`}},
		"no directory": {nowhere, []string{"working directory", "does not exist"}},
		"empty":        {Program{URL: "http://127.0.0.1:{port}/"}, []string{"the command is empty"}},
		"exits": {program("served-exit"),
			[]string{"ended before it was ready: exit status 3; its output: Error: no licence"}},
		"ends": {program("served-end"), []string{"ended before it was ready: exit status 0",
			"has to run in the foreground",
			"one that speaks stdio is judged by its command behind -- alone"}},
		"never":        {never, []string{"is not ready: after ", "nothing listens at 127.0.0.1:"}},
		"no such line": {patient, []string{"no line of its output fits"}},
		"no answer":    {silent, []string{"there is no HTTP answer from 127.0.0.1:"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewServer(x.program)
			defer s.Close()
			err := s.Start(t.Context())
			if err == nil {
				t.Fatal("it was started")
			}
			for _, want := range x.want {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v, not %s", err, want)
				}
			}
			if again := s.Start(t.Context()); again != err {
				t.Errorf("it is tried again: %v", again)
			}
		})
	}
}

// TestServerPortTaken: nobody else is taken for the server.
func TestServerPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := program("served")
	p.URL = "http://" + l.Addr().String() + "/mcp"
	s := NewServer(p)
	defer s.Close()
	if err := s.Start(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "another program listens at "+l.Addr().String()) {
		t.Error(err)
	}
}

// TestServerComesBack: a program that died is started again for the next connection, at the
// same port, and a connection to it ends with it, for a reason that says so.
func TestServerComesBack(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"served", "served-wrapper", "served-stubborn"} {
		t.Run(mode, func(t *testing.T) {
			p := program(mode)
			if mode == "served-stubborn" {
				p.TermWait = 50 * time.Millisecond
			}
			s := NewServer(p)
			defer s.Close()
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			url := s.URL(p.URL)
			dialer := &HTTP{URL: url, Client: Client{Server: s}}
			c, err := dialer.Dial(t.Context(), newLog().sink)
			if err != nil {
				t.Fatal(err)
			}
			sent, err := c.Send(t.Context(), Message{Body: []byte("{}")})
			if err != nil {
				t.Fatal(err)
			}
			<-sent.Done
			if mode == "served-wrapper" { // which is noticed by whoever connects
				if sent.Err() == nil {
					t.Error("the POST was answered")
				}
			} else {
				<-c.Done()
				if err := c.Err(); err == nil ||
					!strings.Contains(err.Error(),
						"the server that was started ended: exit status 5; its output: panic: a POST") {
					t.Error(err)
				}
			}
			again, err := dialer.Dial(t.Context(), newLog().sink)
			if err != nil {
				t.Fatal(err)
			}
			if mode == "served-wrapper" {
				<-c.Done()
				if err := c.Err(); err == nil || !strings.Contains(err.Error(), "listens no more") {
					t.Error(err)
				}
			}
			if err := hello(t, s, http.MethodGet); err != nil || s.URL(p.URL) != url {
				t.Errorf("at %s: %v", s.URL(p.URL), err)
			}
			again.Close(t.Context())
			c.Close(t.Context())
			if s.Deaths() != 1 || !strings.Contains(s.Log(), "panic: a POST") {
				t.Errorf("%d deaths, %q", s.Deaths(), s.Log())
			}
			pid := s.current.cmd.Process.Pid
			s.Close()
			if left(pid) {
				t.Error("the program was left running")
			}
		})
	}
}

// TestServerDies: one that goes on taking connections after it has dropped one is waited for until
// it has ended, so that whoever connects next finds another one; what ended, or listens no more, is not
// waited for.
func TestServerDies(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"served-dying", "served", "served-wrapper"} {
		t.Run(mode, func(t *testing.T) {
			s := NewServer(program(mode))
			defer s.Close()
			s.AwaitEnd(t.Context(), time.Now()) // there is none yet
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			first, sent := s.current, time.Now()
			if err := hello(t, s, http.MethodPost); err == nil {
				t.Error("the POST was answered")
			}
			s.AwaitEnd(t.Context(), sent)
			if mode != "served-wrapper" { // which runs on
				<-first.ended
				if !s.gone(t.Context()) {
					t.Error("what has ended in between is taken for one that listens")
				}
			}
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s.current == first || !first.over() {
				t.Error("the next connection is to the one that dies")
			}
			s.dying = time.Millisecond
			if s.AwaitEnd(t.Context(), sent); s.lasting.Load() > 0 { // it was lost to the first one
				t.Error("the next one was waited for")
			}
		})
	}
}

// TestServerLivesOn: one that drops connections and lives is not waited for again and again.
func TestServerLivesOn(t *testing.T) {
	s := NewServer(program("served"))
	defer s.Close()
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.dying = time.Millisecond
	for range dyingWaits {
		s.AwaitEnd(t.Context(), time.Now())
	}
	s.dying = time.Hour
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.AwaitEnd(t.Context(), time.Now())
	}()
	finished(t, "the waiting", ended)
}

// TestServerStaysAway: a program that does not come back is not started for ever.
func TestServerStaysAway(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "starts")
	p := program("served-once")
	p.Env = append(p.Env, "MARK="+mark)
	s := NewServer(p)
	defer s.Close()
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := s.current
	_ = hello(t, s, http.MethodPost) // it dies of it
	<-run.ended
	for range 2 * startTrials {
		if err := s.Start(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "the database is locked") {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	if starts := strings.Count(string(data), "\n"); starts != 1+startTrials {
		t.Errorf("%d starts", starts)
	}
}

// TestServerInterrupted: whoever waits for a server stops waiting with the run, and nothing
// is left of the program.
func TestServerInterrupted(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "starts")
	p := program("served-never")
	p.Env = append(p.Env, "MARK="+mark)
	s := NewServer(p)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if data, _ := os.ReadFile(mark); len(data) > 0 {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if err := s.Start(ctx); err == nil {
		t.Fatal("it was started")
	}
	data, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if left(pid) {
		t.Error("the program was left running")
	}
}

package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// PortMark stands for the port of a [Server] in its command, environment and URL.
const PortMark = "{port}"

// Program says how to start a [Server].
type Program struct {
	// Argv, Env and Dir are as those of [Process]; [PortMark] in an argument or in the
	// value of a variable is replaced by the port.
	Argv, Env []string
	Dir       string
	// URL is where the server is to be found. Its port is PortMark, for one that is
	// free, or a number.
	URL string
	// Ready tells when the server can be used; the zero value is once it takes
	// connections.
	Ready Ready
	// StartWait is how long that may take, default 30 s; TermWait is how long the
	// program has to exit after SIGTERM, default 2 s.
	StartWait, TermWait time.Duration
}

// Server is a program that is called at a URL. It is started for the first connection, and
// again for a later one if it has ended meanwhile. It may be used from several goroutines.
type Server struct {
	program Program
	turn    chan struct{} // held while the program is started or stopped
	deaths  atomic.Int64
	dying   time.Duration // how long the program has to end after a connection to it was lost
	lasting atomic.Int64  // how often it has not ended by then

	// These are guarded by turn.
	port    int // 0 before the first start
	current *serverRun
	failed  error // why it is not started any more
	misses  int   // starts that failed, one after the other

	mu   sync.Mutex
	log  string    // the last part of the output of a program that failed or died
	fell time.Time // when one that was ready ended last
}

const (
	// readyPause is how long to wait before a server that is not ready is looked at again.
	readyPause = 20 * time.Millisecond
	// askWait bounds one look.
	askWait = 2 * time.Second
	// dyingWait is how long a program has to end after a connection to it was lost, and
	// dyingWaits how often it is waited for one that lives on.
	dyingWait, dyingWaits = 5 * time.Second, 3
	// portTrials is how many free ports are tried, where somebody else takes each of them
	// between our look and the start; startTrials is how many starts may fail in turn
	// once one has succeeded.
	portTrials, startTrials = 3, 3
)

// NewServer is a server that is not started yet.
func NewServer(p Program) *Server {
	p.StartWait, p.TermWait = cmp.Or(p.StartWait, 30*time.Second), cmp.Or(p.TermWait, exitWait)
	return &Server{program: p, turn: make(chan struct{}, 1), dying: dyingWait}
}

// Start starts the program unless it runs, and returns once it is ready. A program that
// could not be started the first time is not started again: the error stays.
func (s *Server) Start(ctx context.Context) error {
	_, err := s.running(ctx)
	return err
}

// running is the program as it runs.
func (s *Server) running(ctx context.Context) (*serverRun, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	switch {
	case s.failed != nil:
		return nil, s.failed
	case s.current != nil && !s.current.over() && !s.gone(ctx):
		return s.current, nil
	}
	first := s.current == nil
	run, err := s.start(ctx, first)
	if err == nil {
		s.current, s.misses = run, 0
		return run, nil
	}
	if context.Cause(ctx) != nil {
		return nil, err // the caller went away, which says nothing about the server
	}
	if s.misses++; first || s.misses >= startTrials {
		s.failed = err
	}
	return nil, err
}

// gone reports whether the program listens no more: it ended a moment ago, or it goes on running, as
// a wrapper does whose server has died. Then it is ended.
func (s *Server) gone(ctx context.Context) bool {
	address, err := s.address()
	if err != nil {
		return false
	}
	if !errors.Is(knock(ctx, address), syscall.ECONNREFUSED) {
		return false
	}
	if s.current.over() {
		return true
	}
	s.current.deaf.Store(true)
	s.current.stop(s.program.TermWait)
	s.died(s.current)
	return true
}

// AwaitEnd waits until the program, to which a connection was lost, has ended or listens no more:
// one that dies may go on taking connections for a moment, and what they bring is lost. One that
// lives on is not waited for longer than dyingWait, unless it is at work, and not again and again:
// there are servers that drop a connection over each message which they cannot read. What was sent before
// a program ended was lost to that one: the next may stand already.
func (s *Server) AwaitEnd(ctx context.Context, sent time.Time) {
	if s.lasting.Load() >= dyingWaits || s.fellSince(sent) {
		return
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	run := s.current
	address, err := s.address()
	<-s.turn
	if run == nil || err != nil {
		return
	}
	const look = 100 * time.Millisecond
	more := s.dying
	over := NewOvertime(more, run.work().Working)
	for ; more > 0; more = over.More() {
		for deadline := time.Now().Add(more); time.Now().Before(deadline); {
			if waitFor(ctx, look, run.ended) || ctx.Err() != nil ||
				errors.Is(knock(ctx, address), syscall.ECONNREFUSED) {
				return
			}
		}
	}
	s.lasting.Add(1)
}

// died counts the death of a program that was ready.
func (s *Server) died(run *serverRun) {
	s.deaths.Add(1)
	s.mu.Lock()
	s.fell = time.Now()
	s.mu.Unlock()
	s.keep(run)
}

// fellSince reports whether a program that was ready has ended after a time.
func (s *Server) fellSince(t time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fell.After(t)
}

// keep remembers what a program said at last.
func (s *Server) keep(run *serverRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = run.log.String()
}

// Log is the last part of the output of the program, once it has failed to start or has
// died; empty if it did neither.
func (s *Server) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log
}

// Deaths is how many times the program, once it was ready, has ended without our doing.
func (s *Server) Deaths() int { return int(s.deaths.Load()) }

// URL is an address of the server with the port in it, once the server was started.
func (s *Server) URL(address string) string {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.at(address)
}

// at is a text with the port in it.
func (s *Server) at(text string) string {
	return strings.ReplaceAll(text, PortMark, strconv.Itoa(s.port))
}

// all is texts with the port in them.
func (s *Server) all(texts []string) (out []string) {
	for _, text := range texts {
		out = append(out, s.at(text))
	}
	return out
}

// start starts the program at a port that nobody listens at, and waits until it is ready.
func (s *Server) start(ctx context.Context, first bool) (*serverRun, error) {
	any := strings.Contains(s.program.URL, PortMark)
	for trial := 1; ; trial++ {
		if any && first {
			port, err := freePort(s.program.URL)
			if err != nil {
				return nil, err
			}
			s.port = port
		}
		address, err := s.address()
		if err != nil {
			return nil, err
		}
		if listens(ctx, address) {
			if any && first && trial < portTrials {
				continue // somebody else took the port in the meantime
			}
			return nil, fmt.Errorf("cannot start %q: another program listens at %s already; end it, or "+
				"write %s for the port, and a free one is taken",
				s.program.Argv[0], address, PortMark)
		}
		run, err := s.launch()
		if err != nil {
			return nil, err
		}
		if err = s.await(ctx, run, address); err == nil {
			run.ready.Store(true)
			return run, nil
		}
		died := run.over()
		run.stop(s.program.TermWait)
		s.keep(run)
		if !died || !any || !first || trial == portTrials || !listens(ctx, address) {
			return nil, err
		}
	}
}

// address is the host and port of the URL.
func (s *Server) address() (string, error) {
	u, err := url.Parse(s.at(s.program.URL))
	if err != nil || u.Hostname() == "" {
		return "", errors.New("the URL of the server to be started cannot be read")
	}
	return net.JoinHostPort(u.Hostname(), wire.Port(u)), nil
}

// freePort is a port that is free at the loopback address of a URL.
func freePort(address string) (int, error) {
	host := "127.0.0.1"
	if strings.Contains(address, "//[::1]") {
		host = "::1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, fmt.Errorf("there is no free port at %s: %w", host, err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// knock opens a connection to an address, and says why none is taken.
func knock(ctx context.Context, address string) error {
	c, err := (&net.Dialer{Timeout: askWait}).DialContext(ctx, "tcp", address)
	if err == nil {
		_ = c.Close() // nothing was sent
	}
	return err
}

// listens reports whether connections to an address are taken.
func listens(ctx context.Context, address string) bool { return knock(ctx, address) == nil }

// answers reports whether anything comes back for a GET request; who it is that answers is
// not looked at.
func answers(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("User-Agent", "mcpcheck")
	// #nosec G402 -- it only asks whether anybody answers, and sends no credential
	rt := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // it was not read
	return true
}

// await waits until the program is ready. The error says why it is not.
func (s *Server) await(ctx context.Context, run *serverRun, address string) error {
	limit := s.program.StartWait
	bounded, cancel := context.WithTimeout(ctx, overtimes*limit)
	defer cancel()
	over := NewOvertime(limit, run.work().Working)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for began := time.Now(); ; {
		ready := s.program.Ready.line == nil || run.log.found.Load()
		if ready = ready && listens(bounded, address); ready && s.program.Ready.http {
			ready = answers(bounded, s.at(s.program.URL))
		}
		if ready && !run.over() {
			return nil
		}
		more := readyPause
		select {
		case <-run.ended:
			hint := ""
			if run.status == "exit status 0" { // its standard input is empty
				hint = "; the server has to run in the foreground, without & or a daemon, and one that " +
					"speaks stdio is judged by its command behind -- alone"
			}
			return fmt.Errorf("%q, which was to listen at %s, ended before it was ready: %s%s%s",
				s.program.Argv[0], address, run.status, run.log.lastWords(),
				cmp.Or(hint, s.advice(run, true)))
		case <-bounded.Done():
			more = 0
		case <-timer.C:
			more = over.More()
			timer.Reset(more)
		case <-time.After(readyPause):
		}
		if more == 0 {
			waited := fmt.Sprintf("after %s %s", time.Since(began).Round(100*time.Millisecond),
				s.program.Ready.missing(address))
			return fmt.Errorf("%q was started, but is not ready: %s%s",
				s.program.Argv[0], waited, run.log.lastWords()+s.advice(run, false))
		}
	}
}

// advice is [Advice] for the program.
func (s *Server) advice(run *serverRun, ended bool) string {
	return Advice(run.log.String(), s.program.Env, ended)
}

// Close ends the program, with SIGTERM and, if that does not do, with SIGKILL, and waits
// until nothing of its process group is left. It is not started again.
func (s *Server) Close() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.failed == nil {
		s.failed = errors.New("the server was stopped at the end of the run")
	}
	if s.current != nil {
		s.current.stop(s.program.TermWait)
	}
}

// launch starts the program.
func (s *Server) launch() (*serverRun, error) {
	p := s.program
	cmd, err := command("server", s.all(p.Argv), s.all(p.Env), p.Dir)
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start %q: no pipe: %w", cmd.Args[0], err)
	}
	cmd.Stderr = cmd.Stdout
	if err := start(cmd); err != nil {
		return nil, err
	}
	run := &serverRun{cmd: cmd, log: &serverLog{Tail: NewTail(logBytes), want: p.Ready.line}, out: out,
		ended: make(chan struct{})}
	go run.watch(s.died)
	return run, nil
}

// serverRun is the program from one start to its end.
type serverRun struct {
	cmd     *exec.Cmd
	log     *serverLog
	out     io.ReadCloser
	ready   atomic.Bool
	stopped atomic.Bool // we have ended it
	deaf    atomic.Bool // because it listened no more
	ended   chan struct{}
	status  string // valid once ended is closed
}

// watch reads the output, reaps the process and ends what is left of its group. The death of a
// program that was ready is told before the end is.
func (r *serverRun) watch(died func(*serverRun)) {
	defer close(r.ended)
	defer func() {
		if r.ready.Load() && !r.stopped.Load() {
			died(r)
		}
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(r.log, r.out) // a read error is the end of the stream, like any other
	}()
	r.status = exitStatus(r.cmd)
	if !procgroup.Alive(r.cmd.Process.Pid) {
		within(drainWait, read)
	}
	procgroup.Clear(r.cmd.Process.Pid)
	within(goneWait, read)
	_ = r.out.Close() // this wakes the reader, whoever holds the other end
	<-read
}

// over reports whether the program has ended.
func (r *serverRun) over() bool { return isClosed(r.ended) }

func (r *serverRun) work() *procgroup.Work { return &procgroup.Work{Leader: r.cmd.Process.Pid} }

// failure says how the program ended, once it has.
func (r *serverRun) failure() error {
	if r.deaf.Load() {
		return fmt.Errorf("the server that was started goes on running, but listens no more%s",
			r.log.lastWords())
	}
	return fmt.Errorf("the server that was started ended: %s%s", r.status, r.log.lastWords())
}

// stop ends the program.
func (r *serverRun) stop(wait time.Duration) {
	if r.over() {
		return
	}
	r.stopped.Store(true)
	_ = procgroup.Terminate(r.cmd.Process.Pid) // it may have ended by itself
	if !within(wait, r.ended) {
		_ = procgroup.Kill(r.cmd.Process.Pid) // likewise
		<-r.ended
	}
}

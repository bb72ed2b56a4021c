package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reference/record"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// serverGrace is how long a server has to end when its input has, or when it is told to.
const serverGrace = 3 * time.Second

// lastSaid is how much is kept of what a program writes to its standard error, in bytes.
const lastSaid = 16 << 10

// between sits between a client and a server until one of them ends.
func (r *recording) between(ctx context.Context, recorder *record.Recorder, args []string) error {
	switch {
	case r.addr != "" && r.url != "":
		proxy, err := recorder.Proxy(r.url)
		if err != nil {
			return usageError{err}
		}
		defer proxy.Close()
		proxy.Header = r.header
		return r.overHTTP(ctx, recorder, proxy, proxy.Path())
	case r.addr != "":
		if _, err := exec.LookPath(args[0]); err != nil {
			//nolint:gosec // it is only named
			return usagef("%s", procgroup.Unstarted(exec.Command(args[0]), err))
		}
		sessions := recorder.Sessions(func() (record.Process, error) { return r.process(args) })
		defer sessions.Close()
		return r.overHTTP(ctx, recorder, sessions, sessions.Path())
	case r.url != "":
		remote, err := record.Dial(r.url, record.RemoteOptions{Header: r.header,
			Tell: func(sentence string) { r.tell(sentence) }})
		if err != nil {
			return usageError{err}
		}
		defer remote.End()
		err = r.passOn(ctx, recorder, remote, remote)
		return errors.Join(err, remote.Unreached())
	}
	server, err := r.process(args)
	if err != nil {
		return err
	}
	defer server.End()
	return r.passOn(ctx, recorder, server.In, server.Out)
}

// process starts a server on stdio.
func (r *recording) process(args []string) (p record.Process, err error) {
	passed, err := r.granted.Vars()
	if err != nil {
		return p, err
	}
	running, stop := context.WithCancel(context.Background())
	//nolint:gosec // running it is what the user asked for
	server := exec.CommandContext(running, args[0], args[1:]...)
	said := transport.NewTail(lastSaid)
	server.Env = environ.Of(passed)
	server.Stderr, server.WaitDelay = io.MultiWriter(r.stderr, said), serverGrace
	in, err := server.StdinPipe()
	if err != nil {
		stop()
		return p, err
	}
	out, theirs, err := os.Pipe() // not StdoutPipe: Wait would close it before all is read
	if err != nil {
		stop()
		return p, err
	}
	server.Stdout = theirs
	if err := procgroup.Start(server); err != nil {
		stop()
		for _, pipe := range []io.Closer{in, theirs, out} {
			_ = pipe.Close() // nothing has been written; some have been closed by then
		}
		return p, usagef("%s", procgroup.Unstarted(server, err))
	}
	_ = theirs.Close() // the server has its own
	ended := make(chan error, 1)
	go func() {
		waited := procgroup.Wait(server)
		procgroup.Clear(server.Process.Pid)
		// This wakes the reader, whoever holds the other end.
		time.AfterFunc(serverGrace, func() { _ = out.Close() })
		ended <- waited
	}()
	return record.Process{In: in, Out: out, End: func() {
		defer stop()
		_ = in.Close() // in most cases it is closed already
		timer := time.AfterFunc(serverGrace, stop)
		waited := <-ended
		told := !timer.Stop()
		_ = out.Close() // whatever is left there is lost
		if exit := (*exec.ExitError)(nil); errors.As(waited, &exit) && !told {
			advice := environ.Advice(said.String(), passed, true)
			r.note("the server ended with %s%s", exit, advice)
		} else if waited != nil && !told && !errors.Is(waited, exec.ErrWaitDelay) {
			r.note("the server did not end well: %v", waited)
		}
	}}, nil
}

// passOn passes on what is said until one side ends. What a server says after its client has
// gone is waited for only as long as the server may take to end.
func (r *recording) passOn(ctx context.Context, recorder *record.Recorder, in io.WriteCloser,
	out io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := ending{r.stdin, func() { time.AfterFunc(serverGrace, cancel) }}
	err := recorder.Stdio(ctx, late, terminal.Raw(r.stdout), in, out)
	if errors.Is(err, context.Canceled) {
		return recorder.Err() // a signal is an ordinary end
	}
	return err
}

// overHTTP serves clients until the context ends.
func (r *recording) overHTTP(ctx context.Context, recorder *record.Recorder, h http.Handler,
	path string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", r.addr)
	if err != nil {
		return unlistened("--http", r.addr, err)
	}
	r.note("recording to %s, listening on http://%s%s", r.to, l.Addr(), path)
	return errors.Join(record.Serve(ctx, l, h, serverGrace), recorder.Err())
}

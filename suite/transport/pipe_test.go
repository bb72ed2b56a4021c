package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// pipeTo serves one end of an in-memory connection and dials the other.
func pipeTo(serve func(net.Conn)) *Pipe {
	return &Pipe{Open: func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			serve(theirs)
		}()
		return ours, nil
	}}
}

func echoLines(c net.Conn) {
	for in := bufio.NewScanner(c); in.Scan(); {
		time.Sleep(time.Hour)
		if _, err := c.Write(append(in.Bytes(), '\n')); err != nil {
			return
		}
	}
}

func TestPipeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		c, err := pipeTo(echoLines).Dial(t.Context(), l.sink)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		send(t, c, Message{Body: []byte(`{"a":1,"a":2}`)})
		time.Sleep(61 * time.Minute)
		if f := l.await(t, "the echo", func(f *wire.Frame) bool {
			return f.Dir == wire.In
		}); !f.HasFlaw(wire.FlawDuplicate) {
			t.Errorf("got %+v", f)
		}
		if took := time.Since(begin); took != 61*time.Minute {
			t.Errorf("it took %v", took)
		}
		if e := c.Close(t.Context()); e.By != "us" {
			t.Errorf("got %+v", e)
		}
		if _, err := c.Send(t.Context(), Message{}); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
		// The bubble fails the test if a goroutine is left.
	})
}

func TestPipeTargetEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		c, err := pipeTo(func(c net.Conn) { _, _ = c.Write([]byte("{}\n{")) }).Dial(t.Context(), l.sink)
		if err != nil {
			t.Fatal(err)
		}
		<-c.Done()
		if f := l.await(t, "the rest", in("{")); !f.HasFlaw(wire.FlawUnterminated) {
			t.Errorf("got %+v", f)
		}
		if e := c.Close(t.Context()); e.By != "target" || e.Reason != "the target ended its output" {
			t.Errorf("got %+v", e)
		}
	})
}

func TestPipeSendObeysItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		c, err := pipeTo(func(net.Conn) { <-stop }).Dial(t.Context(), newLog().sink)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.Send(ctx, Message{Body: []byte("{}")}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		c.Close(t.Context())
		close(stop)
	})
}

// halves is a connection whose input can be closed alone.
type halves struct {
	io.Reader
	*io.PipeWriter
	r *io.PipeReader
}

func (h halves) CloseWrite() error { return h.PipeWriter.Close() }
func (h halves) Close() error      { return errors.Join(h.PipeWriter.Close(), h.r.Close()) }

func TestPipeHalfClose(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			stop := make(chan struct{})
			p := &Pipe{Open: func(context.Context) (io.ReadWriteCloser, error) {
				fromUs, toThem := io.Pipe()
				fromThem, toUs := io.Pipe()
				go func() {
					_, _ = io.Copy(io.Discard, fromUs)
					if stubborn {
						<-stop
					}
					_ = toUs.Close()
				}()
				return halves{fromThem, toThem, fromThem}, nil
			}}
			c, err := p.Dial(t.Context(), newLog().sink)
			if err != nil {
				t.Fatal(err)
			}
			want, took := "exited", time.Duration(0)
			if stubborn {
				want, took = "killed", 2*time.Second
			}
			if e := c.Close(t.Context()); e.By != "us" || e.How != want || e.Took != took {
				t.Errorf("got %+v", e)
			}
			close(stop)
		})
	}
}

func TestPipeCannotOpen(t *testing.T) {
	cause := errors.New("no such server")
	for _, p := range []*Pipe{{}, {Open: func(context.Context) (io.ReadWriteCloser, error) {
		return nil, cause
	}}} {
		if _, err := p.Dial(t.Context(), newLog().sink); err == nil ||
			!strings.HasPrefix(err.Error(), "cannot connect in process") {
			t.Errorf("got %v", err)
		}
	}
}

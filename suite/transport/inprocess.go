package transport

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// handlerWait is how long a handler may run on after its request was cancelled.
const handlerWait = 2 * time.Second

// inProcess serves a handler over connections that exist in memory only.
type inProcess struct {
	server *http.Server
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	wg     sync.WaitGroup // the accept loop and all running handlers
}

func serveInProcess(h http.Handler) *inProcess {
	p := &inProcess{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.wg.Add(1)
			defer p.wg.Done()
			h.ServeHTTP(w, r)
		}),
		// A panic in the handler shows as a broken connection, as it would
		// over a network; the log of the embedding program is not ours.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		_ = p.server.Serve(p) // always ends with an error: the listener was closed
	}()
	return p
}

func (p *inProcess) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close ends the server and waits for its handlers, within reason: one that
// ignores the end of its request cannot be stopped.
func (p *inProcess) close(ctx context.Context) {
	// Close reports the error of closing the listener, and ours has none.
	_ = p.server.Close()
	_ = p.Close()
	done := make(chan struct{})
	go func() {
		p.wg.Wait()
		close(done)
	}()
	waitFor(ctx, done, handlerWait)
}

// Accept, Close and Addr make it a net.Listener.
func (p *inProcess) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, errors.New("the in-process server was closed")
	}
}

// Close ends Accept.
func (p *inProcess) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr is a loopback address, because that is what it stands for.
func (p *inProcess) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

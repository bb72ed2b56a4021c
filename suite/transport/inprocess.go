package transport

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// handlerWait is how long a handler may run on after its request was cancelled.
const handlerWait = 2 * time.Second

// inProcess serves a handler over connections that exist in memory only.
type inProcess struct {
	handler http.Handler
	server  *http.Server
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
	served  chan struct{} // closed when the accept loop has ended

	mu      sync.Mutex
	running int
	closing bool
	idle    chan struct{} // closed when closing and no handler runs
}

func serveInProcess(h http.Handler) *inProcess {
	p := &inProcess{handler: h, conns: make(chan net.Conn), closed: make(chan struct{}),
		served: make(chan struct{}), idle: make(chan struct{})}
	p.server = &http.Server{
		Handler: p,
		// A panic in the handler shows as a broken connection, as it would
		// over a network; the log of the embedding program is not ours.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(p) // always ends with an error: the listener was closed
	}()
	return p
}

// ServeHTTP counts the handlers that run.
func (p *inProcess) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if p.closing {
		p.mu.Unlock()
		panic(http.ErrAbortHandler) // how net/http wants to be told to drop a connection
	}
	p.running++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.running--; p.running == 0 && p.closing {
			close(p.idle)
		}
	}()
	p.handler.ServeHTTP(w, r)
}

func (p *inProcess) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- remote{theirs, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1024 + int(ports.Add(1))%64000}}:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ports numbers the connections of all handlers.
var ports atomic.Uint32

// remote is the handler's end of a connection, with an address that tells it from
// others, as it would on a network.
type remote struct {
	net.Conn
	addr net.Addr
}

// RemoteAddr is where the connection seems to come from.
func (r remote) RemoteAddr() net.Addr { return r.addr }

// close ends the server and waits for its handlers, within reason: one that
// ignores the end of its request cannot be stopped.
func (p *inProcess) close(ctx context.Context) {
	// Close reports the error of closing the listener, and ours has none.
	_ = p.server.Close()
	_ = p.Close()
	<-p.served
	p.mu.Lock()
	p.closing = true
	if p.running == 0 {
		close(p.idle)
	}
	p.mu.Unlock()
	waitFor(ctx, p.idle, handlerWait)
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

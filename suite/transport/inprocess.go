package transport

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// handlerWait is how long a handler may run on after its request was cancelled.
const handlerWait = 2 * time.Second

// ConnWrapper is a [http.Handler] that wants to see the bytes of the connections
// over which it is served in process, say because net/http spells the names of
// headers in its own way.
type ConnWrapper interface {
	WrapConn(net.Conn) net.Conn
}

// Listener is a [http.Handler] that says at which hosts it would be had if it were
// served over a network. Without it every host will do.
type Listener interface {
	ListensAt(host string) bool
}

// inProcess serves a handler over connections that exist in memory only.
type inProcess struct {
	handler http.Handler
	server  *http.Server
	conns   chan net.Conn
	ctx     context.Context // ends with the listener
	end     context.CancelFunc
	served  chan struct{} // closed when the accept loop has ended
}

func serveInProcess(h http.Handler) *inProcess {
	p := &inProcess{handler: h, conns: make(chan net.Conn), served: make(chan struct{})}
	p.ctx, p.end = context.WithCancel(context.Background())
	p.server = &http.Server{ // #nosec G112 -- its only client is ours, in this process
		Handler: h,
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

func (p *inProcess) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if l, ok := p.handler.(Listener); ok {
		if host, _, err := net.SplitHostPort(address); err == nil && !l.ListensAt(host) {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
	}
	ours, theirs := net.Pipe()
	var conn net.Conn = remote{Conn: theirs, local: standsFor(address, theirs.LocalAddr()),
		addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1024 + int(ports.Add(1))%64000}}
	if w, ok := p.handler.(ConnWrapper); ok {
		conn = w.WrapConn(conn)
	}
	select {
	case p.conns <- conn:
		return ours, nil
	case <-p.ctx.Done():
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ports numbers the connections of all handlers.
var ports atomic.Uint32

// remote is the handler's end of a connection, with addresses as it would have them on
// a network: one that tells it from others, and the one that was called, by which
// servers know that they are local.
type remote struct {
	net.Conn
	local, addr net.Addr
}

// LocalAddr is the address that the connection seems to have been made to.
func (r remote) LocalAddr() net.Addr { return r.local }

// standsFor is the network address of a host and port in text form; that of the
// in-memory connection if the host is a name of which nobody knows where it leads.
func standsFor(address string, memory net.Addr) net.Addr {
	if port, local := strings.CutPrefix(address, "localhost:"); local {
		address = "127.0.0.1:" + port
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return memory
	}
	return net.TCPAddrFromAddrPort(at)
}

// RemoteAddr is where the connection seems to come from.
func (r remote) RemoteAddr() net.Addr { return r.addr }

// close ends the server, whose clients are gone, and waits for its handlers, within reason:
// one that ignores the end of its request cannot be stopped.
func (p *inProcess) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, handlerWait)
	defer cancel()
	_ = p.server.Shutdown(ctx) // that time is up is all that can go wrong
	_ = p.server.Close()       // likewise: the listener has no error
	<-p.served
}

// Accept, Close and Addr make it a net.Listener.
func (p *inProcess) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ctx.Done():
		return nil, errors.New("the in-process server was closed")
	}
}

// Close ends Accept.
func (p *inProcess) Close() error {
	p.end()
	return nil
}

// Addr is a loopback address, because that is what it stands for.
func (p *inProcess) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

package reference

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/engine"
)

// Refuse has the HTTP servers that Serve runs be gone for a time, as if the process were: their ports are closed, and
// so are connections, as soon as what is being answered on them has been. The ports are opened again afterwards. If
// they are closed already, they are so for this time at least.
func (s *Server) Refuse(span time.Duration) { s.doors.shut(span) }

// doors are the listeners of the HTTP servers of a server.
type doors struct {
	mu  sync.Mutex
	all []*door
}

func (d *doors) add(l net.Listener) *door {
	one := &door{inner: l, conns: map[net.Conn]http.ConnState{}, done: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, one)
	return one
}

func (d *doors) remove(one *door) {
	d.mu.Lock()
	d.all = slices.DeleteFunc(d.all, func(other *door) bool { return other == one })
	d.mu.Unlock()
	_ = one.Close() // it has been closed with its server, as a rule
	one.keeper.Wait()
}

// shut shuts all for a time; 0 opens them again.
func (d *doors) shut(span time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.all {
		one.shut(span)
	}
}

const (
	// shutGrace is how long what is being answered may go on when a door is shut; streams never end by themselves.
	shutGrace = 200 * time.Millisecond
	// reopenFor is how long it is tried to have a port again, reopenEach how often.
	reopenFor  = 10 * time.Second
	reopenEach = 20 * time.Millisecond
)

// door is a listener that can be closed for a time.
type door struct {
	keeper sync.WaitGroup

	mu     sync.Mutex
	inner  net.Listener
	conns  map[net.Conn]http.ConnState
	until  time.Time     // when it is opened again
	sooner chan struct{} // told when that has changed
	opened chan struct{} // closed when it is open again; nil while it is
	failed error         // why it could not be opened again
	closed bool
	done   chan struct{} // closed with it
}

// Addr is the address, which is the same before and afterwards.
func (d *door) Addr() net.Addr {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner.Addr()
}

// Accept waits for a connection, while the door is shut until it is open again.
func (d *door) Accept() (net.Conn, error) {
	for {
		d.mu.Lock()
		inner, opened, failed := d.inner, d.opened, d.failed
		d.mu.Unlock()
		if failed != nil {
			return nil, failed
		}
		if opened != nil {
			select {
			case <-opened:
				continue
			case <-d.done:
				return nil, net.ErrClosed
			}
		}
		c, err := inner.Accept()
		if err == nil {
			return c, nil
		}
		d.mu.Lock()
		over := d.closed || d.opened == nil && d.inner == inner
		d.mu.Unlock()
		if over {
			return nil, err
		}
	}
}

// Close closes the listener for good.
func (d *door) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	close(d.done)
	if d.opened != nil {
		return nil // the listener is closed already
	}
	return d.inner.Close()
}

// track notes what has become of a connection, and closes one that is done when the door is shut.
func (d *door) track(c net.Conn, state http.ConnState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(d.conns, c)
		return
	}
	d.conns[c] = state
	if state == http.StateIdle && d.opened != nil {
		drop(c) // it is not needed any more
	}
}

// shut closes the door for a time.
func (d *door) shut(span time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = time.Now().Add(span)
	switch {
	case d.closed || d.opened == nil && span <= 0:
		return
	case d.opened != nil:
		select {
		case d.sooner <- struct{}{}:
		default: // it has been told
		}
		return
	}
	if _, plain := d.inner.(*net.TCPListener); !plain {
		d.cut(http.StateNew, http.StateActive, http.StateIdle) // what is around it could not be made again
		return
	}
	d.opened, d.sooner = make(chan struct{}), make(chan struct{}, 1)
	address := d.inner.Addr()
	_ = d.inner.Close() // that is what is wanted
	release := reserve(address)
	d.cut(http.StateIdle)
	d.keeper.Go(func() { d.keep(address, release) })
}

// cut closes connections in a state. The caller holds mu.
func (d *door) cut(states ...http.ConnState) {
	for c, state := range d.conns {
		if slices.Contains(states, state) {
			drop(c)
		}
	}
}

// drop closes a connection at once: that of TLS would first wait for the client to take an alert.
func drop(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	_ = c.Close() // that is what is wanted
}

// keep keeps the door shut until it is to be opened, and opens it; release gives up what has kept the port.
func (d *door) keep(address net.Addr, release func()) {
	grace := time.After(shutGrace)
	for {
		d.mu.Lock()
		left := time.Until(d.until)
		d.mu.Unlock()
		if left <= 0 {
			break
		}
		select {
		case <-time.After(left):
		case <-d.sooner:
		case <-grace:
			d.mu.Lock()
			d.cut(http.StateNew, http.StateActive, http.StateIdle)
			d.mu.Unlock()
		case <-d.done:
			release()
			return
		}
	}
	release()
	inner, err := d.reopen(address)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && d.closed {
		_ = inner.Close() // nobody wants it any more
	} else if err == nil {
		d.inner = inner
	}
	d.failed = err
	close(d.opened)
	d.opened = nil
}

// reopen listens on the address again, as soon as it can be had.
func (d *door) reopen(address net.Addr) (net.Listener, error) {
	ctx, cancel := context.WithTimeout(context.Background(), reopenFor)
	defer cancel()
	for {
		l, err := (&net.ListenConfig{}).Listen(ctx, address.Network(), address.String())
		if err == nil {
			return l, nil
		}
		select {
		case <-time.After(reopenEach):
		case <-ctx.Done():
			return nil, err
		case <-d.done:
			return nil, net.ErrClosed
		}
	}
}

// Listen listens on a TCP address, say "127.0.0.1:0", for [Server.Serve]. With a
// fault that makes the server be had from everywhere it is the port on all addresses
// of the machine.
func (s *Server) Listen(ctx context.Context, addr string) (net.Listener, error) {
	const elsewhere = "192.0.2.1" // nobody's address (RFC 5737)
	if _, port, err := net.SplitHostPort(addr); err == nil && s.engine.ListensAt(elsewhere) {
		addr = net.JoinHostPort("", port)
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
}

// hooked is a listener whose connections pass the hooks, within TLS if there is some.
type hooked struct {
	net.Listener
	tls    *tls.Config
	engine *engine.Engine
}

// Accept waits for a connection.
func (l hooked) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if l.tls != nil {
		c = tls.Server(c, l.tls)
	}
	return l.engine.WrapConn(c), nil
}

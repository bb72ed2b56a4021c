// Package host has what a running server stands on: listeners that can be shut for a time, and a timeline on
// its way.
package host

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Doors are the listeners of the HTTP servers of a server.
type Doors struct {
	mu  sync.Mutex
	all []*Door
}

// Add makes a door of a listener.
func (d *Doors) Add(l net.Listener) *Door {
	one := &Door{inner: l, conns: map[net.Conn]http.ConnState{}, done: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, one)
	return one
}

// Remove closes a door for good.
func (d *Doors) Remove(one *Door) {
	d.mu.Lock()
	d.all = slices.DeleteFunc(d.all, func(other *Door) bool { return other == one })
	d.mu.Unlock()
	_ = one.Close() // it has been closed with its server, as a rule
	one.keeper.Wait()
}

// Shut shuts all for a time; 0 opens them again.
func (d *Doors) Shut(span time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.all {
		one.shut(span)
	}
}

const (
	// shutGrace is how long what is being answered may go on when a door is shut; streams never end by
	// themselves.
	shutGrace = 200 * time.Millisecond
	// reopenFor is how long it is tried to have a port again, reopenEach how often.
	reopenFor  = 10 * time.Second
	reopenEach = 20 * time.Millisecond
)

// Door is a listener that can be closed for a time.
type Door struct {
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
func (d *Door) Addr() net.Addr {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner.Addr()
}

// Accept waits for a connection, while the door is shut until it is open again.
func (d *Door) Accept() (net.Conn, error) {
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
func (d *Door) Close() error {
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

// Track notes what has become of a connection, and closes one that is done when the door is shut.
func (d *Door) Track(c net.Conn, state http.ConnState) {
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
func (d *Door) shut(span time.Duration) {
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
func (d *Door) cut(states ...http.ConnState) {
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
func (d *Door) keep(address net.Addr, release func()) {
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
func (d *Door) reopen(address net.Addr) (net.Listener, error) {
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

package transport

import (
	"context"
	"net"
	"sync"
)

// dialFunc opens a network connection.
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer ties the connections that dial opens to the life of the client. The
// HTTP library goes on dialing when a request is cancelled, in the hope of
// using the connection later.
func (c *client) dialer(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.ctx, cancel)()
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return c.conns.add(conn)
	}
}

// connSet is the open connections of a client.
type connSet struct {
	mu     sync.Mutex
	open   map[*setConn]struct{}
	closed bool
}

type setConn struct {
	net.Conn
	set *connSet
}

func (s *connSet) add(conn net.Conn) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close() // unused
		return nil, net.ErrClosed
	}
	if s.open == nil {
		s.open = map[*setConn]struct{}{}
	}
	c := &setConn{conn, s}
	s.open[c] = struct{}{}
	return c, nil
}

// Close closes the connection and forgets it.
func (c *setConn) Close() error {
	c.set.mu.Lock()
	delete(c.set.open, c)
	c.set.mu.Unlock()
	return c.Conn.Close()
}

// close closes all connections and those that are still being opened.
func (s *connSet) close() {
	s.mu.Lock()
	s.closed = true
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close() // nobody is left to tell
	}
}

package transport

import (
	"bytes"
	"net"
	"regexp"
	"sync"
)

// watchedConn is a connection on which it is seen what belongs to no response.
type watchedConn struct {
	net.Conn

	mu    sync.Mutex
	use   *use            // the exchange under way; nil between two
	stray func(bytes int) // told what comes between two; nil before the first
}

var idleTimeout = regexp.MustCompile(`^HTTP/1\.[01] 408`)

// Read tells apart what belongs to an exchange from what nobody asked for: package net/http drops
// that, and closes the connection.
func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	use, stray := c.use, c.stray
	if use != nil {
		use.take(p[:n])
	}
	c.mu.Unlock()
	// Servers that close an idle connection may say so (RFC 9110, section 15.5.9).
	if n > 0 && use == nil && stray != nil && !idleTimeout.Match(p[:n]) {
		stray(n)
	}
	return n, err
}

// begin has what comes from now on belong to an exchange; what comes after it is told to stray.
func (c *watchedConn) begin(stray func(bytes int)) *use {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.use, c.stray = &use{conn: c}, stray
	return c.use
}

// use is an exchange over a connection. It looks for the end of the head of the response, behind
// which the body begins.
type use struct {
	conn   *watchedConn
	bytes  int64  // that have come
	head   int64  // of these, the response without its body; 0 while that goes on
	status []byte // the beginning of the status line
	line   int    // bytes of the line so far, without carriage returns
}

// take looks at bytes that have come.
func (u *use) take(p []byte) {
	for i := 0; i < len(p) && u.head == 0; i++ {
		if len(u.status) < len("HTTP/1.1 1") {
			u.status = append(u.status, p[i])
		}
		switch {
		case p[i] == '\r':
		case p[i] != '\n':
			u.line++
		case u.line > 0:
			u.line = 0
		case bytes.HasSuffix(u.status, []byte(" 1")):
			u.status = nil // another response follows an informational one (RFC 9110, section 15.2)
		default:
			u.head = u.bytes + int64(i) + 1
		}
	}
	u.bytes += int64(len(p))
}

// end ends the exchange. It returns how many bytes have come behind a body of that length.
func (u *use) end(body int64) int64 {
	u.conn.mu.Lock()
	defer u.conn.mu.Unlock()
	if u.conn.use == u {
		u.conn.use = nil
	}
	if u.head == 0 {
		return 0
	}
	return u.bytes - u.head - body
}

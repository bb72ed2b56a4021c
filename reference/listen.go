package reference

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/mcpcheck/mcpcheck/reference/engine"
)

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

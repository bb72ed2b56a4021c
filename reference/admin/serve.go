package admin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
)

const (
	headTimeout     = 10 * time.Second
	bodyTimeout     = 90 * time.Second // longer than MaxTimeout: it also ends a request that waits
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = time.Second
)

// Listen listens on a TCP address, say "127.0.0.1:0", for an interface with these options. Without a
// token all are refused that are not of this machine alone.
func Listen(ctx context.Context, addr string, o Options) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("the admin address %q is not written HOST:PORT, as 127.0.0.1:0 is", addr)
	}
	remote := o.Token != ""
	if !remote && !loopback.Host(host) {
		return nil, fmt.Errorf("%q is no loopback address, as 127.0.0.1:0 is, and without a token (--admin-token-env) the admin interface is for this machine only", addr)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if at, ok := l.Addr().(*net.TCPAddr); !remote && (!ok || !at.IP.IsLoopback()) {
		return nil, fmt.Errorf("%q leads to %s, and without a token (--admin-token-env) the admin interface is for this machine only (%w)", addr, l.Addr(), closed(l))
	}
	return l, nil
}

// closed closes a listener that nobody must use.
func closed(l net.Listener) error {
	if err := l.Close(); err != nil {
		return err
	}
	return net.ErrClosed
}

// Serve serves the interface on a listener until the context ends. Requests that wait for
// something end with it.
func (a *API) Serve(ctx context.Context, l net.Listener) error {
	return httpserve.Until(ctx, l, &http.Server{
		Handler: a, ReadHeaderTimeout: headTimeout, ReadTimeout: bodyTimeout, IdleTimeout: idleTimeout,
	}, shutdownTimeout)
}

// Package httpserve serves HTTP for as long as somebody wants it to, ends in order, and answers with JSON.
package httpserve

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"time"
)

// JSON answers with a value that always can be written.
func JSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}

// The bounds of all servers.
const (
	// HeadTimeout is how long the head of a request may take.
	HeadTimeout = 10 * time.Second
	idleTimeout = 2 * time.Minute
)

// New makes a server with the bounds that all have.
func New(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: HeadTimeout, IdleTimeout: idleTimeout}
}

// Until serves on a listener until the context ends. The contexts of requests end with it; they
// then have the grace to end, before their connections are closed. Bodies have to come in time, see [Pace].
func Until(ctx context.Context, l net.Listener, h http.Handler, grace time.Duration) error {
	web := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(r.Context())
		r.Body = Pace(w, r.Body)
		h.ServeHTTP(w, r)
	}))
	web.BaseContext = func(net.Listener) context.Context { return ctx }
	return Run(ctx, l, web, grace, func(context.Context) error { return nil })
}

// Run has a server serve on a listener until the context ends. Then it takes no more connections, and what is
// being answered has the grace to end. The context of finish, which may have it end sooner, ends with that.
func Run(ctx context.Context, l net.Listener, web *http.Server, grace time.Duration,
	finish func(end context.Context) error) error {
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	shut := make(chan error, 1)
	go func() { shut <- web.Shutdown(end) }()
	err := finish(end)
	if <-shut != nil {
		err = errors.Join(err, web.Close())
	}
	<-failed // says that it was shut down
	return err
}

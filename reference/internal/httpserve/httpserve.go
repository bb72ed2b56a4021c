// Package httpserve serves HTTP for as long as somebody wants it to, ends in order, and answers with JSON.
package httpserve

import (
	"context"
	"encoding/json"
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

// Until serves on a listener until the context ends. The contexts of requests end with it; they
// then have the grace to end, before their connections are closed. Bodies have to come in time, see [Pace].
func Until(ctx context.Context, l net.Listener, web *http.Server, grace time.Duration) error {
	web.BaseContext = func(net.Listener) context.Context { return ctx }
	next := web.Handler
	web.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(r.Context())
		r.Body = Pace(w, r.Body)
		next.ServeHTTP(w, r)
	})
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	var err error
	if web.Shutdown(end) != nil {
		err = web.Close()
	}
	<-failed // says that it was shut down
	return err
}

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
// then have the grace to end, before their connections are closed.
func Until(ctx context.Context, l net.Listener, web *http.Server, grace time.Duration) error {
	web.BaseContext = func(net.Listener) context.Context { return ctx }
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

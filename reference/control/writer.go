package control

import (
	"context"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// bodyWriter hands the bodies of responses that are no event streams to a
// function.
type bodyWriter struct {
	http.ResponseWriter
	write func(w http.ResponseWriter, p []byte) (int, error)
}

func (w *bodyWriter) Write(p []byte) (int, error) {
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		return w.ResponseWriter.Write(p)
	}
	return w.write(w.ResponseWriter, p)
}

// Unwrap is for http.ResponseController.
func (w *bodyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// push writes and sends at once.
func push(w http.ResponseWriter, p []byte) error {
	_, err := w.Write(p)
	_ = http.NewResponseController(w).Flush() // a writer that cannot flush sends by itself
	return err
}

// eventBytes is an event as it is to be written.
func eventBytes(e hook.Event) []byte {
	if e.Raw != nil {
		return e.Raw
	}
	return hook.EncodeEvent(e)
}

// alive is the context of a request that ends with the server, too.
func alive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if t := hook.TraceOf(ctx); t != nil && t.Server != nil {
		stop := context.AfterFunc(t.Server, cancel)
		return ctx, func() { stop(); cancel() }
	}
	return ctx, cancel
}

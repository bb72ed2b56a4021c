package hook

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"reflect"
	"sync"
)

// comparedHTTP is a hook around the handling of HTTP requests: the header and the context of what it lets
// pass are compared with those that came, and what it writes with what was written to it.
func comparedHTTP(around func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	if around == nil {
		return nil
	}
	return func(next http.Handler) http.Handler {
		act := around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if t := turnOf(r.Context()); t != nil {
				t.came.(*exchange).pass(w, r)
				return
			}
			next.ServeHTTP(w, r)
		}))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			t := turnOf(r.Context())
			if t == nil {
				act.ServeHTTP(w, r)
				return
			}
			x := &exchange{
				turn:    t,
				next:    next,
				ctx:     r.Context(),
				request: r.Header.Clone(),
				header:  w.Header().Clone(),
			}
			x.out = Writer{ResponseWriter: w, Head: x.head, Body: x.write}
			t.came = x
			act.ServeHTTP(&x.out, r)
			x.end(r)
		})
	}
}

// exchange is an HTTP request on its way through a deviation, and its response.
type exchange struct {
	*turn
	next    http.Handler
	ctx     context.Context // of the request
	request http.Header
	out     Writer // where the deviation writes

	status  int // that next has written to the deviation
	header  http.Header
	mu      sync.Mutex   // others may write to a stream as well
	pending bytes.Buffer // what next has written, and the deviation has not
}

// pass handles what the deviation lets pass.
func (x *exchange) pass(w http.ResponseWriter, r *http.Request) {
	x.passed = true
	plain := &Writer{ResponseWriter: w, Head: func(status int) int {
		x.status, x.header = status, w.Header().Clone()
		return status
	}, Body: func(p []byte) (int, error) {
		x.mu.Lock()
		x.pending.Write(p)
		x.mu.Unlock()
		return w.Write(p)
	}}
	if r.Context() == x.ctx && reflect.DeepEqual(r.Header, x.request) || x.acts() {
		x.request, x.ctx = r.Header, r.Context()
	}
	x.serve(plain, r)
}

func (x *exchange) serve(w http.ResponseWriter, r *http.Request) {
	r = r.WithContext(WithTurn(x.ctx, nil))
	r.Header = x.request
	x.next.ServeHTTP(w, r)
}

// end is what comes when the deviation is done with a request.
func (x *exchange) end(r *http.Request) {
	switch {
	case !x.passed && !x.acts():
		x.restore()
		x.serve(x.out.ResponseWriter, r)
	case (x.pending.Len() > 0 || x.status != 0 && !x.out.headed) && !x.acts():
		x.out.WriteHeader(x.status)
		_, _ = x.out.ResponseWriter.Write(x.pending.Bytes()) // a client that has gone needs nothing
	}
}

func (x *exchange) restore() {
	clear(x.out.Header())
	maps.Copy(x.out.Header(), x.header)
}

// head is the status of the deviation, or that which was written to it; 0 if that has written nothing.
func (x *exchange) head(status int) int {
	if status != x.status || !reflect.DeepEqual(x.header, x.out.Header()) {
		if x.acts() {
			return status
		}
		x.restore()
	}
	return x.status
}

// write writes what was written to the deviation, or what that makes of it.
func (x *exchange) write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch plain := x.pending.Bytes(); {
	case bytes.HasPrefix(plain, p):
		x.pending.Next(len(p))
	case !x.acts():
		x.pending.Reset()
		if x.out.held {
			return len(p), nil
		}
		_, err := x.out.ResponseWriter.Write(plain)
		return len(p), err
	}
	return x.out.ResponseWriter.Write(p)
}

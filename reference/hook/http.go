package hook

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// OnHTTP wraps the handling of HTTP requests for which match is true. The path
// tells the endpoints apart: /mcp, /sse and /message.
func OnHTTP(match func(r *http.Request) bool, handle func(w http.ResponseWriter, r *http.Request, next http.Handler)) Hooks {
	return Hooks{Late: true, HTTP: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if match != nil && !(match(r) && May(r.Context())) {
				next.ServeHTTP(w, r)
				return
			}
			handle(w, r, next)
		})
	}}
}

// EditRequest changes the headers of HTTP requests before they are handled.
func EditRequest(edit func(r *http.Request)) Hooks {
	return OnHTTP(nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		editHeader(r.Context(), r.Header, func() bool { edit(r); return false })
		next.ServeHTTP(w, r)
	})
}

// editHeader changes a header, and what else changed reports; it puts back what was there if that must not be.
// It reports whether the change holds.
func editHeader(ctx context.Context, h http.Header, change func() (further bool)) bool {
	if !counted(ctx) {
		change()
		return true
	}
	before := h.Clone()
	if further := change(); !further && reflect.DeepEqual(before, h) || May(ctx) {
		return true
	}
	clear(h)
	maps.Copy(h, before)
	return false
}

// EditHead changes status and headers of HTTP responses just before they are
// written, event streams included. It returns the new status.
func EditHead(edit func(r *http.Request, status int, h http.Header) int) Hooks {
	return OnHTTP(nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&headWriter{ResponseWriter: w, edit: func(status int, h http.Header) int {
			was := status
			if !editHeader(r.Context(), h, func() bool { status = edit(r, was, h); return status != was }) {
				return was
			}
			return status
		}}, r)
	})
}

// Answer is a complete HTTP response that is no event stream.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// EditAnswer changes whole HTTP responses, status, headers and body. Event
// streams pass unchanged. The request's body, read before, is at hand.
func EditAnswer(edit func(r *http.Request, body []byte, a *Answer)) Hooks {
	return OnHTTP(nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body, err := PeekBody(r)
		if err != nil {
			next.ServeHTTP(w, r)
			return
		}
		aw := &answerWriter{ResponseWriter: w}
		next.ServeHTTP(aw, r)
		if aw.streaming {
			return
		}
		a := &Answer{Status: cmp.Or(aw.status, http.StatusOK), Header: w.Header(), Body: aw.body.Bytes()}
		plain := *a
		if !editHeader(r.Context(), a.Header, func() bool {
			edit(r, body, a)
			return a.Status != plain.Status || !bytes.Equal(a.Body, plain.Body)
		}) {
			a = &plain
		}
		if a.Status == http.StatusNoContent {
			w.Header().Del("Content-Length")
		} else if len(a.Body) != len(plain.Body) {
			w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
		}
		w.WriteHeader(a.Status)
		// A client that has gone is no concern of a response.
		_, _ = w.Write(a.Body)
	})
}

// PeekBody reads the body of a request and puts it back.
func PeekBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	rest := r.Body
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), rest}
	return body, err
}

// OnIncoming wraps the reception of raw messages for which match is true, before they are parsed.
func OnIncoming(match func(in Incoming) bool, receive func(ctx context.Context, in Incoming, next Receiver)) Hooks {
	return Hooks{Late: true, Receive: func(next Receiver) Receiver {
		return func(ctx context.Context, in Incoming) {
			if match != nil && !(match(in) && May(ctx)) {
				next(ctx, in)
				return
			}
			receive(ctx, in, next)
		}
	}}
}

// OnEvent wraps the writing of server-sent events for which match is true.
func OnEvent(match func(e Event) bool, write func(ctx context.Context, e Event, next EventWriter) error) Hooks {
	return Hooks{Late: true, Event: func(next EventWriter) EventWriter {
		return func(ctx context.Context, e Event) error {
			if match != nil && !(match(e) && May(ctx)) {
				return next(ctx, e)
			}
			return write(ctx, e, next)
		}
	}}
}

// EditEvent changes server-sent events that carry data before they are written.
func EditEvent(edit func(e *Event)) Hooks {
	return OnEvent(nil, func(ctx context.Context, e Event, next EventWriter) error {
		if len(e.Data) > 0 {
			plain := e
			edit(&e)
			if !reflect.DeepEqual(plain, e) && !May(ctx) {
				e = plain
			}
		}
		return next(ctx, e)
	})
}

// EncodeEvent is an event in the form in which it is written, unless it is Raw.
func EncodeEvent(ev Event) []byte {
	var b bytes.Buffer
	if ev.Type != "" {
		fmt.Fprintf(&b, "event: %s\n", ev.Type)
	}
	if ev.ID != "" {
		fmt.Fprintf(&b, "id: %s\n", ev.ID)
	}
	if ev.Retry > 0 {
		fmt.Fprintf(&b, "retry: %d\n", ev.Retry/time.Millisecond)
	}
	if ev.Data != nil {
		for line := range bytes.SplitSeq(ev.Data, []byte("\n")) {
			b.WriteString("data: ")
			b.Write(line)
			b.WriteByte('\n')
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// headWriter edits the head of a response when it is written.
type headWriter struct {
	http.ResponseWriter
	edit  func(status int, h http.Header) int
	wrote bool
}

func (w *headWriter) WriteHeader(status int) {
	if w.wrote {
		return
	}
	w.wrote = true
	w.ResponseWriter.WriteHeader(w.edit(status, w.Header()))
}

func (w *headWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

func (w *headWriter) Flush() {
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w.ResponseWriter).Flush() // a writer that cannot flush sends by itself
}

func (w *headWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// answerWriter keeps a response back, unless it is an event stream.
type answerWriter struct {
	http.ResponseWriter
	status    int
	streaming bool
	body      bytes.Buffer
}

func (w *answerWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		w.streaming = true
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *answerWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.streaming {
		return w.ResponseWriter.Write(p)
	}
	return w.body.Write(p)
}

func (w *answerWriter) Flush() {
	if w.streaming {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // as above
	}
}

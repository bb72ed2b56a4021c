package hook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// OnHTTP wraps the handling of HTTP requests for which match is true, or of all if it is nil. The path
// tells the endpoints apart: /mcp, /sse and /message.
func OnHTTP(match func(r *http.Request) bool, handle func(x Serving)) Hooks {
	return Hooks{HTTP: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if x := (Serving{r, w, next}); match == nil || match(r) {
				handle(x)
			} else {
				x.Next()
			}
		})
	}}
}

// EditRequest changes the headers of HTTP requests before they are handled.
func EditRequest(edit func(r *http.Request)) Hooks {
	return OnHTTP(nil, func(x Serving) {
		edit(x.Request)
		x.Next()
	})
}

// EditHead changes status and headers of HTTP responses just before they are
// written, event streams included. It returns the new status.
func EditHead(edit func(r *http.Request, status int, h http.Header) int) Hooks {
	return OnHTTP(nil, func(x Serving) {
		x.Serve(&Writer{ResponseWriter: x.W, Head: func(status int) int {
			return edit(x.Request, status, x.W.Header())
		}}, x.Request)
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
	return OnHTTP(nil, func(x Serving) {
		body, err := PeekBody(x.Request)
		if err != nil {
			x.Next()
			return
		}
		a := &Answer{Status: http.StatusOK, Header: x.W.Header()}
		streaming := false
		x.Serve(&Writer{ResponseWriter: x.W, Head: func(status int) int {
			if a.Status, streaming = status, Streams(x.W); !streaming {
				status = 0
			}
			return status
		}, Body: func(p []byte) (int, error) {
			if streaming {
				return x.W.Write(p)
			}
			a.Body = append(a.Body, p...)
			return len(p), nil
		}}, x.Request)
		if streaming {
			return
		}
		was := len(a.Body)
		edit(x.Request, body, a)
		if a.Status == http.StatusNoContent {
			x.W.Header().Del("Content-Length")
		} else if len(a.Body) != was {
			x.W.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
		}
		x.W.WriteHeader(a.Status)
		// A client that has gone is no concern of a response.
		_, _ = x.W.Write(a.Body)
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

// OnIncoming wraps the reception of raw messages, before they are parsed.
func OnIncoming(receive func(in Receiving) error) Hooks {
	return Hooks{Receive: func(next Receiver) Receiver {
		return func(ctx context.Context, in Incoming) error { return receive(Receiving{ctx, in, next}) }
	}}
}

// OnEvent wraps the writing of server-sent events.
func OnEvent(write func(e Streaming) error) Hooks {
	return Hooks{Event: func(next EventWriter) EventWriter {
		return func(ctx context.Context, e Event) error { return write(Streaming{ctx, e, next}) }
	}}
}

// EditEvent changes server-sent events that carry data before they are written.
func EditEvent(edit func(e *Event)) Hooks {
	return OnEvent(func(e Streaming) error {
		if len(e.Data) > 0 {
			edit(&e.Event)
		}
		return e.Next()
	})
}

// EncodeEvent is an event in the form in which it is written.
func EncodeEvent(ev Event) []byte {
	if ev.Raw != nil {
		return ev.Raw
	}
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

// Writer is a response on its way through a hook.
type Writer struct {
	http.ResponseWriter
	// Head, if not nil, gets the status before the head is written, and returns the status to write; 0 holds
	// the head back.
	Head func(status int) int
	// Body, if not nil, writes what is written.
	Body func(p []byte) (int, error)

	headed, held bool
}

// WriteHeader implements [http.ResponseWriter].
func (w *Writer) WriteHeader(status int) {
	if w.headed {
		return
	}
	w.headed = true
	if w.Head != nil {
		status = w.Head(status)
	}
	if w.held = status == 0; !w.held {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter].
func (w *Writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.Body != nil {
		return w.Body(p)
	}
	return w.ResponseWriter.Write(p)
}

// FlushError sends what is written.
func (w *Writer) FlushError() error {
	if w.WriteHeader(http.StatusOK); w.held {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for [http.ResponseController].
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Streams reports whether a response is an event stream.
func Streams(w http.ResponseWriter) bool {
	return strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream")
}

package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// paces counts the requests that were let go, and those that have come.
type paces struct {
	mu   sync.Mutex
	let  int
	came []string
	err  error
}

func (p *paces) wait(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.let++
	return p.err
}

// ServeHTTP is a server of both HTTP transports that keeps sessions.
func (p *paces) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.came = append(p.came, r.Method)
	p.mu.Unlock()
	switch {
	case r.Method == http.MethodGet:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, "event: endpoint\ndata: /message\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "":
		w.Header().Set("Mcp-Session-Id", "0123456789abcdef")
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w,
			`{"jsonrpc":"2.0","id":1007,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// Every HTTP request is paced: also the one that ends a session, and the one that
// opens the stream of HTTP+SSE.
func TestEveryRequestIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paces{}
		client := transport.Client{Handler: p}
		o := options(requirement.R20250618)
		o.Limiter = p.wait
		s, err := Open(t.Context(), &transport.HTTP{Client: client}, o)
		if err != nil {
			t.Fatal(err)
		}
		s.Close(t.Context())
		if want := []string{"POST", "POST", "DELETE"}; !slices.Equal(p.came, want) || p.let != len(want) {
			t.Errorf("%d let go, came %v", p.let, p.came)
		}

		p = &paces{}
		client.Handler = p
		o = options(requirement.R20241105)
		o.Limiter, o.NoHandshake = p.wait, true
		s, err = Open(t.Context(), &transport.SSE{Client: client}, o)
		if err != nil || p.let != 1 || !slices.Equal(p.came, []string{"GET"}) {
			t.Errorf("%d let go, came %v, %v", p.let, p.came, err)
		}
		s.Close(t.Context())

		p.err = errors.New("the run is over")
		s, err = Open(t.Context(), &transport.SSE{Client: client}, o)
		var open *OpenError
		if !errors.As(err, &open) || open.Code != recording.CodeInterrupted || len(p.came) != 1 {
			t.Errorf("got %v after %v", err, p.came)
		}
		s.Close(t.Context())
	})
}

// TestPaced: messages are spaced out, and waiting ends with the context.
func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := Paced(2)
		begin := time.Now()
		for i := range 4 {
			if err := wait(t.Context()); err != nil || time.Since(begin) != time.Duration(i)*time.Second/2 {
				t.Errorf("message %d went out after %v, %v", i, time.Since(begin), err)
			}
		}
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(over)
		if err := wait(ctx); !errors.Is(err, over) {
			t.Errorf("got %v", err)
		}
	})
	if Paced(0) != nil {
		t.Error("no rate is a limit")
	}
}

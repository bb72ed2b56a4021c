package session

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Where nothing listens any more there is no target: that is no handshake that was refused.
func TestNothingListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, dialer := range map[string]transport.Dialer{
		"http": &transport.HTTP{URL: at + "/mcp"},
		"sse":  &transport.SSE{URL: at + "/sse"},
	} {
		_, err := Open(t.Context(), dialer, options(requirement.R20250618))
		var open *OpenError
		if !errors.As(err, &open) || open.Code != recording.CodeUnreachable {
			t.Errorf("%s: %v, want the code %q", name, err, recording.CodeUnreachable)
		}
	}
}

// Whoever shares a session over HTTP may close it: what others have under way then was not lost
// by the target, nor what they send after that.
func TestClosedByAnother(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the end of the connection is noticed once the body was read
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	o := options(requirement.R20250618)
	o.NoHandshake, o.Timeout = true, time.Minute
	s := opened(t, &transport.HTTP{URL: server.URL}, o)
	under := s.Start(t.Context(), Request{Method: "m"})
	<-asked
	s.Close(t.Context())
	for what, x := range map[string]*recording.Exchange{"under way": under.Wait(t.Context()),
		"sent later": s.Do(t.Context(), Request{Method: "m"})} {
		if x.Outcome != recording.Canceled {
			t.Errorf("what was %s: %s, %s", what, x.Outcome, x.Reason)
		}
	}
}

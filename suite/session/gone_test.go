package session

import (
	"errors"
	"net"
	"testing"

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

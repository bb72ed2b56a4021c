package session

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// long answers with more than is read of one message, under an id that the bytes may show.
func long(id string) server {
	return func(m gjson.Result, say teller) bool {
		if m.Get("method").Str != "ping" {
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32700,"message":"%s"}}`, id,
				strings.Repeat("x", 200_000))
		}
		return true
	}
}

// TestLongRefusals: the answer to a message without an id of its own is one, also if so much of it
// came that it is not read.
func TestLongRefusals(t *testing.T) {
	for name, q := range map[string]Request{
		"no message":   {Body: []byte(`[1`)},
		"an object":    {Body: []byte(`{"jsonrpc":"2.0"}`)},
		"notification": {Notification: true, Method: "notifications/x"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dialer := long("null").pipe()
				dialer.Limits = transport.Limits{Message: 1000}
				s := opened(t, dialer, options(requirement.R20260728))
				p := s.Start(t.Context(), q)
				s.Quiet(t.Context(), s.opts.Timeout)
				if x := p.Finish(); x.Outcome != recording.Canceled || !x.Limit || len(x.Others) != 1 {
					t.Errorf("%s: %s, with the frames %v", x.Outcome, x.Reason, x.Others)
				}
			})
		})
	}
}

// TestCutConnections: what comes to nothing since we read no more of the connection was cut off by
// us, whether it was sent or not, and so was what the session says of its end.
func TestCutConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialer := long("1").pipe()
		dialer.Limits = transport.Limits{Total: 1000}
		s := opened(t, dialer, options(requirement.R20260728))
		for i := range 2 {
			if x := s.Do(t.Context(), Request{Method: "m"}); x.Outcome != recording.Canceled || !x.Limit ||
				!strings.Contains(x.Reason, "--connection-bytes") {
				t.Errorf("message %d: %s: %s", i, x.Outcome, x.Reason)
			}
		}
		if rec := s.Close(t.Context()); rec.Lost != "" || !strings.Contains(rec.Cut, "--connection-bytes") {
			t.Errorf("got %+v", rec)
		}
	})
}

// TestAnswersToOthers: an answer that comes after its request was given up is not taken for that
// to the next one.
func TestAnswersToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := ""
		dialer := server(func(m gjson.Result, say teller) bool {
			if m.Get("id").Exists() && before != "" {
				say(`{"jsonrpc":"2.0","id":%s,"result":{"late":true}}`, before)
			}
			before = m.Get("id").Raw
			return true
		}).pipe()
		s := opened(t, dialer, options(requirement.R20260728))
		p := s.Start(t.Context(), Request{Method: "m"})
		s.forget(p)
		p.fail(recording.Canceled, "given up")
		if x := s.Do(t.Context(), Request{Method: "m"}); x.Outcome != recording.Silent ||
			len(x.Replies) > 0 || len(p.x.Replies) != 1 {
			t.Errorf("%s, answered by the frames %v; and the first by %v", x.Outcome, x.Replies, p.x.Replies)
		}
	})
}

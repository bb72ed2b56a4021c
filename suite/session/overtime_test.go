package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// busy is a dialer of processes that tell whether they are at work.
type busy struct {
	transport.Dialer
	working bool
}

func (d busy) Dial(ctx context.Context, sink transport.Sink) (transport.Conn, error) {
	c, err := d.Dialer.Dial(ctx, sink)
	return busyConn{c, d.working}, err
}

type busyConn struct {
	transport.Conn
	working bool
}

func (c busyConn) Working() bool { return c.working }

// TestStartingProcessesAtWork: what is still at work when its time to start is over has up to three
// times as much of it; what idles, or has been heard of, has not.
func TestStartingProcessesAtWork(t *testing.T) {
	const start = 30 * time.Second // see options
	for name, c := range map[string]struct {
		takes           time.Duration
		working, speaks bool
		opens           bool
		took            time.Duration
	}{
		"in time":              {10 * time.Second, false, false, true, 10 * time.Second},
		"late, at work":        {80500 * time.Millisecond, true, false, true, 80500 * time.Millisecond},
		"late, idle":           {80500 * time.Millisecond, false, false, false, start + time.Second},
		"late, at work, aloud": {80500 * time.Millisecond, true, true, false, start},
		"never":                {time.Hour, true, false, false, 3 * start},
	} {
		for _, rev := range []requirement.Revision{requirement.R20250618, requirement.R20260728} {
			t.Run(name+" "+string(rev), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					dialer := server(func(m gjson.Result, say teller) bool {
						if c.speaks {
							say("I am about to start")
						}
						if m.Get("id").Exists() {
							time.Sleep(c.takes)
							say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18"}}`,
								m.Get("id").Raw)
						}
						return true
					}).pipe()
					begin := time.Now()
					s, err := Open(t.Context(), busy{dialer, c.working}, options(rev))
					opened, took := err == nil, time.Since(begin)
					if rev.Modern() { // the first request is the one that waits
						x := s.Do(t.Context(), Request{Method: "ping"})
						opened, took = x.Result().Exists(), x.Took
					}
					if opened != c.opens || took != c.took {
						t.Errorf("opened: %t, after %v (%v)", opened, took, err)
					}
					s.Close(t.Context())
					time.Sleep(2 * time.Hour) // what is under way in the server ends
				})
			})
		}
	}
}

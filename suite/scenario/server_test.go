package scenario

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// server is a scripted target on stdio. It performs the handshake and answers ping;
// everything else goes to the script, together with the number of the connection.
// The connection ends when the script returns false.
type server struct {
	script   Answer
	greeting time.Duration // how long a handshake takes
	mute     int64         // connections, from the first on, on which no handshake is answered

	conns     atomic.Int64 // so far
	now, most atomic.Int64 // at once
}

// Answer is the script of a server: what it says to a message. It returns whether the
// connection goes on.
type Answer = func(n int64, m gjson.Result, say func(format string, args ...any)) bool

func (s *server) open(context.Context) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	n := s.conns.Add(1)
	if now := s.now.Add(1); now > s.most.Load() {
		s.most.Store(now)
	}
	go func() {
		defer s.now.Add(-1)
		defer func() { _ = theirs.Close() }()
		say := func(format string, args ...any) { _, _ = fmt.Fprintf(theirs, format+"\n", args...) }
		for in := bufio.NewScanner(theirs); in.Scan(); {
			m := gjson.ParseBytes(in.Bytes())
			switch id := m.Get("id").Raw; m.Get("method").Str {
			case "initialize":
				if time.Sleep(s.greeting); n <= s.mute {
					continue
				}
				say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{}}}`, id, m.Get("params.protocolVersion").Raw)
				continue
			case "notifications/initialized", "notifications/cancelled":
				continue
			case "ping":
				if s.script(n, m, say) {
					say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
				}
				continue
			}
			if !s.script(n, m, say) {
				time.Sleep(time.Millisecond) // the message has been sent by then
				return
			}
		}
	}()
	return ours, nil
}

// lively answers ping and everything else with an empty result.
func lively(_ int64, m gjson.Result, say func(string, ...any)) bool {
	if m.Get("method").Str != "ping" && m.Get("id").Exists() {
		say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.Get("id").Raw)
	}
	return true
}

// stage is a stage in front of a server, closed at the end of the test.
func stage(t *testing.T, s *server) *Stage {
	c := requirement.Combination{Revision: requirement.R20250618, Transport: requirement.Stdio}
	var ids atomic.Int64
	st := &Stage{Combination: c, Facts: &recording.Facts{Combination: c, Notes: map[string]string{}}, Target: &target.Target{},
		Endpoint: &target.Endpoint{}, Dialer: &transport.Pipe{Open: s.open}, Transcript: wire.NewTranscript(wire.Budget{}),
		NextID: func() string { return fmt.Sprint("s", ids.Add(1)) },
		Limits: Limits{Timeout: 10 * time.Second, Start: 30 * time.Second, QuietWindow: time.Second, Pages: 5, Probes: 2}}
	var once sync.Once
	t.Cleanup(func() { once.Do(func() { st.Close() }) })
	return st
}

// perform plays a script.
func perform(t *testing.T, st *Stage, script func(ctx context.Context, p *Play)) *recording.Recording {
	return Perform(t.Context(), st, &Scenario{Name: "test", Script: script}, nil)
}

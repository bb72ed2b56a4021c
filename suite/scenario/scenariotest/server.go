// Package scenariotest has a scripted target, for tests of scripts and of what they use.
package scenariotest

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

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Server is a scripted target on stdio. It performs the handshake and answers ping;
// everything else goes to the script, together with the number of the connection.
// The connection ends when the script returns false.
type Server struct {
	Script   Answer
	Greeting time.Duration // how long a handshake takes
	Mute     int64         // connections, from the first on, on which no handshake is answered

	Conns     atomic.Int64 // so far
	Now, Most atomic.Int64 // at once
}

// Answer is the script of a server: what it says to a message. It returns whether the
// connection goes on.
type Answer = func(n int64, m gjson.Result, say func(format string, args ...any)) bool

func (s *Server) open(context.Context) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	n := s.Conns.Add(1)
	if now := s.Now.Add(1); now > s.Most.Load() {
		s.Most.Store(now)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer s.Now.Add(-1)
		defer func() { _ = theirs.Close() }()
		say := func(format string, args ...any) { _, _ = fmt.Fprintf(theirs, format+"\n", args...) }
		for in := bufio.NewScanner(theirs); in.Scan(); {
			m := gjson.ParseBytes(in.Bytes())
			switch id := m.Get("id").Raw; m.Get("method").Str {
			case "initialize":
				if time.Sleep(s.Greeting); n <= s.Mute {
					continue
				}
				say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{}}}`, id,
					m.Get("params.protocolVersion").Raw)
				continue
			case "notifications/initialized":
				continue
			case "ping":
				if s.Script(n, m, say) {
					say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
				}
				continue
			}
			if !s.Script(n, m, say) {
				time.Sleep(time.Millisecond) // the message has been sent by then
				return
			}
		}
	}()
	return &conn{ours, gone}, nil
}

// conn is our end of a connection. Like a process, the server is awaited when it is closed:
// whoever counts connections counts it until then.
type conn struct {
	net.Conn
	gone <-chan struct{}
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	<-c.gone
	return err
}

// Lively answers ping and everything else with an empty result.
func Lively(_ int64, m gjson.Result, say func(string, ...any)) bool {
	if m.Get("method").Str != "ping" && m.Get("id").Exists() {
		say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.Get("id").Raw)
	}
	return true
}

// Stage is a stage in front of a server, closed at the end of the test.
func Stage(t *testing.T, s *Server, change ...func(*pool.Options)) *pool.Pool {
	c := requirement.Combination{Revision: requirement.R20250618, Transport: requirement.Stdio}
	var ids atomic.Int64
	o := pool.Options{Dialer: &transport.Pipe{Open: s.open}}
	o.NextID = func() string { return fmt.Sprint("s", ids.Add(1)) }
	for _, f := range change {
		f(&o)
	}
	st := pool.New(&scenario.Stage{
		Combination: c, Facts: &recording.Facts{Combination: c, Notes: map[string]string{}},
		Target:   &target.Target{},
		Endpoint: &target.Endpoint{}, Transcript: wire.NewTranscript(wire.Budget{}),
		Limits: scenario.Limits{Limits: target.Limits{QuietWindow: time.Second, Pages: 5,
			Reads: -1}.Over(target.DefaultLimits), Probes: 2},
	}, o)
	var once sync.Once
	t.Cleanup(func() { once.Do(func() { st.Close() }) })
	return st
}

// Perform plays a script.
func Perform(t *testing.T, st *pool.Pool, script func(p *scenario.Play)) *recording.Recording {
	return scenario.Perform(t.Context(), st.Stage, &scenario.Scenario{Name: "test", Script: script}, nil)
}

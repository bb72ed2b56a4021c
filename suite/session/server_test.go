package session

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// teller sends a line to the client.
type teller = func(format string, args ...any)

// server is a scripted server on stdio: it is called for each message, and ends when
// it returns false.
type server func(m gjson.Result, say teller) bool

func (p server) pipe() *transport.Pipe {
	return &transport.Pipe{Open: func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			say := func(format string, args ...any) { _, _ = fmt.Fprintf(theirs, format+"\n", args...) }
			for in := bufio.NewScanner(theirs); in.Scan(); {
				if !p(gjson.ParseBytes(in.Bytes()), say) {
					return
				}
			}
		}()
		return ours, nil
	}}
}

// greet answers initialize with the version that was asked for.
func greet(m gjson.Result, say teller) bool {
	if m.Get("method").Str != "initialize" {
		return false
	}
	say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{}}}`, m.Get("id").Raw,
		m.Get("params.protocolVersion").Raw)
	return true
}

func options(rev requirement.Revision) Options {
	var n atomic.Int64
	return Options{Revision: rev, Kind: recording.Clean, ID: "s1", Common: Common{
		Transcript: wire.NewTranscript(wire.Budget{}), Timeout: 10 * time.Second, Start: 30 * time.Second,
		NextID: func() string { return fmt.Sprint("s", n.Add(1)) }}}
}

// bare are the options of a session without a handshake.
func bare(rev requirement.Revision) Options {
	o := options(rev)
	o.NoHandshake = true
	return o
}

// opened is a session with a server; it is closed at the end of the test.
func opened(t *testing.T, dialer transport.Dialer, o Options) *Session {
	t.Helper()
	s, err := Open(t.Context(), dialer, o)
	t.Cleanup(func() { s.Close(context.Background()) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

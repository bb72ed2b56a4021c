package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Once the time for the whole run is spent nothing is started and nothing is sent any more, whatever was
// under way.
func TestNothingFollowsTheBudget(t *testing.T) {
	for _, budget := range []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 20 * time.Second,
		60 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			slow := func(context.Context) (io.ReadWriteCloser, error) {
				if late := time.Since(began) - budget; late > 0 {
					t.Errorf("%v: a session is opened %v too late", budget, late)
				}
				ours, theirs := net.Pipe()
				go answerSlowly(theirs)
				return ours, nil
			}
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{Endpoints: []target.Endpoint{{Name: "slow", Pipe: slow,
					Command: []string{"slow"}}}},
				Tool: reports.Tool{Name: "test"}, Limits: target.Limits{Budget: budget},
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Rows()) > 0 {
				r.Execute(t.Context())
			}
			if late := time.Since(began) - budget; late > 3*time.Second {
				t.Errorf("%v: the run is over %v too late", budget, late)
			}
			over := time.Since(began) > budget
			for _, f := range r.transcript.Since(0) {
				if f.Dir == wire.Out && f.At > budget {
					t.Errorf("%v: sent after %v: %s", budget, f.At, f.Raw)
				}
			}
			time.Sleep(time.Hour) // what is left in the program ends
			select {
			case <-r.over:
			default:
				if over {
					t.Errorf("%v: processes would be waited for in full", budget)
				}
			}
		})
	}
}

// answerSlowly is a program that takes its time to start and for each message, one after the other.
func answerSlowly(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	time.Sleep(500 * time.Millisecond)
	for in := bufio.NewScanner(conn); in.Scan(); {
		time.Sleep(200 * time.Millisecond)
		if m := gjson.ParseBytes(in.Bytes()); m.Get("id").Exists() {
			_, _ = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw, singleAnswer(m))
		}
	}
}

package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// A program of which a second copy ends at once is judged in all its revisions, one process after the other,
// also if the second one gets what there is one of since the first one has just given it up.
func TestOneProcessAtATime(t *testing.T) {
	t.Run("", func(t *testing.T) { oneProcessAtATime(t, 1) })
	t.Run("two get it", func(t *testing.T) { oneProcessAtATime(t, 2) })
}

func oneProcessAtATime(t *testing.T, get int) {
	synctest.Test(t, func(t *testing.T) {
		c, opened := &copies{list: func(string, int, int) string { return aList }}, 0
		var turn sync.Mutex
		alone := func(ctx context.Context) (io.ReadWriteCloser, error) {
			time.Sleep(time.Millisecond) // until the one before has ended
			turn.Lock()
			defer turn.Unlock()
			c.mu.Lock()
			opened++
			taken := c.standing > 0 && opened > get
			c.mu.Unlock()
			if taken {
				ours, theirs := net.Pipe()
				return ours, theirs.Close()
			}
			return c.open(ctx)
		}
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{Endpoints: []target.Endpoint{{Name: "alone", Pipe: alone,
				Command: []string{"alone"}}}},
			Tool: reports.Tool{Name: "test"},
			Select: func(row Row) bool {
				return row.Requirement.ID == "CAP-06" || row.Requirement.ID == "CAP-07"
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		report := r.Report(false)
		want := strings.Repeat("CAP-06:pass ", 4) + strings.TrimSpace(strings.Repeat("CAP-07:warn ", 4))
		if got := verdicts(report); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if facts := report.Target.Endpoints[0].Profile; len(facts) != 1 ||
			facts[0].Name != "one process at a time" {
			t.Errorf("learnt: %+v", facts)
		}
	})
}

// oneConnection accepts a connection when the one before it has ended.
type oneConnection struct {
	net.Listener
	free chan struct{}
}

func (l *oneConnection) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &freeing{Conn: conn, free: sync.OnceFunc(func() { <-l.free })}, nil
}

type freeing struct {
	net.Conn
	free func()
}

func (c *freeing) Close() error {
	defer c.free()
	return c.Conn.Close()
}

// A server that takes one connection at a time is judged whole, and soon; one that takes several is not taken
// for it.
func TestOneConnectionAtATime(t *testing.T) {
	for _, one := range []bool{true, false} {
		t.Run(fmt.Sprint(one), func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if one {
				listener = &oneConnection{listener, make(chan struct{}, 1)}
			}
			s := &http.Server{ReadHeaderTimeout: time.Minute,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPost {
						w.WriteHeader(http.StatusMethodNotAllowed)
						return
					}
					respond(w, r, func(m gjson.Result) string {
						return map[string]string{"resources/list": aList,
							"ping": `"result":{}`}[m.Get("method").Str]
					})
				})}
			go func() { _ = s.Serve(listener) }() // it ends with Close
			defer func() { _ = s.Close() }()
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{Endpoints: []target.Endpoint{{URL: "http://" +
					listener.Addr().String() + "/mcp", Forced: requirement.HTTP}}},
				Tool: reports.Tool{Name: "test"}, Limits: target.Limits{QuietWindow: 50 * time.Millisecond},
				Select: func(row Row) bool {
					return row.Requirement.ID == "LIST-01" || row.Requirement.ID == "HTTP-37"
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			r.Execute(t.Context())
			report := r.Report(false)
			want, facts := "HTTP-37:pass LIST-01:pass", report.Target.Endpoints[0].Profile
			if one {
				want = "HTTP-37:warn LIST-01:pass"
			}
			if got := verdicts(report); got != want ||
				one != (len(facts) == 1 && facts[0].Name == "one connection at a time") {
				t.Errorf("got %s, want %s; learnt %+v", got, want, facts)
			}
		})
	}
}

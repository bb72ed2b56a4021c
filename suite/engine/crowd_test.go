package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// jealous is a program of two revisions of which copies are in each other's way: it
// lists nothing while another copy runs.
type jealous struct {
	broken    bool // it lists nothing in any case
	now, most atomic.Int64
	lists     atomic.Int64
}

func (j *jealous) open(context.Context) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	j.most.Store(max(j.most.Load(), j.now.Add(1)))
	go func() {
		defer j.now.Add(-1)
		defer func() { _ = theirs.Close() }()
		for in := bufio.NewScanner(theirs); in.Scan(); {
			m := gjson.ParseBytes(in.Bytes())
			answer := `"error":{"code":-32601,"message":"no"}`
			switch version := m.Get("params.protocolVersion").Str; m.Get("method").Str {
			case "initialize":
				if version < "2025-06-18" {
					version = "2025-06-18"
				}
				answer = `"result":{"protocolVersion":"` + version +
					`","capabilities":{"resources":{}},"serverInfo":{"name":"jealous","version":"1"}}`
			case "ping":
				answer = `"result":{}`
			case "resources/list":
				time.Sleep(time.Millisecond)
				answer = `"result":{"resources":[]}`
				// The first of either revision is refused in any case: one of them may be the last that
				// stands.
				if first := j.lists.Add(1) <= 2; j.broken || first || j.now.Load() > 1 {
					answer = `"error":{"code":-32603,"message":"the database is locked"}`
				}
			}
			if m.Get("id").Exists() {
				_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw, answer)
			}
		}
	}()
	return ours, nil
}

// What may come of copies in each other's way is held against nobody before it has
// shown with a single one.
func TestConfirmationWithASingleCopy(t *testing.T) {
	for _, c := range []struct {
		broken, owned bool
		want          string
	}{
		{false, true, "CAP-06:pass CAP-06:pass inconsistent inconsistent"},
		{false, false, "CAP-06:pass CAP-06:pass inconsistent inconsistent"},
		{true, true, "CAP-06:warn CAP-06:warn"},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := &jealous{broken: c.broken}
				e := target.Endpoint{Name: "jealous", Pipe: j.open}
				if c.owned {
					e.Command = []string{"jealous"}
				}
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{Endpoints: []target.Endpoint{e}},
					Tool:   reports.Tool{Name: "test"},
					Select: func(row Row) bool {
						return row.Requirement.ID == "CAP-06" &&
							row.Combination.Revision != requirement.R20260728
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				report := r.Report(false)
				got := make([]string, 0)
				for _, word := range strings.Fields(verdicts(report)) {
					got = append(got,
						strings.Join(strings.Split(word, ":")[:min(2, strings.Count(word, ":")+1)], ":"))
				}
				if text := strings.Join(got, " "); text != c.want {
					t.Errorf("got  %s\nwant %s", text, c.want)
				}
				again := rejudged(t, r)
				if a, b := encoded(t, report), encoded(t, again); a != b {
					t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
				}
				synctest.Wait()
				if n := j.now.Load(); n != 0 {
					t.Errorf("%d copies are left", n)
				}
			})
		})
	}
}

// mute is a program that says nothing to a request whose method is a number, the first time in each of its
// four revisions, and also later if it is broken, or while another copy runs.
type mute struct {
	broken bool
	now    atomic.Int64
	mu     sync.Mutex
	beside []int64 // how many copies ran, for each such request
}

func (m *mute) open(context.Context) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	m.now.Add(1)
	go func() {
		defer m.now.Add(-1)
		defer func() { _ = theirs.Close() }()
		for in := bufio.NewScanner(theirs); in.Scan(); {
			said := gjson.ParseBytes(in.Bytes())
			answer := `"error":{"code":-32601,"message":"no"}`
			switch {
			case said.Get("method").Type == gjson.Number && m.silent():
				continue
			case said.Get("method").Type != gjson.String, said.Get("jsonrpc").Str != "2.0":
				answer = `"error":{"code":-32600,"message":"no"}`
			case said.Get("method").Str == "initialize":
				time.Sleep(time.Millisecond) // until all that are started together run
				answer = `"result":{"protocolVersion":"` + said.Get("params.protocolVersion").Str +
					`","capabilities":{"resources":{}},"serverInfo":{"name":"mute","version":"1"}}`
			case said.Get("method").Str == "ping":
				answer = `"result":{}`
			}
			if said.Get("id").Exists() {
				_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", said.Get("id").Raw, answer)
			}
		}
	}()
	return ours, nil
}

func (m *mute) silent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.beside = append(m.beside, m.now.Load())
	return m.broken || len(m.beside) <= 4 || m.now.Load() > 1
}

// What rests on time is repeated with a single copy. Once that has shown it again, other revisions need no
// repetition.
func TestWhatRestsOnTimeIsRepeatedAlone(t *testing.T) {
	for _, c := range []struct {
		broken bool
		want   string
		single int // copies that were by themselves
	}{
		{false, strings.TrimSpace(strings.Repeat("RPC-15:pass ", 4) + strings.Repeat("inconsistent ", 4)), 4},
		{true, strings.TrimSpace(strings.Repeat("RPC-15:warn ", 4)), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &mute{broken: c.broken}
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{Endpoints: []target.Endpoint{{Name: "mute", Pipe: m.open,
					Command: []string{"mute"}}}},
				Tool: reports.Tool{Name: "test"},
				Select: func(row Row) bool {
					return row.Requirement.ID == "RPC-15" && row.Combination.Revision != requirement.R20260728
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			r.Execute(t.Context())
			if got := verdicts(r.Report(false)); got != c.want {
				t.Errorf("broken %t: got %s, want %s", c.broken, got, c.want)
			}
			single := 0
			for _, n := range m.beside[4:] {
				if n == 1 {
					single++
				}
			}
			if single < c.single {
				t.Errorf("broken %t: copies beside each repetition: %v", c.broken, m.beside)
			}
		})
	}
}

package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
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
				answer = `"result":{"protocolVersion":"` + version + `","capabilities":{"resources":{}},"serverInfo":{"name":"jealous","version":"1"}}`
			case "ping":
				answer = `"result":{}`
			case "resources/list":
				time.Sleep(time.Millisecond)
				answer = `"result":{"resources":[]}`
				// The first of either revision is refused in any case: one of them may be the last that stands.
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
		{false, false, "CAP-06:warn CAP-06:warn"}, // copies of a pipe are no processes of ours
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
						return row.Requirement.ID == "CAP-06" && row.Combination.Revision != requirement.R20260728
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				report := r.Report(false)
				got := make([]string, 0)
				for _, word := range strings.Fields(verdicts(report)) {
					got = append(got, strings.Join(strings.Split(word, ":")[:min(2, strings.Count(word, ":")+1)], ":"))
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

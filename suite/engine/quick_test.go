package engine

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// lateRefusals opens a connection to a server that answers what has no method late, and all else at once.
func lateRefusals(late time.Duration) func(context.Context) (io.ReadWriteCloser, error) {
	return func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			for in := bufio.NewScanner(theirs); in.Scan(); {
				m := gjson.ParseBytes(in.Bytes())
				id, refused := cmp.Or(m.Get("id").Raw, "null"), !gjson.ValidBytes(in.Bytes()) ||
					m.Get("method").Type != gjson.String || m.Get("jsonrpc").Str != "2.0"
				switch {
				case refused:
					time.AfterFunc(late, func() {
						_, _ = fmt.Fprintf(theirs,
							`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"no request"}}`+"\n",
							id)
					})
				case m.Get("id").Exists():
					_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, singleAnswer(m))
				}
			}
		}()
		return ours, nil
	}
}

// A quick run waits as long as any other before it accuses: an answer that comes late is no missing one.
func TestQuickRepetition(t *testing.T) {
	for name, c := range map[string]struct {
		quick bool
		late  time.Duration
		want  string
	}{
		"quick":              {true, 150 * time.Millisecond, "RPC-15:pass inconsistent"},
		"quick, never":       {true, time.Hour, "RPC-15:warn"},
		"any other run":      {false, 150 * time.Millisecond, "RPC-15:pass inconsistent"},
		"quick, soon enough": {true, 50 * time.Millisecond, "RPC-15:pass"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{Endpoints: []target.Endpoint{{Name: "late",
						Pipe: lateRefusals(c.late)}},
						Revisions: []requirement.Revision{requirement.R20251125}},
					Tool: reports.Tool{Name: "test"}, Quick: c.quick,
					Select: func(row Row) bool { return row.Requirement.ID == "RPC-15" },
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				if got := verdicts(r.Report(false)); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}

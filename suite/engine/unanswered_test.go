package engine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// A revision in which nothing is judged because its handshake gets no answer is told; one that is refused, or
// for which another one is offered, is not served, and nothing to tell.
func TestUnansweredRevisionsAreTold(t *testing.T) {
	open := func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			for in := bufio.NewScanner(theirs); in.Scan(); {
				m := gjson.ParseBytes(in.Bytes())
				answer := singleAnswer(m)
				switch version := requirement.Revision(m.Get("params.protocolVersion").Str); {
				case version == requirement.R20250618 || !m.Get("id").Exists():
					continue
				case version == requirement.R20250326:
					answer = `"error":{"code":-32602,"message":"Unsupported protocol version"}`
				case version == requirement.R20241105:
					answer = string(bytes.ReplaceAll([]byte(answer), []byte(requirement.R20241105),
						[]byte(requirement.R20251125)))
				}
				_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw, answer)
			}
		}()
		return ours, nil
	}
	synctest.Test(t, func(t *testing.T) {
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{Endpoints: []target.Endpoint{{Name: "silent", Pipe: open}}},
			Tool:   reports.Tool{Name: "test"}, Select: func(row Row) bool {
				return row.Requirement.ID == "RPC-15"
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Execute(t.Context())
		e := r.Report(false).Target.Endpoints[0]
		want := []string{"2025-06-18: initialize was not answered: no answer within 30s"}
		if !slices.Equal(e.Revisions, []string{"2025-11-25"}) || !slices.Equal(e.Unanswered, want) {
			t.Errorf("served %v, unanswered %q", e.Revisions, e.Unanswered)
		}
	})
}

package engine

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// throttling is a server that does a handshake and refuses everything else by HTTP 429, without ending
// the response.
func throttling(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch m := gjson.ParseBytes(body); m.Get("method").Str {
	case "initialize":
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w,
			`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25",`+
				`"capabilities":{"resources":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.Get("id").Raw)
	case "notifications/initialized":
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute): // a body that was not sent whole hides the end of the connection
		}
	}
}

// TestBusyTargets: a run with a target that is always busy takes little more than the part of its time for
// that, and nothing is red of what was refused so.
func TestBusyTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{Endpoints: []target.Endpoint{{Handler: http.HandlerFunc(throttling)}},
				Revisions: []requirement.Revision{requirement.R20251125}},
			Tool:   reports.Tool{Name: "test"},
			Limits: target.Limits{Budget: 5 * time.Minute},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		took := time.Since(began)
		time.Sleep(time.Minute) // until the server is done
		report := r.Report(false)
		throttled := 0
		for _, x := range report.Results {
			if x.Verdict == reports.Fail || x.Verdict == reports.Warn {
				t.Errorf("%s is red: %s", x.ID, x.Actual)
			}
			if strings.Contains(x.Reason, "HTTP 429") {
				throttled++
			}
		}
		if took > 150*time.Second || throttled < 10 {
			t.Errorf("%v, %d results of %d throttled", took, throttled, len(report.Results))
		}
	})
}

package session

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// TestResponsesToOthers: what a gateway sends to all streams is not taken for the
// answer to the only request that awaits one.
func TestResponsesToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		posted := make(chan string)
		s := opened(t, &transport.SSE{Client: transport.Client{Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					body, _ := io.ReadAll(r.Body)
					w.WriteHeader(http.StatusAccepted)
					posted <- gjson.GetBytes(body, "id").Raw
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "event: endpoint\ndata: /message\n\n")
				w.(http.Flusher).Flush()
				for {
					select {
					case id := <-posted:
						for _, id := range []string{"901007", `"theirs"`, id} {
							_, _ = fmt.Fprintf(w, "data: {\"id\":%s,\"result\":%s}\n\n", id, id)
						}
						w.(http.Flusher).Flush()
					case <-r.Context().Done():
						return
					}
				}
			})}}, bare(requirement.R20241105))
		for range 2 {
			x := s.Do(t.Context(), Request{Method: "m"})
			if x.Outcome != recording.Replied || x.Result().Raw != string(x.ID) {
				t.Errorf("request %s: %s, %s", x.ID, x.Outcome, x.Message())
			}
		}
	})
}

// TestFirstRequestWaitsForTheStart: a modern session has no handshake that would give
// a process the time to start, so its first request does.
func TestFirstRequestWaitsForTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := false
		s := opened(t, server(func(m gjson.Result, say teller) bool {
			if !started {
				time.Sleep(20 * time.Second)
				say(`{"id":%s,"result":{}}`, m.Get("id").Raw)
			}
			started = true
			return true
		}).pipe(), options(requirement.R20260728))
		for _, want := range []recording.Outcome{recording.Replied, recording.Silent} {
			if x := s.Do(t.Context(), Request{Method: "m"}); x.Outcome != want {
				t.Errorf("got %s, want %s", x.Outcome, want)
			}
		}
	})
}

// TestBusyStart: processes that are started side by side on a busy machine are not
// ready at once, and the era of one is not given up because another was quicker.
func TestBusyStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		both := serving(modern(`["2026-07-28","2025-11-25"]`), "2025-11-25")
		ready := server(func(m gjson.Result, say teller) bool {
			switch m.Get("method").Str {
			case "initialize":
				time.Sleep(5 * time.Second)
			case "server/discover":
				time.Sleep(9 * time.Second)
			}
			return both(m, say)
		})
		found, err := Detect(t.Context(), ready.pipe(), options(requirement.R20251125),
			[]requirement.Revision{requirement.R20251125, requirement.R20260728}, 0)
		if err != nil || len(found.Served) != 2 {
			t.Errorf("served: %v, %v", found.Served, err)
		}
		for _, s := range found.Open {
			s.Close(t.Context())
		}
		time.Sleep(time.Minute) // servers that nobody listens to any more have answered by then
	})
}

// TestSpreadMessagesAreNamed: a server that writes JSON with indentation on stdio is told
// so, in whatever revision it is asked first.
func TestSpreadMessagesAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		ask      requirement.Revision
		says     []string
		want     string
		declared string // in an answer that would open a session on one line
		took     time.Duration
	}{
		"legacy": {requirement.R20251125, []string{"{", `  "jsonrpc": "2.0",`, `  "id": %s,`, `  "result": {`,
			`"protocolVersion":"2025-11-25"`, `  }`, "}"},
			`initialize was answered with JSON over several lines`, `"2025-11-25"`, 0},
		"another version": {requirement.R20251125,
			[]string{"{", `  "id": %s,`, `  "result": {"protocolVersion":"2025-06-18"}`, "}"},
			`initialize was answered with JSON over several lines`, "", 0},
		"modern": {requirement.R20260728,
			[]string{"{", `  "id": %s,`, `  "result": {"supportedVersions":["2025-11-25","2026-07-28"]}`,
				"}"},
			`server/discover was answered with JSON over several lines`, `"2026-07-28"`, 0},
		"an error": {requirement.R20260728, []string{"{", `  "id": %s,`, `  "error": {"code":-32601}`, "}"},
			`server/discover was answered with JSON over several lines`, "", 0},
		"with banner": {requirement.R20251125, []string{"ready", "{", `  "id": %s,`, `  "result": {}`, "}"},
			`JSON over several lines: a message must not contain newlines on stdio (basic/transports#stdio)`,
			"", 0},
		"endless": {requirement.R20251125,
			append([]string{"{"}, slices.Repeat([]string{`"a":{`, "},"}, 10_000)...),
			`initialize was not answered with JSON`, "", 30 * time.Second},
		"no message": {requirement.R20251125, []string{"{", "this is no JSON", "}"},
			`only messages go to standard output, logs and banners to standard error`, "", 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := server(func(m gjson.Result, say teller) bool {
					for _, line := range c.says {
						say("%s", strings.Replace(line, "%s", m.Get("id").Raw, 1))
					}
					return true
				})
				begin := time.Now()
				found, err := Detect(t.Context(), srv.pipe(), options(""), []requirement.Revision{c.ask}, 0)
				var open *OpenError
				if !errors.As(err, &open) || open.Code != recording.CodeUnreadable ||
					!strings.Contains(open.Reason, c.want) {
					t.Errorf("%v, expected %s", err, c.want)
				}
				if took := time.Since(begin); took < c.took || took > c.took+time.Second {
					t.Errorf("it took %v", took)
				}
				if got := string(found.Spread[c.ask]); (got != "") != (c.declared != "") ||
					!strings.Contains(got, c.declared) {
					t.Errorf("declared: %s", got)
				}
			})
		})
	}
}

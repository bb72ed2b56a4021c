package proof

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// fewSessions is a server of which no more than so many sessions stand: the oldest one ends when another one
// begins, as it may (2025-11-25 basic/transports#session-management).
func fewSessions(server http.Handler, most int) http.Handler {
	const name = "Mcp-Session-Id"
	var mu sync.Mutex
	var stand, ended []string
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(name)
		mu.Lock()
		gone := slices.Contains(ended, id)
		mu.Unlock()
		if gone {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		if id != "" || r.Method != http.MethodPost {
			server.ServeHTTP(w, r)
			return
		}
		kept := httptest.NewRecorder()
		server.ServeHTTP(kept, r)
		if id = kept.Header().Get(name); id != "" {
			mu.Lock()
			if stand = append(stand, id); len(stand) > most {
				ended, stand = append(ended, stand[0]), stand[1:]
			}
			mu.Unlock()
		}
		for field, values := range kept.Header() {
			w.Header()[field] = values
		}
		w.WriteHeader(kept.Code)
		_, _ = w.Write(kept.Body.Bytes())
	})
}

// TestFewSessions: where sessions end since others begin, nothing is red that a session alone does not show.
func TestFewSessions(t *testing.T) {
	t.Parallel()
	for _, most := range []int{2, 3, 6} {
		synctest.Test(t, func(t *testing.T) {
			server, err := reference.New(reference.DefaultWorld(), reference.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			cfg := suite.Config{Limits: suite.Limits{Budget: time.Hour},
				Revisions: []requirement.Revision{requirement.R20250326,
					requirement.R20250618, requirement.R20251125}}
			cfg.Target = &target.Target{Endpoints: []target.Endpoint{{Handler: fewSessions(server.Handler(),
				most), Path: "/mcp", Forced: requirement.HTTP}}}
			report, err := suite.Run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			for i := range report.Results {
				if x := &report.Results[i]; x.Verdict.Red() {
					t.Errorf("%d sessions: %s", most, describe(x))
				}
			}
		})
	}
}

package engine

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// polled is a server of Streamable HTTP that ends each stream soon, for the client to come back until the
// response is there.
type polled struct {
	mu    sync.Mutex
	at    time.Time // from when on there is a response
	reply string
}

const polledFor = 2 * time.Second

func (s *polled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	slow := m.Get("params.uri").Str == "test://slow"
	switch {
	case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") != "", slow:
		s.stream(w, m, slow)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case !m.Get("id").Exists():
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw, singleAnswer(m))
	}
}

func (s *polled) stream(w http.ResponseWriter, m gjson.Result, begins bool) {
	s.mu.Lock()
	if begins {
		s.at, s.reply = time.Now().Add(polledFor+polledFor/4),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":"test://slow","text":"a"}]}}`,
				m.Get("id").Raw)
	}
	at, reply := s.at, s.reply
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "id: 1\nretry: 100\ndata:\n\n")
	_ = http.NewResponseController(w).Flush()
	if time.Sleep(polledFor / 8); !time.Now().Before(at) {
		_, _ = fmt.Fprintf(w, "id: 2\ndata: %s\n\n", reply)
	}
}

// A stream that ends is no end of the request: who goes on with it comes back as often as the server lets
// them.
func TestAPolledResponseIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tg := &target.Target{Endpoints: []target.Endpoint{{Name: "polled", Handler: &polled{}, Path: "/mcp"}}}
		tg.Subjects.Slow = &target.Slow{URI: "test://slow", AtLeast: polledFor}
		r, err := Prepare(t.Context(), Config{Target: tg, Tool: reports.Tool{Name: "test"}, Partial: true,
			Select: func(row Row) bool {
				return row.Requirement.ID == "CANC-06" && row.Combination.Revision == requirement.R20251125
			}})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		for _, x := range r.Report(false).Results {
			if x.ID == "CANC-06" && string(x.Verdict) != "pass" {
				t.Errorf("%s: %s, %s%s", x.Revision, x.Verdict, x.Actual, x.Reason)
			}
		}
	})
}

package engine

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area/life"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// single is a server of HTTP+SSE that has one transport for all its clients: a second
// stream beside the first is the end of it, and so is a client that leaves while its
// messages are under way.
type single struct {
	mu      sync.Mutex
	answers chan string          // of the stream that stands; nil if there is none
	left    map[chan string]bool // whose client has gone
	down    chan struct{}
	dead    bool
}

func (s *single) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answers, dead := s.answers, s.dead
	s.mu.Unlock()
	switch {
	case dead:
		panic(http.ErrAbortHandler)
	case r.Method == http.MethodGet:
		s.stream(w, r)
	case answers == nil || r.URL.Path != "/message":
		http.NotFound(w, r)
	default:
		body, _ := io.ReadAll(r.Body)
		m := gjson.ParseBytes(body)
		time.Sleep(session.Settle / 2)
		s.mu.Lock()
		s.dead = s.dead || s.left[answers] // nobody catches what it throws
		s.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
		if m.Get("id").Exists() {
			select {
			case answers <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw, singleAnswer(m)):
			case <-r.Context().Done():
			}
		}
	}
}

func (s *single) stream(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.answers != nil {
		s.dead = true
		close(s.down)
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	answers := make(chan string, 100)
	s.answers = answers
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.left[answers] = true
	}()
	defer time.AfterFunc(session.Settle/2, func() { // it notices late that the client has gone
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answers = nil
	})
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: endpoint\ndata: /message\n\n")
	for {
		w.(http.Flusher).Flush()
		select {
		case a := <-answers:
			_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", a)
		case <-s.down:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		}
	}
}

func singleAnswer(m gjson.Result) string {
	switch m.Get("method").Str {
	case "initialize":
		version := requirement.Revision(m.Get("params.protocolVersion").Str)
		if !version.Known() || version.Modern() {
			version = requirement.R20251125
		}
		return `"result":{"protocolVersion":"` + string(version) +
			`","capabilities":{"resources":{}},"serverInfo":{"name":"single","version":"1"}}`
	case "resources/list":
		return `"result":{"resources":[{"uri":"test://a","name":"a"}]}`
	case "resources/templates/list":
		return `"result":{"resourceTemplates":[]}`
	case "resources/read":
		if uri := m.Get("params.uri"); uri.Str == "test://a" {
			return `"result":{"contents":[{"uri":"test://a","text":"a"}]}`
		}
		return `"error":{"code":-32002,"message":"not found"}`
	case "ping":
		return `"result":{}`
	}
	return `"error":{"code":-32601,"message":"no"}`
}

func prepareSingle(t *testing.T, instances int) *Run {
	t.Helper()
	s := &single{down: make(chan struct{}), left: map[chan string]bool{}}
	r, err := Prepare(t.Context(), Config{
		Target: &target.Target{Endpoints: []target.Endpoint{{Name: "single", Handler: s, Path: "/sse",
			Instances: instances}}},
		Tool: reports.Tool{Name: "test"}, SecurityProbes: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Whoever is told only that the connection was cut looks for the fault in the network.
func TestASecondConnectionIsNamedAsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := prepareSingle(t, 0)
		if why := r.Report(false).Target.Endpoints[0].Unreachable; !strings.Contains(why,
			"answered on one connection") || !strings.Contains(why, "instances: 1") {
			t.Errorf("got %q", why)
		}
	})
}

// With one session at a time everything but a second client is judged, and none of it
// is held against the server that no other session could be opened.
func TestOneSessionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := prepareSingle(t, 1)
		r.Execute(t.Context())
		report := r.Report(false)
		if report.Summary.Blocked != 0 || report.Summary.Pass < 100 {
			t.Errorf("%d verdicts are blocked, %d requirements are met", report.Summary.Blocked,
				report.Summary.Pass)
		}
		want := map[string]string{"SSE-25": "not-applicable opted-out", "LIFE-17": "pass ", "SEC-02": "fail "}
		for _, x := range report.Results {
			if got := string(x.Verdict) + " " + x.ReasonCode; want[x.ID] != "" && got != want[x.ID] {
				t.Errorf("%s in %s: %s, %s%s", x.ID, x.Revision, got, x.Actual, x.Reason)
			}
		}
		for _, c := range r.Combinations() {
			for _, name := range []recording.Name{life.FaultyHandshake, life.Negotiation} {
				if x := r.Take(c).Recordings[name].Step("sound"); x == nil || !x.Succeeded() {
					t.Errorf("%s: no handshake succeeds after those of %s", c, name)
				}
			}
		}
	})
}

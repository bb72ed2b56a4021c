package session

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// sessions is a server of Streamable HTTP with sessions, of which no more than a few stand.
type sessions struct {
	most   int  // 0: any number
	evicts bool // the oldest one ends when there are too many; else another one is refused
	lost   func() bool

	mu    sync.Mutex
	n     int
	stand []string
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	own := func(id string) bool { return id == r.Header.Get("Mcp-Session-Id") }
	switch {
	case s.lost != nil && s.lost():
		http.NotFound(w, r)
	case m.Get("method").Str == "initialize" && (s.most == 0 || len(s.stand) < s.most || s.evicts):
		if s.most > 0 && len(s.stand) == s.most {
			s.stand = s.stand[1:]
		}
		s.n++
		s.stand = append(s.stand, fmt.Sprint("session-", s.n))
		w.Header().Set("Mcp-Session-Id", s.stand[len(s.stand)-1])
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{}}}`,
			m.Get("id").Raw, m.Get("params.protocolVersion").Raw)
	case m.Get("method").Str == "initialize":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w,
			`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"already initialized"}}`,
			m.Get("id").Raw)
	case !slices.ContainsFunc(s.stand, own):
		http.NotFound(w, r)
	case r.Method == http.MethodDelete:
		s.stand = slices.DeleteFunc(s.stand, own)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case !m.Get("id").Exists():
		w.WriteHeader(http.StatusAccepted)
	default:
		answer(w, m)
	}
}

// TestSingle: a server that keeps one session at a time is told from one that keeps several, and from one
// behind a gateway that finds nothing now and then.
func TestSingle(t *testing.T) {
	single := func(s *sessions) (how string) {
		synctest.Test(t, func(t *testing.T) {
			dialer := &transport.HTTP{Client: transport.Client{Handler: s}}
			found, err := Detect(t.Context(), dialer, options(""),
				[]requirement.Revision{requirement.R20250618, requirement.R20251125}, 0)
			if err == nil || s.lost == nil {
				how = found.Single(t.Context())
			}
			found.Close()
		})
		return how
	}
	for name, c := range map[string]struct {
		s    *sessions
		want string
	}{
		"any number": {&sessions{}, ""},
		"two":        {&sessions{most: 2, evicts: true}, ""},
		"one, the last": {&sessions{most: 1, evicts: true},
			"ended one session with HTTP 404 when another one had begun"},
		"one, the first": {&sessions{most: 1}, "refused a session while another one stood"},
	} {
		if got := single(c.s); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		if got := single(&sessions{lost: func() bool { return rng.IntN(5) == 0 }}); got != "" {
			t.Errorf("a gateway that finds nothing, seed %d: %q", seed, got)
		}
	}
}

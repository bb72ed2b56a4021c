package engine

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/tidwall/gjson"
)

// refusing is a server on Streamable HTTP whose sessions last, and that answers errors by an HTTP status of
// its own.
type refusing struct {
	status int
	mute   bool // it has no ping
	mu     sync.Mutex
	heard  map[string]int // messages, by method
}

func (s *refusing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(raw)
	method := m.Get("method").Str
	s.mu.Lock()
	s.heard[method]++
	n := s.heard["initialize"]
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case method == "initialize":
		w.Header().Set(scenario.HeaderSession, fmt.Sprint("a-session-with-number-", n))
	case r.Header.Get(scenario.HeaderSession) == "":
		w.WriteHeader(http.StatusBadRequest)
		return
	case !m.Get("id").Exists():
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := singleAnswer(m)
	if s.mute && method == "ping" {
		answer = `"error":{"code":-32601,"message":"no"}`
	}
	if strings.HasPrefix(answer, `"error"`) {
		w.WriteHeader(s.status)
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw, answer)
}

// Behind an error by a status that may also say that the session has ended, a sign of life is asked for; not
// behind each of many that come side by side, which made it a third more requests, and twice that where ping
// is no sign: 260 pings, and 400 lists.
func TestErrorsShareSignsOfLife(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusInternalServerError} {
		for _, mute := range []bool{false, true} {
			t.Run(fmt.Sprint(status, " ", mute), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &refusing{status: status, mute: mute, heard: map[string]int{}}
					judgedOverHTTP(t, s, 0)
					if pings, lists := s.heard["ping"], s.heard["resources/list"]; pings > 120 ||
						lists > 240 {
						t.Errorf("%d pings and %d lists", pings, lists)
					}
				})
			})
		}
	}
}

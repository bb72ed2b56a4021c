package session

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// TestRefusalsWithoutEnd: of a response whose status says that the target is busy the end is not waited for.
func TestRefusalsWithoutEnd(t *testing.T) {
	for name, open := range map[string]func(context.Context, *Session) *recording.Exchange{
		"a request": func(ctx context.Context, s *Session) *recording.Exchange {
			return s.Do(ctx, Request{Method: "m"})
		},
		"listen": func(ctx context.Context, s *Session) *recording.Exchange {
			return s.Listen(ctx, "listen", Filter{}, Request{}).Wait(ctx)
		},
		"peek": func(ctx context.Context, s *Session) *recording.Exchange {
			return s.Peek(ctx, Request{HTTPMethod: http.MethodGet}, time.Minute).Wait(ctx)
		},
	} {
		for kind, head := range map[string]struct {
			status int
			typ    string
		}{
			"429, an event stream": {http.StatusTooManyRequests, "text/event-stream"},
			"503, a body":          {http.StatusServiceUnavailable, "application/json"},
		} {
			t.Run(name+": "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := web(t, requirement.R20260728,
						func(_ int, w http.ResponseWriter, r *http.Request, _ gjson.Result) {
							w.Header().Set("Content-Type", head.typ)
							w.WriteHeader(head.status)
							_ = http.NewResponseController(w).Flush()
							<-r.Context().Done()
						})
					begin := time.Now()
					x := open(t.Context(), s)
					// Five times the second that the body is waited for, with a second between.
					if took := time.Since(begin); x.Outcome != recording.Refused || took != 9*time.Second {
						t.Errorf("%s after %v: %s", x.Outcome, took, x.Reason)
					}
				})
			})
		}
	}
}

// TestPatience: what several sessions wait in vain ends, and what is answered in the end does not count.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusals := 0
		s := web(t, requirement.R20250618,
			func(_ int, w http.ResponseWriter, _ *http.Request, m gjson.Result) {
				if refusals--; refusals >= 0 {
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				answer(w, m)
			})
		s.opts.Patience = NewPatience(func() time.Duration { return 6 * time.Second })
		for i, c := range []struct {
			refusals int
			want     recording.Outcome
			took     time.Duration
			reason   string
		}{
			{4, recording.Replied, 4 * time.Second, ""},
			{4, recording.Replied, 4 * time.Second, ""},
			{99, recording.Refused, 4 * time.Second, "again and again"},
			{99, recording.Refused, 4 * time.Second, "again and again"},
			{99, recording.Refused, 0, "in vain"},
			{1, recording.Refused, 0, "in vain"},
			{0, recording.Replied, 0, ""},
		} {
			refusals = c.refusals
			begin := time.Now()
			x := s.Do(t.Context(), Request{Method: "m"})
			if took := time.Since(begin); x.Outcome != c.want || took != c.took ||
				!strings.Contains(x.Reason, c.reason) {
				t.Errorf("message %d: %s after %v: %s", i, x.Outcome, took, x.Reason)
			}
		}
	})
}

// TestPatienceOfMany: of messages that wait at the same time only one is counted.
func TestPatienceOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPatience(func() time.Duration { return 5 * time.Second })
		begin := time.Now()
		time.Sleep(4 * time.Second)
		for range 8 {
			p.lost(begin)
		}
		if p.over() {
			t.Errorf("%v were counted", p.spent)
		}
		time.Sleep(time.Second)
		if p.lost(begin); !p.over() {
			t.Errorf("only %v were counted", p.spent)
		}
	})
}

// TestErrorsThatCallLater: an error that says that too much was asked, over a transport without a status, or
// with one of success, is no answer to the message; one that repeats its words is.
func TestErrorsThatCallLater(t *testing.T) {
	for text, want := range map[string]recording.Outcome{
		`{"code":-32000,"message":"Rate limit exceeded for client x"}`:           recording.Refused,
		`{"code":429,"message":"Too many requests"}`:                             recording.Refused,
		`{"code":-32603,"message":"ThrottlingException: request throttled"}`:     recording.Refused,
		`{"code":-32602,"message":"Resource not found: note://rate-limit"}`:      recording.Replied,
		`{"code":-32601,"message":"Method not found: too many requests"}`:        recording.Replied,
		`{"code":-32000,"message":"the grating limits it, and a corporate one"}`: recording.Replied,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := web(t, requirement.R20250618,
				func(_ int, w http.ResponseWriter, _ *http.Request, m gjson.Result) {
					w.Header().Set("Content-Type", "application/json")
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.Get("id").Raw, text)
				})
			if x := s.Do(t.Context(), Request{Method: "m"}); x.Outcome != want || want == recording.Refused &&
				!strings.Contains(x.Reason, "too much is asked") {
				t.Errorf("%s: %s, %s", text, x.Outcome, x.Reason)
			}
		})
	}
}

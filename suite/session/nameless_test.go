package session

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// Errors without an id are told apart by asking one thing at a time, and none of them costs the time for a
// request.
func TestErrorsWithoutID(t *testing.T) {
	for name, c := range map[string]struct {
		lost   func(uri string) bool // whether the error about it has no id
		slow   string                // what is answered after three seconds
		garble bool                  // a stray error comes between
		within time.Duration
		want   []string
	}{
		"all": {lost: func(string) bool {
			return true
		}, within: 3 * time.Second, want: []string{"b", "c", "d", "a's"}},
		"one": {lost: func(uri string) bool {
			return uri == "b"
		}, within: 3 * time.Second, want: []string{"b", "c", "d", "a's"}},
		"beside a slow": {lost: func(uri string) bool {
			return uri == "b"
		}, slow: "a", within: 8 * time.Second, want: []string{"b", "c", "d", "a's"}},
		"a stray": {lost: func(string) bool { return false }, garble: true, within: time.Second,
			want: []string{"b", "c", "d", "a's"}},
		"a stray and slow": {lost: func(string) bool {
			return false
		}, garble: true, slow: "c", within: 8 * time.Second, want: []string{"b", "c", "d", "a's"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var writing sync.Mutex
				asked := 0
				s := opened(t, scripted(func(m gjson.Result, all teller) bool {
					say := func(format string, args ...any) {
						writing.Lock()
						defer writing.Unlock()
						all(format, args...)
					}
					uri, id := m.Get("params.uri").Str, `"id":`+m.Get("id").Raw+`,`
					switch {
					case !m.Get("id").Exists():
						return true
					case m.Get("method").Str == "resources/read":
						asked++
					}
					if c.garble && asked == 2 { // to one alone it would be an answer
						c.garble = false
						say(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"stray"}}`)
					}
					answer := func() { say(`{%s"result":{"about":"a's"}}`, id) }
					if uri != "a" {
						if c.lost(uri) {
							id = ""
						}
						answer = func() { say(`{%s"error":{"code":-32002,"message":%q}}`, id, uri) }
					}
					delay := time.Millisecond // all are asked before one is answered
					if uri == c.slow {
						delay = 3 * time.Second
					}
					time.AfterFunc(delay, answer)
					return true
				}), func() Options { o := options(requirement.R20250618); o.Habits = &Habits{}; return o }())
				begin := time.Now()
				got := make([]string, 4)
				var wg sync.WaitGroup
				for i, uri := range []string{"b", "c", "d", "a"} {
					wg.Go(func() {
						x := s.Do(t.Context(), Request{Method: "resources/read",
							Params: map[string]any{"uri": uri}})
						got[i] = x.Error().Get("message").Str + x.Value("about").Str
						if x.Outcome != recording.Replied {
							got[i] = fmt.Sprint(x.Outcome, ": ", x.Reason)
						}
					})
				}
				wg.Wait()
				if took := time.Since(begin); !slices.Equal(got, c.want) || took > c.within {
					t.Errorf("%q after %s", got, took)
				}
			})
		})
	}
}

// Where an answer without an id may be the one to what could not be read, or is followed by the proper one,
// it is doubted.
func TestErrorsWithoutIDAreDoubted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(requirement.R20250618)
		o.Habits = &Habits{}
		s := opened(t, scripted(func(m gjson.Result, say teller) bool {
			switch m.Get("method").Str {
			case "lost":
				say(`{"error":{"code":1,"message":"lost"}}`)
			case "both":
				say(`{"error":{"code":1,"message":"about the garbage"}}`)
				say(`{"id":%s,"result":{}}`, m.Get("id").Raw)
			}
			return true
		}), o)
		took := func(method string) time.Duration {
			begin := time.Now()
			s.Do(t.Context(), Request{Method: method})
			return time.Since(begin)
		}
		if first, second := took("lost"), took("lost"); first != doubtTime || second != 0 {
			t.Errorf("%s, then %s", first, second)
		}
		s.Start(t.Context(), Request{Body: []byte("{")}).Finish()
		if x := s.Do(t.Context(), Request{Method: "both"}); !x.Succeeded() {
			t.Errorf("%s: %s", x.Outcome, x.Message().Raw)
		}
		time.Sleep(3 * doubtTime)
		x := s.Do(t.Context(), Request{Method: "both"})
		synctest.Wait()
		if !x.Failed() || s.nameless { // it was believed, and is not any more
			t.Errorf("%s: %s, %v", x.Outcome, x.Message().Raw, s.nameless)
		}
	})
}

package session

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// An answer that comes with the next one was held back. It is taken for what it is, and from then on not
// waited for as long. What is slow, or never comes, is not: it is waited for as ever.
func TestHeldBack(t *testing.T) {
	for name, c := range map[string]struct {
		// for an error; negative: it is held back until a result comes; an hour: it never comes
		takes time.Duration
		want  []string
	}{
		"held back": {-1, []string{"replied 10s held", "replied 2s held", "replied 1s held"}},
		"slow":      {4 * time.Second, []string{"replied 4s", "replied 4s", "replied 4s"}},
		"too slow":  {12 * time.Second, []string{"silent 11s", "silent 11s", "silent 10s"}},
		"never":     {time.Hour, []string{"silent 10s", "silent 10s", "silent 10s"}},
	} {
		for _, rev := range []requirement.Revision{requirement.R20250618, requirement.R20260728} {
			t.Run(name+" "+string(rev), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					held := []string{}
					dialer := server(func(m gjson.Result, say teller) bool {
						id := m.Get("id").Raw
						switch m.Get("method").Str {
						case "initialize", "ping", "server/discover":
							for _, one := range held {
								say("%s", one)
							}
							held = nil
							say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18"}}`, id)
						case "resources/read":
							failure := fmt.Sprintf(
								`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no"}}`, id)
							if c.takes < 0 {
								held = append(held, failure)
								break
							}
							if c.takes < time.Hour {
								time.Sleep(c.takes)
								say("%s", failure)
							}
						}
						return true
					}).pipe()
					o := options(rev)
					o.Timeout, o.Habits = 10*time.Second, &Habits{}
					s, err := Open(t.Context(), dialer, o)
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close(t.Context())
					// the first has more time where there is no handshake
					s.Do(t.Context(), Request{Method: "server/discover"})
					var got []string
					for range 3 {
						x := s.Do(t.Context(), Request{Method: "resources/read",
							Params: map[string]any{"uri": "x:y"}})
						text := fmt.Sprint(x.Outcome, " ", x.Took)
						if x.HeldBack {
							text += " held"
						}
						got = append(got, text)
					}
					if !slices.Equal(got, c.want) || (o.Habits.held.Load() > 0) != (c.takes < 0) {
						t.Errorf("got %v, want %v", got, c.want)
					}
				})
			})
		}
	}
}

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

// A method that has never had a result, and kept silent three times, is waited for a fifth as long, in other
// sessions as well: errors to what is malformed do not change that, a late answer and Forget do.
func TestSilentMethods(t *testing.T) {
	const silent, late, result = "silent", "late", "result"
	for name, c := range map[string]struct {
		asks []string // what the requests ask for; "error", "forget" and "ping" are others
		want []string
	}{
		"silent": {[]string{silent, silent, silent, silent, silent}, []string{"10s", "10s", "10s", "2s",
			"2s"}},
		"errors": {[]string{silent, "error", silent, silent, "error", silent},
			[]string{"10s", "0s", "10s", "10s", "0s", "2s"}},
		"others": {[]string{silent, silent, silent, "ping", silent}, []string{"10s", "10s", "10s", "0s",
			"2s"}},
		"forgotten": {[]string{silent, silent, silent, silent, "forget", silent},
			[]string{"10s", "10s", "10s", "2s", "10s"}},
		"late": {[]string{silent, late, silent, silent, silent}, []string{"10s", "10s", "10s", "10s",
			"10s"}},
		"served": {[]string{result, silent, silent, silent, silent}, []string{"0s", "10s", "10s", "10s",
			"10s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dialer := server(func(m gjson.Result, say teller) bool {
					id := m.Get("id").Raw
					switch about := m.Get("params.uri").Str; {
					case m.Get("method").Str != "resources/subscribe", about == result:
						say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18"}}`, id)
					case about == "error":
						say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`, id)
					case about == late:
						time.AfterFunc(15*time.Second,
							func() {
								say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`,
									id)
							})
					}
					return true
				}).pipe()
				o := options(requirement.R20250618)
				o.Timeout, o.Habits = 10*time.Second, &Habits{}
				o.Habits.vain.Store(inVain) // no prompts
				var got []string
				for _, ask := range c.asks {
					if ask == "forget" {
						o.Habits.Forget()
						continue
					}
					s, err := Open(t.Context(), dialer, o)
					if err != nil {
						t.Fatal(err)
					}
					q := Request{Method: "resources/subscribe", Params: map[string]any{"uri": ask}}
					if ask == "ping" {
						q = Request{Method: "ping"}
					}
					got = append(got, fmt.Sprint(s.Do(t.Context(), q).Took.Round(time.Second)))
					time.Sleep(10 * time.Second) // for what is late
					s.Close(t.Context())
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("waited for %v, expected %v", got, c.want)
				}
			})
		})
	}
}

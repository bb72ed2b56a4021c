package reference_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
)

const ping = `{"jsonrpc":"2.0","id":5,"method":"ping"}`

// crowd opens streams, which stay open until the context ends.
type crowd struct {
	h      http.Handler
	header http.Header
	over   atomic.Int32 // those that have ended
	failed atomic.Int32 // of these, those that were refused with 503
}

func (c *crowd) open(ctx context.Context, n int, method, path string, body []byte) {
	for range n {
		go func() {
			r := httptest.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
			r.Header = c.header.Clone()
			w := httptest.NewRecorder()
			c.h.ServeHTTP(w, r)
			c.over.Add(1)
			if w.Code == http.StatusServiceUnavailable {
				c.failed.Add(1)
			}
		}()
	}
	synctest.Wait()
}

// TestConnectionsPushOutNoSession: what lasts as long as its connection has separate bounds, and makes room
// when it ends.
func TestConnectionsPushOutNoSession(t *testing.T) {
	listening := header("Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	subscription := modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true}`)
	for name, open := range map[string]func(ctx context.Context, c *crowd, n int){
		"HTTP+SSE": func(ctx context.Context, c *crowd, n int) { c.open(ctx, n, "GET", "/sse", nil) },
		"subscriptions": func(ctx context.Context, c *crowd, n int) {
			c.open(ctx, n, "POST", "/mcp", subscription)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := serve(t, reference.Options{}).Handler()
				session := initialized(t, h)
				ctx, end := context.WithCancel(t.Context())
				many := &crowd{h: h, header: listening}
				open(ctx, many, 1100)
				w := exchange(h, "POST", "/mcp", []byte(ping), header("Mcp-Session-Id", session))
				if w.Code != http.StatusOK {
					t.Errorf("the session is gone: %d", w.Code)
				}
				if many.failed.Load() != 1100-1024 || many.over.Load() != 1100-1024 {
					t.Errorf("%d were refused, %d have ended", many.failed.Load(), many.over.Load())
				}
				others := &crowd{h: h, header: listening}
				others.open(ctx, 1, "GET", "/sse", nil)
				others.open(ctx, 1, "POST", "/mcp", subscription)
				if initialized(t, h); others.failed.Load() != 1 {
					t.Errorf("of one connection of each kind %d are refused", others.failed.Load())
				}
				end()
				synctest.Wait()
				again, end := context.WithCancel(t.Context())
				if open(again, many, 1); many.failed.Load() != 1100-1024 {
					t.Error("those that have ended leave no room")
				}
				end()
				synctest.Wait()
			})
		})
	}
}

// TestStreamsOfASession: one that opens streams by GET without end loses its oldest, and others
// lose nothing.
func TestStreamsOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, reference.Options{}).Handler()
		ctx, end := context.WithCancel(t.Context())
		var sessions []*crowd
		for range 2 {
			in := header("Accept", "text/event-stream", "Mcp-Session-Id", initialized(t, h))
			sessions = append(sessions, &crowd{h: h, header: in})
		}
		greedy, modest := sessions[0], sessions[1]
		modest.open(ctx, 2, "GET", "/mcp", nil)
		for range 50 { // some at once, some after each other
			greedy.open(ctx, 1, "GET", "/mcp", nil)
			greedy.open(ctx, 9, "GET", "/mcp", nil)
		}
		if n := greedy.over.Load(); n != 500-32 || modest.over.Load() != 0 {
			t.Errorf("%d streams have ended, and %d of the other session", n, modest.over.Load())
		}
		for _, c := range sessions {
			in := header("Mcp-Session-Id", c.header.Get("Mcp-Session-Id"))
			if w := exchange(h, "POST", "/mcp", []byte(ping), in); w.Code != http.StatusOK {
				t.Errorf("a session is gone: %d", w.Code)
			}
		}
		end()
		synctest.Wait()
	})
}

package reference_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/leaktest"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// TestAskOverHTTP: a request of the server's goes to the GET stream, and the answer comes by
// POST; both are in the journal.
func TestAskOverHTTP(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	defer client.CloseIdleConnections()
	do := func(method, session, body string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL(), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	opened := do("POST", "",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
			`"capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	id := opened.Header.Get("Mcp-Session-Id")
	_, _ = io.Copy(io.Discard, opened.Body)
	_ = opened.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := s.Ask(ctx, id, reference.Ask{Method: "roots/list"}); !errors.Is(err, reference.ErrNotAsked) {
		t.Errorf("without a stream: %v", err)
	}
	stream := do("GET", id, "")
	defer func() { _ = stream.Body.Close() }()
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			var m struct{ ID json.RawMessage }
			if ok && json.Unmarshal([]byte(data), &m) == nil && m.ID != nil {
				_ = do("POST", id, `{"jsonrpc":"2.0","id":`+string(m.ID)+
					`,"result":{"roots":[]}}`).Body.Close()
			}
		}
	}()
	answer, err := s.Ask(ctx, id, reference.Ask{Method: "roots/list"})
	if err != nil || string(answer.Result) != `{"roots":[]}` {
		t.Errorf("%+v %v", answer, err)
	}
	s.Sent("roots/list", 1)
	if err := s.Journal().AtLeast(journal.Query{Direction: journal.In,
		Kinds: []journal.Kind{journal.Response}}, 1); err != nil {
		t.Error(err)
	}
	if _, err := s.Ask(ctx, id, reference.Ask{Method: "sampling/createMessage"}); !errors.Is(err,
		reference.ErrNotAsked) {
		t.Errorf("undeclared: %v", err)
	}
	s.EndSession(id)
	<-posted // the stream has ended with the session
	if _, err := s.Ask(ctx, id, reference.Ask{Method: "ping"}); !errors.Is(err, reference.ErrNoSession) {
		t.Errorf("ended: %v", err)
	}
}

// TestNothingIsLeftOfAnAsk: a request that nobody answers ends with the session.
func TestNothingIsLeftOfAnAsk(t *testing.T) {
	leaktest.Check(t)
	s := reference.Start(t, reference.DefaultWorld())
	c := s.Connect()
	go func() { _, _ = io.Copy(io.Discard, c) }()
	_, _ = io.WriteString(c,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
			`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n")
	s.WaitForEntries(journal.Sent("initialize"), 1)
	done := make(chan error, 1)
	go func() {
		_, err := s.Ask(context.Background(), s.Sessions()[0].ID, reference.Ask{Method: "ping"})
		done <- err
	}()
	s.WaitForEntries(journal.Sent("ping"), 1)
	_ = c.Close()
	if err := <-done; !errors.Is(err, reference.ErrNoSession) {
		t.Error(err)
	}
}

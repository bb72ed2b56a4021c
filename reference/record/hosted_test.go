package record

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// scripted is a server on stdio that says what a test wants, offered over HTTP.
type scripted struct {
	url    string
	file   file
	starts atomic.Int32
	ends   chan struct{}
	broken atomic.Bool // it cannot be started

	mu  sync.Mutex
	got []string
}

// script offers a server that answers each line with those that say returns.
func script(t *testing.T, say func(line string) []string) *scripted {
	t.Helper()
	s := &scripted{ends: make(chan struct{}, 1000)}
	rec, err := NewRecorder(&s.file, Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sessions := rec.Sessions(func() (Process, error) {
		if s.broken.Load() {
			return Process{}, errors.New("no such program")
		}
		s.starts.Add(1)
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() {
			for lines := bufio.NewScanner(in); lines.Scan(); {
				s.mu.Lock()
				s.got = append(s.got, lines.Text())
				s.mu.Unlock()
				for _, answer := range say(lines.Text()) {
					_, _ = io.WriteString(out, answer+"\n")
				}
			}
			_ = out.Close()
		}()
		return Process{In: toServer, Out: fromServer, End: func() {
			_, _ = toServer.Close(), fromServer.Close()
			s.ends <- struct{}{}
		}}, nil
	})
	web := httptest.NewServer(sessions)
	t.Cleanup(func() {
		sessions.Close()
		http.DefaultClient.CloseIdleConnections()
		web.Close()
	})
	s.url = web.URL + sessions.Path()
	return s
}

// heard reports whether the server got a line with a text in it.
func (s *scripted) heard(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(strings.Join(s.got, "\n"), text)
}

// begin begins a session.
func (s *scripted) begin(t *testing.T) string {
	t.Helper()
	_, id, resp := post(t, s.url, "", "", initialize("2025-03-26"))
	if id == "" {
		t.Fatal(resp.Status)
	}
	return id
}

// obliging answers initialize, and other requests with the id that they have.
func obliging(line string) []string {
	m := gjson.Parse(line)
	switch {
	case !m.IsObject() || !m.Get("id").Exists() || !m.Get("method").Exists():
		return nil
	case m.Get("method").String() == "initialize":
		return []string{`{"jsonrpc":"2.0","id":` + m.Get("id").Raw +
			`,"result":{"protocolVersion":"2025-03-26"}}`}
	}
	return []string{`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"result":{}}`}
}

const failure = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what"}}`

// TestAnswersThatNameTheirRequestOtherwise: no POST waits for ever.
func TestAnswersThatNameTheirRequestOtherwise(t *testing.T) {
	s := script(t, func(line string) []string {
		switch {
		case strings.HasPrefix(line, "[") || strings.Contains(line, "null-id"):
			return []string{failure}
		case strings.Contains(line, "no-id"):
			return []string{strings.Replace(failure, `"id":null,`, "", 1)}
		case strings.Contains(line, "a<b"):
			return []string{`{"jsonrpc":"2.0","id":"a\u003cb","result":{}}`}
		}
		return obliging(line)
	})
	id := s.begin(t)
	within(t, func() {
		for _, c := range []struct{ session, revision, body, want string }{
			{id, "2025-03-26", `{"jsonrpc":"2.0","id":2,"method":"null-id"}`, `"what"`},
			{id, "2025-03-26", `{"jsonrpc":"2.0","id":3,"method":"no-id"}`, `"what"`},
			{id, "2025-03-26", `{"jsonrpc":"2.0","id":"a<b","method":"ping"}`, `u003cb`},
			{id, "2025-03-26",
				`[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"ping"}]`,
				`"what"`},
			{id, "2025-03-26", `{"jsonrpc":"2.0","id":6,"method":"ping"}`, `"id":6`},
			{"", hook.R20260728, modern(7, "null-id", ""), `"what"`},
			{"", hook.R20260728, modern(8, "ping", ""), `"id":8`},
		} {
			if body, _, resp := post(t, s.url, c.session, c.revision,
				c.body); resp.StatusCode != http.StatusOK || !strings.Contains(body, c.want) {
				t.Errorf("%s: %s %s", c.body, resp.Status, body)
			}
		}
		if _, _, resp := post(t, s.url, "", hook.R20260728,
			"["+modern(9, "ping", "")+"]"); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("a batch without a session: %s", resp.Status)
		}
	})
}

// TestRequestsOfOneID: each has its answer.
func TestRequestsOfOneID(t *testing.T) {
	var held atomic.Bool
	s := script(t, func(line string) []string {
		if strings.Contains(line, "ping") && !held.Swap(true) {
			return nil
		}
		if strings.Contains(line, "ping") {
			return append(obliging(line), obliging(line)...)
		}
		return obliging(line)
	})
	id := s.begin(t)
	within(t, func() {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if body, _, resp := post(t, s.url, id, "2025-03-26", ping); resp.StatusCode != http.StatusOK {
					t.Errorf("%s %s", resp.Status, body)
				}
			})
		}
		both.Wait()
	})
}

// TestRefusedInitialize: it ends the session that it would have begun, and no other.
func TestRefusedInitialize(t *testing.T) {
	refuse := func(line string) []string {
		m := gjson.Parse(line)
		return []string{`{"jsonrpc":"2.0","id":` + m.Get("id").Raw +
			`,"error":{"code":-32600,"message":"not now"}}`}
	}
	var asked atomic.Int32
	s := script(t, func(line string) []string {
		if strings.Contains(line, `"initialize"`) && asked.Add(1) > 1 {
			return refuse(line)
		}
		return obliging(line)
	})
	id := s.begin(t)
	if body, _, _ := post(t, s.url, id, "2025-03-26", initialize("2025-03-26")); !strings.Contains(body,
		"not now") {
		t.Error(body)
	}
	if _, _, resp := post(t, s.url, id, "2025-03-26", ping); resp.StatusCode != http.StatusOK {
		t.Errorf("the session has been ended: %s", resp.Status)
	}
	opened := script(t, func(line string) []string {
		return append([]string{`{"jsonrpc":"2.0","id":9,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":10,"method":"ping"}`}, refuse(line)...)
	})
	within(t, func() {
		post(t, opened.url, "", "", initialize("2025-03-26"))
		<-opened.ends
	})
}

// TestSessionsInUseStay: the one that was used least lately goes, and only if there is another in its place.
func TestSessionsInUseStay(t *testing.T) {
	s := script(t, obliging)
	var ids []string
	for range maxSessions {
		ids = append(ids, s.begin(t))
	}
	post(t, s.url, ids[0], "2025-03-26", ping)
	s.broken.Store(true)
	if _, _, resp := post(t, s.url, "", "",
		initialize("2025-03-26")); resp.StatusCode != http.StatusBadGateway {
		t.Error(resp.Status)
	}
	if _, _, resp := post(t, s.url, ids[1], "2025-03-26", ping); resp.StatusCode != http.StatusOK {
		t.Errorf("a session has gone for nothing: %s", resp.Status)
	}
	s.broken.Store(false)
	s.begin(t)
	for i, want := range map[int]int{0: 200, 1: 200, 2: 404, 3: 200} {
		if _, _, resp := post(t, s.url, ids[i], "2025-03-26", ping); resp.StatusCode != want {
			t.Errorf("session %d: %s", i, resp.Status)
		}
	}
}

// TestNothingIsDue: a batch without requests is accepted; and that there was no answer to others is recorded.
func TestNothingIsDue(t *testing.T) {
	s := script(t, obliging)
	id := s.begin(t)
	if body, _, resp := post(t, s.url, id, "2025-03-26",
		`[`+initialized+`,{"jsonrpc":"2.0","id":1,"result":{}}]`); resp.StatusCode != http.StatusAccepted ||
		body != "" {
		t.Errorf("%s %s", resp.Status, body)
	}
	if !s.heard("[{") {
		t.Error("the server did not get the batch")
	}
	rec, err := NewRecorder(&s.file, Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	gone := rec.Sessions(func() (Process, error) {
		in, toServer := io.Pipe()
		out := io.NopCloser(in) // it ends with its first line
		return Process{In: toServer, Out: endsWith{out}, End: func() { _ = in.Close() }}, nil
	})
	defer gone.Close()
	web := httptest.NewServer(gone)
	defer web.Close()
	if _, _, resp := post(t, web.URL+gone.Path(), "", "",
		initialize("2025-03-26")); resp.StatusCode != http.StatusBadGateway {
		t.Error(resp.Status)
	}
	if !strings.Contains(s.file.String(), `"status":502`) {
		t.Error(s.file.String())
	}
}

// endsWith is an output that ends when the input has come.
type endsWith struct{ in io.Reader }

func (e endsWith) Read(p []byte) (int, error) {
	_, err := e.in.Read(p)
	return 0, errors.Join(io.EOF, err)
}

// TestStreamsTakeOver: a client that comes back before it was seen to go is not sent away.
func TestStreamsTakeOver(t *testing.T) {
	s := script(t, func(line string) []string {
		if strings.Contains(line, "speak") {
			return append([]string{`{"jsonrpc":"2.0","method":"notifications/spoken"}`}, obliging(line)...)
		}
		return obliging(line)
	})
	id := s.begin(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	o := &offered{url: s.url}
	old := o.stream(t, ctx, id)
	next := o.stream(t, ctx, id)
	if m, open := <-old; open {
		t.Errorf("the older stream got %s", m)
	}
	post(t, s.url, id, "2025-03-26", strings.Replace(ping, "ping", "speak", 1))
	if m := <-next; !strings.Contains(m, "spoken") {
		t.Error(m)
	}
}

// TestClientsThatDoNotWait: nobody knows of a session that nobody was told of.
func TestClientsThatDoNotWait(t *testing.T) {
	asked := make(chan struct{}, 1)
	s := script(t, func(string) []string {
		asked <- struct{}{}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url,
		strings.NewReader(initialize("2025-03-26")))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-asked
		cancel()
	}()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Error(resp.Status)
	}
	within(t, func() { <-s.ends })
}

// TestCancellationsOfOthers: without a session an id says nothing of whose request is meant.
func TestCancellationsOfOthers(t *testing.T) {
	s := script(t, func(line string) []string {
		if strings.Contains(line, "wait") {
			return nil
		}
		return obliging(line)
	})
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url,
		strings.NewReader(modern(5, "wait", "")))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	for end := time.Now().Add(5 * time.Second); !s.heard("wait") && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if _, _, resp := post(t, s.url, "", hook.R20260728,
		`{"jsonrpc":"2.0","method":"notifications/cancelled",`+
			`"params":{"requestId":5}}`); resp.StatusCode != http.StatusAccepted {
		t.Error(resp.Status)
	}
	post(t, s.url, "", hook.R20260728, modern(6, "ping", ""))
	if s.heard("cancelled") {
		t.Error("the request of another was cancelled")
	}
	cancel()
	<-done
}

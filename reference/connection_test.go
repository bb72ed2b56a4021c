package reference_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/leaktest"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// post sends a message and returns the answer, or how far it came.
func post(t *testing.T, url, session, message string) (*http.Response, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer secret-of-a-test")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// opened opens a session at a URL and returns its id.
func opened(t *testing.T, url string) string {
	t.Helper()
	resp, _, err := post(t, url, "", hello)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header.Get("Mcp-Session-Id")
}

const readNote = `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"note:1"}}`

func TestHTTPIsJournalled(t *testing.T) {
	leaktest.Check(t)
	s := reference.Start(t, notes())
	session := opened(t, s.URL())
	if _, _, err := post(t, s.URL(), session,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		t.Fatal(err)
	}
	if _, body, err := post(t, s.URL(), session, readNote); err != nil || !strings.Contains(body, "one") {
		t.Fatal(body, err)
	}
	if resp, _, err := post(t, s.URL(), "nobody", readNote); err != nil ||
		resp.StatusCode != http.StatusNotFound {
		t.Fatal(resp, err)
	}
	s.Received("resources/read", 2)
	s.Sent("resources/read", 2)
	s.InOrder("initialize", "notifications/initialized", "resources/read")
	for _, q := range []journal.Query{
		journal.Received("initialize"),
		{Kinds: []journal.Kind{journal.Opened}, Session: session},
		{Direction: journal.Out, Method: "initialize", Session: session, Match: func(e *journal.Entry) bool {
			return e.HTTP.Status == 200 && e.Failure() == nil
		}},
		{Kinds: []journal.Kind{journal.HTTPAnswer}, Method: "notifications/initialized",
			Match: func(e *journal.Entry) bool { return e.HTTP.Status == http.StatusAccepted }},
		{Direction: journal.In, Method: "resources/read", Session: session, URI: "note:1",
			Match: func(e *journal.Entry) bool {
				return e.Revision == "2025-11-25" && e.Header("Authorization") == "Bearer ***" &&
					e.Identity == journal.Fingerprint("secret-of-a-test") && string(e.Raw) == readNote &&
					e.HTTP.Path == "/mcp"
			}},
		{Direction: journal.Out, Method: "resources/read", Match: func(e *journal.Entry) bool {
			return e.HTTP.Status == http.StatusNotFound
		}},
	} {
		if err := s.Journal().Exactly(q, 1); err != nil {
			t.Error(err)
		}
	}
	remove := s.Inject(control.Rule{Fail: &control.Failure{Status: 503, Body: "later",
		Header: map[string]string{"Retry-After": "1"}}, Limits: control.Limits{Identity: "secret-of-a-test",
		Count: 1}})
	if resp, body, err := post(t, s.URL(), session, readNote); err != nil || resp.StatusCode != 503 ||
		body != "later" || resp.Header.Get("Retry-After") != "1" {
		t.Error(resp, body, err)
	}
	if _, body, err := post(t, s.URL(), session, readNote); err != nil || !strings.Contains(body, "one") {
		t.Error(body, err)
	}
	remove()
}

func TestConnectionFailuresOverHTTP(t *testing.T) {
	leaktest.Check(t)
	s := reference.Start(t, notes())
	session := opened(t, s.URL())
	for name, broken := range map[string]func(resp *http.Response, body string, err error) bool{
		"reset": func(_ *http.Response, _ string, err error) bool { return err != nil },
		"empty-reply": func(resp *http.Response, _ string, err error) bool {
			return resp == nil && err != nil
		},
		"truncated-body": func(resp *http.Response, body string, err error) bool {
			return resp != nil && err != nil && body != ""
		},
		"dropped-sse": func(resp *http.Response, body string, err error) bool {
			return resp != nil && err != nil && strings.Contains(body, "id: ") &&
				!strings.Contains(body, "one")
		},
	} {
		remove := s.Fault(name + ":method=resources/read:count=1")
		resp, body, err := post(t, s.URL(), session, readNote)
		if !broken(resp, body, err) {
			t.Errorf("%s: %v, %q, %v", name, resp, body, err)
		}
		if _, body, err := post(t, s.URL(), session, readNote); err != nil || !strings.Contains(body, "one") {
			t.Errorf("after %s: %q, %v", name, body, err)
		}
		if n := s.Journal().Count(journal.Query{Kinds: []journal.Kind{journal.Applied}, Rule: name}); n != 1 {
			t.Errorf("%s was applied %d times", name, n)
		}
		remove()
	}
	s.Fault("stalled-stream:method=resources/read")
	got := make(chan string, 1)
	begun := begin(t, s.URL(), session, readNote)
	first := make([]byte, 1)
	if _, err := io.ReadFull(begun, first); err != nil {
		t.Fatal(err)
	}
	go func() {
		rest, _ := io.ReadAll(begun) // broken off when the server ends
		got <- string(first) + string(rest)
	}()
	start := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	select {
	case body := <-got:
		if !strings.HasPrefix(body, `{"jsonrpc"`) || strings.HasSuffix(body, "}") {
			t.Errorf("%q", body)
		}
	case <-time.After(5 * time.Second):
		t.Error("the stalled answer outlives the server")
	}
	if time.Since(start) > 3*time.Second {
		t.Errorf("it ended after %s", time.Since(start))
	}
}

func TestConnectionFailuresOnStdio(t *testing.T) {
	for name, check := range map[string]func(t *testing.T, s *reference.TestServer, c *line){
		"reset": func(t *testing.T, _ *reference.TestServer, c *line) {
			if s, err := c.in.ReadString('\n'); err != io.EOF || s != "" {
				t.Error(s, err)
			}
		},
		"empty-reply": func(t *testing.T, _ *reference.TestServer, c *line) {
			if got := c.receive(); got != "\n" {
				t.Errorf("%q", got)
			}
			want(t, c.read("note:1"), "one")
		},
		"truncated-body": func(t *testing.T, _ *reference.TestServer, c *line) {
			if s, err := c.in.ReadString('\n'); err != io.EOF || !strings.HasPrefix(s, `{"json`) {
				t.Error(s, err)
			}
		},
		"stalled-stream": func(t *testing.T, s *reference.TestServer, c *line) {
			c.send("ping", "{}") // is not answered either
			time.Sleep(time.Second)
			s.Received("ping", 1)
			came := make(chan string, 1)
			go func() {
				line, _ := c.in.ReadString('\n') // broken off when the test ends
				came <- line
			}()
			synctest.Wait()
			select {
			case line := <-came:
				t.Errorf("it sent %q", line)
			default:
			}
		},
		"half-closed-stdio": func(t *testing.T, s *reference.TestServer, c *line) {
			if s, err := c.in.ReadString('\n'); err != io.EOF || s != "" {
				t.Error(s, err)
			}
			c.send("ping", "{}")
			time.Sleep(time.Second)
			s.Received("ping", 1)
			if len(s.Sessions()) != 1 {
				t.Error("the connection is over")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := reference.Start(t, notes())
				c := dial(t, s)
				s.Fault(name + ":method=resources/read:count=1")
				c.send("resources/read", `{"uri":"note:1"}`)
				check(t, s, c)
			})
		})
	}
}

// TestNothingIsLeft: open streams end with the server, and nothing of it is left.
func TestNothingIsLeft(t *testing.T) {
	leaktest.Check(t)
	w := notes()
	w.Timeline = []reference.Step{{Every: 10 * time.Millisecond, Touch: "note:1"}}
	s := reference.Start(t, w)
	session := opened(t, s.URL())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", session)
	req.Header.Set("Accept", "text/event-stream")
	var streams []io.Reader
	for _, r := range []*http.Request{req, func() *http.Request {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.SSEURL(), nil)
		return r
	}()} {
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		streams = append(streams, resp.Body)
	}
	s.Connect()
	s.Connect()
	if n := s.Journal().Count(journal.Query{Kinds: []journal.Kind{journal.Opened},
		Match: func(e *journal.Entry) bool { return e.Scope == journal.ScopeStream }}); n != 2 {
		t.Errorf("%d streams are open", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, stream := range streams {
		if _, err := io.Copy(&bytes.Buffer{}, stream); err != nil {
			t.Errorf("a stream breaks off: %v", err)
		}
	}
}

// TestAClientThatDoesNotRead: it holds up neither the end of the server nor that of
// its timeline.
func TestAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, text := notes(), strings.Repeat("x", 6<<20)
		w.Resources = append(w.Resources, reference.Resource{URI: "note:big", Name: "big", Text: &text})
		w.Timeline = []reference.Step{{Every: 10 * time.Millisecond, Touch: "note:1"}}
		s := reference.Start(t, w)
		c := dial(t, s)
		c.send("resources/read", `{"uri":"note:big"}`)
		c.send("resources/subscribe", `{"uri":"note:1"}`)
		time.Sleep(time.Second)
		go func() { _ = s.Reset() }() // waits as well
		time.Sleep(time.Second)
		begin := time.Now()
		if err := s.Close(); err != nil || time.Since(begin) > time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

// begin sends a message and returns the body of the answer as it comes.
func begin(t *testing.T, url, session, message string) io.Reader {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Session-Id": {session}, "Mcp-Protocol-Version": {"2025-11-25"},
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp.Body
}

// TestWhatIsAskedIsAnswered: whoever ends a server, or its input, still gets the answers that are
// being made.
func TestWhatIsAskedIsAnswered(t *testing.T) {
	w := notes()
	w.Resources[0].Delay = 300 * time.Millisecond
	t.Run("stdio", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := reference.Start(t, w)
			c := dial(t, s)
			c.send("resources/read", fmt.Sprintf(`{"uri":%q}`, w.Resources[0].URI))
			if err := c.conn.(reference.Conn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			want(t, c.receive(), `"contents"`)
			if _, err := c.in.ReadByte(); err != io.EOF {
				t.Errorf("after the end: %v", err)
			}
		})
	})
	t.Run("HTTP", func(t *testing.T) {
		s, err := reference.New(w, reference.Options{Journal: journal.New(journal.Options{})})
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Listen(t.Context(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, l) }()
		url := "http://" + l.Addr().String() + "/mcp"
		session := opened(t, url)
		got := make(chan string, 1)
		go func() {
			_, body, _ := post(t, url, session, readNote)
			got <- body
		}()
		if err := s.Journal().WaitFor(t.Context(), journal.Query{Method: "resources/read"}, 1); err != nil {
			t.Fatal(err)
		}
		end()
		if body := <-got; !strings.Contains(body, `"contents"`) {
			t.Errorf("%q", body)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// TestSessionsInUseStay: sessions that were left behind make room, not those in use.
func TestSessionsInUseStay(t *testing.T) {
	s := reference.Start(t, notes())
	pipe := dial(t, s)
	session := opened(t, s.URL())
	for i := range 1100 {
		opened(t, s.URL())
		if i%100 == 0 {
			if resp, _, err := post(t, s.URL(), session, readNote); err != nil ||
				resp.StatusCode != http.StatusOK {
				t.Fatalf("after %d sessions: %v, %v", i, resp, err)
			}
		}
	}
	want(t, pipe.read("note:1"), "one")
	if n := len(s.Sessions()); n > 1024+1 { // with that of the pipe
		t.Errorf("%d sessions are kept", n)
	}
}

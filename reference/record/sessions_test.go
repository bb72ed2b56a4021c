package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// offered is a server on stdio that is offered over HTTP.
type offered struct {
	url    string
	file   file
	starts atomic.Int32
	conns  chan reference.Conn // of the servers, in their order
}

// offer offers a server; each session gets a connection of its own.
func offer(t *testing.T, s *reference.TestServer, masks ...*regexp.Regexp) *offered {
	t.Helper()
	o := &offered{conns: make(chan reference.Conn, 100)}
	rec, err := NewRecorder(&o.file, Header{}, masks)
	if err != nil {
		t.Fatal(err)
	}
	sessions := rec.Sessions(func() (Process, error) {
		c, err := s.Pipe(context.Background())
		if err != nil {
			return Process{}, err
		}
		o.starts.Add(1)
		o.conns <- c
		return Process{In: c, Out: c, End: func() { _ = c.CloseWrite(); _ = c.Close() }}, nil
	})
	web := httptest.NewServer(sessions)
	t.Cleanup(func() {
		sessions.Close()
		http.DefaultClient.CloseIdleConnections()
		web.Close()
	})
	o.url = web.URL + sessions.Path()
	return o
}

// answerIn is the message with a text in the body of an answer, be it JSON or an event stream.
func answerIn(body, text string) string {
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "data: ")); strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// stream opens the stream of a session and gives out its messages.
//
//nolint:revive // the context is that of the stream
func (o *offered) stream(t *testing.T, ctx context.Context, session string) chan string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(headerSession, session)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		t.Fatal(resp.Status)
	}
	messages := make(chan string, 100)
	go func() {
		defer close(messages)
		defer resp.Body.Close() //nolint:errcheck // has come to its end
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				messages <- data
			}
		}
	}()
	return messages
}

// TestHTTPToStdio: two clients over HTTP, each with a server of its own, in every revision with a
// handshake; what was recorded is served again.
func TestHTTPToStdio(t *testing.T) {
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			s := small(t)
			o := offer(t, s, regexp.MustCompile("top-secret-uri"))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			play := func(url string) (session string, got []string) {
				for _, body := range []string{initialize(revision), initialized, list, read(3, "note:hello"),
					read(4, "note:nothing"), read(5, "note:top-secret-uri")} {
					answer, id, resp := post(t, url, session, revision, body)
					if id != "" {
						session = id
					}
					if wantStatus := map[bool]int{true: 202,
						false: 200}[body == initialized]; resp.StatusCode != wantStatus {
						t.Fatalf("%s: %s", body, resp.Status)
					}
					if answer != "" {
						got = append(got, answerIn(answer, `"id"`))
					}
				}
				return session, got
			}
			first, want := play(o.url)
			second, again := play(o.url)
			if first == second || o.starts.Load() != 2 || !slices.Equal(want, again) || len(want) != 5 ||
				!strings.Contains(want[2], "Hello") {
				t.Fatalf("%d servers for %s and %s:\n%s\nand\n%s", o.starts.Load(), first, second,
					strings.Join(want, "\n"), strings.Join(again, "\n"))
			}
			post(t, o.url, first, revision,
				`{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"note:hello"}}`)
			s.Touch("note:hello") // while nobody listens
			mine, theirs := o.stream(t, ctx, first), o.stream(t, ctx, second)
			if m := <-mine; !strings.Contains(m, "resources/updated") {
				t.Error(m)
			}
			s.Touch("note:hello")
			if m := <-mine; !strings.Contains(m, "resources/updated") {
				t.Error(m)
			}
			o.asks(t, s, mine, first, revision)
			o.endsSession(t, first)
			if _, open := <-mine; open {
				t.Error("the stream goes on after the end of its session")
			}
			o.endsSession(t, second)
			for m := range theirs {
				t.Errorf("the other session was told %s", m)
			}
			recording := o.file.String()
			if strings.Contains(recording, "top-secret") {
				t.Error("a secret is in the recording")
			}
			replayed, r := serve(t, recording)
			if !slices.Equal(r.revisions(), []string{revision}) {
				t.Errorf("%v", r.revisions())
			}
			there := httptest.NewServer(replayed.Handler())
			defer there.Close()
			if _, got := play(there.URL + "/mcp"); !slices.Equal(got[:4], want[:4]) {
				t.Errorf("\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// asks has the server ask the client of a session.
func (o *offered) asks(t *testing.T, s *reference.TestServer, stream chan string, session, revision string) {
	t.Helper()
	conn := s.Journal().Query(journal.Received("resources/subscribe"))[0].Session
	answered := make(chan error, 1)
	go func() {
		_, err := s.Ask(t.Context(), conn, reference.Ask{Method: "ping"})
		answered <- err
	}()
	post(t, o.url, session, revision, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`,
		gjson.Get(<-stream, "id").Raw))
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// endsSession ends a session, after which there is none.
func (o *offered) endsSession(t *testing.T, session string) {
	t.Helper()
	for _, want := range []int{http.StatusNoContent, http.StatusNotFound} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, o.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(headerSession, session)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("DELETE: %s, not %d", resp.Status, want)
		}
	}
	if _, _, resp := post(t, o.url, session, "2025-11-25", list); resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
}

// TestProgressComesWithTheAnswer: what belongs to a request comes in answer to it, even if
// another listens to the session.
func TestProgressComesWithTheAnswer(t *testing.T) {
	w := reference.DefaultWorld()
	text := "slow"
	w.Resources = append(w.Resources, reference.Resource{URI: "note:slow", Name: "slow", Text: &text,
		Delay: 50 * time.Millisecond, Steps: 3})
	s := reference.Start(t, w)
	o := offer(t, s)
	_, session, _ := post(t, o.url, "", "", initialize("2025-11-25"))
	post(t, o.url, session, "2025-11-25", initialized)
	o.stream(t, t.Context(), session)
	body, _, resp := post(t, o.url, session, "2025-11-25",
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"note:slow",`+
			`"_meta":{"progressToken":"p"}}}`)
	if strings.Count(body, "notifications/progress") != 3 || !strings.Contains(body, `"slow"`) ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Error(body)
	}
	// Several of the same token, from several clients without a session.
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			body, _, _ := post(t, o.url, "", hook.R20260728,
				strings.Replace(modern(7, "resources/read", `"uri":"note:slow"`), `"_meta":{`,
					`"_meta":{"progressToken":1,`, 1))
			if strings.Count(body, `"progressToken":1,`)+strings.Count(body, `"progressToken":1}`) != 3 ||
				!strings.Contains(answerIn(body, `"result"`), `"id":7`) {
				t.Error(body)
			}
		})
	}
	all.Wait()
	if n := o.starts.Load(); n != 2 {
		t.Errorf("%d servers", n)
	}
}

// TestModernHTTPToStdio: a subscription that the client ends by leaving, and statuses.
func TestModernHTTPToStdio(t *testing.T) {
	s := small(t)
	o := offer(t, s)
	for method, want := range map[string]int{"server/discover": 200, "no/such": 404} {
		if body, _, resp := post(t, o.url, "", hook.R20260728,
			modern(1, method, "")); resp.StatusCode != want {
			t.Errorf("%s: %s %s", method, resp.Status, body)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, verb := range []string{http.MethodGet, http.MethodDelete} { // nobody's session is everybody's
		req, err := http.NewRequestWithContext(ctx, verb, o.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s without a session: %s", verb, resp.Status)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url,
		strings.NewReader(modern(9, "subscriptions/listen",
			`"notifications":{"resourceSubscriptions":["note:hello"]}`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(resp.Body)
	for touched := false; lines.Scan() && !strings.Contains(lines.Text(), "resources/updated"); {
		if strings.Contains(lines.Text(), "acknowledged") && !touched {
			s.Touch("note:hello")
			touched = true
		}
	}
	if !strings.Contains(lines.Text(), `subscriptionId":9`) {
		t.Error(lines.Text())
	}
	cancel()
	_ = resp.Body.Close()
	s.WaitForEntries(journal.Query{Direction: journal.In, Method: "notifications/cancelled"}, 1)
}

// TestServersThatEnd: with a server its session ends, and who waits is told.
func TestServersThatEnd(t *testing.T) {
	s := small(t)
	s.Delay("1h:method=resources/list")
	o := offer(t, s)
	_, session, _ := post(t, o.url, "", "", initialize("2025-11-25"))
	server := <-o.conns
	go func() {
		s.WaitForEntries(journal.Query{Direction: journal.In, Method: "resources/list"}, 1)
		_ = server.Close()
	}()
	if body, _, resp := post(t, o.url, session, "2025-11-25",
		list); resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, "ended") {
		t.Errorf("%s %s", resp.Status, body)
	}
	if _, _, resp := post(t, o.url, session, "2025-11-25", list); resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
	if body, id, resp := post(t, o.url, "", "", strings.Replace(initialize("2025-11-25"), `"protocolVersion"`,
		`"version"`, 1)); resp.StatusCode != http.StatusOK || id != "" {
		t.Errorf("%s %q %s", resp.Status, id, body)
	}
}

// TestClientsThatGo: sessions that nobody ends make room for others, the oldest first, and one that
// is listened to stays.
func TestClientsThatGo(t *testing.T) {
	s := small(t)
	o := offer(t, s)
	var ids []string
	for i := range maxSessions + 3 {
		_, id, _ := post(t, o.url, "", "", initialize("2025-11-25"))
		ids = append(ids, id)
		if i == 1 {
			o.stream(t, t.Context(), id)
		}
	}
	for i, want := range map[int]int{0: 404, 1: 200, 2: 404, 3: 404, 4: 200, maxSessions + 2: 200} {
		if _, _, resp := post(t, o.url, ids[i], "2025-11-25", list); resp.StatusCode != want {
			t.Errorf("session %d: %s", i, resp.Status)
		}
	}
}

// TestSessionsRefuse: what is no conversation gets no server.
func TestSessionsRefuse(t *testing.T) {
	s := small(t)
	o := offer(t, s)
	for name, test := range map[string]struct {
		method, path, body string
		header             http.Header
		want               int
	}{
		"no session":   {http.MethodPost, "", list, nil, http.StatusBadRequest},
		"not JSON":     {http.MethodPost, "", "{\n", nil, http.StatusBadRequest},
		"lost session": {http.MethodGet, "", "", http.Header{headerSession: {"x"}}, http.StatusNotFound},
		"path":         {http.MethodPost, "/x", list, nil, http.StatusNotFound},
		"method":       {http.MethodPut, "", "", nil, http.StatusMethodNotAllowed},
		"origin": {http.MethodPost, "", initialize("2025-11-25"),
			http.Header{"Origin": {"https://evil.example"}}, http.StatusForbidden},
		"too long": {http.MethodPost, "", strings.Repeat(" ", maxMessage+1), nil,
			http.StatusRequestEntityTooLarge},
	} {
		req, err := http.NewRequestWithContext(t.Context(), test.method, o.url+test.path,
			strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		if test.header != nil {
			req.Header = test.header
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != test.want {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	if n := o.starts.Load(); n != 0 {
		t.Errorf("%d servers were started", n)
	}
	rec, err := NewRecorder(&file{}, Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	broken := rec.Sessions(func() (Process, error) { return Process{}, errors.New("no such program") })
	defer broken.Close()
	web := httptest.NewServer(broken)
	defer web.Close()
	if body, _, resp := post(t, web.URL+broken.Path(), "", "",
		initialize("2025-11-25")); resp.StatusCode != http.StatusBadGateway ||
		!strings.Contains(body, "no such program") {
		t.Errorf("%s %s", resp.Status, body)
	}
}

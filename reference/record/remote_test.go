package record

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// bridged is a client on stdio before a recorder before a server at a URL.
type bridged struct {
	io.Writer
	*bufio.Scanner
	file file
	end  func()
}

func bridge(t *testing.T, url string, o RemoteOptions, masks ...*regexp.Regexp) *bridged {
	t.Helper()
	b := &bridged{}
	rec, err := NewRecorder(&b.file, Header{}, masks)
	if err != nil {
		t.Fatal(err)
	}
	remote, err := Dial(url, o)
	if err != nil {
		t.Fatal(err)
	}
	clientIn, toRecorder := io.Pipe()
	fromRecorder, clientOut := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	done := make(chan error, 1)
	go func() {
		done <- rec.Stdio(ctx, clientIn, clientOut, remote, remote)
		remote.End()
		_ = clientOut.Close()
	}()
	b.Writer, b.Scanner = toRecorder, bufio.NewScanner(fromRecorder)
	b.Buffer(nil, maxMessage)
	b.end = func() {
		_ = toRecorder.Close()
		for b.Scan() {
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		cancel()
	}
	return b
}

// say sends a message and returns the answer, if there is to be one. What comes before it is lost.
func (b *bridged) say(t *testing.T, line string) string {
	t.Helper()
	if _, err := io.WriteString(b, line+"\n"); err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`"id":("[^"]*"|\d+)`).FindString(line)
	if id == "" || !strings.Contains(line, `"method"`) {
		return ""
	}
	return b.until(t, id+",", id+"}")
}

// until returns the next message with one of some texts in it.
func (b *bridged) until(t *testing.T, texts ...string) string {
	t.Helper()
	for b.Scan() {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(b.Text(), s) }) {
			return b.Text()
		}
	}
	t.Fatalf("the output ended before %q came", texts)
	return ""
}

// TestStdioToURL: a client on stdio and a server at a URL, in every revision with a handshake,
// over both transports; what was recorded is served again.
func TestStdioToURL(t *testing.T) {
	for _, c := range []struct{ revision, transport string }{
		{"2024-11-05", "sse"}, {"2025-03-26", "http"}, {"2025-06-18", "http"}, {"2025-11-25", "http"},
	} {
		t.Run(c.revision, func(t *testing.T) {
			s := small(t)
			url := s.URL()
			if c.transport == "sse" {
				url = s.SSEURL()
			}
			b := bridge(t, url, RemoteOptions{})
			talked := []string{initialize(c.revision), initialized, list, read(3, "note:hello"),
				read(4, "note:nothing")}
			var want []string
			for _, line := range talked {
				if answer := b.say(t, line); answer != "" {
					want = append(want, answer)
				}
			}
			if len(want) != 4 || !strings.Contains(want[2], "Hello") ||
				!strings.Contains(want[3], `"error"`) {
				t.Fatalf("%q", want)
			}
			session := s.Journal().Query(journal.Received("resources/read"))[0].Session
			if c.transport == "http" {
				s.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Opened},
					Match: func(e *journal.Entry) bool { return e.Scope == journal.ScopeStream }}, 1)
			}
			b.say(t, `{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"note:hello"}}`)
			s.Touch("note:hello")
			b.until(t, "resources/updated")
			answered := make(chan error, 1)
			go func() {
				_, err := s.Ask(t.Context(), session, reference.Ask{Method: "ping"})
				answered <- err
			}()
			id := regexp.MustCompile(`"id":("[^"]*"|\d+)`).FindString(b.until(t, `"ping"`))
			b.say(t, `{"jsonrpc":"2.0",`+id+`,"result":{}}`)
			if err := <-answered; err != nil {
				t.Error(err)
			}
			b.end()
			if c.transport == "http" {
				s.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Closed},
					Match: func(e *journal.Entry) bool { return e.Reason == "deleted" }}, 1)
			}
			again, r := serve(t, b.file.String())
			if !slices.Equal(r.revisions(), []string{c.revision}) {
				t.Errorf("%v", r.revisions())
			}
			if got := talk(t, connect(t, again), talked...); !slices.Equal(got, want) {
				t.Errorf("\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestModernStdioToURL: without a handshake, with a subscription that the client ends.
func TestModernStdioToURL(t *testing.T) {
	s := small(t)
	b := bridge(t, s.URL(), RemoteOptions{Header: http.Header{"X-Client": {"very-secret"}}},
		regexp.MustCompile("Hello"))
	if got := b.say(t, modern(1, "server/discover", "")); !strings.Contains(got, "2026-07-28") {
		t.Error(got)
	}
	if got := b.say(t, modern(2, "resources/read", `"uri":"note:hello"`)); !strings.Contains(got, "Hello") {
		t.Error(got)
	}
	if _, err := io.WriteString(b, modern(3, "subscriptions/listen",
		`"notifications":{"resourceSubscriptions":["note:hello"]}`)+"\n"); err != nil {
		t.Fatal(err)
	}
	b.until(t, "acknowledged")
	s.Touch("note:hello")
	if got := b.until(t, "resources/updated"); !strings.Contains(got, `subscriptionId":3`) {
		t.Error(got)
	}
	b.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	s.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Closed},
		Match: func(e *journal.Entry) bool { return e.Scope == journal.ScopeStream }}, 1)
	b.end()
	if e := s.Journal().Query(journal.Query{Direction: journal.In, Method: "resources/read"})[0]; e.Header(
		"X-Client") != "very-secret" || e.Header("Mcp-Name") != "note:hello" {
		t.Errorf("%v", e.HTTP.Header)
	}
	if recording := b.file.String(); strings.Contains(recording, "Hello") ||
		!strings.Contains(recording, "resources/updated") {
		t.Error(recording)
	}
}

// TestServersThatCannotAnswer: the client is told in place of the server.
func TestServersThatCannotAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"refuses": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no",
				http.StatusTeapot)
		}, "418"},
		"speaks two": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
			"404"},
		"ends early": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type",
				"text/event-stream")
		}, "ended the event stream"},
		"no id": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w,
				"{\"jsonrpc\":\"2.0\",\n\"id\":null,\"error\":{\"code\":-32000,\"message\":\"what\"}}")
		}, `"message":"what"`},
		"breaks": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(test.serve)
			defer web.Close()
			b := bridge(t, web.URL, RemoteOptions{})
			if got := b.say(t, initialize("2025-11-25")); !strings.Contains(got, test.want) ||
				!strings.Contains(got, `"error"`) {
				t.Error(got)
			}
			b.end()
		})
	}
}

// TestResumes: an answer whose stream breaks is fetched from where it broke.
func TestResumes(t *testing.T) {
	var resumed atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Method == http.MethodGet {
			resumed.Store(r.Header.Get("Last-Event-Id") == "7")
			_, _ = io.WriteString(w, "id: 8\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n")
			return
		}
		_, _ = io.WriteString(w, "id: 7\nretry: 1\ndata: \n\n")
	}))
	defer web.Close()
	b := bridge(t, web.URL, RemoteOptions{})
	if got := b.say(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); !resumed.Load() ||
		!strings.Contains(got, `"result"`) {
		t.Error(got)
	}
	b.end()
}

// TestInterrupted: an end from outside waits for nobody.
func TestInterrupted(t *testing.T) {
	hold := make(chan bool)
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
	defer web.Close()
	defer close(hold)
	var f file
	rec, err := NewRecorder(&f, Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	remote, err := Dial(web.URL, RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in, feed := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- rec.Stdio(ctx, in, io.Discard, remote, remote)
		remote.End()
		done <- nil
	}()
	if _, err := io.WriteString(feed, initialize("2025-11-25")+"\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-done
	_ = feed.Close()
}

func TestWrapped(t *testing.T) {
	for s, want := range map[string]string{
		"note:x": "note:x", "": "=?base64??=", " x": "=?base64?IHg=?=", "ä": "=?base64?w6Q=?=",
		"=?base64?eA==?=": "=?base64?PT9iYXNlNjQ/ZUE9PT89?=",
	} {
		if got := wrapped(s); got != want {
			t.Errorf("%q: %s", s, got)
		}
	}
}

func TestDialRefuses(t *testing.T) {
	for _, url := range []string{"", "file:///x", "http://", "://"} {
		if _, err := Dial(url, RemoteOptions{}); err == nil {
			t.Errorf("%q", url)
		}
	}
}

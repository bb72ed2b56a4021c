package record

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// within ends a test that waits for what does not come.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for ever")
	}
}

// TestUnreachableURLIsNotWrittenDown: an error has the URL in it, and that may have a secret in its query.
func TestUnreachableURLIsNotWrittenDown(t *testing.T) {
	web := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer web.Close()
	var told []string
	b := bridge(t, web.URL+"/mcp?key=a-secret-in-the-query",
		RemoteOptions{Tell: func(s string) { told = append(told, s) }})
	got := b.say(t, ping)
	b.say(t, initialized)
	b.end()
	if !strings.Contains(got, "cannot be reached") || len(told) == 0 ||
		strings.Contains(got+b.file.String()+strings.Join(told, ""), "a-secret") {
		t.Errorf("%s\n%q\n%s", got, told, b.file.String())
	}
}

// TestRedirectsToOthers: credentials stay with the server that they are for, and a request stays what it is.
func TestRedirectsToOthers(t *testing.T) {
	var stolen atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen.Store(stolen.Load() || r.Header.Get("X-Key") != "")
	}))
	defer other.Close()
	var gets, posts atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case r.URL.Path == "/found":
			http.Redirect(w, r, "/here", http.StatusFound)
		case r.URL.Path == "/same":
			http.Redirect(w, r, "/here", http.StatusPermanentRedirect)
		case r.Method == http.MethodGet:
			gets.Add(1)
		default:
			posts.Add(1)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		}
	}))
	defer web.Close()
	for path, want := range map[string]string{"/away": "307", "/found": "302", "/same": "result"} {
		b := bridge(t, web.URL+path, RemoteOptions{Header: http.Header{"X-Key": {"very-secret"}}})
		if got := b.say(t, ping); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
		b.end()
	}
	if stolen.Load() || gets.Load() != 0 || posts.Load() != 1 {
		t.Errorf("stolen: %t, GETs: %d, POSTs: %d", stolen.Load(), gets.Load(), posts.Load())
	}
}

// oldServer speaks HTTP+SSE only: first is what its stream begins with, and each request gets
// what answers say on the stream; without any the stream ends.
func oldServer(t *testing.T, first string, answers ...string) *httptest.Server {
	t.Helper()
	say := make(chan string, len(answers)+1)
	left := make(chan struct{})
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, first)
			_ = http.NewResponseController(w).Flush()
			for {
				select {
				case text := <-say:
					if text == "" {
						return
					}
					_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
					_ = http.NewResponseController(w).Flush()
				case <-r.Context().Done():
					return
				case <-left:
					return
				}
			}
		case r.URL.Path != "/message":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.WriteHeader(http.StatusAccepted)
			if i := int(asked.Add(1)) - 1; i < len(answers) {
				say <- answers[i]
			} else if i == len(answers) {
				say <- ""
			}
		}
	}))
	t.Cleanup(func() {
		close(left)
		web.CloseClientConnections()
		web.Close()
	})
	return web
}

// TestOldStreamsThatSayNothing: the endpoint is waited for as long as is bearable.
func TestOldStreamsThatSayNothing(t *testing.T) {
	for name, first := range map[string]string{"nothing": ": hello\n\n",
		"an empty one": "event: endpoint\ndata:\n\n",
		"elsewhere":    "event: endpoint\ndata: http://example.org/\n\n"} {
		t.Run(name, func(t *testing.T) {
			remote, err := Dial(oldServer(t, first).URL, RemoteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer remote.End()
			remote.patience = 100 * time.Millisecond
			within(t, func() {
				go func() { _, _ = io.WriteString(remote, initialize("2024-11-05")+"\n") }()
				lines := bufio.NewScanner(remote)
				if !lines.Scan() || !strings.Contains(lines.Text(), "404") {
					t.Errorf("%s", lines.Text())
				}
			})
		})
	}
}

// TestOldStreamsThatEnd: whoever waits hears of it, and the connection ends, as the session has. Whether
// nobody asks anything any more or somebody goes on, nobody waits.
func TestOldStreamsThatEnd(t *testing.T) {
	web := oldServer(t, "event: endpoint\ndata: /message\n\n",
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05"}}`)
	said := make(chan string, 10)
	b := bridge(t, web.URL, RemoteOptions{Tell: func(sentence string) { said <- sentence }})
	within(t, func() {
		if got := b.say(t, initialize("2024-11-05")); !strings.Contains(got, "result") {
			t.Error(got)
		}
		if got := b.say(t, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); !strings.Contains(got, `"error"`) ||
			!strings.Contains(got, "ended the event stream") {
			t.Error(got)
		}
		if b.Scan() {
			t.Errorf("the output goes on: %s", b.Text())
		}
		if got := <-said; !strings.Contains(got, "has ended the event stream of HTTP+SSE") {
			t.Error(got)
		}
		if _, err := io.WriteString(b, `{"jsonrpc":"2.0","id":3,"method":"ping"}`+"\n"); err != nil {
			t.Error(err)
		}
		b.end()
	})
	if recording := b.file.String(); !strings.Contains(recording, `"reason":"server"`) || len(said) > 0 {
		t.Errorf("%s\n%d more sentences", recording, len(said))
	}
}

// TestOldStreamsThatNameRequestsOtherwise: an id that is spelt otherwise is the same, and an error without
// one answers the oldest request.
func TestOldStreamsThatNameRequestsOtherwise(t *testing.T) {
	web := oldServer(t, "event: endpoint\ndata: /message\n\n",
		`{"jsonrpc":"2.0","id":1.0,"result":{"protocolVersion":"2024-11-05"}}`,
		`{"jsonrpc":"2.0","id":"a\u003cb","result":{}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what"}}`)
	b := bridge(t, web.URL, RemoteOptions{})
	within(t, func() {
		for _, c := range []struct{ line, want string }{
			{initialize("2024-11-05"), `"protocolVersion"`},
			{`{"jsonrpc":"2.0","id":"a<b","method":"ping"}`, `u003cb`},
			{`{"jsonrpc":"2.0","id":7,"method":"ping"}`, `"what"`},
		} {
			if _, err := io.WriteString(b, c.line+"\n"); err != nil {
				t.Error(err)
			}
			if got := b.until(t, c.want); strings.Contains(got, `"id":null`) {
				t.Error(got)
			}
		}
		b.end() // only if nothing waits any more
	})
}

func TestIDKey(t *testing.T) {
	for _, same := range [][2]string{{`"a<b"`, `"a\u003cb"`}, {`1`, `1.0`}, {`10`, `1e1`}, {`"/"`, `"\/"`},
		{`9007199254740993`, `9007199254740993`}} {
		if idKey(same[0]) != idKey(same[1]) {
			t.Errorf("%q", same)
		}
	}
	for _, other := range [][2]string{{`"1"`, `1`}, {`null`, `"null"`},
		{`9007199254740993`, `9007199254740992`}} {
		if idKey(other[0]) == idKey(other[1]) {
			t.Errorf("%q", other)
		}
	}
}

// TestMasksSpareNames: a message with other members would be another message.
func TestMasksSpareNames(t *testing.T) {
	var f file
	rec, err := NewRecorder(&f, Header{}, []*regexp.Regexp{regexp.MustCompile("en")})
	if err != nil {
		t.Fatal(err)
	}
	rec.note(&journal.Entry{}, []byte(`{"contents":[{"text":"open","len":{}},"en",{"en":"en"}]}`))
	if got := f.String(); !strings.Contains(got,
		`{"contents":[{"text":"op***","len":{}},"***",{"en":"***"}]}`) {
		t.Error(got)
	}
}

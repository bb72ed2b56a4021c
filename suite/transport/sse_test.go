package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

var quiet = log.New(io.Discard, "", 0)

// sseServer names the endpoint on each stream and echoes what is posted there.
type sseServer struct {
	endpoint string
	posts    chan string
}

func newSSEServer(endpoint string) *sseServer {
	return &sseServer{endpoint: endpoint, posts: make(chan string, 10)}
}

func (s *sseServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == "POST" {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "Accepted")
		s.posts <- r.URL.String() + " " + r.Header.Get("Authorization") + " " + string(body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", s.endpoint)
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case p := <-s.posts:
			if strings.HasSuffix(p, "stop") {
				return
			}
			fmt.Fprintf(w, "event: message\ndata: {\"got\":%q}\n\n", p)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func TestSSE(t *testing.T) {
	server := httptest.NewServer(newSSEServer("/message?session=1"))
	t.Cleanup(server.Close)
	c, l := dial(t, &SSE{URL: server.URL + "/sse", Header: http.Header{"Authorization": {"Bearer x"}}})
	if got := c.(interface{ Endpoint() string }).Endpoint(); got != server.URL+"/message?session=1" {
		t.Errorf("endpoint %s", got)
	}
	sent := send(t, c, Message{Body: []byte("{}")})
	finished(t, "the POST", sent.Done)
	if sent.Channel != "sse" || sent.Request != "post:1" || sent.Status() != 202 {
		t.Errorf("got %+v", sent)
	}
	f := l.await(t, "the answer", func(f *wire.Frame) bool {
		return f.Event != nil && f.Event.Type == "message"
	})
	if string(f.Raw) != `{"got":"/message?session=1 Bearer x {}"}` || f.Channel != "sse" || len(f.Flaws) > 0 {
		t.Errorf("got %q, %v", f.Raw, f.Flaws)
	}
	stream := incoming(l, "sse")
	if stream[0].HTTP.Status != 200 || stream[0].Raw != nil ||
		string(stream[1].Raw) != "/message?session=1" || len(stream[1].Flaws) > 0 {
		t.Errorf("got\n%s", l)
	}
	if posts := incoming(l, "post:1"); len(posts) != 1 || posts[0].HTTP.Status != 202 ||
		string(posts[0].Raw) != "Accepted" || !posts[0].HasFlaw(wire.FlawNotJSON) {
		t.Errorf("got %+v", posts)
	}
	extra := send(t, c, Message{Method: "GET"})
	if extra.Channel != "get:1" {
		t.Errorf("got %+v", extra)
	}
	extra.Cancel()
	if e := c.Close(t.Context()); e.By != "us" || e.Reason != "" {
		t.Errorf("got %+v", e)
	}
}

func TestSSEStreamEnds(t *testing.T) {
	server := httptest.NewServer(newSSEServer("message"))
	t.Cleanup(server.Close)
	c, _ := dial(t, &SSE{URL: server.URL + "/deep/sse"})
	if got := c.(interface{ Endpoint() string }).Endpoint(); got != server.URL+"/deep/message" {
		t.Errorf("endpoint %s", got)
	}
	send(t, c, Message{Body: []byte("stop")})
	finished(t, "the connection", c.Done())
	if e := c.Close(t.Context()); e.By != "target" || e.Reason != "the target ended the event stream" {
		t.Errorf("got %+v", e)
	}
}

// TestSSEEndpointElsewhere: an endpoint of another origin is not called, be it on another host
// or on another port only.
func TestSSEEndpointElsewhere(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another origin was called: %s %s, %s", r.Method, r.URL, r.Header)
	}))
	t.Cleanup(other.Close)
	for _, endpoint := range []string{other.URL + "/m", strings.Replace(other.URL, "127.0.0.1", "localhost",
		1) + "/m"} {
		s := newSSEServer(endpoint)
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		_, err := (&SSE{URL: server.URL + "/sse", Header: http.Header{"Authorization": {"Bearer x"}}}).Dial(
			t.Context(), newLog().sink)
		var e *DialError
		if !errors.As(err, &e) || e.Stage != "endpoint" || !strings.Contains(e.Reason, "another origin") {
			t.Errorf("%s: got %v", endpoint, err)
		}
	}
}

func TestSSEDialErrors(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		stage   string
		status  int
		reason  string
	}{
		"not found":  {http.NotFound, "status", 404, "status 404"},
		"wrong type": {reply("application/json", "{}"), "content-type", 200, `"application/json"`},
		"ends": {reply("text/event-stream", ": hi\n\n"), "endpoint", 200,
			"ended without an endpoint event"},
		"unterminated": {reply("text/event-stream", "event: message\ndata: x\n\n"), "endpoint", 200,
			"ended without"},
		"empty": {reply("text/event-stream", "event: endpoint\ndata:\n\n"), "endpoint", 200,
			"is empty"},
		"no URI": {reply("text/event-stream", "event: endpoint\ndata: mailto:a@b\n\n"), "endpoint", 200,
			"no usable URI"},
		"silent": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			hang(w, r)
		}, "endpoint", 200, "in the time allowed"},
		"no response": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "connect",
			0, "no response"},
		"silent, no type": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type",
				"text/html")
			hang(w, r)
		}, "content-type", 200, "text/html"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := (&SSE{Client: Client{Handler: c.handler}}).Dial(ctx, newLog().sink)
				var e *DialError
				if !errors.As(err, &e) || e.Stage != c.stage || e.Status != c.status ||
					!strings.Contains(e.Reason, c.reason) {
					t.Errorf("got %#v", err)
				}
			})
		})
	}
}

func TestSSEInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		c, err := (&SSE{Client: Client{Handler: newSSEServer("/message")}}).Dial(t.Context(), l.sink)
		if err != nil {
			t.Fatal(err)
		}
		<-send(t, c, Message{Body: []byte("{}")}).Done
		l.await(t, "the answer", func(f *wire.Frame) bool {
			return f.Event != nil && f.Event.Type == "message"
		})
		c.Close(t.Context())
	})
}

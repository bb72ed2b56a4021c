package transport

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/leaktest"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func reply(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		_, _ = io.WriteString(w, body)
	}
}

// incoming lists the frames of one channel that came in.
func incoming(l *frameLog, channel string) []wire.Frame {
	var out []wire.Frame
	for _, f := range l.all() {
		if f.Dir == wire.In && f.Channel == channel {
			out = append(out, f)
		}
	}
	return out
}

func TestHTTPResponses(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		status  int
		bodies  []string
		flaws   [][]wire.FlawCode
		cut     bool
	}{
		"JSON": {reply("application/json", `{"id":1}`), 200, []string{`{"id":1}`},
			[][]wire.FlawCode{nil}, false},
		"flawed": {reply("application/json; charset=utf-8", `{"id":1,"id":2}x`), 200,
			[]string{`{"id":1,"id":2}x`}, [][]wire.FlawCode{{wire.FlawDuplicate, wire.FlawTrailing}}, false},
		"empty": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }, 202,
			[]string{""}, [][]wire.FlawCode{nil}, false},
		"page": {reply("text/html", long), 200, []string{long[:64<<10]},
			[][]wire.FlawCode{{wire.FlawNotJSON}}, true},
		"not so": {reply("application/json", long), 200, []string{long},
			[][]wire.FlawCode{{wire.FlawNotJSON}}, false},
		"mislabelled": {reply("text/plain", `{"id":1}`), 200, []string{`{"id":1}`}, [][]wire.FlawCode{nil},
			false},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, 307, []string{""}, [][]wire.FlawCode{nil}, false},
		"events": {reply("Text/Event-Stream; charset=utf-8",
			": hi\n\nid: 1\ndata:\n\ndata: {\"id\":1}\n\n{\"id\":2}\n\ndata: {"), 200,
			[]string{"", "", `{"id":1}`, "", "{"}, [][]wire.FlawCode{nil, nil, nil, {wire.FlawFraming},
				{wire.FlawUnterminated, wire.FlawNotJSON}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			t.Cleanup(server.Close)
			conn, l := dial(t, &HTTP{URL: server.URL})
			sent := send(t, conn, Message{Body: []byte(`{"id":1}`)})
			finished(t, "the response", sent.Done)
			if sent.Status() != c.status || sent.Header() == nil || sent.Err() != nil ||
				sent.Channel != "post:1" || sent.Request != "post:1" {
				t.Errorf("got %+v: %d, %v, %v", sent, sent.Status(), sent.Header(), sent.Err())
			}
			frames := incoming(l, "post:1")
			if len(frames) != len(c.bodies) {
				t.Fatalf("got\n%s", l)
			}
			for i, f := range frames {
				var codes []wire.FlawCode
				for _, x := range f.Flaws {
					codes = append(codes, x.Code)
				}
				if string(f.Raw) != c.bodies[i] || !slices.Equal(codes, c.flaws[i]) || f.Truncated != c.cut ||
					(f.HTTP != nil) != (i == 0) || (f.Event != nil) != (i > 0) {
					t.Errorf("frame %d is %.200v, flaws %v", i, f, codes)
				}
			}
			if frames[0].HTTP.Status != c.status {
				t.Errorf("got %+v", frames[0].HTTP)
			}
		})
	}
}

func TestHTTPRequestAsSent(t *testing.T) {
	spelled := "mcp-METHOD"
	// A bare listener, because net/http canonicalises what it reads.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	got := make(chan string, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		var b []byte
		for buf := make([]byte, 4096); !bytes.HasSuffix(b, []byte(`{"x":1}`)); {
			n, err := c.Read(buf)
			if err != nil {
				break
			}
			b = append(b, buf[:n]...)
		}
		got <- string(b)
		_, _ = io.WriteString(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
	}()
	conn, l := dial(t, &HTTP{URL: "http://user:secret@" + listener.Addr().String() + "/mcp?a=b#f",
		Header: http.Header{"X-Base": {"1"}, "X-Both": {"base"}}})
	sent := send(t, conn, Message{
		Body: []byte(`{"x":1}`),
		Header: http.Header{"x-both": {"message"}, "Host": {"evil.example"},
			"Origin": {"http://evil.example"}},
		Omit:  []string{"accept", "User-Agent"},
		Exact: [][2]string{{spelled, "tools/list"}, {spelled, "again"}},
	})
	finished(t, "the response", sent.Done)
	head := <-got
	for _, want := range []string{"POST /mcp?a=b HTTP/1.1\r\n", "\r\nHost: evil.example\r\n",
		"\r\nX-Base: 1\r\n", "\r\nX-Both: message\r\n",
		"\r\nmcp-METHOD: tools/list\r\n", "\r\nmcp-METHOD: again\r\n",
		"\r\nContent-Type: application/json\r\n", "\r\nAccept-Encoding: identity\r\n",
		"\r\nAuthorization: Basic dXNlcjpzZWNyZXQ=\r\n"} {
		if !strings.Contains(head, want) {
			t.Errorf("%q is missing from\n%s", want, head)
		}
	}
	for _, not := range []string{"\r\nAccept:", "User-Agent"} {
		if strings.Contains(head, not) {
			t.Errorf("%s was sent:\n%s", not, head)
		}
	}
	f := l.all()[0]
	if f.Dir != wire.Out || f.Channel != "post:1" || f.HTTP.Method != "POST" ||
		strings.Contains(f.HTTP.URL, "secret") ||
		f.HTTP.Header.Get("Host") != "evil.example" || len(f.HTTP.Header[spelled]) != 2 ||
		f.HTTP.Header["User-Agent"] != nil {
		t.Errorf("recorded as %+v", f.HTTP)
	}
}

func TestHTTPChannelsAndDefaultHeaders(t *testing.T) {
	conn, l := dial(t,
		&HTTP{Client: Client{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "%s %s accept=%q type=%q", r.Method, r.URL.Path, r.Header.Get("Accept"),
				r.Header.Get("Content-Type"))
		})}})
	for _, c := range []struct{ method, url, channel, want string }{
		{"", "", "post:1", `POST /mcp accept="application/json, text/event-stream" type="application/json"`},
		{"GET", "", "get:1", `GET /mcp accept="text/event-stream" type=""`},
		{"DELETE", "", "delete:1", `DELETE /mcp accept="" type=""`},
		{"POST", "/other", "post:2",
			`POST /other accept="application/json, text/event-stream" type="application/json"`},
		{"PUT", "x?y", "put:1", `PUT /x accept="" type=""`},
	} {
		sent := send(t, conn, Message{Method: c.method, URL: c.url})
		finished(t, c.method, sent.Done)
		frames := incoming(l, c.channel)
		if sent.Channel != c.channel || len(frames) != 1 || string(frames[0].Raw) != c.want {
			t.Errorf("%s: channel %s, frames %+v", c.method, sent.Channel, frames)
		}
	}
}

func TestHTTPConfiguredHeadersStayAtHome(t *testing.T) {
	seen := make(chan string, 2)
	server := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen <- r.Header.Get(
				"Authorization")
		}))
	t.Cleanup(server.Close)
	conn, _ := dial(t, &HTTP{URL: server.URL, Header: http.Header{"Authorization": {"Bearer x"}}})
	elsewhere := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	for url, want := range map[string]string{"": "Bearer x", elsewhere: ""} {
		finished(t, "the response", send(t, conn, Message{URL: url}).Done)
		if got := <-seen; got != want {
			t.Errorf("%q: got %q", url, got)
		}
	}
}

// TestReadUpTo: a body is read whole up to the limit, in however many parts it is read, and
// of a longer one little is kept.
func TestReadUpTo(t *testing.T) {
	text := strings.Repeat("abcdefg", 500_000)
	for _, c := range []struct{ length, limit, kept int }{
		{0, 10, 0}, {10, 10, 10}, {11, 10, 10}, {1 << 20, 1 << 20, 1 << 20},
		{1<<20 + 1, 1 << 20, foreignKept},
		{3_400_000, 3_400_000, 3_400_000}, {3_400_000, 3_399_999, foreignKept},
	} {
		raw, size, err := (*wire.Turns)(nil).ReadUpTo(t.Context(), strings.NewReader(text[:c.length]),
			c.limit)
		if err != nil || string(raw) != text[:c.kept] || size != c.length {
			t.Errorf("%d bytes with a limit of %d: %d of %d bytes, %v", c.length, c.limit, len(raw), size,
				err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	raw, size, err := (*wire.Turns)(nil).ReadUpTo(stopped,
		iotest.TimeoutReader(strings.NewReader(text[:1<<20])), len(text))
	if err == nil || len(raw) > foreignKept || size < len(raw) {
		t.Errorf("of a body that we ended %d of %d bytes are kept, %v", len(raw), size, err)
	}
	raw, size, err = (*wire.Turns)(nil).ReadUpTo(t.Context(), iotest.TimeoutReader(strings.NewReader(text)),
		len(text))
	if !errors.Is(err, iotest.ErrTimeout) || size != len(raw) || size == 0 ||
		!strings.HasPrefix(text, string(raw)) {
		t.Errorf("a body that breaks off: %d of %d bytes, %v", len(raw), size, err)
	}
}

// TestLongEventsAreKeptOnce: what many event streams carry takes up memory once, whatever is kept of them.
func TestLongEventsAreKeptOnce(t *testing.T) {
	const streams, length = 12, 4 << 20
	text := `{"contents":[{"uri":"test://one","text":"` + strings.Repeat("x", length) + `"}]}`
	conn, l := dial(t,
		&HTTP{Client: Client{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":1,"result":`+text+"}\n\n")
		})}, Limits: Limits{Results: &wire.Results{}}})
	used := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := used()
	for range streams {
		finished(t, "the stream", send(t, conn, Message{Body: []byte("{}")}).Done)
	}
	if more := used() - before; more > streams*length/3 {
		t.Errorf("%d events of %d MiB take up %d MiB", streams, length>>20, more>>20)
	}
	if last := incoming(l, fmt.Sprintf("post:%d", streams)); len(last) != 2 || last[1].Long == nil ||
		last[1].Event == nil {
		t.Errorf("got %v", last)
	}
}

func TestHTTPLimits(t *testing.T) {
	endless := func(contentType, chunk string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		})
	}
	chunk := strings.Repeat("x", 1000)
	t.Run("body", func(t *testing.T) {
		conn, l := dial(t, &HTTP{Client: Client{Handler: endless("application/json", chunk)},
			Limits: Limits{Message: 10_000}})
		sent := send(t, conn, Message{})
		finished(t, "the response", sent.Done)
		f := incoming(l, "post:1")[0]
		if len(f.Raw) != 10_000 || !f.Truncated || !f.HasFlaw(wire.FlawTooLong) || sent.Err() == nil ||
			conn.Err() != nil {
			t.Errorf("got %d bytes, %v, %v, %v", len(f.Raw), f.Flaws, sent.Err(), conn.Err())
		}
		l.await(t, "the note", noted("longer than 10000 bytes"))
	})
	t.Run("head", func(t *testing.T) {
		conn, _ := dial(t,
			&HTTP{Client: Client{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Long", strings.Repeat("x", 2*maxHead))
			})}})
		sent := send(t, conn, Message{})
		finished(t, "the response", sent.Done)
		if _, ours := errors.AsType[*LimitError](sent.Err()); !ours || conn.Err() != nil {
			t.Errorf("it ended by %v, the connection by %v", sent.Err(), conn.Err())
		}
	})
	for name, c := range map[string]struct {
		limits Limits
		chunk  string
	}{
		"stream of comments": {Limits{Total: 100_000}, ":" + chunk + "\n\n"},
		"endless line":       {Limits{Message: 1000, Total: 100_000}, "data: " + chunk},
		"many events":        {Limits{Frames: 100}, "data: 1\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, l := dial(t, &HTTP{Client: Client{Handler: endless("text/event-stream", c.chunk)},
				Limits: c.limits})
			sent := send(t, conn, Message{})
			finished(t, "the connection", conn.Done())
			finished(t, "the response", sent.Done)
			if sent.Err() == nil || conn.Err() == nil || !strings.Contains(conn.Err().Error(), "limit") {
				t.Errorf("got %v and %v", sent.Err(), conn.Err())
			}
			if n := len(l.all()); n > 110 {
				t.Errorf("%d frames", n)
			}
			if _, err := conn.Send(t.Context(), Message{}); err == nil {
				t.Error("a message was sent after the end")
			}
			if e := conn.Close(t.Context()); e.By != "us" || e.Reason == "" {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestHTTPBodyEndsEarly(t *testing.T) {
	for kind, flaw := range map[string]wire.FlawCode{"application/json": wire.FlawUnterminated,
		"text/event-stream": wire.FlawBrokenOff} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, "data: {")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}))
		t.Cleanup(server.Close)
		conn, l := dial(t, &HTTP{URL: server.URL})
		sent := send(t, conn, Message{Body: []byte("{}")})
		finished(t, "the response", sent.Done)
		frames := incoming(l, "post:1")
		if f := frames[len(frames)-1]; !f.HasFlaw(flaw) || sent.Err() == nil ||
			!strings.Contains(sent.Err().Error(), "in the middle of the response") || sent.Status() != 200 {
			t.Errorf("%s: got %+v, %v", kind, f, sent.Err())
		}
	}
}

// TestHTTPOtherProtocol: what follows a change of the protocol is not waited for.
func TestHTTPOtherProtocol(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, b, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = b.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		_ = b.Flush()
		_, _ = io.Copy(io.Discard, conn) // until the client has gone
	}))
	t.Cleanup(server.Close)
	conn, _ := dial(t, &HTTP{URL: server.URL})
	sent := send(t, conn, Message{Body: []byte("{}")})
	finished(t, "the response", sent.Done)
	if sent.Status() != http.StatusSwitchingProtocols {
		t.Errorf("status %d, %v", sent.Status(), sent.Err())
	}
}

func TestHTTPCancel(t *testing.T) {
	gone := make(chan struct{})
	conn, l := dial(t,
		&HTTP{Client: Client{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {}\n\ndata: {")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(gone)
		})}})
	sent := send(t, conn, Message{Method: "GET"})
	l.await(t, "the event", in("{}"))
	sent.Cancel()
	finished(t, "the response", sent.Done)
	finished(t, "the handler", gone)
	if !errors.Is(sent.Err(), errCancelled) {
		t.Errorf("got %v", sent.Err())
	}
	if frames := incoming(l, "get:1"); len(frames) != 2 {
		t.Errorf("the event that we cut was handed on:\n%s", l)
	}
}

func TestHTTPErrorsSayWhatToDo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := listener.Addr().String()
	_ = listener.Close()
	secure := httptest.NewUnstartedServer(reply("", ""))
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(reply("", ""))
	t.Cleanup(plain.Close)
	rude := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(rude.Close)
	for url, want := range map[string]string{
		"http://" + free: "nothing listens at http://" + free + ": connection refused",
		secure.URL:       "its issuer is unknown",
		strings.Replace(plain.URL, "http:", "https:", 1): "does not speak TLS",
		rude.URL: "closed the connection without a response",
	} {
		conn, l := dial(t, &HTTP{URL: url})
		sent, err := conn.Send(t.Context(), Message{Body: []byte("{}")})
		if err == nil {
			finished(t, "the response", sent.Done)
			err = sent.Err()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", url, err, want)
		}
		l.await(t, "the note", noted(want))
	}
	for _, url := range []string{"", "ftp://x/", "localhost:8080", "http://", "http://a b/"} {
		if _, err := (&HTTP{URL: url}).Dial(t.Context(), newLog().sink); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
}

func TestHTTPCAFile(t *testing.T) {
	server := httptest.NewTLSServer(reply("application/json", "{}"))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	conn, l := dial(t, &HTTP{URL: server.URL, Client: Client{CAFile: file}})
	send(t, conn, Message{})
	l.await(t, "the response", in("{}"))
	if err := os.WriteFile(file, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + ".missing"} {
		if _, err := (&HTTP{URL: server.URL, Client: Client{CAFile: name}}).Dial(t.Context(),
			l.sink); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestHTTPStaleConnectionIsRetried(t *testing.T) {
	t.Parallel()
	// The server answers once per connection and then, when the next request
	// arrives, closes it: what a keep-alive timeout looks like from here.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 4096)
			_, _ = c.Read(buf)
			_, _ = io.WriteString(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
			_, _ = c.Read(buf)
			_ = c.Close()
		}
	}()
	conn, l := dial(t, &HTTP{URL: "http://" + listener.Addr().String()})
	for i := range 2 {
		sent := send(t, conn, Message{Body: []byte("{}")})
		finished(t, "the response", sent.Done)
		if sent.Status() != 202 {
			t.Errorf("request %d: %v", i, sent.Err())
		}
	}
	l.await(t, "the note", noted("sent again"))
}

func TestHTTPManyAtOnceLeaveNothingBehind(t *testing.T) {
	leaktest.Check(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		reply("application/json", `{}`)(w, r)
	}))
	l := newLog()
	conn, err := (&HTTP{URL: server.URL}).Dial(t.Context(), l.sink)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			m := Message{Body: []byte("{}")}
			if i%4 == 0 {
				m = Message{Method: "GET"}
			}
			if sent, err := conn.Send(t.Context(), m); err != nil {
				t.Error(err)
			} else if i%4 != 0 {
				<-sent.Done
			}
		})
	}
	wg.Wait()
	if e := conn.Close(t.Context()); e.By != "us" || e.Reason != "" {
		t.Errorf("got %+v", e)
	}
	if _, err := conn.Send(t.Context(), Message{}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	n := len(l.all())
	server.Close()
	if len(l.all()) != n {
		t.Error("frames came after Close")
	}
}

func TestHTTPInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		conn, err := (&HTTP{Client: Client{Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for range 3 {
					_, _ = io.WriteString(w, "data: {}\n\n")
					_ = http.NewResponseController(w).Flush()
					select {
					case <-r.Context().Done():
						return
					case <-time.After(time.Hour):
					}
				}
			})}}).Dial(t.Context(), l.sink)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		sent := send(t, conn, Message{Body: []byte("{}")})
		<-sent.Done
		if took := time.Since(begin); took != 3*time.Hour || len(incoming(l, "post:1")) != 4 {
			t.Errorf("it took %v:\n%s", took, l)
		}
		send(t, conn, Message{Method: "GET"})
		conn.Close(t.Context())
	})
}

// A body in chunks has no length, and is recorded as it was sent.
func TestHTTPChunkedBody(t *testing.T) {
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		got <- fmt.Sprintf("%d %v %s %v", r.ContentLength, r.TransferEncoding, body, err)
	}))
	t.Cleanup(server.Close)
	conn, l := dial(t, &HTTP{URL: server.URL})
	for body, want := range map[string]string{`{"id":12}`: `-1 [chunked] {"id":12} <nil>`,
		"": "0 []  <nil>"} {
		finished(t, "the response", send(t, conn, Message{Body: []byte(body), Chunked: true}).Done)
		if seen := <-got; seen != want {
			t.Errorf("%q arrives as %s instead of %s", body, seen, want)
		}
	}
	for _, f := range l.all() {
		if f.Dir == wire.Out && (f.HTTP.Header.Get("Transfer-Encoding") == "chunked") != (len(f.Raw) > 0) {
			t.Errorf("%q is recorded with %v", f.Raw, f.HTTP.Header)
		}
	}
}

// The first chunk ends within a character, if there is one that can be cut.
func TestChunksCutCharacters(t *testing.T) {
	for body, want := range map[string]string{"abcd": "ab", "aïbcdef": "a\xc3", "ab😀": "ab\xf0"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://mcpcheck.invalid", nil)
		if err != nil {
			t.Fatal(err)
		}
		chunked(req, []byte(body))
		first := make([]byte, 64)
		n, err := req.Body.Read(first)
		if err != nil || string(first[:n]) != want {
			t.Errorf("%q begins with %q (%v), want %q", body, first[:n], err, want)
		}
	}
}

// A handler in this process sees the address that was called, if it is one.
func TestHTTPLocalAddressInProcess(t *testing.T) {
	for url, want := range map[string]string{
		"": "127.0.0.1:80", "http://127.0.0.1:81/mcp": "127.0.0.1:81", "http://localhost/mcp": "127.0.0.1:80",
		"http://[::1]:82/mcp": "[::1]:82", "http://192.0.2.1/mcp": "192.0.2.1:80",
		"http://mcp.example/mcp": "pipe",
	} {
		got := make(chan net.Addr, 1)
		conn, _ := dial(t,
			&HTTP{URL: url, Client: Client{Handler: http.HandlerFunc(
				func(_ http.ResponseWriter, r *http.Request) {
					addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
					got <- addr
				})}})
		finished(t, "the response", send(t, conn, Message{Body: []byte("{}")}).Done)
		if addr := <-got; addr == nil || addr.String() != want {
			t.Errorf("%s: %v instead of %s", url, addr, want)
		}
	}
}

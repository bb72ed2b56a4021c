package engine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func TestReadAheadPutsTheBodyBack(t *testing.T) {
	for _, test := range []struct {
		name string
		body io.Reader
		want int
		err  error
	}{
		{"short", strings.NewReader("abc"), 3, nil},
		{"empty", strings.NewReader(""), 0, nil},
		{"of unknown length", struct{ io.Reader }{strings.NewReader(strings.Repeat("x", 5000))}, 5000, nil},
		{"as long as may be", strings.NewReader(strings.Repeat("x", maxBody)), maxBody, nil},
		{"a byte longer", strings.NewReader(strings.Repeat("x", maxBody+1)), maxBody + 1, nil},
		{"that ends with its last bytes",
			iotest.DataErrReader(strings.NewReader(strings.Repeat("x", maxBody+1))), maxBody + 1, nil},
		{"long", strings.NewReader(strings.Repeat("x", maxBody+100)), maxBody + 100, nil},
		{"broken", io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF)), 3,
			io.ErrUnexpectedEOF},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", test.body)
		var got readBody
		got.readAhead(r)
		if len(got.data) != min(test.want, maxBody+1) || got.whole() != (test.err == nil &&
			test.want <= maxBody) {
			t.Errorf("%s: %d bytes were read ahead, the whole: %t", test.name, len(got.data), got.whole())
		}
		all, err := io.ReadAll(r.Body)
		if len(all) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %d bytes, %v", test.name, len(all), err)
		}
	}
}

// TestStalledBody: a POST of whose body nothing more comes is answered and its connection closed;
// one that comes slowly is served, if it ends.
func TestStalledBody(t *testing.T) {
	const message = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, c := range map[string]struct {
		send []string
		want int
		took time.Duration
	}{
		"slow": { // and of no session
			[]string{message[:10], message[10:20], message[20:]}, http.StatusBadRequest, 18 * time.Second,
		},
		"stalled": {[]string{message[:10]}, http.StatusRequestTimeout, httpserve.BodyPause},
		"empty":   {[]string{""}, http.StatusRequestTimeout, httpserve.BodyPause},
		"endless": {strings.SplitAfter(message[:20], ""), http.StatusRequestTimeout, 90 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, err := New(Config{World: world.World{Name: "w"}})
				if err != nil {
					t.Fatal(err)
				}
				ours, theirs := net.Pipe()
				l := &oneConn{conn: theirs, over: make(chan struct{})}
				web := &http.Server{Handler: e}
				go func() { _ = web.Serve(l) }()
				begin := time.Now()
				var sending sync.WaitGroup
				sending.Go(func() {
					_, _ = fmt.Fprintf(ours,
						"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, text/"+
							"event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
						len(message))
					for _, part := range c.send {
						_, _ = io.WriteString(ours, part)
						time.Sleep(httpserve.BodyPause - time.Second)
					}
				})
				in := bufio.NewReader(ours)
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				if resp.StatusCode != c.want {
					t.Errorf("status %d", resp.StatusCode)
				}
				if took := time.Since(begin); took != c.took {
					t.Errorf("it took %s", took)
				}
				if c.want == http.StatusRequestTimeout {
					if rest, err := io.ReadAll(io.MultiReader(resp.Body, in)); err != nil || len(rest) == 0 {
						t.Errorf("the connection goes on: %d bytes, %v", len(rest), err)
					}
				}
				_ = ours.Close()
				sending.Wait()
				_ = web.Close()
				_ = e.Close()
			})
		})
	}
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn net.Conn
	over chan struct{}
	once sync.Once
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.over
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { l.once.Do(func() { close(l.over) }); return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// TestUnreadStreams: what waits for a client that does not read is bounded, and so is what is kept
// for one that comes back; the answers to a client that is there are not, nor do they count against
// what comes unasked behind them.
func TestUnreadStreams(t *testing.T) {
	push := func(st *stream, kind hook.Kind, size, times int) (pushed int) {
		for range times {
			if st.push(t.Context(), hook.Message{Kind: kind, Raw: make([]byte, size)}) == nil {
				pushed++
			}
		}
		return pushed
	}
	notified, gone, there, before := &stream{}, &stream{}, &stream{}, &stream{}
	notified.attach()
	if n := push(notified, hook.Notification, 1<<10, 1000); n != 257 || !notified.done {
		t.Errorf("%d KiB of notifications wait", n)
	}
	busy := &stream{}
	here := busy.attach()
	if push(busy, hook.Response, 1<<20, 1) != 1 || push(busy, hook.Notification, 1<<10, 100) != 100 {
		t.Error("a client that is there gets no notification behind a long answer")
	}
	for i := range 101 {
		if _, ok := busy.next(t.Context(), here, i); !ok {
			t.Fatalf("event %d cannot be read", i)
		}
	}
	if n := push(busy, hook.Notification, 1<<10, 1000); n != 257 {
		t.Errorf("%d KiB of notifications wait behind what was read", n)
	}
	gone.detach(gone.attach())
	if n := push(gone, hook.Response, 200<<10, 10); n != 2 || !gone.done {
		t.Errorf("%d answers wait for a client that is gone", n)
	}
	reader := there.attach()
	if n := push(there, hook.Response, 200<<10, 10); n != 10 || push(before, hook.Response, 200<<10,
		10) != 10 {
		t.Errorf("%d answers wait for a client that is there", n)
	}
	for i := range 10 {
		if m, ok := there.next(t.Context(), reader, i); !ok || size(&m) != 200<<10 {
			t.Fatalf("answer %d cannot be read", i)
		}
	}
	push(there, hook.Response, 10, 1)
	if waiting, _ := there.unread(); waiting != 10 || there.held > maxHeld || there.dropped != 9 {
		t.Errorf("%d bytes wait, %d are kept, %d events are not", waiting, there.held, there.dropped)
	}
}

// BenchmarkPing is what the journal costs a request: with one and without.
func BenchmarkPing(b *testing.B) {
	for name, j := range map[string]*journal.Journal{"journal": journal.New(journal.Options{}), "none": nil} {
		b.Run(name, func(b *testing.B) {
			e, err := New(Config{World: world.World{Name: "w"}, Journal: j})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = e.Close() }()
			handler := e
			s := e.newSession(hook.HTTP)
			s.revision = hook.R20251125
			if err := e.register(s); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, PathStreamable,
					strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set(headerSession, s.id)
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

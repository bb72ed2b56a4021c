package mockbench

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
)

// connections is how many clients send requests at the same time.
const connections = 16

// era is a way to speak: with a handshake, or with everything in each request.
type era struct{ name, revision string }

var (
	legacy = era{"legacy", "2025-11-25"}
	modern = era{"modern", "2026-07-28"}
)

// meta is what says in each request who calls.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// initialize is the body of a handshake.
const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":` +
	`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`

// operation is what is asked for.
type operation struct{ name, method, uri, expect string }

var operations = []operation{
	{"list", "resources/list", "", `"nextCursor"`},
	{"read1KiB", "resources/read", shortURI(7), `"contents"`},
	{"read1MiB", "resources/read", longURI, `"contents"`},
	{"not-found", "resources/read", "file:///bench/none.txt", `"error"`},
}

// client is one connection, spoken to without a library: what it costs is the same for all servers, and
// little.
type client struct {
	conn    net.Conn
	r       *bufio.Reader
	era     era
	session string
	id      int
	answer  bytes.Buffer
}

// dial connects, and opens a session where there are sessions.
func dial(b *testing.B, server *httptest.Server, e era) *client {
	b.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() }) // nothing is written any more
	c := &client{conn: conn, r: bufio.NewReaderSize(conn, 64<<10), era: e}
	c.shake(b)
	return c
}

// post sends a body and returns the answer, which stands until the next.
func (c *client) post(header, body string) (http.Header, []byte, error) {
	if c.session != "" {
		header += "Mcp-Session-Id: " + c.session + "\r\n"
	}
	if _, err := fmt.Fprintf(c.conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"+
		"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"MCP-Protocol-Version: %s\r\n%sContent-Length: %d\r\n\r\n%s",
		c.era.revision, header, len(body), body); err != nil {
		return nil, nil, err
	}
	response, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	c.answer.Reset()
	_, err = c.answer.ReadFrom(response.Body)
	return response.Header, c.answer.Bytes(), err
}

// shake opens a session, if the era has sessions.
func (c *client) shake(b *testing.B) {
	b.Helper()
	if c.era == modern {
		return
	}
	c.session = ""
	header, _, err := c.post("", initialize)
	if c.session = header.Get("Mcp-Session-Id"); err != nil {
		b.Fatal(err)
	}
	if _, _, err := c.post("", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		b.Fatal(err)
	}
}

// ask sends an operation once. What is measured has to be what was asked for.
func (c *client) ask(op operation) (http.Header, []byte, error) {
	c.id++
	var header string
	var params []string
	if op.uri != "" {
		params = append(params, fmt.Sprintf(`"uri":%q`, op.uri))
	}
	if c.era == modern {
		params = append(params, meta)
		header = "Mcp-Method: " + op.method + "\r\n"
		if op.uri != "" {
			header += "Mcp-Name: " + op.uri + "\r\n"
		}
	}
	got, answer, err := c.post(header, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`,
		c.id, op.method, strings.Join(params, ",")))
	if err == nil && !bytes.Contains(answer, []byte(op.expect)) {
		err = fmt.Errorf("the answer has no %s: %s", op.expect, trimmed(answer))
	}
	return got, answer, err
}

// BenchmarkRequests has all connections ask the same of one server after the other. The mock is measured
// three times: as it is, and with faults and with quirks armed for something else.
func BenchmarkRequests(b *testing.B) {
	for _, e := range []era{legacy, modern} {
		for _, op := range operations {
			armed := op.elsewhere()
			mock := mockServer(b, nil, nil)
			header, body, err := dial(b, mock, e).ask(op)
			if err != nil {
				b.Fatal(err)
			}
			for _, contender := range []struct {
				name   string
				server *httptest.Server
			}{
				{"net-http", bareServer(b, body, header)}, {"mock", mock},
				{"mock+fault", mockServer(b, armed.faults, nil)},
				{"mock+quirk", mockServer(b, nil, armed.quirks)},
				{"go-sdk", sdkServer(b, e)}, {"mcp-go", mcpgoServer(b)},
			} {
				b.Run("era="+e.name+"/op="+op.name+"/server="+contender.name, func(b *testing.B) {
					load(b, contender.server, e, op)
				})
			}
		}
	}
}

// load keeps all connections busy, and reports the 99th percentile of the latency as well.
func load(b *testing.B, server *httptest.Server, e era, op operation) {
	clients := make(chan *client, connections)
	for range connections {
		clients <- dial(b, server, e)
	}
	var mu sync.Mutex
	var all []time.Duration
	b.SetParallelism(max(connections/runtime.GOMAXPROCS(0), 1))
	runtime.GC()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		c := <-clients
		var own []time.Duration
		for pb.Next() {
			start := time.Now()
			if _, _, err := c.ask(op); err != nil {
				b.Error(err)
				return
			}
			own = append(own, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, own...)
	})
	b.StopTimer()
	if slices.Sort(all); len(all) > 0 {
		b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "req/s")
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
	}
}

// BenchmarkUpdate: how long one update takes to reach all of 1,000 subscribed streams.
func BenchmarkUpdate(b *testing.B) {
	const streams = 1000
	text := "x"
	s, err := reference.New(reference.World{Resources: []reference.Resource{{URI: shortURI(0), Name: "a",
		Text: &text}}}, reference.Options{})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	defer server.CloseClientConnections()
	heard := make(chan error, streams)
	listen := func() error {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":`+
			`{"notifications":{"resourceSubscriptions":[%q]},%s}}`, shortURI(0), meta)
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server.URL+"/mcp",
			strings.NewReader(body))
		if err != nil {
			return err
		}
		for name, value := range map[string]string{"Content-Type": "application/json",
			"MCP-Protocol-Version": modern.revision,
			"Accept":               "application/json, text/event-stream",
			"Mcp-Method":           "subscriptions/listen"} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			line := lines.Text()
			if strings.Contains(line, "acknowledged") || strings.Contains(line, "updated") {
				heard <- nil
			}
		}
		return fmt.Errorf("a stream ended: %s: %w", response.Status, cmp.Or(lines.Err(), io.ErrUnexpectedEOF))
	}
	all := func() {
		for range streams {
			if err := <-heard; err != nil {
				b.Fatal(err)
			}
		}
	}
	for range streams {
		go func() { heard <- listen() }()
	}
	all()
	for b.Loop() {
		if !s.Touch(shortURI(0)) {
			b.Fatal("there is nothing to touch")
		}
		all()
	}
}

// BenchmarkIdleSession: what a session costs that was opened and does nothing, its journal included.
func BenchmarkIdleSession(b *testing.B) {
	c := dial(b, mockServer(b, nil, nil), legacy)
	before := heap()
	for b.Loop() {
		c.shake(b)
	}
	b.ReportMetric(float64(heap()-before)/float64(b.N), "heap-B/session")
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkFirstAnswer: the time from the start of the program to the end of a conversation of one request.
func BenchmarkFirstAnswer(b *testing.B) {
	program := filepath.Join(b.TempDir(), "mockserver")
	build := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/mockserver")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), program, "--stdio")
		cmd.Stdin, cmd.Stderr = strings.NewReader(initialize+"\n"), os.Stderr
		if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte(`"result"`)) {
			b.Fatalf("the first answer is %q: %v", trimmed(out), err)
		}
	}
}

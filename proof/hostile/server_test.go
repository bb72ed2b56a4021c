//go:build unix

package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/badtarget"
)

// hostile is a hostile server at work.
type hostile struct {
	hostileCase
	mu   sync.Mutex
	seen int

	streams []stream // of HTTP+SSE, each with an endpoint of its own
}

// stream is an event stream of HTTP+SSE: what is to be sent on it, and that it is over.
type stream struct {
	events chan string
	over   chan struct{}
}

// asked is what a message asks for.
type asked struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// reacts reports whether the hostility is due.
func (h *hostile) reacts(q asked) bool {
	if h.On == "start" || h.On != "" && h.On != q.Method || len(q.ID) == 0 && h.On == "" {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen++
	return h.seen > h.After
}

// play does some steps on a connection. It returns false if that is over.
func (h *hostile) play(w io.Writer, steps []step, answer, id string) bool {
	for _, s := range steps {
		times := max(s.Times, 1)
		for n := 0; n < times || s.Times < 0; n++ {
			if !h.do(w, s, answer, id, n) {
				return false
			}
			time.Sleep(s.Every)
		}
	}
	return true
}

func (h *hostile) do(w io.Writer, s step, answer, id string, n int) bool {
	if s.Send != "" && s.Do != "stderr" {
		if _, err := io.WriteString(w, expand(s.Send, answer, id, n)); err != nil {
			if w == io.Writer(os.Stdout) {
				os.Exit(1)
			}
			return false
		}
	}
	switch s.Do {
	case "close":
		return false
	case "exit":
		os.Exit(3)
	case "hang":
		select {}
	case "stderr":
		fmt.Fprint(os.Stderr, expand(s.Send, answer, id, n))
	case "ignore-signals":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	case "spawn", "respawn":
		spawn(s.Do)
	}
	return true
}

// spawn starts this program once more, as a process that outlives its parents: in a session
// of its own, and with "respawn" as one that starts a successor before it ends, ten times.
func spawn(how string) {
	c := exec.Command(os.Args[0], "stay", how) // #nosec G702 -- it starts itself
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
	}
}

// stay is what such a process does.
func stay(how string) {
	note()
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	if how == "respawn" {
		time.Sleep(200 * time.Millisecond)
		generation := len(os.Getenv("HOSTILE_GENERATION"))
		if generation < 10 {
			_ = os.Setenv("HOSTILE_GENERATION", strings.Repeat("x", generation+1))
			spawn(how)
			return
		}
	}
	time.Sleep(5 * time.Minute)
}

// note leaves a file that is named after the id of this process.
func note() {
	if dir := os.Getenv(badtarget.EnvDir); dir != "" {
		// #nosec G703 -- whoever starts this names the directory
		_ = os.WriteFile(fmt.Sprintf("%s/%d", dir, os.Getpid()), nil, 0o600)
	}
}

// stdio serves standard input and output.
func (h *hostile) stdio() {
	note()
	good := badtarget.Good()
	if !h.play(os.Stdout, h.Starts, "", "0") {
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q asked
		_ = json.Unmarshal(line, &q) // what is no message is answered as such
		answer, due := good(line)
		for text, other := range h.Offers {
			answer = strings.ReplaceAll(answer, text, other)
		}
		if h.reacts(q) {
			if !h.play(os.Stdout, h.Does, answer, string(q.ID)) {
				return
			}
			continue
		}
		if due {
			fmt.Println(answer)
		}
	}
}

// listen serves connections.
func (h *hostile) listen(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			if h.play(conn, h.Starts, "", "0") {
				h.serve(conn)
			}
		}()
	}
}

// serve answers the requests on a connection.
func (h *hostile) serve(conn net.Conn) {
	good := badtarget.Good()
	in := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var q asked
		_ = json.Unmarshal(body, &q) // what is no message is answered as such
		if r.Method == http.MethodGet && h.Over == "sse" {
			h.events(conn)
			return
		}
		answer, due := "", false
		post := r.Method == http.MethodPost && (h.Over != "sse" || r.URL.Path != "/sse")
		if post {
			answer, due = good(bytes.TrimSpace(body))
		}
		switch hostility := post && h.reacts(q); {
		case hostility && h.Over == "sse":
			_, _ = io.WriteString(conn, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
			var b strings.Builder
			for _, s := range h.Does { // on a stream nothing goes on without end
				for n := range max(s.Times, 1) {
					b.WriteString(expand(s.Send, answer, string(q.ID), n))
				}
			}
			h.send(r, b.String())
		case hostility:
			if !h.hostility(conn, answer, string(q.ID)) {
				return
			}
		case !post:
			_, _ = io.WriteString(conn,
				"HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nContent-Length: 0\r\n\r\n")
		case !due:
			_, _ = io.WriteString(conn, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
		case h.Over == "sse":
			_, _ = io.WriteString(conn, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
			h.send(r, "event: message\ndata: "+answer+"\n\n")
		default:
			fmt.Fprintf(conn,
				"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				len(answer), answer)
		}
	}
}

// hostility is the hostile response over HTTP.
func (h *hostile) hostility(conn net.Conn, answer, id string) bool {
	if !h.Raw {
		head := h.Head
		if head == "" {
			head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
		}
		if _, err := io.WriteString(conn, expand(head, answer, id, 0)); err != nil {
			return false
		}
	}
	return h.play(conn, h.Does, answer, id)
}

// events is a stream of HTTP+SSE. Its endpoint bears its number: on a stream that several
// sessions shared the answers to one would stand among those to another.
func (h *hostile) events(conn net.Conn) {
	to := stream{make(chan string, 64), make(chan struct{})}
	defer close(to.over)
	h.mu.Lock()
	number := len(h.streams)
	h.streams = append(h.streams, to)
	h.mu.Unlock()
	first := "event: endpoint\ndata: /message?stream={n}\n\n"
	if h.Head != "" {
		first = h.Head
	}
	_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"+expand(first,
		"", "", number))
	for err == nil {
		_, err = io.WriteString(conn, <-to.events)
	}
}

// send puts events on the stream whose endpoint was called, if there is one that is not over.
func (h *hostile) send(r *http.Request, events string) {
	number, err := strconv.Atoi(r.URL.Query().Get("stream"))
	h.mu.Lock()
	if err != nil || number < 0 || number >= len(h.streams) {
		h.mu.Unlock()
		return
	}
	to := h.streams[number]
	h.mu.Unlock()
	select {
	case to.events <- events:
	case <-to.over:
	}
}

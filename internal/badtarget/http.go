package badtarget

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// httpModes are the modes of [handler] that never get as far as the protocol.
var httpModes = map[string]http.HandlerFunc{
	"hang": func(_ http.ResponseWriter, r *http.Request) {
		// The end of a connection is noticed only once the body was read.
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	},
	"html": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintln(w, "<!DOCTYPE html><title>Welcome</title><p>It works.</p>")
	},
	"error": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "internal error", http.StatusInternalServerError)
	},
	"throttle": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	},
	"garbage": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "\x00\xff{]} this is no JSON")
	},
	"endless-json": endless("application/json", `{"jsonrpc":"2.0","id":1,"result":{"text":"`,
		strings.Repeat("x", 32<<10)),
	"endless-sse": endless("text/event-stream", "", strings.Repeat(
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n", 400)),
	"endless-comments": endless("text/event-stream", "", strings.Repeat(": nothing\n\n", 3000)),
	"endless-header": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 8<<20))
		w.WriteHeader(http.StatusOK)
	},
}

// endless answers with a body that goes on until the client has had enough.
func endless(contentType, begin, part string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, err := io.WriteString(w, begin)
		for err == nil && r.Context().Err() == nil {
			_, err = io.WriteString(w, part)
		}
	}
}

// Listen serves a mode on a free loopback port until the process is ended. It
// writes its URL to a file. It returns the exit status.
func Listen(mode, file string) int {
	h, err := handler(mode)
	if err != nil {
		fmt.Fprintln(os.Stderr, "badtarget:", err)
		return 2
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		// Renamed into place, so that nobody reads half of it.
		if err = os.WriteFile(file+".new", []byte("http://"+l.Addr().String()+"/mcp"), 0o600); err == nil {
			err = os.Rename(file+".new", file)
		}
	}
	if err == nil {
		err = http.Serve(l, h) // #nosec G114 -- a server that tests start and end
	}
	fmt.Fprintln(os.Stderr, "badtarget:", err)
	return 1
}

// agony is how long a server of the mode "dying" goes on listening, which is longer than the end of
// a server is waited for over each exchange that fails.
const agony = 600 * time.Millisecond

// Serve serves a mode at an address of this machine until the process is ended. It returns
// the exit status. Its own modes are "dies", which ends the process when a body is no JSON, "dying",
// which then drops connections for a moment before that, "falls", which does so the first time that a
// resource is asked for, "forsaken", which ends the process soon after a client has declared roots, as it has
// no stream on which to ask for them, "exit", which does not listen at all, and "never", which does not even
// end.
func Serve(mode, address string) int {
	if err := register(); err != nil {
		fmt.Fprintln(os.Stderr, "badtarget:", err)
		return 2
	}
	name := mode
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "Error: no licence found for", os.Getenv("LICENCE"))
		return 7
	case "never":
		fmt.Println("badtarget: loading")
		hang()
	case "dies", "dying", "falls", "forsaken":
		name = "good"
	}
	h, err := handler(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, "badtarget:", err)
		return 2
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, "badtarget:", err)
		return 1
	}
	fmt.Println("badtarget: listening at", l.Addr())
	var dying atomic.Bool
	// #nosec G114 -- a server that tests start and end
	err = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is missing is no JSON
		if mode == "dying" && len(body) > 0 && !json.Valid(body) && !dying.Swap(true) {
			time.AfterFunc(agony, func() { os.Exit(9) })
		}
		if dying.Load() {
			panic(http.ErrAbortHandler)
		}
		if mode == "dies" && len(body) > 0 && !json.Valid(body) || mode == "falls" &&
			bytes.Contains(body, []byte(`"resources/`)) {
			fmt.Println("panic: bad message for", os.Getenv("LICENCE"))
			os.Exit(9)
		}
		if mode == "forsaken" && bytes.Contains(body, []byte(`"roots":`)) {
			time.AfterFunc(agony, func() { os.Exit(9) })
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	fmt.Fprintln(os.Stderr, "badtarget:", err)
	return 1
}

// handler serves Streamable HTTP in a mode: one of its own or one of those that
// change the answers of a process. The error says that there is no such mode.
func handler(mode string) (http.Handler, error) {
	if h, ok := httpModes[mode]; ok {
		return h, nil
	}
	name, argument, _ := strings.Cut(mode, "=")
	modes := strings.Fields("good late nothing cursor huge echo environment orphaned")
	if !slices.Contains(modes, name) {
		return nil, fmt.Errorf("there is no mode %q", mode)
	}
	return &protocol{server: server{mode: name, argument: argument}}, nil
}

// protocol answers POST requests with JSON bodies.
type protocol struct {
	mu     sync.Mutex
	server server
}

// ServeHTTP answers one message.
func (p *protocol) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return // the client has gone
	}
	if p.server.mode == "late" {
		time.Sleep(duration(p.server.argument, lateDefault))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server.mode == "echo" {
		p.tell(w, r)
	}
	answer, ok := p.server.answer(body)
	if !ok {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = write(w, answer) // a client that has gone wants no answer
}

// tell takes up the headers of a request that begin with X-Canary, and the
// credentials, and gives them back as headers, too.
func (p *protocol) tell(w http.ResponseWriter, r *http.Request) {
	var told []string
	for name, values := range r.Header {
		if strings.HasPrefix(name, "X-Canary") || name == "Authorization" {
			told = append(told, values...)
			w.Header()["X-Echo"] = append(w.Header()["X-Echo"], values...)
		}
	}
	for _, values := range r.URL.Query() {
		told = append(told, values...)
	}
	p.server.told = strings.Join(told, " ")
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// PeakMemory watches the memory of a process until the function that it returns is
// called, which says what the most was, in bytes; 0 where /proc does not tell. What
// wait reports instead counts the memory of the parent before it became the program.
func PeakMemory(pid int) func() int64 {
	done, most := make(chan struct{}), make(chan int64, 1)
	go func() {
		var peak int64
		for {
			if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
				if m := highWater.FindSubmatch(status); m != nil {
					kib, _ := strconv.ParseInt(string(m[1]), 10, 64) // it is digits
					peak = max(peak, kib<<10)
				}
			}
			select {
			case <-done:
				most <- peak
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-most
	}
}

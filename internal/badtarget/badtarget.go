// Package badtarget is a small MCP server that misbehaves in one way at a time:
// it hangs, floods, dies, lies about lengths, or tells everything it knows. Tests
// run it as a child process or behind an HTTP listener to show that a run against
// such a target ends in time, in bounded memory and with the right verdict. What
// concerns the protocol alone is the business of the reference's faults.
package badtarget

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// EnvDir is the environment variable that names a directory in which each process leaves a
// file that is named after its process id. Without it that is [HomeDir] in the home directory,
// which programs know without a variable.
const (
	EnvDir  = "MCPCHECK_BAD_TARGET_PIDS"
	HomeDir = "mcpcheck-bad-target-pids"
)

// pidDir is the directory, which need not be there.
func pidDir() string {
	home, _ := os.UserHomeDir() // without one there is no such directory
	return cmp.Or(os.Getenv(EnvDir), filepath.Join(home, HomeDir))
}

// hugeSize is the length of the single message of the mode "huge", in bytes.
const hugeSize = 100 << 20

// hugeName stands for the name that is huge until it is written.
const hugeName = "HUGE"

// lateDefault is how late the mode "late" answers unless it is told.
const lateDefault = 300 * time.Millisecond

// plainModes are the modes of a process that does nothing out of the ordinary when it starts.
var plainModes = strings.Fields(
	"good cursor third midline late nothing garbage huge echo harmful environment")

// stdioModes are the others, each with what it does then.
var stdioModes = map[string]func(*process){
	"exit":   func(p *process) { fmt.Fprintln(os.Stderr, "badtarget: no licence found"); os.Exit(7) },
	"spent":  (*process).spend,
	"silent": func(p *process) { p.drain() },
	"deaf":   func(*process) { hang() },
	"flood": func(p *process) {
		p.flood(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` +
			strings.Repeat("x", 200) + `"}}`)
	},
	"pings":    func(p *process) { p.flood(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) },
	"blank":    func(p *process) { p.flood("") },
	"daemon":   func(*process) { daemon() },
	"stubborn": func(p *process) { signal.Ignore(syscall.SIGTERM) },
	"banner":   func(p *process) { p.write("My Server 1.0 is listening\n") },
}

// Main serves standard input and output in a mode. It returns the exit status.
func Main(mode string) int {
	name, argument, _ := strings.Cut(mode, "=")
	start := stdioModes[name]
	if start == nil && !slices.Contains(plainModes, name) {
		fmt.Fprintf(os.Stderr, "badtarget: there is no mode %q\n", name)
		return 2
	}
	if err := register(); err != nil {
		fmt.Fprintln(os.Stderr, "badtarget:", err)
		return 2
	}
	p := &process{server: server{mode: name, argument: argument}, in: bufio.NewReaderSize(os.Stdin, 64<<10),
		out: os.Stdout}
	if start != nil {
		start(p)
	}
	p.serve()
	if name == "stubborn" {
		hang()
	}
	return 0
}

// register leaves a file for this process, if there is a directory for it.
func register() error {
	// #nosec G703 -- the test that starts this names the directory
	err := os.WriteFile(filepath.Join(pidDir(), strconv.Itoa(os.Getpid())), nil, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// spend ends the process unless it is one of the first, as many as the argument says.
func (p *process) spend() {
	most, err := strconv.Atoi(p.argument)
	for i := 0; err == nil && i < most; i++ {
		slot := filepath.Join(pidDir(), fmt.Sprint("slot ", i))
		if f, err := os.OpenFile(slot, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
			_ = f.Close() // there is nothing in it
			return
		}
	}
	fmt.Fprintln(os.Stderr, "badtarget: no space left for the lock file")
	os.Exit(7)
}

// daemon leaves a process behind that has nothing to do with this one any more.
func daemon() {
	program, err := os.Executable()
	if err == nil {
		c := exec.Command(program, "deaf")
		c.Args[0] = os.Args[0]
		detach(c)
		err = c.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "badtarget:", err)
		os.Exit(2)
	}
}

// hang never returns.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

// process speaks the framing of stdio.
type process struct {
	server
	in  *bufio.Reader
	out io.Writer
}

// write ends the process when nobody reads any more: there is nothing left to do.
func (p *process) write(s string) {
	if write(p.out, s) != nil {
		os.Exit(1)
	}
}

// write writes a text, with the name that is huge.
func write(w io.Writer, s string) error {
	before, after, huge := strings.Cut(s, hugeName)
	_, err := io.WriteString(w, before)
	for block, n := strings.Repeat("n", 1<<20), 0; huge && err == nil && n < hugeSize>>20; n++ {
		_, err = io.WriteString(w, block)
	}
	if err == nil {
		_, err = io.WriteString(w, after)
	}
	return err
}

// drain reads everything and answers nothing.
func (p *process) drain() {
	_, _ = io.Copy(io.Discard, p.in) // a broken input ends the target as its end does
	os.Exit(0)
}

// flood writes a line over and over, and never reads.
func (p *process) flood(line string) {
	block := strings.Repeat(line+"\n", max(1, 32<<10/(len(line)+1)))
	for {
		p.write(block)
	}
}

func (p *process) serve() {
	for {
		line, err := p.in.ReadBytes('\n')
		if err != nil {
			return
		}
		switch p.mode {
		case "garbage":
			p.write("\x00\xff{]} this is no JSON\n")
			continue
		case "third":
			if p.requests++; p.requests == 3 {
				os.Exit(3)
			}
		}
		if p.mode == "harmful" && !json.Valid(line) {
			panic("badtarget: this is no JSON")
		}
		answer, ok := p.answer(line)
		if !ok {
			continue
		}
		if p.mode == "late" {
			time.Sleep(duration(p.argument, lateDefault))
		}
		if p.mode == "midline" && strings.Contains(string(line), `"resources/list"`) {
			p.write(answer[:len(answer)/2])
			os.Exit(0)
		}
		p.write(answer + "\n")
	}
}

func duration(s string, standard time.Duration) time.Duration {
	if d, err := time.ParseDuration(s); err == nil {
		return d
	}
	return standard
}

// message is as much of a JSON-RPC message as the server looks at.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version string `json:"protocolVersion"`
		URI     string `json:"uri"`
	} `json:"params"`
}

// server answers as a plain server of the revisions up to 2025-11-25 does, but
// for what the mode changes.
type server struct {
	mode, argument string
	requests       int
	pages          int
	// dead says that the server behind the gateway of the mode "orphaned" has died.
	dead bool
	// told is what the mode "echo" repeats in every answer.
	told string
}

// answer is the response to a message; false if it gets none.
func (s *server) answer(raw []byte) (string, bool) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return failure(json.RawMessage("null"), -32700, "parse error"), true
	}
	if len(m.ID) == 0 {
		return "", false
	}
	switch m.Method {
	case "initialize":
		return s.initialize(&m), true
	case "ping":
		return result(m.ID, `{}`), true
	}
	if s.orphaned(&m) {
		return failure(m.ID, -32000, "Connection closed"), true
	}
	switch m.Method {
	case "resources/list":
		return s.list(&m), true
	case "resources/templates/list":
		return result(m.ID, `{"resourceTemplates":[]}`), true
	case "resources/read":
		if s.mode == "harmful" {
			return harmful(&m), true
		}
		if m.Params.URI != "test://one" {
			return failure(m.ID, -32002, "resource not found"+s.echo()+s.environment()), true
		}
		return result(m.ID, `{"contents":[{"uri":"test://one","mimeType":"text/plain","text":`+
			quote("one"+s.echo())+`}]}`), true
	}
	return failure(m.ID, -32601, "method not found"+s.echo()+s.environment()), true
}

// orphaned reports whether a gateway has lost the server behind it, which dies of the first read of
// what is not listed. Handshakes and pings it goes on to answer by itself.
func (s *server) orphaned(m *message) bool {
	s.dead = s.dead || s.mode == "orphaned" && m.Method == "resources/read" && m.Params.URI != "test://one"
	return s.dead
}

// Good answers messages as the plain server does; false if a message gets no answer. It may
// be used from one goroutine.
func Good() func(message []byte) (answer string, ok bool) {
	return (&server{mode: "good"}).answer
}

func (s *server) initialize(m *message) string {
	version := m.Params.Version
	if !slices.Contains([]string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}, version) {
		version = "2025-11-25"
	}
	capabilities := `{"resources":{}}`
	if s.mode == "nothing" {
		capabilities = `{}`
	}
	return result(m.ID, `{"protocolVersion":`+quote(version)+`,"capabilities":`+capabilities+
		`,"serverInfo":{"name":`+quote("bad"+s.environment())+`,"version":"1"}`+
		`,"instructions":`+quote("hello"+s.echo())+`}`)
}

// userDatabase has the form of what every Unix system has.
const userDatabase = "root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/sbin/nologin\n"

// harmful reads whatever it is asked for, and of what is not there has no contents.
func harmful(m *message) string {
	content := func(text string) string {
		return result(m.ID, `{"contents":[{"uri":`+quote(m.Params.URI)+`,"text":`+quote(text)+`}]}`)
	}
	switch path.Clean("/" + strings.TrimPrefix(m.Params.URI, "file://")) {
	case "/srv/notes/one.txt":
		return content("one")
	case "/etc/passwd":
		return content(userDatabase)
	}
	return result(m.ID, `{"contents":[]}`)
}

func (s *server) list(m *message) string {
	next, name := "", "one"
	switch s.mode {
	case "harmful":
		return result(m.ID, `{"resources":[{"uri":"file:///srv/notes/one.txt","name":"one"}]}`)
	case "cursor":
		s.pages++
		next = `,"nextCursor":"page-` + strconv.Itoa(s.pages) + `"`
	case "huge":
		name = hugeName
	case "nothing":
		return failure(m.ID, -32601, "method not found")
	}
	return result(m.ID, `{"resources":[{"uri":"test://one","name":`+quote(name+s.echo())+`}]`+next+`}`)
}

func result(id json.RawMessage, body string) string {
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + body + `}`
}

func failure(id json.RawMessage, code int, text string) string {
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"error":{"code":` + strconv.Itoa(code) + `,"message":` +
		quote(text) + `}}`
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""` // a string can always be encoded
	}
	return string(raw)
}

// environment is what the mode "environment" adds to its name and to errors: its variables.
func (s *server) environment() string {
	if s.mode != "environment" {
		return ""
	}
	return " " + strings.Join(os.Environ(), " ")
}

// echo is what the mode "echo" adds to its answers: everything it was told, in
// each of the encodings in which a secret can cross the wire.
func (s *server) echo() string {
	if s.mode != "echo" {
		return ""
	}
	told := s.told
	for _, pair := range os.Environ() {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, "CANARY") {
			told += " " + value
		}
	}
	words := strings.Fields(told)
	slices.Sort(words)
	var b strings.Builder
	for _, w := range slices.Compact(words) {
		b.WriteString(" plain " + w)
		b.WriteString(" percent " + percent(w) + " test://host/path?key=" + url.QueryEscape(w))
		for shift := range 3 {
			text := strings.Repeat("-", shift) + w
			b.WriteString(" base64 " + base64.StdEncoding.EncodeToString([]byte(text)) + " " +
				base64.RawURLEncoding.EncodeToString([]byte(text)))
		}
		b.WriteString(" json " + quote(w))
	}
	return b.String()
}

// percent encodes every byte.
func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

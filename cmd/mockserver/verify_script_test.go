package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reports"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mockserver": main,
		// tinyclient MODE [SERVER-COMMAND...]: a client over MCP_SERVER_URL, or stdio.
		"tinyclient": func() { os.Exit(tinyClient(os.Args[1], os.Args[2:])) },
	})
}

// TestScripts plays the command line; see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOGC", "400") // hundreds of short calls: garbage is collected seldom
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"red":    redIn,
			"numbered": func(ts *testscript.TestScript, _ bool, args []string) {
				for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
					if n := gjson.Get(line, "seq").Int(); n != int64(i+1) {
						ts.Fatalf("line %d has the number %d", i+1, n)
					}
				}
			},
		},
	})
}

// status N COMMAND...: the command ends with exit status N.
func status(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, not %s", got, args[0])
	}
}

// red REPORT [ID...]: exactly these requirements are red in a report.
func redIn(ts *testscript.TestScript, _ bool, args []string) {
	r, err := reports.ReadJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	var ids []string
	for _, x := range r.Results {
		if x.Verdict.Red() {
			ids = append(ids, x.ID)
		}
	}
	if got := strings.Join(ids, " "); got != strings.Join(args[1:], " ") {
		ts.Fatalf("red: %s", got)
	}
}

// tiny is a client that makes one mistake, or none.
type tiny struct {
	mode, session string
	in            *bufio.Reader // of a server on stdio
	out           io.WriteCloser
	id            int
	lost          bool
	token         string
	metadata      string // the address that a challenge named
}

// tinyClient is the program: it returns the exit status.
func tinyClient(mode string, server []string) int {
	c := &tiny{mode: mode}
	switch mode {
	case "commands":
		fmt.Print("::error::owned\n \x1b[1m::add-mask::owned\r::warning::owned\n##[error]owned")
		fmt.Fprint(os.Stderr,
			"##vso[task.complete]##teamcity[buildStop]section_start:1:owned\r\x1b[0Kowned\n")
	case "silent":
		return 7
	case "cannot":
		fmt.Fprintln(os.Stderr, "no such revision")
		return 7
	case "sleeps":
		time.Sleep(time.Minute)
		return 0
	}
	if len(server) > 0 {
		cmd := exec.Command(server[0], server[1:]...)
		out, err := cmd.StdinPipe()
		if err != nil {
			return 1
		}
		in, err := cmd.StdoutPipe()
		if err != nil || cmd.Start() != nil {
			return 1
		}
		c.in, c.out = bufio.NewReader(in), out
		defer cmd.Wait()  //nolint:errcheck // how a server ends is not what is tested
		defer out.Close() //nolint:errcheck // as above
		defer func() {
			if mode == "closes" {
				_ = out.Close()
			}
			if mode == "closes" || mode == "signals" {
				_ = cmd.Process.Signal(syscall.SIGTERM)
				_, _ = io.Copy(io.Discard, c.in) // until it has ended
			}
		}()
	}
	switch mode {
	case "discovers", "guesses", "insists":
		c.begin() // which is refused
		c.authorize()
	case "steers":
		return c.steers()
	case "begins":
		c.begin()
		return 0
	}
	c.work()
	if c.session != "" {
		c.post(http.MethodDelete, "")
	}
	return 0
}

func (c *tiny) work() {
	c.begin()
	var uris []string
	params := `{}`
	for params != "" {
		r := c.ask("resources/list", params).Get("result")
		for _, x := range r.Get("resources").Array() {
			uris = append(uris, x.Get("uri").String())
		}
		params = ""
		if c.mode == "dies" {
			os.Exit(70)
		}
		if next := r.Get("nextCursor"); next.Exists() && c.mode != "page1" {
			params = `{"cursor":` + next.Raw + `}`
		}
	}
	if c.mode == "unread" {
		os.Exit(1)
	}
	for _, uri := range uris {
		if c.mode == "reencode" {
			uri = strings.ReplaceAll(uri, "%20", " ")
		}
		c.ask("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		if c.lost && c.mode != "stubborn" {
			c.session, c.lost = "", false
			c.begin()
		}
	}
	missing := map[string]string{"persists": "note:none", "commands": "note:##[error]none"}[c.mode]
	if missing != "" {
		for range 5 {
			c.ask("resources/read", `{"uri":"`+missing+`"}`)
		}
	}
	c.ask("ping", `{}`)
}

// authorize finds out who gives tokens, rightly or wrongly, and has one then.
func (c *tiny) authorize() {
	base := strings.TrimSuffix(os.Getenv("MCP_SERVER_URL"), "/mcp")
	look := map[string]string{"discovers": c.metadata,
		"guesses": base + "/.well-known/oauth-authorization-server"}[c.mode]
	if look == "" {
		return
	}
	if resp, err := http.Get(look); err == nil {
		_ = resp.Body.Close()
	}
	c.token = os.Getenv("MCP_SERVER_TOKEN")
}

// steers changes the list by way of the admin interface, and by a file, and reports what of it
// a session is told.
func (c *tiny) steers() int {
	c.begin()
	body := strings.NewReader(`{"uri":"note:new","name":"new","text":"new"}`)
	r, err := http.NewRequest(http.MethodPut, os.Getenv("MCP_SERVER_ADMIN_URL")+"/resource", body)
	if err != nil {
		return 1
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		return 2
	}
	if err := os.WriteFile("later.txt", []byte("later"), 0o600); err != nil {
		return 3
	}
	for range 100 {
		listed := c.ask("resources/list", `{}`).Get("result.resources").Raw
		if strings.Contains(listed, "note:new") && strings.Contains(listed, "later.txt") {
			return 0
		}
		time.Sleep(50 * time.Millisecond)
	}
	return 4
}

func (c *tiny) begin() {
	c.ask("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tiny","version":"1"}}`)
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// ask sends a request and returns the answer.
func (c *tiny) ask(method, params string) (answer gjson.Result) {
	c.id++
	id := strconv.Itoa(c.id)
	message := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
	if c.out == nil {
		c.post(http.MethodPost, message, func(m gjson.Result) {
			if m.Get("id").Raw == id {
				answer = m
			}
		})
		return answer
	}
	c.say(message)
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return answer
		}
		if m := gjson.Parse(line); m.Get("id").Raw == id {
			return m
		} else {
			c.react(m)
		}
	}
}

func (c *tiny) say(message string) {
	if c.out != nil {
		_, _ = io.WriteString(c.out, message+"\n")
		return
	}
	c.post(http.MethodPost, message)
}

// react answers the server.
func (c *tiny) react(m gjson.Result) {
	switch {
	case m.Get("method").String() == "ping":
		c.say(`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"result":{}}`)
	case m.Get("method").Exists() && c.mode == "answers":
		c.say(`{"jsonrpc":"2.0","id":null,"result":{}}`)
	}
}

func (c *tiny) post(method, body string, each ...func(gjson.Result)) {
	r, err := http.NewRequest(method, os.Getenv("MCP_SERVER_URL"), bytes.NewBufferString(body))
	if err != nil {
		return
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		if c.mode != "noversion" {
			r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if _, address, ok := strings.Cut(resp.Header.Get("Www-Authenticate"), `resource_metadata="`); ok {
		c.metadata, _, _ = strings.Cut(address, `"`)
	}
	c.lost = c.lost || resp.StatusCode == http.StatusNotFound
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		m := gjson.Parse(strings.TrimPrefix(lines.Text(), "data: "))
		if !m.IsObject() {
			continue
		}
		c.react(m)
		for _, f := range each {
			f(m)
		}
	}
}

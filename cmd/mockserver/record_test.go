package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/adminclient"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// lines runs the program on a connection over stdio: a line is sent when the one before has been
// answered. It returns the answers.
func lines(t *testing.T, args []string, send ...string) (answers []string, errs string) {
	t.Helper()
	in, feed := io.Pipe()
	out, write := io.Pipe()
	var stderr lockedBuffer
	code := make(chan int, 1)
	go func() {
		code <- run(t.Context(), args, in, write, &stderr)
		_ = write.Close()
	}()
	scanner := bufio.NewScanner(out)
	for _, line := range send {
		if _, err := io.WriteString(feed, line+"\n"); err != nil {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		if strings.Contains(line, `"id"`) && scanner.Scan() {
			answers = append(answers, scanner.Text())
		}
	}
	_ = feed.Close()
	go func() {
		for scanner.Scan() {
		}
	}()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("%v: code %d: %s", args, got, stderr.String())
		}
	case <-time.After(time.Minute):
		t.Fatalf("%v does not end", args)
	}
	return answers, stderr.String()
}

func TestRecordAndReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	talk := []string{hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note:hello"}}`}
	want, _ := lines(t, []string{"record", "--to", file, "--", "mockserver", "--stdio", "--world", "small"},
		talk...)
	if len(want) != 3 || !strings.Contains(want[2], "Hello") {
		t.Fatalf("%q", want)
	}
	got, told := lines(t, []string{"replay", "--stdio", file}, talk...)
	if strings.Join(got, "\n") != strings.Join(want, "\n") || strings.Contains(told, "masked") {
		t.Errorf("%q\nnot\n%q\n%s", got, want, told)
	}
	masked := filepath.Join(t.TempDir(), "masked.jsonl")
	lines(t, []string{"record", "--to", masked, "--mask", "note:hello", "--", "mockserver", "--stdio",
		"--world", "small"}, talk...)
	if _, told = lines(t, []string{"replay", "--stdio", masked}, talk...); !strings.Contains(told,
		"values are masked in 1 request, and match any value when they are replayed\n") {
		t.Error(told)
	}
	got, _ = lines(t, []string{"replay", "--stdio", "--fail", "-32603:method=resources/read", file}, talk...)
	if !strings.Contains(got[2], "-32603") {
		t.Errorf("%q", got)
	}
}

// background runs the program until the test ends, and returns the address that matches.
func background(t *testing.T, address string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var stderr lockedBuffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, nil, io.Discard, &stderr) }()
	t.Cleanup(func() {
		cancel()
		if got := <-code; got != 0 {
			t.Errorf("%v: code %d: %s", args, got, stderr.String())
		}
		http.DefaultClient.CloseIdleConnections()
	})
	pattern := regexp.MustCompile(address)
	for range 1000 {
		if m := pattern.FindString(stderr.String()); m != "" {
			return strings.TrimPrefix(m, "admin interface on ")
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%v: no address: %s", args, stderr.String())
	return ""
}

func call(t *testing.T, url, token, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b.String()
}

func TestRecordOverHTTP(t *testing.T) {
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	const mcp = `http://[0-9.:]+/mcp`
	server := background(t, mcp, "--http", "127.0.0.1:0")
	t.Run("record", func(t *testing.T) {
		url := background(t, mcp, "record", "--to", file, "--http", "127.0.0.1:0", "--url", server)
		if status, answer := call(t, url, "", hello); status != 200 ||
			!strings.Contains(answer, "serverInfo") {
			t.Errorf("%d %s", status, answer)
		}
	})
	t.Run("replay", func(t *testing.T) {
		url := background(t, mcp, "replay", "--http", "127.0.0.1:0", file)
		if status, answer := call(t, url, "", hello); status != 200 ||
			!strings.Contains(answer, "serverInfo") {
			t.Errorf("%d %s", status, answer)
		}
	})
	t.Run("unreachable", func(t *testing.T) {
		url := background(t, mcp, "record", "--to", file+"2", "--http", "127.0.0.1:0", "--url",
			"http://127.0.0.1:1/mcp")
		if status, answer := call(t, url, "", hello); status != http.StatusBadGateway ||
			!strings.Contains(answer, "cannot be reached") {
			t.Errorf("%d %s", status, answer)
		}
	})
}

// TestRecordAcross: a client and a server that speak different transports.
func TestRecordAcross(t *testing.T) {
	dir := t.TempDir()
	const mcp = `http://[0-9.:]+/mcp`
	talk := []string{hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note:hello"}}`}
	t.Setenv("KEY", "Bearer a-very-secret-token")
	t.Setenv("TOKENS", "a-very-secret-token")
	replayed := func(t *testing.T, file string, want []string) {
		t.Helper()
		if got, _ := lines(t, []string{"replay", "--stdio", file}, talk...); strings.Join(got,
			"\n") != strings.Join(want, "\n") {
			t.Errorf("%q\nnot\n%q", got, want)
		}
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("secret")) {
			t.Errorf("%v, or a secret is in %s", err, data)
		}
	}
	t.Run("stdio to URL", func(t *testing.T) {
		url := background(t, mcp, "--http", "127.0.0.1:0", "--world", "small", "--token-env", "TOKENS")
		file := filepath.Join(dir, "url.jsonl")
		want, errs := lines(t, []string{"record", "--to", file, "--url", url, "--header-env",
			"Authorization=KEY"}, talk...)
		if len(want) != 2 || !strings.Contains(want[1], "Hello") {
			t.Fatalf("%q %s", want, errs)
		}
		replayed(t, file, want)
	})
	t.Run("HTTP to URL, with a token of its own", func(t *testing.T) {
		server := background(t, mcp, "--http", "127.0.0.1:0", "--world", "small", "--token-env", "TOKENS")
		file := filepath.Join(dir, "both.jsonl")
		url := background(t, mcp, "record", "--to", file, "--http", "127.0.0.1:0", "--url", server,
			"--header", "Authorization: Bearer a-very-secret-token")
		if status, answer := call(t, url, "", hello); status != 200 {
			t.Errorf("%d %s", status, answer)
		}
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("secret")) {
			t.Errorf("%v, or a secret is in %s", err, data)
		}
	})
	t.Run("HTTP to command", func(t *testing.T) {
		file := filepath.Join(dir, "command.jsonl")
		url := background(t, mcp, "record", "--to", file, "--http", "127.0.0.1:0", "--", "mockserver",
			"--stdio", "--world", "small")
		remote, _ := lines(t, []string{"record", "--to", filepath.Join(dir, "twice.jsonl"), "--url", url},
			talk...)
		if len(remote) != 2 || !strings.Contains(remote[1], "Hello") {
			t.Fatalf("%q", remote)
		}
		replayed(t, file, remote)
	})
}

func TestAdminAndTokens(t *testing.T) {
	t.Setenv("ADMIN", "the-admin-token")
	t.Setenv("TOKENS", "alices-secret@alice, bobs-secret@bob nothing")
	t.Run("admin", func(t *testing.T) {
		url := background(t, `admin interface on http://[0-9.:]+`, "--http", "127.0.0.1:0", "--admin",
			"127.0.0.1:0", "--admin-token-env", "ADMIN", "--token-env", "TOKENS")
		c, err := adminclient.New(url, adminclient.Options{Token: "the-admin-token"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		owners, err := c.Identities(t.Context())
		if err != nil || len(owners) != 2 {
			t.Errorf("%+v %v", owners, err)
		}
		text := "x"
		if err := c.PutResource(t.Context(), world.Resource{URI: "note:x", Name: "x",
			Text: &text}); err != nil {
			t.Error(err)
		}
	})
	t.Run("tokens", func(t *testing.T) {
		url := background(t, `http://[0-9.:]+/mcp`, "--http", "127.0.0.1:0", "--token-env", "TOKENS")
		for token, want := range map[string]int{"": 401, "other": 401, "alices-secret": 200,
			"bobs-secret": 200} {
			if status, answer := call(t, url, token, hello); status != want {
				t.Errorf("%q: %d %s", token, status, answer)
			}
		}
	})
}

// TestRecordingStaysWhole: what goes along with requests is masked only if it can be a secret.
func TestRecordingStaysWhole(t *testing.T) {
	url := background(t, `http://[0-9.:]+/mcp`, "--http", "127.0.0.1:0", "--world", "small")
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	talk := []string{hello,
		`{"jsonrpc":"2.0","id":"secret-in-query","method":"resources/read","params":{"uri":"note:hello",` +
			`"x":"secret in header"}}`}
	lines(t, []string{"record", "--to", file, "--url", url + "?k=secret-in-query&l=note&m=a%20secret%20b",
		"--header", "Accept-Language: en", "--header", "X-Key: x contents",
		"--header", "X-Long: secret in header", "--header", "X-Auth: Token 1.0", "--header",
		"Accept-Charset: resources"}, talk...)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`contents`, `Hello`, `resources/read`, `note:hello`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	if bytes.Contains(data, []byte("secret")) {
		t.Errorf("a secret is in %s", data)
	}
}

// TestRecordEndsWithTheStreamOfHTTPWithSSE: the client hears of it, although it does not ask anything.
func TestRecordEndsWithTheStreamOfHTTPWithSSE(t *testing.T) {
	cut := make(chan bool)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: /message\n\n")
			_ = http.NewResponseController(w).Flush()
			<-cut
		case r.URL.Path != "/message":
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			w.WriteHeader(http.StatusAccepted)
			close(cut)
		}
	}))
	defer web.Close()
	c := converse(t, "record", "--to", filepath.Join(t.TempDir(), "talk.jsonl"), "--url", web.URL)
	c.send(hello, `"id":1`, `"error"`, "ended the event stream before it had answered")
	if line, open := <-c.lines; open {
		t.Errorf("the output goes on: %s", line)
	}
	if said := c.errs.String(); strings.Count(said, "\n") != 1 ||
		!strings.Contains(said, "the session with it") {
		t.Error(said)
	}
}

// TestRecordListsItsFlags: those that it shares with serve included.
func TestRecordListsItsFlags(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"record", "--help"}, nil, &out, io.Discard); code != 0 {
		t.Errorf("code %d", code)
	}
	_, flags, _ := strings.Cut(out.String(), "\nFlags:\n")
	for _, name := range []string{"--stdio ", "--http ADDRESS ", "--to FILE ", "--url URL ", "--header ",
		"--header-env ", "--mask PATTERN "} {
		if strings.Count(flags, name) != 1 {
			t.Errorf("%s is not listed once in\n%s", name, flags)
		}
	}
	if strings.Contains(flags, "--world") {
		t.Errorf("flags of serve are listed:\n%s", flags)
	}
}

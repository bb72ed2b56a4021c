package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestDirectoryFlags(t *testing.T) {
	top := t.TempDir()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--hidden"}, "--hidden needs --dir"},
		{[]string{"--max-size", "1KiB"}, "--max-size needs --dir"},
		{[]string{"--dir", ""}, "--dir needs a directory"},
		{[]string{"--dir", top, "--world", "small"}, "either --dir or --world"},
		{[]string{"--dir", top, "--max-files", "0"}, "must be at least 1"},
		{[]string{"--dir", top, "--max-size", "many"},
			`--max-size "many" is no number of bytes, such as 4096`},
		{[]string{"--dir", top, "--max-size", "9999999999GiB"}, "is no number of bytes"},
		{[]string{"--dir", top, "--max-size", "2G"}, "must be between 1 byte and 1GiB"},
		{[]string{"--dir", top, "--max-size", "0"}, "must be between 1 byte and 1GiB"},
		{[]string{"--dir", filepath.Join(top, "nothing")}, "nothing cannot be served: "},
		{[]string{"--dir", filepath.Join(top, "nothing"), "--http", "127.0.0.1:0"},
			"either --stdio or --http"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(test.args, "--stdio"), strings.NewReader(""), &out, &errs)
		if code != 2 || !strings.Contains(errs.String(), test.want) ||
			strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: code %d, %q", test.args, code, &errs)
		}
	}
}

// TestInterruptedBeforeTheFilesAreKnown: to serve no longer is an ordinary end, but nothing is known of a
// client then.
func TestInterruptedBeforeTheFilesAreKnown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	top := t.TempDir()
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--stdio", "--dir", top}, 0, ""},
		{[]string{"verify", "--dir", top, "--", "true"}, 3, "interrupted"},
		{[]string{"verify", "--dir", top, "--faults", "reset", "--revision", "2025-11-25", "--", "true"}, 3,
			"is left out: it was interrupted"},
	} {
		var out, errs bytes.Buffer
		if code := run(ctx, test.args, strings.NewReader(""), &out, &errs); code != test.code ||
			!strings.Contains(errs.String(), test.says) {
			t.Errorf("%q: %d %s", test.args, code, &errs)
		}
	}
}

// conversation lets a program be spoken to line by line.
type conversation struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	code  chan int
	errs  *lockedBuffer
}

func converse(t *testing.T, args ...string) *conversation {
	t.Helper()
	in, feed := io.Pipe()
	out, sink := io.Pipe()
	c := &conversation{t: t, in: feed, lines: make(chan string, 100), code: make(chan int, 1),
		errs: &lockedBuffer{}}
	go func() {
		c.code <- run(context.Background(), args, in, sink, c.errs)
		_ = sink.Close()
	}()
	go func() {
		var pending strings.Builder
		buffer := make([]byte, 4096)
		for {
			n, err := out.Read(buffer)
			pending.Write(buffer[:n])
			for {
				line, rest, ok := strings.Cut(pending.String(), "\n")
				if !ok {
					break
				}
				c.lines <- line
				pending.Reset()
				pending.WriteString(rest)
			}
			if err != nil {
				close(c.lines)
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = feed.Close()
		select {
		case code := <-c.code:
			if code != 0 {
				t.Errorf("code %d: %s", code, c.errs)
			}
		case <-time.After(10 * time.Second):
			t.Error("the program does not end")
		}
	})
	return c
}

// send sends a line and returns the first line from the program that has all of the words.
func (c *conversation) send(line string, words ...string) string {
	c.t.Helper()
	if line != "" {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
	limit := time.After(20 * time.Second)
next:
	for {
		select {
		case got, open := <-c.lines:
			if !open {
				c.t.Fatalf("the program has ended: %s", c.errs)
			}
			for _, word := range words {
				if !strings.Contains(got, word) {
					continue next
				}
			}
			return got
		case <-limit:
			c.t.Fatalf("nothing with %q comes", words)
		}
	}
}

func TestDirectoryOverStdio(t *testing.T) {
	top := t.TempDir()
	file := filepath.Join(top, "a.txt")
	if err := errors.Join(os.WriteFile(file, []byte("first"), 0o600),
		os.WriteFile(filepath.Join(top, "large"), make([]byte, 2000), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := converse(t, "--stdio", "--dir", top, "--max-size", "1KiB")
	c.send(hello, `"id":1`)
	if list := c.send(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, `"id":2`); !strings.Contains(list,
		`"file:///a.txt"`) || strings.Contains(list, top) {
		t.Error(list)
	}
	if failed := c.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///large"}}`,
		`"id":3`); !strings.Contains(failed, `"code":-32603`) || !strings.Contains(failed, "1024 bytes") ||
		strings.Contains(failed, top) {
		t.Error(failed)
	}
	c.send(`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"file:///a.txt"}}`,
		`"id":4`)
	if err := os.WriteFile(file, []byte("second"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.send("", "notifications/resources/updated", "file:///a.txt")
	if read := c.send(`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///a.txt"}}`,
		`"id":5`); !strings.Contains(read, "second") {
		t.Error(read)
	}
	for _, uri := range []string{"file:///../x", "file:///..%2Fx", "file:///%2e%2e/x", "file:////etc/passwd",
		"file:///%2Fetc/passwd", "file:///a.txt%00"} {
		read := c.send(`{"jsonrpc":"2.0","id":"`+uri+`","method":"resources/read","params":{"uri":"`+uri+
			`"}}`, `"id":"`+uri)
		if !strings.Contains(read, "-32002") || strings.Contains(read, top) {
			t.Error(read)
		}
	}
}

func TestDirectoryOverHTTP(t *testing.T) {
	top := t.TempDir()
	if err := os.WriteFile(filepath.Join(top, "a.txt"), []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var errs lockedBuffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"--http", "127.0.0.1:0", "--dir", top}, nil, &bytes.Buffer{}, &errs)
	}()
	url := ""
	for deadline := time.Now().Add(20 * time.Second); url == "" &&
		time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		url = regexp.MustCompile(`http://[0-9.:]+/mcp`).FindString(errs.String())
	}
	const body = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a.txt",` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/` +
		`clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "file:///a.txt",
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.Contains(string(answer), `"text":"first"`) || !strings.Contains(string(answer),
		`"ttlMs":0`) {
		t.Errorf("%v: %s", err, answer)
	}
	cancel()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("code %d: %s", got, errs.String())
		}
	case <-time.After(20 * time.Second):
		t.Error("the server does not end")
	}
}

// TestSubscribersOfFiles: however an editor saves a file, and also if it is deleted and made again, who has
// subscribed to it is told.
func TestSubscribersOfFiles(t *testing.T) {
	top := filepath.Join(t.TempDir(), "top")
	path := func(name string) string { return filepath.Join(top, name) }
	save := func(name string) error { return os.WriteFile(path(name), []byte("content"), 0o600) }
	if err := errors.Join(os.Mkdir(top, 0o700), save("renamed"), save("replaced"),
		save("deleted")); err != nil {
		t.Fatal(err)
	}
	c := converse(t, "--stdio", "--dir", top)
	c.send(hello, `"id":1`)
	for _, name := range []string{"renamed", "replaced", "deleted"} {
		c.send(`{"jsonrpc":"2.0","id":"`+name+`","method":"resources/subscribe","params":{"uri":"file:///`+
			name+`"}}`, `"id":"`+name+`"`, `"result"`)
	}
	updated := func(name string) {
		t.Helper()
		c.send("", "notifications/resources/updated", `"file:///`+name+`"`)
	}
	if err := errors.Join(save(".renamed.swp"),
		os.Rename(path(".renamed.swp"), path("renamed"))); err != nil {
		t.Fatal(err)
	}
	updated("renamed")
	if err := errors.Join(os.Remove(path("replaced")), save("replaced")); err != nil {
		t.Fatal(err)
	}
	updated("replaced")
	if err := os.Remove(path("deleted")); err != nil {
		t.Fatal(err)
	}
	c.send("", "notifications/resources/list_changed")
	if err := save("deleted"); err != nil {
		t.Fatal(err)
	}
	c.send("", "notifications/resources/list_changed")
	updated("deleted")

	if err := os.Rename(top, top+"-away"); err != nil {
		t.Skip("an open directory cannot be moved here: ", err)
	}
	c.send("", "notifications/resources/list_changed")
	if list := c.send(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, `"id":2`); !strings.Contains(list,
		`"resources":[]`) {
		t.Error(list)
	}
	if read := c.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///renamed"}}`,
		`"id":3`); !strings.Contains(read, "-32002") {
		t.Error(read)
	}
	if said := c.errs.String(); said != "mockserver: the directory "+top+
		" has been moved away or deleted, or a link put in its place: nothing is served until there is "+
		"one at this path again\n" {
		t.Error(said)
	}
	if err := os.Rename(top+"-away", top); err != nil {
		t.Fatal(err)
	}
	updated("renamed")
	if list := c.send(`{"jsonrpc":"2.0","id":4,"method":"resources/list"}`, `"id":4`); strings.Count(list,
		`"file:///`) != 3 {
		t.Error(list)
	}
}

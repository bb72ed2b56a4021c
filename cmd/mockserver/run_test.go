package main

import (
	"bytes"
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

func TestUsageErrors(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{nil, "either --stdio or --http"},
		{[]string{"--stdio", "--http", ":0"}, "either --stdio or --http"},
		{[]string{"--stdio", "--bogus"}, "unknown flag: --bogus"},
		{[]string{"--stdio", "--world", "nowhere"}, `no world "nowhere"`},
		{[]string{"--stdio", "--fault", "nothing"}, `unknown fault "nothing"`},
		{[]string{"--stdio", "--quirk", "nothing"}, `unknown quirk "nothing"`},
		{[]string{"--stdio", "--fault", "page-01-nul-cursor"}, `did you mean page-01-null-cursor`},
		{[]string{"--stdio", "--quirk", "long-cursor"}, `did you mean long-cursors`},
		{[]string{"--stdio", "--revision", "2020-01-01"}, `unknown revision "2020-01-01"`},
		{[]string{"--stdio", "--page-size", "-1"}, "must not be negative"},
		{[]string{"serve", "x"}, `unexpected argument "x"`},
		{[]string{"x"}, `"x"`},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), test.args, strings.NewReader(""), &out, &errs)
			if code != 2 || !strings.Contains(errs.String(), test.want) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
				t.Errorf("code %d, stdout %q, stderr %q", code, &out, &errs)
			}
		})
	}
}

func TestStdioEndsWithItsInput(t *testing.T) {
	for _, args := range [][]string{{"--stdio"}, {"serve", "--stdio", "--world", "small", "--revision", "2025-11-25"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(hello+"\n"), &out, &errs); code != 0 {
			t.Errorf("code %d: %s", code, &errs)
		}
		if !strings.Contains(out.String(), `"protocolVersion":"2025-11-25"`) || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("stdout %q", &out)
		}
	}
}

func TestLists(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--list-faults"}, nil, &out, &errs); code != 0 {
		t.Errorf("code %d: %s", code, &errs)
	}
	if !strings.Contains(out.String(), "page-01-null-cursor\tPAGE-01\t") {
		t.Errorf("faults %q", &out)
	}
	out.Reset()
	if code := run(t.Context(), []string{"--list-quirks"}, nil, &out, &errs); code != 0 || !strings.Contains(out.String(), "long-cursors\tPAGE-60\t") {
		t.Errorf("quirks %q, %s", &out, &errs)
	}
}

// lockedBuffer can be read while another goroutine writes it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestHTTPServesUntilTheSignal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var errs lockedBuffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"--http", "127.0.0.1:0"}, nil, &bytes.Buffer{}, &errs)
	}()
	address := regexp.MustCompile(`http://[0-9.:]+/mcp`)
	url := ""
	for range 500 {
		if url = address.FindString(errs.String()); url != "" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
	stream, err := http.Get(strings.Replace(url, "/mcp", "/sse", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	cancel()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("code %d: %s", got, errs.String())
		}
	case <-time.After(10 * time.Second):
		t.Error("the server does not end")
	}
}

func TestAddressInUse(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--http", "256.0.0.1:1"}, nil, &out, &errs); code != 1 {
		t.Errorf("code %d: %s", code, &errs)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

func TestUsageErrors(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{nil, `as in "mockserver --http 127.0.0.1:8931"; "mockserver --help" shows what there is`},
		{[]string{"--stdio", "--http", ":0"}, "either --stdio or --http"},
		{[]string{"--stdio", "--bogus"}, "unknown flag: --bogus"},
		{[]string{"--stdio", "--falt", "x"}, "unknown flag: --falt: did you mean --fault"},
		{[]string{"chek"}, "did you mean check?"},
		{[]string{"--stdio", "--world", "nowhere"}, `no world "nowhere"`},
		{[]string{"--stdio", "--fault", "all-on-one-page"}, "it is a quirk: --quirk all-on-one-page"},
		{[]string{"--stdio", "--quirk", "page-02-last-page-cycles"},
			"it is a fault: --fault page-02-last-page-cycles"},
		{[]string{"--stdio", "--fault", "nothing"}, `unknown fault "nothing"`},
		{[]string{"--stdio", "--quirk", "nothing"}, `unknown quirk "nothing"`},
		{[]string{"--stdio", "--fault", "page-01-nul-cursor"}, `did you mean page-01-null-cursor`},
		{[]string{"--stdio", "--fault", "page-2"},
			`did you mean page-02-last-page-cycles or page-02-more-empty-pages?`},
		{[]string{"--stdio", "--quirk", "long-cursor"}, `did you mean long-cursors`},
		{[]string{"--stdio", "--revision", "2020-01-01"}, `unknown revision "2020-01-01"`},
		{[]string{"--stdio", "--page-size", "-1"}, "must not be negative"},
		{[]string{"--stdio", "--latency", "-1s"}, "delay \"-1s\""},
		{[]string{"--stdio", "--latency", "5"}, `--latency: delay "5" has no unit: did you mean 5s?`},
		{[]string{"--stdio", "--latency", "uniform:1-2s"},
			`delay "uniform:1-2s": "1" has no unit: did you mean 1s?`},
		{[]string{"--stdio", "--latency", "uniform:1s"}, "uniform:10ms-90ms"},
		{[]string{"--stdio", "--fault", "reset:count=none"}, `the limit count is "none"`},
		{[]string{"--stdio", "--quirk", "long-cursors:often=1"}, `unknown limit "often"`},
		{[]string{"--stdio", "--fail", "x"}, "neither the code"},
		{[]string{"--stdio", "--fail", "reset:count=2"}, "it is a fault: --fault reset:count=2"},
		{[]string{"--stdio", "--fail", "reest"}, "did you mean reset?"},
		{[]string{"--stdio", "--latency", "lognrmal:50ms,0.5"},
			`unknown delay "lognrmal": did you mean lognormal?`},
		{[]string{"--stdio", "--seed", "x"}, `--seed "x" is not a whole number`},
		{[]string{"foo.yaml"}, "a world is given as --world foo.yaml"},
		{[]string{"world", "schem"}, "did you mean schema?"},
		{[]string{"verify", "--only", "CL-99", "--", "true"}, "did you mean CL-"},
		{[]string{"--stdio", "--journal", "-"}, "needs --http"},
		{[]string{"--stdio", "--journal", "no/such/dir/file"}, "no/such/dir/file"},
		{[]string{"replay", "--stdio", "no/such/file"},
			"mockserver: no/such/file: the file cannot be read: no such file or directory"},
		{[]string{"record", "--to", "run_test.go", "--", "true"},
			"--to run_test.go: there is a file of that name, which is not replaced"},
		{[]string{"record", "--to", "no/such/file", "--", "true"},
			"--to no/such/file: no such file or directory"},
		{[]string{"--stdio", "--admin", "foo"},
			"mockserver: --admin foo: this is no HOST:PORT of this machine"},
		{[]string{"serve", "x"}, `unexpected argument "x"`},
		{[]string{"x"}, `"x"`},
		{[]string{"help", "nope"}, `there is no command "nope"`},
		{[]string{"completion", "csh"}, "the shells are bash, fish, powershell and zsh"},
		{[]string{"completion", "bash", "x"}, "takes no argument"},
		{[]string{"help", "verify", "nope"}, `there is no command "verify nope"`},
		{[]string{"verify", "--list-faults", "--", "true"},
			"--list-faults, --list-quirks and --list-worlds belong to serve"},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), test.args, strings.NewReader(""), &out, &errs)
			if code != 2 || !strings.Contains(errs.String(), test.want) ||
				strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
				t.Errorf("code %d, stdout %q, stderr %q", code, &out, &errs)
			}
		})
	}
}

func TestStdioEndsWithItsInput(t *testing.T) {
	for _, args := range [][]string{{"--stdio"}, {"serve", "--stdio", "--world", "small", "--revision",
		"2025-11-25"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(hello+"\n"), &out, &errs); code != 0 {
			t.Errorf("code %d: %s", code, &errs)
		}
		if !strings.Contains(out.String(), `"protocolVersion":"2025-11-25"`) ||
			strings.Count(out.String(), "\n") != 1 {
			t.Errorf("stdout %q", &out)
		}
	}
}

func TestLists(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--list-faults"}, nil, &out, &errs); code != 0 {
		t.Errorf("code %d: %s", code, &errs)
	}
	if !strings.Contains(out.String(), "page-01-null-cursor\tPAGE-01\t") ||
		!strings.Contains(out.String(), "\nhalf-closed-stdio\tconnection\t") {
		t.Errorf("faults %q", &out)
	}
	out.Reset()
	if code := run(t.Context(), []string{"--list-quirks"}, nil, &out, &errs); code != 0 ||
		!strings.Contains(out.String(), "long-cursors\tPAGE-60\t") {
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

func TestAddressOfNobody(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--http", "256.0.0.1:1"}, nil, &out, &errs); code != 2 {
		t.Errorf("code %d: %s", code, &errs)
	}
}

const readShopping = `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"note:shopping"}}`

func TestRulesWithLimitsAndJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.jsonl")
	var out, errs lockedBuffer
	args := []string{"--stdio", "--journal", file, "--fail",
		"-32603:method=resources/read:count=1:message=busy", "--fault",
		"page-01-null-cursor:count=1,reset:method=ping",
		"--latency", "uniform:1ms-2ms:uri=note:*", "--seed", "7"}
	input := strings.Join([]string{hello, readShopping, strings.Replace(readShopping, ":2,", ":3,", 1),
		`{"jsonrpc":"2.0","id":4,"method":"resources/list"}`}, "\n") + "\n"
	in, feed := io.Pipe()
	go func() {
		_, _ = io.WriteString(feed, input)
		for range 1000 { // the end of the input ends what is not answered yet
			if strings.Count(out.String(), "\n") == 4 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		_ = feed.Close()
	}()
	if code := run(t.Context(), args, in, &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	if got := out.String(); strings.Count(got, "\n") != 4 || !strings.Contains(got, `"message":"busy"`) ||
		!strings.Contains(got, `"id":3,"result"`) {
		t.Errorf("%s", got)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[journal.Kind]int{}
	for line := range bytes.Lines(data) {
		var e journal.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		kinds[e.Kind]++
	}
	if kinds[journal.Request] != 4 || kinds[journal.Response] != 4 || kinds[journal.Opened] != 1 ||
		kinds[journal.Closed] != 1 || kinds[journal.Applied] < 3 {
		t.Errorf("%v\n%s", kinds, data)
	}
}

func TestSplit(t *testing.T) {
	for _, test := range []struct{ arg, want string }{
		{"a,b", "a|b"}, {"a:count=1,b:uri=x:y,z", "a:count=1|b:uri=x:y,z"}, {"a", "a"},
		{"a:uri=p,q", "a:uri=p,q"},
	} {
		if got := strings.Join(split([]string{test.arg}), "|"); got != test.want {
			t.Errorf("%s: %s", test.arg, got)
		}
	}
}

// TestFlagsGivenWithNothing: a variable of the shell that is not set must not switch protection off.
func TestFlagsGivenWithNothing(t *testing.T) {
	for _, name := range []string{"token-env", "admin", "admin-token-env", "journal", "revision", "fault",
		"quirk", "fail", "latency", "allow-origin", "allow-host", "ready-file", "oauth-user", "tls-ca",
		"require-scope", "authorization-server"} {
		for _, args := range [][]string{{"--http", "127.0.0.1:0"}, {"verify"},
			{"replay", "--stdio", "talk.jsonl"}} {
			var errs bytes.Buffer
			args = append(args, "--"+name, "")
			if args[0] == "verify" {
				args = append(args, "--", "true")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // what begins nevertheless ends
			if code := run(ctx, args, strings.NewReader(""), io.Discard, &errs); code != 2 ||
				errs.String() != "mockserver: --"+name+" is given with nothing\n" {
				t.Errorf("%q: code %d, %q", args, code, &errs)
			}
		}
	}
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"replay", "--stdio", ""}, strings.NewReader(""), io.Discard,
		&errs); code != 2 || errs.String() != "mockserver: the name of the recording is empty\n" {
		t.Errorf("code %d, %q", code, &errs)
	}
}

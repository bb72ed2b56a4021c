package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAddressesThatCannotBeHad(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // of a test
	taken := l.Addr().String()
	to := filepath.Join(t.TempDir(), "talk.jsonl")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--http", taken}, 1, "--http " + taken},
		{[]string{"--stdio", "--admin", taken}, 1, "--admin " + taken},
		{[]string{"--http", "nowhere"}, 2, "--http nowhere"},
		{[]string{"--http", "127.0.0.1:none"}, 2, "--http 127.0.0.1:none"},
		{[]string{"--http", "127.0.0.1:99999"}, 2, "--http 127.0.0.1:99999"},
		{[]string{"--stdio", "--admin", "127.0.0.1:none"}, 2, "--admin 127.0.0.1:none"},
		{[]string{"record", "--to", to, "--http", taken, "--url", "http://127.0.0.1:1/mcp"}, 1,
			"--http " + taken},
		{[]string{"record", "--to", to + "2", "--", "/nonexistent"}, 2,
			`cannot start "/nonexistent": no such file`},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), test.args, strings.NewReader(""), &out, &errs)
		if code != test.code || !strings.Contains(errs.String(), test.want) ||
			strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: code %d: %s", test.args, code, &errs)
		}
	}
}

func TestRecordOfAServerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + l.Addr().String() + "/mcp"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"record", "--to", filepath.Join(t.TempDir(), "t.jsonl"), "--url", dead},
		strings.NewReader(hello+"\n"), &out, &errs)
	if code != 1 || !strings.Contains(errs.String(), "has not been reached") ||
		!strings.Contains(out.String(), `"error"`) {
		t.Errorf("code %d: %s%s", code, &out, &errs)
	}
}

func TestWarningsOfRulesAndTheJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "j.jsonl")
	if err := os.WriteFile(file, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"--stdio", "--fail", "-32001:method=resources/raed", "--journal", file},
		strings.NewReader(""), &out, &errs)
	for _, want := range []string{`no method "resources/raed": did you mean resources/read`,
		"--journal " + file + ": the journal that was there is replaced"} {
		if code != 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("code %d: %q is not in %s", code, want, &errs)
		}
	}
	if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "old") {
		t.Errorf("%s, %v", data, err)
	}
}

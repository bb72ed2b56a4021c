package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
)

func TestCheckSummarisesReadyWorlds(t *testing.T) {
	for _, name := range reference.WorldNames() {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"check", name}, nil, &out, &errs); code != 0 || errs.Len() > 0 {
			t.Errorf("%s: code %d: %s", name, code, &errs)
		}
		if got := out.String(); !strings.HasPrefix(got, "world "+name) || strings.Contains(got, "warning") {
			t.Errorf("%s", got)
		}
	}
	var out, errs bytes.Buffer
	run(t.Context(), []string{"check", "default"}, nil, &out, &errs)
	for _, want := range []string{"17: 12 texts, 3 blobs, 1 generated, 1 directory, 1 delayed, 1 asking " +
		"for input\n", "4: 4 with completions\n", "subscribe, listChanged, completions, logging\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, &out)
		}
	}
}

// said is what stands before what is said of a world: check tells it as compilers do.
func said(args []string) string {
	if args[0] == "check" {
		return ""
	}
	return "mockserver: "
}

func TestCheckNamesAllMistakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.yaml")
	text := "pageSize: many\nresources:\n  - uri: a:b\n    nmae: x\n    delay: soon\n  - uri: a:b\n    " +
		"blob: '!'\ntimeline:\n  - {at: 1s}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`:6: warning: resources[1].name: is missing`,
		`:1: pageSize: must be a whole number, not "many"`,
		`:4: resources[0]: unknown member "nmae": did you mean "name"?`,
		`:5: resources[0].delay: must be a duration such as "10s" or "1m30s", not "soon"`,
		`:6: resources[1].uri: a:b is listed twice`,
		`:7: resources[1].blob: no standard base64: illegal base64 data at input byte 0`,
		`:9: timeline[0]: needs exactly one of put, update, remove, touch, listChanged, putTemplate, ` +
			`removeTemplate, ask, putRule, removeRule, become, endSessions, refuse, expireTokens and ` +
			`revisions`,
	}
	for _, args := range [][]string{{"check", file}, {"--stdio", "--world", file}} {
		begin := said(args) + file
		var out, errs bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
		if code != 2 || out.Len() > 0 || errs.String() != begin+strings.Join(want, "\n"+begin)+"\n" {
			t.Errorf("%v: code %d:\n%s", args, code, &errs)
		}
	}
}

func TestCheckWarns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.yaml")
	text := "resources:\n  - {uri: 'a:b', text: t}\ntemplates:\n  - {uriTemplate: 'a:{x}', name: one," +
		" text: '1'}\n  - {uriTemplate: 'a:{y}', name: two, text: '2'}\ntimeline:\n  - {at: 1s, remove: " +
		"'a:b'}\n  - {at: 2s, remove: 'a:b'}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`:2: warning: resources[0].name: is missing`,
		`:5: warning: templates[1].uriTemplate: cannot be reached: a:{x} comes before it and takes all of ` +
			`its URIs`,
		`:8: warning: timeline[1].remove: there is no such resource then: a:b`,
	}
	for _, c := range []struct {
		args []string
		code int
	}{{[]string{"check", file}, 0}, {[]string{"check", "--strict", file}, 1},
		{[]string{"--stdio", "--world", file}, 0}} {
		var out, errs bytes.Buffer
		begin := said(c.args) + file
		code := run(t.Context(), c.args, strings.NewReader(""), &out, &errs)
		if code != c.code || errs.String() != begin+strings.Join(want, "\n"+begin)+"\n" {
			t.Errorf("%v: code %d:\n%s", c.args, code, &errs)
		}
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"check", "--strict", "default"}, nil, &out, &errs); code != 0 ||
		errs.Len() > 0 {
		t.Errorf("a world without warnings: code %d: %s", code, &errs)
	}
}

// TestCheckCountsRulesAndSteps: what a world does by itself is in the summary.
func TestCheckCountsRulesAndSteps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.yaml")
	text := "caching: {ttl: 1h}\nstates: {link: down}\nrules:\n  - {fail: {status: 503}, while: {link: " +
		"down}}\n  - {delay: 1ms}\n  - {fault: reset}\n" +
		"timeline:\n  - {at: 90m, become: {link: up}}\n  - {on: {method: ping}, become: {link: down}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"check", file}, nil, &out, &errs); code != 0 || errs.Len() > 0 {
		t.Errorf("code %d: %s", code, &errs)
	}
	for _, want := range []string{
		"  caching      lists: private for 1h\n", "  rules        3: 1 fault, 1 failure, 1 delay\n",
		"  states       1 scenario\n",
		"  timeline     2 steps, from 1h30m on, 1 of them after a message\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, &out)
		}
	}
}

func TestCheckUsage(t *testing.T) {
	for _, args := range [][]string{{"check"}, {"check", "a", "b"}, {"check", "nowhere"},
		{"check", "./no/such/file.yaml"}, {"worlds", "x"}, {"worlds", "big", "small"},
		{"worlds", "--http", "127.0.0.1:0"}, {"check", "--stdio", "big"}, {"--http", "127.0.0.1:0", "--http",
			"127.0.0.1:1"}, {"--stdio", "--world", "big", "--world", "small"},
		{"verify", "--world", "big", "--world", "small", "--", "true"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, nil, &out, &errs); code != 2 ||
			strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v: code %d: %s", args, code, &errs)
		}
	}
}

func TestWorldsAreListed(t *testing.T) {
	for _, args := range [][]string{{"worlds"}, {"--list-worlds"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, nil, &out, &errs); code != 0 {
			t.Errorf("code %d: %s", code, &errs)
		}
		for _, name := range []string{"big", "binary", "default", "empty", "multilingual", "project",
			"public-suites", "small"} {
			if !strings.Contains("\n"+out.String(), "\n"+name+"  ") {
				t.Errorf("%s is not in %s", name, &out)
			}
		}
		if n := strings.Count(out.String(), "\n"); n != len(reference.WorldNames()) {
			t.Errorf("%d lines", n)
		}
	}
}

func TestWorldsArePrinted(t *testing.T) {
	for _, name := range append(reference.WorldNames(), example) {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"worlds", name}, nil, &out, &errs); code != 0 {
			t.Fatalf("%s: code %d: %s", name, code, &errs)
		}
		if name == "project" {
			continue // names files beside it
		}
		file := filepath.Join(t.TempDir(), "w.yaml")
		if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if code := run(t.Context(), []string{"check", "--strict", file}, nil, io.Discard, &errs); code != 0 {
			t.Errorf("%s: code %d: %s", name, code, &errs)
		}
	}
}

func TestHelpOfCommandsThatServeNothing(t *testing.T) {
	for _, name := range []string{"check", "worlds", "world", "record"} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{name, "--help"}, nil, &out, &errs); code != 0 ||
			strings.Contains(out.String(), "--page-size") || !strings.Contains(out.String(), "Usage:") {
			t.Errorf("%s: code %d: %s%s", name, code, &out, &errs)
		}
	}
}

// TestHelpListsWhatIsTaken: flags of serve that a command refuses are not in its help, the
// others are.
func TestHelpListsWhatIsTaken(t *testing.T) {
	tests := []struct {
		args         []string
		shown, never []string
	}{
		{[]string{"verify", "--help"}, []string{"--world ", "--fault ", "--admin ", "--strict ",
			"roots/list"}, []string{"--stdio ", "--http ADDRESS", "--list-faults", "--list-quirks",
			"--list-worlds", "--serve-into"}},
		{[]string{"help", "verify"}, []string{"--world "}, []string{"--stdio ", "--list-faults"}},
		{[]string{"replay", "--help"}, []string{"--stdio ", "--http ", "--fault ", "--require-scope "},
			[]string{"--world ", "--dir ", "--page-size", "--max-files", "--hidden", "--list-"}},
		{[]string{"help"}, []string{"--stdio ", "--list-faults", "--world ", "--hidden"}, nil},
		{[]string{"serve", "--help"}, []string{"--stdio ", "--list-faults", "--world ", "--hidden"}, nil},
	}
	for _, test := range tests {
		var out, errs bytes.Buffer
		if code := run(t.Context(), test.args, nil, &out, &errs); code != 0 || errs.Len() > 0 {
			t.Errorf("%v: code %d, %s", test.args, code, &errs)
		}
		_, flags, _ := strings.Cut(out.String(), "\nFlags:\n")
		for _, want := range test.shown {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: %s is missing in\n%s", test.args, want, &out)
			}
		}
		for _, never := range test.never {
			if strings.Contains(flags, never) {
				t.Errorf("%v: %s is listed in\n%s", test.args, never, flags)
			}
		}
	}
}

// TestBigWorldStartsFast: the bound is far above what is needed, for machines that have
// much else to do.
func TestBigWorldStartsFast(t *testing.T) {
	begin := time.Now()
	c := converse(t, "--stdio", "--world", "big")
	c.send(hello, `"id":1`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, `"id":2`, `"nextCursor"`,
		"test://big/notes/000999")
	c.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"test://big/images/07"}}`,
		`"id":3`, `"blob"`)
	took := time.Since(begin)
	t.Logf("%s from the start to the answers", took)
	if took > 20*time.Second {
		t.Error("too slow")
	}
}

package main

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// TestHowAClientCoped: each way to end is told from the others by status, output and requests.
func TestHowAClientCoped(t *testing.T) {
	base := &baseline{talk: talk{played: played{exit: "0"}, stdout: []byte("a\nb\n"), sent: "x",
		asked: map[string]int{"resources/read": 1}}, steady: true, exact: true}
	for _, test := range []struct {
		name   string
		change func(c *talk)
		want   outcome
		detail string
	}{
		{"the same", func(*talk) {}, survived, ""},
		{"sent the same", func(c *talk) { c.sent = "x" }, notShown, ""},
		{"asks again", func(c *talk) { c.asked = map[string]int{"resources/read": 3} }, retried,
			"after 3 times resources/read"},
		{"less", func(c *talk) { c.stdout = []byte("a\n") }, otherData, `"" in line 2`},
		{"other", func(c *talk) { c.stdout = []byte("a\nc\n") }, otherData, `"c" in line 2`},
		{"an error", func(c *talk) { c.exit, c.stderr = "exit status 1", []byte("no\nbad cursor\n") },
			reported, `"bad cursor"`},
		{"a panic", func(c *talk) {
			c.exit, c.stderr = "exit status 2",
				[]byte("panic: index out of range\n")
		}, crashed, "index out of range"},
		{"a traceback", func(c *talk) {
			c.exit, c.stderr = "exit status 1",
				[]byte("Traceback (most recent call last):\n  x\nKeyError: 'uri'\n")
		}, crashed, "KeyError"},
		{"an error of Node", func(c *talk) {
			c.exit = "exit status 1"
			c.stderr = []byte("file:///c.mjs:1\nall[0].uri\n       ^\n\nTypeError: no \"uri\"\n    at " +
				"file:///c.mjs:1:8\n\nNode.js v20.20.2\n")
		}, crashed, `"TypeError: no \"uri\""`},
		{"a rejection in Node", func(c *talk) {
			c.exit = "exit status 1"
			c.stderr = []byte("node:internal/process/promises:394\n      triggerUncaughtException(err, " +
				"true /* fromPromise */);\n      ^\n\nError: late\n    at f\n\nNode.js v22.1.0\n")
		}, crashed, `"Error: late"`},
		{"a text that Node throws", func(c *talk) {
			c.exit, c.stderr = "exit status 1",
				[]byte("/c.cjs:1\nthrow \"abc\"\n^\nabc\n\nNode.js v20.20.2\n")
		}, crashed, `"abc"`},
		{"an error that was caught in Node", func(c *talk) {
			c.exit, c.stderr = "exit status 1", []byte("TypeError: bad cursor\n    at f\n")
		}, reported, "at f"},
		{"an error of Deno", func(c *talk) {
			c.exit, c.stderr = "exit status 1",
				[]byte("error: Uncaught (in promise) TypeError: x\n    at f\n")
		}, crashed, "TypeError: x"},
		{"a signal", func(c *talk) { c.exit = "signal: segmentation fault (core dumped)" }, crashed,
			"signal"},
		{"a signal within a shell", func(c *talk) { c.exit = "exit status 139" }, crashed, "signal"},
		{"no end", func(c *talk) { c.interrupted, c.exit = "timeout", "signal: terminated" }, hung,
			"time limit"},
	} {
		c := base.talk
		c.sent = "y"
		test.change(&c)
		if got, detail := base.judge(&c); got != test.want || !strings.Contains(detail, test.detail) {
			t.Errorf("%s: %s, %s", test.name, got, detail)
		}
	}
	unsteady := *base
	unsteady.steady, unsteady.exact = false, false
	if got, _ := unsteady.judge(&talk{played: played{exit: "0"}, stdout: []byte("c"),
		sent: "x"}); got != survived {
		t.Errorf("a client that prints something else every time: %s", got)
	}
}

// TestCombinationsOfAClient: what its arguments name says over what it is run, and a fault only where it can
// show.
func TestCombinationsOfAClient(t *testing.T) {
	n := len(hook.Revisions())
	for _, test := range []struct {
		args string
		want int
	}{{"{server}", 2 * n}, {"{stdio}", n}, {"{sse}", 1}, {"{url}", n - 1}, {"", n - 1}} {
		v := &verifier{settings: &settings{}}
		if got := v.combinations([]string{"client", test.args}); len(got) != test.want {
			t.Errorf("%s: %v", test.args, got)
		}
	}
	at := combination{hook.R20251125, hook.HTTP}
	for _, n := range []fault.Needs{{Revisions: []string{hook.R20260728}}, {Transports: []string{hook.Stdio}},
		{Served: []string{hook.R20260728}}, {Process: true}} {
		if shows(n, at) {
			t.Errorf("%+v shows in %s", n, at)
		}
	}
	if !shows(fault.Needs{Revisions: []string{hook.R20251125}, Transports: []string{hook.HTTP}, PageSize: 3},
		at) {
		t.Error("a fault does not show where it can")
	}
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// outcome is how a client coped with a fault.
type outcome string

// The outcomes.
const (
	hung      outcome = "hung"       // it had to be ended
	crashed   outcome = "crashed"    // a signal, or an error that nobody caught, ended it
	otherData outcome = "other data" // it ended as without the fault, and printed something else
	reported  outcome = "reported"   // it ended with another status than without the fault
	retried   outcome = "retried"    // it printed the same, and repeated a request
	survived  outcome = "survived"   // it printed the same
	notShown  outcome = "not shown"  // nothing that it was sent differed
)

// outcomes are all of them, the worst first.
var outcomes = []outcome{hung, crashed, otherData, reported, retried, survived, notShown}

// talk is one run of the client, and what was said in it.
type talk struct {
	played
	stdout, stderr []byte
	sent           string         // what the server sent, in an order of its own
	asked          map[string]int // requests of the client, by what they say
}

// baseline is the client without a fault.
type baseline struct {
	talk
	why string // why nothing can be judged by it
	// steady says that it prints the same every time, exact that it is sent the same.
	steady, exact bool
}

// baseline runs the client twice without a fault, once for each combination and needs.
func (f *faultRun) baseline(at combination, n fault.Needs) (*baseline, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := fmt.Sprint(at, n.PageSize, n.World, n.Served, n.Authorization)
	if b := f.base[key]; b != nil {
		return b, nil
	}
	first, err := f.converse(at, n, "")
	if err != nil {
		return nil, err
	}
	b := &baseline{talk: first}
	switch {
	case first.interrupted == "interrupted":
		b.why = interruptedRun
	case first.interrupted != "":
		b.why = "without a fault the client does not come to its end in time"
	case first.exit != "0":
		b.why = "without a fault the client ends with " + first.exit
		if len(first.stderr) > 0 {
			b.why += ": " + cmp.Or(uncaught(&first), lastLine(first.stderr))
		}
	case len(first.asked) == 0:
		b.why = "without a fault the client sends no request"
	default:
		again, err := f.converse(at, n, "")
		if err != nil {
			return nil, err
		}
		b.steady, b.exact = bytes.Equal(first.stdout, again.stdout), first.sent == again.sent
	}
	f.base[key] = b
	return b, nil
}

// trial runs the client against a fault, or says why it did not.
func (f *faultRun) trial(l listed, t *faulty) error {
	if !shows(l.needs, t.combination) {
		t.why = cannotShow
		return nil
	}
	b, err := f.baseline(t.combination, l.needs)
	if err != nil {
		return err
	}
	if b.why != "" {
		t.why = fmt.Sprintf("%s, with what the fault needs: %s", t.combination, b.why)
		return nil
	}
	for range 2 { // what speaks against the client has to be so twice: a machine can be slow
		c, err := f.converse(t.combination, l.needs, l.Name)
		if err != nil {
			return err
		}
		if c.interrupted == "interrupted" {
			t.why = interruptedRun
			return nil
		}
		t.TookMS = c.took.Milliseconds()
		if t.Outcome, t.Detail = b.judge(&c); t.Outcome != hung && t.Outcome != crashed {
			break
		}
	}
	return nil
}

// judge says how a talk with a fault went, compared with one without.
func (b *baseline) judge(c *talk) (outcome, string) {
	repeated := b.repeated(c)
	switch {
	case c.interrupted != "":
		return hung, "it was ended " + cmp.Or(repeated, "at its time limit")
	case c.exit != b.exit && uncaught(c) != "":
		return crashed, fmt.Sprintf("%s: %s", c.exit, uncaught(c))
	case c.exit != b.exit:
		return reported, fmt.Sprintf("%s: %s", c.exit, lastLine(c.stderr))
	case b.exact && c.sent == b.sent:
		return notShown, ""
	case b.steady && !bytes.Equal(b.stdout, c.stdout):
		return otherData, fmt.Sprintf("it printed %s", difference(b.stdout, c.stdout))
	case repeated != "":
		return retried, repeated
	}
	return survived, ""
}

// repeated names a request that the client sent more often than without the fault.
func (b *baseline) repeated(c *talk) string {
	for _, request := range slices.Sorted(maps.Keys(c.asked)) {
		if c.asked[request] > max(b.asked[request], 1) {
			return fmt.Sprintf("after %d times %.100s", c.asked[request], request)
		}
	}
	return ""
}

// panics are what programs say that end of an error which nobody caught.
var panics = regexp.MustCompile(
	`(?m)^(panic: .*|fatal error: .*|thread '.*' panicked at.*|Traceback \(most recent call ` +
		`last\):|Exception in thread .*|Unhandled ` +
		`exception.*|.*triggerUncaughtException.*|.*UnhandledPromiseRejection.*|(error: )?Uncaught .*)$`)

// nodeError is how Node ends of such an error: a mark below where it was thrown, the error, and the version
// of Node.
var nodeError = regexp.MustCompile(`(?ms)^[ \t]*\^+\n\n?([^\n]+)\n(?:.*\n)?\nNode\.js v[0-9.]+\s*\z`)

// uncaught says by which signal or error a client ended that nobody caught; empty if there was none.
func uncaught(c *talk) string {
	if strings.HasPrefix(c.exit, "signal: ") {
		return "it was ended by a signal"
	}
	if code := strings.TrimPrefix(c.exit, "exit status "); len(code) == 3 && code > "128" && code < "160" {
		return "a shell says that a signal ended it"
	}
	if m := nodeError.FindSubmatch(c.stderr); m != nil {
		return fmt.Sprintf("%.200q", m[1])
	}
	if found := panics.Find(c.stderr); found != nil {
		return fmt.Sprintf("%.200s ... %s", found, lastLine(c.stderr))
	}
	return ""
}

// lastLine is the last line that says something, as far as it is short.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return fmt.Sprintf("%.200q", lines[len(lines)-1])
}

// difference names the first line that is another one.
func difference(was, is []byte) string {
	old, lines := strings.Split(string(was), "\n"), strings.Split(string(is), "\n")
	for i, line := range lines {
		if i >= len(old) || old[i] != line {
			return fmt.Sprintf("%.100q in line %d", line, i+1)
		}
	}
	return fmt.Sprintf("%d lines of %d", len(lines)-1, len(old)-1)
}

// converse runs the client once, against a server of its own.
func (f *faultRun) converse(at combination, n fault.Needs, name string) (c talk, err error) {
	v, args := f.prepared(at, n, name)
	var stdout, stderr bytes.Buffer
	v.stderr, v.clientOut, v.clientErr = io.Discard, &stdout, &stderr
	var journals [][]byte
	c.played, journals, err = v.session(f.cmd, args)
	if errors.Is(err, context.Canceled) {
		c.interrupted = "interrupted"
		return c, nil
	}
	c.stdout, c.stderr = stdout.Bytes(), stderr.Bytes()
	c.read(journals)
	return c, err
}

// prepared are the settings and arguments of a run.
func (f *faultRun) prepared(at combination, n fault.Needs, name string) (*verifier, []string) {
	s, v := *f.settings, *f.verifier
	v.settings = &s
	v.overrides = map[string]string{}
	s.options.Rules = slices.Clone(s.options.Rules)
	s.options.Revisions = []string{at.Revision}
	if len(n.Served) > 0 {
		s.options.Revisions = n.Served
	}
	s.options.PageSize = cmp.Or(n.PageSize, s.options.PageSize)
	if n.World != "" {
		s.world, v.overrides["world"] = n.World, n.World
	}
	s.faults = slices.Clone(s.faults)
	if name != "" {
		s.faults = append(s.faults, name)
	}
	if n.Authorization {
		v.token = hook.TokenFull
		s.options.Hooks = hook.Join(s.options.Hooks, hook.RequireBearer())
	}
	v.overrides["fault"] = strings.Join(s.faults, ",")
	v.overrides["revision"] = strings.Join(s.options.Revisions, ",")
	v.env = []string{"MCP_SERVER_REVISION=" + at.Revision, "MCP_SERVER_TRANSPORT=" + at.Transport}
	place := map[string]string{hook.Stdio: "{stdio}", hook.HTTP: "{url}", hook.SSE: "{sse}"}[at.Transport]
	var args []string
	for _, a := range f.args {
		args = append(args, strings.NewReplacer("{server}", place, "{revision}", at.Revision).Replace(a))
	}
	return &v, args
}

// read takes from journals what was said.
func (c *talk) read(journals [][]byte) {
	c.asked = map[string]int{}
	var sent []string
	for _, lines := range journals {
		for raw := range bytes.Lines(lines) {
			e := gjson.ParseBytes(raw)
			said := func(name string) string { return e.Get(name).String() }
			switch {
			case said("direction") == string(journal.Out):
				text := e.Get("message").Raw + e.Get("text").Raw + e.Get("base64").Raw
				for _, name := range []string{"session", "connection"} {
					if id := said(name); id != "" {
						text = strings.ReplaceAll(text, id, name)
					}
				}
				header := e.Get("http.header").Map()
				delete(header, "Mcp-Session-Id")
				var names []string
				for _, name := range slices.Sorted(maps.Keys(header)) {
					names = append(names, name+header[name].Raw)
				}
				sent = append(sent, strings.Join([]string{said("kind"), e.Get("http.status").Raw,
					strings.Join(names, ""), said("stream"), text}, " "))
			case said("kind") == string(journal.Request):
				c.asked[strings.TrimSpace(said("method")+" "+e.Get("message.params").Raw)]++
			case said("kind") == string(journal.Closed) && said("scope") != "":
				sent = append(sent, "closed "+said("scope")+said("reason"))
			}
		}
	}
	slices.Sort(sent)
	c.sent = strings.Join(sent, "\n")
}

package reference_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// places are a revision on each transport.
var places = [][2]string{{hook.R20250618, hook.Stdio}, {hook.R20251125, hook.HTTP},
	{hook.R20241105, hook.SSE}, {hook.R20260728, hook.HTTP}}

// TestThePagesOfRules: the examples in the documentation do what it says, on every transport.
func TestThePagesOfRules(t *testing.T) {
	var examples [][]string
	for _, name := range []string{"rules", "timeline", "worlds"} {
		page, err := os.ReadFile("../docs/mock-" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile("```yaml\n([^`]*)```\n\n```text\n([^`]*)```").FindAllStringSubmatch(
			string(page), -1)
		if len(found) == 0 {
			t.Errorf("docs/mock-%s.md has no example", name)
		}
		examples = append(examples, found...)
	}
	for i, example := range examples {
		w, err := world.Parse(fmt.Sprintf("example-%d.yaml", i), []byte(example[1]), control.Check)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range places {
			synctest.Test(t, func(t *testing.T) {
				s := reference.Start(t, w)
				c := connect(t, s.Server, place[0], place[1])
				defer c.close()
				follow(t, c, example[2])
			})
		}
	}
}

// follow sends the requests of an example, and compares what it expects.
func follow(t *testing.T, c *client, script string) {
	t.Helper()
	var answer string
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		if path, want, ok := strings.Cut(line, " = "); ok && strings.HasPrefix(line, "  ") {
			if got := gjson.Get(answer, strings.TrimSpace(path)).String(); strings.TrimSpace(got) != want {
				t.Errorf("%s over %s: %s is %q, not %q, in %s", c.revision, c.transport, path, got, want,
					answer)
			}
			continue
		}
		method, params, _ := strings.Cut(line, " ")
		if method == "wait" {
			span, err := time.ParseDuration(params)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(span) // of the bubble's clock
			synctest.Wait()
			continue
		}
		o, ok := hook.DecodeObject([]byte(params))
		if !ok {
			t.Fatalf("%q is no request", line)
		}
		answer = string(hook.Encode(c.call(method, o)))
		synctest.Wait()
	}
}

// TestExactBytes: what is written under raw, base64 and body is sent byte for byte.
func TestExactBytes(t *testing.T) {
	odd := "{\"jsonrpc\":\"2.0\",\t\"id\":1,\"result\":{\"a\":\"\xff\"}} "
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, reference.World{})
		stub := func(o operation.Operation) { s.Inject(control.Rule{Do: []operation.Operation{o}}) }
		stub(operation.Operation{On: operation.OnRequest, Method: "ping",
			Answer: &operation.Stub{Base64: base64.StdEncoding.EncodeToString([]byte(odd))}})
		conn := s.Connect()
		if _, err := io.WriteString(conn, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(odd)+1)
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != odd+"\n" {
			t.Errorf("on stdio: %q, %v", got, err)
		}
		_ = conn.Close()
		stub(operation.Operation{
			On: operation.OnHTTPRequest, When: []operation.Test{{At: "body.method", Is: "odd"}},
			Answer: &operation.Stub{Status: 299, Template: true,
				Body:   "${body.id} of ${mock.count}, ${header.X-Name}",
				Header: map[string]string{"Content-Type": "text/odd"}},
		})
		header := http.Header{"X-Name": {"it"}, "Content-Type": {"application/json"}}
		w := exchange(s.Handler(), http.MethodPost, "/mcp", []byte(`{"jsonrpc":"2.0","id":7,"method":"odd"}`),
			header)
		if w.Code != 299 || w.Body.String() != "7 of 1, it" || w.Header().Get("Content-Type") != "text/odd" {
			t.Errorf("over HTTP: %d %q %v", w.Code, w.Body, w.Header())
		}
	})
}

// TestWhichMessages: rules select by headers, by every nth and by chance, which follows the seed.
func TestWhichMessages(t *testing.T) {
	reads := func(t *testing.T, limits control.Limits, seed uint64) (failed []int) {
		synctest.Test(t, func(t *testing.T) {
			s := reference.Start(t, reference.DefaultWorld(), reference.WithSeed(seed))
			limits.Method = "resources/read"
			s.Inject(control.Rule{Fail: &control.Failure{Code: -32000, Message: "no"}, Limits: limits})
			c := connect(t, s.Server, hook.R20260728, hook.HTTP)
			defer c.close()
			for i := range 20 {
				if c.call("resources/read", object{"uri": "note:shopping"})["error"] != nil {
					failed = append(failed, i+1)
				}
			}
		})
		return failed
	}
	if got := reads(t, control.Limits{Skip: 3, Every: 5, Count: 2}, 1); !slices.Equal(got, []int{8, 13}) {
		t.Errorf("every fifth after three, twice: %v", got)
	}
	if got := reads(t, control.Limits{When: []operation.Test{{At: "header.Mcp-Method", Is: "resources/read"},
		{At: "params.uri", Matches: "^note:"}}, Count: 1}, 1); !slices.Equal(got, []int{1}) {
		t.Errorf("by header: %v", got)
	}
	if got := reads(t, control.Limits{When: []operation.Test{{At: "params.uri", Is: "note:other"}}},
		1); len(got) != 0 {
		t.Errorf("of another resource: %v", got)
	}
	first, again, other := reads(t, control.Limits{Chance: 0.5}, 1), reads(t, control.Limits{Chance: 0.5}, 1),
		reads(t, control.Limits{Chance: 0.5}, 2)
	if !slices.Equal(first, again) || slices.Equal(first, other) || len(first) < 3 || len(first) > 17 {
		t.Errorf("by chance: %v, %v, %v", first, again, other)
	}
}

// TestMistakesInRules: messages say what is wrong with a rule, with line and member, and with what may have
// been meant.
func TestMistakesInRules(t *testing.T) {
	for text, want := range map[string]string{
		"rules:\n  - fault: " +
			"page-02-last-page-cycle\n": `w.yaml:2: rules[0].fault: unknown fault ` +
			`"page-02-last-page-cycle": did you mean page-02-last-page-cycles?`,
		"rules:\n  - delay: 1s\n    fail: " +
			"{code: 1}\n": "w.yaml:2: rules[0]: do, fault, quirk, fail and delay exclude each other",
		"rules:\n  - delay: 1s\n    chance: 2\n": "w.yaml:3: rules[0].chance: must be between 0 and 1",
		"rules:\n  - delay: 1s\n    when: [{at: " +
			"param.uri}]\n": `w.yaml:3: rules[0].when[0].at: "param.uri" does not begin with header, ` +
			`params: did you mean params?`,
		"rules:\n  - delay: 1s\n    while: {a " +
			"b: c}\n": `rules[0].while: "a b" is no name of a scenario`,
		"rules:\n  - do:\n      - {on: request, answer: {message: '${mock.cont}'," +
			" code: 1}}\n": `w.yaml:3: rules[0].do[0].answer.message: ${mock.cont} is not known: there ` +
			`are mock.count`,
		"rules:\n  - do:\n      - {on: request, answer: {base64: " +
			"'?'}}\n": "w.yaml:3: rules[0].do[0].answer.base64: no standard base64",
		"states: {link: up}\nrules:\n  - delay: 1s\n    whlie: {link: up}\n": `unknown ` +
			`member "whlie": did you mean "while"?`,
	} {
		if _, err := world.Parse("w.yaml", []byte(text), control.Check); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// babbler is a server that answers as chance has it: rightly, with the right message
// mangled, with something else, several times, or not at all.
type babbler struct {
	mu    sync.Mutex
	rng   *rand.Rand
	sober int // so many messages are answered rightly at first
}

func (b *babbler) n(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rng.IntN(n)
}

// scraps are things to say that have nothing to do with what was asked.
var scraps = []string{
	"", "ready\n", "\ufeff{}", "{", "[", `[[]]`, `[1,{"jsonrpc":"2.0"}]`, "null", "7", `"x"`, "\xff\xfe\x00",
	"\r\n\r", strings.Repeat("[", 20_000),
	`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, `{"jsonrpc":"2.0","id":{},"method":7,"params":[]}`,
	`{"id":null,"error":null}`,
	`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":5}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`,
	`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":5,` +
		`"_meta":{"io.modelcontextprotocol/subscriptionId":{}}}}`,
	`{"jsonrpc":"2.0","method":"notifications/message","params":null}`,
	`{"jsonrpc":"2.0","id":1e999,"result":{}}`,
}

// oddResults are results for whatever was asked.
var oddResults = []string{
	`{}`, `[]`, `null`, `true`,
	`{"resources":[{"uri":"a:1","name":"a"},{"uri":5},7,null,{"uri":"","name":{}}],"nextCursor":"x"}`,
	`{"resources":{},"nextCursor":null}`,
	`{"resourceTemplates":[{"uriTemplate":"a:{b","name":""},{"uriTemplate":"x:{+a*}{?b:3}","name":"n"}]}`,
	`{"contents":[{"uri":"a:1","text":"x","blob":"!"},{"uri":null},[]]}`,
	`{"completion":{"values":[1,"a"],"total":-1.5,"hasMore":"no"}}`,
	`{"resultType":"input_required","inputRequests":{"a":5},"requestState":7}`,
	`{"resultType":"complete","ttlMs":-1,"cacheScope":5,"resources":[]}`,
	`{"_meta":[],"resources":[{"uri":"a:1","name":"a","icons":[{"src":"data:,"}],` +
		`"annotations":{"priority":2,"lastModified":"x"}}]}`,
}

// answer is what is said to a message.
func (b *babbler) answer(raw []byte) []string {
	m := gjson.ParseBytes(raw)
	id := m.Get("id").Raw
	if id == "" {
		if b.n(20) == 0 {
			return []string{scraps[b.n(len(scraps))]}
		}
		return nil
	}
	right := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, b.result(m))
	b.mu.Lock()
	sober := b.sober > 0
	b.sober--
	b.mu.Unlock()
	if sober {
		return []string{right}
	}
	switch b.n(12) {
	case 0:
		return nil
	case 1:
		return []string{scraps[b.n(len(scraps))], right}
	case 2:
		return []string{right, right}
	case 3:
		return []string{right[:b.n(len(right))]}
	case 4:
		mangled := []byte(right)
		mangled[b.n(len(mangled))] = byte(b.n(256))
		return []string{string(mangled)}
	case 5:
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id,
			-32603-b.n(4)*1000, scraps[b.n(4)])}
	case 6:
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id,
			oddResults[b.n(len(oddResults))])}
	case 7:
		return []string{`[` + right + `,` + right + `]`}
	}
	return []string{right}
}

// result is a result that fits, more or less.
func (b *babbler) result(m gjson.Result) string {
	capabilities := `{"resources":{"subscribe":true,"listChanged":true},"completions":{}}`
	switch m.Get("method").Str {
	case "initialize":
		return `{"protocolVersion":` + m.Get("params.protocolVersion").Raw + `,"capabilities":` +
			capabilities + `,"serverInfo":{"name":"babbler","version":"1"}}`
	case "server/discover":
		return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + capabilities +
			`}`
	case "resources/list", "resources/templates/list", "resources/read", "completion/complete":
		return oddResults[b.n(len(oddResults))]
	}
	return `{}`
}

// open is a connection on stdio. The server ends it now and then.
func (b *babbler) open(context.Context) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer func() { _ = theirs.Close() }()
		in := bufio.NewReader(theirs)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			for _, s := range b.answer(line) {
				if _, err := io.WriteString(theirs, s+"\n"); err != nil {
					return
				}
			}
			if b.n(200) == 0 {
				return
			}
		}
	}()
	return ours, nil
}

// ServeHTTP answers over Streamable HTTP or HTTP+SSE, with the head of a response and
// a framing as chance has them.
func (b *babbler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	said := b.answer(body)
	if b.n(8) == 0 {
		w.Header().Set("Mcp-Session-Id", scraps[b.n(4)])
	}
	kind := []string{"application/json", "application/json", "text/event-stream", "text/html; charset",
		"application/json; charset=\xff"}[b.n(5)]
	if r.Method == http.MethodGet {
		kind = "text/event-stream"
		said = []string{scraps[b.n(len(scraps))]}
	}
	w.Header().Set("Content-Type", kind)
	if b.n(10) == 0 {
		w.WriteHeader([]int{202, 204, 400, 404, 405, 406, 429, 500, 503}[b.n(9)])
	}
	for _, s := range said {
		if kind == "text/event-stream" {
			s = []string{"data: ", "data:", "event: x\ndata: ", "", "id: 1\nretry: 5\ndata: "}[b.n(5)] + s +
				"\n\n"
		}
		_, _ = io.WriteString(w, s) // a client that has gone needs no answer
	}
	if b.n(100) == 0 {
		panic(http.ErrAbortHandler)
	}
}

// garbage is a whole run against a babbler, in one combination.
func garbage(t *testing.T, seed uint64, c requirement.Combination, sober int) {
	over := c.Transport
	synctest.Test(t, func(t *testing.T) {
		b := &babbler{rng: rand.New(rand.NewPCG(seed, 7)), sober: sober}
		e := target.Endpoint{Name: "babbler"}
		if over == requirement.Stdio {
			e.Pipe = b.open
		} else {
			e.Handler, e.Forced = b, over
		}
		begin := time.Now()
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{Endpoints: []target.Endpoint{e},
				Revisions: []requirement.Revision{c.Revision}}, Tool: reports.Tool{Name: "test"},
			Limits: target.Limits{Budget: time.Minute, Timeout: time.Second, StartTimeout: 2 * time.Second,
				Reads: 5},
			SecurityProbes: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Unreachable() == "" {
			r.Execute(t.Context())
		}
		if took := time.Since(begin); took > 3*time.Minute {
			t.Errorf("seed %d: it took %v", seed, took)
		}
		report := r.Report(false)
		for _, x := range report.Results {
			if x.ReasonCode == string(recording.CodePanic) {
				t.Errorf("seed %d: %s in %s over %s: %s", seed, x.ID, x.Revision, x.Transport, x.Reason)
			}
		}
		if r.Unreachable() != "" {
			return
		}
		again := rejudged(t, r)
		if got, want := verdicts(again), verdicts(report); got != want {
			t.Errorf("seed %d: judged again %s\nat first %s", seed, got, want)
		}
	})
}

// Whatever a server says, a run ends, in time, without a defect of our own, and its
// recording leads to the same verdicts.
func FuzzGarbage(f *testing.F) {
	all := requirement.Grid()
	for i := range all {
		f.Add(uint64(i), uint8(i), uint8(40))
	}
	f.Fuzz(func(t *testing.T, seed uint64, combination, sober uint8) {
		garbage(t, seed, all[int(combination)%len(all)], int(sober))
	})
}

// mumbler meets versions that it does not know with one that is no UTF-8, and takes every other for what it
// is.
type mumbler struct{}

func (mumbler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	if !m.Get("id").Exists() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	version := m.Get("params.protocolVersion").Raw
	if m.Get("method").Str == "initialize" && !strings.Contains(version, "2025-11-25") &&
		!strings.Contains(version, "\ufffd") {
		version = "\"2025-\x891-25\""
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w,
		`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{"resources":{}},`+
			`"serverInfo":{"name":"m","version":"1"},"resources":[]}}`,
		m.Get("id").Raw, version)
}

// A version that is offered is asked for as it is, or not at all: another one that comes of it proves
// nothing.
func TestOfferThatIsNoText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{Endpoints: []target.Endpoint{{Handler: mumbler{},
				Forced: requirement.HTTP}}, Revisions: []requirement.Revision{requirement.R20251125}},
			Tool: reports.Tool{Name: "test"}, Select: func(row Row) bool {
				return row.Requirement.ID == "LIFE-03"
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		got, again := verdicts(r.Report(false)), verdicts(rejudged(t, r))
		if got != "LIFE-03:pass" || again != got {
			t.Errorf("%s, judged again %s", got, again)
		}
	})
}

package engine

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
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

// copies is a program of four revisions that takes a second for a list.
type copies struct {
	// list is the answer to a list, or nothing; told are the lists that were asked for before.
	list func(version string, told, standing int) string

	mu       sync.Mutex
	standing int
	told     map[string]int
	busy     int           // how many more reads take half a second
	wrong    time.Duration // how long it takes to refuse a list of templates as it should not
}

const (
	aList  = `"result":{"resources":[]}`
	noList = `"error":{"code":-32603,"message":"the database is locked"}`
)

func (c *copies) open(context.Context) (io.ReadWriteCloser, error) {
	ours, theirs := net.Pipe()
	c.count(1)
	go func() {
		defer c.count(-1)
		defer func() { _ = theirs.Close() }()
		version := ""
		for in := bufio.NewScanner(theirs); in.Scan(); {
			m := gjson.ParseBytes(in.Bytes())
			version = cmp.Or(m.Get("params.protocolVersion").Str, version)
			respond := func(version string) {
				if answer := c.answer(m.Get("method").Str, version); m.Get("id").Exists() && answer != "" {
					_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.Get("id").Raw, answer)
				}
			}
			if c.wrong > 0 {
				go respond(version)
			} else {
				respond(version)
			}
		}
	}()
	return ours, nil
}

func (c *copies) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.standing += n
}

func (c *copies) answer(method, version string) string {
	switch method {
	case "initialize":
		return `"result":{"protocolVersion":"` + version +
			`","capabilities":{"resources":{}},"serverInfo":{"name":"copies","version":"1"}}`
	case "ping":
		return `"result":{}`
	case "resources/read":
		c.mu.Lock()
		c.busy--
		busy := c.busy >= 0
		c.mu.Unlock()
		if busy {
			time.Sleep(time.Second / 2)
		}
		return `"error":{"code":-32002,"message":"Resource not found"}`
	case "resources/templates/list":
		time.Sleep(c.wrong)
		return noList
	case "resources/list":
		time.Sleep(time.Second)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.told == nil {
			c.told = map[string]int{}
		}
		c.told[version]++
		return c.list(version, c.told[version], c.standing)
	}
	return `"error":{"code":-32601,"message":"no"}`
}

// run judges CAP-06, which asks for one list. It returns the verdicts, and how long the
// confirmation took.
func (c *copies) run(t *testing.T) (string, time.Duration) {
	t.Helper()
	var confirming time.Time
	r, err := Prepare(t.Context(), Config{
		Target: &target.Target{Endpoints: []target.Endpoint{{Name: "copies", Pipe: c.open,
			Command: []string{"copies"}}}},
		Tool: reports.Tool{Name: "test"},
		Select: func(row Row) bool {
			return row.Requirement.ID == "CAP-06" && row.Combination.Revision != requirement.R20260728
		},
		Progress: func(e Event) {
			if e.Kind == Confirming {
				confirming = time.Now()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Execute(t.Context())
	took := time.Duration(0)
	if !confirming.IsZero() {
		took = time.Since(confirming)
	}
	report := r.Report(false)
	again := rejudged(t, r)
	if a, b := encoded(t, report), encoded(t, again); a != b {
		t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
	}
	return strings.ReplaceAll(verdicts(report), "CAP-06:", ""), took
}

// A repetition in one revision speaks for the others, unless the copies are the reason.
func TestRepetitionsSpeakForSiblings(t *testing.T) {
	for name, c := range map[string]struct {
		list  func(version string, told, standing int) string
		want  string
		units int // repetitions one after the other
	}{
		"nothing is red":        {func(string, int, int) string { return aList }, "pass pass pass pass", 0},
		"it is red in any case": {func(string, int, int) string { return noList }, "warn warn warn warn", 1},
		"copies are in the way": {func(_ string, told, standing int) string {
			if told == 1 || standing > 1 { // at first each may be the last that stands
				return noList
			}
			return aList
		}, "pass pass pass pass inconsistent inconsistent inconsistent inconsistent", 4},
		"one of them is red": {func(version string, _, _ int) string {
			if version == "2025-06-18" {
				return noList
			}
			return aList
		}, "pass pass warn pass", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, took := (&copies{list: c.list}).run(t)
				if got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
				if units := int(took / time.Second); units != c.units {
					t.Errorf("the confirmation took %v", took)
				}
			})
		})
	}
}

// A machine that was too busy for an answer is not told from a target that gives none but
// by asking again.
func TestBlockedVerdictsAreRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		list func(version string, told, standing int) string
		want string
	}{
		"it answers the second time": {func(version string, told, _ int) string {
			if version == "2025-06-18" && told == 1 {
				return ""
			}
			return aList
		}, "pass pass pass pass inconsistent"},
		"it never answers": {func(version string, _, _ int) string {
			if version == "2025-06-18" {
				return ""
			}
			return aList
		}, "pass pass blocked:no-answer pass"},
		"it is red, silent, and red again": {func(version string, told, _ int) string {
			switch {
			case version == "2025-06-18" && told == 2:
				return ""
			case version == "2025-06-18":
				return noList
			}
			return aList
		}, "pass pass warn pass"},
		"it is red, and silent ever after": {func(version string, told, _ int) string {
			switch {
			case version == "2025-06-18" && told > 1:
				return ""
			case version == "2025-06-18":
				return noList
			}
			return aList
		}, "pass pass blocked:unconfirmed pass"},
		"it is red the second time": {func(version string, told, _ int) string {
			switch {
			case version == "2025-06-18" && told == 1:
				return ""
			case version == "2025-06-18":
				return noList
			}
			return aList
		}, "pass pass blocked:unconfirmed pass inconsistent"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got, _ := (&copies{list: c.list}).run(t); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

// A pass for which fewer probes were sent than there are, since the machine was busy, is repeated
// with more time; where that is not enough either, the observation stays.
func TestSamplesAreRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		busy int // reads that take their time
		want string
	}{
		"it was busy":    {40, "URI-08:pass"},
		"it is slow":     {1000, "URI-08:pass corpus-cut-short"},
		"it is not busy": {0, "URI-08:pass"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := &copies{list: func(string, int, int) string { return aList }, busy: c.busy}
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{Endpoints: []target.Endpoint{{Name: "slow", Pipe: slow.open,
						Command: []string{"slow"}}},
						Revisions: []requirement.Revision{requirement.R20251125}},
					Tool: reports.Tool{Name: "test"}, Select: func(row Row) bool {
						return row.Requirement.ID == "URI-08"
					}, Limits: target.Limits{Budget: time.Hour}, SecurityProbes: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				if got := verdicts(r.Report(false)); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}

// Where the time for the whole run ends while it is judged what was played, that is why nothing
// was repeated, and not the target.
func TestTimeThatEndsBeforeTheRepetition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &copies{list: func(string, int, int) string { return noList }}
		ctx, cancel := context.WithCancelCause(t.Context())
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{
				Endpoints: []target.Endpoint{{Name: "slow", Pipe: slow.open, Command: []string{"slow"}}},
				Revisions: []requirement.Revision{requirement.R20251125},
			},
			Tool: reports.Tool{Name: "test"}, Select: func(row Row) bool {
				return row.Requirement.ID == "CAP-06"
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		c := r.Combinations()[0]
		r.rounds = nil
		red := r.row(r.Rows()[0], r.Take(c))
		r.results = &results{started: make(chan struct{})}
		r.results.expect(r.rows)
		cancel(ErrBudget)
		r.judge(ctx)
		red = r.results.given(red.Row)
		if want := "not confirmed: " + ErrBudget.Error(); !strings.HasSuffix(red.Reason, want) ||
			r.ended != ErrBudget {
			t.Errorf("%s, %q, the run ended by %v", red.Outcome, red.Reason, r.ended)
		}
	})
}

// A repetition that sends fewer of many probes than the first play did clears nobody: what was red may be
// among those that it left out.
func TestARepetitionOfFewerProbes(t *testing.T) {
	take := func(tried int) *Take {
		rec := &recording.Recording{}
		if tried > 0 {
			rec.Cut = &recording.Cut{Tried: tried, Of: 89, Reason: "the target is slow"}
		}
		return &Take{Recordings: map[recording.Name]*recording.Recording{recording.Traversal: rec}}
	}
	for _, c := range []struct {
		first, second int // 0 is all of them
		says          bool
	}{{0, 0, true}, {0, 32, false}, {48, 32, false}, {32, 48, true}, {32, 0, true}} {
		if why := cutOff([]recording.Name{recording.Traversal}, take(c.first),
			take(c.second)); (why == "") != c.says {
			t.Errorf("%d probes, then %d: %q", c.first, c.second, why)
		}
	}
}

// A run against what starts slowly is given more time, unless the caller says how much.
func TestBudgetFollowsDetection(t *testing.T) {
	const given = 10 * time.Minute
	for _, c := range []struct{ starts, given, want time.Duration }{
		{0, 0, 5 * time.Minute}, {6 * time.Second, 0, 10 * time.Minute},
		{25 * time.Second, 0, 30 * time.Minute}, {6 * time.Second, given, given},
	} {
		synctest.Test(t, func(t *testing.T) {
			slow := &copies{list: func(string, int, int) string { return aList }}
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{
					Endpoints: []target.Endpoint{{Name: "slow", Command: []string{"slow"},
						Pipe: func(ctx context.Context) (io.ReadWriteCloser, error) {
							time.Sleep(c.starts)
							return slow.open(ctx)
						}}},
					Revisions: []requirement.Revision{requirement.R20251125},
				},
				Tool:   reports.Tool{Name: "test"},
				Limits: target.Limits{Budget: c.given}, Select: func(row Row) bool {
					return row.Requirement.ID == "CAP-06"
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Deadline().Sub(r.began); got != c.want {
				t.Errorf("starts in %v, %v given: %v", c.starts, c.given, got)
			}
			r.Execute(t.Context())
		})
	}
}

package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/tidwall/gjson"
)

// Which resources stay unread, because those before them are plenty, depends on the
// list alone, however long each answer takes.
func TestPlentyIsReadInTheOrderOfTheList(t *testing.T) {
	const resources, reads = 20, 9
	text := strings.Repeat("x", scenario.Plenty/reads+1)
	uris := make([]string, resources)
	for i := range uris {
		uris[i] = fmt.Sprint("x:", i)
	}
	for name, delay := range map[string]func(i int) time.Duration{
		"alike":      func(int) time.Duration { return time.Second },
		"first last": func(i int) time.Duration { return time.Duration(resources-i) * time.Second },
		"one far behind": func(i int) time.Duration {
			return map[bool]time.Duration{true: 8 * time.Second}[i == 2]
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t,
					&scenariotest.Server{Script: func(n int64, m gjson.Result, say func(
						string, ...any)) bool {
						var i int
						if _, err := fmt.Sscanf(m.Get("params.uri").Str, "x:%d", &i); err != nil {
							return scenariotest.Lively(n, m, say)
						}
						go func() {
							time.Sleep(delay(i))
							say(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":"x:%d","text":%q}]}}`,
								m.Get("id").Raw, i, text)
						}()
						return true
					}})
				st.Limits.Timeout = time.Minute
				all := scenario.Common()
				sc := all[slices.IndexFunc(all, func(sc *scenario.Scenario) bool {
					return sc.Name == recording.Reads
				})]
				rec := scenario.Perform(t.Context(), st.Stage, sc, map[recording.Name]*recording.Recording{
					recording.WalkResources: scenario.ListedAs("resources", "uri", uris...),
				})
				var got []string
				for _, x := range rec.Steps("read") {
					got = append(got, x.Tags["uri"])
				}
				if want := strings.Join(uris[:reads], " "); strings.Join(got, " ") != want {
					t.Errorf("read %s, want %s", got, want)
				}
				if rec.Skipped == nil || !strings.HasPrefix(rec.Skipped.Reason,
					"11 resources were not read") {
					t.Errorf("skipped: %v", rec.Skipped)
				}
				st.Close()
			})
		})
	}
}

// Where a list was not answered nothing is known of what it holds: what needs it is blocked, and the user
// cannot help it.
func TestUnansweredLists(t *testing.T) {
	for name, c := range map[string]struct {
		outcome recording.Outcome
		broken  recording.Code
		skipped recording.Code
	}{
		"silent": {recording.Silent, recording.CodeNoAnswer, ""},
		"empty":  {recording.Replied, "", recording.CodeNeedsSubject},
	} {
		for _, of := range []recording.Name{recording.Reads, recording.MissingReads} {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t, &scenariotest.Server{Script: scenariotest.Lively})
				walk := &recording.Recording{Exchanges: []*recording.Exchange{{Step: recording.StepPage,
					Method: "resources/list", Outcome: c.outcome, Request: 7}}}
				all := scenario.Common()
				sc := all[slices.IndexFunc(all, func(sc *scenario.Scenario) bool { return sc.Name == of })]
				rec := scenario.Perform(t.Context(), st.Stage, sc,
					map[recording.Name]*recording.Recording{recording.WalkResources: walk,
						recording.WalkTemplates: {}})
				var broken, skipped recording.Code
				if rec.Broken != nil {
					broken = rec.Broken.Code
				}
				if rec.Skipped != nil {
					skipped = rec.Skipped.Code
				}
				if broken != c.broken || skipped != c.skipped || rec.Broken != nil &&
					!slices.Equal(rec.Broken.Frames, []int{7}) {
					t.Errorf("%s: %s is broken by %q, skipped by %q: %+v", name, of, broken, skipped,
						rec.Broken)
				}
				st.Close()
			})
		}
	}
}

// The read that costs sessions is named, the others get their answers, and a target
// that cannot bear much is left in peace.
func TestReadAll(t *testing.T) {
	var many []scenario.URIRead
	for i := range 100 {
		many = append(many, scenario.URIRead{"read", fmt.Sprint("x:", i), nil})
	}
	deadly := func(every int) *scenariotest.Server {
		return &scenariotest.Server{Script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
			var i int
			if _, err := fmt.Sscanf(m.Get("params.uri").Str, "x:%d", &i); err == nil && i%every == 3 {
				return false
			}
			return scenariotest.Lively(n, m, say)
		}}
	}
	slow := func(each time.Duration) *scenariotest.Server {
		return &scenariotest.Server{Script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
			time.Sleep(each)
			return scenariotest.Lively(n, m, say)
		}}
	}
	for name, c := range map[string]struct {
		server       *scenariotest.Server
		reads, fatal int
		most         int64
		patience     int
		brokenOff    bool
	}{
		"in order":       {&scenariotest.Server{Script: scenariotest.Lively}, 100, 0, 1, 0, false},
		"one kills":      {deadly(100), 100, 1, 20, 0, false},
		"many kill":      {deadly(8), 32, 4, 50, 0, true},
		"slow":           {slow(time.Second), 32, 0, 1, 0, true},
		"held up":        {slow(80 * time.Millisecond), 100, 0, 1, 0, false},
		"slow, repeated": {slow(150 * time.Millisecond), 100, 0, 1, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t, c.server)
				st.Limits.Timeout, st.Limits.Patience = time.Minute, c.patience
				rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
					if client, ok := p.Expendable(); ok {
						scenario.ReadAll(client, many)
					}
				})
				reads, fatal := 0, 0
				for _, x := range rec.Steps("read") {
					reads++
					if x.Fatal {
						fatal++
					} else if x.Outcome != recording.Replied {
						t.Errorf("%s: %s", x.Params, x.Outcome)
					}
				}
				if cut := rec.Cut; (cut != nil) != c.brokenOff || cut != nil &&
					(cut.Tried != reads || cut.Of != len(many)) {
					t.Errorf("%d reads, cut %v", reads, cut)
				}
				if reads != c.reads || fatal != c.fatal || c.server.Conns.Load() > c.most ||
					(rec.Skipped != nil) != c.brokenOff {
					t.Errorf("%d reads, %d fatal, %d connections, %v", reads, fatal, c.server.Conns.Load(),
						rec.Skipped)
				}
				st.Close()
			})
		})
	}
}

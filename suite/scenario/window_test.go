package scenario_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

// starting is what a process takes until it has started, and is quick from then on.
const starting = 2 * time.Second

// sluggish is a server that takes a while for what it answers, and answers a probe that much
// later than the sign of life that was asked for after it.
func sluggish(takes, late time.Duration) *scenariotest.Server {
	lives := 0
	return &scenariotest.Server{Script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
		switch m.Get("method").Str {
		case "probe":
			time.AfterFunc(takes+late,
				func() { say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.Get("id").Raw) })
			return true
		case "initialize":
		case "ping":
			if lives++; takes != starting || lives == 1 {
				time.Sleep(takes)
			}
		default:
			time.Sleep(takes)
		}
		return scenariotest.Lively(n, m, say)
	}}
}

// How long an answer is waited for follows what a sign of life takes at that time, and is
// longer where a verdict is repeated. The window of silence of the stage is one second.
func TestWindowsFollowWhatWasMeasured(t *testing.T) {
	for name, c := range map[string]struct {
		takes, late time.Duration
		patience    int
		want        recording.Outcome
		most        time.Duration
	}{
		"a quick target is not waited for long": {time.Millisecond, time.Minute, 0, recording.Silent,
			400 * time.Millisecond},
		"a late answer of a quick one": {time.Millisecond, 300 * time.Millisecond, 0,
			recording.Replied, 400 * time.Millisecond},
		"one that comes later": {time.Millisecond, 900 * time.Millisecond, 0,
			recording.Silent, 400 * time.Millisecond},
		"the same, repeated": {time.Millisecond, 900 * time.Millisecond, 3,
			recording.Replied, time.Second},
		"a busy machine": {300 * time.Millisecond, 2500 * time.Millisecond, 0,
			recording.Replied, 3 * time.Second},
		"one that has just started": {starting, time.Minute, 0, recording.Silent,
			starting + 400*time.Millisecond},
		"a very busy one": {5 * time.Second, time.Minute, 0, recording.Silent,
			20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, probe := range []func(*scenario.Client) *recording.Exchange{
					func(c *scenario.Client) *recording.Exchange {
						return c.Probes(session.Request{Step: "probe", Method: "probe"})[0]
					},
					func(c *scenario.Client) *recording.Exchange {
						return c.Probes(session.Request{Step: "probe", Method: "probe"})[0]
					},
				} {
					st := scenariotest.Stage(t, sluggish(c.takes, c.late))
					st.Limits.Patience = c.patience
					scenariotest.Perform(t, st, func(p *scenario.Play) {
						client, ok := p.Fresh(session.Options{Kind: recording.Probe})
						if !ok {
							t.Fatal("there is no session")
						}
						began := time.Now()
						x := probe(client)
						if took := time.Since(began); x.Outcome != c.want || took > c.most {
							t.Errorf("%s after %v: %s", x.Outcome, took, x.Reason)
						}
					})
				}
			})
		})
	}
}

func TestPatience(t *testing.T) {
	for name, c := range map[string]struct {
		takes    time.Duration
		patience int
		want     time.Duration
	}{
		"a quick target":       {time.Millisecond, 0, time.Second},
		"the same, repeated":   {time.Millisecond, 3, 3 * time.Second},
		"a slow one":           {40 * time.Millisecond, 0, 2 * time.Second},
		"no more than allowed": {time.Second, 3, 10 * time.Second},
		"it does not answer":   {time.Minute, 0, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t, sluggish(c.takes, 0))
				st.Limits.Patience = c.patience
				scenariotest.Perform(t, st, func(p *scenario.Play) {
					if client, ok := p.Clean(); !ok {
						t.Error("there is no session")
					} else if got := client.Patience(time.Second); got != c.want {
						t.Errorf("%v", got)
					}
				})
			})
		})
	}
}

// deafening is a server that starts for a while, takes a while for each answer, and gives none any
// more once it was sent a probe.
func deafening(starts, takes time.Duration) *scenariotest.Server {
	var deaf sync.Map // by connection
	return &scenariotest.Server{Greeting: starts,
		Script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
			if m.Get("method").Str == "probe" {
				deaf.Store(n, true)
			}
			if _, silent := deaf.Load(n); silent {
				return m.Get("method").Str != "ping" // a ping is not answered either
			}
			time.Sleep(takes)
			return scenariotest.Lively(n, m, say)
		}}
}

// A process that a probe makes deaf is waited for as long as it has shown to need, twice: with what
// was sent before, and alone.
func TestDeafnessIsKnownSoon(t *testing.T) {
	for name, c := range map[string]struct {
		starts, takes time.Duration
		patience      int
		shared, alone time.Duration // the waits
	}{
		"a quick target": {10 * time.Millisecond, time.Millisecond, 0, 3 * time.Second,
			3 * time.Second},
		"the same, repeated": {10 * time.Millisecond, time.Millisecond, 2, 3 * time.Second,
			10 * time.Second},
		"one whose process starts slowly": {7 * time.Second, time.Millisecond, 0, 7 * time.Second,
			7 * time.Second},
		"a slow one": {10 * time.Millisecond, 100 * time.Millisecond, 0, 5 * time.Second,
			5 * time.Second},
		"no more than allowed": {10 * time.Millisecond, time.Second, 2, 10 * time.Second,
			10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t, deafening(c.starts, c.takes))
				st.Limits.Patience = c.patience
				scenariotest.Perform(t, st, func(p *scenario.Play) {
					client, ok := p.Expendable()
					if !ok {
						t.Fatal("there is no session")
					}
					client.Do(session.Request{Step: "known", Method: "known"})
					began := time.Now()
					x := client.Probes(session.Request{Step: "probe", Method: "probe"})[0]
					waited := time.Since(began) - 2*c.starts // of the second process, and of the next
					if !x.Fatal || waited < c.shared+c.alone || waited > c.shared+c.alone+4*c.takes {
						t.Errorf("%s, fatal %t, after %v: %s", x.Outcome, x.Fatal, waited, x.Reason)
					}
				})
			})
		})
	}
}

package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// What several sessions show, each by itself and at a time of its own, is confirmed by that if it cannot be
// repeated, and if there are three also if a repetition does not show it; what one session shows often, or several at once, is not.
func TestSeenTwice(t *testing.T) {
	const window = 300 * time.Millisecond
	for name, c := range map[string]struct {
		ids      [][]string        // of the requests that a server sends, by session
		late     [][]time.Duration // when it sends them
		repeated bool
		want     verdict.Outcome
	}{
		"two sessions":                  {[][]string{{`1`, `1`}, {`1`, `1`}}, [][]time.Duration{{0, 1}, {0, time.Second}}, false, verdict.Fail},
		"two sessions, but not again":   {[][]string{{`1`, `1`}, {`1`, `1`}}, [][]time.Duration{{0, 1}, {0, time.Second}}, true, verdict.Pass},
		"three sessions, but not again": {[][]string{{`1`, `1`}, {`1`, `1`}, {`1`, `1`}}, [][]time.Duration{{0, 1}, {0, time.Second}, {0, 2 * time.Second}}, true, verdict.Fail},
		"three at once, but not again":  {[][]string{{`1`, `1`}, {`1`, `1`}, {`1`, `1`}}, [][]time.Duration{{0, 1}, {0, 2}, {0, time.Second}}, true, verdict.Pass},
		"one session, often":            {[][]string{{`1`, `1`, `1`, `1`}, {`1`}}, [][]time.Duration{{0, 1, time.Second, 2 * time.Second}, {0}}, false, verdict.Blocked},
		"two sessions at once":          {[][]string{{`1`, `1`}, {`1`, `1`}}, [][]time.Duration{{0, time.Second}, {0, time.Second + window}}, false, verdict.Blocked},
		"two sessions, for two reasons": {[][]string{{`1`, `1`}, {`true`}}, [][]time.Duration{{0, 1}, {time.Second}}, false, verdict.Blocked},
	} {
		t.Run(name, func(t *testing.T) {
			at := requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}
			facts := &recording.Facts{Combination: at, Notes: map[string]string{}}
			all := &recording.Recording{Scenario: recording.Everything, Combination: at, Facts: facts}
			for i, ids := range c.ids {
				s := &recording.Session{ID: fmt.Sprint("s", i), Kind: recording.Clean}
				all.Sessions = append(all.Sessions, s)
				for n, id := range ids {
					all.Frames = append(all.Frames, wire.Frame{Number: len(all.Frames) + 1, Session: s.ID, At: c.late[i][n], Channel: "stdout", Dir: wire.In,
						Raw: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)})
				}
			}
			r := &Run{cfg: Config{Target: &target.Target{}, QuietWindow: window}.withDefaults(), takes: map[requirement.Combination]*Take{}, again: map[requirement.Combination]*Take{}}
			r.catalogue = catalogue{Set: area.BuiltIn()}
			r.prepare()
			first, again := newTake(facts), newTake(facts)
			first.Recordings[recording.Everything] = all
			again.Recordings[recording.Everything] = &recording.Recording{Scenario: recording.Everything, Combination: at, Facts: facts,
				Frames: []wire.Frame{{Number: 100, Session: "s9", Channel: "stdout", Dir: wire.In, Raw: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}}}
			if r.takes[at] = first; c.repeated {
				r.again[at] = again
			}
			req, _ := area.Catalogue().Find("RPC-21")
			j := r.row(Row{Requirement: req, Combination: at}, first)
			if j.Outcome != verdict.Fail {
				t.Fatalf("at first: %+v", j.Result)
			}
			r.conclude(j)
			if j.Outcome != c.want {
				t.Errorf("%s (%s), want %s", j.Outcome, j.Reason, c.want)
			}
		})
	}
}

// A repetition in which nothing was recorded is told of in words that a reader can do something with, not by the name of a recording.
func TestARepetitionOfNothing(t *testing.T) {
	first := &Judgement{Result: verdict.Result{Outcome: verdict.Fail, Actual: "a late answer"}}
	settle(first, &Judgement{Result: verdict.Result{Outcome: verdict.NotApplicable, Code: recording.CodeCombination, Reason: `the scenario "everything" does not apply here`}}, "")
	if want := "seen once (fail, a late answer) and not confirmed: its repetition left nothing to judge it by"; first.Outcome != verdict.Blocked || first.Reason != want {
		t.Errorf("%+v", first.Result)
	}
}

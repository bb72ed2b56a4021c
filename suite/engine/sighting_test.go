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

// Red needs two sightings, of which one is calm, or three, and three against a calm one that shows otherwise.
// Siblings count where they are calm, and never against that.
func TestWeigh(t *testing.T) {
	first, round, other := Sighting{Shows: true}, Sighting{Shows: true, Calm: true}, Sighting{Calm: true}
	sibling, hasty := Sighting{Shows: true, Calm: true, Sibling: true}, Sighting{Shows: true, Sibling: true}
	for name, c := range map[string]struct {
		need    int
		all     []Sighting
		want    Standing
		missing int
		over    bool
	}{
		"once":                            {2, []Sighting{first}, Unconfirmed, 1, false},
		"twice":                           {2, []Sighting{first, round}, Confirmed, 0, false},
		"twice, never calmly":             {2, []Sighting{first, first}, Unconfirmed, 1, false},
		"twice, never calmly, at the end": {2, []Sighting{first, first}, Confirmed, 0, true},
		"once, at the end":                {2, []Sighting{first}, Unconfirmed, 1, true},
		"three times, never calmly":       {2, []Sighting{first, first, first}, Confirmed, 0, false},
		"a sibling, calmly":               {2, []Sighting{first, sibling}, Confirmed, 0, false},
		"a sibling, hastily": {2, []Sighting{first, hasty, hasty, hasty}, Unconfirmed, 1,
			false},
		"not calmly":               {2, []Sighting{first, other}, Refuted, 0, false},
		"not calmly, twice before": {2, []Sighting{first, first, other}, Refuted, 0, false},
		"not calmly, three times before": {2, []Sighting{first, first, first, other}, Confirmed, 0,
			false},
		"not calmly, but so does a sibling": {2, []Sighting{first, other, sibling, sibling}, Refuted, 0,
			false},
		"a sibling that shows otherwise": {2, []Sighting{first, round, {Calm: true, Sibling: true}},
			Confirmed, 0, false},
		"an accident, three times": {4, []Sighting{first, round, round}, Unconfirmed, 1, false},
		"an accident, four times": {4, []Sighting{first, round, round, round}, Confirmed, 0,
			false},
		"an accident, three times, then not": {4, []Sighting{first, round, round, other}, Unconfirmed, 0,
			false},
		"an accident, twice, then not": {4, []Sighting{first, round, other}, Refuted, 0, false},
		"one of an erratic target, six times": {8, []Sighting{first, round, round, round, round, round},
			Unconfirmed, 2, false},
	} {
		if got, missing := weigh(c.need, c.over, c.all); got != c.want || missing != c.missing {
			t.Errorf("%s: %d and %d missing, want %d and %d", name, got, missing, c.want, c.missing)
		}
	}
}

// Sessions show something often if each does by itself and at another time; what one session shows often, or
// several at once, was seen once.
func TestShowing(t *testing.T) {
	const window = 300 * time.Millisecond
	for name, c := range map[string]struct {
		ids  [][]string        // of the requests that a server sends, by session
		late [][]time.Duration // when it sends them
		want int
	}{
		"two sessions": {[][]string{{`1`, `1`}, {`1`, `1`}},
			[][]time.Duration{{0, 1}, {0, time.Second}}, 2},
		"three sessions": {[][]string{{`1`, `1`}, {`1`, `1`}, {`1`, `1`}},
			[][]time.Duration{{0, 1}, {0, time.Second}, {0, 2 * time.Second}}, 3},
		"three, two of them at once": {[][]string{{`1`, `1`}, {`1`, `1`}, {`1`, `1`}},
			[][]time.Duration{{0, 1}, {0, 2}, {0, time.Second}}, 2},
		"one session, often": {[][]string{{`1`, `1`, `1`, `1`}, {`1`}},
			[][]time.Duration{{0, 1, time.Second, 2 * time.Second}, {0}}, 1},
		"two sessions at once": {[][]string{{`1`, `1`}, {`1`, `1`}},
			[][]time.Duration{{0, time.Second}, {0, time.Second + window}}, 1},
		"two sessions, for two reasons": {[][]string{{`1`, `1`}, {`true`}},
			[][]time.Duration{{0, 1}, {time.Second}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			at := requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}
			facts := &recording.Facts{Combination: at, Notes: map[string]string{}}
			all := &recording.Recording{Scenario: recording.Everything, Combination: at, Facts: facts}
			for i, ids := range c.ids {
				s := &recording.Session{ID: fmt.Sprint("s", i), Kind: recording.Clean}
				all.Sessions = append(all.Sessions, s)
				for n, id := range ids {
					all.Frames = append(all.Frames, wire.Frame{Number: len(all.Frames) + 1, Session: s.ID,
						At: c.late[i][n], Channel: "stdout", Dir: wire.In,
						Raw: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)})
				}
			}
			r := &Run{cfg: Config{Target: &target.Target{},
				Limits: target.Limits{QuietWindow: window}}.withDefaults(),
				takes: round{}}
			r.catalogue = catalogue{Set: area.BuiltIn()}
			r.prepare()
			first := newTake(facts)
			first.Recordings[recording.Everything] = all
			r.takes[at] = first
			req, _ := area.Catalogue().Find("RPC-21")
			j := r.row(Row{Requirement: req, Combination: at}, first)
			if got := r.showing(j); j.Outcome != verdict.Fail || got != c.want {
				t.Errorf("%+v: %d times, want %d", j.Result, got, c.want)
			}
		})
	}
}

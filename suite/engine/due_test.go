package engine

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// What has processes of its own does not wait for the phases before it, unless connections
// share a server, or only so many may stand.
func TestDue(t *testing.T) {
	none, changed := target.Triggers{}, target.Triggers{Add: &target.Trigger{}}
	for name, c := range map[string]struct {
		transport requirement.Transport
		owned     bool
		in        scenario.Session
		limit     *pool.Limit
		triggers  target.Triggers
		want      scenario.Phase
	}{
		"processes":           {requirement.Stdio, true, scenario.Unopened, nil, none, scenario.Read},
		"sessions are shared": {requirement.Stdio, true, scenario.Any, nil, none, scenario.Destructive},
		"one server":          {requirement.HTTP, false, scenario.Own, nil, none, scenario.Destructive},
		"a single instance": {requirement.Stdio, true, scenario.Unopened, pool.Connections(1), none,
			scenario.Destructive},
		"a repetition": {requirement.Stdio, true, scenario.Unopened, pool.Turns(), none,
			scenario.Destructive},
		"it is changed": {requirement.Stdio, true, scenario.Unopened, nil, changed,
			scenario.Destructive},
	} {
		facts := &recording.Facts{Owned: c.owned,
			Combination: requirement.Combination{Revision: requirement.R20251125, Transport: c.transport}}
		st := pool.New(&scenario.Stage{Combination: facts.Combination, Facts: facts,
			Target: &target.Target{Triggers: c.triggers}}, pool.Options{Limit: c.limit})
		if got := due(st, &scenario.Scenario{Phase: scenario.Destructive, In: c.in}); got != c.want {
			t.Errorf("%s: phase %d, want %d", name, got, c.want)
		}
	}
}

// A script that watches silence in sessions of its own does not wait until the others have
// talked, unless only so many connections may stand.
func TestQuietApartIsDueAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		in    scenario.Session
		limit *pool.Limit
		want  scenario.Phase
	}{
		"sessions of its own":  {scenario.Own, nil, scenario.Read},
		"sessions are shared":  {scenario.Expendable, nil, scenario.Quiet},
		"a single connection":  {scenario.Own, pool.Connections(1), scenario.Quiet},
		"a repetition in turn": {scenario.Own, pool.Turns(), scenario.Quiet},
	} {
		facts := &recording.Facts{Combination: requirement.Combination{Revision: requirement.R20251125,
			Transport: requirement.HTTP}}
		st := pool.New(&scenario.Stage{Combination: facts.Combination, Facts: facts,
			Target: &target.Target{}}, pool.Options{Limit: c.limit})
		if got := due(st, &scenario.Scenario{Phase: scenario.Quiet, In: c.in}); got != c.want {
			t.Errorf("%s: phase %d, want %d", name, got, c.want)
		}
	}
}

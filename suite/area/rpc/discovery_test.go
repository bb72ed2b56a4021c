package rpc_test

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// What is said without an id before the handshake is remarked upon, and once.
func TestDiscoveryWithoutID(t *testing.T) {
	req, _ := area.Catalogue().Find("RPC-16")
	k, _ := area.BuiltIn().Check("RPC-16")
	facts := areatest.Stdio(requirement.R20251125, `{}`)
	facts.Nameless = []int{1, 2}
	recs := verdict.Recordings{}
	for _, name := range []recording.Name{recording.Everything, recording.InvalidMessages} {
		recs[name] = rt.New(name, facts, rt.Line{Method: "ping"})
	}
	got := verdict.Evaluate(k, req, facts, recs)
	if got.Outcome.Red() || len(got.Observations) != 1 || !slices.Equal(got.Observations[0].Frames,
		facts.Nameless) {
		t.Errorf("%+v", got)
	}
}

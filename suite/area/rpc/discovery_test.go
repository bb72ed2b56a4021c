package rpc_test

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// What is said without an id before the handshake is remarked upon, and once.
func TestDiscoveryWithoutID(t *testing.T) {
	facts := areatest.Stdio(requirement.R20251125, `{}`)
	facts.Nameless = []int{1, 2}
	ping := rt.Line{Method: "ping"}
	got := areatest.Judge("RPC-16", rt.New(recording.Everything, facts, ping),
		rt.New(recording.InvalidMessages, facts, ping))
	if got.Outcome.Red() || len(got.Observations) != 1 || !slices.Equal(got.Observations[0].Frames,
		facts.Nameless) {
		t.Errorf("%+v", got)
	}
}

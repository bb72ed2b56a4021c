package areatest

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

const ModernOne = requirement.R20260728

// TaggedRead is a read with tags in pairs.
func TaggedRead(step recording.Step, params, result, err string, tags ...string) rt.Line {
	return rt.Line{Step: step, Method: "resources/read", Params: params, Result: result, Error: err, Tags: Pairs(tags...)}
}

const (
	NoSuch  = `{"code":-32602,"message":"no"}`
	OneText = `{"contents":[{"uri":"a:1","text":"hello"}]}`
	Nothing = `{"contents":[]}`
)

// Observations are those of a check on a recording, in one revision; recs are further
// recordings that it looks at.
func Observations(t *testing.T, id string, name recording.Name, rec []rt.Line, recs ...*recording.Recording) map[string]string {
	t.Helper()
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, `{"resources":{}}`)
	req, known := area.Catalogue().Find(id)
	k, ok := area.BuiltIn().Check(id)
	if !known || !ok {
		t.Fatalf("%s has no check", id)
	}
	all := verdict.Recordings{name: rt.New(name, facts, rec...)}
	for _, r := range recs {
		all[r.Scenario] = r
	}
	found := map[string]string{}
	for _, o := range verdict.Evaluate(k, req, facts, all).Observations {
		if found[o.ID] != "" {
			t.Errorf("%s is told twice", o.ID)
		}
		if len(o.Frames) == 0 {
			t.Errorf("%s has no evidence", o.ID)
		}
		found[o.ID] = o.Detail
	}
	return found
}

// Observed checks that there is one observation, and what it says.
func Observed(t *testing.T, got map[string]string, id string, parts ...string) {
	t.Helper()
	if id == "" {
		if len(got) > 0 {
			t.Errorf("observed: %v", got)
		}
		return
	}
	if len(got) != 1 || got[id] == "" {
		t.Errorf("observed: %v instead of %s", got, id)
	}
	for _, part := range parts {
		if !strings.Contains(got[id], part) {
			t.Errorf("%s: %q does not contain %q", id, got[id], part)
		}
	}
}

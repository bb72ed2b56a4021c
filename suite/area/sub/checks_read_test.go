package sub_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// readOf is a read of the resource that is changed.
func readOf(step recording.Step, text, session string) rt.Line {
	return rt.Line{Step: step, Method: "resources/read", Params: `{"uri":"a:1"}`, Session: session,
		Tags:   areatest.Pairs("uri", "a:1"),
		Result: `{"contents":[{"uri":"a:1","text":"` + text + `"}]}`}
}

// What is read once an update has come is compared with what was there before, and with what
// is read a little later and elsewhere.
func TestUpdateCanBeRead(t *testing.T) {
	heard := rt.Line{Mark: recording.MarkUpdate, Incoming: []string{updateOf1}}
	changes := func(now, later, beside string) []rt.Line {
		return areatest.Lines(readOf("unchanged", "old", "s1"), heard, readOf("at-once", now, "s1"),
			readOf("later", later, "s1"), readOf("beside", beside, "s2"))
	}
	again := changes("old", "new", "old")
	again[3].Incoming = []string{updateOf1}
	// Each of two streams has its own.
	streams := changes("old", "new", "new")
	stream := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1",` +
			`"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
	}
	streams[1].Incoming, streams[3].Incoming = []string{stream("1")}, []string{stream(`"2"`)}
	unheard := changes("old", "new", "new")
	unheard[1].Incoming = nil
	refused := changes("old", "new", "new")
	refused[0].Result, refused[0].Error = "", `{"code":-32603,"message":"no"}`
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Pass("SUB-62", changes("new", "new", "new")[:3]...),
		areatest.Warn("SUB-62", changes("old", "new", "new")...),          // too early
		areatest.NotApplicable("SUB-62", changes("old", "old", "old")...), // nothing changed that shows
		areatest.NotApplicable("SUB-62", unheard...),
		areatest.Warn("SUB-62", streams...),
		areatest.NotApplicable("SUB-62", again...),               // there was another change
		areatest.NotApplicable("SUB-62", refused...),             // nothing to compare with
		areatest.NotApplicable("SUB-62", changes("", "", "")[0]), // no update
	)
}

// New sessions get other contents: that shows a cache of the session's where they get the same, and another
// session got what this one did before the change. Else each may have its own.
func TestUpdateIsReadElsewhere(t *testing.T) {
	run := func(want verdict.Outcome, beside string, newcomers ...string) areatest.Run {
		rec := areatest.Lines(readOf("unchanged", "old", "s1"))
		if beside != "" {
			rec = append(rec, readOf("beside", beside, "s2"))
		}
		rec = append(rec, rt.Line{Mark: recording.MarkUpdate, Incoming: []string{updateOf1}},
			readOf("at-once", "old", "s1"), readOf("later", "old", "s1"))
		for i, text := range newcomers {
			rec = append(rec, readOf("newcomer", text, []string{"s3", "s4"}[i]))
		}
		return areatest.Run{ID: "SUB-62", Want: want, Rec: rec}
	}
	areatest.WalkRuns(t, recording.Changes, subscribing,
		run(warn, "old", "new", "new"),
		run(idle, "", "new", "new"), // nothing says that sessions get the same
		run(idle, "new", "new", "new"),
		run(idle, "old", "of s3", "of s4"),
		run(idle, "old", "new"),
		run(idle, "old", "old"),
		run(idle, "old"),
	)
}

// A resource that is said to have changed by itself, and has not, is remarked upon.
func TestUpdateWithoutChange(t *testing.T) {
	facts := areatest.Stdio(requirement.R20251125, subscribing)
	see := func(now string) map[string]string {
		seen := map[string]string{}
		result := areatest.Judge("SUB-62", rt.New(recording.Reads, facts, readOf("read", "old", "s1")),
			rt.New(recording.SelfChanges, facts, readOf("at-once", now, "s2")))
		for _, o := range result.Observations {
			seen[o.ID] = o.Detail
		}
		if result.Outcome != idle {
			t.Errorf("%s: %+v", now, result)
		}
		return seen
	}
	areatest.Observed(t, see("old"), "update-without-change", "a:1")
	areatest.Observed(t, see("new"), "")
}

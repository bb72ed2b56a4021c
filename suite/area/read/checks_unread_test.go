package read_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// That reads were left out is told: a pass is about those that were made.
func TestUnread(t *testing.T) {
	facts := areatest.Stdio(requirement.R20251125, areatest.HasResources)
	rec := rt.New(recording.Reads, facts, areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"1"}`))
	rec.Skipped = &recording.Skipped{Code: recording.CodeNotExercised, Reason: "7 resources were not read"}
	got := areatest.Judge("READ-01", rec)
	if got.Outcome != verdict.Pass || len(got.Observations) != 1 || got.Observations[0].ID != "unread" ||
		got.Observations[0].Detail != rec.Skipped.Reason {
		t.Errorf("%+v", got)
	}
}

// Where nothing that is listed can be read, only errors that tell of nothing outside the server fail.
func TestNothingReadable(t *testing.T) {
	failing := func(message string) []rt.Line {
		var l []rt.Line
		for _, uri := range []string{"a:dial tcp/1", "a:dial tcp/2"} {
			x := areatest.Refusal("read", "resources/read", `{"uri":"`+uri+`"}`, "-32603")
			x.Error = `{"code":-32603,"message":"` + message + `"}`
			l = append(l, x)
		}
		return l
	}
	var runs []areatest.Run
	for message, want := range map[string]verdict.Outcome{
		"no attribute content; see https://errors.example.com/2/v":   verdict.Fail,
		"no such file: a:dial tcp/":                                  verdict.Fail,
		"Get https://example.com: dial udp: network is unreachable":  verdict.Warn,
		"connect ECONNREFUSED 127.0.0.1:6443":                        verdict.Warn,
		"request to https://example.com failed: 401 Bad credentials": verdict.Warn,
	} {
		runs = append(runs, areatest.Run{ID: "READ-01", Want: want, Rec: failing(message)})
	}
	areatest.WalkRuns(t, recording.Reads, areatest.HasResources, runs...)
}

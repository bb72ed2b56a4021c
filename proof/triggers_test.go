package proof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestFailedTriggers: a trigger that fails speaks against nobody. What follows from
// a change only is blocked, and says why.
func TestFailedTriggers(t *testing.T) {
	broken := func(old *target.Trigger) *target.Trigger {
		return &target.Trigger{URI: old.URI, Func: func(context.Context) error {
			return errors.New("exit status 1")
		}}
	}
	aboutChanges := func(labels []string) bool {
		return slices.Contains(labels, "area:SUB") || slices.Contains(labels, "area:LCH")
	}
	for name, spoil := range map[string]func(*target.Triggers){
		"update":       func(all *target.Triggers) { all.Update = broken(all.Update) },
		"update-other": func(all *target.Triggers) { all.UpdateOther = broken(all.UpdateOther) },
		"add":          func(all *target.Triggers) { all.Add = broken(all.Add) },
		"remove":       func(all *target.Triggers) { all.Remove = broken(all.Remove) },
		"shutdown":     func(all *target.Triggers) { all.Shutdown = broken(all.Shutdown) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "update" {
				t.Skip("slow")
			}
			synctest.Test(t, func(t *testing.T) {
				report := judge(t, reference.Options{}, suite.Config{Filter: aboutChanges},
					func(described *target.Target) { spoil(&described.Triggers) })
				blocked := 0
				for i := range report.Results {
					x := &report.Results[i]
					switch {
					case x.Verdict.Red():
						t.Error(describe(x))
					case x.Verdict == reports.Blocked && x.ReasonCode == string(recording.CodeTrigger) &&
						strings.Contains(x.Reason, "exit status 1"):
						blocked++
					case x.Verdict == reports.Blocked:
						t.Error(describe(x))
					}
				}
				if blocked == 0 {
					t.Error("nothing is blocked by the trigger that failed")
				}
			})
		})
	}
}

// TestNoUpdates: a server that never tells of a change is named in time, though a change is waited for in
// each revision.
func TestNoUpdates(t *testing.T) {
	const within = 45 * time.Second
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		report := judge(t, reference.Options{Faults: []string{"sub-03-no-updates"}},
			suite.Config{Limits: suite.Limits{Budget: 5 * time.Minute}},
			func(described *target.Target) {
				described.Triggers = target.Triggers{Update: described.Triggers.Update}
				described.Endpoints = slices.DeleteFunc(described.Endpoints, func(e target.Endpoint) bool {
					return e.Transport() != requirement.HTTP
				})
			})
		if took := time.Since(began); took > within {
			t.Errorf("it took %s", took)
		}
		red := 0
		for i := range report.Results {
			if x := &report.Results[i]; (x.ID == "SUB-03" || x.ID == "SUB-28") && x.Verdict == reports.Fail {
				red++
			}
		}
		if red != 4 {
			t.Errorf("%d of 4 revisions are red", red)
		}
	})
}

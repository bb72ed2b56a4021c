package sub_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/sub"
	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// TestMalformedFiltersAnsweredLate: a target that is slow with all listen requests, or whose errors stay in a
// buffer until something else is written, refuses malformed filters as any other does. One that never answers
// them is told.
func TestMalformedFiltersAnsweredLate(t *testing.T) {
	for name, c := range map[string]struct {
		takes time.Duration // for a listen request
		held  bool          // errors are
		mute  bool          // to malformed filters
		want  verdict.Outcome
	}{
		"at once":   {0, false, false, pass},
		"slow":      {4500 * time.Millisecond, false, false, pass},
		"held back": {0, true, false, pass},
		"mute":      {0, false, true, warn},
		"slow mute": {4500 * time.Millisecond, false, true, warn},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var held []string
				server := &scenariotest.Server{Script: func(_ int64, m gjson.Result, say func(
					string, ...any)) bool {
					id := m.Get("id").Raw
					refusal := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"no"}}`
					switch {
					case m.Get("method").Str != "subscriptions/listen":
						if id == "" {
							return true
						}
						for _, one := range held {
							say("%s", one)
						}
						held = nil
						say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","resources":[]}}`, id)
					case m.Get("params.notifications").Raw == "{}":
						time.Sleep(c.takes)
						say(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",`+
							`"params":{"notifications":{},"_meta":{"io.modelcontextprotocol/`+
							`subscriptionId":%s}}}`, id)
					case c.mute:
					case c.held:
						held = append(held, refusal)
					default:
						time.AfterFunc(c.takes, func() { say("%s", refusal) })
					}
					return true
				}}
				st := scenariotest.Stage(t, server, func(o *pool.Options) { o.Habits = &session.Habits{} })
				st.Combination.Revision = requirement.R20260728
				st.Facts.Combination = st.Combination
				st.Facts.Declared = json.RawMessage(`{"capabilities":{"resources":{"subscribe":true}}}`)
				sc, _ := area.BuiltIn().Scenario(sub.BadSubscriptions)
				rec := scenario.Perform(t.Context(), st.Stage, sc,
					map[recording.Name]*recording.Recording{recording.WalkResources: {}})
				rec.Frames = st.Transcript.Since(0)
				areatest.Due(t, "SUB-38", c, c.want, rec)
				st.Close()
			})
		})
	}
}

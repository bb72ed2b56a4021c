package proof

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// TestClientKeepsToTheSchemas: in clean sessions we send nothing but messages that fit
// the schemas of the revision, so that whatever comes back can be held against the
// target.
func TestClientKeepsToTheSchemas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("slow: TestComplete has the same conversations")
	}
	synctest.Test(t, func(t *testing.T) {
		target, server, err := embedded.Complete(reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		run, err := suite.Prepare(t.Context(), suite.Config{Target: target,
			Limits: suite.Limits{Budget: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		run.Execute(t.Context())
		for _, c := range run.Combinations() {
			take := run.Take(c)
			if take == nil || take.Recordings[recording.Everything] == nil {
				t.Errorf("%v was not recorded", c)
				continue
			}
			if n := outgoing(t, c, take.Recordings[recording.Everything]); n < 50 {
				t.Errorf("%v: only %d messages were sent", c, n)
			}
		}
	})
}

// outgoing judges what was sent in a combination and says how much it was.
func outgoing(t *testing.T, c requirement.Combination, r *recording.Recording) int {
	t.Helper()
	set, judged := schema.For(c.Revision), 0
	for _, f := range r.Frames {
		if f.Dir != wire.Out || len(f.Raw) == 0 {
			continue
		}
		messages := []gjson.Result{gjson.ParseBytes(f.Raw)}
		if messages[0].IsArray() {
			messages = messages[0].Array()
		}
		for _, m := range messages {
			judged++
			for _, v := range sentIn(set, r, f.Session, m) {
				t.Errorf("%v, frame %d: %s\n%.300s", c, f.Number, v, f.Raw)
			}
		}
	}
	return judged
}

func sentIn(set *schema.Set, r *recording.Recording, session string, m gjson.Result) []schema.Violation {
	switch {
	case !m.Get("method").Exists():
		for _, f := range r.Incoming(0) {
			if asked := gjson.ParseBytes(f.Raw); f.Session == session && asked.Get("method").Exists() &&
				asked.Get("id").Raw == m.Get("id").Raw {
				return set.ResponseIn(asked.Get("method").String(), m)
			}
		}
		return set.ResponseIn("", m)
	case m.Get("id").Exists():
		return set.RequestIn(m)
	}
	return set.NotificationIn(m)
}

package scenario

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// Which resources stay unread, because those before them are plenty, depends on the
// list alone, however long each answer takes.
func TestPlentyIsReadInTheOrderOfTheList(t *testing.T) {
	const resources, reads = 20, 9
	text := strings.Repeat("x", plenty/reads+1)
	uris := make([]string, resources)
	for i := range uris {
		uris[i] = fmt.Sprint("x:", i)
	}
	for name, delay := range map[string]func(i int) time.Duration{
		"alike":          func(int) time.Duration { return time.Second },
		"first last":     func(i int) time.Duration { return time.Duration(resources-i) * time.Second },
		"one far behind": func(i int) time.Duration { return map[bool]time.Duration{true: 8 * time.Second}[i == 2] },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := stage(t, &server{script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
					var i int
					if _, err := fmt.Sscanf(m.Get("params.uri").Str, "x:%d", &i); err != nil {
						return lively(n, m, say)
					}
					go func() {
						time.Sleep(delay(i))
						say(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":"x:%d","text":%q}]}}`, m.Get("id").Raw, i, text)
					}()
					return true
				}})
				st.Limits.Timeout = time.Minute
				sc := readsScenario
				rec := Perform(t.Context(), st, sc, map[recording.Name]*recording.Recording{
					recording.WalkResources: listedAs("resources", "uri", uris...),
				})
				var got []string
				for _, x := range rec.Steps("read") {
					got = append(got, x.Tags["uri"])
				}
				if want := strings.Join(uris[:reads], " "); strings.Join(got, " ") != want {
					t.Errorf("read %s, want %s", got, want)
				}
				if rec.Skipped == nil || !strings.HasPrefix(rec.Skipped.Reason, "11 resources were not read") {
					t.Errorf("skipped: %v", rec.Skipped)
				}
				st.Close()
			})
		})
	}
}

package engine

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// failing has one resource, and answers some reads by its own error: those with a metadata key that it
// does not know, by their number, and of the others those by their number.
type failing struct {
	probes, others func(n int64) bool
	probed, read   atomic.Int64
	code           string // of these errors
	status         int    // of HTTP, unless it is 0
}

func (s *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	respond(w, r, func(m gjson.Result) string {
		switch m.Get("method").Str {
		case "resources/list":
			return `"result":{"resources":[{"uri":"a:1","name":"a"}]}`
		case "resources/read":
			fails, n := s.others, &s.read
			if m.Get("params._meta.progressToken").Exists() { // another probe, of another kind
				fails, n = func(int64) bool { return false }, new(atomic.Int64)
			}
			if m.Get(`params._meta.com\.example/probe`).Exists() {
				fails, n = s.probes, &s.probed
			}
			if fails(n.Add(1)) {
				if s.status != 0 {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(s.status)
				}
				return `"error":{"code":` + s.code + `,"message":"internal error"}`
			}
			return `"result":{"contents":[{"uri":"a:1","text":"a"}]}`
		}
		return ""
	})
}

// An error of the target's own speaks against what it follows if it does so each time, more often on a target
// that fails without that as well.
func TestAccidents(t *testing.T) {
	never, always := func(int64) bool { return false }, func(int64) bool { return true }
	upTo := func(last int64) func(int64) bool { return func(n int64) bool { return n <= last } }
	only := func(one int64) func(int64) bool { return func(n int64) bool { return n == one } }
	for name, c := range map[string]struct {
		probes, others func(n int64) bool
		want           string
		probed         int64
		code           string
		status         int
	}{
		"never":                     {never, never, "META-06:pass", 1, "-32603", 0},
		"each time":                 {always, never, "META-06:fail", 4, "-32603", 0},
		"once":                      {upTo(1), never, "META-06:pass inconsistent", 2, "-32603", 0},
		"twice":                     {upTo(2), never, "META-06:pass inconsistent", 3, "-32603", 0},
		"three times":               {upTo(3), never, "META-06:blocked:unconfirmed", 4, "-32603", 0},
		"three times, by code 0":    {upTo(3), never, "META-06:blocked:unconfirmed", 4, "0", 0},
		"three times, by choice":    {upTo(3), never, "META-06:fail", 2, "-32602", 0},
		"by code 0 and HTTP 400":    {upTo(3), never, "META-06:fail", 2, "0", 400},
		"by -32603 and HTTP 400":    {upTo(3), never, "META-06:blocked:unconfirmed", 4, "-32603", 400},
		"each time, and without it": {always, only(3), "META-06:fail", 9, "-32603", 0},
		"without it later":          {always, only(4), "META-06:fail", 9, "-32603", 0},
		"not always, and without":   {upTo(8), only(3), "META-06:blocked:unconfirmed", 9, "-32603", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &failing{probes: c.probes, others: c.others, code: c.code, status: c.status}
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{
						Endpoints: []target.Endpoint{{Name: "failing", Handler: s, Forced: requirement.HTTP}},
						Revisions: []requirement.Revision{requirement.R20251125},
					},
					Tool: reports.Tool{Name: "test"}, Select: func(row Row) bool {
						return row.Requirement.ID == "META-06"
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				report := r.Report(false)
				if got := verdicts(report); got != c.want || s.probed.Load() != c.probed {
					t.Errorf("%s after %d probes, want %s after %d", got, s.probed.Load(), c.want, c.probed)
				}
				if a, b := encoded(t, report), encoded(t, rejudged(t, r)); a != b {
					t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
				}
			})
		})
	}
}

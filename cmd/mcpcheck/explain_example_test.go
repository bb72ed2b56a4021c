package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

var update = flag.Bool("update", false, "write the examples anew that say something else")

// TestExamples: every check that has a fault which can be seen in this process is shown at work: red with
// the fault, and not red without it. The recorded examples are what judging shows today, but for what was
// seen and the messages, in which much is random. With -update it writes those anew that are not.
func TestExamples(t *testing.T) {
	n := 0
	for _, r := range area.Catalogue().Requirements() {
		x := explained(&r)
		if !x.Check || r.Grade == requirement.Info { // which is never red
			continue
		}
		if n++; !*update && !sample.InAll() && n%8 != 0 { // all take a minute
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			if err := x.illustrate(); err != nil {
				t.Fatal(err)
			}
			was, path := said(x.Examples), filepath.Join("examples", r.ID+".json")
			synctest.Test(t, func(t *testing.T) { x.Examples = played(t, x) })
			switch is := said(x.Examples); {
			case is == was, was == "" && !*update: // a new requirement has none before make docs records it
			case !*update, is == "":
				t.Errorf("call make docs: the example is\n%s\nand was\n%s", is, was)
			default:
				raw, err := json.Marshal(x.Examples)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			presentable(t, x)
		})
	}
}

// varying is the part of a line that another run may give otherwise: from the first number or quotation on.
var varying = regexp.MustCompile(`["({0-9].*`)

// said is what examples say; empty if there are none.
func said(e *examples) string {
	if e.Red == nil {
		return ""
	}
	return fmt.Sprintln(e.Fault, e.Combination, e.Red.Verdict, e.Green.Verdict) +
		varying.ReplaceAllString(e.Red.Expected+"\n"+e.Red.Hint, "")
}

// presentable holds examples to what they promise.
func presentable(t *testing.T, x *explanation) {
	e := x.Examples
	if e.Red == nil {
		return
	}
	if !e.Red.Verdict.Red() || e.Red.Actual == "" || e.Red.Cause == "" || len(e.Red.Frames) == 0 {
		t.Errorf("red: %+v", e.Red.Result)
	}
	// What is not done cannot be judged: that is no less green.
	if e.Green.Verdict != reports.Pass && e.Green.Verdict != reports.NotApplicable {
		t.Errorf("green: %+v", e.Green.Result)
	}
	text := rendered(t, x, 80)
	for _, secret := range []string{hook.TokenFull, hook.TokenWeak, hook.TokenForeign} {
		if strings.Contains(text, secret) {
			t.Errorf("a token is shown:\n%s", text)
		}
	}
	if n := strings.Count(text, "\n"); n > 300 {
		t.Errorf("%d lines", n)
	}
	if strings.ContainsAny(text, "\x1b\x00\r") {
		t.Error("control characters are shown")
	}
}

// played makes the examples of a requirement with the first of its faults that shows here: in the combination
// that reads best, or else in another one. They are empty if none does.
func played(t *testing.T, x *explanation) *examples {
	slices.SortStableFunc(x.Faults, func(a, b behaviour) int { return len(a.Needs) - len(b.Needs) })
	for _, b := range x.Faults {
		f, _ := fault.Find(b.Name)
		if f.Needs.Process || f.Needs.World != "" || f.HooksFor(nil).Public != nil {
			continue // the last is about addresses
		}
		all := combinations(x, f)
		for _, in := range [][]requirement.Combination{all[:1], all} {
			red := rehearsed(t, x, f, in, f.Name)
			for _, c := range in {
				bad := judgement(t, red, x, c)
				if bad == nil || !bad.Outcome.Red() {
					continue
				}
				green := rehearsed(t, x, f, in)
				if good := judgement(t, green, x, c); len(good.Frames) == 0 { // nothing to prove
					good.Frames = counterpart(bad, red.Take(c), green.Take(c))
				}
				return &examples{
					Fault: f.Name, Summary: f.Summary, Combination: &c,
					Red: exampleOf(red, c), Green: exampleOf(green, c),
				}
			}
		}
	}
	return &examples{}
}

// combinations lists those in which a fault can show, those that read best first: the last revision with a
// handshake has no metadata in each request, and stdio no headers.
func combinations(x *explanation, f fault.Fault) []requirement.Combination {
	in := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	n, legacy := f.Needs, requirement.Legacy()
	var all []requirement.Combination
	for _, rev := range slices.Backward(append(requirement.Revisions(), legacy[len(legacy)-1])) {
		for _, on := range rev.Transports() {
			c := requirement.Combination{Revision: rev, Transport: on}
			if x.Row.Names(c) && in(n.Revisions, string(rev)) && in(n.Served, string(rev)) &&
				in(n.Transports, string(on)) && (!n.Authorization || on == requirement.HTTP) {
				all = append(all, c)
			}
		}
	}
	return all
}

// rehearsed judges a requirement on the reference with faults, under the conditions that f needs.
func rehearsed(
	t *testing.T, x *explanation, f fault.Fault, in []requirement.Combination, faults ...string,
) *engine.Run {
	o := reference.Options{PageSize: f.Needs.PageSize, Revisions: f.Needs.Served, Faults: faults}
	if f.Needs.Authorization && len(faults) == 0 {
		o.Hooks = hook.RequireBearer() // such faults bring it along
	}
	described, server, err := embedded.Target(o)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if f.Needs.Authorization {
		embedded.Authorize(described)
	}
	cfg := suite.Config{
		Target: described, Embedded: true, Only: []string{x.ID},
		Limits: suite.Limits{Jobs: 1, QuietWindow: embedded.QuietWindow, Timeout: time.Second,
			StartTimeout: time.Second, Budget: time.Hour},
	}
	for _, c := range in {
		cfg.Revisions, cfg.Transports = append(cfg.Revisions, c.Revision), append(cfg.Transports, c.Transport)
	}
	r, err := suite.Prepare(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Execute(t.Context())
	return r
}

// judgement is the verdict in a combination; nil if it was not judged there.
func judgement(t *testing.T, r *engine.Run, x *explanation, c requirement.Combination) *engine.Judgement {
	j, _ := r.Await(t.Context(), engine.Row{Requirement: x.Row, Combination: c})
	return j
}

// exampleOf is the result in a combination, with its messages.
func exampleOf(r *engine.Run, c requirement.Combination) *example {
	report := r.Report(false)
	i := slices.IndexFunc(report.Results, func(x reports.Result) bool {
		return x.Revision == string(c.Revision) && x.Transport == string(c.Transport)
	})
	e := &example{Result: &report.Results[i], Frames: []reports.Frame{}}
	for _, n := range e.Evidence {
		e.Frames = append(e.Frames, *report.Frame(n))
	}
	return e
}

// counterpart finds the frames that stand in one take where the evidence of a verdict
// stands in another: those of the exchanges at the same places of the scripts, and for
// what came unasked another notification of the same method.
func counterpart(bad *engine.Judgement, was, is *engine.Take) []int {
	var frames []int
	for name, rec := range was.Recordings {
		other := is.Recordings[name]
		if other == nil {
			continue
		}
		if slices.Contains(bad.From, name) {
			frames = append(frames, unasked(bad, rec, other)...)
		}
		if name == recording.Everything {
			continue // the exchanges stand in the recordings of their scenarios
		}
		steps := map[recording.Step][]*recording.Exchange{}
		for _, y := range exchanges(other) {
			steps[y.Step] = append(steps[y.Step], y)
		}
		for _, x := range exchanges(rec) {
			all := steps[x.Step]
			if len(all) == 0 {
				continue
			}
			if slices.ContainsFunc(x.Evidence(), func(n int) bool { return slices.Contains(bad.Frames, n) }) {
				frames = append(frames, all[0].Evidence()...)
			}
			if len(all) > 1 { // the last one stands for those that were not reached
				steps[x.Step] = all[1:]
			}
		}
	}
	slices.Sort(frames)
	return slices.Compact(frames)
}

// unasked finds notifications for those among the evidence that read differently.
func unasked(bad *engine.Judgement, was, is *recording.Recording) []int {
	var frames []int
	for _, f := range was.Notifications("", 0) {
		same := is.Notifications(gjson.GetBytes(f.Raw, "method").Str, 0)
		if slices.Contains(bad.Frames, f.Number) && len(same) > 0 && !bytes.Equal(same[0].Raw, f.Raw) {
			frames = append(frames, same[0].Number)
		}
	}
	return frames
}

// exchanges lists those of a recording, its handshakes first.
func exchanges(rec *recording.Recording) []*recording.Exchange {
	var all []*recording.Exchange
	for _, s := range rec.Sessions {
		if s.Initialize != nil {
			all = append(all, s.Initialize)
		}
	}
	return append(all, rec.Exchanges...)
}

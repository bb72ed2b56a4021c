package main

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// examples are a violation and its counterpart, made by judging the reference.
type examples struct {
	// Missing says why there are none; See is a command that shows some.
	Missing     string                   `json:"missing,omitempty"`
	See         string                   `json:"see,omitempty"`
	Fault       string                   `json:"fault,omitempty"`
	Summary     string                   `json:"summary,omitempty"`
	Combination *requirement.Combination `json:"combination,omitempty"`
	Red         *example                 `json:"red,omitempty"`
	Green       *example                 `json:"green,omitempty"`
}

// example is a result as reports have it, with the frames of its evidence.
type example struct {
	*reports.Result
	Frames []reports.Frame `json:"frames"`

	report *reports.Report
}

// The limits of the runs that make examples: the server is in this process, where
// nothing takes long but what is silent on purpose.
const (
	exampleTimeout = time.Second
	patientTimeout = 4 * time.Second
	exampleBudget  = 30 * time.Second
	mostFaults     = 3 // that are tried
)

// illustrate adds the examples. An error means that the program was interrupted.
func (x *explanation) illustrate(ctx context.Context) error {
	x.Examples = &examples{}
	switch {
	case x.ofClients:
		x.Examples.Missing, x.Examples.See = "the reference is a server, and this is about clients; what yours does can be seen", "mockserver verify --only "+x.ID+" -- CLIENT"
		return nil
	case !x.Check && len(x.Quirks) > 0:
		x.Examples.Missing, x.Examples.See = "nothing can be violated; the quirk shows what is permitted", "mockserver --http 127.0.0.1:8931 --quirk "+x.Quirks[0].Name
		return nil
	case !x.Check:
		x.Examples.Missing = "there is no check that could be seen at work"
		return nil
	case len(x.Faults) == 0:
		x.Examples.Missing = "no fault of the reference server breaks it on its own"
		return nil
	}
	var usable []fault.Fault
	for _, b := range x.Faults {
		if f, ok := fault.Find(b.Name); ok && showsHere(f) {
			usable = append(usable, f)
		}
	}
	slices.SortStableFunc(usable, func(a, b fault.Fault) int { return cmp.Compare(len(faultNeeds(a.Needs)), len(faultNeeds(b.Needs))) })
	for _, f := range usable[:min(len(usable), mostFaults)] {
		if done, err := x.show(ctx, f); done || err != nil {
			return err
		}
	}
	x.Examples.Missing = "its faults show in a process of their own, or at a port, only"
	if len(usable) > 0 {
		x.Examples.Missing = "its faults do not show in this process, in the time that is spent on examples"
	}
	x.Examples.See = seen(x.ID, x.Faults[0].Name)
	return nil
}

// showsHere reports whether a fault can be seen in a server in this process.
func showsHere(f fault.Fault) bool {
	return !f.Needs.Process && f.Needs.World == "" && f.HooksFor(nil).Public == nil // which is about addresses
}

// seen is how a fault can be seen in a process of its own.
func seen(id, name string) string {
	f, _ := fault.Find(name)
	in := func(t requirement.Transport) bool {
		return len(f.Needs.Transports) == 0 || slices.Contains(f.Needs.Transports, string(t))
	}
	const address = "127.0.0.1:8931"
	path := "/sse"
	switch {
	case in(requirement.Stdio):
		return "mcpcheck run --only " + id + " -- mockserver --stdio --fault " + name
	case in(requirement.HTTP):
		path = "/mcp"
	}
	return "mockserver --http " + address + " --fault " + name + " & mcpcheck run --only " + id + " --url http://" + address + path
}

// show makes the examples with a fault: first in the combination that reads best,
// then, if the fault does not show there, in all others.
func (x *explanation) show(ctx context.Context, f fault.Fault) (bool, error) {
	all := x.combinations(f)
	if len(all) == 0 {
		return false, nil
	}
	best := suite.Config{Only: []string{x.ID}, Timeout: exampleTimeout, StartTimeout: exampleTimeout, Budget: exampleBudget, QuietWindow: embedded.QuietWindow}
	every := best
	best.Revisions, best.Transports = []requirement.Revision{all[0].Revision}, []requirement.Transport{all[0].Transport}
	every.Timeout, every.StartTimeout = patientTimeout, patientTimeout
	if f.Needs.Authorization {
		every.Transports = []requirement.Transport{requirement.HTTP}
	}
	for _, cfg := range []suite.Config{best, every} {
		red, err := rehearse(ctx, f, true, cfg)
		if err != nil {
			return false, err
		}
		for _, c := range all {
			bad := red.judgement(ctx, x.row, c)
			if bad == nil || !bad.Outcome.Red() {
				continue
			}
			green, err := rehearse(ctx, f, false, cfg)
			if err != nil {
				return false, err
			}
			if good := green.judgement(ctx, x.row, c); good != nil && len(good.Frames) == 0 {
				good.Frames = counterpart(bad, red.Take(c), green.Take(c)) // what is in order has no evidence of its own
			}
			x.Examples = &examples{Fault: f.Name, Summary: f.Summary, Combination: &c, Red: red.example(c), Green: green.example(c)}
			return true, nil
		}
	}
	return false, nil
}

// combinations lists those in which a fault can show, those that read best first:
// stdio has no headers, and the last revision with a handshake no metadata.
func (x *explanation) combinations(f fault.Fault) []requirement.Combination {
	in := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	var all []requirement.Combination
	for _, c := range requirement.Grid() {
		if x.row.Names(c) && in(f.Needs.Revisions, string(c.Revision)) && in(f.Needs.Served, string(c.Revision)) && in(f.Needs.Transports, string(c.Transport)) &&
			(!f.Needs.Authorization || c.Transport == requirement.HTTP) {
			all = append(all, c)
		}
	}
	legacy, order := requirement.Legacy(), requirement.Revisions()
	slices.Reverse(order)
	order = append(legacy[len(legacy)-1:], order...)
	slices.SortStableFunc(all, func(a, b requirement.Combination) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Revision), slices.Index(order, b.Revision)),
			cmp.Compare(slices.Index(requirement.Transports(), a.Transport), slices.Index(requirement.Transports(), b.Transport)))
	})
	return all
}

// rehearsal is a run against the reference.
type rehearsal struct{ *engine.Run }

// rehearse judges the reference, with or without the fault but under the conditions
// that the fault needs.
func rehearse(ctx context.Context, f fault.Fault, broken bool, cfg suite.Config) (*rehearsal, error) {
	o := reference.Options{PageSize: f.Needs.PageSize, Revisions: f.Needs.Served}
	if broken {
		o.Faults = []string{f.Name}
	}
	start := embedded.Target
	if f.Needs.Authorization && !broken {
		start = embedded.Complete
	}
	t, server, err := start(o)
	if err != nil {
		return nil, impossible("the reference server that is built in cannot be started: %w", err)
	}
	defer server.Close()
	if f.Needs.Authorization && broken {
		embedded.Authorize(t)
	}
	cfg.Target, cfg.Embedded, cfg.Tool = t, true, tool()
	r, err := suite.Prepare(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if len(r.Rows()) > 0 {
		r.Execute(ctx)
	}
	if ctx.Err() != nil {
		return nil, impossible("interrupted")
	}
	return &rehearsal{r}, nil
}

// judgement is the verdict in a combination; nil if it was not judged there.
func (r *rehearsal) judgement(ctx context.Context, row *requirement.Requirement, c requirement.Combination) *engine.Judgement {
	if !slices.ContainsFunc(r.Rows(), func(x engine.Row) bool { return x.Combination == c }) {
		return nil
	}
	j, _ := r.Await(ctx, engine.Row{Requirement: row, Combination: c})
	return j
}

// example is the report of the run, narrowed down to a combination; nil if nothing was
// judged there.
func (r *rehearsal) example(c requirement.Combination) *example {
	report := r.Report(false)
	report.Results = slices.DeleteFunc(report.Results, func(x reports.Result) bool {
		return x.Revision != string(c.Revision) || x.Transport != string(c.Transport)
	})
	if len(report.Results) == 0 {
		return nil
	}
	e := &example{Result: &report.Results[0], Frames: []reports.Frame{}, report: report}
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
		for _, y := range said(other) {
			steps[y.Step] = append(steps[y.Step], y)
		}
		for _, x := range said(rec) {
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

// said lists the exchanges of a recording, its handshakes first.
func said(rec *recording.Recording) []*recording.Exchange {
	var all []*recording.Exchange
	for _, s := range rec.Sessions {
		if s.Initialize != nil {
			all = append(all, s.Initialize)
		}
	}
	return append(all, rec.Exchanges...)
}

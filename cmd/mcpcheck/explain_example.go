package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
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

// example is a verdict with what was said on the wire.
type example struct {
	Verdict  string         `json:"verdict"`
	Expected string         `json:"expected,omitempty"`
	Actual   string         `json:"actual,omitempty"`
	Hint     string         `json:"hint,omitempty"`
	Frames   []exampleFrame `json:"frames"`
	// More is how many exchanges were left out.
	More int `json:"more,omitempty"`
}

// exampleFrame is one message, shortened.
type exampleFrame struct {
	Direction string   `json:"direction"` // out, in or note
	HTTP      string   `json:"http,omitempty"`
	Headers   []string `json:"headers,omitempty"`
	Text      string   `json:"text,omitempty"`
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
	case !x.Check:
		x.Examples.Missing = "there is no check that could be seen at work"
		if len(x.Quirks) > 0 {
			x.Examples.Missing, x.Examples.See = "nothing can be violated; the quirk shows what is permitted", "mockserver --http 127.0.0.1:8931 --quirk "+x.Quirks[0].Name
		}
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
	return !f.Needs.Process && f.Needs.World == "" && !f.Hooks.Public // which is about addresses
}

// seen is how a fault can be seen in a process of its own.
func seen(id, name string) string {
	f, _ := fault.Find(name)
	in := func(t requirement.Transport) bool {
		return len(f.Needs.Transports) == 0 || slices.Contains(f.Needs.Transports, string(t))
	}
	const address = "127.0.0.1:8931"
	switch {
	case in(requirement.Stdio):
		return "mcpcheck run --only " + id + " -- mockserver --stdio --fault " + name
	case in(requirement.HTTP):
		return "mockserver --http " + address + " --fault " + name + " & mcpcheck run --only " + id + " --url http://" + address + "/mcp"
	}
	return "mockserver --http " + address + " --fault " + name + " & mcpcheck run --only " + id + " --url http://" + address + "/sse"
}

// show makes the examples with a fault: first in the combination that reads best,
// then, if the fault does not show there, in all others.
func (x *explanation) show(ctx context.Context, f fault.Fault) (bool, error) {
	all := x.combinations(f)
	if len(all) == 0 {
		return false, nil
	}
	for _, one := range []bool{true, false} {
		cfg := suite.Config{Only: []string{x.ID}, Timeout: exampleTimeout, StartTimeout: exampleTimeout, Budget: exampleBudget, QuietWindow: embedded.QuietWindow}
		if one {
			cfg.Revisions, cfg.Transports = []requirement.Revision{all[0].Revision}, []requirement.Transport{all[0].Transport}
		} else {
			cfg.Timeout, cfg.StartTimeout = patientTimeout, patientTimeout
			if f.Needs.Authorization {
				cfg.Transports = []requirement.Transport{requirement.HTTP}
			}
		}
		red, err := rehearse(ctx, f, true, cfg)
		if err != nil {
			return false, err
		}
		for _, c := range all {
			j := red.judgement(ctx, x.row, c)
			if j == nil || !j.Outcome.Red() {
				continue
			}
			green, err := rehearse(ctx, f, false, cfg)
			if err != nil {
				return false, err
			}
			x.Examples = &examples{Fault: f.Name, Summary: f.Summary, Combination: &c}
			x.Examples.fill(red, green, j, green.judgement(ctx, x.row, c))
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
	order := []requirement.Revision{requirement.R20251125, requirement.R20260728, requirement.R20250618, requirement.R20250326, requirement.R20241105}
	slices.SortStableFunc(all, func(a, b requirement.Combination) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Revision), slices.Index(order, b.Revision)),
			cmp.Compare(slices.Index(requirement.Transports(), a.Transport), slices.Index(requirement.Transports(), b.Transport)))
	})
	return all
}

// rehearsal is a run against the reference.
type rehearsal struct {
	*engine.Run
	mask *mask.Masker
}

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
	cfg.Target = t
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
	return &rehearsal{Run: r, mask: mask.NewMasker(t.Secrets())}, nil
}

// judgement is the verdict in a combination; nil if it was not judged there.
func (r *rehearsal) judgement(ctx context.Context, row *requirement.Requirement, c requirement.Combination) *engine.Judgement {
	if !slices.ContainsFunc(r.Rows(), func(x engine.Row) bool { return x.Combination == c }) {
		return nil
	}
	j, _ := r.Await(ctx, engine.Row{Requirement: row, Combination: c})
	return j
}

// spot is the place of an exchange in a script.
type spot struct {
	scenario recording.Name
	step     string
	nth      int
}

// fill takes the evidence of the red verdict, and what stands in its place in the
// green run.
func (e *examples) fill(red, green *rehearsal, bad, good *engine.Judgement) {
	const most = 3
	e.Red = &example{Verdict: string(bad.Outcome), Expected: bad.Expected, Actual: bad.Actual, Hint: bad.Hint, Frames: []exampleFrame{}}
	e.Green = &example{Frames: []exampleFrame{}}
	if good != nil {
		e.Green.Verdict = string(good.Outcome)
		if good.Reason != "" {
			e.Green.Verdict += ": " + good.Reason
		}
		e.Green.Expected, e.Green.Actual = good.Expected, good.Actual
	}
	was, is := red.Take(*e.Combination), green.Take(*e.Combination)
	spots, loose := located(was, bad)
	if len(spots) == 0 && len(loose) == 0 {
		spots = introduction(was)
	}
	if n := len(spots); n > most {
		e.Red.More = n - most
		spots = append(spots[:most-1:most-1], spots[n-1]) // the last one tells most
	}
	shown := map[*recording.Exchange]bool{}
	for _, s := range spots {
		a, b := at(was, s), at(is, s)
		e.Red.Frames = append(e.Red.Frames, red.exchange(was, a, is, b)...)
		if b != nil && !shown[b] {
			shown[b] = true
			e.Green.Frames = append(e.Green.Frames, green.exchange(is, b, was, a)...)
		}
	}
	e.Red.repeated()
	e.Green.repeated()
	for _, f := range loose[:min(len(loose), most)] {
		e.Red.Frames = append(e.Red.Frames, red.frame(f, nil))
	}
	if len(e.Green.Frames) == 0 {
		for _, s := range introduction(is) {
			b := at(is, s)
			e.Green.Frames = append(e.Green.Frames, green.exchange(is, b, nil, nil)...)
		}
	}
}

// requestID is the id of a message, by which repetitions differ.
var requestID = regexp.MustCompile(`"id":[0-9]+`)

// repeated cuts long messages that were shown before under another id.
func (e *example) repeated() {
	seen := map[string]bool{}
	for i := range e.Frames {
		f := &e.Frames[i]
		if len(f.Text) <= wholeMessage {
			continue
		}
		text := requestID.ReplaceAllString(f.Text, "")
		if seen[text] {
			f.Text = reports.Shorten(f.Text, longString) + " as before"
		}
		seen[text] = true
	}
}

// located finds the exchanges to which the evidence of a verdict belongs, in order,
// and the frames that belong to none.
func located(t *engine.Take, j *engine.Judgement) (spots []spot, loose []*wire.Frame) {
	names := slices.Clone(j.From)
	for name := range t.Recordings {
		if name != recording.Everything && !slices.Contains(names, name) && slices.Contains(j.From, recording.Everything) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	frames := slices.Sorted(slices.Values(j.Frames))
	for _, n := range frames {
		s, ok := holder(t, names, n)
		switch {
		case ok && !slices.Contains(spots, s):
			spots = append(spots, s)
		case !ok:
			if f := frameOf(t, n); f != nil {
				loose = append(loose, f)
			}
		}
	}
	return spots, loose
}

// holder is the exchange of which a frame is part.
func holder(t *engine.Take, names []recording.Name, frame int) (spot, bool) {
	for _, name := range names {
		rec := t.Recordings[name]
		if rec == nil || name == recording.Everything {
			continue
		}
		count := map[string]int{}
		for _, x := range rec.Exchanges {
			if slices.Contains(x.Evidence(), frame) {
				return spot{name, x.Step, count[x.Step]}, true
			}
			count[x.Step]++
		}
	}
	return spot{}, false
}

// at is the exchange at a place, or the last one of its step if there are not as
// many; nil if there is none.
func at(t *engine.Take, s spot) *recording.Exchange {
	rec := t.Recordings[s.scenario]
	if rec == nil {
		return nil
	}
	all := rec.Steps(s.step)
	if len(all) == 0 {
		return nil
	}
	return all[min(s.nth, len(all)-1)]
}

// introduction is where a target says what it is, or else the first that it was asked.
func introduction(t *engine.Take) []spot {
	first := []spot{}
	for name, rec := range t.Recordings {
		count := map[string]int{}
		for _, x := range rec.Exchanges {
			s := spot{name, x.Step, count[x.Step]}
			count[x.Step]++
			if name != recording.Everything && (x.Method == "initialize" || x.Method == "server/discover") {
				return []spot{s}
			}
			if len(first) == 0 {
				first = append(first, s)
			}
		}
	}
	return first
}

// frameOf finds a frame in what was recorded.
func frameOf(t *engine.Take, n int) *wire.Frame {
	for _, rec := range t.Recordings {
		if f := rec.Frame(n); f != nil {
			return f
		}
	}
	return nil
}

// exchange shows an exchange; of what it has in common with its counterpart only the
// beginning.
func (r *rehearsal) exchange(t *engine.Take, x *recording.Exchange, other *engine.Take, y *recording.Exchange) []exampleFrame {
	if x == nil {
		return nil
	}
	const most = 8
	var out []exampleFrame
	var theirs []int
	if y != nil {
		theirs = y.Evidence()
	}
	for i, n := range x.Evidence() {
		f := frameOf(t, n)
		if f == nil {
			continue
		}
		if i == most {
			out = append(out, exampleFrame{Direction: string(wire.Note), Text: fmt.Sprintf("and %d messages more", len(x.Evidence())-i)})
			break
		}
		var counterpart *wire.Frame
		if i < len(theirs) {
			counterpart = frameOf(other, theirs[i])
		}
		out = append(out, r.frame(f, counterpart))
	}
	if x.Reason != "" && x.Outcome != recording.Replied && x.Outcome != recording.Sent {
		out = append(out, exampleFrame{Direction: string(wire.Note), Text: r.mask.String(x.Reason)})
	}
	return out
}

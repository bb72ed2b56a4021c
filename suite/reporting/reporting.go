// Package reporting puts verdicts, on servers and on clients, into a report: the frames that they
// rest on are numbered without gaps, what is too long is cut, and secrets are masked.
package reporting

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// What a report keeps of the evidence: a report is to be read, and what a hostile target sends
// has no end.
const (
	frameBytes  = 64 << 10 // of one frame
	reportBytes = 32 << 20 // of all frames
)

// Writer writes into a report.
type Writer struct {
	Report *reports.Report
	Mask   *mask.Masker

	catalogue *requirement.Catalogue

	frames   map[int]int // numbers in the report, by those in the verdicts
	sessions map[string]string
	kept     int
	red      []red
}

// red is a red verdict that was written, by its place among the results.
type red struct {
	at       int
	judged   *verdict.Result
	required *requirement.Requirement
}

// New is a writer into a report, which masks secrets. The catalogue has the titles of observations.
func New(report *reports.Report, m *mask.Masker, c *requirement.Catalogue) *Writer {
	return &Writer{
		Report: report, Mask: m, catalogue: c, frames: map[int]int{}, sessions: map[string]string{},
	}
}

// Frames adds the frames on which verdicts and their observations rest, by their numbers there.
func (w *Writer) Frames(seen func(number int) (wire.Frame, bool), results ...*verdict.Result) {
	var all []int
	for _, r := range results {
		all = append(append(all, r.Frames...), r.Before...)
		for _, o := range r.Observations {
			all = append(all, o.Frames...)
		}
	}
	slices.Sort(all)
	for _, n := range slices.Compact(all) {
		if f, ok := seen(n); ok {
			w.frame(n, frame(f))
		}
	}
}

// frame adds a frame, by the number and the session that it has in the verdicts. It is whole, and
// nothing in it is masked.
func (w *Writer) frame(number int, f reports.Frame) {
	if w.sessions[f.Session] == "" {
		w.sessions[f.Session] = "session " + strconv.Itoa(len(w.sessions)+1)
	}
	w.frames[number] = len(w.frames) + 1
	f.Number, f.Session = w.frames[number], w.sessions[f.Session]
	for _, text := range []*string{&f.URL, &f.Note, &f.Event, &f.EventID} {
		*text = w.Mask.String(*text)
	}
	f.Headers = f.Headers.Clone()
	for _, values := range f.Headers {
		for i := range values {
			values[i] = w.Mask.String(values[i])
		}
	}
	switch keep := min(frameBytes, max(reportBytes-w.kept, 0)); {
	case len(f.Data) > keep:
		// Masking comes before cutting, so that no half of a secret is left.
		masked := w.Mask.MaskCut(f.Data[:min(len(f.Data), keep+frameBytes)])
		f.Data, f.Truncated = slices.Clone(masked[:min(len(masked), keep)]), true
	case f.Truncated:
		f.Data = slices.Clone(w.Mask.MaskCut(f.Data))
	default:
		f.Data = slices.Clone(w.Mask.Mask(f.Data))
	}
	w.kept += len(f.Data)
	w.Report.Frames = append(w.Report.Frames, f)
}

// frame is a frame of the transcript as one of a report.
func frame(f wire.Frame) reports.Frame {
	out := reports.Frame{
		Session: f.Session, Channel: f.Channel, Direction: string(f.Dir), AtMS: reports.Milliseconds(f.At),
		Size: f.Size, Truncated: f.Truncated, Data: f.Whole(),
	}
	if f.HTTP != nil {
		out.Method, out.URL, out.Status, out.Headers = f.HTTP.Method, f.HTTP.URL, f.HTTP.Status, f.HTTP.Header
	}
	if f.Event != nil {
		out.Event, out.EventID = f.Event.Type, f.Event.ID
	}
	var notes []string
	if f.Text != "" {
		notes = []string{f.Text}
	}
	for _, x := range f.Flaws {
		if x.Code != wire.FlawNotJSON || out.Event != "endpoint" { // whose data is a URL
			notes = append(notes, x.String())
		}
	}
	out.Note = strings.Join(notes, "; ")
	return out
}

// evidence lists the numbers that frames have in the report, in order.
func (w *Writer) evidence(numbers []int) []int {
	out := w.numbers(numbers)
	slices.Sort(out)
	return slices.Compact(out)
}

// numbers are those that frames have in the report, in the order in which they are given.
func (w *Writer) numbers(frames []int) []int {
	var out []int
	for _, n := range frames {
		if m, ok := w.frames[n]; ok {
			out = append(out, m)
		}
	}
	return out
}

// Result adds the verdict on a requirement, whose scenarios were played for some time, and its
// observations.
func (w *Writer) Result(req *requirement.Requirement, at requirement.Combination, v *verdict.Result,
	played time.Duration) {
	rev := at.Revision
	out := reports.Result{
		ID: req.ID, Title: cmp.Or(v.Title, req.Title), Level: req.LevelIn(rev),
		Grade:    string(req.GradeIn(rev)),
		Revision: string(rev), Transport: string(at.Transport),
		Verdict: v.Outcome, ReasonCode: string(v.Code), Reason: w.Mask.String(v.Reason),
		Expected: w.Mask.String(v.Expected), Actual: w.Mask.String(v.Actual), Hint: w.Mask.String(v.Hint),
		DurationMS: reports.Milliseconds(played), Evidence: w.numbers(before(v, len(v.Frames))),
		Deciding: len(w.numbers(before(v, min(v.First, len(v.Frames))))),
		Gravity:  reports.GravityOf(v.Outcome),
	}
	if s, ok := req.SectionOn(at); ok {
		out.Section, out.Link = s.Ref(), s.URL(rev)
	}
	if v.Outcome == verdict.Fail {
		out.Reason = ""
	}
	if v.Outcome.Red() {
		out.ReasonCode = "" // the reason, if any, is why it is only a warning
		out.Cause, out.SharedCause = cmp.Or(v.Cause, verdict.CauseCode(out.Expected)), v.SharedCause
		out.Gravity = cmp.Or(v.Gravity, out.Gravity)
	}
	w.Report.Results = append(w.Report.Results, out)
	if v.Outcome.Red() {
		w.fold(red{len(w.Report.Results) - 1, v, req})
	}
	for _, o := range v.Observations {
		w.Observe(o, reports.Observation{Title: req.Title, Requirement: req.ID, Revision: out.Revision,
			Transport: out.Transport})
	}
}

// before lists the first frames of a verdict, behind those that came before what it is about.
func before(v *verdict.Result, first int) []int {
	if first == 0 {
		return nil
	}
	earlier := recording.Keep(v.Before, func(n int) bool { return !slices.Contains(v.Frames, n) })
	return slices.Concat(earlier, v.Frames[:first])
}

// Observe adds an observation under its title in the catalogue, and what it belongs to.
func (w *Writer) Observe(o verdict.Observation, under reports.Observation) {
	under.Title = cmp.Or(w.catalogue.Observation(o.ID).Title, under.Title)
	under.ID, under.Detail, under.Evidence = o.ID, w.Mask.String(o.Detail), w.evidence(o.Frames)
	w.Report.Observations = append(w.Report.Observations, under)
}

// fold says which of the red verdicts in one combination a deeper one covers: the rows name
// the pairs, and both stand in the same places.
func (w *Writer) fold(last red) {
	at := func(x red) *reports.Result { return &w.Report.Results[x.at] }
	for _, x := range w.red {
		if at(x).Combination() != at(last).Combination() {
			continue
		}
		for _, pair := range [][2]red{{x, last}, {last, x}} {
			under, deeper := pair[0], pair[1]
			if i := slices.Index(under.required.Under, deeper.required.ID); i >= 0 &&
				under.judged.Within(deeper.judged) {
				// Of several the row names the deepest first.
				if now := slices.Index(under.required.Under, at(under).Under); now < 0 || i < now {
					at(under).Under = deeper.required.ID
				}
			}
		}
	}
	w.red = append(w.red, last)
}

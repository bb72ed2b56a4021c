package engine

import (
	"cmp"
	"errors"
	"net/http"
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
	"github.com/tidwall/gjson"
)

// What a report keeps of the evidence: a report is to be read, and the transcript
// of a hostile target has no end.
const (
	frameBytes  = 64 << 10 // of one frame
	reportBytes = 32 << 20 // of all frames
)

// Report says what came out of the run. It may be called once the run is over;
// before, and if there was nothing to execute, it has no results.
func (r *Run) Report(strict bool) *reports.Report {
	judged := make([]*Judgement, 0, len(r.rows))
	for _, row := range r.rows {
		if j := r.results.given(row); j != nil {
			judged = append(judged, j)
		}
	}
	return r.ReportOn(judged, strict)
}

// ReportOn is [Run.Report] on some of the verdicts.
func (r *Run) ReportOn(judged []*Judgement, strict bool) *reports.Report {
	return r.report(judged, strict, r.cfg.Partial, r.interrupted())
}

// ReportOnPart is [Run.ReportOn] where nobody asked for more: the run was ended for want of
// interest.
func (r *Run) ReportOnPart(judged []*Judgement, strict bool) *reports.Report {
	return r.report(judged, strict, true, "")
}

func (r *Run) report(judged []*Judgement, strict, partial bool, interrupted string) *reports.Report {
	cfg := r.cfg.Shown
	cfg.Jobs, cfg.TimeoutMS, cfg.StartTimeoutMS = r.cfg.Jobs, r.cfg.Timeout.Milliseconds(), r.cfg.Start.Milliseconds()
	cfg.BudgetMS, cfg.QuietWindowMS = r.cfg.Budget.Milliseconds(), r.cfg.QuietWindow.Milliseconds()
	cfg.NoSecurityProbes = !r.cfg.SecurityProbes
	cfg.RatePerSecond = r.cfg.Rate
	w := r.writer(reports.New(r.cfg.Tool, r.target(), cfg))
	w.leaks = r.leaks()
	slices.SortStableFunc(judged, func(a, b *Judgement) int { return reports.CompareIDs(a.Requirement.ID, b.Requirement.ID) })
	w.number(judged...)
	for _, j := range judged {
		w.result(j, r.playing(j.Row))
	}
	w.report.Summarize(reports.SummaryOptions{
		Strict: strict, Partial: partial, Interrupted: interrupted, Started: r.began, Duration: r.took,
		Profile: r.catalogue.Profile, Profiles: requirement.Profiles(), Offered: r.offered,
	})
	return w.report
}

// Show is a verdict that was given, as a report shows it: without secrets, and with the
// frames that it rests on, which are numbered anew.
func (r *Run) Show(j *Judgement) (reports.Result, []reports.Frame) {
	w := r.writer(&reports.Report{})
	if len(j.Frames) > 0 { // nothing is recorded any more: see results
		w.leaks = r.leaked()
	}
	j = &Judgement{Row: j.Row, Result: j.Result}
	j.Observations = nil
	w.number(j)
	w.result(j, 0)
	return w.report.Results[0], w.report.Frames
}

// writer writes into a report.
func (r *Run) writer(report *reports.Report) *writer {
	return &writer{report: report, transcript: r.transcript, mask: r.masks(), frames: map[int]int{}, sessions: map[string]string{}}
}

// offered says whether the target declares what a profile is about. Where nothing
// is known of a declaration it may.
func (r *Run) offered(profile, revision, transport string) bool {
	c := requirement.Combination{Revision: requirement.Revision(revision), Transport: requirement.Transport(transport)}
	take := r.takes[c]
	if take == nil || take.Facts == nil || len(take.Facts.Declared) == 0 {
		return true
	}
	switch f := take.Facts; profile {
	case requirement.ProfileCore, requirement.ProfilePagination, requirement.ProfileTemplates:
		return f.Declares("resources")
	case requirement.ProfileSubscriptions:
		return f.Declares("resources.subscribe") || f.Declares("resources.listChanged")
	case requirement.ProfileCompletion:
		if c.Revision != requirement.R20241105 {
			return f.Declares("completions")
		}
		// The first revision has no such capability to declare: answers tell.
		rec := take.Recordings[recording.TemplateCompletions]
		return rec != nil && slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool { return x.Succeeded() })
	}
	return true
}

// interrupted says in a few words why the run ended early.
func (r *Run) interrupted() string {
	switch {
	case r.ended == nil:
		return ""
	case errors.Is(r.ended, ErrBudget):
		return "budget"
	case errors.Is(r.ended, ErrVolume):
		return "volume"
	default:
		return "interrupted"
	}
}

// target describes the target as far as it was found out.
func (r *Run) target() reports.Target {
	if r.recorded != nil {
		return *r.recorded
	}
	t := reports.Target{Name: r.cfg.Target.Name, Embedded: r.cfg.Embedded, Endpoints: []reports.Endpoint{}}
	masker := r.masks()
	for _, e := range r.endpoints {
		out := reports.Endpoint{
			Transport: string(e.transport), Address: e.AddressWithout(masker.String),
			Revisions: []string{}, Unreachable: masker.String(e.unreachable),
			Unoffered: masker.String(e.unoffered),
		}
		r.started(e, &out)
		if e.found != nil {
			for _, rev := range e.found.Served {
				out.Revisions = append(out.Revisions, string(rev))
				facts := recording.Facts{Declared: e.found.Declared[rev]}
				if len(facts.Declared) > 0 && !facts.Declares("resources") {
					out.WithoutResources = append(out.WithoutResources, string(rev))
				}
				if s := server(e.found.Declared[rev]); s != nil {
					s.Name, s.Version, s.Title = masker.String(s.Name), masker.String(s.Version), masker.String(s.Title)
					out.Server = s
				}
			}
		}
		t.Endpoints = append(t.Endpoints, out)
		if t.Name == "" {
			t.Name = out.Address
		}
	}
	return t
}

// server is what a target says of itself in a result of initialize or
// server/discover.
func server(declared []byte) *reports.Server {
	info := gjson.GetBytes(declared, "serverInfo")
	if !info.IsObject() {
		info = gjson.GetBytes(declared, `_meta.io\.modelcontextprotocol/serverInfo`)
	}
	if !info.IsObject() {
		return nil
	}
	return &reports.Server{Name: info.Get("name").String(), Version: info.Get("version").String(), Title: info.Get("title").String()}
}

// writer puts judgements into a report. The frames that stand there are numbered without
// gaps, in the order in which they were seen, and so are their sessions.
type writer struct {
	report     *reports.Report
	transcript *wire.Transcript
	mask       *mask.Masker
	leaks      leaks
	frames     map[int]int
	sessions   map[string]string
	kept       int
}

// playing is how long the scenarios were played that a verdict rests on.
func (r *Run) playing(row Row) (d time.Duration) {
	k, ok := r.catalogue.Check(row.Requirement.ID)
	take := r.takes[row.Combination]
	if !ok || take == nil {
		return 0
	}
	for _, name := range k.From {
		d += take.Took[name]
	}
	return d
}

func (w *writer) result(j *Judgement, played time.Duration) {
	req, rev := j.Requirement, j.Combination.Revision
	out := reports.Result{
		ID: req.ID, Title: req.Title, Level: string(req.LevelIn(rev)), Grade: string(req.GradeIn(rev)),
		Revision: string(rev), Transport: string(j.Combination.Transport),
		Verdict: reports.Verdict(j.Outcome), ReasonCode: string(j.Code), Reason: w.mask.String(j.Reason),
		Expected: w.mask.String(j.Expected), Actual: w.mask.String(j.Actual), Hint: w.mask.String(j.Hint),
		DurationMS: reports.Milliseconds(played), Evidence: w.evidence(j.Frames),
	}
	if j.Outcome.Red() {
		out.Cause = cmp.Or(j.Cause, verdict.CauseCode(out.Expected))
		out.Gravity = cmp.Or(reports.Gravity(j.Gravity), reports.GravityOf(out.Verdict))
	}
	if s, ok := req.SectionIn(rev); ok {
		out.Section, out.Link = s.Ref(), s.URL(rev)
	}
	if j.Outcome == verdict.Fail {
		out.ReasonCode, out.Reason = "", ""
	}
	if j.Outcome == verdict.Warn {
		out.ReasonCode = "" // the reason, if any, is why it is only a warning
	}
	w.report.Results = append(w.report.Results, out)
	for _, o := range j.Observations {
		w.report.Observations = append(w.report.Observations, reports.Observation{
			ID: o.ID, Title: req.Title, Requirement: req.ID, Revision: string(rev),
			Transport: string(j.Combination.Transport), Detail: w.mask.String(o.Detail), Evidence: w.evidence(o.Frames),
		})
	}
}

// number adds the frames on which judgements rest.
func (w *writer) number(judged ...*Judgement) {
	var all []int
	for _, j := range judged {
		all = append(all, j.Frames...)
		for _, o := range j.Observations {
			all = append(all, o.Frames...)
		}
	}
	slices.Sort(all)
	for _, n := range slices.Compact(all) {
		if f, ok := w.transcript.Frame(n); ok {
			f = w.leaks.without(f, w.mask)
			w.frames[n] = len(w.frames) + 1
			w.report.Frames = append(w.report.Frames, w.frame(&f, w.frames[n]))
		}
	}
}

// evidence lists the numbers that frames have in the report.
func (w *writer) evidence(numbers []int) []int {
	var out []int
	for _, n := range numbers {
		if m, ok := w.frames[n]; ok {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (w *writer) frame(f *wire.Frame, number int) reports.Frame {
	session, ok := w.sessions[f.Session]
	if !ok {
		session = "session " + strconv.Itoa(len(w.sessions)+1)
		w.sessions[f.Session] = session
	}
	raw := f.Whole()
	out := reports.Frame{
		Number: number, Session: session, Channel: f.Channel, Direction: string(f.Dir),
		AtMS: reports.Milliseconds(f.At), Size: f.Size, Truncated: f.Truncated, Note: w.mask.String(f.Text),
	}
	if keep := min(frameBytes, max(reportBytes-w.kept, 0)); len(raw) > keep {
		// Masking comes before cutting, so that no half of a secret is left.
		masked := w.mask.MaskCut(raw[:min(len(raw), keep+frameBytes)])
		raw, out.Truncated = masked[:min(len(masked), keep)], true
		out.Data = slices.Clone(raw)
	} else {
		out.Data = slices.Clone(masked(w.mask, f))
	}
	w.kept += len(out.Data)
	if f.HTTP != nil {
		out.Method, out.URL, out.Status = f.HTTP.Method, w.mask.String(f.HTTP.URL), f.HTTP.Status
		out.Headers = w.header(f.HTTP.Header)
	}
	if f.Event != nil {
		out.Event, out.EventID = w.mask.String(f.Event.Type), w.mask.String(f.Event.ID)
	}
	if len(f.Flaws) > 0 {
		var flaws []string
		for _, x := range f.Flaws {
			flaws = append(flaws, strings.TrimSpace(string(x.Code)+" "+w.mask.String(x.Detail)))
		}
		out.Note = strings.TrimPrefix(out.Note+"; "+strings.Join(flaws, "; "), "; ")
	}
	return out
}

// masked is what was kept of a frame, without secrets.
func masked(m *mask.Masker, f *wire.Frame) []byte {
	if f.Truncated {
		return m.MaskCut(f.Raw)
	}
	return m.Mask(f.Whole())
}

func (w *writer) header(h http.Header) http.Header {
	out := http.Header{}
	for k, values := range h {
		for _, v := range values {
			out[k] = append(out[k], w.mask.String(v))
		}
	}
	return out
}

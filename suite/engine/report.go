package engine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/reporting"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
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
	w := r.writer(reports.New(r.cfg.Tool, r.target(), cfg), r.leaks(), judged...)
	slices.SortStableFunc(judged, func(a, b *Judgement) int { return reports.CompareIDs(a.Requirement.ID, b.Requirement.ID) })
	for _, j := range judged {
		w.Result(j.Requirement, j.Combination, &j.Result, r.playing(j.Row))
	}
	w.Report.Summarize(reports.SummaryOptions{
		Strict: strict, Partial: partial, Interrupted: interrupted, Started: r.began, Duration: r.took,
		Profile: r.catalogue.Profile, Profiles: requirement.Profiles(), Offered: r.offered,
	})
	return w.Report
}

// Show is a verdict that was given, as a report shows it: without secrets, and with the
// frames that it rests on, which are numbered anew.
func (r *Run) Show(j *Judgement) (reports.Result, []reports.Frame) {
	j = &Judgement{Row: j.Row, Result: j.Result}
	j.Observations = nil
	leaked := leaks{}
	if len(j.Frames) > 0 { // nothing is recorded any more: see results
		leaked = r.leaked()
	}
	w := r.writer(&reports.Report{}, leaked, j)
	w.Result(j.Requirement, j.Combination, &j.Result, 0)
	return w.Report.Results[0], w.Report.Frames
}

// writer writes into a report, which has the frames that judgements rest on.
func (r *Run) writer(report *reports.Report, leaked leaks, judged ...*Judgement) *reporting.Writer {
	w := reporting.New(report, r.masks())
	results := make([]*verdict.Result, len(judged))
	for i, j := range judged {
		results[i] = &j.Result
	}
	for _, n := range reporting.Needed(results...) {
		if f, ok := r.transcript.Frame(n); ok {
			w.Frame(n, frame(leaked.without(f, w.Mask)))
		}
	}
	return w
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

// interrupted says in a word why the run ended early.
func (r *Run) interrupted() string {
	code, _ := endedBy(r.ended)
	return string(code)
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
			Revisions: []string{}, Unreachable: masker.String(e.unreachable), Reached: e.unreachable != "" && reached(e.cause),
			Unoffered: masker.String(e.unoffered),
		}
		r.started(e, &out)
		for _, f := range e.profile.Facts() {
			out.Profile = append(out.Profile, reports.Fact{Name: string(f.Name), Seen: masker.String(f.Seen), Follows: f.Follows})
		}
		if e.found != nil {
			for _, rev := range slices.Sorted(maps.Keys(e.found.Unanswered)) {
				out.Unanswered = append(out.Unanswered, masker.String(string(rev)+": "+e.found.Unanswered[rev]))
			}
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
			t.Name = e.NameWithout(masker.String)
		}
	}
	if r.interrupted() == string(recording.CodeBudget) && len(t.Endpoints) == 1 {
		t.Endpoints[0].OneAtATime, t.Endpoints[0].Hung = r.serial(), r.hung()
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

// frame is a frame of the transcript as one of a report.
func frame(f wire.Frame) reports.Frame {
	out := reports.Frame{
		Session: f.Session, Channel: f.Channel, Direction: string(f.Dir), AtMS: reports.Milliseconds(f.At),
		Size: f.Size, Truncated: f.Truncated, Note: f.Text, Data: f.Whole(),
	}
	if f.HTTP != nil {
		out.Method, out.URL, out.Status, out.Headers = f.HTTP.Method, f.HTTP.URL, f.HTTP.Status, f.HTTP.Header
	}
	if f.Event != nil {
		out.Event, out.EventID = f.Event.Type, f.Event.ID
	}
	notes := slices.DeleteFunc([]string{f.Text}, func(text string) bool { return text == "" })
	for _, x := range f.Flaws {
		if x.Code != wire.FlawNotJSON || out.Event != "endpoint" { // whose data is a URL
			notes = append(notes, x.String())
		}
	}
	out.Note = strings.Join(notes, "; ")
	return out
}

// masked is what was kept of a frame, without secrets.
func masked(m *mask.Masker, f *wire.Frame) []byte {
	if f.Truncated {
		return m.MaskCut(f.Raw)
	}
	return m.Mask(f.Whole())
}

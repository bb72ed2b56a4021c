package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/reporting"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/sdk"
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
	w := r.writer(reports.New(r.cfg.Tool, r.target(), r.shown()), r.leaks(), judged...)
	slices.SortStableFunc(judged, func(a, b *Judgement) int {
		return reports.CompareIDs(a.Requirement.ID, b.Requirement.ID)
	})
	for _, j := range judged {
		w.Result(j.Requirement, j.Combination, &j.Result, r.playing(j.Row))
	}
	if s := sdkOf(w.Report, r.transcript); s != nil {
		w.Report.Target.SDK = s.Name
		for i := range w.Report.Results {
			if x := &w.Report.Results[i]; x.Verdict.Red() {
				x.SDK = s.Explains(x.ID, x.Transport, x.Cause, x.Actual)
			}
		}
	}
	w.Report.Summarize(reports.SummaryOptions{
		Strict: strict, Partial: partial, Interrupted: interrupted, Started: r.began, Duration: r.took,
		Profile: r.catalogue.Profile, Profiles: requirement.Profiles(), Offered: r.offered,
	})
	w.Report.Summary.Slow = r.slow()
	return w.Report
}

// sdkOf is the SDK that the target is built on, as its errors show it; nil if it is not known, or several
// programs may have answered.
func sdkOf(r *reports.Report, seen *wire.Transcript) *sdk.SDK {
	if len(r.Target.Endpoints) != 1 {
		return nil
	}
	return sdk.Recognize(func(yield func([]byte) bool) {
		for _, f := range seen.Since(0) {
			if f.Dir == wire.In && !yield(f.Raw) {
				return
			}
		}
	}, func(id string) bool {
		return slices.ContainsFunc(r.Results, func(x reports.Result) bool {
			return x.ID == id && x.Verdict.Red()
		})
	})
}

// slow tells of a long run which kinds of requests took most of the time of all.
func (r *Run) slow() []reports.Slow {
	const long, part, most = 20 * time.Second, 10, 2
	if r.took < long {
		return nil
	}
	kinds, seen := map[reports.Slow]time.Duration{}, map[int]bool{0: true}
	times, sum := map[reports.Slow]int{}, time.Duration(0)
	for take := range r.played() {
		for _, x := range take.exchanges() {
			if ended := slowEnd(x); x.Method != "" && ended != "" && !seen[x.Request] {
				seen[x.Request] = true
				kind := reports.Slow{Method: r.masks().String(x.Method), Ended: ended}
				kinds[kind] += x.Took
				sum += x.Took
				times[kind]++
			}
		}
	}
	var all []reports.Slow
	for kind, took := range kinds {
		if took >= max(sum, r.took)/part {
			kind.Times, kind.TotalMS = times[kind], reports.Milliseconds(took)
			all = append(all, kind)
		}
	}
	slices.SortFunc(all, func(a, b reports.Slow) int {
		return cmp.Or(cmp.Compare(b.TotalMS, a.TotalMS), cmp.Compare(a.Method+a.Ended, b.Method+b.Ended))
	})
	return all[:min(len(all), most)]
}

// slowEnd is how a request ended that the target can be slow at; empty of others.
func slowEnd(x *recording.Exchange) string {
	switch {
	case x.Succeeded():
		return "result"
	case x.Outcome == recording.Replied:
		return "error"
	case x.Outcome == recording.Silent:
		return "silence"
	}
	return ""
}

// shown is the configuration as reports and recordings show it.
func (r *Run) shown() reports.Config {
	cfg := r.cfg.Shown
	if r.recorded != nil {
		return cfg
	}
	cfg.Jobs, cfg.TimeoutMS, cfg.StartTimeoutMS = r.cfg.Jobs, r.cfg.Timeout.Milliseconds(),
		r.cfg.StartTimeout.Milliseconds()
	cfg.BudgetMS, cfg.QuietWindowMS = r.cfg.Budget.Milliseconds(), r.cfg.QuietWindow.Milliseconds()
	cfg.NoSecurityProbes = !r.cfg.SecurityProbes
	cfg.RatePerSecond = r.cfg.Rate
	return cfg
}

// Show is a verdict that was given, as a report shows it: without secrets, and with the
// frames that it rests on, which are numbered anew.
func (r *Run) Show(j *Judgement) *reports.Report {
	j = &Judgement{Row: j.Row, Result: j.Result}
	j.Observations = nil
	leaked := leaks{}
	if len(j.Frames) > 0 { // nothing is recorded any more: see results
		leaked = r.leaked()
	}
	w := r.writer(&reports.Report{Target: r.target()}, leaked, j)
	w.Result(j.Requirement, j.Combination, &j.Result, 0)
	return w.Report
}

// writer writes into a report, which has the frames that judgements rest on.
func (r *Run) writer(report *reports.Report, leaked leaks, judged ...*Judgement) *reporting.Writer {
	w := reporting.New(report, r.masks(), r.catalogue.Catalogue)
	results := make([]*verdict.Result, len(judged))
	for i, j := range judged {
		results[i] = &j.Result
	}
	w.Frames(func(n int) (wire.Frame, bool) {
		f, ok := r.transcript.Frame(n)
		return leaked.without(f, w.Mask), ok
	}, results...)
	return w
}

// offered says whether the target declares what a profile is about. Where nothing
// is known of a declaration it may.
func (r *Run) offered(profile, revision, transport string) bool {
	c := requirement.Combination{Revision: requirement.Revision(revision),
		Transport: requirement.Transport(transport)}
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
		return rec != nil && slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool {
			return x.Succeeded()
		})
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
	hide := r.masks().String
	if about := r.cfg.Target.About; about != (reports.About{}) {
		t.About = &about
	}
	for _, e := range r.endpoints {
		out := reports.Endpoint{
			Transport: string(e.transport), Address: e.AddressWithout(hide),
			Revisions: []string{}, Unreachable: hide(e.unreachable), Reached: e.unreachable != "" &&
				reached(e.cause),
			Unoffered: hide(e.unoffered),
		}
		r.started(e, &out)
		for _, f := range e.profile.Facts() {
			f.Seen = hide(f.Seen)
			out.Profile = append(out.Profile, f)
		}
		if e.found != nil {
			for _, rev := range slices.Sorted(maps.Keys(e.found.Unanswered)) {
				out.Unanswered = append(out.Unanswered, hide(string(rev)+": "+e.found.Unanswered[rev]))
			}
			for _, rev := range e.found.Served {
				out.Revisions = append(out.Revisions, string(rev))
				facts := recording.Facts{Declared: e.found.Declared[rev]}
				if len(facts.Declared) > 0 && !facts.Declares("resources") {
					out.WithoutResources = append(out.WithoutResources, string(rev))
				}
				if s := server(e.found.Declared[rev]); s != nil {
					s.Name, s.Version, s.Title = hide(s.Name), hide(s.Version), hide(s.Title)
					out.Server = s
				}
			}
		}
		t.Endpoints = append(t.Endpoints, out)
		if t.Name == "" {
			t.Name = e.NameWithout(hide)
		}
	}
	if r.interrupted() == string(recording.CodeBudget) && len(t.Endpoints) == 1 &&
		r.endpoints[0].transport != requirement.Stdio {
		seen := r.transcript.Since(0)
		t.Endpoints[0].OneAtATime = serial(seen)
		t.Endpoints[0].Hung = hung(seen, r.lastClosed(), r.took, r.cfg.Timeout)
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
	return &reports.Server{Name: info.Get("name").String(), Version: info.Get("version").String(),
		Title: info.Get("title").String()}
}

// playing is how long the scenarios were played that a verdict rests on.
func (r *Run) playing(row Row) (d time.Duration) {
	k, ok := r.catalogue.Check(row.Requirement.ID)
	take := r.takes[row.Combination]
	if !ok || take == nil {
		return 0
	}
	for _, name := range k.Judged() {
		d += take.Took[name]
	}
	return d
}

// masked is what was kept of a frame, without secrets.
func masked(m *mask.Masker, f *wire.Frame) []byte {
	if f.Truncated {
		return m.MaskCut(f.Raw)
	}
	return m.Mask(f.Whole())
}

// A target that is asked for files that it must not give away may do so. That it did is
// told, what was in them is not: reports and recordings are passed on. So the contents
// are cut to their beginning, after everything was judged.

// leaks are the frames that may hold what a target should have kept for itself. Of those
// that answer what tried to climb out of a directory all contents are cut, of the others
// only what looks like a file of the system.
type leaks map[int]judge.LeakCut

// leaks looks through what was recorded.
func (r *Run) leaks() leaks {
	found := leaks{}
	for take := range r.played() {
		for rec, x := range take.exchanges() {
			if rec.Scenario != recording.Traversal && x.Kind != recording.Probe {
				continue
			}
			for _, n := range x.Evidence() {
				cut := found[n]
				if rec.Scenario == recording.Traversal {
					cut.Contents = true
					cut.Marker = cmp.Or(cut.Marker, x.Tags[recording.TagMarker])
				}
				found[n] = cut
			}
		}
	}
	return found
}

// noteLeaks notes with each exchange what leaked in it, for those who judge it again
// without the contents that showed it.
func noteLeaks(take *Take) {
	rec := take.Recordings[recording.Traversal]
	if rec == nil {
		return
	}
	for _, x := range rec.Exchanges {
		if what, sure := verdict.Leaked(x); what != "" {
			x.Tags[recording.TagLeaked] = what
			if sure {
				x.Tags[recording.TagProven] = "yes"
			}
		}
	}
}

// without is a frame without what leaked in it. Secrets are masked before, so that no half
// of one is left where nobody recognizes it.
func (l leaks) without(f wire.Frame, m *mask.Masker) wire.Frame {
	if cut, ok := l[f.Number]; ok && f.Dir == wire.In && len(f.Raw) > 0 {
		f.Raw, f.Long = []byte(cut.Cut(string(masked(m, &f)))), nil
	}
	return f
}

// What makes it plain that a server handles one request at a time: how long a response was open, and how many
// requests waited beside it.
const (
	openLong    = 2 * time.Second
	waitedAtAll = 3
)

// exchange is an HTTP request of a kind, which is its methods, with the time of the first and of the last
// frame of its response; answered is 0 if there is none.
type exchange struct {
	kind                  string
	sent, answered, ended time.Duration
}

// serial says in a sentence that a server over HTTP handles one request at a time, by which a run takes many
// times as long: while one response was open, as a stream is, no request beside it was answered, and several
// were when it had ended. It is empty if that was not seen.
func serial(frames []wire.Frame) string {
	all := exchanges(frames)
	quickest := map[string]time.Duration{} // by kind: what always takes long waits for nobody
	for _, x := range all {
		if took, known := quickest[x.kind]; x.answered > 0 && (!known || x.ended-x.sent < took) {
			quickest[x.kind] = x.ended - x.sent
		}
	}
	for _, open := range all {
		if open.answered == 0 || open.ended-open.answered < openLong {
			continue
		}
		waited, beside := 0, false
		for _, x := range all {
			beside = beside || x != open && x.answered > open.answered && x.answered < open.ended
			took, known := quickest[x.kind]
			// some are never answered, whatever else is open
			if x.sent > open.sent && x.sent < open.ended-openLong/2 && x.answered >= open.ended &&
				known && took < (open.ended-x.sent)/2 {
				waited++
			}
		}
		if !beside && waited >= waitedAtAll {
			return fmt.Sprintf("while one response was open, for %.1f s, %d requests beside it got no "+
				"answer, and then they did: the server handles one request at a time; give it more "+
				"workers, if it can have them",
				(open.ended - open.answered).Seconds(), waited)
		}
	}
	return ""
}

// lastClosed is when the last request was sent over which the connection was closed: it was not waited for.
func (r *Run) lastClosed() (closed time.Duration) {
	for take := range r.played() {
		for _, x := range take.exchanges() {
			if x.Outcome == recording.Lost && x.Took < r.cfg.Timeout {
				closed = max(closed, x.Sent)
			}
		}
	}
	return closed
}

// hung says in a sentence that a server over HTTP answers nothing any more, by what was seen in a run that
// took so long, with the time for one request, and [Run.lastClosed]; empty if that was not seen.
func hung(frames []wire.Frame, closed, took, timeout time.Duration) string {
	last, waited := time.Duration(0), 0
	for i := range frames {
		if f := &frames[i]; f.Dir == wire.In {
			last = max(last, f.At)
		}
	}
	for _, x := range exchanges(frames) {
		if x.sent > last && took-x.sent >= timeout {
			waited++
		}
	}
	if waited < waitedAtAll || closed > last {
		return ""
	}
	return fmt.Sprintf("nothing came from the server in the last %.0f s, in which %d requests were waited "+
		"for in full: it hangs, and has to be started again; look for what it waits for then",
		(took - last).Seconds(), waited)
}

// exchanges lists the HTTP requests of a transcript.
func exchanges(frames []wire.Frame) []*exchange {
	type key struct{ session, channel string }
	var all []*exchange
	open := map[key]*exchange{}
	for i := range frames {
		f := &frames[i]
		at := key{f.Session, f.Channel}
		x := open[at]
		switch {
		case f.Dir == wire.Out && f.HTTP != nil:
			x = &exchange{kind: f.HTTP.Method + " " + gjson.GetBytes(f.Raw, "method").Str, sent: f.At}
			open[at], all = x, append(all, x)
		case x != nil && f.Dir == wire.In && x.answered == 0:
			x.answered, x.ended = f.At, f.At
		case x != nil && x.answered > 0:
			x.ended = f.At
		}
	}
	return all
}

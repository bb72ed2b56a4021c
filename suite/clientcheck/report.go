package clientcheck

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/reporting"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// report writes the frames that count as evidence, then results, observations and the
// summary.
func (r *record) report(rows []row, idle bool) *reports.Report {
	m := mask.NewMasker(r.Secrets)
	w := reporting.New(reports.New(r.Tool, r.describe(m), r.Config), m, Catalogue())
	about := &verdict.Result{} // the client as a whole
	if idle {
		about.Observations = append(about.Observations,
			verdict.Observation{ID: codeNothingDone, Detail: nothingDone})
	}
	if r.Crashed != "" {
		about.Observations = append(about.Observations, r.crash())
	}
	all := []*verdict.Result{about}
	for i := range rows {
		v := &rows[i].Result
		v.Frames = bounded(v.Frames)
		for n := range v.Observations {
			v.Observations[n].Frames = bounded(v.Observations[n].Frames)
		}
		all = append(all, v)
	}
	w.Frames(func(n int) (wire.Frame, bool) { return r.entries[n-1].frame(), true }, all...)
	for _, x := range rows {
		w.Result(x.Requirement, x.in, &x.Result, 0)
	}
	for _, o := range about.Observations {
		w.Observe(o, reports.Observation{})
	}
	s := reports.SummaryOptions{
		Strict: r.Strict, Partial: len(r.Only) > 0, Interrupted: cmp.Or(r.Interrupted,
			Crash(w.Report)), Duration: r.Duration,
		Profile: Catalogue().Profile, Profiles: Catalogue().Areas()[0].Profiles,
	}
	if n := len(r.entries); n > 0 {
		s.Started, s.Duration = r.entries[0].Time, cmp.Or(r.Duration, r.entries[n-1].at)
	}
	w.Report.Summarize(s)
	if idle {
		unsettle(&w.Report.Summary)
	}
	return w.Report
}

// maxEvidence is how many frames a verdict cites.
const maxEvidence = 8

// bounded is the evidence that is kept: the first frames and the last.
func bounded(frames []int) []int {
	if len(frames) <= maxEvidence {
		return frames
	}
	return slices.Concat(frames[:maxEvidence/2], frames[len(frames)-maxEvidence/2:])
}

// describe describes the client as far as it is known.
func (r *record) describe(m *mask.Masker) reports.Target {
	t := reports.Target{Name: m.String(r.Name), Endpoints: []reports.Endpoint{}}
	for _, c := range r.conversations {
		transport, revision := string(c.Transport), string(c.Revision)
		i := slices.IndexFunc(t.Endpoints, func(e reports.Endpoint) bool { return e.Transport == transport })
		if i < 0 {
			i = len(t.Endpoints)
			t.Endpoints = append(t.Endpoints, reports.Endpoint{
				Transport: transport, Address: m.String(r.Address), Revisions: []string{},
			})
		}
		e := &t.Endpoints[i]
		if !slices.Contains(e.Revisions, revision) {
			e.Revisions = append(e.Revisions, revision)
			slices.Sort(e.Revisions)
		}
		if info := c.introduction(); info.IsObject() && e.Server == nil {
			said := func(member string) string { return m.String(info.Get(member).String()) }
			e.Server = &reports.Server{Name: said("name"), Version: said("version"), Title: said("title")}
			t.Name = cmp.Or(t.Name, e.Server.Name)
		}
	}
	t.Name = cmp.Or(t.Name, "client")
	return t
}

// introduction is what the client says of itself.
func (c *conversation) introduction() gjson.Result {
	if c.initialize != nil {
		return c.initialize.Get("params.clientInfo")
	}
	for _, m := range c.requests() {
		if info := m.meta("clientInfo"); info.Exists() {
			return info
		}
	}
	return gjson.Result{}
}

const nothingDone = "the client did nothing with resources, or was never let in: " +
	"it listed, read and subscribed to nothing that the server looked at"

// Idle is the sentence about a client that did nothing with resources; empty of others. Of such
// a client nothing is established, since what it did is too little to go by.
func Idle(r *reports.Report) string { return said(r, codeNothingDone) }

// Crash is the sentence about a client that did not end well: how, and what it had seen last. It
// is empty of others.
func Crash(r *reports.Report) string { return said(r, codeCrashed) }

// said is the detail of an observation that is about the client as a whole.
func said(r *reports.Report, id string) string {
	i := slices.IndexFunc(r.Observations, func(o reports.Observation) bool { return o.ID == id })
	if i < 0 {
		return ""
	}
	return r.Observations[i].Detail
}

// crash says how the client ended, and what the server had sent last.
func (r *record) crash() verdict.Observation {
	a := verdict.Observation{ID: codeCrashed, Detail: "the client ended with " + r.Crashed}
	if r.sent == nil {
		a.Detail += " before it had seen anything"
		return a
	}
	what := r.sent.what()
	if r.sent.kind == kindResponse {
		what = "the response to " + shorten(r.sent.method)
	}
	a.Detail += "; the last that it saw was " + what
	a.Frames = r.sent.Evidence()
	return a
}

// ExitCode is the status with which a program ends that has judged a client: as for reports
// about servers, but also 3 where nothing is established because there was too little to judge.
func ExitCode(r *reports.Report, strict bool) int {
	if r.Summary.Outcome == reports.NonConformant && Crash(r) != "" {
		return reports.ExitFindings // which it had earned before
	}
	code := r.ExitCode(strict, false)
	if code == reports.ExitOK && r.Summary.Outcome == reports.NotEstablished {
		return reports.ExitNotEstablished
	}
	return code
}

// atWork reports whether a client asked for anything about resources, and was not turned away
// at the door.
func (r *record) atWork() bool {
	return slices.ContainsFunc(r.conversations, func(c *conversation) bool {
		return slices.ContainsFunc(c.requests(), func(m *message) bool {
			about := strings.HasPrefix(m.method, "resources/") || m.method == methodComplete ||
				m.method == methodListen
			return about && !m.turnedAway()
		})
	})
}

// turnedAway reports whether a message was refused for its token: it is as if it had not been sent,
// and a client sends it again when it has another.
func (e *entry) turnedAway() bool {
	return e.status() == http.StatusUnauthorized || e.status() == http.StatusForbidden
}

// withhold blocks the verdict on lists or resources that an idle client gave no occasion for: it cannot be
// established.
func withhold(q *requirement.Requirement, revision requirement.Revision, v *verdict.Result) {
	about := q.Profile == "pagination" || q.Profile == "resources"
	if about && q.LevelIn(revision) == requirement.Must &&
		(v.Outcome == verdict.NotApplicable || v.Outcome == verdict.Blocked) {
		*v = verdict.Result{Outcome: verdict.Blocked, Code: codeNothingDone, Reason: nothingDone}
	}
}

// unsettle takes back that an idle client is conformant, also where the rules that say so were
// not selected.
func unsettle(s *reports.Summary) {
	if s.Outcome != reports.Conformant {
		return
	}
	s.Outcome, s.Conformant = reports.NotEstablished, false
	for i := range s.Combinations {
		if s.Combinations[i].Outcome == reports.Conformant {
			s.Combinations[i].Outcome = reports.NotEstablished
		}
	}
}

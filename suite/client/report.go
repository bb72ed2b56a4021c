package client

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The bounds of what a report keeps.
const (
	frameBytes  = 64 << 10 // of one frame
	reportBytes = 32 << 20 // of all frames
)

// writer puts verdicts into a report.
type writer struct {
	report   *reports.Report
	mask     *mask.Masker
	frames   map[int]int // numbers in the report, by those of the journal
	sessions map[string]string
	kept     int
}

// report writes the frames that count as evidence, then results, observations and the
// summary.
func report(r *record, verdicts []judgement, asides []aside, o Options) *reports.Report {
	w := &writer{mask: mask.NewMasker(o.Secrets), frames: map[int]int{}, sessions: map[string]string{}}
	w.report = reports.New(o.Tool, w.target(r, o), o.Config)
	needed := map[int]bool{}
	for i := range verdicts {
		v := &verdicts[i].verdict
		v.Frames = bounded(v.Frames)
		for _, n := range v.Frames {
			needed[n] = true
		}
		for _, x := range v.Observations {
			for _, n := range bounded(x.Frames) {
				needed[n] = true
			}
		}
	}
	for _, a := range asides {
		for _, n := range a.frames {
			needed[n] = true
		}
	}
	for _, e := range r.entries {
		if needed[e.Seq] {
			w.frames[e.Seq] = len(w.frames) + 1
			f := w.frame(e, len(w.frames))
			f.AtMS = reports.Milliseconds(e.Time.Sub(r.entries[0].Time))
			w.report.Frames = append(w.report.Frames, f)
		}
	}
	for i := range verdicts {
		w.result(&verdicts[i])
	}
	for _, a := range asides {
		w.report.Observations = append(w.report.Observations, reports.Observation{
			ID: string(a.id), Title: a.title, Detail: w.mask.String(a.detail), Evidence: w.evidence(a.frames),
		})
	}
	var began time.Time
	if len(r.entries) > 0 {
		began = r.entries[0].Time
	}
	if n := len(r.entries); o.Duration == 0 && n > 0 {
		o.Duration = r.entries[n-1].Time.Sub(r.entries[0].Time)
	}
	w.report.Summarize(reports.SummaryOptions{
		Strict: o.Strict, Partial: len(o.Only) > 0, Interrupted: cmp.Or(o.Interrupted, Crash(w.report)), Started: began, Duration: o.Duration,
		Profile: Catalogue().Profile, Profiles: Catalogue().Areas()[0].Profiles,
	})
	if Idle(w.report) != "" {
		unsettle(&w.report.Summary)
	}
	return w.report
}

// bounded is the evidence that is kept: the first frames and the last.
func bounded(frames []int) []int {
	if len(frames) <= maxEvidence {
		return frames
	}
	return slices.Concat(frames[:maxEvidence/2], frames[len(frames)-maxEvidence/2:])
}

// target describes the client as far as it is known.
func (w *writer) target(r *record, o Options) reports.Target {
	t := reports.Target{Name: w.mask.String(o.Name), Endpoints: []reports.Endpoint{}}
	for _, c := range r.conversations {
		transport, revision := string(c.Transport), string(c.Revision)
		i := slices.IndexFunc(t.Endpoints, func(e reports.Endpoint) bool { return e.Transport == transport })
		if i < 0 {
			i = len(t.Endpoints)
			t.Endpoints = append(t.Endpoints, reports.Endpoint{Transport: transport, Address: w.mask.String(o.Address), Revisions: []string{}})
		}
		e := &t.Endpoints[i]
		if !slices.Contains(e.Revisions, revision) {
			e.Revisions = append(e.Revisions, revision)
			slices.Sort(e.Revisions)
		}
		if info := c.introduction(); info.IsObject() && e.Server == nil {
			e.Server = &reports.Server{
				Name: w.mask.String(info.Get("name").String()), Version: w.mask.String(info.Get("version").String()), Title: w.mask.String(info.Get("title").String()),
			}
			t.Name = cmp.Or(t.Name, e.Server.Name)
		}
	}
	t.Name = cmp.Or(t.Name, "client")
	return t
}

// introduction is what the client says of itself.
func (c *conversation) introduction() gjson.Result {
	if c.initialize != nil {
		return c.initialize.params.Get("clientInfo")
	}
	for _, m := range c.requests() {
		if info := m.meta("clientInfo"); info.Exists() {
			return info
		}
	}
	return gjson.Result{}
}

// frame is an entry as a frame of the report.
func (w *writer) frame(e *entry, number int) reports.Frame {
	key := string(e.Transport) + "|" + e.Session
	if w.sessions[key] == "" {
		w.sessions[key] = fmt.Sprintf("session %d", len(w.sessions)+1)
	}
	f := reports.Frame{Number: number, Session: w.sessions[key], Channel: e.Stream, Direction: e.Direction, Size: e.Size, Truncated: e.Truncated}
	if f.Direction == "" {
		f.Direction = reports.Note
		f.Note = strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Scope, e.Kind, e.Reason))
	}
	if e.HTTP != nil {
		f.Method, f.URL, f.Status = e.HTTP.Method, w.mask.String(withoutToken(e.HTTP.Path)), e.HTTP.Status
		for name, values := range e.HTTP.Header {
			for _, v := range values {
				if f.Headers == nil {
					f.Headers = map[string][]string{}
				}
				f.Headers[name] = append(f.Headers[name], w.mask.String(v))
			}
		}
	}
	keep := min(frameBytes, max(reportBytes-w.kept, 0))
	switch {
	case len(e.raw) > keep:
		masked := w.mask.MaskCut(e.raw[:keep])
		f.Data, f.Truncated = masked[:min(len(masked), keep)], true
	case e.Truncated:
		f.Data = w.mask.MaskCut(e.raw)
	default:
		f.Data = w.mask.Mask(e.raw)
	}
	w.kept += len(f.Data)
	return f
}

// tokenNames are the parameters of a query that carry credentials.
var tokenNames = []string{"access_token", "token", "authorization", "api_key"}

// withoutToken takes credentials out of the query of a path.
func withoutToken(path string) string {
	before, query, ok := strings.Cut(path, "?")
	if !ok {
		return path
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, _, _ := strings.Cut(p, "=")
		if plain, err := url.QueryUnescape(name); err == nil && slices.Contains(tokenNames, strings.ToLower(plain)) {
			parts[i] = name + "=***"
		}
	}
	return before + "?" + strings.Join(parts, "&")
}

// result writes one verdict.
func (w *writer) result(j *judgement) {
	q, v, revision := j.row, &j.verdict, j.in.Revision
	out := reports.Result{
		ID: q.ID, Title: q.Title, Level: string(q.LevelIn(revision)), Grade: string(q.GradeIn(revision)),
		Revision: string(revision), Transport: string(j.in.Transport), DurationMS: reports.Milliseconds(0),
		Verdict: reports.Verdict(v.Outcome), Reason: w.mask.String(v.Reason), Expected: w.mask.String(v.Expected),
		Actual: w.mask.String(v.Actual), Hint: w.mask.String(v.Hint), Evidence: w.evidence(v.Frames),
		Gravity: reports.GravityOf(reports.Verdict(v.Outcome)),
	}
	if v.Outcome == verdict.NotApplicable || v.Outcome == verdict.Blocked {
		out.ReasonCode = string(v.Code)
	}
	if s, ok := q.SectionOn(j.in); ok {
		out.Section, out.Link = s.Ref(), s.URL(revision)
	}
	w.report.Results = append(w.report.Results, out)
	for _, x := range v.Observations {
		w.report.Observations = append(w.report.Observations, reports.Observation{
			ID: x.ID, Title: q.Title, Requirement: q.ID, Revision: out.Revision, Transport: out.Transport,
			Detail: w.mask.String(x.Detail), Evidence: w.evidence(bounded(x.Frames)),
		})
	}
}

// evidence are the numbers of frames in the report.
func (w *writer) evidence(frames []int) []int {
	var list []int
	for _, n := range frames {
		if at := w.frames[n]; at > 0 {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

const nothingDone = "the client did nothing with resources, or was never let in: it listed, read and subscribed to nothing that the server looked at"

// Idle is the sentence about a client that did nothing with resources; empty of others. Of such
// a client nothing is established, since what it did is too little to go by.
func Idle(r *reports.Report) string { return said(r, codeNothingDone) }

// Crash is the sentence about a client that did not end well: how, and what it had seen last. It
// is empty of others.
func Crash(r *reports.Report) string { return said(r, codeCrashed) }

// said is the detail of an observation that is about the client as a whole.
func said(r *reports.Report, id recording.Code) string {
	for i := range r.Observations {
		if o := &r.Observations[i]; o.ID == string(id) {
			return o.Detail
		}
	}
	return ""
}

// aside is an observation that is about the client as a whole.
type aside struct {
	id            recording.Code
	title, detail string
	frames        []int
}

// crash says how the client ended, and what the server had sent last.
func (r *record) crash(how string) aside {
	a := aside{id: codeCrashed, title: "The client did not end well", detail: "the client ended with " + how}
	var last *message
	for _, c := range r.conversations {
		for _, m := range c.messages {
			if m.sent && (last == nil || m.Seq > last.Seq) {
				last = m
			}
		}
	}
	switch {
	case last == nil:
		a.detail += " before it had seen anything"
	case last.kind == kindResponse:
		a.detail, a.frames = a.detail+"; the last that it saw was the response to "+shorten(last.method), []int{last.Seq}
	default:
		a.detail, a.frames = a.detail+"; the last that it saw was "+last.what(), []int{last.Seq}
	}
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
	for _, c := range r.conversations {
		for _, m := range c.requests() {
			if !strings.HasPrefix(m.method, "resources/") && m.method != methodComplete && m.method != methodListen {
				continue
			}
			if !r.turnedAway(m) {
				return true
			}
		}
	}
	return false
}

// turnedAway reports whether a message was refused for its token: it is as if it had not been sent,
// and a client sends it again when it has another.
func (r *record) turnedAway(m *message) bool {
	a := r.status[m.Seq]
	return a != nil && (a.HTTP.Status == http.StatusUnauthorized || a.HTTP.Status == http.StatusForbidden)
}

// withhold blocks the verdicts on lists and resources that an idle client gave no occasion for:
// they cannot be established.
func withhold(verdicts []judgement) {
	for i := range verdicts {
		v := &verdicts[i]
		about := v.row.Profile == "pagination" || v.row.Profile == "resources"
		if about && v.row.LevelIn(v.in.Revision) == requirement.Must && (v.verdict.Outcome == verdict.NotApplicable || v.verdict.Outcome == verdict.Blocked) {
			v.verdict = verdict.Result{Outcome: verdict.Blocked, Code: codeNothingDone, Reason: nothingDone}
		}
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

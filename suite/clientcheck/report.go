package clientcheck

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
	"github.com/mcpcheck/mcpcheck/suite/reporting"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// report writes the frames that count as evidence, then results, observations and the
// summary.
func report(r *record, verdicts []judgement, asides []aside, o Options) *reports.Report {
	m := mask.NewMasker(o.Secrets)
	w := reporting.New(reports.New(o.Tool, describe(r, o, m), o.Config), m)
	results := make([]*verdict.Result, len(verdicts))
	for i := range verdicts {
		v := &verdicts[i].verdict
		v.Frames = bounded(v.Frames)
		for n := range v.Observations {
			v.Observations[n].Frames = bounded(v.Observations[n].Frames)
		}
		results[i] = v
	}
	needed := reporting.Needed(results...)
	for _, a := range asides {
		needed = append(needed, a.frames...)
	}
	slices.Sort(needed)
	for _, e := range r.entries {
		if _, ok := slices.BinarySearch(needed, e.Seq); ok {
			w.Frame(e.Seq, e.frame(r.entries[0].Time))
		}
	}
	for i, x := range results {
		w.Result(verdicts[i].row, verdicts[i].in, x, 0)
	}
	for _, a := range asides {
		w.Report.Observations = append(w.Report.Observations, reports.Observation{
			ID: string(a.id), Title: a.title, Detail: m.String(a.detail), Evidence: w.Evidence(a.frames),
		})
	}
	var began time.Time
	if len(r.entries) > 0 {
		began = r.entries[0].Time
	}
	if n := len(r.entries); o.Duration == 0 && n > 0 {
		o.Duration = r.entries[n-1].Time.Sub(r.entries[0].Time)
	}
	w.Report.Summarize(reports.SummaryOptions{
		Strict: o.Strict, Partial: len(o.Only) > 0, Interrupted: cmp.Or(o.Interrupted, Crash(w.Report)), Started: began, Duration: o.Duration,
		Profile: Catalogue().Profile, Profiles: Catalogue().Areas()[0].Profiles,
	})
	if Idle(w.Report) != "" {
		unsettle(&w.Report.Summary)
	}
	return w.Report
}

// bounded is the evidence that is kept: the first frames and the last.
func bounded(frames []int) []int {
	if len(frames) <= maxEvidence {
		return frames
	}
	return slices.Concat(frames[:maxEvidence/2], frames[len(frames)-maxEvidence/2:])
}

// describe describes the client as far as it is known.
func describe(r *record, o Options, m *mask.Masker) reports.Target {
	t := reports.Target{Name: m.String(o.Name), Endpoints: []reports.Endpoint{}}
	for _, c := range r.conversations {
		transport, revision := string(c.Transport), string(c.Revision)
		i := slices.IndexFunc(t.Endpoints, func(e reports.Endpoint) bool { return e.Transport == transport })
		if i < 0 {
			i = len(t.Endpoints)
			t.Endpoints = append(t.Endpoints, reports.Endpoint{Transport: transport, Address: m.String(o.Address), Revisions: []string{}})
		}
		e := &t.Endpoints[i]
		if !slices.Contains(e.Revisions, revision) {
			e.Revisions = append(e.Revisions, revision)
			slices.Sort(e.Revisions)
		}
		if info := c.introduction(); info.IsObject() && e.Server == nil {
			e.Server = &reports.Server{
				Name: m.String(info.Get("name").String()), Version: m.String(info.Get("version").String()), Title: m.String(info.Get("title").String()),
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

// frame is an entry as a frame of a report that begins at some time.
func (e *entry) frame(began time.Time) reports.Frame {
	f := reports.Frame{
		Session: string(e.Transport) + "|" + e.Session, Channel: e.Stream, Direction: e.Direction, AtMS: reports.Milliseconds(e.Time.Sub(began)),
		Size: e.Size, Truncated: e.Truncated, Data: e.raw,
	}
	if f.Direction == "" {
		f.Direction = reports.Note
		f.Note = strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Scope, e.Kind, e.Reason))
	}
	if e.HTTP != nil {
		f.URL, _ = withoutToken(e.HTTP.Path)
		f.Method, f.Status, f.Headers = e.HTTP.Method, e.HTTP.Status, e.HTTP.Header
	}
	return f
}

// tokenNames are the parameters of a query that carry credentials.
var tokenNames = []string{"access_token", "token", "authorization", "api_key"}

// withoutToken takes credentials out of the query of a path, and reports whether there were any: their values
// may have been hidden before.
func withoutToken(path string) (left string, had bool) {
	before, query, ok := strings.Cut(path, "?")
	if !ok {
		return path, false
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, _, _ := strings.Cut(p, "=")
		if plain, err := url.QueryUnescape(name); err == nil && slices.Contains(tokenNames, strings.ToLower(plain)) {
			parts[i], had = name+"=***", true
		}
	}
	return before + "?" + strings.Join(parts, "&"), had
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

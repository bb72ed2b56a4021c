package verify

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/tidwall/gjson"
)

// The bounds of what a report keeps.
const (
	frameBytes  = 64 << 10 // of one frame
	reportBytes = 32 << 20 // of all frames
	maxEvidence = 8        // frames of one verdict
)

// target describes the client as far as it is known.
func target(r *record, o Options) reports.Target {
	masker := mask.NewMasker(o.Secrets)
	t := reports.Target{Name: masker.String(o.Name), Endpoints: []reports.Endpoint{}}
	for _, c := range r.talks {
		i := slices.IndexFunc(t.Endpoints, func(e reports.Endpoint) bool { return e.Transport == c.transport })
		if i < 0 {
			i = len(t.Endpoints)
			t.Endpoints = append(t.Endpoints, reports.Endpoint{Transport: c.transport, Address: masker.String(o.Address), Revisions: []string{}})
		}
		e := &t.Endpoints[i]
		if !slices.Contains(e.Revisions, c.revision) {
			e.Revisions = append(e.Revisions, c.revision)
			slices.Sort(e.Revisions)
		}
		if info := c.introduction(); info.IsObject() && e.Server == nil {
			e.Server = &reports.Server{
				Name: masker.String(info.Get("name").String()), Version: masker.String(info.Get("version").String()), Title: masker.String(info.Get("title").String()),
			}
			t.Name = cmp.Or(t.Name, e.Server.Name)
		}
	}
	t.Name = cmp.Or(t.Name, "client")
	return t
}

// introduction is what the client says of itself.
func (c *conversation) introduction() gjson.Result {
	if c.greeting != nil {
		return c.greeting.params.Get("clientInfo")
	}
	for _, m := range c.requests() {
		if info := m.meta("clientInfo"); info.Exists() {
			return info
		}
	}
	return gjson.Result{}
}

// writer puts rulings into a report.
type writer struct {
	report  *reports.Report
	entries []journal.Entry
	rulings []*ruling
	mask    *mask.Masker
	strict  bool
	unused  bool // the client did nothing with resources

	numbers  map[uint64]int
	sessions map[string]string
	kept     int
}

// finish writes the frames that count as evidence, then results, observations and the
// summary.
func (w *writer) finish(o Options) {
	var needed []uint64
	for _, v := range w.rulings {
		f, n := v.gravest()
		if n > 0 {
			needed = append(needed, bounded(f.evidence)...)
		} else {
			needed = append(needed, bounded(v.evidence)...)
		}
		for _, x := range v.seen {
			needed = append(needed, bounded(x.evidence)...)
		}
	}
	w.frames(needed)
	names := map[string]string{}
	for _, v := range w.rulings {
		w.result(v)
		names[v.rule.ID] = v.rule.Profile
	}
	if w.unused {
		w.report.Observations = append(w.report.Observations, reports.Observation{ID: CodeNothingDone, Title: "Nothing was done with resources", Detail: nothingDone})
	}
	w.summarize(o, names)
	w.withhold()
}

// bounded is the evidence that is kept: the first frames and the last.
func bounded(seqs []uint64) []uint64 {
	if len(seqs) <= maxEvidence {
		return seqs
	}
	return append(slices.Clone(seqs[:maxEvidence/2]), seqs[len(seqs)-maxEvidence/2:]...)
}

func (w *writer) summarize(o Options, names map[string]string) {
	took := o.Duration
	if n := len(w.entries); took == 0 && n > 0 {
		took = w.entries[n-1].Time.Sub(w.entries[0].Time)
	}
	options := reports.SummaryOptions{Strict: o.Strict, Partial: len(o.Only) > 0, Interrupted: o.Interrupted, Duration: took}
	w.report.Summarize(options)
	// Profiles go by the area of an id in reports about servers; here all ids have
	// one, so each profile is summarized by itself.
	for _, name := range profiles() {
		part := *w.report
		part.Results = nil
		for _, x := range w.report.Results {
			if names[x.ID] == name {
				part.Results = append(part.Results, x)
			}
		}
		own := options
		own.Profile = func(string) string { return name }
		own.Profiles = []string{name}
		part.Summarize(own)
		w.report.Summary.Profiles = append(w.report.Summary.Profiles, part.Summary.Profiles...)
	}
}

// frames numbers the entries that are needed, in their order, and writes them.
func (w *writer) frames(needed []uint64) {
	w.numbers, w.sessions = map[uint64]int{}, map[string]string{}
	slices.Sort(needed)
	needed = slices.Compact(needed)
	for i := range w.entries {
		e := &w.entries[i]
		if _, ok := slices.BinarySearch(needed, e.Seq); !ok {
			continue
		}
		n := len(w.numbers) + 1
		w.numbers[e.Seq] = n
		w.report.Frames = append(w.report.Frames, w.frame(e, n))
	}
}

func (w *writer) frame(e *journal.Entry, number int) reports.Frame {
	key := e.Transport + "|" + e.Session
	session, ok := w.sessions[key]
	if !ok {
		session = fmt.Sprintf("session %d", len(w.sessions)+1)
		w.sessions[key] = session
	}
	f := reports.Frame{
		Number: number, Session: session, Channel: e.Stream, Direction: string(e.Direction),
		AtMS: reports.Milliseconds(e.Time.Sub(w.entries[0].Time)), Size: e.Size,
	}
	if f.Direction == "" {
		f.Direction = reports.Note
		f.Note = strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Scope, e.Kind, e.Reason))
	}
	if e.HTTP != nil {
		f.Method, f.URL, f.Status, f.Headers = e.HTTP.Method, w.mask.String(withoutToken(e.HTTP.Path)), e.HTTP.Status, w.headers(e.HTTP.Header)
	}
	keep := min(frameBytes, max(reportBytes-w.kept, 0))
	switch {
	case len(e.Raw) > keep:
		masked := w.mask.MaskCut(e.Raw[:keep])
		f.Data, f.Truncated = slices.Clone(masked[:min(len(masked), keep)]), true
	case e.Truncated():
		f.Data, f.Truncated = slices.Clone(w.mask.MaskCut(e.Raw)), true
	default:
		f.Data = slices.Clone(w.mask.Mask(e.Raw))
	}
	w.kept += len(f.Data)
	return f
}

func (w *writer) headers(h http.Header) http.Header {
	if len(h) == 0 {
		return nil
	}
	out := http.Header{}
	for name, values := range journal.Mask(h) {
		for _, v := range values {
			out[name] = append(out[name], w.mask.String(v))
		}
	}
	return out
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

// result writes one ruling.
func (w *writer) result(v *ruling) {
	r, g := v.rule, v.group
	out := reports.Result{
		ID: r.ID, Title: r.Title, Level: r.LevelIn(g.revision), Grade: r.GradeIn(g.revision),
		Revision: g.revision, Transport: g.transport, DurationMS: reports.Milliseconds(time.Duration(0)),
	}
	if s, ok := r.SectionIn(g.revision, g.transport); ok {
		out.Section, out.Link = s.Ref(), s.URL(g.revision)
	}
	f, n := v.gravest()
	switch {
	case n > 0:
		out.Verdict, out.Expected, out.Actual = f.verdict, w.mask.String(f.expected), w.mask.String(f.actual)
		out.Reason, out.Hint = f.reason, w.mask.String(f.hint)
		if n > 1 {
			out.Actual += fmt.Sprintf(" (and %d more of the kind)", n-1)
		}
		out.Evidence = w.evidence(f.evidence)
	case v.judged > 0:
		out.Verdict, out.Evidence = reports.Pass, w.evidence(v.evidence)
	default:
		x := v.why()
		out.Verdict, out.ReasonCode, out.Reason = reports.Verdict(x.verdict), x.code, w.mask.String(x.reason)
	}
	w.report.Results = append(w.report.Results, out)
	for _, x := range v.seen {
		w.report.Observations = append(w.report.Observations, reports.Observation{
			ID: x.id, Title: r.Title, Requirement: r.ID, Revision: g.revision, Transport: g.transport,
			Detail: w.mask.String(x.detail), Evidence: w.evidence(x.evidence),
		})
	}
}

func (w *writer) evidence(seqs []uint64) []int {
	var out []int
	for _, s := range bounded(seqs) {
		if n := w.numbers[s]; n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

package write

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
)

var (
	//go:embed page/page.gohtml
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/theme.js
	themeScript string
	//go:embed page/page.js
	pageScript string

	page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageTemplate)) })
)

// WriteHTML writes a report as one page that needs nothing else: no network, no
// other file. Verdict, findings with their evidence and a list of the requirements can
// be read without scripts. The matrix and each conversation are made by the script
// from data, and only when they are looked at: a page of thousands of verdicts is ready
// at once. Whatever
// the target sent is shown as text with control characters made visible, and the
// page forbids itself all sources but its own style and script. The report must
// have been summarized.
func HTML(w io.Writer, r *reports.Report, o Options) error {
	view, err := newPage(r, o)
	if err == nil {
		err = page().Execute(w, view)
	}
	return unwritten("page", err)
}

// digest is the source of a policy that allows exactly one text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pageView is what the template shows. Every string in it has been sanitized.
type pageView struct {
	Tool, Catalogue, Target, Server, Command string
	Judged, All                              int // requirements
	Word, Class, Sentence                    string
	ByRevision                               []pageMark
	Remarks                                  []string
	Tiles                                    []tile
	Findings, Excused                        []pageFinding
	Baseline                                 *pageBaseline
	Blocked, Idle                            []pageReason
	Areas                                    []pageArea
	Combinations, Profiles                   []pageRow
	Revisions                                []pageSpan
	Columns                                  []pageColumn
	Rows                                     []*pageRequirement
	Observations                             []pageObservation
	Endpoints, Config                        []pair
	Style                                    template.CSS
	// Data is what the matrix is made of, Frames are the conversations, which are
	// many and read only when one is opened.
	Script, Data, Frames  template.JS
	StyleHash, ScriptHash string
}

type tile struct {
	Name, Class string
	N           int
	Filter      bool
}

// pageMark is the result in one revision.
type pageMark struct{ Revision, Sign, Class, Outcome, By string }

func onPage(s *reports.RevisionSummary, scope reports.Scope) pageMark {
	sign, as := s.Sign(scope)
	return pageMark{clean(s.Revision, 40), sign, string(as), clean(string(s.Outcome), 40), s.Deciding()}
}

type pair struct{ Name, Value, More string }

type pageReason struct {
	Code, Text, Count string
	IDs               []string
	// Where something broke: where, the command that repeats it, what the command does not repeat, and the
	// frames of the first verdict that has some.
	In, Rerun, Remark string
	Wire              []*wireFrame
}

type pageArea struct {
	Key, Name string
	Counts    reports.Counts
	Bar       template.HTML
}

type pageRow struct {
	Name            string
	Counts          reports.Counts
	Remark, Lacking string
	IDs             []string // that are lacking
}

// pageSpan is a revision over its columns; it is broken between the parts.
type pageSpan struct {
	Name  string
	Parts []string
	Span  int
}

type pageColumn struct {
	Revision  string `json:"revision"`
	Transport string `json:"transport"`
}

// pageObservation is a kind of observations.
type pageObservation struct {
	ID, Title string
	Near      []string
	Seen      []pageSighting
}

type pageSighting struct{ Detail, Where string }

func newPage(r *reports.Report, o Options) (*pageView, error) {
	v := view{r, o.Areas}
	script := themeScript + pageScript
	p := &pageView{
		Tool: clean(toolName(r.Tool), pageTitle), Catalogue: clean(r.Tool.Catalogue, pageTitle), Server: servers(&r.Target), Command: clean(r.Config.Command, pageText),
		Target: clean(cmp.Or(r.Target.Name, "a target without a name"), pageTitle),
		Script: template.JS(script), ScriptHash: digest(script), // #nosec G203 -- embedded in this program
	}
	p.verdict(v, o.Strict)
	p.overview(v)
	matrix, places := p.matrix(v, o)
	wire := newWire(r)
	p.findings(v, wire, places)
	p.baseline(v)
	p.reasons(v, wire)
	p.about(r)
	data, err := json.Marshal(matrix)
	if err != nil {
		return nil, err
	}
	frames, err := json.Marshal(wire.frames)
	if err != nil {
		return nil, err
	}
	p.Data, p.Frames = template.JS(data), template.JS(frames) // #nosec G203 -- made by encoding/json, which escapes markup
	style := pageStyle + columnStyle(len(p.Columns))
	p.Style, p.StyleHash = template.CSS(style), digest(style) // #nosec G203 -- embedded in this program
	return p, nil
}

// columnStyle is what depends on the number of columns. Columns of a fixed width spare
// browsers the measuring of thousands of cells; in a window that holds all of them
// nothing has to scroll sideways, and the head of the table can stay in sight.
func columnStyle(columns int) string {
	const widest, margins = 85.5, 2.5 // as in the style of the body
	verdicts := 3.6 * float64(columns)
	width := 27.2 + verdicts
	style := fmt.Sprintf("table.matrix { min-width: %.1frem; }\n@media (max-width: 44rem) { table.matrix { min-width: %.1frem; } }\n", width, 17.2+verdicts)
	if width <= widest {
		style += fmt.Sprintf("@media (min-width: %.1frem) { .wide.rows { overflow: visible; } table.matrix thead { position: sticky; top: var(--tools, 0px); z-index: 2; } }\n", width+margins)
	}
	return style
}

// verdict fills the banner.
func (p *pageView) verdict(v view, strict bool) {
	s := &v.r.Summary
	said := v.standing()
	_, as := said.headline()
	p.Word, p.Class = said.String(), string(as)
	for i := range s.Revisions {
		p.ByRevision = append(p.ByRevision, onPage(&s.Revisions[i], s.Scope))
	}
	judged := v.r.Only(func(x *reports.Result) bool { return x.Verdict.Judged() })
	p.Judged, p.All = distinctIDs(judged), distinctIDs(v.r.Rows())
	p.Sentence = fmt.Sprintf("%s; %d of %s judged in %s; %s", v.scope(everything), p.Judged, plural.Count(p.All, "requirement"),
		plural.Count(len(s.Combinations), "combination"), v.when())
	if lost := v.r.Lost(); lost != "" {
		p.Remarks = append(p.Remarks, "Not established: "+clean(lost, pageText)+": "+v.r.Unreached()+".")
	}
	if remarks := v.baselineRemarks(); len(remarks) > 0 {
		p.Remarks = append(p.Remarks, capital(strings.Join(remarks, ", "))+".")
	}
	if s.Interrupted != "" {
		p.Remarks = append(p.Remarks, "Ended early: "+v.r.EndedEarly()+".")
	}
	if v.r.Target.Embedded {
		p.Remarks = append(p.Remarks, "No target was given: this is the built-in reference server, judged as a demonstration.")
	}
	if v.r.DeclaresNoResources() {
		p.Remarks = append(p.Remarks, "The target "+noResources+".")
	}
	if strict && s.Warn > 0 {
		p.Remarks = append(p.Remarks, "Warnings were counted as failures.")
	}
	p.Tiles = []tile{
		{"passed", string(reports.Pass), s.Pass, true}, {"failed", string(reports.Fail), s.Fail, true}, {"warnings", string(reports.Warn), s.Warn, true},
		{"blocked", string(reports.Blocked), s.Blocked, true}, {"not applicable", string(reports.NotApplicable), s.NotApplicable, true},
		{"observations", "", s.Observations, false},
	}
	if n := s.Security.Fail + s.Security.Warn; n > 0 {
		p.Tiles = append(p.Tiles, tile{"about security", string(reports.Fail), n, false})
	}
	if s.Excused > 0 {
		p.Tiles = append(p.Tiles, tile{"excused", "", s.Excused, false})
	}
}

func distinctIDs(results []*reports.Result) int {
	return len(group.By(results, func(x *reports.Result) string { return x.ID }))
}

// overview fills the tables of areas, combinations and profiles.
func (p *pageView) overview(v view) {
	for _, a := range v.byArea() {
		p.Areas = append(p.Areas, pageArea{clean(a.name, pageTitle), clean(cmp.Or(a.title, a.name), pageTitle), a.Counts, bar(a.Counts)})
	}
	for _, x := range v.r.Summary.Combinations {
		name := clean(x.Revision, pageTitle)
		p.Columns = append(p.Columns, pageColumn{name, clean(x.Transport, pageTitle)})
		if n := len(p.Revisions); n > 0 && p.Revisions[n-1].Name == name {
			p.Revisions[n-1].Span++
		} else {
			p.Revisions = append(p.Revisions, pageSpan{name, strings.SplitAfter(name, "-"), 1})
		}
		p.Combinations = append(p.Combinations, pageRow{Name: clean(x.Revision+" on "+x.Transport, pageTitle), Counts: x.Counts,
			Remark: clean(v.established(string(x.Outcome), x.Counts), pageTitle)})
	}
	for _, x := range v.r.Summary.Profiles {
		row := pageRow{Name: clean(x.Name, pageTitle), Counts: x.Counts, Remark: clean(v.established(string(x.Status), x.Counts), pageTitle)}
		if ids := lacking(&x); len(ids) > 0 {
			row.Lacking, row.IDs = plural.Count(len(ids), "MUST")+" not exercised: ", cleanAll(ids)
		}
		p.Profiles = append(p.Profiles, row)
	}
}

// bar shows the share of each verdict among those that say something. It is made
// of numbers only.
func bar(n reports.Counts) template.HTML {
	total := n.Pass + n.Fail + n.Warn + n.Blocked
	if total == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">`)
	at := 0.0
	for _, v := range []reports.Verdict{reports.Pass, reports.Fail, reports.Blocked, reports.Warn} {
		width := 100 * float64(n.Of(v)) / float64(total)
		if width > 0 {
			fmt.Fprintf(&b, `<rect class="%s" x="%.2f" width="%.2f" height="10"/>`, v, at, width)
		}
		at += width
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // #nosec G203 -- made of numbers and names of ours
}

// reasons fills the lists of what was blocked, idle and observed.
func (p *pageView) reasons(v view, wire *pageWire) {
	shown := func(list []*tallied) []pageReason {
		var all []pageReason
		for _, t := range list {
			all = append(all, pageReason{Code: clean(t.code, pageTitle), Text: cleanLines(t.text), Count: plural.Count(len(t.results), "verdict"), IDs: cleanAll(t.ids)})
		}
		return all
	}
	blocked, room := v.blockedBy(), pageEvidenceBytes
	p.Blocked, p.Idle = shown(blocked), shown(v.idleFor())
	for i, t := range blocked {
		p.Blocked[i].In = clean(v.where(t.results), pageText)
		p.Blocked[i].Rerun, p.Blocked[i].Remark = t.repeated()
		p.Blocked[i].Wire, _ = wire.views(t.first, &room)
	}
	for _, k := range observed(v.r) {
		shown := pageObservation{ID: clean(k.id, pageTitle), Title: clean(k.title, pageTitle), Near: cleanAll(k.requirements)}
		for _, s := range k.said {
			shown.Seen = append(shown.Seen, pageSighting{cleanLines(k.detail(s)), clean(v.where(s.where), pageText)})
		}
		p.Observations = append(p.Observations, shown)
	}
}

// about fills the list of endpoints and settings.
func (p *pageView) about(r *reports.Report) {
	for _, e := range r.Target.Endpoints {
		more := details(&e)
		if e.Unreachable != "" {
			more = append(more, "unreachable: "+e.Unreachable)
		}
		if e.Unoffered != "" {
			more = append(more, leftOut(&e))
		}
		if e.Log != "" {
			more = append(more, "its output ended with:", e.Log)
		}
		p.Endpoints = append(p.Endpoints, pair{clean(e.Transport, pageTitle), clean(e.Address, pageText), cleanLines(strings.Join(more, "\n"))})
	}
	for _, s := range settings(&r.Config) {
		p.Config = append(p.Config, pair{Name: s.Name, Value: clean(s.Value, pageText)})
	}
}

// settings lists what of the configuration was set, by the names of the flags.
func settings(c *reports.Config) []pair {
	number := func(n float64, unit string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%g%s", n, unit)
	}
	ms := func(n int64) string { return number(float64(n)/1000, " s") }
	yes := func(b bool) string { return map[bool]string{true: "yes"}[b] }
	all := []pair{
		{Name: "config", Value: c.File}, {Name: "revision", Value: strings.Join(c.Revisions, ", ")},
		{Name: "transport", Value: strings.Join(c.Transports, ", ")}, {Name: "label-filter", Value: c.LabelFilter},
		{Name: "only", Value: strings.Join(c.Only, ", ")}, {Name: "skip", Value: strings.Join(c.Skip, ", ")},
		{Name: "read", Value: c.Read}, {Name: "strict", Value: yes(c.Strict)}, {Name: "baseline", Value: c.Baseline},
		{Name: "jobs", Value: number(float64(c.Jobs), "")}, {Name: "timeout", Value: ms(c.TimeoutMS)},
		{Name: "start-timeout", Value: ms(c.StartTimeoutMS)}, {Name: "budget", Value: ms(c.BudgetMS)},
		{Name: "quiet-window", Value: ms(c.QuietWindowMS)}, {Name: "seed", Value: number(float64(c.Seed), "")},
		{Name: "rate", Value: number(c.RatePerSecond, "")}, {Name: "header", Value: strings.Join(c.Headers, ", ")},
		{Name: "env", Value: strings.Join(c.Environment, ", ")}, {Name: "no-security-probes", Value: yes(c.NoSecurityProbes)},
		{Name: "other", Value: strings.Join(c.AdditionalSetting, ", ")},
	}
	return slices.DeleteFunc(all, func(x pair) bool { return x.Value == "" })
}

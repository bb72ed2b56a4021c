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

	page = parsed(pageTemplate, nil)
)

// parsed is a template with functions, which is parsed when it is first asked for.
func parsed(text string, funcs template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		return template.Must(template.New("page").Funcs(funcs).Parse(text))
	})
}

// pageParts are the style and the script of a page, and the sources that allow no others.
type pageParts struct {
	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash string
}

// partsOfPage are for a style and a script that are embedded in this program.
func partsOfPage(style, script string) pageParts {
	// #nosec G203 -- embedded in this program
	return pageParts{template.CSS(style), template.JS(script), digest(style), digest(script)}
}

// HTML writes a report as one page that needs nothing else: no network, no
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
	Tool, Catalogue, Target, About, Server, Command string
	Judged, All                                     int // requirements
	Word, Sentence                                  string
	Class                                           reports.Verdict
	ByRevision                                      []pageMark
	Remarks                                         []string
	Tiles                                           []tile
	Findings, Excused                               []pageFinding
	Baseline                                        *pageBaseline
	Blocked, Idle                                   []pageReason
	Areas                                           []pageArea
	Combinations, Profiles                          []pageRow
	Revisions                                       []pageSpan
	Columns                                         []pageColumn
	Rows                                            []*pageRequirement
	Observations                                    []pageObservation
	Endpoints                                       []pageEndpoint
	Config                                          []pair
	// Data is what the matrix is made of, Frames are the conversations, which are
	// many and read only when one is opened.
	Data, Frames template.JS
	pageParts
}

type tile struct {
	Name   string
	Class  reports.Verdict // whose colour it has
	N      int
	Filter bool
}

// pageMark is the result in one revision.
type pageMark struct {
	Revision, Sign, Outcome, By string
	Class                       reports.Verdict
}

// markOf is the result in a revision; empty if nothing was judged in it.
func markOf(list []reports.RevisionSummary, revision string, scope reports.Scope) pageMark {
	for i := range list {
		if list[i].Revision == revision {
			return onPage(&list[i], scope)
		}
	}
	return pageMark{}
}

func onPage(s *reports.RevisionSummary, scope reports.Scope) pageMark {
	sign, as := s.Sign(scope)
	return pageMark{word(s.Revision), sign, word(s.Outcome), s.Deciding(), as}
}

type pair struct{ Name, Value string }

type pageEndpoint struct {
	pair
	More string
}

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
	p := &pageView{
		Tool: title(builtFrom(r.Tool)), Catalogue: title(r.Tool.Catalogue), Server: servers(&r.Target),
		About:   title(r.Target.About.String()),
		Command: clean(r.Config.Command, pageText),
		Target:  title(cmp.Or(r.Target.Name, "a target without a name")),
	}
	p.verdict(v, o.Strict)
	p.overview(v)
	matrix, places := p.matrix(v, o)
	wire := newWire(r)
	p.findings(v, o, wire, places)
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
	// #nosec G203 -- made by encoding/json, which escapes markup
	p.Data, p.Frames = template.JS(data), template.JS(frames)
	p.pageParts = partsOfPage(pageStyle+columnStyle(len(p.Columns)), themeScript+pageScript)
	return p, nil
}

// columnStyle is what depends on the number of columns. Columns of a fixed width spare
// browsers the measuring of thousands of cells; in a window that holds all of them
// nothing has to scroll sideways, and the head of the table can stay in sight.
func columnStyle(columns int) string {
	const widest, margins = 85.5, 2.5 // as in the style of the body
	verdicts := 3.6 * float64(columns)
	width := 27.2 + verdicts
	style := fmt.Sprintf("table.matrix { min-width: %.1frem; }\n@media (max-width: 44rem) { table.matrix "+
		"{ min-width: %.1frem; } }\n", width, 17.2+verdicts)
	if width <= widest {
		style += fmt.Sprintf("@media (min-width: %.1frem) { .wide.rows { overflow: visible; } "+
			"table.matrix thead { position: sticky; top: var(--tools, 0px); z-index: 2; } }\n", width+margins)
	}
	return style
}

// verdict fills the banner.
func (p *pageView) verdict(v view, strict bool) {
	s := &v.Summary
	said := v.standing()
	_, p.Class = said.headline()
	p.Word = said.String()
	for i := range s.Revisions {
		p.ByRevision = append(p.ByRevision, onPage(&s.Revisions[i], s.Scope))
	}
	judged := v.Only(func(x *reports.Result) bool { return x.Verdict.Judged() })
	p.Judged, p.All = distinctIDs(judged), distinctIDs(v.Rows())
	p.Sentence = fmt.Sprintf("%s; %d of %s judged in %s; %s", v.scope(everything), p.Judged,
		plural.Count(p.All, "requirement"),
		plural.Count(len(s.Combinations), "combination"), v.when())
	remark := func(of bool, text string) {
		if of {
			p.Remarks = append(p.Remarks, text)
		}
	}
	lost, known := v.Lost(), v.baselineRemarks()
	remark(lost != "", "Not established: "+clean(lost, pageText)+": "+v.Unreached()+".")
	remark(len(known) > 0, capital(strings.Join(known, ", "))+".")
	remark(s.Interrupted != "", "Ended early: "+v.EndedEarly()+".")
	remark(v.Target.Embedded, embedded)
	remark(v.DeclaresNoResources(), "The target "+noResources+".")
	remark(strict && s.Warn > 0, "Warnings were counted as failures.")
	p.Tiles = []tile{
		{"passed", reports.Pass, s.Pass, true}, {"failed", reports.Fail, s.Fail, true},
		{"warnings", reports.Warn, s.Warn, true},
		{"blocked", reports.Blocked, s.Blocked, true}, {"not applicable", reports.NotApplicable,
			s.NotApplicable, true},
		{"observations", "", s.Observations, false},
	}
	if n := s.Security.Fail + s.Security.Warn; n > 0 {
		p.Tiles = append(p.Tiles, tile{"about security", reports.Fail, n, false})
	}
	if s.Excused > 0 {
		p.Tiles = append(p.Tiles, tile{"excused", "", s.Excused, false})
	}
}

func distinctIDs(results []*reports.Result) int {
	return len(group.By(results, idOf))
}

// overview fills the tables of areas, combinations and profiles.
func (p *pageView) overview(v view) {
	for _, a := range v.byArea() {
		p.Areas = append(p.Areas, pageArea{title(a.name), title(cmp.Or(a.title, a.name)), a.Counts,
			bar(a.Counts)})
	}
	for _, x := range v.Summary.Combinations {
		name := title(x.Revision)
		p.Columns = append(p.Columns, pageColumn{name, title(x.Transport)})
		if n := len(p.Revisions); n > 0 && p.Revisions[n-1].Name == name {
			p.Revisions[n-1].Span++
		} else {
			p.Revisions = append(p.Revisions, pageSpan{name, strings.SplitAfter(name, "-"), 1})
		}
		p.Combinations = append(p.Combinations, pageRow{Name: title(x.Revision + " on " + x.Transport),
			Counts: x.Counts,
			Remark: title(v.established(string(x.Outcome)))})
	}
	for _, x := range v.Summary.Profiles {
		row := pageRow{Name: title(x.Name), Counts: x.Counts, Remark: title(v.established(string(x.Status)))}
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
			all = append(all, pageReason{Code: title(t.code), Text: cleanLines(t.text),
				Count: plural.Count(len(t.results), "verdict"), IDs: cleanAll(t.ids)})
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
	for _, k := range observed(v.Report) {
		shown := pageObservation{ID: title(k.id), Title: title(k.title), Near: cleanAll(k.requirements)}
		for _, s := range k.said {
			shown.Seen = append(shown.Seen, pageSighting{cleanLines(k.detail(s)),
				clean(v.where(s.where), pageText)})
		}
		p.Observations = append(p.Observations, shown)
	}
}

// about fills the list of endpoints and settings.
func (p *pageView) about(r *reports.Report) {
	for _, e := range r.Target.Endpoints {
		more := append(details(&e), maybe("unreachable: %s", e.Unreachable), leftOut(&e),
			maybe("its output ended with:\n%s", e.Log))
		more = slices.DeleteFunc(more, func(s string) bool { return s == "" })
		p.Endpoints = append(p.Endpoints, pageEndpoint{pair{title(e.Transport), clean(e.Address, pageText)},
			cleanLines(strings.Join(more, "\n"))})
	}
	for _, s := range settings(&r.Config) {
		p.Config = append(p.Config, pair{s.Name, clean(s.Value, pageText)})
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
	list := func(all []string) string { return strings.Join(all, ", ") }
	all := []pair{
		{"config", c.File}, {"revision", list(c.Revisions)}, {"transport", list(c.Transports)},
		{"label-filter", c.LabelFilter},
		{"only", list(c.Only)}, {"skip", list(c.Skip)}, {"read", c.Read}, {"strict", yes(c.Strict)},
		{"baseline", c.Baseline},
		{"jobs", number(float64(c.Jobs), "")}, {"timeout", ms(c.TimeoutMS)},
		{"start-timeout", ms(c.StartTimeoutMS)},
		{"budget", ms(c.BudgetMS)}, {"quiet-window", ms(c.QuietWindowMS)},
		{"seed", number(float64(c.Seed), "")},
		{"rate", number(c.RatePerSecond, "")}, {"header", list(c.Headers)}, {"env", list(c.Environment)},
		{"no-security-probes", yes(c.NoSecurityProbes)}, {"other", list(c.AdditionalSetting)},
	}
	return slices.DeleteFunc(all, func(x pair) bool { return x.Value == "" })
}

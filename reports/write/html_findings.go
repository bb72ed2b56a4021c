package write

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
)

// pageFinding is one cause with its evidence.
type pageFinding struct {
	pageWords
	Number int
	// Gravity is told where the verdict does not say it: security or codes. In are the
	// columns of the combinations.
	Gravity, In                            string
	Label, ID, Title, Level, Section, Link string
	Where, WhyWarning, Demand              string
	// Also tells of the other requirements that the cause breaks, Others are their ids, Named
	// the same for readers.
	Also          []string
	Others, Named string
	// Place is where its first result stands in the data of the script, -1 if it does
	// not; Wire are the frames for readers without scripts.
	Place int
	Wire  []*wireFrame
	More  string
}

// Arrow says which way a frame went.
func (w *wireFrame) Arrow() string {
	return map[string]string{reports.Out: "→ to the target", reports.In: "← from the target",
		reports.Note: "· event"}[w.Direction]
}

// The bounds of the evidence for readers without scripts, which stands in the document
// beside the data of the script: the frames of a finding, and the bytes of all findings.
const (
	pageEvidence      = 12
	pageEvidenceBytes = 512 << 10
)

// findings fills the list of findings, and that of those which the baseline excuses.
func (p *pageView) findings(v view, o Options, wire *pageWire, places map[*reports.Result]int) {
	room := pageEvidenceBytes
	for i, f := range findings(v.Report, red) {
		x := f.Result
		q := pageFinding{
			pageWords: wordsOf(v.Report, x), Number: i + 1, Label: label(x), ID: title(x.ID),
			Title: title(x.Title), Level: word(x.Level),
			Section: title(x.Section), Link: safeLink(x), Where: clean(v.places(f), pageText), Place: -1,
			In:     p.in(f),
			Demand: cleanLines(o.demand(x)),
		}
		q.Actual = cleanLines(f.actual())
		for _, text := range v.also(f) {
			q.Also = append(q.Also, clean(text, pageText))
		}
		q.Others, q.Named = strings.Join(cleanAll(f.others()), " "), clean(f.named(), pageText)
		if g := x.Weight(); g == reports.GravityBasic || g == reports.GravitySecurity ||
			g == reports.GravityCodes {
			q.Gravity = string(g)
		}
		if i, known := places[x]; known {
			q.Place = i
		}
		switch {
		case x.Verdict == reports.Warn:
			q.WhyWarning, q.Reason = q.Reason, ""
		case x.Reason == x.Actual:
			q.Reason = ""
		}
		q.Wire, q.More = wire.views(x, &room)
		if q.Excused != "" {
			p.Excused = append(p.Excused, q)
		} else {
			p.Findings = append(p.Findings, q)
		}
	}
}

// column is where in the matrix a result stands; -1 if the summary, of a report that was
// edited, does not know its combination.
func (p *pageView) column(x *reports.Result) int {
	return slices.Index(p.Columns, pageColumn{title(x.Revision), title(x.Transport)})
}

// in lists the columns of a finding, separated by blanks.
func (p *pageView) in(f *finding) string {
	var in []string
	for _, x := range f.all() {
		if i := strconv.Itoa(p.column(x)); i != "-1" && !slices.Contains(in, i) {
			in = append(in, i)
		}
	}
	return strings.Join(in, " ")
}

// views are the frames of a result for readers without scripts, as long as there is room,
// and a remark if that is not all.
func (p *pageWire) views(x *reports.Result, room *int) (all []*wireFrame, more string) {
	for _, n := range x.Evidence {
		if w := p.frames[n]; w != nil && len(all) < pageEvidence && *room > 0 {
			all = append(all, w)
			*room -= 200 + len(w.Line) + len(w.Note) + len(w.Text) + len(w.Decisive)
		}
	}
	if missing := len(x.Evidence) - len(all); missing > 0 {
		more = fmt.Sprintf("and %s more, in the JSON report", plural.Count(missing, "frame"))
	}
	return all, more
}

// pageBaseline is what became of the entries of a baseline.
type pageBaseline struct {
	File  string
	Parts []pageEntries
}

type pageEntries struct {
	Title, Means string
	Class        reports.Verdict
	// Folded says that the entries are many and of little interest.
	Folded  bool
	Entries []pageEntry
}

type pageEntry struct {
	Entry, Until, Reason string
	Line                 int
	Verdicts             []string
}

// baseline fills the lists of entries that need attention.
func (p *pageView) baseline(v view) {
	b := v.Summary.Baseline
	if b == nil {
		return
	}
	p.Baseline = &pageBaseline{File: title(b.File)}
	for _, part := range partsOf(b) {
		list := pageEntries{Title: capital(part.title), Means: capital(part.means),
			Folded: part.kind == kindMissing,
			Class:  part.as}
		for _, e := range part.entries {
			shown := pageEntry{Entry: title(e.String()), Until: word(e.Until),
				Reason: clean(e.Reason, pageText), Line: e.Line}
			for _, x := range v.entryVerdicts(&part, e) {
				shown.Verdicts = append(shown.Verdicts, clean(x[0]+" in "+x[1], pageText))
			}
			list.Entries = append(list.Entries, shown)
		}
		p.Baseline.Parts = append(p.Baseline.Parts, list)
	}
}

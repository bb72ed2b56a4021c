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
	*finding
	pageWords
	Number int
	In     string // the columns of the combinations
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

// fill fills the list of findings, and that of those which the baseline excuses.
func (p *pageView) fill(wire *pageWire, places map[*reports.Result]int) {
	room := pageEvidenceBytes
	for i, f := range p.view.findings(red) {
		q := pageFinding{finding: f, pageWords: wordsOf(p.Report, f.Result), Number: i + 1, In: p.in(f),
			Place: -1}
		if i, known := places[f.Result]; known {
			q.Place = i
		}
		q.Wire, q.More = wire.views(f.Result, &room)
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

package write

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/reports"
)

// in is the result in a revision; nil if nothing was judged in it.
func in(list []reports.RevisionSummary, revision string) *reports.RevisionSummary {
	for i := range list {
		if list[i].Revision == revision {
			return &list[i]
		}
	}
	return nil
}

// pageParts are the style and the script of a page, and the sources that allow no others.
type pageParts struct {
	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash string
}

// partsOfPage are those of a page, from embedded files and with more style behind theirs.
func partsOfPage(more string, names ...string) pageParts {
	style, script := "", ""
	for _, name := range names {
		text, _ := files.ReadFile("page/" + name) // it is embedded
		if strings.HasSuffix(name, ".css") {
			style += string(text)
		} else {
			script += string(text)
		}
	}
	style += more
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
		err = pages().ExecuteTemplate(w, "page.gohtml", view)
	}
	return unwritten("page", err)
}

// digest is the source of a policy that allows exactly one text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pageView is what the template shows. The template passes every text from outside through its functions.
type pageView struct {
	view
	Judged, All       int // requirements
	Findings, Excused []pageFinding
	Blocked           []pageReason
	Areas             []*areaCounts
	Columns           []pageColumn
	Rows              []*pageRequirement
	// Data is what the matrix is made of, Frames are the conversations, which are
	// many and read only when one is opened.
	Data, Frames template.JS
	pageParts
}

type pageColumn struct {
	Revision  string `json:"revision"`
	Transport string `json:"transport"`
}

// pageReason is why something broke, with the frames of the first verdict that has some.
type pageReason struct {
	*tallied
	Wire []*wireFrame
}

func newPage(r *reports.Report, o Options) (*pageView, error) {
	v := view{r, o}
	p := &pageView{view: v, Areas: v.ByArea(), All: distinctIDs(v.Rows()),
		Judged: distinctIDs(v.Only(func(x *reports.Result) bool { return x.Verdict.Judged() }))}
	for _, x := range v.Summary.Combinations {
		p.Columns = append(p.Columns, pageColumn{title(x.Revision), title(x.Transport)})
	}
	matrix, places := p.matrix()
	wire := newWire(r)
	p.fill(wire, places)
	room := pageEvidenceBytes
	for _, t := range v.BlockedBy() {
		frames, _ := wire.views(t.First, &room)
		p.Blocked = append(p.Blocked, pageReason{t, frames})
	}
	p.pageParts = partsOfPage(columnStyle(len(p.Columns)), "page.css", "theme.js", "page.js")
	var err, err2 error
	p.Data, err = scriptData(matrix)
	p.Frames, err2 = scriptData(wire.frames)
	return p, cmp.Or(err, err2)
}

// scriptData is what a script works on.
func scriptData(value any) (template.JS, error) {
	raw, err := json.Marshal(value)
	return template.JS(raw), err // #nosec G203 -- made by encoding/json, which escapes markup
}

// Spans are the columns of each revision.
func (p *pageView) Spans() [][]pageColumn {
	return group.By(p.Columns, func(c pageColumn) string { return c.Revision })
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

func distinctIDs(results []*reports.Result) int {
	return len(group.By(results, idOf))
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

// more lists what a page says of an endpoint beside its address.
func more(e *reports.Endpoint) string {
	all := append(details(e), maybe("unreachable: %s", e.Unreachable), leftOut(e),
		maybe("its output ended with:\n%s", e.Log))
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "\n")
}

type pair struct{ Name, Value string }

// settings lists what of the configuration was set, by the names of the flags.
func settings(c reports.Config) (all []pair) {
	for field, value := range reflect.ValueOf(c).Fields() {
		text := fmt.Sprint(value)
		switch list, isList := value.Interface().([]string); {
		case isList:
			text = strings.Join(list, ", ")
		case value.Kind() == reflect.Bool:
			text = "yes"
		case value.CanInt() && strings.HasSuffix(field.Name, "MS"):
			text = fmt.Sprintf("%g s", float64(value.Int())/1000)
		case value.CanInt():
			text = fmt.Sprintf("%g", float64(value.Int()))
		}
		if flag := field.Tag.Get("flag"); flag != "" && text != "" && !value.IsZero() {
			all = append(all, pair{flag, text})
		}
	}
	return all
}

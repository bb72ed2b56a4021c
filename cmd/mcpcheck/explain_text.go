package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// page writes an explanation for people. It keeps the first error, after which it
// writes nothing.
type page struct {
	w     io.Writer
	color bool
	width int // 0 means 80
	err   error
}

// The colours, as SGR parameters.
const (
	sgrBold   = "1"
	sgrDim    = "2"
	sgrRed    = "31"
	sgrGreen  = "32"
	sgrYellow = "33"
	sgrCyan   = "36"
)

func (p *page) columns() int {
	if p.width < 40 {
		return 80
	}
	return p.width
}

func (p *page) line(parts ...string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, strings.TrimRight(strings.Join(parts, ""), " ")+"\n")
	}
}

func (p *page) paint(color, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// rule separates two explanations.
func (p *page) rule() { p.line(p.paint(sgrDim, strings.Repeat("─", p.columns()))) }

func (p *page) title(s string) {
	p.line()
	p.line(p.paint(sgrBold, s))
}

// paragraph writes a text behind a label of a fixed width, wrapped.
func (p *page) paragraph(indent int, label string, column int, text, color string) {
	pad := strings.Repeat(" ", indent)
	for i, l := range broken(text, p.columns()-indent-column) {
		if i > 0 {
			label = ""
		}
		lead := label + strings.Repeat(" ", max(column-utf8.RuneCountInString(label), 0))
		p.line(pad, p.paint(sgrDim, lead), p.paint(color, l))
	}
}

// explanation writes everything.
func (p *page) explanation(x *explanation, withExamples bool) error {
	for i, l := range broken(x.ID+"  "+x.Title, p.columns()) {
		if rest, ok := strings.CutPrefix(l, x.ID); ok && i == 0 {
			l = p.paint(sgrBold+";"+sgrCyan, x.ID) + p.paint(sgrBold, rest)
		} else {
			l = p.paint(sgrBold, l)
		}
		p.line(l)
	}
	p.paragraph(0, "", 0, fmt.Sprintf("%s, profile %s; rests on %s; since %s", x.Area, x.Profile, basis(x.Basis), x.Since), sgrDim)
	p.line()
	p.paragraph(2, "", 0, x.Text, "")
	p.revisions(x)
	p.checked(x)
	p.tolerated(x)
	p.proof(x)
	if withExamples && x.Examples != nil {
		p.examples(x)
	}
	return p.err
}

func gradeColor(g requirement.Grade) string {
	switch g {
	case requirement.Fail:
		return sgrRed
	case requirement.Warn:
		return sgrYellow
	}
	return sgrGreen
}

// revisions is a table of what holds where, with the addresses of the sections.
func (p *page) revisions(x *explanation) {
	p.title("WHERE IT HOLDS")
	for _, in := range x.Revisions {
		var on []string
		for _, t := range in.Transports {
			on = append(on, string(t))
		}
		p.line("  ", p.paint(sgrCyan, string(in.Revision)), fmt.Sprintf(" %-6s ", in.Level), p.paint(gradeColor(in.Grade), fmt.Sprintf("%-7s", in.Grade)), " ", strings.Join(on, ", "))
		for _, s := range in.Sections {
			if s.URL == "" {
				p.paragraph(4, "", 0, s.Section, sgrDim)
				continue
			}
			p.line("    ", p.paint(sgrDim, s.URL)) // not wrapped: it is there to be followed
		}
	}
}

func (p *page) checked(x *explanation) {
	p.title("HOW IT IS CHECKED")
	for _, s := range x.How {
		p.paragraph(2, "", 0, s, "")
	}
	for _, s := range x.Scenarios {
		p.line()
		p.paragraph(2, "•", 2, s.Title, sgrBold)
		if s.Sends != "" {
			p.paragraph(4, "", 0, s.Sends, "")
		}
	}
	if len(x.Unless)+len(x.Needs) > 0 {
		p.line()
	}
	for i, s := range x.Unless {
		label := ""
		if i == 0 {
			label = "not where"
		}
		p.paragraph(2, label, 12, s, "")
	}
	if x.Needs != "" {
		p.paragraph(2, "needs", 12, "the target file has to give "+x.Needs, "")
	}
}

func (p *page) tolerated(x *explanation) {
	if x.Tolerated == "" && len(x.Quirks) == 0 {
		return
	}
	p.title("WHAT IS TOLERATED")
	if x.Tolerated != "" {
		p.paragraph(2, "", 0, x.Tolerated, "")
	}
	p.behaviours(x.Quirks, "quirk", "It permits this, and no check may object:", sgrGreen)
}

func (p *page) proof(x *explanation) {
	if len(x.Faults) == 0 {
		return
	}
	p.title("WHAT PROVES THE CHECK")
	p.behaviours(x.Faults, "fault", "", sgrRed)
}

// behaviours lists faults or quirks.
func (p *page) behaviours(all []behaviour, kind, lead, color string) {
	if len(all) > 0 && lead != "" {
		p.line()
		p.paragraph(2, "", 0, lead, "")
	}
	for _, b := range all {
		text := b.Summary
		if b.Needs != "" {
			text += " (seen " + b.Needs + ")"
		}
		p.line("  ", p.paint(sgrDim, kind+" "), p.paint(color, b.Name))
		p.paragraph(4, "", 0, text, "")
	}
}

func (p *page) examples(x *explanation) {
	e := x.Examples
	if e.Red == nil {
		p.title("EXAMPLES")
		p.paragraph(2, "", 0, "None: "+e.Missing+".", "")
		if e.See != "" {
			p.line("  ", p.paint(sgrDim, "see "), e.See)
		}
		return
	}
	p.line()
	p.paragraph(0, "", 0, fmt.Sprintf("RED  %s, in %s: %s", e.Fault, e.Combination, e.Summary), sgrBold+";"+sgrRed)
	p.example(e.Red)
	p.line()
	p.paragraph(0, "", 0, "GREEN  the reference server as it is, asked the same", sgrBold+";"+sgrGreen)
	p.example(e.Green)
}

func (p *page) example(e *example) {
	const column = 10
	for _, part := range []struct{ label, text string }{{"verdict", e.Verdict}, {"expected", e.Expected}, {"actual", e.Actual}, {"change", e.Hint}} {
		if part.text != "" {
			p.paragraph(2, part.label, column, reports.Sanitize(reports.Shorten(part.text, longMessage)), "")
		}
	}
	p.line()
	for _, f := range e.Frames {
		p.frame(f)
	}
	if e.More > 0 {
		p.line("  ", p.paint(sgrDim, fmt.Sprintf("· and %d exchanges more", e.More)))
	}
}

func (p *page) frame(f exampleFrame) {
	arrow, color := "·", sgrDim
	switch f.Direction {
	case reports.Out:
		arrow, color = "→", ""
	case reports.In:
		arrow, color = "←", sgrCyan
	}
	if f.HTTP != "" {
		p.paragraph(2, arrow, 2, f.HTTP, color)
		for _, h := range f.Headers {
			p.paragraph(4, "", 2, h, sgrDim)
		}
		arrow = ""
	}
	if f.Text != "" {
		p.paragraph(2, arrow, 2, f.Text, color)
	}
}

// broken breaks a text into lines of at most width characters: at a space or, in a
// message, behind a comma or bracket.
func broken(text string, width int) []string {
	width = max(width, 20)
	var lines []string
	line := []rune(text)
	for len(line) > width {
		cut := width
		for i := width; i > width/2; i-- {
			if line[i] == ' ' || slices.Contains([]rune(",{}[]"), line[i-1]) && line[i] != ',' {
				cut = i
				break
			}
		}
		for i := width; cut == width && i > width/2; i-- {
			if line[i-1] == '/' && line[i] != '/' {
				cut = i
			}
		}
		lines = append(lines, strings.TrimRight(string(line[:cut]), " "))
		line = []rune(strings.TrimLeft(string(line[cut:]), " "))
	}
	return append(lines, string(line))
}

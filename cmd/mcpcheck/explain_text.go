package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// page writes an explanation for people.
type page struct {
	*terminal.Printer
	w io.Writer
	o write.Options
}

// write writes everything.
func (x *explanation) write(w io.Writer, o write.Options) error {
	p := &page{terminal.New(w, o.Color, o.Width), w, o}
	p.Text(0, terminal.Bold, x.ID+"  "+x.Title)
	p.Text(0, terminal.Dim, fmt.Sprintf("%s, profile %s; rests on %s; since %s", x.Area, x.Profile, bases[x.Basis], x.Since))
	p.Line()
	p.Text(2, "", x.Text)
	p.revisions(x)
	p.checked(x)
	if x.Change != "" {
		p.Title("WHAT TO CHANGE")
		p.Text(2, "", x.Change)
	}
	if x.Tolerated != "" || len(x.Quirks) > 0 {
		p.Title("WHAT IS TOLERATED")
		p.Text(2, "", cmp.Or(x.Tolerated, "It permits this, and no check may object:"))
		p.behaviours("quirk", terminal.Green, x.Quirks)
	}
	if len(x.Faults) > 0 {
		p.Title("WHAT PROVES THE CHECK")
		p.behaviours("fault", terminal.Red, x.Faults)
	}
	if x.Examples != nil {
		p.examples(x.Examples)
	}
	return p.Err
}

var gradeColors = map[requirement.Grade]string{
	requirement.Fail: terminal.Red, requirement.Warn: terminal.Yellow, requirement.Info: terminal.Green, requirement.Control: terminal.Green,
}

// revisions is a table of what holds where, with the addresses of the sections.
func (p *page) revisions(x *explanation) {
	p.Title("WHERE IT HOLDS")
	for _, in := range x.Revisions {
		on := ""
		for _, t := range in.Transports {
			on += ", " + string(t)
		}
		p.Line("  ", p.Paint(terminal.Cyan, string(in.Revision)), fmt.Sprintf(" %-6s ", in.Level), p.Paint(gradeColors[in.Grade], fmt.Sprintf("%-7s", in.Grade)), on[min(1, len(on)):])
		for _, s := range in.Sections {
			if s.URL == "" {
				p.Text(4, terminal.Dim, s.Section)
				continue
			}
			p.Line("    ", p.Paint(terminal.Dim, s.URL)) // not wrapped: it is there to be followed
		}
	}
}

func (p *page) checked(x *explanation) {
	p.Title("HOW IT IS CHECKED")
	for _, s := range x.How {
		p.Text(2, "", s)
	}
	for _, s := range x.Scenarios {
		p.Line()
		p.Text(2, terminal.Bold, "• "+s.Title)
		p.Text(4, "", s.Sends)
	}
	if len(x.Unless)+len(x.Needs) > 0 {
		p.Line()
	}
	label := "not where"
	for _, s := range x.Unless {
		p.Labelled(2, label, s)
		label = ""
	}
	if x.Needs != "" {
		p.Labelled(2, "needs", "the target file has to give "+x.Needs)
	}
}

// behaviours lists faults or quirks.
func (p *page) behaviours(kind, color string, all []behaviour) {
	for _, b := range all {
		text := b.Summary
		if b.Needs != "" {
			text += " (seen " + b.Needs + ")"
		}
		p.Line("  ", p.Paint(terminal.Dim, kind+" "), p.Paint(color, b.Name))
		p.Text(4, "", text)
	}
}

// examples shows two runs, as every run is shown.
func (p *page) examples(e *examples) {
	if e.Red == nil {
		p.Title("EXAMPLES")
		p.Text(2, "", "None: "+e.Missing+".")
		if e.See != "" {
			p.Line("  ", p.Paint(terminal.Dim, "see "), e.See)
		}
		return
	}
	for _, run := range []struct {
		color, head string
		*example
	}{
		{terminal.Red, fmt.Sprintf("RED  %s, in %s: %s", e.Fault, e.Combination, e.Summary), e.Red},
		{terminal.Green, "GREEN  the reference server as it is, asked the same: " + string(e.Green.Verdict), e.Green},
	} {
		p.Line()
		p.Text(0, terminal.Bold+";"+run.color, run.head)
		if p.Err == nil {
			p.Err = write.Findings(p.w, run.report(), p.o)
		}
	}
}

//go:embed explain.md.tmpl
var pageText string

// pageWidth is how wide the lines of examples are on a page.
const pageWidth = 120

// markdown is the explanation as a page in Markdown.
func (x *explanation) markdown() (string, error) {
	page, err := template.New("page").Funcs(template.FuncMap{"plain": safe.MarkdownText, "code": safe.MarkdownBlock}).Parse(pageText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = page.Execute(&b, x)
	return b.String(), err
}

// Rests says what the requirement rests on.
func (x *explanation) Rests() string { return bases[x.Basis] }

// Text is the finding as the console shows it, without colours.
func (e *example) Text() (string, error) {
	var b strings.Builder
	err := write.Findings(&b, e.report(), write.Options{Width: pageWidth})
	return strings.TrimSpace(b.String()), err
}

// writePages writes a page for each requirement into a directory, and an index, README.md.
// What else is there stays.
func writePages(dir string, all []*explanation) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return impossible("the pages were not written: %w", err)
	}
	var index strings.Builder
	index.WriteString("# Requirements\n\nA page for each, written by `mcpcheck explain --pages`, with a violation and its counterpart as a run shows them.\n")
	area := ""
	for _, x := range all {
		text, err := x.markdown()
		if err != nil {
			return err
		}
		if err := writePage(filepath.Join(dir, x.ID+".md"), text); err != nil {
			return err
		}
		if x.Area != area {
			area = x.Area
			fmt.Fprintf(&index, "\n## %s\n\n", safe.MarkdownText(area))
		}
		fmt.Fprintf(&index, "* [%s](%s.md) %s\n", x.ID, x.ID, safe.MarkdownText(x.Title))
	}
	return writePage(filepath.Join(dir, "README.md"), index.String())
}

// writePage writes a file of the pages.
func writePage(path, text string) error {
	err := output.File(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return impossible("the page %s was not written: %w", path, err)
	}
	return nil
}

package main

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

//go:embed explain.md.tmpl
var pageText string

// page is the explanation as a page in Markdown. The options say how wide the examples are, and whether
// they have whole messages.
func (x *explanation) page(o write.Options) (string, error) { return filled("page", x, o) }

// filled fills a template of explain.md.tmpl.
func filled(name string, data any, o write.Options) (string, error) {
	finding := func(e *example) (string, error) {
		var b strings.Builder
		err := write.Findings(&b, e.report(), o)
		text := strings.TrimSpace(b.String())
		if o.Verbose { // a block may be cut
			return "```text\n" + text + "\n```\n", err
		}
		return safe.MarkdownBlock(text), err
	}
	page, err := template.New("page").Funcs(template.FuncMap{
		"plain": safe.MarkdownText, "code": safe.MarkdownBlock, "finding": finding, "join": strings.Join,
		"count": plural.Count, "area": func(id string) *requirement.Area {
			name, _, _ := strings.Cut(id, "-")
			return area.Catalogue().Area(name)
		},
		"ended": func(s string) string { return strings.TrimSuffix(s, ".") + "." },
	}).Parse(pageText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = page.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// print prints what a template of explain.md.tmpl makes.
func (p *program) print(name string, data any) error {
	text, err := filled(name, data, write.Options{})
	if err == nil {
		_, err = io.WriteString(p.stdout, text)
	}
	return err
}

// phrases are the lines that a template of explain.md.tmpl makes.
func phrases(name string, data any) []string {
	text, err := filled(name, data, write.Options{})
	if err != nil {
		panic(err) // it is embedded
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// pageWidth is how wide the lines of examples are on a page that is a file.
const pageWidth = 120

// writePages writes into a directory a page for each requirement, one for all observations, and an index,
// README.md.
// What else is there stays.
func writePages(dir string, all []explainable) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return impossible("the pages were not written: %w", err)
	}
	var listed []*explanation
	for _, s := range all {
		if x, ok := s.(*explanation); ok {
			listed = append(listed, x)
			if err := writePage(dir, x.ID, "page", x); err != nil {
				return err
			}
		}
	}
	if err := writePage(dir, "observations", "observations", byArea(observations())); err != nil {
		return err
	}
	return writePage(dir, "README", "index", listed)
}

// writePage writes a file of the pages by a template of explain.md.tmpl.
func writePage(dir, name, by string, data any) error {
	text, err := filled(by, data, write.Options{Width: pageWidth})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, name+".md")
	if err := writeFile(path, []byte(text)); err != nil {
		return impossible("the page %s was not written: %w", path, err)
	}
	return nil
}

var (
	link  = regexp.MustCompile(`\[((?:\\.|[^\]\\])*)\]\((.*?)\)`)
	marks = regexp.MustCompile("\\\\(.)|[*`]")
	lead  = regexp.MustCompile("^\\* (\\*\\*.+?\\*\\*|\\w+ `[^`]+`): (.*)")
)

// unmarked is a text in Markdown as it reads.
func unmarked(s string) string {
	return html.UnescapeString(marks.ReplaceAllString(link.ReplaceAllString(s, "$1"), "$1"))
}

// printPage prints a page in Markdown on a terminal, of those forms that pages have. What an item begins with
// is on its own line.
func printPage(p *terminal.Printer, page string) {
	code, gap, titled := false, false, false
	for line := range strings.SplitSeq(page, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		if gap && line != "" && kind != "##" {
			p.Line()
		}
		gap, titled = line == "" && !titled, kind == "##"
		switch begin := lead.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			code = !code
		case code && strings.HasPrefix(line, "    "): // a message
			p.Line(p.Paint(terminal.Cyan, line))
		case code:
			p.Line(line)
		case kind == "#":
			p.Text(0, terminal.Bold, strings.Replace(unmarked(rest), " · ", "  ", 1))
		case kind == "##":
			p.Title(strings.ToUpper(unmarked(rest)))
		case kind == "|":
			printRow(p, strings.Split(rest, " | "))
		case begin != nil:
			p.Item(2, "• ", terminal.Bold, unmarked(begin[1]))
			p.Text(4, "", unmarked(begin[2]))
		case kind == "*":
			p.Item(2, "• ", "", unmarked(rest))
		case line != "" && !strings.HasPrefix(line, "|"):
			p.Text(2, "", unmarked(line))
		}
	}
}

// printRow prints a row of the table of revisions, its links below.
func printRow(p *terminal.Printer, cells []string) {
	p.Item(2, fmt.Sprintf("%-12s", cells[0]), "", fmt.Sprintf("%-8s%-13s%s", cells[1], cells[2], cells[3]))
	before := ""
	for cell := range strings.SplitSeq(strings.TrimSuffix(cells[4], " |"), "<br>") {
		if m := link.FindStringSubmatch(cell); m == nil && cells[0] != "revision" {
			p.Text(4, terminal.Dim, unmarked(cell))
		} else if m != nil && m[2] != before { // the published schemas have one for all types
			before = m[2]
			p.Line("    ", p.Paint(terminal.Dim, before)) // not wrapped: it is there to be followed
		}
	}
}

package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/reports"
)

//go:embed explain.md.tmpl
var pageText string

// pageWidth is how wide the lines of examples are on a page.
const pageWidth = 120

// markdown is the explanation as a page in Markdown.
func (x *explanation) markdown() (string, error) {
	page, err := template.New("page").Funcs(template.FuncMap{"plain": reports.MarkdownText, "code": reports.MarkdownBlock}).Parse(pageText)
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
	err := reports.WriteFindings(&b, e.report, reports.Options{Width: pageWidth})
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
			fmt.Fprintf(&index, "\n## %s\n\n", reports.MarkdownText(area))
		}
		fmt.Fprintf(&index, "* [%s](%s.md) %s\n", x.ID, x.ID, reports.MarkdownText(x.Title))
	}
	return writePage(filepath.Join(dir, "README.md"), index.String())
}

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

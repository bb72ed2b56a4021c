package write

import (
	"embed"
	"fmt"
	pagetemplate "html/template"
	"strings"
	"sync"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/reports"
)

//go:embed page
var files embed.FS

// The templates of texts and of pages, which are parsed when they are first asked for.
var (
	texts = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("texts").Funcs(functions).ParseFS(files, "page/*.tmpl"))
	})
	pages = sync.OnceValue(func() *pagetemplate.Template {
		return pagetemplate.Must(pagetemplate.New("pages").Funcs(functions).ParseFS(files, "page/*.gohtml"))
	})
)

// said is what a template of texts makes of something. It panics on a template that is wrong: that is an
// error of this package, which every use of it shows.
func said(name string, about any) string {
	var b strings.Builder
	if err := texts().ExecuteTemplate(&b, name, about); err != nil {
		panic(err)
	}
	return b.String()
}

// functions are those of all templates, which pass every text from outside through one of them.
var functions = map[string]any{
	// for pages
	"title": title, "lines": cleanLines, "text": func(s string) string { return clean(s, pageText) },
	"word": func(s any) string { return word(fmt.Sprint(s)) },
	"bar":  bar, "link": pageLink, "section": safeLink, "shell": shell.Printable,
	// for Markdown
	"code": code, "cell": cell, "plain": plain, "escape": safe.MarkdownText, "fenced": safe.MarkdownBlock,
	"item": item, "linked": linked, "mark": func(v reports.Verdict) string { return looks[v].mark },
	// for XML
	"attribute": func(s string) string { return escapeXML(safe.Line(s)) },
	"element":   func(s string) string { return escapeXML(safe.Lines(s)) },
	"time":      seconds,
	// for texts
	"visible": safe.Lines, "oneline": safe.Line,
	"stated": func(label, text string) string {
		return maybe(fmt.Sprintf("\n%-9s ", label+":")+"%s", safe.Lines(text))
	},
	"line": func(label, text string) string { return maybe(label+": %s\n", safe.Lines(text)) },
	// what is said in all formats
	"among": among, "built": builtFrom, "excuse": excuse, "in": in, "label": label, "lacking": lacking,
	"more": more, "parts": partsOf, "program": program, "repeated": repeated, "servers": servers,
	"settings": settings, "target": Word,
	"embedded":    func() string { return embedded },
	"noResources": func() string { return noResources },
	"seconds":     func(ms float64) string { return fmt.Sprintf("%.1f", ms/1000) },
	"next":        func(n int) int { return n + 1 },
	"capital":     capital, "count": plural.Count, "list": plural.List,
	"join": strings.Join, "split": strings.SplitAfter,
}

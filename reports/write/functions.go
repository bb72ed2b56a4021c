package write

import (
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/reports"
)

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

package compare

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// maxRows bounds a summary: pull requests take 65536 characters at most.
const maxRows = 100

// WriteMarkdown writes a comparison for pull requests. What came from a side stands in
// spans of code, so that nothing in it means anything.
func WriteMarkdown(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(b, format, args...) } // the writer keeps the first error
	p("## What the gateway drops or changes: %s\n\n", r.Headline())
	p("- direct: %s\n- through: %s\n", span(r.Direct.Address, shortSubject), span(r.Through.Address, shortSubject))
	for _, x := range r.Compared {
		n := 0
		for _, asked := range x.Asked {
			n += asked
		}
		p("- %s: %d questions (%s, %s)\n", x.Revision, n, x.Direct, x.Through)
	}
	rows := 0
	for _, g := range Groups() {
		all := gather(r.Differences, g, shape)
		if len(all) == 0 {
			continue
		}
		p("\n### %s\n\n| | what | direct | through | revisions |\n|---|---|---|---|---|\n", g)
		for i, a := range all {
			if rows++; rows > maxRows {
				p("\n_and %d more, in the JSON report_\n", len(all)-i)
				break
			}
			d := a.first
			p("| **%s** | %s | %s | %s | %s |\n", d.Kind, cell(what(&a), 300), cell(value(d.Direct, d.DirectBytes, d.Part, shortValue), shortValue+20),
				cell(value(d.Through, d.ThroughBytes, d.Part, shortValue), shortValue+20), strings.Join(d.Revisions, ", "))
		}
	}
	list := func(title string, all []string) {
		if len(all) == 0 {
			return
		}
		p("\n### %s\n\n", title)
		for i, s := range all {
			if i == maxRows/2 {
				p("- and %d more, in the JSON report\n", len(all)-i)
				break
			}
			p("- %s\n", span(s, 400))
		}
	}
	var own, gaps []string
	for _, g := range Groups() {
		for _, a := range gather(r.Unsteady, g, shape) {
			own = append(own, string(g)+": "+what(&a)+": "+a.first.Reason)
		}
	}
	for _, g := range r.Gaps {
		gaps = append(gaps, strings.TrimSpace(strings.Join([]string{g.Revision, string(g.Group), g.Subject, g.Reason}, " ")))
	}
	list("Changes by itself, not counted", own)
	list("Not established", gaps)
	list("Notes", r.Notes)
	p("\n_%s_\n", strings.TrimSpace(r.Tool.Name+" "+r.Tool.Version))
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

// span is a text as code, which no character in it can end.
func span(s string, n int) string {
	s = strings.TrimSpace(show(s, n))
	if s == "" {
		return ""
	}
	longest, run := 0, 0
	for _, c := range s {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// cell is a text as code in a table, whose columns are parted before code is seen.
func cell(s string, n int) string { return strings.ReplaceAll(span(s, n), "|", `\|`) }

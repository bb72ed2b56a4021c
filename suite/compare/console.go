package compare

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// ConsoleOptions says how [WriteConsole] writes.
type ConsoleOptions struct {
	Color bool
	// Verbose shows every subject, and more of each value. Quiet leaves a line for each
	// difference, what could not be established, and the last line.
	Verbose, Quiet bool
	// Again is the command that was given, for "how to look closer".
	Again string
}

// The bounds of what is shown of one difference.
const (
	fewSubjects  = 3
	shortValue   = 160
	longValue    = maxValue
	shortSubject = 120
)

// alike are differences of the same kind in the same member of several subjects.
type alike struct {
	first    *Difference
	subjects []string
}

// gather puts differences together that are the same but for the subject.
func gather(list []Difference, group Group, shape func(*Difference) string) []alike {
	var all []alike
	at := map[string]int{}
	for i := range list {
		d := &list[i]
		if d.Group != group {
			continue
		}
		key := shape(d)
		if n, ok := at[key]; ok {
			all[n].subjects = append(all[n].subjects, d.Subject)
			continue
		}
		at[key] = len(all)
		all = append(all, alike{d, []string{d.Subject}})
	}
	return all
}

// shape is what differences have in common that are shown together: all but the
// subject, and the values if they are whole entries.
func shape(d *Difference) string {
	key := []string{string(d.Kind), d.Member, strings.Join(d.Revisions, " "), d.Reason}
	if d.Member == "" {
		key = append(key, "whole") // such as entries of a list that are missing
	}
	if d.Group == Declared {
		key = append(key, d.Subject)
	}
	return fmt.Sprintf("%q", key)
}

type console struct {
	*terminal.Printer
	o ConsoleOptions
	r *Report
}

func (c *console) line(format string, args ...any) { c.Line(fmt.Sprintf(format, args...)) }

func kindColor(k Kind) string {
	switch k {
	case Dropped:
		return terminal.Red
	case Changed:
		return terminal.Yellow
	}
	return terminal.Purple
}

// show makes a text from outside safe to print, and short.
func show(s string, n int) string { return reports.Sanitize(reports.Shorten(s, n)) }

// WriteConsole writes a comparison for people: the two sides, what differs by groups,
// what the server changes by itself, what could not be established, and the outcome on
// the last line.
func WriteConsole(w io.Writer, r *Report, o ConsoleOptions) error {
	buffer := bufio.NewWriter(w)
	c := &console{terminal.New(buffer, o.Color, 0), o, r}
	if !o.Quiet {
		c.head()
	}
	for _, g := range Groups() {
		c.group(g)
	}
	if !o.Quiet {
		c.unsteady()
	}
	c.rest()
	c.outcome()
	if c.Err == nil {
		c.Err = buffer.Flush()
	}
	if c.Err != nil {
		return fmt.Errorf("writing the comparison: %w", c.Err)
	}
	return nil
}

func (c *console) head() {
	for _, side := range []struct {
		name string
		s    *Side
	}{{"direct", &c.r.Direct}, {"through", &c.r.Through}} {
		c.line("%s %s", c.Paint(terminal.Bold, fmt.Sprintf("%-8s", side.name)), show(side.s.Address, shortSubject))
		for _, e := range side.s.Endpoints {
			offers := cmp.Or(strings.Join(e.Revisions, ", "), "none of the revisions asked for")
			c.line("         %s: %s", e.Transport, offers)
		}
	}
	for _, x := range c.r.Compared {
		var words []string
		for _, g := range Groups() {
			if n := x.Asked[g]; n > 0 {
				words = append(words, fmt.Sprintf("%s %d", g, n))
			}
		}
		c.line("%s", c.Paint(terminal.Dim, "compared "+x.Revision+" ("+x.Direct+", "+x.Through+"): "+strings.Join(words, ", ")))
	}
}

func (c *console) group(g Group) {
	all := gather(c.r.Differences, g, shape)
	if c.o.Quiet || c.o.Verbose {
		all = gather(c.r.Differences, g, func(d *Difference) string { return fmt.Sprintf("%p", d) })
	}
	if len(all) == 0 {
		return
	}
	if !c.o.Quiet {
		c.line("")
		c.line("%s", c.Paint(terminal.Bold, string(g)))
	}
	for _, a := range all {
		d := a.first
		c.line("  %s %s  %s", c.Paint(kindColor(d.Kind), fmt.Sprintf("%-7s", strings.ToUpper(string(d.Kind)))), what(&a),
			c.Paint(terminal.Dim, "["+c.revisions(d.Revisions)+"]"))
		if c.o.Quiet {
			continue
		}
		n := shortValue
		if c.o.Verbose {
			n = longValue
		}
		c.line("    direct   %s", value(d.Direct, d.DirectBytes, d.Part, n))
		c.line("    through  %s", value(d.Through, d.ThroughBytes, d.Part, n))
	}
}

// what names the member and the subjects of differences.
func what(a *alike) string {
	member := show(a.first.Member, shortSubject)
	switch n := len(a.subjects); {
	case n == 1 && member == "":
		return show(a.subjects[0], shortSubject)
	case n == 1 && a.subjects[0] == declaration:
		return member
	case n == 1:
		return member + " of " + show(a.subjects[0], shortSubject)
	default:
		var few []string
		for _, s := range a.subjects[:min(n, fewSubjects)] {
			few = append(few, show(s, shortSubject))
		}
		text := strings.Join(few, ", ")
		if n > fewSubjects {
			text += fmt.Sprintf(" and %d more", n-fewSubjects)
		}
		if member == "" {
			return fmt.Sprintf("%d: %s", n, text)
		}
		return fmt.Sprintf("%s of %d: %s", member, n, text)
	}
}

// value is a value on one line, from where it is worth looking at.
func value(s string, size, part, n int) string {
	if size == 0 {
		return "-"
	}
	cut := false
	if part > n/2 && !strings.HasPrefix(s, "…") && part < len(s) {
		s, cut = "…"+strings.ToValidUTF8(s[part-nearStart:], ""), true
	}
	text := show(s, n)
	if cut || len(s) < size || strings.HasSuffix(text, "…") {
		text += fmt.Sprintf(" [%d bytes]", size)
	}
	return text
}

// revisions names revisions, unless all that were compared are meant.
func (c *console) revisions(list []string) string {
	if n := len(c.r.Compared); n > 1 && len(list) == n && !slices.ContainsFunc(c.r.Compared, func(x Compared) bool { return !slices.Contains(list, x.Revision) }) {
		return "all revisions"
	}
	return strings.Join(list, ", ")
}

func (c *console) unsteady() {
	if len(c.r.Unsteady) == 0 {
		return
	}
	c.line("")
	c.line("%s", c.Paint(terminal.Bold, "changes by itself, not counted"))
	for _, g := range Groups() {
		for _, a := range gather(c.r.Unsteady, g, shape) {
			c.line("  %s: %s: %s  %s", g, what(&a), a.first.Reason, c.Paint(terminal.Dim, "["+c.revisions(a.first.Revisions)+"]"))
		}
	}
}

func (c *console) rest() {
	const few = 12
	list := func(title string, all []string) {
		if len(all) == 0 {
			return
		}
		c.line("")
		c.line("%s", c.Paint(terminal.Bold, title))
		for i, s := range all {
			if i == few && !c.o.Verbose {
				c.line("  and %d more", len(all)-few)
				return
			}
			c.line("  %s", show(s, maxName))
		}
	}
	if !c.o.Quiet {
		list("notes", joined(c.r.Notes))
	}
	var gaps []string
	for _, g := range c.r.Gaps {
		text := g.Reason
		for _, before := range []string{g.Subject, string(g.Group), g.Revision} {
			if before != "" {
				text = before + ": " + text
			}
		}
		gaps = append(gaps, text)
	}
	list("not established", gaps)
	if !c.o.Quiet && c.o.Again != "" && len(c.r.Differences) > 0 {
		c.line("")
		first := ""
		for _, x := range c.r.Compared {
			if first == "" && slices.ContainsFunc(c.r.Differences, func(d Difference) bool { return slices.Contains(d.Revisions, x.Revision) }) {
				first = " --revision " + x.Revision
			}
		}
		c.line("look closer: %s%s --verbose --json compare.json", show(c.o.Again, maxName*2), first)
	}
}

// joined puts together notes that say the same of several revisions.
func joined(notes []string) []string {
	var all []string
	at := map[string]int{}
	for _, note := range notes {
		rev, text, ok := strings.Cut(note, ": ")
		if ok = ok && requirement.Revision(rev).Known(); !ok {
			all = append(all, note)
			continue
		}
		if i, again := at[text]; again {
			all[i] = strings.TrimSuffix(all[i], ": "+text) + ", " + note
			continue
		}
		at[text] = len(all)
		all = append(all, note)
	}
	return all
}

// Headline is the outcome in one line.
func (r *Report) Headline() string {
	s := &r.Summary
	text := map[Outcome]string{Same: "the same", Different: "different", NotEstablished: "not established"}[s.Outcome]
	text += fmt.Sprintf(": %d dropped, %d changed, %d added", s.Dropped, s.Changed, s.Added)
	for _, x := range []struct {
		n    int
		what string
	}{{s.Ignored, "ignored"}, {s.Unsteady, "by the server itself"}, {s.NotEstablished, "not established"}, {s.Omitted, "not listed"}} {
		if x.n > 0 {
			text += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return text
}

func (c *console) outcome() {
	if !c.o.Quiet {
		c.line("")
	}
	color := map[Outcome]string{Same: terminal.Green, Different: terminal.Red, NotEstablished: terminal.Purple}[c.r.Summary.Outcome]
	c.line("%s", c.Paint(color, c.r.Headline()))
}

// maxRows bounds a summary: pull requests take 65536 characters at most.
const maxRows = 100

// WriteMarkdown writes a comparison for pull requests. What came from a side stands in
// spans of code, so that nothing in it means anything.
func WriteMarkdown(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(b, format, args...) } // the writer keeps the first error
	p("## What the gateway drops or changes: %s\n\n", r.Headline())
	p("- direct: %s\n- through: %s\n", reports.MarkdownCode(r.Direct.Address, shortSubject), reports.MarkdownCode(r.Through.Address, shortSubject))
	for _, x := range r.Compared {
		n := 0
		for _, asked := range x.Asked {
			n += asked
		}
		p(plural.Of(n, "- %s: %d {question|questions} (%s, %s)\n"), x.Revision, n, x.Direct, x.Through)
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
			p("| **%s** | %s | %s | %s | %s |\n", d.Kind, reports.MarkdownCell(what(&a), 300), reports.MarkdownCell(value(d.Direct, d.DirectBytes, d.Part, shortValue), shortValue+20),
				reports.MarkdownCell(value(d.Through, d.ThroughBytes, d.Part, shortValue), shortValue+20), strings.Join(d.Revisions, ", "))
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
			p("- %s\n", reports.MarkdownCode(s, 400))
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
	list("Notes", joined(r.Notes))
	p("\n_%s_\n", strings.TrimSpace(r.Tool.Name+" "+r.Tool.Version))
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

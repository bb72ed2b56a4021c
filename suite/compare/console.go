package compare

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
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

// gather puts the differences of a group together that are the same by their shape.
func gather[K comparable](list []Difference, of Group, shape func(*Difference) K) [][]*Difference {
	var all []*Difference
	for i := range list {
		if list[i].Group == of {
			all = append(all, &list[i])
		}
	}
	return group.By(all, shape)
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

var (
	kindColors    = map[Kind]string{Dropped: terminal.Red, Changed: terminal.Yellow, Added: terminal.Purple}
	outcomeColors = map[Outcome]string{Same: terminal.Green, Different: terminal.Red,
		NotEstablished: terminal.Purple}
)

// title begins a part of the output that has so many entries.
func (c *console) title(n int, s string) {
	if n > 0 && !(c.o.Quiet && s != unestablished) {
		c.Title(s)
	}
}

const unestablished = "not established"

// show makes a text from outside safe to print, and short.
func show(s string, n int) string { return safe.Clean(s, n) }

// WriteConsole writes a comparison for people: the two sides, what differs by groups,
// what the server changes by itself, what could not be established, and the outcome on
// the last line.
func WriteConsole(w io.Writer, r *Report, o ConsoleOptions) error {
	err := output.Buffered(w, func(w io.Writer) error {
		c := &console{terminal.New(w, o.Color, 0), o, r}
		if !o.Quiet {
			c.head()
		}
		for _, g := range Groups() {
			c.group(g)
		}
		c.rest()
		if !o.Quiet {
			c.Line()
		}
		c.Line(c.Paint(outcomeColors[r.Summary.Outcome], r.Headline()))
		return c.Err
	})
	if err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

func (c *console) head() {
	for i, side := range []*Side{&c.r.Direct, &c.r.Through} {
		c.Line(c.Paint(terminal.Bold, []string{"direct  ", "through "}[i]), " ",
			show(side.Address, shortSubject))
		for _, e := range side.Endpoints {
			c.Line("         ", e.Transport, ": ", cmp.Or(strings.Join(e.Revisions, ", "),
				"none of the revisions asked for"))
		}
	}
	for _, x := range c.r.Compared {
		var words []string
		for _, g := range Groups() {
			if n := x.Asked[g]; n > 0 {
				words = append(words, fmt.Sprintf("%s %d", g, n))
			}
		}
		c.Line(c.Paint(terminal.Dim, "compared "+x.Revision+" ("+x.Direct+", "+x.Through+"): "+
			strings.Join(words, ", ")))
	}
}

func (c *console) group(g Group) {
	all := gather(c.r.Differences, g, shape)
	if c.o.Quiet || c.o.Verbose {
		all = gather(c.r.Differences, g, func(d *Difference) *Difference { return d })
	}
	c.title(len(all), string(g))
	n := shortValue
	if c.o.Verbose {
		n = longValue
	}
	for _, same := range all {
		d := same[0]
		kind := c.Paint(kindColors[d.Kind], fmt.Sprintf("%-7s", strings.ToUpper(string(d.Kind))))
		c.Line("  ", kind, " ", what(same), "  ", c.among(d.Revisions))
		if values := values(d, n); !c.o.Quiet {
			c.Line("    direct   ", values[0])
			c.Line("    through  ", values[1])
		}
	}
}

// what names the member and the subjects of differences.
func what(same []*Difference) string {
	member, n := show(same[0].Member, shortSubject), len(same)
	if n == 1 && member != "" && same[0].Subject == declaration {
		return member
	}
	var subjects []string
	for _, d := range same {
		subjects = append(subjects, show(d.Subject, shortSubject))
	}
	text := plural.List(subjects, fewSubjects)
	if n > 1 {
		text = fmt.Sprintf("%d: %s", n, text)
	}
	if member != "" {
		text = member + " of " + text
	}
	return text
}

// values are those of both sides.
func values(d *Difference, n int) [2]string {
	return [2]string{value(d.Direct, d.DirectBytes, d.Part, n), value(d.Through, d.ThroughBytes, d.Part, n)}
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

// among names revisions in brackets, unless all that were compared are meant.
func (c *console) among(list []string) string {
	text := strings.Join(list, ", ")
	if n := len(c.r.Compared); n > 1 && len(list) == n && !slices.ContainsFunc(c.r.Compared,
		func(x Compared) bool { return !slices.Contains(list, x.Revision) }) {
		text = "all revisions"
	}
	return c.Paint(terminal.Dim, "["+text+"]")
}

// itself says, a line each, what the server changes by itself, and shows in which revisions.
func (r *Report) itself(shown func([]string) string) (all []string) {
	for _, g := range Groups() {
		for _, same := range gather(r.Unsteady, g, shape) {
			all = append(all, string(g)+": "+what(same)+": "+same[0].Reason+shown(same[0].Revisions))
		}
	}
	return all
}

// gaps says, a line each, what is not established.
func (r *Report) gaps(between string) (all []string) {
	for _, g := range r.Gaps {
		parts := []string{g.Revision, string(g.Group), g.Subject, g.Reason}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		all = append(all, strings.Join(parts, between))
	}
	return all
}

// rest shows the notes beside the differences.
func (c *console) rest() {
	list := func(title string, all []string, few int) {
		c.title(len(all), title)
		for i, s := range all {
			if i == few && !c.o.Verbose {
				c.Line(fmt.Sprintf("  and %d more", len(all)-few))
				return
			}
			c.Line("  ", s)
		}
	}
	safe := func(all []string) []string {
		for i := range all {
			all[i] = show(all[i], maxName)
		}
		return all
	}
	const few = 12
	if !c.o.Quiet {
		among := func(revisions []string) string { return "  " + c.among(revisions) }
		list("changes by itself, not counted", c.r.itself(among), -1)
		list("notes", safe(joined(c.r.Notes)), few)
	}
	list(unestablished, safe(c.r.gaps(": ")), few)
	if c.o.Quiet || c.o.Again == "" || len(c.r.Differences) == 0 {
		return
	}
	revision := ""
	for _, x := range slices.Backward(c.r.Compared) {
		in := func(d Difference) bool { return slices.Contains(d.Revisions, x.Revision) }
		if slices.ContainsFunc(c.r.Differences, in) {
			revision = " --revision " + x.Revision
		}
	}
	c.Line()
	c.Line("look closer: ", show(c.o.Again, maxName*2), revision, " --verbose --json compare.json")
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
	text := map[Outcome]string{Same: "the same", Different: "different",
		NotEstablished: "not established"}[s.Outcome]
	text += fmt.Sprintf(": %d dropped, %d changed, %d added", s.Dropped, s.Changed, s.Added)
	for _, x := range []struct {
		n    int
		what string
	}{{s.Ignored, "ignored"}, {s.Unsteady, "by the server itself"}, {s.NotEstablished, "not established"},
		{s.Omitted, "not listed"}} {
		if x.n > 0 {
			text += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return text
}

var (
	//go:embed summary.md.tmpl
	summaryText string

	summaryTemplate = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("summary").Funcs(template.FuncMap{
			"cell": safe.MarkdownCell, "code": safe.MarkdownCode, "count": plural.Count, "join": strings.Join,
			"program": func(t reports.Tool) string { return strings.TrimSpace(t.Name + " " + t.Version) },
			"alike":   func(r *Report, g Group) [][]*Difference { return gather(r.Differences, g, shape) },
			"next":    func(n int) int { return n + 1 }, "values": values, "what": what,
		}).Parse(summaryText))
	})
)

// WriteMarkdown writes a comparison for pull requests. What came from a side stands in
// spans of code, so that nothing in it means anything.
func WriteMarkdown(w io.Writer, r *Report) error {
	itself := r.itself(func([]string) string { return "" })
	lists := map[string][]string{"Changes by itself, not counted": itself, "Not established": r.gaps(" "),
		"Notes": joined(r.Notes)}
	if err := summaryTemplate().Execute(w, map[string]any{"Report": r, "Groups": Groups(),
		"Lists": lists}); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

// Questions is how many were answered.
func (x Compared) Questions() (n int) {
	for _, asked := range x.Asked {
		n += asked
	}
	return n
}

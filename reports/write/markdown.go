package write

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
)

// markdownLimit bounds the text in bytes: it stays below the 65,536 characters of a comment on
// GitHub. What has no room is counted.
const markdownLimit = 60_000

// Markdown writes a summary for pull requests and the pages of CI jobs: the
// verdict, what was judged, and each finding folded. What a target sent stands in
// code only, where it can neither format, link nor call anybody. The report must
// have been summarized.
func Markdown(w io.Writer, r *reports.Report, o Options) error {
	m := &markdown{view: view{r, o}, left: markdownLimit}
	m.part("head", nil)
	m.part("combinations", nil)
	m.part("profiles", nil)
	for _, g := range append(m.Groups(), findingGroup{Title: "Excused by the baseline", List: m.Excused()}) {
		each(m, fmt.Sprintf("### %s (%d)\n\n", g.Title, len(g.List)), "finding", g.List, "")
	}
	for _, p := range partsOf(r.Summary.Baseline) {
		m.Part = &p
		each(m, fmt.Sprintf("### %s (%d)\n\n%s.\n\n", capital(p.Title), len(p.Entries), capital(p.Means)),
			"line", p.Entries, "\n")
	}
	each(m, fmt.Sprintf("### Blocked (%d)\n\nSomething broke, so that these could not be judged.\n\n",
		r.Summary.Blocked), "reason", m.BlockedBy(), "\n")
	observations := m.Sightings()
	each(m, fmt.Sprintf("<details><summary>Observations (%d): no rule is broken, but you may want to know"+
		"</summary>\n\n", len(observations)), "observation", observations, "\n</details>\n\n")
	m.part("idle", distinctIDs(m.Only((*reports.Result).Idle)))
	m.part("foot", nil)
	_, err := io.WriteString(w, m.b.String())
	return unwritten("summary", err)
}

// markdown collects parts as long as there is room.
type markdown struct {
	view
	b    strings.Builder
	left int
	// About is what the template of a part is about, Part the part of a baseline to which an entry belongs.
	About any
	Part  *baselinePart
}

// add appends a text whole or not at all; the last few hundred bytes are kept for
// the remark that something is missing.
func (m *markdown) add(text string) bool {
	const spare = 300
	if len(text)+spare > m.left {
		return false
	}
	m.b.WriteString(text)
	m.left -= len(text)
	return true
}

// part adds what a template makes of something.
func (m *markdown) part(name string, about any) bool {
	m.About = about
	return m.add(said(name, m))
}

// each adds, between a head and an end, a part for each of a list, as long as there is room, and says how
// many are missing: there is always room for that.
func each[T any](m *markdown, head, name string, list []T, end string) {
	if len(list) == 0 || !m.add(head) {
		return
	}
	for i, x := range list {
		if !m.part(name, x) {
			fmt.Fprintf(&m.b, "_and %s more, in the other reports_\n\n", plural.Count(len(list)-i, name))
			break
		}
	}
	m.b.WriteString(end)
}

// Block is what was expected and seen, and the beginning of the frames.
func (f *finding) Block() string {
	return maybe("expected: %s\n", f.Expected) + maybe("actual:   %s\n", cmp.Or(f.Seen(), f.Reason)) +
		strings.Join(f.Frames(consoleFrame, consoleFrames), "\n")
}

var code, cell = safe.MarkdownCode, safe.MarkdownCell

// plain escapes a title of the catalogue: it is ours, but a report may come from
// elsewhere.
func plain(s string) string { return safe.MarkdownText(title(s)) }

// item is a line of a list; empty if there is no text.
func item(label, text string, n int) string { return maybe("- "+label+": %s\n", code(text, n)) }

// linked is the section of a requirement as a link, or as what it is given if there is none.
func linked(x *reports.Result, text string) string {
	if url := safeLink(x); url != "" {
		return "[" + plain(x.Section) + "](" + url + ")"
	}
	return text
}

// capital begins a sentence of ours.
func capital(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }

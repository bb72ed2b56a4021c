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
	m := &markdown{view: view{Report: r}, o: o, left: markdownLimit}
	m.head()
	m.combinations()
	m.findings()
	m.baseline()
	m.blocked()
	m.observations()
	m.rest()
	_, err := io.WriteString(w, m.b.String())
	return unwritten("summary", err)
}

// markdown collects parts as long as there is room.
type markdown struct {
	view
	o    Options
	b    strings.Builder
	left int
}

// add appends a part whole or not at all; the last few hundred bytes are kept for
// the remark that something is missing.
func (m *markdown) add(part string) bool {
	const spare = 300
	if len(part)+spare > m.left {
		return false
	}
	m.b.WriteString(part)
	m.left -= len(part)
	return true
}

var code, cell = safe.MarkdownCode, safe.MarkdownCell

// plain escapes a title of the catalogue: it is ours, but a report may come from
// elsewhere.
func plain(s string) string { return safe.MarkdownText(title(s)) }

func (m *markdown) head() {
	s := &m.Summary
	said := m.Standing()
	m.add(fmt.Sprintf("## %s %s: %s\n\n", looks[said.As()].mark, safe.MarkdownText(said.String()),
		cmp.Or(code(m.Target.Name, 100), "a target without a name")))
	text := maybe("%s\n\n", plain(s.ByRevision())) +
		fmt.Sprintf("**%d** passed, **%d** failed%s, **%s**%s, %d blocked, %d not applicable; %s; %.1f s.",
			s.Pass, s.Fail, among(s.Security.Fail), plural.Count(s.Warn, "warning"), among(s.Security.Warn),
			s.Blocked, s.NotApplicable,
			safe.MarkdownText(m.scope(everything)), s.DurationMS/1000)
	for _, remark := range m.BaselineRemarks() {
		text += " " + capital(remark) + "."
	}
	if m.o.Strict && s.Warn > 0 {
		text += " Warnings count as failures."
	}
	if lost := m.Lost(); lost != "" {
		text += " Not established: " + code(lost, 400) + ": " + code(m.Unreached(), 800) + "."
	}
	text += maybe(" Ended early: %s.", plain(m.EndedEarly()))
	text += maybe(" The target is %s.", plain(m.Target.About.String()))
	if m.Target.Embedded {
		text += " No target was given: this is the built-in reference server."
	}
	if m.DeclaresNoResources() {
		text += " The target " + noResources + "."
	}
	m.add(text + "\n\n")
}

func (m *markdown) combinations() {
	s := &m.Summary
	var rows []string
	row := func(name string, n reports.Counts, remark string) {
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %s |\n", name, n.Pass, n.Fail,
			n.Warn, n.NotApplicable, n.Blocked, remark))
	}
	table := func(first, last string) {
		if len(rows) > 0 {
			m.add("| " + first + " | Pass | Fail | Warn | n/a | Blocked | " + last +
				" |\n|---|--:|--:|--:|--:|--:|---|\n" + strings.Join(rows, "") + "\n")
		}
		rows = nil
	}
	for _, x := range s.Combinations {
		row(cell(x.Revision, 40)+" on "+cell(x.Transport, 40), x.Counts,
			plain(m.Established(string(x.Outcome))))
	}
	table("Combination", "Outcome")
	for _, x := range s.Profiles {
		status := plain(m.Established(string(x.Status)))
		if n := len(lacking(&x)); n > 0 {
			status += fmt.Sprintf(", %s not exercised", plural.Count(n, "MUST"))
		}
		row(cell(x.Name, 40), x.Counts, status)
	}
	table("Profile", "Status")
}

func (m *markdown) findings() {
	for _, part := range append(m.Groups(), findingGroup{Title: "Excused by the baseline",
		List: m.Excused()}) {
		if len(part.List) > 0 && m.add(fmt.Sprintf("### %s (%d)\n\n", part.Title, len(part.List))) {
			each(m, part.List, "finding", m.finding)
		}
	}
}

// each adds a part for each of a list, as long as there is room, and says how many are missing: there is
// always room for that.
func each[T any](m *markdown, list []T, what string, part func(T) string) {
	for i, x := range list {
		if !m.add(part(x)) {
			m.b.WriteString(fmt.Sprintf("_and %s more, in the other reports_\n\n",
				plural.Count(len(list)-i, what)))
			return
		}
	}
}

// section is the section of a requirement as a link, or as what it is given if there is none.
func section(x *reports.Result, text string) string {
	if url := safeLink(x); url != "" {
		return "[" + plain(x.Section) + "](" + url + ")"
	}
	return text
}

// finding is folded: a line that tells what is wrong, and the evidence inside.
func (m *markdown) finding(f *finding) string {
	x := f.Result
	item := func(label, text string, n int) string {
		return maybe("- "+label+": %s\n", code(text, n))
	}
	text := fmt.Sprintf("<details><summary><b>%s</b> %s (%s)</summary>\n\n- %s, %s\n%s- in %s\n",
		plain(x.ID), plain(x.Title), plain(f.Count()), plain(x.Level), section(x, code(x.Section, 100)),
		maybe("- rule: %s\n", safe.MarkdownText(clean(m.o.demand(x), pageText))), code(f.Places(), 400))
	for _, other := range f.Also() {
		text += item("also", other, 400)
	}
	if x.Verdict == reports.Warn {
		text += item("a warning", x.Reason, 400)
	}
	text += item("excused", excuse(x), 400) + item("change", x.Hint, 400) + item("SDK", x.SDK, 400) +
		item("repeat", repeated(x), pageText)
	label, paste := pasted(m.Report, x)
	text += item(label, paste, pageText)
	seen := maybe("expected: %s\n", x.Expected) + maybe("actual:   %s\n", cmp.Or(f.Seen(), x.Reason))
	for _, l := range evidenceLines(m.Report, x, consoleFrame, consoleFrames) {
		seen += l + "\n"
	}
	if seen != "" {
		text += "\n" + safe.MarkdownBlock(safe.Shorten(seen, 6*consoleText))
	}
	return text + "\n</details>\n\n"
}

// baseline lists the entries of the baseline that need attention.
func (m *markdown) baseline() {
	for _, p := range partsOf(m.Summary.Baseline) {
		if !m.add(fmt.Sprintf("### %s (%d)\n\n%s.\n\n", capital(p.Title), len(p.Entries), capital(p.Means))) {
			continue
		}
		each(m, p.Entries, "line", func(e reports.BaselineEntry) string {
			text := fmt.Sprintf("- %s (line %d%s): %s", code(e.String(), 100), e.Line,
				maybe(", until %s", code(e.Until, 20)),
				cmp.Or(code(e.Reason, 400), "no reason given"))
			for _, x := range m.EntryVerdicts(&p, e) {
				text += fmt.Sprintf("; %s in %s", x[0], code(x[1], 400))
			}
			return text + "\n"
		})
		m.add("\n")
	}
}

// capital begins a sentence of ours.
func capital(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }

func (m *markdown) blocked() {
	list := m.BlockedBy()
	if len(list) > 0 &&
		m.add(fmt.Sprintf("### Blocked (%d)\n\nSomething broke, so that these could not be judged.\n\n",
			m.Summary.Blocked)) {
		each(m, list, "reason", m.reason)
		m.add("\n")
	}
}

// reason is why verdicts are blocked, with the evidence of the first of them folded.
func (m *markdown) reason(t *tallied) string {
	text := fmt.Sprintf("- %s: %s (%s)\n  - in %s\n", code(t.Code, 60), code(t.Text, 600),
		code(plural.List(t.IDs, 12), 400),
		code(m.Where(t.Results), 400))
	if repeat, remark := t.repeated(); repeat != "" {
		text += "  - " + strings.TrimSuffix(fmt.Sprintf("repeat: %s, %s", code(repeat, pageText),
			code(remark, pageTitle)), ", ") + "\n"
	}
	if lines := evidenceLines(m.Report, t.First, consoleFrame, consoleFrames); len(lines) > 0 {
		text += "\n<details><summary>" + plain(t.First.ID) + "</summary>\n\n" +
			safe.MarkdownBlock(strings.Join(lines, "\n")) + "\n</details>\n\n"
	}
	return text
}

func (m *markdown) rest() {
	if idle := m.Only((*reports.Result).Idle); len(idle) > 0 {
		m.add(fmt.Sprintf("%s had no occasion to be judged in some combination.\n\n",
			plural.Count(distinctIDs(idle), "requirement")))
	}
	tool := program(m.Tool)
	m.add(fmt.Sprintf("_%s, catalogue %s_\n", plain(tool), code(m.Tool.Catalogue, 80)))
}

func (m *markdown) observations() {
	list := m.Sightings()
	if len(list) == 0 ||
		!m.add(fmt.Sprintf("<details><summary>Observations (%d): no rule is broken, but you may want to "+
			"know</summary>\n\n", len(list))) {
		return
	}
	const forms = 6
	each(m, list, "observation", func(k *seen) string {
		text, lead := strings.TrimRight("- "+code(k.ID, 60)+" "+plain(k.Title), " "), ": "
		if len(k.Said) > 1 {
			text, lead = text+", "+plural.Count(k.Times, "time"), "\n  - "
		}
		for _, s := range k.Said[:min(forms, len(k.Said))] {
			text += lead + code(k.Detail(s), 400) + maybe(" in %s", code(m.Where(s.Where), 400))
		}
		if more := len(k.Said) - forms; more > 0 {
			text += fmt.Sprintf("\n  - and %d more", more)
		}
		return text + "\n"
	})
	m.b.WriteString("\n</details>\n\n")
}

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

// WriteMarkdown writes a summary for pull requests and the pages of CI jobs: the
// verdict, what was judged, and each finding folded. What a target sent stands in
// code only, where it can neither format, link nor call anybody. The report must
// have been summarized.
func Markdown(w io.Writer, r *reports.Report, o Options) error {
	m := &markdown{view: view{r: r}, o: o, left: markdownLimit}
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

// plain escapes a title of the catalogue: it is ours, but a report may come from
// elsewhere.
func plain(s string) string { return safe.MarkdownText(clean(s, pageTitle)) }

func (m *markdown) head() {
	s := &m.r.Summary
	said := m.standing()
	_, as := said.headline()
	sign := map[reports.Verdict]string{reports.Fail: "❌", reports.Pass: "✅", reports.Blocked: "⚠️", reports.NotApplicable: "➖"}[as]
	scope := safe.MarkdownText(m.scope(everything))
	m.add(fmt.Sprintf("## %s %s: %s\n\n", sign, safe.MarkdownText(said.String()), cmp.Or(safe.MarkdownCode(m.r.Target.Name, 100), "a target without a name")))
	text := fmt.Sprintf("**%d** passed, **%d** failed%s, **%s**%s, %d blocked, %d not applicable; %s; %.1f s.",
		s.Pass, s.Fail, among(s.Security.Fail), plural.Count(s.Warn, "warning"), among(s.Security.Warn), s.Blocked, s.NotApplicable, scope, s.DurationMS/1000)
	for _, remark := range m.baselineRemarks() {
		text += " " + capital(remark) + "."
	}
	if m.o.Strict && s.Warn > 0 {
		text += " Warnings count as failures."
	}
	if lost := m.r.Lost(); lost != "" {
		text += " Not established: " + safe.MarkdownCode(lost, 400) + ": " + safe.MarkdownCode(m.r.Unreached(), 800) + "."
	}
	if s.Interrupted != "" {
		text += " Ended early: " + plain(m.r.EndedEarly()) + "."
	}
	if m.r.Target.Embedded {
		text += " No target was given: this is the built-in reference server."
	}
	if m.r.DeclaresNoResources() {
		text += " The target " + noResources + "."
	}
	if by := m.r.Summary.ByRevision(); by != "" {
		text = plain(by) + "\n\n" + text
	}
	m.add(text + "\n\n")
}

func (m *markdown) combinations() {
	s := &m.r.Summary
	var rows []string
	row := func(name string, n reports.Counts, remark string) {
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %s |\n", name, n.Pass, n.Fail, n.Warn, n.NotApplicable, n.Blocked, remark))
	}
	table := func(first, last string) {
		if len(rows) > 0 {
			m.add("| " + first + " | Pass | Fail | Warn | n/a | Blocked | " + last + " |\n|---|--:|--:|--:|--:|--:|---|\n" + strings.Join(rows, "") + "\n")
		}
		rows = nil
	}
	for _, x := range s.Combinations {
		row(safe.MarkdownCell(x.Revision, 40)+" on "+safe.MarkdownCell(x.Transport, 40), x.Counts, plain(m.established(string(x.Outcome), x.Counts)))
	}
	table("Combination", "Outcome")
	for _, x := range s.Profiles {
		status := plain(m.established(string(x.Status), x.Counts))
		if n := len(lacking(&x)); n > 0 {
			status += fmt.Sprintf(", %s not exercised", plural.Count(n, "MUST"))
		}
		row(safe.MarkdownCell(x.Name, 40), x.Counts, status)
	}
	table("Profile", "Status")
}

func (m *markdown) findings() {
	for _, part := range append(m.groups(), findingGroup{"Excused by the baseline", m.excused()}) {
		list := part.list
		if len(list) == 0 || !m.add(fmt.Sprintf("### %s (%d)\n\n", part.title, len(list))) {
			continue
		}
		for i, f := range list {
			if !m.add(m.finding(f)) {
				m.missing(len(list)-i, "finding")
				break
			}
		}
	}
}

// missing counts what has no room; there is always room for this.
func (m *markdown) missing(n int, what string) {
	m.b.WriteString(fmt.Sprintf("_and %s more, in the other reports_\n\n", plural.Count(n, what)))
}

// finding is folded: a line that tells what is wrong, and the evidence inside.
func (m *markdown) finding(f *finding) string {
	x := f.results[0]
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary><b>%s</b> %s (%s)</summary>\n\n", plain(x.ID), plain(x.Title), plain(m.count(f)))
	section := safe.MarkdownCode(x.Section, 100)
	if url := safeLink(x); url != "" {
		section = "[" + plain(x.Section) + "](" + url + ")"
	}
	fmt.Fprintf(&b, "- %s, %s\n- in %s\n", plain(x.Level), section, safe.MarkdownCode(m.places(f), 400))
	for _, text := range m.also(f) {
		fmt.Fprintf(&b, "- also: %s\n", safe.MarkdownCode(text, 400))
	}
	if x.Verdict == reports.Warn && x.Reason != "" {
		fmt.Fprintf(&b, "- a warning: %s\n", safe.MarkdownCode(x.Reason, 400))
	}
	if why := excuse(x); why != "" {
		fmt.Fprintf(&b, "- excused: %s\n", safe.MarkdownCode(why, 400))
	}
	if x.Hint != "" {
		fmt.Fprintf(&b, "- change: %s\n", safe.MarkdownCode(x.Hint, 400))
	}
	if repeat := repeated(x); repeat != "" {
		fmt.Fprintf(&b, "- repeat: %s\n", safe.MarkdownCode(repeat, pageText))
	}
	if label, paste := pasted(m.r, x); paste != "" {
		fmt.Fprintf(&b, "- %s: %s\n", label, safe.MarkdownCode(paste, pageText))
	}
	text := ""
	if x.Expected != "" {
		text += "expected: " + x.Expected + "\n"
	}
	if said := cmp.Or(f.actual(), x.Reason); said != "" {
		text += "actual:   " + said + "\n"
	}
	for _, l := range evidenceLines(m.r, x, consoleFrame, consoleFrames) {
		text += l + "\n"
	}
	if text != "" {
		b.WriteString("\n" + safe.MarkdownBlock(safe.Shorten(text, 6*consoleText)))
	}
	b.WriteString("\n</details>\n\n")
	return b.String()
}

// baseline lists the entries of the baseline that need attention.
func (m *markdown) baseline() {
	b := m.r.Summary.Baseline
	for _, p := range partsOf(b) {
		if !m.add(fmt.Sprintf("### %s (%d)\n\n%s.\n\n", capital(p.title), len(p.entries), capital(p.means))) {
			continue
		}
		for i := range p.entries {
			e := &p.entries[i]
			line := fmt.Sprintf("- %s (line %d", safe.MarkdownCode(e.String(), 100), e.Line)
			if e.Until != "" {
				line += ", until " + safe.MarkdownCode(e.Until, 20)
			}
			line += "): " + cmp.Or(safe.MarkdownCode(e.Reason, 400), "no reason given")
			for _, x := range m.entryVerdicts(&p, e) {
				line += fmt.Sprintf("; %s in %s", x[0], safe.MarkdownCode(x[1], 400))
			}
			if !m.add(line + "\n") {
				m.missing(len(p.entries)-i, "line")
				break
			}
		}
		m.add("\n")
	}
}

// capital begins a sentence of ours.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (m *markdown) blocked() {
	list := m.blockedBy()
	if len(list) == 0 || !m.add(fmt.Sprintf("### Blocked (%d)\n\nSomething broke, so that these could not be judged.\n\n", m.r.Summary.Blocked)) {
		return
	}
	for i, t := range list {
		if !m.add(m.reason(t)) {
			m.missing(len(list)-i, "reason")
			break
		}
	}
	m.add("\n")
}

// reason is why verdicts are blocked, with the evidence of the first of them folded.
func (m *markdown) reason(t *tallied) string {
	text := fmt.Sprintf("- %s: %s (%s)\n  - in %s\n", safe.MarkdownCode(t.code, 60), safe.MarkdownCode(t.text, 600), safe.MarkdownCode(plural.List(t.ids, 12), 400),
		safe.MarkdownCode(m.where(t.results), 400))
	if repeat, remark := t.repeated(); repeat != "" {
		text += "  - " + strings.TrimSuffix(fmt.Sprintf("repeat: %s, %s", safe.MarkdownCode(repeat, pageText), safe.MarkdownCode(remark, pageTitle)), ", ") + "\n"
	}
	if lines := evidenceLines(m.r, t.first, consoleFrame, consoleFrames); len(lines) > 0 {
		text += "\n<details><summary>" + plain(t.first.ID) + "</summary>\n\n" + safe.MarkdownBlock(strings.Join(lines, "\n")) + "\n</details>\n\n"
	}
	return text
}

func (m *markdown) rest() {
	if idle := m.r.Only((*reports.Result).Idle); len(idle) > 0 {
		m.add(fmt.Sprintf("%s had no occasion to be judged in some combination.\n\n", plural.Count(distinctIDs(idle), "requirement")))
	}
	tool := strings.TrimSpace(m.r.Tool.Name + " " + m.r.Tool.Version)
	m.add(fmt.Sprintf("_%s, catalogue %s_\n", plain(tool), safe.MarkdownCode(m.r.Tool.Catalogue, 80)))
}

func (m *markdown) observations() {
	list := observed(m.r)
	if len(list) == 0 || !m.add(fmt.Sprintf("<details><summary>Observations (%d): no rule is broken, but you may want to know</summary>\n\n", len(list))) {
		return
	}
	const forms = 6
	for i, k := range list {
		text, lead := strings.TrimRight("- "+safe.MarkdownCode(k.id, 60)+" "+plain(k.title), " "), ": "
		if len(k.said) > 1 {
			text, lead = text+", "+plural.Count(k.times, "time"), "\n  - "
		}
		for _, s := range k.said[:min(forms, len(k.said))] {
			text += lead + safe.MarkdownCode(k.detail(s), 400)
			if len(s.where) > 0 {
				text += " in " + safe.MarkdownCode(m.where(s.where), 400)
			}
		}
		if more := len(k.said) - forms; more > 0 {
			text += fmt.Sprintf("\n  - and %d more", more)
		}
		if !m.add(text + "\n") {
			m.missing(len(list)-i, "observation")
			break
		}
	}
	m.b.WriteString("\n</details>\n\n")
}

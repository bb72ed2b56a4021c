package write

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reports"
)

// Badge writes an SVG image of one line for a README: a label, and the outcome
// of the report with how many revisions are conformant by themselves. Its title names each of these. An empty
// label means "mcpcheck". The report must have been summarized.
func Badge(w io.Writer, r *reports.Report, label string) error {
	if label == "" {
		label = "mcpcheck"
	}
	text, color := badge(r)
	return drawBadge(w, clean(label, 60), text, color, text+maybe("; %s", r.Summary.ByRevision()))
}

// drawBadge writes an image of a label and a text, with a title for whoever points at it.
func drawBadge(w io.Writer, label, text, color, title string) error {
	left, right := textWidth(label)+10, textWidth(text)+10
	e := html.EscapeString
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img"`+
		` aria-label="%[2]s: %[11]s">
<title>%[2]s: %[11]s</title>
<clipPath id="r"><rect width="%[1]d" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="%[4]d" height="20" fill="#3b4148"/>`+
		`<rect x="%[4]d" width="%[5]d" height="20" fill="%[6]s"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" `+
		`text-anchor="middle"><text x="%[7]d" y="14" textLength="%[8]d">%[2]s</text>`+
		`<text x="%[9]d" y="14" textLength="%[10]d">%[3]s</text></g>
</svg>
`, left+right, e(label), e(text), left, right, color, left/2, left-10, left+right/2, right-10, e(title))
	return unwritten("badge", err)
}

// badge is the outcome in a few words, with its colour.
func badge(r *reports.Report) (text, color string) {
	s := &r.Summary
	said := view{Report: r}.Standing()
	word, as := said.headline(), said.As()
	if s.Outcome == reports.NonConformant && s.Excused > 0 && s.Excused == s.Fail+s.Warn {
		word, as = "known issues", reports.Warn
	}
	return said.badge(word, as, s.Revisions)
}

// badge is a word for the outcome in capitals, with what it must not be told without and how many revisions
// are conformant, and the colour. That of a partial run is grey.
func (s standing) badge(word string, as reports.Verdict, revisions []reports.RevisionSummary) (text,
	color string) {
	good := 0
	for _, c := range revisions {
		if c.Outcome == reports.Conformant {
			good++
		}
	}
	text, color = strings.ToLower(word), looks[as].badge
	if s.Outcome != reports.NotEstablished && s.Outcome != reports.NoResources {
		text += fmt.Sprintf(" %d/%d", good, len(revisions))
	}
	switch {
	case as == reports.Fail:
		text += among(s.security.Total())
	case as == reports.Pass && s.Scope != reports.Full:
		color = looks[reports.NotApplicable].badge
	case as == reports.Pass && s.security.Warn > 0:
		color = looks[reports.Warn].badge
	}
	return s.complete(text), color
}

// textWidth is about how wide a text is in the badge's font, in pixels.
func textWidth(s string) int {
	return (utf8.RuneCountInString(s)*67 + 9) / 10
}

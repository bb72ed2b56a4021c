package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// seen are the observations of one kind: what was seen, and where.
type seen struct {
	id, title string
	// requirements are those it came up with; the title is theirs if they are one.
	requirements []string
	times        int
	said         []sighting
}

// sighting is what was seen once or more often in the same words.
type sighting struct {
	first *Observation
	where []*Result
}

// observed joins observations of a kind, and among them those that say the same, in the order of the report.
func observed(r *Report) []*seen {
	var order []*seen
	for _, kind := range group.By(r.Observations, func(x Observation) string { return x.ID }) {
		k := &seen{id: kind[0].ID, title: kind[0].Title, times: len(kind)}
		for _, same := range group.By(kind, func(x Observation) [2]string { return [2]string{x.Requirement, x.Detail} }) {
			s := sighting{first: &same[0]}
			for _, x := range same {
				if x.Revision != "" {
					s.where = append(s.where, &Result{Revision: x.Revision, Transport: x.Transport})
				}
			}
			if id := s.first.Requirement; id != "" && !slices.Contains(k.requirements, id) {
				k.requirements = append(k.requirements, id)
			}
			if k.title != s.first.Title {
				k.title = ""
			}
			k.said = append(k.said, s)
		}
		order = append(order, k)
	}
	return order
}

// detail is what was seen, with the requirement if those of the kind are several.
func (k *seen) detail(s sighting) string {
	if len(k.requirements) > 1 && s.first.Requirement != "" {
		return s.first.Requirement + ": " + s.first.Detail
	}
	return s.first.Detail
}

// head names the kind.
func (k *seen) head() string {
	head := strings.TrimRight(k.id+"  "+k.title, " ")
	if len(k.requirements) > 0 {
		head += " (" + plural.List(k.requirements, 6) + ")"
	}
	if len(k.said) > 1 {
		head += ", " + plural.Count(k.times, "time")
	}
	return head
}

func (c *console) observations() {
	order := observed(c.r)
	if len(order) == 0 {
		return
	}
	c.Title(fmt.Sprintf("OBSERVATIONS  %s, seen %s: no rule is broken, but you may want to know",
		plural.Count(len(order), "finding"), plural.Count(len(c.r.Observations), "time")))
	limit, forms := 40, 2
	if c.o.Verbose {
		limit, forms = len(order), everything
	}
	for _, k := range order[:min(limit, len(order))] {
		for _, l := range terminal.Wrap(clean(k.head(), consoleText), c.Width-2) {
			c.Line("  ", l)
		}
		for _, s := range k.said[:min(forms, len(k.said))] {
			c.labelled(4, "", safe.Shorten(k.detail(s), consoleFrame))
			c.labelled(4, "in", c.where(s.where))
		}
		if more := len(k.said) - forms; more > 0 {
			c.labelled(4, "", fmt.Sprintf("and %d more (--verbose)", more))
		}
	}
	if more := len(order) - limit; more > 0 {
		c.Line(fmt.Sprintf("  and %d more", more))
	}
}

// observed writes a line for each observation.
func (c *console) observed() {
	for _, k := range observed(c.r) {
		for _, s := range k.said {
			text := fmt.Sprintf("%-7s %s  %s", "seen", cmp.Or(s.first.Requirement, k.id), cmp.Or(s.first.Detail, s.first.Title))
			c.Line(safe.Shorten(safe.Line(text), 4*c.Width))
		}
	}
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

package write

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// shortest is how many findings the short list has.
const shortest = 10

// quoted is the beginning of a result in brackets, which takes the room of what it is about.
var quoted = regexp.MustCompile(` \(\{.*?[}…]\)`)

// shortList says in a line each what was found, failures before warnings and the gravest
// first: it is what is in sight when the run is over. What is only about codes of errors
// shares a line.
func (c *console) shortList() {
	list := c.findings(unexcused)
	if len(list) == 0 {
		return
	}
	type kind struct {
		verdict reports.Verdict
		codes   bool
	}
	c.Title("IN SHORT")
	// "fail" < "warn"
	slices.SortStableFunc(list, func(a, b *finding) int { return cmp.Compare(a.Verdict, b.Verdict) })
	room := shortest
	for _, same := range group.By(list, func(f *finding) kind {
		return kind{f.Verdict, f.Weight() == reports.GravityCodes}
	}) {
		if same[0].Weight() == reports.GravityCodes {
			c.shortCodes(same)
			continue
		}
		for _, f := range same[:min(room, len(same))] {
			c.shortFinding(f)
		}
		if more := len(same) - room; more > 0 {
			c.Line(c.Paint(terminal.Dim, fmt.Sprintf("  %d more", more)))
		}
		room = max(room-len(same), 0)
	}
}

// shortFinding is the line of a finding that is about more than codes.
func (c *console) shortFinding(f *finding) {
	x := f.Result
	words, where := x.Title, ""
	if len(c.Summary.Combinations) > 1 {
		where = f.Count()
	}
	if x.Harms() {
		// What was seen says more than the rule, if it is not the beginning of an answer.
		words = "security: " + cmp.Or(quoted.ReplaceAllString(x.Actual, ""), x.Title)
	}
	switch n := len(f.also); n {
	case 0:
	case 1:
		where = strings.TrimSuffix("also "+f.Named()+"; "+where, "; ")
	default:
		where = strings.TrimSuffix(fmt.Sprintf("also %d ids; %s", n, where), "; ")
	}
	c.shortLine(x.Verdict, x.ID, words, where)
}

// shortCodes is the line of all findings that are about codes.
func (c *console) shortCodes(list []*finding) {
	var ids []string
	for _, f := range list {
		ids = with(ids, f.ID)
	}
	c.shortLine(list[0].Verdict, "codes", strings.Join(ids, ", "), plural.Count(len(list), "finding"))
}

// shortLine writes a mark, an id, some words, and where it is seen at the end of the line,
// if there is room for it.
func (c *console) shortLine(v reports.Verdict, id, words, where string) {
	const lead = len("  ! ") + 9
	words, where = safe.Line(words), safe.Line(where)
	room := c.Width - lead - len(where) - 2
	if room < 20 {
		where, room = "", c.Width-lead
	}
	words = terminal.Shorten(words, room)
	if where != "" {
		words = terminal.Pad(words, room+2)
	}
	c.Line("  ", c.Paint(looks[v].color, v.Sign()), fmt.Sprintf(" %-8s ", clean(id, 20)), words,
		c.Paint(terminal.Dim, where))
}

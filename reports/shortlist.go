package reports

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// shortest is how many findings the short list has.
const shortest = 12

// quoted is the beginning of a result in brackets, which takes the room of what it is about.
var quoted = regexp.MustCompile(` \(\{.*?[}…]\)`)

// shortList says in a line each what was found, the gravest first: it is what is in sight
// when the run is over. What is only about codes of errors shares a line.
func (c *console) shortList() {
	list := group(c.r, func(x *Result) bool { return x.Verdict.Red() && !x.Excused })
	if len(list) == 0 {
		return
	}
	var codes []*finding
	list = slices.DeleteFunc(list, func(f *finding) bool {
		if f.results[0].weight() == GravityCodes {
			codes = append(codes, f)
			return true
		}
		return false
	})
	c.Title("IN SHORT")
	for i, f := range list {
		if i == shortest {
			c.Line(c.Paint(terminal.Dim, fmt.Sprintf("  %d more", len(list)-i)))
			break
		}
		x := f.results[0]
		words := x.Title
		if x.harms() {
			// What was seen says more than the rule, if it is not the beginning of an answer.
			words = "security: " + cmp.Or(quoted.ReplaceAllString(x.Actual, ""), x.Title)
		}
		c.shortLine(x.Verdict, x.ID, words, c.count(f))
	}
	if len(codes) > 0 {
		var ids []string
		for _, f := range codes {
			if id := f.results[0].ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		c.shortLine(codes[0].results[0].Verdict, "codes", strings.Join(ids, ", "), count(len(codes), "finding"))
	}
}

// shortLine writes a mark, an id, some words, and where it is seen at the end of the line,
// if there is room for it.
func (c *console) shortLine(v Verdict, id, words, where string) {
	const lead = len("  ! ") + 9
	words, where = Sanitize(words), Sanitize(where)
	room := c.Width - lead - len(where) - 2
	if room < 20 {
		where, room = "", c.Width-lead
	}
	words = terminal.Shorten(words, room)
	if where != "" {
		words = terminal.Pad(words, room+2)
	}
	c.Line("  ", c.Paint(verdictColor(v), marks[v]), fmt.Sprintf(" %-8s ", Sanitize(Shorten(id, 20))), words, c.Paint(terminal.Dim, where))
}

// count says in how many combinations a finding was made.
func (v view) count(f *finding) string {
	in := map[combination]bool{}
	for _, x := range f.results {
		in[x.combination()] = true
	}
	switch n, all := len(in), len(v.r.Summary.Combinations); {
	case n == 1:
		return f.results[0].Revision + " on " + f.results[0].Transport
	case n == all:
		return "everywhere"
	default:
		return fmt.Sprintf("%d of %d combinations", n, all)
	}
}

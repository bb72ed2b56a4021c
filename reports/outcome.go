package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// noResources is what is said of a target that declares no resources.
const noResources = "declares no resources: only the base protocol was judged"

// count is a number with the word for what it counts.
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// outcome is the last line.
func (c *console) outcome() {
	s := &c.r.Summary
	if !c.o.Quiet {
		c.Line()
	}
	_, as := c.headline()
	word := c.pronounced()
	warnings := count(s.Warn, "warning") + among(s.Security.Warn)
	if c.o.Strict && s.Warn > 0 {
		warnings += " (counted as failures)"
	}
	parts := []string{fmt.Sprintf("%d passed", s.Pass), fmt.Sprintf("%d failed", s.Fail) + among(s.Security.Fail), warnings,
		fmt.Sprintf("%d not applicable", s.NotApplicable), fmt.Sprintf("%d blocked", s.Blocked)}
	if remark(s.Outcome, s.Warn, s.Security.Warn) != "" {
		parts = slices.Delete(parts, 2, 3) // it has been said
	}
	parts = append(parts, baselineRemarks(s)...)
	scope := c.scope()
	text := fmt.Sprintf("%s; %s; %.1f s", strings.Join(parts, ", "), scope, s.DurationMS/1000)
	if lost := c.lost(); lost != "" && word == "NOT ESTABLISHED" {
		text = lost + "; " + text
	} else if lost != "" {
		text += "; not established: " + lost
	}
	if c.r.DeclaresNoResources() {
		text += "; the target " + noResources
	}
	if s.Interrupted != "" {
		text += "; ended early: " + c.early()
	}
	width := c.Width
	if c.o.Width == 0 {
		width = 1 << 20 // programs read the last line
	}
	for i, l := range terminal.Wrap(word+"  "+text, width) {
		if rest, ok := strings.CutPrefix(l, word); i == 0 && ok {
			l = c.Paint(terminal.Bold+";"+verdictColor(as), word) + rest
		}
		c.Line(l)
	}
}

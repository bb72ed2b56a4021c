package reports

import (
	"fmt"
	"strings"
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

// headline is the outcome in capitals, with its colour. A partial run never shows
// that a target is conformant: only that nothing was found in what was selected.
func (c *console) headline() (word, color string) {
	s := &c.r.Summary
	switch {
	case s.Outcome == NonConformant:
		return "NOT CONFORMANT", red
	case s.Outcome == NotEstablished && s.Judged() == 0 && s.Blocked == 0 && s.Interrupted == "" && len(c.r.unreachable()) == 0:
		return "NOTHING JUDGED", purple
	case s.Outcome != Conformant:
		return "NOT ESTABLISHED", purple
	case s.Scope == Full:
		return "CONFORMANT", green
	case s.Warn > 0:
		return "NO FAILURES", green
	}
	return "NOTHING FOUND", green
}

// outcome is the last line.
func (c *console) outcome() {
	s := &c.r.Summary
	if !c.o.Quiet {
		c.line()
	}
	word, color := c.headline()
	warnings := count(s.Warn, "warning")
	if c.o.Strict && s.Warn > 0 {
		warnings += " (counted as failures)"
	}
	parts := []string{fmt.Sprintf("%d passed", s.Pass), fmt.Sprintf("%d failed", s.Fail), warnings,
		fmt.Sprintf("%d not applicable", s.NotApplicable), fmt.Sprintf("%d blocked", s.Blocked)}
	if s.Excused > 0 {
		parts = append(parts, fmt.Sprintf("%d excused by the baseline", s.Excused))
	}
	scope := "full run"
	if s.Scope != Full {
		scope = "partial run: only what was selected"
	}
	text := fmt.Sprintf("%s; %s; %.1f s", strings.Join(parts, ", "), scope, s.DurationMS/1000)
	if c.r.DeclaresNoResources() {
		text += "; the target " + noResources
	}
	if s.Interrupted != "" {
		text += "; ended early: " + Sanitize(s.Interrupted)
	}
	for i, e := range c.r.unreachable() {
		text += map[bool]string{true: "; ", false: ", "}[i == 0]
		if i == 0 && word != "NOT ESTABLISHED" {
			text += "not established: "
		}
		text += Sanitize(Shorten(e.Address, 200)) + " could not be reached"
	}
	for i, l := range wrap(word+"  "+text, c.o.Width) {
		if rest, ok := strings.CutPrefix(l, word); i == 0 && ok {
			l = c.paint(bold+";"+color, word) + rest
		}
		c.line(l)
	}
}

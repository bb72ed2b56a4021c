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

// established is an outcome or status as tables show it. In a partial run nothing
// more than what was selected is known to be in order.
func (c *console) established(word string) string {
	if c.r.Summary.Scope != Full && (word == string(Conformant) || word == string(ProfilePassed)) {
		return "nothing found"
	}
	return word
}

// lost says which endpoints could not be reached; empty if all could.
func (c *console) lost() string {
	var addresses []string
	for _, e := range c.r.unreachable() {
		addresses = append(addresses, Sanitize(Shorten(e.Address, 200)))
	}
	if len(addresses) == 0 {
		return ""
	}
	return strings.Join(addresses, ", ") + " could not be reached"
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
	if lost := c.lost(); lost != "" && word == "NOT ESTABLISHED" {
		text = lost + "; " + text
	} else if lost != "" {
		text += "; not established: " + lost
	}
	if c.r.DeclaresNoResources() {
		text += "; the target " + noResources
	}
	if s.Interrupted != "" {
		text += "; ended early: " + Sanitize(s.Interrupted)
	}
	for i, l := range wrap(word+"  "+text, c.o.Width) {
		if rest, ok := strings.CutPrefix(l, word); i == 0 && ok {
			l = c.paint(bold+";"+color, word) + rest
		}
		c.line(l)
	}
}

//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// write writes the page; it returns how many cases are not as they should be.
func write(w io.Writer, all []*outcome, clean map[string][]string) (wrong int) {
	fmt.Fprintf(w, `# Hostile servers

What mcpcheck makes of %d servers that do what no server should do: each is a plain server of one resource but for one thing, is judged
as a whole (nothing is left out by `+"`--only`"+`) with a budget of %s, and is compared with the same server without the hostility. "make hostile" plays them and writes
this page; the servers stand in [cases.yaml](../proof/hostile/cases.yaml).

A red verdict is right if the server breaks that requirement: those are listed for each case, and any other one that the same server does not get
without the hostility is an error. So is a run of more than %.0f s, of more than %d MiB, or that leaves a process behind.

| server | what it does | result | exit | s | MiB | left | red beyond the plain server | what is said |
|---|---|---|---|---|---|---|---|---|
`, len(all), budget, (budget + ending).Seconds(), mostMemory>>20)
	var slowest, largest *outcome
	for _, o := range all {
		over := o.Over
		if over == "tls" {
			over = "http"
		}
		beyond := slices.DeleteFunc(slices.Clone(o.reds), func(id string) bool {
			return slices.Contains(clean[over], id)
		})
		said := o.cause
		if faults := o.faults(clean[over]); len(faults) > 0 {
			wrong++
			said = "**" + strings.Join(faults, "; ") + "** " + said
		}
		fmt.Fprintf(w, "| %s | %s | %s | %d | %.1f | %d | %d | %s | %s |\n", o.Name, cell(o.What), o.result,
			o.status, o.took.Seconds(), o.memory>>20, o.orphans, strings.Join(beyond, " "), cell(said))
		if slowest == nil || o.took > slowest.took {
			slowest = o
		}
		if largest == nil || o.memory > largest.memory {
			largest = o
		}
	}
	if len(all) > 0 {
		fmt.Fprintf(w, "\n%d of %d are as they should be. The longest run took %.1f s (%s), the largest "+
			"%d MiB (%s).\n", len(all)-wrong, len(all),
			slowest.took.Seconds(), slowest.Name, largest.memory>>20, largest.Name)
	}
	return wrong
}

// cell is a text that fits into a table.
func cell(s string) string {
	s = strings.NewReplacer("|", `\|`, "`", "'", "<", "&lt;", "\n", " ").Replace(safe.Line(s))
	return safe.Shorten(s, 160)
}

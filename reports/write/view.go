package write

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// looks are the verdicts in words, the colours that they have on a terminal and on a badge, dark enough
// for white text, and their marks in Markdown.
var looks = map[reports.Verdict]struct{ word, color, badge, mark string }{
	reports.Pass:          {"passed", terminal.Green, "#1a6b34", "✅"},
	reports.Fail:          {"failed", terminal.Red, "#a8161b", "❌"},
	reports.Warn:          {"warning", terminal.Yellow, "#8a5a00", ""},
	reports.Blocked:       {"blocked", terminal.Purple, "#5b3a78", "⚠️"},
	reports.NotApplicable: {"not applicable", terminal.Dim, "#59626d", "➖"},
}

// label is the verdict in words.
func label(x *reports.Result) string {
	word := looks[x.Verdict].word
	if x.Excused && x.Verdict.Red() {
		word += ", excused"
	}
	return word
}

// view is a report as people read it: what the writers for people say in the
// same words, whatever their format.
type view struct {
	*reports.Report
	Options
}

// Scoped says how much was judged, and names no more than the limit of what a quick run left out. A run that
// ended early, or could not begin, is called neither full nor partial.
func (v view) Scoped(limit int) string {
	s := &v.Summary
	switch {
	case s.Interrupted != "":
		return "not finished"
	case len(v.Results) == 0:
		return "nothing was judged"
	case s.Scope != reports.Full && v.Config.Quick != nil:
		return quickScope(v.Config.Quick, limit)
	case s.Scope != reports.Full:
		return "only what was selected" + v.Narrowed(limit)
	}
	return "full run"
}

// Whole is [view.Scoped] with all that was left out.
func (v view) Whole() string { return v.Scoped(everything) }

// quickScope is [view.Scoped] of a quick run. Where there is no room for all that was left out it tells the
// command that lists it.
func quickScope(q *reports.Quick, limit int) string {
	text := clean(q.Revision+" on "+q.Transport, 80) + " alone"
	if q.LeftOut == 0 {
		return text
	}
	text += ", without " + plural.Count(q.LeftOut, "requirement") + " whose probes may harm the target"
	switch n := len(q.LeftOutIDs); {
	case n == 0: // an earlier version wrote the report
		return text
	case n <= limit:
		return text + " (" + clean(strings.Join(q.LeftOutIDs, ", "), pageText) + ")"
	}
	return text + " (" + clean(plural.List(q.LeftOutIDs, limit), pageText) + ": mcpcheck list --destructive)"
}

// When says when the run began, and how long it took.
func (v view) When() string {
	took := fmt.Sprintf("%.1f s", v.Summary.DurationMS/1000)
	if at, err := time.Parse(time.RFC3339, v.Summary.Started); err == nil {
		return at.UTC().Format("2006-01-02 15:04 UTC") + ", " + took
	}
	return took
}

// leftOut says why nothing was judged at an endpoint that answered; empty if something was.
func leftOut(e *reports.Endpoint) string {
	return maybe("left out, it offers none of the revisions asked for: %s", e.Unoffered)
}

// Where lists the combinations of results: "2025-06-18 on stdio, http".
func (v view) Where(results []*reports.Result) string {
	var revisions []string
	transports := map[string][]string{}
	count := 0
	for _, x := range results {
		if transports[x.Revision] == nil {
			revisions = append(revisions, x.Revision)
		}
		if !slices.Contains(transports[x.Revision], x.Transport) {
			transports[x.Revision] = append(transports[x.Revision], x.Transport)
			count++
		}
	}
	if all := len(v.Summary.Combinations); count == all && all > 2 {
		return fmt.Sprintf("all %d combinations", all)
	}
	parts := make([]string, len(revisions))
	for i, rev := range revisions {
		parts[i] = strings.TrimSuffix(rev+" on "+strings.Join(transports[rev], ", "), " on ")
	}
	return strings.Join(parts, "; ")
}

// areaCounts is what was judged of one area. The title is empty if the area is not
// known.
type areaCounts struct {
	Name, Title string
	reports.Counts
}

// ByArea counts the verdicts of each area, the known areas first, in their order.
func (v view) ByArea() []*areaCounts {
	var list []*areaCounts
	for _, same := range group.By(v.Rows(), (*reports.Result).Area) {
		a := &areaCounts{Name: same[0].Area()}
		if i := v.place(a.Name); i < len(v.Areas) {
			a.Title = v.Areas[i].Title
		}
		for _, x := range same {
			a.Add(x.Verdict)
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *areaCounts) int { return v.byArea(a.Name, b.Name) })
	return list
}

// byArea orders the names of areas.
func (v view) byArea(a, b string) int {
	return cmp.Or(cmp.Compare(v.place(a), v.place(b)), cmp.Compare(a, b))
}

// place is where an area stands among the known ones; the unknown follow.
func (v view) place(name string) int {
	if i := slices.IndexFunc(v.Areas, func(a reports.Area) bool { return a.Name == name }); i >= 0 {
		return i
	}
	return len(v.Areas)
}

// serverName is what a server calls itself, with its version.
func serverName(s *reports.Server) string {
	return strings.TrimSpace(cmp.Or(s.Title, s.Name) + " " + s.Version)
}

// servers are the names of the servers behind the endpoints, safe to print.
func servers(t *reports.Target) string {
	var all []string
	for _, e := range t.Endpoints {
		if e.Server != nil && !slices.Contains(all, serverName(e.Server)) {
			all = append(all, serverName(e.Server))
		}
	}
	return title(strings.Join(all, ", "))
}

// program is a tool with its version.
func program(t reports.Tool) string { return strings.TrimSpace(t.Name + " " + t.Version) }

// builtFrom is a tool with its version, and the commit that it was built from.
func builtFrom(t reports.Tool) string {
	if n := min(len(t.Commit), 12); n > 0 {
		return program(t) + " (" + t.Commit[:n] + ")"
	}
	return program(t)
}

// details are the lines about an endpoint beside its address.
func details(e *reports.Endpoint) []string {
	var all []string
	if e.Started != "" {
		all = append(all, "started by "+e.Started)
	}
	if e.Server != nil {
		all = append(all, serverName(e.Server))
	}
	if len(e.Revisions) > 0 {
		all = append(all, strings.Join(e.Revisions, ", "))
	}
	for _, why := range e.Unanswered {
		all = append(all, "not judged in "+why)
	}
	for _, f := range e.Profile {
		all = append(all, f.Name+": "+f.Seen+"; so "+f.Follows)
	}
	return all
}

package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
)

// view is a report as people are told of it: what the writers for people say in the
// same words, whatever their format.
type view struct {
	r *Report
	// known lists areas in the order in which they are shown, with titles.
	known []Area
}

// scope says how much was judged, and names no more than the limit of what a quick run left out. A run that ended
// early, or could not begin, is called neither full nor partial.
func (v view) scope(limit int) string {
	s := &v.r.Summary
	switch {
	case s.Interrupted != "":
		return "not finished"
	case len(v.r.Results) == 0:
		return "nothing was judged"
	case s.Scope != Full && v.r.Config.Quick != nil:
		return v.r.Config.Quick.scope(limit)
	case s.Scope != Full:
		return "only what was selected" + v.r.Narrowed(limit)
	}
	return "full run"
}

// Narrowed says by what a run was narrowed down; empty in reports that do not tell it.
func (r *Report) Narrowed(limit int) string {
	c, parts := &r.Config, []string{}
	add := func(words string, ids []string) {
		if len(ids) > 0 {
			parts = append(parts, words+clean(plural.List(ids, limit), pageText))
		}
	}
	add("", c.Only)
	add("without ", c.Skip)
	if c.LabelFilter != "" {
		add("labels ", []string{c.LabelFilter})
	}
	add("revisions ", c.Revisions)
	add("on ", c.Transports)
	if c.NoSecurityProbes {
		parts = append(parts, "no security probes")
	}
	var out []string
	for _, x := range r.only(func(x *Result) bool { return x.ReasonCode == CodeOptedOut }) {
		out = append(out, x.ID)
	}
	add("opted out of ", slices.Compact(out))
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// scope is [view.scope] of a quick run. Where there is no room for all that was left out it tells the command that lists it.
func (q *Quick) scope(limit int) string {
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

// everything is a limit for what is named that is none.
const everything = math.MaxInt

// EndedEarly says why the run ended early; empty if it did not.
func (r *Report) EndedEarly() string {
	switch why := r.Summary.Interrupted; why {
	case "budget":
		more, seen := "; --budget allows more", ""
		for i := range r.Target.Endpoints {
			e := &r.Target.Endpoints[i]
			if e.OneAtATime != "" {
				seen += "; " + clean(e.OneAtATime, pageText)
			}
			if e.Hung != "" {
				more, seen = "", seen+"; "+clean(e.Hung, pageText)
			}
		}
		return fmt.Sprintf("the time for the whole run, %s, was spent", time.Duration(r.Config.BudgetMS)*time.Millisecond) + more + seen
	case "volume":
		if r.Lost() != "" { // before there was anything to select
			return "the target sent more than a run keeps; --run-bytes allows more"
		}
		return "what was sent and received is more than a run keeps; --only and --revision make it less"
	case "interrupted":
		return "it was interrupted"
	default:
		return clean(why, pageText)
	}
}

// when says when the run began, and how long it took.
func (v view) when() string {
	took := fmt.Sprintf("%.1f s", v.r.Summary.DurationMS/1000)
	if at, err := time.Parse(time.RFC3339, v.r.Summary.Started); err == nil {
		return at.UTC().Format("2006-01-02 15:04 UTC") + ", " + took
	}
	return took
}

// leftOut says why nothing was judged at an endpoint that answered.
func (e *Endpoint) leftOut() string {
	return "left out, it offers none of the revisions asked for: " + e.Unoffered
}

// Lost says which endpoints could not be reached, or gave no answer with which a session could be opened; empty if all could.
func (r *Report) Lost() string {
	var addresses []string
	reached := true // all of them
	for _, e := range r.unreachable() {
		addresses = append(addresses, e.Place())
		reached = reached && e.Reached
	}
	if len(addresses) == 0 {
		return ""
	}
	if r.Summary.Interrupted == "budget" && len(r.Results) == 0 {
		return strings.Join(addresses, ", ") + " gave no answer that could be used before the time was spent"
	}
	if reached {
		return strings.Join(addresses, ", ") + " gave no answer that can be used"
	}
	return strings.Join(addresses, ", ") + " could not be reached"
}

// Place is where an endpoint is, as a sentence names it.
func (e *Endpoint) Place() string {
	if e.Started != "" { // its port may never have been known
		return "the server to be started for " + e.Transport
	}
	return clean(e.Address, 200)
}

// Unreached says why endpoints could not be reached; empty if all could.
func (r *Report) Unreached() string {
	var reasons []string
	for _, e := range r.unreachable() {
		reasons = append(reasons, clean(e.Unreachable, pageText))
	}
	return strings.Join(reasons, "; ")
}

// where lists the combinations of results: "2025-06-18 on stdio, http".
func (v view) where(results []*Result) string {
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
	if all := len(v.r.Summary.Combinations); count == all && all > 2 {
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
	name, title string
	Counts
}

// byArea counts the verdicts of each area, the known areas first, in their order.
func (v view) byArea() []*areaCounts {
	var list []*areaCounts
	found := map[string]*areaCounts{}
	for _, a := range v.known {
		found[a.Name] = &areaCounts{name: a.Name, title: a.Title}
	}
	for _, x := range v.r.rows() {
		name := x.Area()
		if found[name] == nil {
			found[name] = &areaCounts{name: name}
		}
		a := found[name]
		if a.Total() == 0 {
			list = append(list, a)
		}
		a.Add(x.Verdict)
	}
	slices.SortFunc(list, func(a, b *areaCounts) int {
		return cmp.Or(cmp.Compare(v.place(a.name), v.place(b.name)), cmp.Compare(a.name, b.name))
	})
	return list
}

// place is where an area stands among the known ones; the unknown follow.
func (v view) place(name string) int {
	if i := slices.IndexFunc(v.known, func(a Area) bool { return a.Name == name }); i >= 0 {
		return i
	}
	return len(v.known)
}

// named is what a server calls itself, with its version.
func (s *Server) named() string { return strings.TrimSpace(cmp.Or(s.Title, s.Name) + " " + s.Version) }

// servers are the names of the servers behind the endpoints, safe to print.
func (t *Target) servers() string {
	var all []string
	for _, e := range t.Endpoints {
		if e.Server != nil && !slices.Contains(all, e.Server.named()) {
			all = append(all, e.Server.named())
		}
	}
	return clean(strings.Join(all, ", "), pageTitle)
}

// named is the program with its version, and the commit that it was built from.
func (t Tool) named() string {
	text := strings.TrimSpace(t.Name + " " + t.Version)
	if n := min(len(t.Commit), 12); n > 0 {
		text += " (" + t.Commit[:n] + ")"
	}
	return text
}

// details are the lines that are told of an endpoint beside its address.
func (e *Endpoint) details() []string {
	var all []string
	if e.Started != "" {
		all = append(all, "started by "+e.Started)
	}
	if e.Server != nil {
		all = append(all, e.Server.named())
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

// blockedBy lists why verdicts are blocked.
func (v view) blockedBy() []*tallied {
	return tally(v.r.only(func(x *Result) bool { return x.Verdict == Blocked }), (*Result).why)
}

// idleFor lists why requirements were not exercised, or what to do about it.
func (v view) idleFor() []*tallied {
	return tally(v.r.only((*Result).idle), func(x *Result) string { return cmp.Or(x.Hint, x.Reason) })
}

// places lists the combinations of a finding, those apart in which it is less grave.
func (v view) places(f *finding) string {
	n := 0
	for n < len(f.results) && f.results[n].Verdict == f.results[0].Verdict {
		n++
	}
	if n == len(f.results) {
		return v.where(f.results)
	}
	return v.where(f.results[:n]) + "; as a " + verdictWords[f.results[n].Verdict] + " in " + v.where(f.results[n:])
}

// excused joins the red results that the baseline excuses by their causes.
func (v view) excused() []*finding {
	return findings(v.r, func(x *Result) bool { return x.Verdict.Red() && x.Excused })
}

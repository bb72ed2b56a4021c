package baseline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
)

// From makes the entries for all red verdicts of a report, or for the failures alone: as few and as wide as
// can be, but none that matches a verdict of the report that is not red. They have
// the reason given, if there is one, and are sorted.
func From(r *reports.Report, failures bool, reason string) *File {
	f := &File{}
	byID := map[string][]*reports.Result{}
	for i := range r.Results {
		x := &r.Results[i]
		byID[x.ID] = append(byID[x.ID], x)
	}
	for id, results := range byID {
		for _, p := range patterns(id, results, failures) {
			f.Entries = append(f.Entries, Entry{Pattern: p, Reason: reason})
		}
	}
	f.sort()
	return f
}

// patterns covers the red ones among the results of a requirement, or the failures alone.
func patterns(id string, results []*reports.Result, failures bool) []Pattern {
	var chosen []Pattern
	open := map[*reports.Result]bool{} // red and not covered yet
	var revisions, transports, both []Pattern
	for _, x := range results {
		if x.Verdict == reports.Fail || x.Verdict == reports.Warn && !failures {
			open[x] = true
		}
		revisions = append(revisions, Pattern{ID: id, Revision: x.Revision})
		transports = append(transports, Pattern{ID: id, Transport: x.Transport})
		both = append(both, Pattern{ID: id, Revision: x.Revision, Transport: x.Transport})
	}
	candidates := slices.Concat([]Pattern{{ID: id}}, revisions, transports, both)
	for len(open) > 0 {
		best, most := Pattern{}, 0
		for _, p := range candidates {
			if n := gain(p, results, open); n > most {
				best, most = p, n
			}
		}
		if most == 0 {
			break // cannot be: each result has a pattern of its own
		}
		chosen = append(chosen, best)
		for x := range open {
			if best.Matches(x) {
				delete(open, x)
			}
		}
	}
	return chosen
}

// gain is how many open results a pattern covers; 0 if it must not be used, because
// it matches what is not red, or if a narrower one does as well for the only result
// that is left.
func gain(p Pattern, results []*reports.Result, open map[*reports.Result]bool) int {
	covered, matched := 0, 0
	for _, x := range results {
		if !p.Matches(x) {
			continue
		}
		if !x.Verdict.Red() {
			return 0
		}
		matched++
		if open[x] {
			covered++
		}
	}
	if covered == 1 && matched > 1 {
		return 0
	}
	return covered
}

// Keep takes over what an earlier baseline says: the reason and date of the entry
// that covers a new one or, failing that, that overlaps it; and entries about what was not judged
// in the report that f was made from, or not in all combinations that they are about. These replace
// new ones that say less.
func (f *File) Keep(old *File, r *reports.Report) {
	for i := range f.Entries {
		e := &f.Entries[i]
		if from := old.about(e.Pattern); from != nil {
			e.Reason, e.Until = cmp.Or(from.Reason, e.Reason), from.Until
		}
	}
	narrow := narrowed(r)
	for _, e := range old.Entries {
		judged := !(narrow && (e.Revision == "" || e.Transport == "")) &&
			slices.ContainsFunc(r.Results, func(x reports.Result) bool { return x.Verdict.Judged() && e.Matches(&x) })
		covered := slices.ContainsFunc(f.Entries, func(n Entry) bool { return n.Covers(e.Pattern) })
		if !judged && !covered {
			f.Entries = append(slices.DeleteFunc(f.Entries, func(n Entry) bool { return e.Covers(n.Pattern) }), e)
		}
	}
	f.sort()
}

// about is the entry that says most of a pattern, or nil.
func (f *File) about(p Pattern) *Entry {
	var best *Entry
	for _, fits := range []func(*Entry) bool{
		func(e *Entry) bool { return e.Pattern == p },
		func(e *Entry) bool { return e.Covers(p) },
		func(e *Entry) bool { return meets(e.Pattern, p) },
	} {
		for i := range f.Entries {
			if e := &f.Entries[i]; fits(e) && (best == nil || best.Reason == "") {
				best = e
			}
		}
	}
	return best
}

func (f *File) sort() {
	slices.SortFunc(f.Entries, func(a, b Entry) int {
		return cmp.Or(reports.CompareIDs(a.ID, b.ID), cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Transport, b.Transport))
	})
}

// Write writes a baseline, with the placeholder where a reason is missing. The
// header is put in front as comments, line by line.
func (f *File) Write(w io.Writer, header string) error {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(header, "\n"), "\n") {
		b.WriteString(strings.TrimRight("# "+safe.Line(line), " ") + "\n")
	}
	b.WriteString("\n")
	lines, width := make([]string, len(f.Entries)), 0
	for i, e := range f.Entries {
		lines[i] = e.Pattern.String()
		if !e.Until.IsZero() {
			lines[i] += " until=" + e.Until.Format(time.DateOnly)
		}
		width = max(width, len(lines[i]))
	}
	for i, e := range f.Entries {
		fmt.Fprintf(&b, "%-*s  # %s\n", width, lines[i], cmp.Or(oneLine(e.Reason), "reason: "+Placeholder))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// longestReason bounds a reason that is written, in characters, so that its line can
// be read back.
const longestReason = 1500

// oneLine is a reason that fits behind a #.
func oneLine(s string) string {
	return strings.TrimSpace(safe.Shorten(safe.Line(strings.TrimSpace(s)), longestReason))
}

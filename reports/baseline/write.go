package baseline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
)

// Choice says which red verdicts of a report become entries.
type Choice struct {
	Failures bool // no warnings
	// SDK leaves only those to which the SDK of the target leads as it comes, which is their reason.
	SDK bool
	// Reason is that of the others; empty if it is not known.
	Reason string
}

// reason is why a verdict is known, and whether it becomes an entry.
func (c Choice) reason(x *reports.Result) (reason string, ok bool) {
	if c.SDK {
		reason = strings.Join(strings.Fields(x.SDK), " ")
		ok = reason != ""
	}
	return cmp.Or(reason, c.Reason), (ok || !c.SDK) &&
		(x.Verdict == reports.Fail || x.Verdict == reports.Warn && !c.Failures)
}

// From makes the entries for red verdicts of a report: as few and as wide as
// can be, but none that matches a verdict of the report that is not red, or is for another reason. They are
// sorted.
func From(r *reports.Report, choice Choice) *File {
	f := &File{}
	for _, results := range group.By(r.Rows(), func(x *reports.Result) string { return x.ID }) {
		known := slices.DeleteFunc(slices.Clone(results), func(x *reports.Result) bool {
			_, ok := choice.reason(x)
			return !ok
		})
		why := func(x *reports.Result) string {
			reason, _ := choice.reason(x)
			return reason
		}
		for _, these := range group.By(known, why) {
			reason := why(these[0])
			alike := func(x *reports.Result) bool { return x.Verdict.Red() && why(x) == reason }
			for _, p := range patterns(results, slices.Clone(these), alike) {
				f.Entries = append(f.Entries, Entry{Pattern: p, Reason: reason,
					Finding: finding(p, these, r)})
			}
		}
	}
	f.sort()
	return f
}

// finding is the id of the requirement under whose finding stand all the results that a pattern matches;
// empty if there is no such, or it is their own.
func finding(p Pattern, these []*reports.Result, r *reports.Report) string {
	head, rows := "", r.Rows()
	for _, x := range these {
		if !p.Matches(x) {
			continue
		}
		over := x.Under
		for _, y := range rows {
			if over == "" && x.SharedCause && y.SharedCause && y.Cause == x.Cause && y.Verdict.Red() &&
				y.Combination() == x.Combination() {
				over = y.ID // results stand in the order of their ids
			}
		}
		if over == "" || head != "" && over != head {
			return ""
		}
		head = over
	}
	return head
}

// patterns covers those among the results of a requirement that are open, by what is alike.
func patterns(results, open []*reports.Result, alike func(*reports.Result) bool) []Pattern {
	id := results[0].ID
	var chosen []Pattern
	var revisions, transports, both []Pattern
	for _, x := range results {
		revisions = append(revisions, Pattern{ID: id, Revision: x.Revision})
		transports = append(transports, Pattern{ID: id, Transport: x.Transport})
		both = append(both, Pattern{ID: id, Revision: x.Revision, Transport: x.Transport})
	}
	candidates := slices.Concat([]Pattern{{ID: id}}, revisions, transports, both)
	for len(open) > 0 {
		best, most := Pattern{}, 0
		for _, p := range candidates {
			if n := gain(p, results, open, alike); n > most {
				best, most = p, n
			}
		}
		if most == 0 {
			break // cannot be: each result has a pattern of its own
		}
		chosen = append(chosen, best)
		open = slices.DeleteFunc(open, best.Matches)
	}
	return chosen
}

// gain is how many open results a pattern covers; 0 if it must not be used, because
// it matches what is not alike, or if a narrower one does as well for the only result
// that is left.
func gain(p Pattern, results, open []*reports.Result, alike func(*reports.Result) bool) int {
	covered, matched := 0, 0
	for _, x := range results {
		if !p.Matches(x) {
			continue
		}
		if !alike(x) {
			return 0
		}
		matched++
		if slices.Contains(open, x) {
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
			slices.ContainsFunc(r.Results, func(x reports.Result) bool {
				return x.Verdict.Judged() && e.Matches(&x)
			})
		covered := slices.ContainsFunc(f.Entries, func(n Entry) bool { return n.Covers(e.Pattern) })
		if !judged && !covered {
			f.Entries = append(slices.DeleteFunc(f.Entries, func(n Entry) bool {
				return e.Covers(n.Pattern)
			}), e)
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
		return cmp.Or(reports.CompareIDs(a.ID, b.ID), cmp.Compare(a.Revision, b.Revision),
			cmp.Compare(a.Transport, b.Transport))
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
	type line struct {
		Entry
		text string
	}
	var lines []*line
	byFinding, width := map[Entry]*line{}, 0
	for _, e := range f.Entries {
		id := e.ID
		e.ID, e.Line = cmp.Or(e.Finding, id), 0
		e.Finding = ""
		l := byFinding[e]
		if l == nil {
			l = &line{Entry: e}
			byFinding[e], lines = l, append(lines, l)
			l.ID = id
		} else {
			l.ID += "," + id
		}
	}
	for _, l := range lines {
		l.text = l.Pattern.String()
		if !l.Until.IsZero() {
			l.text += " until=" + l.Until.Format(time.DateOnly)
		}
		width = max(width, len(l.text))
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "%-*s  # %s\n", width, l.text, cmp.Or(oneLine(l.Reason), "reason: "+Placeholder))
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

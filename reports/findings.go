package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// cause is what verdicts of one requirement have in common that are one finding. The
// texts are those of reports that have no codes of causes.
type cause struct {
	id      string
	verdict Verdict
	code    string
	cause   string
	texts   [4]string
	excused bool
	excuse  string
}

// Finding is a result as a test's message: what was expected and seen, or what kept it from
// being judged, the command that repeats it, and the messages that it rests on.
func (r *Report) Finding(x *Result) string {
	lines := []string{Sanitize(fmt.Sprintf("%s %s (%s, %s on %s, %s)", x.ID, x.Title, x.Level, x.Revision, x.Transport, x.Section))}
	line := func(name, value string) {
		if value != "" {
			lines = append(lines, fmt.Sprintf("%-9s %s", name+":", SanitizeLines(value)))
		}
	}
	if x.Verdict == Blocked {
		line(string(Blocked), x.Reason)
	}
	line("expected", x.Expected)
	line("actual", x.Actual)
	line("change", x.Hint)
	line("repeat", x.repeated())
	line(r.pasted(x))
	const limit, frames = 1000, 20
	return terminal.HarmlessText(strings.Join(append(lines, r.evidenceLines(x, limit, frames)...), "\n"))
}

// FindingOnce is [Report.Finding] for the first result of a cause, which it keeps in told. Of the others it
// says what is red, how it is repeated, and where the first stands.
func (r *Report) FindingOnce(x *Result, told map[any]string) string {
	first := told[x.cause()]
	if first == "" || x.Verdict == Blocked {
		told[x.cause()] = "as in " + x.Revision + " on " + x.Transport
		return r.Finding(x)
	}
	again := *x
	again.Expected, again.Actual, again.Hint, again.Evidence = "", first, "", nil
	return r.Finding(&again)
}

// finding is one cause with the results of a requirement that share it, and the findings of
// other requirements that it breaks as well.
type finding struct {
	results []*Result
	also    []*finding
}

// cause is the finding that a result belongs to. What is a failure in one revision and a
// warning in another is one.
func (x *Result) cause() cause {
	verdict := x.Verdict
	if verdict == Warn {
		verdict = Fail
	}
	k := cause{id: x.ID, verdict: verdict, code: x.ReasonCode, cause: x.Cause, excused: x.Excused, excuse: x.ExcusedReason}
	if x.Cause == "" {
		k.texts = [4]string{x.Reason, x.Expected, x.Actual, x.Hint}
	}
	return k
}

// owner is the requirement whose cause it is; empty where others share it.
func (x *Result) owner() string {
	if x.SharedCause && x.Cause != "" {
		return ""
	}
	return x.ID
}

// actual is what was seen, and where, if it reads differently elsewhere.
func (f *finding) actual() string {
	x := f.results[0]
	if slices.ContainsFunc(f.results, func(y *Result) bool { return y.Actual != x.Actual }) {
		return x.Actual + " (in " + x.Revision + " on " + x.Transport + ")"
	}
	return x.Actual
}

// group joins results that share a cause, the gravest first, then in the order of the
// report. The first result of each is what is shown and repeated: of the gravest the one in
// the newest revision, which most clients speak.
func group(r *Report, keep func(*Result) bool) []*finding {
	var list []*finding
	for _, results := range grouped(r.only(keep), (*Result).cause) {
		slices.SortStableFunc(results, func(a, b *Result) int { return cmp.Or(byGravity(a, b), cmp.Compare(b.Revision, a.Revision)) })
		list = append(list, &finding{results: results})
	}
	slices.SortStableFunc(list, func(a, b *finding) int { return byGravity(a.results[0], b.results[0]) })
	return list
}

// findings is [group] with one finding for each cause, whatever it breaks, and without those that
// a deeper one covers.
func findings(r *Report, keep func(*Result) bool) []*finding {
	var list []*finding
	for _, same := range grouped(group(r, keep), func(f *finding) cause {
		k := f.results[0].cause()
		k.id = f.results[0].owner()
		return k
	}) {
		same[0].also = same[1:]
		list = append(list, same[0])
	}
	list = fold(list)
	slices.SortStableFunc(list, func(a, b *finding) int {
		return cmp.Or(byGravity(a.results[0], b.results[0]), cmp.Compare(len(b.where()), len(a.where())))
	})
	return list
}

// fold puts findings under those that cover all of their results.
func fold(list []*finding) []*finding {
	type where struct {
		id string
		combination
	}
	of := map[where]*finding{}
	for _, f := range list {
		for _, x := range f.all() {
			of[where{x.ID, x.combination()}] = f
		}
	}
	over := map[*finding]*finding{}
	top := func(f *finding) *finding {
		for over[f] != nil {
			f = over[f]
		}
		return f
	}
	for _, f := range list {
		deeper := of[where{f.results[0].Under, f.results[0].combination()}]
		// What is graver stays in sight. A report that was edited may go round in circles.
		if deeper != nil && byGravity(deeper.results[0], f.results[0]) <= 0 && top(deeper) != f &&
			!slices.ContainsFunc(f.all(),
				func(x *Result) bool { return of[where{x.Under, x.combination()}] != deeper }) {
			over[f] = deeper
		}
	}
	for _, f := range list {
		if t := top(f); t != f {
			t.also = append(append(t.also, f), f.also...)
		}
	}
	return slices.DeleteFunc(list, func(f *finding) bool { return over[f] != nil })
}

// all are the results of a finding, those of other requirements last.
func (f *finding) all() []*Result {
	list := slices.Clone(f.results)
	for _, g := range f.also {
		list = append(list, g.results...)
	}
	return list
}

// where is in which combinations a finding was made.
func (f *finding) where() map[combination]bool {
	in := map[combination]bool{}
	for _, x := range f.all() {
		in[x.combination()] = true
	}
	return in
}

// others are the ids of the other requirements that the cause of a finding breaks.
func (f *finding) others() []string {
	ids := make([]string, len(f.also))
	for i, g := range f.also {
		ids[i] = g.results[0].ID
	}
	return ids
}

// named are the others for sentences, which say what is only a warning beside a failure.
func (f *finding) named() string {
	names := f.others()
	for i, g := range f.also {
		if f.milder(g) {
			names[i] += " (a warning)"
		}
	}
	return strings.Join(names, ", ")
}

// milder reports whether another finding warns beside this one, which fails.
func (f *finding) milder(g *finding) bool {
	return g.results[0].Verdict == Warn && f.results[0].Verdict == Fail
}

// also tells of the other requirements that the cause of a finding breaks.
func (v view) also(f *finding) []string {
	var list []string
	for _, g := range f.also {
		in := "in"
		if f.milder(g) {
			in = "as a warning in"
		}
		list = append(list, fmt.Sprintf("%s (%s) %s %s: %s", g.results[0].ID, g.results[0].Title, in,
			v.places(g), g.actual()))
	}
	return list
}

func (c *console) findings() {
	for _, part := range c.groups() {
		list := part.list
		c.Title(fmt.Sprintf("%s  %s, %s", strings.ToUpper(part.title), count(len(list), "finding"), count(verdictsOf(list), "verdict")))
		for _, f := range list {
			c.finding(f)
		}
	}
	c.excuses()
	c.baseline()
}

// verdictsOf is how many verdicts findings stand for.
func verdictsOf(list []*finding) int {
	n := 0
	for _, f := range list {
		n += len(f.all())
	}
	return n
}

// marks stand before results.
var marks = map[Verdict]string{Pass: "✓", Fail: "✗", Warn: "!", Blocked: "?", NotApplicable: "·"}

func (c *console) finding(f *finding) {
	x := f.results[0]
	c.Line()
	c.Head(marks[x.Verdict]+" ", verdictColor(x.Verdict), Sanitize(x.ID+"  "+x.Title))
	level := x.Level + ", " + x.Section
	if x.Verdict == Warn && x.Reason != "" {
		level += " (a warning: " + x.Reason + ")"
	}
	c.labelled(2, "level", level)
	if x.Link != "" {
		// Neither links nor commands are wrapped: they are there to be copied.
		c.Line("  ", c.Paint(terminal.Dim, fmt.Sprintf("%-10s", "link")), Sanitize(x.Link))
	}
	c.labelled(2, "in", c.places(f))
	if c.o.Verbose {
		c.labelled(2, "also", strings.Join(c.also(f), "\n"))
	} else {
		c.labelled(2, "also", f.named())
	}
	c.labelled(2, "expected", x.Expected)
	c.labelled(2, "actual", f.actual())
	if x.Verdict != Warn && x.Reason != x.Actual {
		c.labelled(2, "because", x.Reason)
	}
	c.labelled(2, "change", x.Hint)
	c.evidence(x)
	c.commands(x, x.repeated())
}

func (c *console) evidence(x *Result) {
	limit, frames, how := consoleShort, consoleFrames, " (--verbose)"
	switch {
	case c.whole:
		limit, how = consoleFrame, ""
	case c.o.Verbose:
		limit, frames, how = consoleVerbose, 10*consoleFrames, ""
	case x.Deciding > 0:
		frames = min(x.Deciding, frames)
	}
	seen := metadata{}
	for i, number := range x.Evidence {
		if i == frames {
			c.Line(c.Paint(terminal.Dim, "    and "+count(len(x.Evidence)-i, "message")+" more"+how))
			return
		}
		f := c.r.Frame(number)
		if f == nil {
			continue
		}
		for i, line := range x.near(seen.once(f), limit).Lines(limit) {
			for k, l := range terminal.WrapJSON(line, c.Width-6) {
				pad := "    "
				if i+k > 0 {
					pad = "      "
				}
				c.Line(pad, c.Paint(terminal.Cyan, l))
			}
		}
	}
}

// commands writes how a result is seen again; of a finding that breaks several requirements the first shows what
// one change mends. They are not wrapped: they are there to be copied.
func (c *console) commands(x *Result, repeat string) {
	label, text := c.r.pasted(x)
	for _, command := range [][2]string{{label, text}, {"repeat", repeat}} {
		if command[1] != "" {
			c.Line("  ", c.Paint(terminal.Dim, fmt.Sprintf("%-10s", command[0])), command[1])
		}
	}
}

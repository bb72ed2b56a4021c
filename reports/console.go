package reports

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// Options says how the writers write; each looks at what concerns it.
type Options struct {
	// Strict says that warnings count as failures.
	Strict bool
	// Areas lists areas in the order in which they are shown, with titles;
	// those that are not listed follow by name.
	Areas []Area
	// Describe gives the full text of a requirement and what its check
	// tolerates; nil leaves both out. The page and SARIF show them.
	Describe func(id string) (text, tolerated string)
	// Location is the file, relative to the root of the repository, to which SARIF
	// attaches findings of which Find knows no line. Empty means the
	// target file of the run, or else README.md.
	Location string
	// Find returns the one source file of the repository, relative to its root, in which one of some texts stands, with the line;
	// line 0 if there is none. Nil finds nothing.
	Find func(texts ...string) (file string, line int)

	// The rest is for the console. Color allows colours; without it the output is plain text.
	Color bool
	// Width is the width of lines in characters; less than 40 means 80, and 0
	// that the last line is not wrapped.
	Width int
	// Verbose shows all messages that a finding rests on, more of each, and every requirement that was not
	// exercised. Quiet leaves one line for each finding and the last line.
	Verbose, Quiet bool
	// Observed has a line for each observation as well where the output is quiet.
	Observed bool
	// Told says that why nothing could be reached is printed elsewhere.
	Told bool
}

// Area is a group of requirements: what their ids begin with, and what it is about.
type Area struct{ Name, Title string }

// The bounds of what is printed of one finding, in characters and frames.
const (
	consoleShort   = 300 // unless the output is verbose
	consoleFrame   = 600
	consoleVerbose = 4000
	consoleFrames  = 9
	consoleText    = 2000
)

// WriteFindings writes each result of a report, whatever its verdict, as [WriteConsole]
// writes those that are red: with level, section and combinations, what was expected and
// seen, what to change, and the frames of the evidence.
func WriteFindings(w io.Writer, r *Report, o Options) error {
	c := newConsole(w, r, o)
	c.whole = true
	for _, f := range byCause(r, func(*Result) bool { return true }) {
		c.finding(f)
	}
	return c.flush("results")
}

// WriteConsole writes a report for people: a table of the areas, each finding
// with its evidence and what to change, what was blocked, observed and not
// exercised; at the end, for a terminal of forty lines, tables of combinations and profiles, a line for each
// finding, and the outcome on the last line. The report must have been summarized.
func WriteConsole(w io.Writer, r *Report, o Options) error {
	c := newConsole(w, r, o)
	if o.Quiet {
		c.brief()
		c.unjudged()
	} else {
		c.head()
		c.areas()
		c.findings()
		c.blocked()
		c.observations()
		c.notExercised()
		c.combinations()
		c.slow()
		c.shortList()
	}
	c.outcome()
	return c.flush("results")
}

// verdictColor is the colour of a verdict.
func verdictColor(v Verdict) string {
	colors := map[Verdict]string{Pass: terminal.Green, Fail: terminal.Red, Warn: terminal.Yellow, Blocked: terminal.Purple}
	return cmp.Or(colors[v], terminal.Dim)
}

// console writes a report. All that it prints has been sanitized.
type console struct {
	*terminal.Printer
	view
	w *bufio.Writer
	o Options
	// whole says that each finding stands for itself, and has the beginning of all its evidence.
	whole bool
}

// newConsole is a console for a report; areas are those of the options.
func newConsole(w io.Writer, r *Report, o Options) *console {
	buffer := bufio.NewWriter(w)
	return &console{Printer: terminal.New(buffer, o.Color, o.Width), view: view{r, o.Areas}, w: buffer, o: o}
}

// flush empties the buffer, and returns the first error of all.
func (c *console) flush(what string) error {
	if c.Err == nil {
		c.Err = c.w.Flush()
	}
	return unwritten(what, c.Err)
}

// labelled writes a text, if there is one, behind a label.
func (c *console) labelled(indent int, label, text string) {
	if text != "" {
		c.Labelled(indent, clean(label, 40), safe.Lines(safe.Shorten(text, consoleText)))
	}
}

// paragraph writes a text behind a lead, such as an id, wrapped; further lines are
// indented below the first one.
func (c *console) paragraph(indent int, lead, text string) {
	pad, rest := strings.Repeat(" ", indent), clean(lead, 40)
	body := safe.Lines(safe.Shorten(text, consoleText))
	if rest != "" {
		body = rest + "  " + body
	}
	for i, l := range c.led(terminal.Bold, rest, body, c.Width-indent-2) {
		if i > 0 {
			l = "  " + l
		}
		c.Line(pad, l)
	}
}

// led is a text in lines of a width, with what leads it in a colour.
func (c *console) led(color, lead, text string, width int) []string {
	lines := terminal.Wrap(text, width)
	if rest, ok := strings.CutPrefix(lines[0], lead); ok {
		lines[0] = c.Paint(color, lead) + rest
	}
	return lines
}

func (c *console) head() {
	t := &c.r.Target
	tool := safe.Line(strings.TrimSpace(c.r.Tool.Name + " " + c.r.Tool.Version))
	for _, l := range c.led(terminal.Bold, tool, tool+"  "+safe.Line(t.Name), c.Width) {
		c.Line(l)
	}
	if t.Embedded {
		c.labelled(0, "", "No target was given: this is the built-in reference server, judged as a demonstration.")
	}
	for _, e := range t.Endpoints {
		text := strings.Join(append([]string{e.Address}, e.details()...), "\n")
		if n := len(e.WithoutResources); n > 0 && n < len(e.Revisions) {
			text += "\ndeclares no resources in " + strings.Join(e.WithoutResources, ", ")
		}
		switch {
		case e.Unreachable != "" && c.o.Told && len(c.r.unreachable()) == len(t.Endpoints):
			text += "\nunreachable"
		case e.Unreachable != "":
			text += "\nunreachable: " + e.Unreachable
		case e.Unoffered != "" && !c.o.Told:
			text += "\n" + e.leftOut()
		}
		if e.Log != "" {
			text += "\nits output ended with:\n" + e.Log
		}
		c.labelled(0, e.Transport, text)
	}
	if c.r.DeclaresNoResources() {
		c.labelled(0, "", "The target "+noResources+".")
	}
}

// slow says where the time of a long run went.
func (c *console) slow() {
	if len(c.r.Summary.Slow) == 0 {
		return
	}
	c.Title("WHERE THE TIME WENT  requests that are under way at once count each")
	for _, s := range c.r.Summary.Slow {
		c.paragraph(2, "", s.String())
	}
}

const countsHead = "  pass  fail  warn   n/a  blocked"

// wide is from which width on a table has a last column, remarkWidth its width.
const (
	wide        = 75
	remarkWidth = 17
)

// nameWidth is the width of the first column of a table.
func (c *console) nameWidth() int {
	if c.Width < wide {
		return min(22, c.Width-len(countsHead)-1)
	}
	return min(32, c.Width-len(countsHead)-remarkWidth)
}

// name is the first column of a table.
func (c *console) name(s string) string {
	width := c.nameWidth()
	if len(s) > width {
		s = strings.Replace(s, " on ", " ", 1)
	}
	return terminal.Pad(safe.Line(s), width)
}

// remark is the last column of a table, left out where there is no room for it.
func (c *console) remark(s string) string {
	if c.Width < wide {
		return ""
	}
	return "  " + terminal.Shorten(safe.Line(s), remarkWidth-2)
}

func (c *console) counts(n Counts) string {
	row := ""
	for _, column := range []struct {
		v     Verdict
		width int
	}{{Pass, 6}, {Fail, 6}, {Warn, 6}, {NotApplicable, 6}, {Blocked, 9}} {
		text, color := strconv.Itoa(n.Of(column.v)), verdictColor(column.v)
		if text == "0" {
			text, color = "·", terminal.Dim
		}
		row += c.Paint(color, fmt.Sprintf("%*s", column.width, text))
	}
	return row
}

func (c *console) areas() {
	list := c.byArea()
	if len(list) == 0 {
		return
	}
	c.Line()
	c.Line(c.Paint(terminal.Bold, c.name("AREA")+countsHead))
	for _, a := range list {
		shown := a.name
		if a.title != "" {
			shown = fmt.Sprintf("%-6s%s", a.name, a.title)
		}
		c.Line(c.name(shown), c.counts(a.Counts), "  ", c.bar(a.Counts))
	}
}

// bar shows the share of each verdict among those that say something.
func (c *console) bar(n Counts) string {
	width := min(20, c.Width-c.nameWidth()-len(countsHead)-3)
	if width < 5 {
		return ""
	}
	total := n.Pass + n.Fail + n.Warn + n.Blocked
	if total == 0 {
		return c.Paint(terminal.Dim, strings.Repeat("·", width))
	}
	var b strings.Builder
	left := width
	for _, v := range []Verdict{Fail, Blocked, Warn} {
		if n := n.Of(v); n > 0 && left > 0 {
			// Even one among many is worth a sign.
			cells := min(max(n*width/total, 1), left)
			left -= cells
			b.WriteString(c.Paint(verdictColor(v), strings.Repeat(v.Sign(), cells)))
		}
	}
	if n.Pass > 0 {
		return c.Paint(terminal.Green, strings.Repeat("█", left)) + b.String()
	}
	return b.String()
}

func (c *console) combinations() {
	if len(c.r.Summary.Combinations) == 0 {
		return
	}
	c.Line()
	c.Line(c.Paint(terminal.Bold, c.name("COMBINATION")+countsHead))
	for _, x := range c.r.Summary.Combinations {
		c.Line(c.name(x.Revision+" on "+x.Transport), c.counts(x.Counts), c.remark(c.established(string(x.Outcome), x.Counts)))
		if c.Width < wide && x.Outcome != Conformant {
			c.paragraph(2, "", c.established(string(x.Outcome), x.Counts))
		}
	}
	// What a partial run left out would be most of the list where a finding is repeated.
	profiles := slices.DeleteFunc(slices.Clone(c.r.Summary.Profiles), func(p ProfileSummary) bool { return p.Status == ProfileNotSelected })
	if len(profiles) == 0 {
		return
	}
	c.Line()
	c.Line(c.Paint(terminal.Bold, c.name("PROFILE")+countsHead))
	for _, p := range profiles {
		ids := p.idle()
		if len(ids) == 0 && c.Width >= wide {
			c.Line(c.name(p.Name), c.counts(p.Counts), c.remark(c.established(string(p.Status), p.Counts)))
			continue
		}
		c.Line(c.name(p.Name), c.counts(p.Counts))
		text := c.established(string(p.Status), p.Counts)
		if len(ids) > 0 {
			text += fmt.Sprintf(", %s not exercised: %s", plural.Count(len(ids), "MUST"), c.list(ids, 3))
		}
		c.paragraph(2, "", text)
	}
}

// list joins ids, as many as the limit allows unless the output is verbose.
func (c *console) list(ids []string, limit int) string {
	if c.o.Verbose {
		limit = len(ids)
	}
	return plural.List(ids, limit)
}

// brief is the quiet form: one line for each finding that is not excused, and for
// each cause for which a requirement that must hold could not be judged.
func (c *console) brief() {
	for _, g := range findings(c.r, func(x *Result) bool { return x.Verdict.Red() && !x.Excused }) {
		x := g.results[0]
		text := fmt.Sprintf("%-7s %s  %s", x.Verdict, x.ID, cmp.Or(x.Actual, x.Reason, x.Title))
		text += "  (" + strings.TrimPrefix(c.r.asked(x)+" in ", " in ") + c.places(g) + ")"
		if len(g.also) > 0 {
			text += ", also " + g.named()
		}
		c.Line(c.Paint(verdictColor(x.Verdict), safe.Shorten(safe.Line(text), 4*c.Width)))
	}
	for _, t := range tally(c.r.only(func(x *Result) bool { return x.Verdict == Blocked && x.Level == LevelMust }), (*Result).why) {
		const few = 6
		text := fmt.Sprintf("%-7s %s  %s", Blocked, c.list(t.ids, few), cmp.Or(t.text, t.code))
		c.Line(c.Paint(verdictColor(Blocked), safe.Shorten(safe.Line(text), 4*c.Width)))
	}
	if c.o.Observed {
		c.observed()
	}
}

// idleCodes are the reason codes for which there was no occasion, in the order in
// which they are shown: what the user can help comes first.
var idleCodes = []struct{ code, means string }{
	{CodeNeedsConfig, "the target file has to say something first; \"mcpcheck init\" writes one"},
	{CodeNeedsSubject, "the target offers nothing to judge it on"},
	{CodeNotExercised, "the other side gave no occasion"},
	{CodeOptedOut, "the target file leaves it out"},
}

// notExercised counts what was not exercised. Verbose output lists it by reasons: requirements with the same one
// stand together.
func (c *console) notExercised() {
	reasons := c.idleFor()
	if len(reasons) == 0 {
		return
	}
	how := " (--verbose lists them)"
	if c.o.Verbose {
		how = ""
	}
	byCode := map[string][]*tallied{}
	for _, t := range reasons {
		byCode[t.code] = append(byCode[t.code], t)
	}
	c.Title("NOT EXERCISED  " + counted(reasons) + ": there was no occasion" + how)
	for _, code := range idleCodes {
		list := byCode[code.code]
		if len(list) == 0 {
			continue
		}
		c.paragraph(2, code.code, counted(list)+": "+code.means)
		if !c.o.Verbose {
			continue
		}
		slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(len(b.ids), len(a.ids)) })
		for _, t := range list {
			c.paragraph(4, "", strings.TrimSpace(strings.Join(t.ids, ", ")+"  "+safe.Shorten(t.text, consoleFrame)))
		}
	}
}

// counted says for how many requirements and verdicts there are reasons.
func counted(list []*tallied) string {
	ids, verdicts := []string{}, 0
	for _, t := range list {
		ids = append(ids, t.ids...)
		verdicts += len(t.results)
	}
	if n := distinct(ids); n != verdicts {
		return plural.Count(n, "requirement") + ", " + plural.Count(verdicts, "verdict")
	}
	return plural.Count(verdicts, "requirement")
}

// distinct is how many different ids there are.
func distinct(ids []string) int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return len(slices.Compact(ids))
}

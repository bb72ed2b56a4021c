package write

import (
	"bufio"
	"io"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The bounds of what is printed of one finding, in characters and frames.
const (
	consoleShort   = 300 // unless the output is verbose
	consoleFrame   = 600
	consoleVerbose = 4000
	consoleFrames  = 9
	consoleText    = 2000
)

// Findings writes each result of a report, whatever its verdict, as [Console]
// writes those that are red: with level, section and combinations, what was expected and
// seen, what to change, and the frames of the evidence.
func Findings(w io.Writer, r *reports.Report, o Options) error {
	c := newConsole(w, r, o)
	c.whole = true
	for _, f := range c.byCause(func(*reports.Result) bool { return true }) {
		c.finding(f)
	}
	return c.flush("results")
}

// Console writes a report for people: a table of the areas, each finding
// with its evidence and what to change, what was blocked, observed and not
// exercised; at the end, for a terminal of forty lines, tables of combinations and profiles, a line for each
// finding, and the outcome on the last line. The report must have been summarized.
func Console(w io.Writer, r *reports.Report, o Options) error {
	c := newConsole(w, r, o)
	if o.Quiet {
		c.brief()
		c.unjudged()
	} else {
		c.head()
		c.areas()
		c.groups()
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

// console writes a report. All that it prints has been sanitized.
type console struct {
	*terminal.Printer
	view
	w *bufio.Writer
	// whole says that each finding stands for itself, and has the beginning of all its evidence.
	whole bool
}

// newConsole is a console for a report.
func newConsole(w io.Writer, r *reports.Report, o Options) *console {
	buffer := bufio.NewWriter(w)
	return &console{Printer: terminal.New(buffer, o.Color, o.Width), view: view{r, o}, w: buffer}
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
		c.Labelled(indent, word(label), safe.Lines(safe.Shorten(text, consoleText)))
	}
}

// paragraph writes a text behind a lead, such as an id, wrapped; further lines are
// indented below the first one.
func (c *console) paragraph(indent int, lead, text string) {
	pad, rest := strings.Repeat(" ", indent), word(lead)
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
	t := &c.Target
	tool := safe.Line(program(c.Tool))
	for _, l := range c.led(terminal.Bold, tool, tool+"  "+safe.Line(t.Name), c.Width) {
		c.Line(l)
	}
	if t.Embedded {
		c.labelled(0, "", embedded)
	}
	for _, e := range t.Endpoints {
		text := strings.Join(append([]string{e.Address}, details(&e)...), "\n")
		if n := len(e.WithoutResources); n > 0 && n < len(e.Revisions) {
			text += "\ndeclares no resources in " + strings.Join(e.WithoutResources, ", ")
		}
		switch {
		case e.Unreachable != "" && c.Told && len(c.Unreachable()) == len(t.Endpoints):
			text += "\nunreachable"
		case e.Unreachable != "":
			text += "\nunreachable: " + e.Unreachable
		case e.Unoffered != "" && !c.Told:
			text += "\n" + leftOut(&e)
		}
		c.labelled(0, e.Transport, text+maybe("\nits output ended with:\n%s", e.Log))
	}
	if c.DeclaresNoResources() {
		c.labelled(0, "", "The target "+noResources+".")
	}
}

// slow says where the time of a long run went.
func (c *console) slow() {
	if len(c.Summary.Slow) == 0 {
		return
	}
	c.Title("WHERE THE TIME WENT  requests that are under way at once count each")
	for _, s := range c.Summary.Slow {
		c.paragraph(2, "", s.String())
	}
}

// list joins ids, as many as the limit allows unless the output is verbose.
func (c *console) list(ids []string, limit int) string {
	if c.Verbose {
		limit = len(ids)
	}
	return plural.List(ids, limit)
}

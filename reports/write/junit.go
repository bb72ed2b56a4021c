package write

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The bounds of the evidence in a JUnit file, in characters and frames.
const (
	junitFrame = 2000
)

// JUnit writes the verdicts as JUnit XML: a test suite for each combination,
// a test case for each requirement, with the class name "revision.transport.area" and a
// name of id and title. A fail is a failure, a blocked verdict an error, a
// verdict not-applicable is skipped, a warning passes with its text in the
// output, unless strict makes it a failure. The frames stand in the text of a failure or an
// error, because several viewers show nothing else of it.
//
// An endpoint that could not be reached, and a run that ended early, are errors in a suite
// "! target": a file without them would look like a success.
//
// Viewers show a case that passes as a name at best, so each warning has a case of its own
// as well, in a suite "! warnings" before all others: skipped, with what was seen as its
// message, the gravest first. Its class says how grave it is. The totals count these cases too.
//
// A failure that the baseline excuses is skipped, with the reason as its message:
// Jenkins and GitLab count skipped cases apart, whereas a case that passes would
// hide that something is broken. Entries of the baseline that need attention stand in
// a suite of their own, "! baseline", which is there only if there are any: those that
// are stale or expired are failures, because they make the run end with status 1, and
// somebody will look for why.
//
// The file is valid for the schema junit-10 of the xUnit plugin for Jenkins, which has no
// properties for cases: level, section and verdict are the first lines of their output.
func JUnit(w io.Writer, r *reports.Report, o Options) error {
	groups := r.ByCombination()
	var played float64
	for _, g := range groups {
		played += playedFor(g)
	}
	j := &junitWriter{view{r, o}}
	f := &xmlFile{Name: "mcpcheck " + r.Target.Name + ": " + j.told(), MS: r.Summary.DurationMS}
	f.add(j.target())
	f.add(j.warnings())
	for _, g := range groups {
		f.add(j.combination(g, share(r.Summary.DurationMS, playedFor(g), played)))
	}
	f.add(junitBaseline(r.Summary.Baseline))
	buffer := bufio.NewWriterSize(w, 64<<10)
	err := texts().ExecuteTemplate(buffer, "junit.xml.tmpl", f)
	if err == nil {
		err = buffer.Flush()
	}
	return unwritten("JUnit file", err)
}

// junitWriter is a report as JUnit tells it.
type junitWriter struct {
	view
}

// xmlFile is what the template shows.
type xmlFile struct {
	Name   string
	MS     float64
	Suites []*xmlSuite
}

// add appends a suite, unless it is empty.
func (f *xmlFile) add(s *xmlSuite) {
	if len(s.Cases) > 0 {
		f.Suites = append(f.Suites, s)
	}
}

// Count is how many cases there are of a kind, or in all.
func (f *xmlFile) Count(kind string) int {
	n := 0
	for _, s := range f.Suites {
		n += s.Count(kind)
	}
	return n
}

// xmlSuite is a suite, whose name is its id as well, with its time in milliseconds.
type xmlSuite struct {
	Name       string
	MS         float64
	Properties []pair
	Cases      []*xmlCase
}

// Count is how many cases there are of a kind, or in all.
func (s *xmlSuite) Count(kind string) int {
	n := 0
	for _, c := range s.Cases {
		if kind == "" || c.Kind == kind {
			n++
		}
	}
	return n
}

// The kinds of cases that do not pass: the elements that say so.
const (
	junitFailure = "failure"
	junitError   = "error"
	junitSkipped = "skipped"
)

// xmlCase is a case.
type xmlCase struct {
	Class, Name string
	MS          float64
	// Kind is empty if the case passes; Text is only there for a failure or an error.
	Kind, Message, Type string
	// Text and Output, what the case tells further, may be long, and are made as they are written.
	Text, Output func() string
}

// junitName is what viewers list. It does not depend on the verdict, so that they know a
// test again.
func junitName(x *reports.Result) string { return safe.Shorten(x.ID+" "+x.Title, pageTitle) }

// seconds writes milliseconds as the schema wants it: three decimals, no sign, no
// exponent.
func seconds(ms float64) string {
	if !(ms > 0) || ms > 1e12 {
		return "0.000"
	}
	return strconv.FormatFloat(ms/1000, 'f', 3, 64)
}

// playedFor adds up how long the scenarios of results took, in milliseconds.
func playedFor(results []*reports.Result) (ms float64) {
	for _, x := range results {
		ms += max(x.DurationMS, 0)
	}
	return ms
}

// share is the time of a suite, or of a case, in milliseconds. Requirements that are judged on the same
// scenario have its time each, and scenarios overlap: each has its part of the run's time, so that all add up
// to it.
func share(run, part, all float64) float64 {
	if run > 0 && all > 0 {
		return run * (part / all)
	}
	return part
}

// combination is the suite of the results in one combination.
func (j *junitWriter) combination(results []*reports.Result, ms float64) *xmlSuite {
	in := results[0].Combination()
	s := &xmlSuite{Name: in.Revision + "." + in.Transport, MS: ms, Properties: []pair{
		{"tool", program(j.Tool)}, {"catalogue", j.Tool.Catalogue},
		{"target", j.Target.Name}, {"revision", in.Revision}, {"transport", in.Transport},
		{"strict", strconv.FormatBool(j.Strict)}, {"outcome", j.Standing().String()},
		{"revisions", j.Summary.ByRevision()},
	}}
	all := playedFor(results)
	for _, x := range results {
		c := j.result(x)
		c.MS = share(ms, max(c.MS, 0), all)
		s.Cases = append(s.Cases, c)
	}
	return s
}

// result is the case of a result.
func (j *junitWriter) result(x *reports.Result) *xmlCase {
	message := cmp.Or(x.Reason, x.Actual, x.Title)
	if x.Verdict == reports.Warn { // the reason says why it is no more than that
		message = cmp.Or(x.Actual, message)
	}
	c := &xmlCase{Class: x.Revision + "." + x.Transport + "." + x.Area(), Name: junitName(x),
		MS:      x.DurationMS,
		Message: safe.Shorten(message, junitFrame), Type: cmp.Or(x.ReasonCode, string(x.Weight())),
		Output: func() string { return said("output", j.Of(x)) }}
	switch {
	case x.Breaks(j.Strict) && x.Excused:
		c.Kind, c.Message, c.Type = junitSkipped, safe.Shorten(excuse(x)+" ("+message+")", junitFrame),
			"excused"
	case x.Breaks(j.Strict):
		c.Kind = junitFailure
	case x.Verdict == reports.Blocked:
		c.Kind = junitError
	case x.Verdict == reports.NotApplicable:
		c.Kind = junitSkipped
	}
	if c.Kind == junitFailure || c.Kind == junitError {
		c.Text = c.Output
		c.Output = func() string { return said("case", x) }
	}
	return c
}

// urgent begins the names of suites that are no combination: viewers that sort suites by name, as
// xunit-viewer does, show these before hundreds of cases that pass.
const urgent = "! "

// target is the suite of what kept the whole run from being judged.
func (j *junitWriter) target() *xmlSuite {
	s := &xmlSuite{Name: urgent + "target"}
	lost := func(kind, name, why string) {
		text := func() string { return why }
		s.Cases = append(s.Cases, &xmlCase{Class: "target", Name: safe.Shorten(name, pageTitle),
			Kind: junitError, Message: safe.Shorten(why, junitFrame), Type: kind, Text: text, Output: text})
	}
	for _, e := range j.Unreachable() {
		lost("unreachable", e.Place()+" can be reached", e.Unreachable)
	}
	if why := j.EndedEarly(); why != "" {
		lost("interrupted", "the run comes to its end", why)
	}
	return s
}

// warnings is the suite of the warnings that have their own cases.
func (j *junitWriter) warnings() *xmlSuite {
	s := &xmlSuite{Name: urgent + "warnings"}
	for _, f := range j.byCause(func(x *reports.Result) bool {
		return x.Verdict == reports.Warn && !x.Excused && !x.Breaks(j.Strict)
	}) {
		x := f.Result
		message := cmp.Or(x.Actual, x.Reason, x.Title) + " (in " + j.Where(f.results) + ")"
		s.Cases = append(s.Cases, &xmlCase{Class: "warnings." + string(x.Weight()), Name: junitName(x),
			Kind:    junitSkipped,
			Message: safe.Shorten(message, junitFrame), Type: string(x.Weight()), Output: func() string {
				return said("output", j.Of(x))
			}})
	}
	return s
}

// junitBaseline is the suite of the entries of the baseline that need attention: a failure for
// each that is expired or stale, a skipped case for each that was not judged or is missing
// from the run, and a case that passes for each that is too wide.
func junitBaseline(b *reports.BaselineSummary) *xmlSuite {
	s := &xmlSuite{Name: urgent + "baseline"}
	for _, p := range partsOf(b) {
		kind := strings.ReplaceAll(p.Kind, " ", "-")
		for _, e := range p.Entries {
			sentence := p.sentence(e)
			c := &xmlCase{Class: "baseline." + kind, Name: e.String(), Message: sentence,
				Type: "baseline-" + kind, Text: func() string { return sentence },
				Output: func() string { return sentence + "\nreason given: " + e.Reason }}
			switch {
			case p.outdated:
				c.Kind = junitFailure
			case !p.known:
				c.Kind = junitSkipped
			}
			s.Cases = append(s.Cases, c)
		}
	}
	return s
}

// escapeXML writes text for an element or an attribute. Characters that XML 1.0
// cannot hold, and those that cannot be seen, are visible escapes already.
func escapeXML(s string) string {
	return xmlEscapes.Replace(attachments.Replace(terminal.HarmlessText(s)))
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// attachments breaks the sequences by which Jenkins takes files of the machine that builds from
// the output of tests.
var attachments = strings.NewReplacer("[[ATTACHMENT|", "[ [ATTACHMENT|", "[[PROPERTY|", "[ [PROPERTY|")

package reports

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The bounds of the evidence in a JUnit file, in characters and frames.
const (
	junitFrame  = 2000
	junitFrames = 20
)

// WriteJUnit writes the verdicts as JUnit XML: a test suite for each combination,
// a test case for each requirement, with the class name "revision.transport.area" and a
// name of id and title. A fail is a failure, a blocked verdict an error, a
// verdict not-applicable is skipped, a warning passes with its text in the
// output, unless strict makes it a failure.
//
// Viewers show a case that passes as a name at best, so each warning has a case of its own
// as well, in a suite "warnings" before all others: skipped, with what was seen as its
// message, the gravest first. Its class says how grave it is. The totals count these cases too.
//
// A failure that the baseline excuses is skipped, with the reason as its message:
// Jenkins and GitLab count skipped cases apart, whereas a case that passes would
// hide that something is broken. Entries of the baseline that need attention stand in
// a suite of their own, "baseline", which is there only if there are any: those that
// are stale or expired are failures, because they make the run end with status 1, and
// somebody will look for why.
//
// The file is valid for the schema junit-10 of the xUnit plugin for Jenkins, which has no
// properties for cases: level, section and verdict are the first lines of their output.
func WriteJUnit(w io.Writer, r *Report, o Options) error {
	strict := o.Strict
	buffer := bufio.NewWriterSize(w, 64<<10)
	x := &xmlWriter{w: buffer}
	x.text(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	groups := r.byCombination()
	var tests, failures, errs int
	var played float64
	for _, g := range groups {
		f, e, _ := junitCounts(g, strict)
		tests, failures, errs, played = tests+len(g), failures+f, errs+e, played+playedFor(g)
	}
	entries, outdated, _ := r.Summary.Baseline.cases()
	warnings := junitWarnings(r, strict)
	tests, failures = tests+entries+len(warnings), failures+outdated
	x.open("testsuites", "name", "mcpcheck "+r.Target.Name+": "+view{r: r}.standing().String(), "tests", strconv.Itoa(tests),
		"failures", strconv.Itoa(failures), "errors", strconv.Itoa(errs), "time", seconds(r.Summary.DurationMS))
	x.warnings(view{r: r}, warnings)
	for _, g := range groups {
		x.suite(r, g, share(r.Summary.DurationMS, playedFor(g), played), strict)
	}
	x.baseline(r.Summary.Baseline)
	x.shut("testsuites")
	if x.err == nil {
		x.err = buffer.Flush()
	}
	return unwritten("JUnit file", x.err)
}

// junitFails reports whether a result counts as a failure.
func junitFails(x *Result, strict bool) bool {
	return !x.Excused && x.counts(strict)
}

// junitExcused reports whether a result would be a failure but for the baseline.
func junitExcused(x *Result, strict bool) bool {
	return x.Excused && x.counts(strict)
}

// junitName is what viewers list. It does not depend on the verdict, so that they know a
// test again.
func junitName(x *Result) string { return Shorten(x.ID+" "+x.Title, pageTitle) }

// junitWarnings are the findings that have test cases of their own.
func junitWarnings(r *Report, strict bool) []*finding {
	return group(r, func(x *Result) bool { return x.Verdict == Warn && !x.Excused && !x.counts(strict) })
}

func junitCounts(results []*Result, strict bool) (failures, errors, skipped int) {
	for _, x := range results {
		switch {
		case junitFails(x, strict):
			failures++
		case x.Verdict == Blocked:
			errors++
		case x.Verdict == NotApplicable, junitExcused(x, strict):
			skipped++
		}
	}
	return failures, errors, skipped
}

// seconds writes milliseconds as the schema wants it: three decimals, no sign, no
// exponent.
func seconds(ms float64) string {
	if !(ms > 0) || ms > 1e12 {
		return "0.000"
	}
	return strconv.FormatFloat(ms/1000, 'f', 3, 64)
}

// playedFor adds up how long the scenarios of results took, in milliseconds.
func playedFor(results []*Result) (ms float64) {
	for _, x := range results {
		ms += max(x.DurationMS, 0)
	}
	return ms
}

// share is the time of a suite in milliseconds. Requirements that are judged on the same
// scenario have its time each, and scenarios overlap, so where all that was played takes
// longer than the run, a suite has its part of the run's time.
func share(run, suite, all float64) float64 {
	if run > 0 && all > run {
		return run * (suite / all)
	}
	return suite
}

// xmlWriter keeps the first error, after which it writes nothing.
type xmlWriter struct {
	w   *bufio.Writer
	err error
}

func (x *xmlWriter) text(s string) {
	if x.err == nil {
		_, x.err = x.w.WriteString(s)
	}
}

func (x *xmlWriter) tag(name string, attributes []string, end string) {
	x.text("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		x.text(" " + attributes[i] + `="` + escapeXML(attributes[i+1], true) + `"`)
	}
	x.text(end + "\n")
}

func (x *xmlWriter) open(name string, attributes ...string)  { x.tag(name, attributes, ">") }
func (x *xmlWriter) empty(name string, attributes ...string) { x.tag(name, attributes, "/>") }
func (x *xmlWriter) shut(name string)                        { x.text("</" + name + ">\n") }

// element writes an element that holds only text.
func (x *xmlWriter) element(name, content string, attributes ...string) {
	x.tag(name, attributes, ">")
	x.text(escapeXML(content, false))
	x.shut(name)
}

// begin opens a suite, whose name is its id as well, with the numbers of its cases and its time
// in milliseconds.
func (x *xmlWriter) begin(name string, tests, failures, errors, skipped int, ms float64) {
	x.open("testsuite", "name", name, "tests", strconv.Itoa(tests), "failures", strconv.Itoa(failures),
		"errors", strconv.Itoa(errors), "skipped", strconv.Itoa(skipped), "time", seconds(ms), "id", name)
}

func (x *xmlWriter) suite(r *Report, results []*Result, ms float64, strict bool) {
	failures, errs, skipped := junitCounts(results, strict)
	in := results[0].combination()
	name := in.revision + "." + in.transport
	x.begin(name, len(results), failures, errs, skipped, ms)
	x.open("properties")
	property := func(name, value string) { x.empty("property", "name", name, "value", value) }
	property("tool", strings.TrimSpace(r.Tool.Name+" "+r.Tool.Version))
	property("catalogue", r.Tool.Catalogue)
	property("target", r.Target.Name)
	property("revision", in.revision)
	property("transport", in.transport)
	property("strict", strconv.FormatBool(strict))
	property("outcome", view{r: r}.standing().String())
	x.shut("properties")
	for _, result := range results {
		x.testcase(r, result, strict)
	}
	x.shut("testsuite")
}

// warnings writes the suite of the warnings.
func (x *xmlWriter) warnings(v view, list []*finding) {
	if len(list) == 0 {
		return
	}
	x.begin("warnings", len(list), 0, 0, len(list), 0)
	for _, f := range list {
		result := f.results[0]
		x.open("testcase", "classname", "warnings."+string(result.weight()), "name", junitName(result), "time", "0.000")
		message := cmp.Or(f.actual(), result.Reason, result.Title) + " (in " + v.where(f.results) + ")"
		x.empty("skipped", "message", Shorten(message, junitFrame), "type", string(result.weight()))
		x.element("system-out", junitOutput(v.r, result))
		x.shut("testcase")
	}
	x.shut("testsuite")
}

// baseline writes the entries of the baseline that need attention: a failure for each
// that is expired or stale, a skipped case for each that was not judged or is missing
// from the run, and a case that passes for each that is too wide.
func (x *xmlWriter) baseline(b *BaselineSummary) {
	tests, failures, skipped := b.cases()
	if tests == 0 {
		return
	}
	x.begin("baseline", tests, failures, 0, skipped, 0)
	for _, p := range b.parts() {
		kind := strings.ReplaceAll(p.kind, " ", "-")
		for i := range p.entries {
			e := &p.entries[i]
			sentence := b.sentence(&p, e)
			x.open("testcase", "classname", "baseline."+kind, "name", e.String(), "time", "0.000")
			switch {
			case p.outdated:
				x.element("failure", sentence, "message", sentence, "type", "baseline-"+kind)
			case !p.known:
				x.empty("skipped", "message", sentence, "type", "baseline-"+kind)
			}
			x.element("system-out", sentence+"\nreason given: "+e.Reason)
			x.shut("testcase")
		}
	}
	x.shut("testsuite")
}

// cases counts the entries that a JUnit file has as test cases.
func (b *BaselineSummary) cases() (tests, failures, skipped int) {
	for _, p := range b.parts() {
		n := len(p.entries)
		tests += n
		switch {
		case p.outdated:
			failures += n
		case !p.known:
			skipped += n
		}
	}
	return tests, failures, skipped
}

func (x *xmlWriter) testcase(r *Report, result *Result, strict bool) {
	x.open("testcase", "classname", result.Revision+"."+result.Transport+"."+result.Area(), "name", junitName(result),
		"time", seconds(result.DurationMS))
	message := result.Reason
	if message == "" {
		message = cmp.Or(result.Actual, result.Title)
	}
	attributes := []string{"message", Shorten(message, junitFrame)}
	if kind := cmp.Or(result.ReasonCode, string(result.weight())); kind != "" {
		attributes = append(attributes, "type", kind)
	}
	switch {
	case junitExcused(result, strict):
		x.empty("skipped", "message", Shorten(result.excuse()+" ("+message+")", junitFrame), "type", "excused")
	case junitFails(result, strict):
		x.element("failure", findingText(result), attributes...)
	case result.Verdict == Blocked:
		x.element("error", result.Reason, attributes...)
	case result.Verdict == NotApplicable:
		x.empty("skipped", attributes...)
	}
	x.element("system-out", junitOutput(r, result))
	x.shut("testcase")
}

// findingText is a red verdict in words.
func findingText(x *Result) string {
	return fmt.Sprintf("requirement: %s %s\nlevel: %s\nsection: %s\n", x.ID, SanitizeLines(x.Title), SanitizeLines(x.Level), SanitizeLines(x.Section)) +
		findingDetails(x)
}

// findingDetails is a red verdict without its head.
func findingDetails(x *Result) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, SanitizeLines(value))
		}
	}
	line("link", x.Link)
	line("reason", x.Reason)
	line("expected", x.Expected)
	line("actual", x.Actual)
	line("what to change", x.Hint)
	line("to repeat it", x.repeated())
	return b.String()
}

func junitOutput(r *Report, x *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\nlevel: %s\nsection: %s\nverdict: %s\n",
		SanitizeLines(x.Title), x.Level, x.Section, x.Verdict)
	if why := x.excuse(); why != "" {
		b.WriteString(SanitizeLines(why) + "\n")
	}
	switch {
	case x.Verdict.Red():
		b.WriteString(findingDetails(x))
	case x.Reason != "":
		fmt.Fprintf(&b, "reason: %s\n", SanitizeLines(x.Reason))
		if x.Hint != "" {
			fmt.Fprintf(&b, "what to add: %s\n", SanitizeLines(x.Hint))
		}
	}
	if !x.Verdict.Red() && x.Verdict != Blocked {
		return b.String()
	}
	if x.Verdict == Blocked && x.repeated() != "" {
		fmt.Fprintf(&b, "to repeat it: %s\n", x.repeated())
	}
	if label, paste := r.pasted(x); paste != "" {
		fmt.Fprintf(&b, "%s: %s\n", label, paste)
	}
	for _, l := range r.evidenceLines(x, junitFrame, junitFrames) {
		b.WriteString(l + "\n")
	}
	return b.String()
}

// escapeXML writes text for an element or an attribute. Characters that XML 1.0
// cannot hold, and those that cannot be seen, become visible escapes.
func escapeXML(s string, attribute bool) string {
	if attribute {
		s = Sanitize(s)
	} else {
		s = SanitizeLines(s)
	}
	return xmlEscapes.Replace(commandless(s))
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// commandless breaks sequences that a build server might obey. Workflow commands
// of two colons count only at the start of a line.
func commandless(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if trimmed := strings.TrimLeft(line, " "); strings.HasPrefix(trimmed, "::") {
			lines[i] = strings.Replace(line, "::", ": :", 1)
		}
	}
	return outputMarkers.Replace(strings.Join(lines, "\n"))
}

// outputMarkers breaks the sequences by which build servers take commands from
// the output of tests, such as attaching a file of the machine that builds.
var outputMarkers = strings.NewReplacer("[[ATTACHMENT|", "[ [ATTACHMENT|", "[[PROPERTY|", "[ [PROPERTY|",
	"##teamcity[", "# #teamcity[", "##vso[", "# #vso[", "##[", "# #[")

// Package write writes reports for people (console, HTML, Markdown, annotations of GitHub) and
// for machines (JUnit, SARIF, badges, compliance statements); comparisons and matrices, too.
//
// All formats say the same in the same words: what a run was and what became of it
// (outcome.go, view.go), findings with one cause (findings.go), reasons and observations, and
// the messages that a verdict rests on (evidence.go, resend.go).
package write

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
)

// Options says how the writers write; each looks at what concerns it.
type Options struct {
	// Strict says that warnings count as failures.
	Strict bool
	// Areas lists areas in the order in which they are shown, with titles;
	// those that are not listed follow by name.
	Areas []reports.Area
	// Describe gives the full text of a requirement and what its check
	// tolerates; nil leaves both out. The page and SARIF show them.
	Describe func(id string) (text, tolerated string)
	// Demand says in sentences who has to do what by the requirement of a result, and where that is said; nil
	// leaves it out. Findings show it on the console, on the page and in Markdown.
	Demand func(x *reports.Result) string
	// Location is the file, relative to the root of the repository, to which SARIF
	// attaches findings of which Find knows no line. Empty means the
	// target file of the run, or else README.md.
	Location string
	// Find returns the one source file of the repository, relative to its root, in which one of some texts
	// stands, with the line; line 0 if there is none. Nil finds nothing.
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

// The bounds of what the page holds, in characters.
const (
	pageText  = 2000
	pageTitle = 300
)

// clean is a text from outside in one line, cut.
var clean = safe.Clean

// title is a text from outside in one line, as long as a title.
func title(s string) string { return clean(s, pageTitle) }

// word is a text from outside that should be a word.
func word[T ~string](s T) string { return clean(string(s), 40) }

// maybe is a text in a format; empty if there is no text.
func maybe(format, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(format, text)
}

// demand is [Options.Demand], or says nothing.
func (o *Options) demand(x *reports.Result) string {
	if o.Demand == nil {
		return ""
	}
	return o.Demand(x)
}

// describe is [Options.Describe], or says nothing.
func (o *Options) describe(id string) (text, tolerated string) {
	if o.Describe == nil {
		return "", ""
	}
	return o.Describe(id)
}

// The results that findings are made of.
func red(x *reports.Result) bool       { return x.Verdict.Red() }
func unexcused(x *reports.Result) bool { return red(x) && !x.Excused }
func blocked(x *reports.Result) bool   { return x.Verdict == reports.Blocked }

func idOf(x *reports.Result) string { return x.ID }

// cleanLines is a text from outside that may have several lines.
func cleanLines(s string) string { return safe.Lines(safe.Shorten(s, pageText)) }

// unwritten says what could not be written; nil for nil.
func unwritten(what string, err error) error {
	if err != nil {
		err = fmt.Errorf("writing the %s: %w", what, err)
	}
	return err
}

// safeLink is the link to the section if it can stand in a page or in Markdown as it is,
// or else empty: a report may come from anywhere.
func safeLink(x *reports.Result) string {
	if u, err := url.Parse(x.Link); err != nil || u.Scheme != "https" || u.Host == "" ||
		strings.ContainsAny(x.Link, "()[]{}|^` \r\n\t<>\"\\") {
		return ""
	}
	return x.Link
}

// cleanAll cleans a list, which is never null.
func cleanAll(list []string) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = title(s)
	}
	return all
}

// with is a list of texts with one more, unless it is empty or stands there already.
func with(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// everything is a limit for what is named that is none.
const everything = math.MaxInt

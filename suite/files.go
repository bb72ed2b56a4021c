package suite

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/baseline"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Files are the reports that a run writes, by their paths; an empty path is no report.
type Files struct {
	JSON, HTML, Markdown, JUnit, SARIF string
	// SARIFLocation is the file that code scanning attaches findings to.
	SARIFLocation string
}

// Known reads the baseline of the configuration; nil if it has none. The error is a
// [*UsageError].
func (c Config) Known() (*baseline.File, error) {
	if c.Baseline == "" {
		return nil, nil
	}
	areas, err := c.areas()
	if err != nil {
		return nil, &UsageError{Reason: err.Error()}
	}
	known, err := baseline.Load(c.Baseline, Rules(areas))
	if err != nil {
		return nil, &UsageError{Reason: err.Error()}
	}
	return known, nil
}

// Finish completes the report on a run: a baseline, unless it is nil, excuses what it lists, and
// the files of the configuration are written. Rerun is the command that repeats a verdict, for
// the reports; nil if there is none.
func (c Config) Finish(report *reports.Report, known *baseline.File,
	rerun func(id, revision, transport string) string) error {
	if known != nil {
		known.Apply(report, time.Now())
	}
	if rerun == nil {
		rerun = func(string, string, string) string { return "" }
	}
	report.NoteReruns(rerun)
	areas, err := c.areas()
	if err != nil {
		return err // excluded: the run began with them
	}
	o := c.output()
	return o.Write(io.Discard, report, write.Options{
		Strict: c.Strict, Areas: areas.Titles(), Describe: areas.Describe, Demand: areas.Demand,
	})
}

func (c Config) output() *output.Reports {
	f := c.Files
	return &output.Reports{JSON: f.JSON, HTML: f.HTML, Markdown: f.Markdown, JUnit: f.JUnit, SARIF: f.SARIF,
		SARIFLocation: f.SARIFLocation}
}

// checkFiles finds out whether the files can be written, before anything is run.
func (c Config) checkFiles() error {
	o := c.output()
	if err := o.Check(""); err != nil {
		return &UsageError{Reason: "a report cannot be written: " + strings.TrimPrefix(err.Error(), "--")}
	}
	for _, path := range o.Given() {
		if path == "-" {
			return &UsageError{Reason: "a report cannot be written: give it the path of a file"}
		}
	}
	return nil
}

// Rules is what baselines are held to where these areas are judged.
func Rules(areas *area.Set) baseline.Catalogue {
	return baseline.Catalogue{
		Known: func(id string) bool { _, ok := areas.Find(id); return ok }, Suggest: areas.Suggest,
		Never: never(areas), Official: requirement.Official().Requirements,
		Revisions:  requirement.Texts(requirement.Revisions()),
		Transports: requirement.Texts(requirement.Transports()),
	}
}

// never says why no run can have a finding on a requirement in a revision and on a
// transport; empty if one can.
func never(areas *area.Set) func(id, revision, transport string) string {
	return func(id, revision, transport string) string {
		r, ok := areas.Find(id)
		if !ok {
			return ""
		}
		if _, checked := areas.Check(id); !checked {
			return "no check judges it"
		}
		if revision != "" && !slices.Contains(r.Revisions, requirement.Revision(revision)) {
			return "it does not apply in " + revision
		}
		if transport != "" && !slices.Contains(r.Transports, requirement.Transport(transport)) {
			return "it does not apply on " + transport
		}
		return ""
	}
}

// again is the command that repeats a subtest of a test.
func again(test string) func(id, revision, transport string) string {
	return func(id, revision, transport string) string {
		parts := append(strings.Split(test, "/"), revision, transport, id)
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		return "go test -count=1 -run " + shell.Quote(strings.Join(parts, "/"))
	}
}

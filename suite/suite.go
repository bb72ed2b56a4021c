// Package suite is mcpcheck as a library: it judges whether an MCP server's
// resources feature conforms to the Model Context Protocol.
//
//	report, err := suite.Run(ctx, suite.Config{Target: &target.Target{
//		Endpoints: []target.Endpoint{{Command: []string{"my-server", "--stdio"}}},
//	}})
//
// In a test of your own server, [Test] makes a subtest of every verdict:
//
//	suite.Test(t, suite.Config{Target: ...})
//
// The packages below it, from the wire up:
//
//   - suite/wire and suite/transport carry raw messages, suite/session holds one conversation;
//     suite/target describes the server under test;
//   - suite/scenario has what scripts are made of, and those whose recordings several areas
//     judge; suite/recording is what they leave behind;
//   - suite/requirement has the types and the reader of rows, the table of revisions, and the
//     catalogue of all areas;
//   - suite/verdict is the kit of checks, with the Gomega matchers of suite/matcher and the
//     oracles of suite/judge;
//   - suite/area has a package for each area: its rows, its scripts, its checks;
//   - suite/engine plans a run, plays it, judges and confirms; suite/conformance makes a Ginkgo
//     suite of it.
//
// suite/explore suggests a target file for a server, and suite/compare asks it directly and
// through a gateway.
package suite

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/version"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Config says what to judge, and how. The zero value of a member means its
// default; only Target is required.
type Config struct {
	Target *target.Target
	// Areas are judged beside those that are built in: rows, scripts and checks of one's
	// own.
	Areas []area.Area
	// Embedded says that the target is the reference that is built in.
	Embedded bool
	// Tool is the program that the report names; the zero value is mcpcheck, in the version that
	// the program was built with.
	Tool reports.Tool

	// Revisions and Transports narrow the run; empty means all that the
	// target serves.
	Revisions  []requirement.Revision
	Transports []requirement.Transport
	// Since declares what is judged, and overrides the target file: this revision and newer ones. That makes
	// no run partial.
	Since requirement.Revision
	// Only and Skip name requirements by id, or by area: "PAGE-02", "ERR".
	Only, Skip []string
	// Filter picks rows by their labels; nil picks all. LabelFilter is the
	// expression it was made from, for the report.
	Filter      func(labels []string) bool
	LabelFilter string
	// Strict counts warnings as failures.
	Strict bool
	// Quick looks at one combination, that of the newest revision which the target
	// serves, and leaves out what is sent in the destructive phase: for a look after every
	// change.
	Quick bool
	// NoSecurityProbes leaves out the probes of the security group.
	NoSecurityProbes bool

	// Limits stand above those of the target.
	Limits

	// Baseline is a file of known findings, as "mcpcheck baseline" writes it: what it excuses
	// fails no test. An entry that is outdated does.
	Baseline string
	// Files are the reports that [Run] and [Test] write.
	Files Files

	// Progress is told what is going on.
	Progress func(engine.Event)
	// Unfiltered leaves it to the caller of [Prepare] to pick rows by Only, Skip and
	// Filter, which are then only shown: he starts the run for those that he picked.
	Unfiltered bool
}

// Limits are the bounds of a run.
type Limits = target.Limits

// UsageError is a configuration that cannot be run; nothing was sent.
type UsageError = engine.UsageError

// Run judges the target, writes the files of the configuration and returns the report.
// Whatever the target does, or does not, stands in the report. The error is a
// [*UsageError], and there is no report, or it tells which file could not be written.
func Run(ctx context.Context, c Config) (*reports.Report, error) {
	_, report, err := run(ctx, c, nil)
	return report, err
}

// run is nil with an error if nothing was run.
func run(ctx context.Context, c Config, rerun func(id, revision, transport string) string) (*engine.Run,
	*reports.Report, error) {
	known, err := c.Known()
	if err != nil {
		return nil, nil, err
	}
	r, err := Prepare(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	r.Execute(ctx)
	report := r.Report(c.Strict)
	return r, report, c.Finish(report, known, rerun)
}

// Prepare finds out what the target speaks and plans the run, for callers who
// want to present it in their own way.
func Prepare(ctx context.Context, c Config) (*engine.Run, error) {
	cfg, err := c.engine()
	if err != nil {
		return nil, err
	}
	return engine.Prepare(ctx, cfg)
}

// Possible lists the rows that a run may have, whatever the target turns out to speak.
// Nothing is sent to it.
func Possible(c Config) ([]engine.Row, error) {
	cfg, err := c.engine()
	if err != nil {
		return nil, err
	}
	return engine.Possible(cfg), nil
}

// Test judges the target in a test: every row becomes a subtest, named
// "revision/transport/ID"; with -v a line tells every few seconds how far the run is.
// Not-applicable rows and what the baseline excuses are skipped; a fail, a blocked MUST and,
// with Strict, a warning fail the test, with the messages that prove it and the command that
// repeats it; the first of a cause has it all. So do an endpoint that cannot be reached, and a
// run that ended early.
func Test(t *testing.T, c Config) {
	t.Helper()
	told := io.Discard
	if testing.Verbose() {
		told = t.Output()
	}
	var narrator engine.Narrator
	narrator.Listen(&c.Progress)
	silence := narrator.Write(told)
	r, report, err := run(t.Context(), c, again(t.Name()))
	silence()
	if r == nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Error(err)
	}
	if why := r.Unreachable(); why != "" {
		t.Fatal(why)
	}
	for _, why := range r.UnreachableEndpoints() {
		t.Error(why)
	}
	if why := report.EndedEarly(); why != "" {
		t.Error("the run ended early: " + why)
	}
	causes := map[any]string{}
	for i := range report.Results {
		x := &report.Results[i]
		t.Run(x.Revision+"/"+x.Transport+"/"+x.ID, func(t *testing.T) {
			t.Helper() // a failure stands at the line that called Test
			present(t, report, x, c.Strict, causes)
		})
	}
	if b := report.Summary.Baseline; b.Outdated() {
		t.Error(strings.Join(write.Outdated(b), "\n"))
	}
}

// present shows a result as the outcome of a test; causes are those that others have shown.
func present(t *testing.T, report *reports.Report, x *reports.Result, strict bool, causes map[any]string) {
	t.Helper()
	switch {
	case x.Excused:
		t.Skip("known: " + x.ExcusedReason + "\n" + write.FindingOnce(report, x, causes))
	case x.Verdict == reports.Fail, x.Verdict == reports.Warn && strict,
		x.Verdict == reports.Blocked && x.Level == reports.LevelMust:
		t.Error(write.FindingOnce(report, x, causes))
	case x.Verdict == reports.Warn:
		t.Log("warning: " + write.FindingOnce(report, x, causes))
	case x.Verdict == reports.Blocked, x.Verdict == reports.NotApplicable:
		t.Skipf("%s: %s", x.ReasonCode, x.Reason)
	}
}

// Catalogue lists the requirements.
func Catalogue() []requirement.Requirement { return area.Catalogue().Requirements() }

// LabelKeys lists the keys of the labels that rows bear.
func LabelKeys() []string { return []string{"rev", "transport", "level", "area", "id", "profile"} }

// Labels are the labels of a row: rev:2025-11-25 transport:http level:MUST
// area:PAGE id:PAGE-02 profile:pagination.
func Labels(row engine.Row) []string {
	req, c := row.Requirement, row.Combination
	return []string{
		"rev:" + string(c.Revision), "transport:" + string(c.Transport),
		"level:" + string(req.LevelIn(c.Revision)),
		"area:" + req.Area(), "id:" + req.ID, "profile:" + req.Profile,
	}
}

// engine turns the configuration into that of the engine.
func (c Config) engine() (none engine.Config, err error) {
	if c.Target == nil {
		return none, &UsageError{Reason: "there is no target: give a command, a URL or a target file"}
	}
	t := *c.Target
	areas, err := c.areas()
	if err != nil {
		return none, &UsageError{Reason: err.Error()}
	}
	if err := c.checkFiles(); err != nil {
		return none, err
	}
	c.Only, c.Skip = areas.Expand(c.Only), areas.Expand(c.Skip)
	for _, id := range slices.Concat(c.Only, c.Skip) {
		if _, ok := areas.Find(id); !ok {
			return none, &UsageError{Reason: fmt.Sprintf("there is no requirement %q", id) +
				areas.DidYouMean(id, `: "mcpcheck list" shows them all`)}
		}
	}
	t.Since = cmp.Or(c.Since, t.Since)
	if len(c.Revisions) > 0 {
		t.Revisions = intersect(c.Revisions, t.Revisions)
		if len(t.Revisions) == 0 {
			return none,
				&UsageError{Reason: "the target file leaves none of the revisions that were asked for"}
		}
	}
	if len(t.Revisions) > 0 && !slices.ContainsFunc(t.Revisions, func(r requirement.Revision) bool {
		return r.Since(t.Since)
	}) {
		return none,
			&UsageError{Reason: "none of the revisions that were asked for is as new as " + string(t.Since) +
				", since which is judged"}
	}
	return engine.Config{
		Target: &t, Areas: areas,
		Tool: cmp.Or(c.Tool, reports.Tool{Name: "mcpcheck", Version: version.OfLibrary(),
			Catalogue: requirement.CatalogueVersion}), Embedded: c.Embedded, Transports: c.Transports,
		Select: c.wants, Asked: c.asked, Partial: c.partial(), SecurityProbes: !c.NoSecurityProbes,
		Quick: c.Quick, Limits: c.Limits, Progress: c.Progress, Shown: c.shown(),
	}, nil
}

// areas is what is judged.
func (c Config) areas() (*area.Set, error) {
	if len(c.Areas) == 0 {
		return area.BuiltIn(), nil
	}
	return area.Join(append(area.All(), c.Areas...)...)
}

func intersect(want, have []requirement.Revision) []requirement.Revision {
	if len(have) == 0 {
		return want
	}
	return slices.DeleteFunc(slices.Clone(want), func(r requirement.Revision) bool {
		return !slices.Contains(have, r)
	})
}

// partial reports whether rows are left out on purpose, by flags or by the target file.
func (c Config) partial() bool {
	t := c.Target
	return len(t.OptOut) > 0 || len(t.Allow) > 0 || len(c.revisions()) > 0 || len(c.Only) > 0 ||
		len(c.Skip) > 0 || c.Filter != nil || len(c.Transports) > 0 || c.NoSecurityProbes || c.Quick
}

// revisions are those to which the run is limited, or one of its endpoints; none if it is not.
func (c Config) revisions() []requirement.Revision {
	switch {
	case len(c.Revisions) > 0:
		return c.Revisions
	case len(c.Target.Revisions) > 0:
		return c.Target.Revisions
	}
	var some []requirement.Revision
	for i := range c.Target.Endpoints {
		some = append(some, c.Target.Endpoints[i].Revisions...)
	}
	slices.Sort(some)
	return slices.Compact(some)
}

// wants reports whether the engine is to plan for a row.
func (c Config) wants(row engine.Row) bool { return c.Unfiltered || c.asked(row) }

// asked reports whether a row is selected.
func (c Config) asked(row engine.Row) bool {
	id := row.Requirement.ID
	switch {
	case len(c.Only) > 0 && !slices.Contains(c.Only, id), slices.Contains(c.Skip, id):
		return false
	case c.Filter != nil:
		return c.Filter(Labels(row))
	}
	return true
}

// shown is the configuration as the report shows it.
func (c Config) shown() reports.Config {
	s := reports.Config{
		File: c.Target.File, LabelFilter: c.LabelFilter, Only: c.Only, Skip: c.Skip, Strict: c.Strict,
		Read:      fmt.Sprint(cmp.Or(c.Reads, target.DefaultLimits.Reads)),
		Revisions: requirement.Texts(c.revisions()),
		Since:     string(cmp.Or(c.Since, c.Target.Since)), Transports: requirement.Texts(c.Transports),
	}
	if c.Reads < 0 {
		s.Read = "all"
	}
	for i := range c.Target.Endpoints {
		e := &c.Target.Endpoints[i]
		for name := range e.Header {
			s.Headers = append(s.Headers, name)
		}
		s.Environment = append(s.Environment, e.EnvPass...)
		for name := range e.Env {
			s.Environment = append(s.Environment, name)
		}
		if e.EnvAll {
			s.AdditionalSetting = []string{"env-all=true"}
		}
	}
	slices.Sort(s.Headers)
	slices.Sort(s.Environment)
	s.Headers, s.Environment = slices.Compact(s.Headers), slices.Compact(s.Environment)
	return s
}

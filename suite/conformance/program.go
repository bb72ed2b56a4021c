package conformance

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"
)

// Program is a run of a program that has no tests of its own and writes the reports
// itself: Ginkgo writes nothing. Ginkgo allows one of them in a process.
type Program struct {
	engine    *engine.Run
	run       *run
	suite     types.SuiteConfig
	reporter  types.ReporterConfig
	collected map[engine.Row]*engine.Judgement
}

// Build adds those rows of a prepared run to the Ginkgo tree that a label filter picks; an
// empty one picks all. See [Filter] for the expression.
func Build(r *engine.Run, filter string, o Options) *Program {
	p := &Program{engine: r, run: newRun(o, r.Rows()), collected: map[engine.Row]*engine.Judgement{}}
	p.run.caller = types.NewCodeLocation(1)
	p.run.prepare = func(context.Context) (*engine.Run, error) { return r, nil }
	p.suite, p.reporter = ginkgo.GinkgoConfiguration()
	p.suite.FailOnEmpty, p.suite.LabelFilter = false, filter
	p.suite.Timeout = max(time.Until(r.Deadline()), time.Millisecond)
	p.reporter.Succinct, p.reporter.NoColor = true, true
	// What Ginkgo would leave out need not be in its tree: sorting thousands of specs takes longer than
	// playing a few.
	if picks, err := types.ParseLabelFilter(filter); err == nil {
		p.run.rows = slices.DeleteFunc(p.run.rows, func(row engine.Row) bool {
			return !picks(suite.Labels(row))
		})
	}
	p.run.tree()
	ginkgo.ReportAfterEach(p.collect)
	return p
}

// Rows lists those that are run.
func (p *Program) Rows() []engine.Row { return p.run.rows }

// Run runs the specs and returns when nothing is left of the run.
func (p *Program) Run() {
	stdout := formatter.ColorableStdOut
	formatter.ColorableStdOut = io.Discard
	defer func() { formatter.ColorableStdOut = stdout }()
	ginkgo.RunSpecs(silent{}, description, p.suite, p.reporter)
	p.run.begin()        // an interrupt may have come before the first spec
	_ = p.run.end(false) // there is nothing to finish: see Build
}

// silent stands for the testing.T that Ginkgo wants: the exit code follows the
// report.
type silent struct{}

func (silent) Fail() {}

// collect takes the verdict of a spec out of its report.
func (p *Program) collect(spec ginkgo.SpecReport) {
	for _, e := range spec.ReportEntries {
		if v, ok := e.GetRawValue().(*Verdict); ok {
			p.collected[v.judgement.Row] = v.judgement
		}
	}
}

// Report is the report on the specs that were run. Those that were picked, but not
// reached because the run was ended before, are in it with what is known of them.
func (p *Program) Report() *reports.Report {
	var all []*engine.Judgement
	for _, row := range p.run.rows {
		j, ok := p.collected[row]
		if !ok {
			j, ok = p.engine.Await(context.Background(), row)
		}
		if ok {
			all = append(all, j)
		}
	}
	return p.engine.ReportOn(all, p.run.options.Strict)
}

// Expression is the selection of a configuration as a label filter; empty if it picks all.
func Expression(c suite.Config) string {
	var all []string
	if len(c.Only) > 0 {
		all = append(all, ids(c.Only))
	}
	if len(c.Skip) > 0 {
		all = append(all, "!"+ids(c.Skip))
	}
	if c.LabelFilter != "" {
		all = append(all, "("+c.LabelFilter+")")
	}
	return strings.Join(all, " && ")
}

func ids(all []string) string {
	labels := make([]string, len(all))
	for i, name := range all {
		labels[i] = "area:" + name
		if strings.Contains(name, "-") {
			labels[i] = "id:" + name
		}
	}
	return "(" + strings.Join(labels, " || ") + ")"
}

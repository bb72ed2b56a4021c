// Package conformance is a run as a Ginkgo suite: a tree of areas, combinations and
// requirements, with labels, in which each requirement in each combination is a spec.
// Filters, focus, interrupts, timeouts and progress are Ginkgo's.
//
// A spec asks the engine for its verdict, waits for it, and fails, through Gomega, if it
// speaks against the target. The engine plays what all specs need that are to be run, from
// the first one on: their order costs no time. Every spec has a report entry "verdict"; a
// red one also "expected", "actual", "hint", "repeat" and "frames": they are in reports, and the message of a
// failure says the same on the console. Where Ginkgo has no word of its
// own the entry tells: a warning passes, with an entry "warning", and what is not
// applicable or blocked is skipped, but a blocked MUST fails. What the baseline of the
// configuration excuses is skipped as well; an entry that is outdated fails the suite.
//
// To judge a server with Ginkgo's or Go's own tools:
//
//	go tool ginkgo --label-filter='area:PAGE' --junit-report=r.xml ./suite/conformance -- --url URL
//	go test ./suite/conformance -args --url URL
//	go test ./suite/conformance -args -- COMMAND
//
// [Flags] has the flags. In a Ginkgo suite of one's own [Specs] adds the tree:
//
//	var _ = conformance.Specs(suite.Config{Target: ...}, conformance.Options{})
//
// The tree does not depend on the target, which is not talked to before the first spec
// runs, and so not at all under --dry-run. Specs of combinations that the target turns out
// not to serve are skipped. If the target cannot be reached, or nothing of what was picked
// applies to it, the first spec fails and says so.
//
// The specs are serial: of several processes (-p) the first one judges, and the others are
// left for other specs. One target is never judged several times at once. An interrupt, a
// timeout and --fail-fast end the run: what is known is given, and no process is left.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/baseline"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"
)

// Options says how verdicts are presented.
type Options struct {
	// Strict makes warnings fail.
	Strict bool
	// Arguments are those of the test binary behind --, for the commands that repeat
	// verdicts; see [Arguments.String].
	Arguments string
	// Context ends the run early; nil means never.
	Context context.Context
}

// Specs adds the rows that a run can have to the Ginkgo tree. Call it at the top level,
// while the tree is built. A configuration that cannot be run becomes a spec that fails.
func Specs(c suite.Config, o Options) bool {
	_, err := add(c, o, types.NewCodeLocation(1))
	if err != nil {
		ginkgo.It("can be judged", func() { ginkgo.Fail(err.Error()) })
	}
	return true
}

// add is [Specs] for whoever has more to do with the run.
func add(c suite.Config, o Options, caller types.CodeLocation) (*run, error) {
	known, err := c.Known()
	if err != nil {
		return nil, err
	}
	rows, err := suite.Possible(c)
	if err != nil {
		return nil, err
	}
	r := newRun(o, rows)
	r.known, r.caller = known, caller
	r.finish = func(report *reports.Report) error {
		err := c.Finish(report, known, r.again)
		if b := report.Summary.Baseline; b.Outdated() {
			err = errors.Join(err, errors.New(strings.Join(write.Outdated(b), "\n")))
		}
		return err
	}
	r.narrator.Listen(&c.Progress)
	if specs, reporter := ginkgo.GinkgoConfiguration(); specs.ParallelTotal == 1 && !reporter.Succinct {
		r.console = formatter.ColorableStdOut // which Ginkgo catches where there are several processes
	}
	r.prepare = func(ctx context.Context) (*engine.Run, error) { return suite.Prepare(ctx, c) }
	r.tree()
	return r, nil
}

// RunSpecs adds the tree and runs it, in a test that Ginkgo or Go runs. Only what the
// specs that are not filtered out need is played. Skipped specs, of which there are many,
// are printed with -v only. A label filter that names what there is not fails, unless the suite
// has specs or areas of its own, and so does a run without any spec.
func RunSpecs(t ginkgo.GinkgoTestingT, c suite.Config, o Options) bool {
	specs, reporter := ginkgo.GinkgoConfiguration()
	specs.FailOnEmpty = true
	reporter.SilenceSkips = reporter.SilenceSkips || reporter.Verbosity().LT(types.VerbosityLevelVerbose)
	r, err := add(c, o, types.NewCodeLocation(1))
	if err == nil && r.pick() && len(c.Areas) == 0 && specs.LabelFilter != "" {
		_, err = Filter(specs.LabelFilter)
	}
	if err != nil {
		specs.LabelFilter, specs.FocusStrings, specs.SkipStrings, specs.DryRun = "unusable", nil, nil, false
		ginkgo.It("can be judged", ginkgo.Label("unusable"), func() { ginkgo.Fail(err.Error()) })
		return ginkgo.RunSpecs(t, description, specs, reporter)
	}
	return ginkgo.RunSpecs(t, description, specs, reporter)
}

const description = "mcpcheck"

// run is a run that specs wait for. It begins when the first of them is reached.
type run struct {
	options Options
	rows    []engine.Row // those that are played
	prepare func(context.Context) (*engine.Run, error)
	// finish writes what is to be written when the run is over; nil if the caller does.
	finish func(*reports.Report) error
	known  *baseline.File     // nil without a baseline
	caller types.CodeLocation // where specs stand, in the eyes of Ginkgo

	once   sync.Once
	cancel context.CancelCauseFunc
	opened chan struct{} // closed when the target was found out about
	engine *engine.Run
	failed error // why there is no run
	// obstacle is why the run, or a part of it, could not be carried out; empty if it was.
	obstacle string

	shown    []*engine.Judgement // verdicts that specs had
	told     atomic.Bool         // that there is an obstacle
	causes   map[any]string      // of failures that specs have shown: see [write.FindingOnce]
	narrator engine.Narrator
	console  io.Writer // gets lines of progress while a spec waits
}

func newRun(o Options, rows []engine.Row) *run {
	if o.Context == nil {
		o.Context = context.Background()
	}
	return &run{
		options: o, rows: rows, opened: make(chan struct{}), causes: map[any]string{}, console: io.Discard,
	}
}

// tree adds a container for each area, in it one for each combination, and in these the
// specs.
func (r *run) tree() {
	for _, rows := range by(r.rows, func(row engine.Row) any { return row.Area }) {
		area := rows[0].Area
		ginkgo.Describe(area.Name+" "+area.Title, ginkgo.Serial, func() {
			for _, rows := range by(rows, func(row engine.Row) any { return row.Combination }) {
				ginkgo.Describe(rows[0].Combination.String(), func() {
					for _, row := range rows {
						ginkgo.It(row.Requirement.ID+" "+row.Requirement.Title, r.caller,
							ginkgo.Label(suite.Labels(row)...),
							func(ctx ginkgo.SpecContext) { r.spec(ctx, row) })
					}
				})
			}
		})
	}
	ginkgo.ReportAfterSuite("nothing is left of the run", func(_ ginkgo.SpecContext, suite ginkgo.Report) {
		if err := r.end(len(suite.SpecialSuiteFailureReasons) > 0); err != nil {
			ginkgo.Fail(err.Error())
		}
	})
}

// by groups rows by what they have in common, in the order of the first of each group.
func by(rows []engine.Row, key func(engine.Row) any) (groups [][]engine.Row) {
	places := map[any]int{}
	for _, row := range rows {
		at, known := places[key(row)]
		if !known {
			at, groups = len(groups), append(groups, nil)
			places[key(row)] = at
		}
		groups[at] = append(groups[at], row)
	}
	return groups
}

// pick narrows what is played down to the specs that Ginkgo is going to run. It reports
// whether the suite has no others.
func (r *run) pick() bool {
	picked, all := map[string]bool{}, len(r.rows)
	preview := ginkgo.PreviewSpecs(description).SpecReports.WithLeafNodeType(types.NodeTypeIt)
	for _, s := range preview {
		if s.State.Is(types.SpecStatePassed) {
			picked[strings.Join(s.LeafNodeLabels, " ")] = true
		}
	}
	r.rows = slices.DeleteFunc(r.rows, func(row engine.Row) bool {
		return !picked[strings.Join(suite.Labels(row), " ")]
	})
	return len(preview) == all
}

// begin finds out about the target and starts the run.
func (r *run) begin() {
	r.once.Do(func() {
		ctx, cancel := context.WithCancelCause(r.options.Context)
		r.cancel = cancel
		go func() {
			defer close(r.opened)
			if r.engine, r.failed = r.prepare(ctx); r.failed == nil {
				r.engine.Start(ctx, r.rows)
			}
			r.obstacle = r.obstacles()
		}()
	})
}

// end waits until nothing is left of the run. One whose specs were not all reached is
// interrupted: because Ginkgo ended early, or because nobody asked for the rest.
func (r *run) end(early bool) error {
	if r.cancel == nil {
		return nil // none was
	}
	<-r.opened
	if r.engine == nil {
		return nil
	}
	all := len(r.shown) == len(r.engine.Rows())
	switch {
	case all:
	case time.Now().Before(r.engine.Deadline()):
		r.cancel(engine.ErrInterrupted)
	default: // Ginkgo counts the same time, and may be the first to see that it is spent
		r.cancel(engine.ErrBudget)
	}
	<-r.engine.Done()
	if r.finish == nil {
		return nil
	}
	if all || early {
		return r.finish(r.engine.ReportOn(r.shown, r.options.Strict))
	}
	return r.finish(r.engine.ReportOnPart(r.shown, r.options.Strict))
}

// again is how a verdict is repeated, anywhere in the module of the suite: by the command go, as
// ginkgo need not be installed and takes directories only.
func (r *run) again(id, revision, transport string) string {
	s := fmt.Sprintf("go test %s -ginkgo.label-filter='id:%s && rev:%s && transport:%s'", testedPackage(), id,
		revision, transport)
	if r.options.Arguments != "" {
		s += " -args " + r.options.Arguments
	}
	return s
}

// testedPackage is the import path of the package whose tests run; its directory where the program was
// built without one.
func testedPackage() string {
	if b, ok := debug.ReadBuildInfo(); ok && strings.HasSuffix(b.Path, ".test") {
		return strings.TrimSuffix(b.Path, ".test")
	}
	return "."
}

// await waits for the verdict on a row. When the context of the spec ends so does the run;
// the verdict then says so. It is nil if the run has no such row.
func (r *run) await(ctx context.Context, row engine.Row) *engine.Judgement {
	r.begin()
	defer context.AfterFunc(ctx, func() { r.cancel(ended(ctx)) })()
	<-r.opened
	if r.failed != nil {
		return nil
	}
	j, _ := r.engine.Await(context.Background(), row)
	return j
}

// ended is why a spec was ended by Ginkgo.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && strings.HasPrefix(cause.Error(), "suite timeout") {
		return engine.ErrBudget
	}
	return engine.ErrInterrupted
}

// spec waits for a verdict and presents it.
func (r *run) spec(ctx ginkgo.SpecContext, row engine.Row) {
	detach, silence := ctx.AttachProgressReporter(r.narrator.String), r.narrator.Write(r.console)
	j := r.await(ctx, row)
	silence()
	detach()
	if j != nil {
		// also where the spec fails by an obstacle: otherwise the run looks as if it was left early
		r.shown = append(r.shown, j)
	}
	switch {
	case r.obstacle != "" && !r.told.Swap(true):
		ginkgo.Fail(r.obstacle)
	case r.obstacle != "" && j == nil:
		ginkgo.Skip(r.obstacle)
	case j == nil:
		ginkgo.Skip(fmt.Sprintf("the target does not serve %s", row.Combination))
	}
	report := r.engine.Show(j)
	v := &Verdict{Result: report.Results[0], judgement: j}
	if r.known != nil {
		v.ExcusedReason, v.Excused = r.known.Excuse(&v.Result, time.Now())
	}
	if r.finish != nil && v.Verdict.Red() {
		v.Rerun = r.again(v.ID, v.Revision, v.Transport)
	}
	if v.Verdict.Red() || v.Verdict == reports.Blocked {
		v.finding = write.FindingOnce(report, &v.Result, r.causes)
	}
	present(v, report.Frames, r.options.Strict)
}

// obstacles says why the run, or a part of it, cannot be carried out; nothing if it can.
func (r *run) obstacles() string {
	switch {
	case r.failed != nil:
		return r.failed.Error()
	case r.engine.Unreachable() != "":
		return "the target could not be judged: " + r.engine.Unreachable()
	case len(r.engine.Rows()) == 0:
		return "nothing that was picked applies to what the target serves: " +
			fmt.Sprint(r.engine.Combinations())
	}
	return strings.Join(r.engine.UnreachableEndpoints(), "; ")
}

// Package ginkgorun presents a run as Ginkgo specs: one container for each
// combination, one spec for each requirement, with labels. It is the only package
// that imports Ginkgo.
//
// Ginkgo neither times nor judges nor reports here: it has no warning state, its
// "skipped" means four different things, and specs that never ran vanish. The
// engine plays and judges, each spec waits for its verdict, and reports are
// written from what the engine says.
//
// To show the verdicts in a Ginkgo suite of your own, prepare a run while the
// tree is built and hand it to [Specs]:
//
//	var _ = ginkgorun.Specs(run, ginkgorun.Options{})
package ginkgorun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"
)

// Options says how verdicts are presented.
type Options struct {
	// Strict makes warnings fail.
	Strict bool
	// Context ends the run early; nil means never.
	Context context.Context
}

// Specs adds the rows of a prepared run to the Ginkgo tree. The run is executed
// when the first spec is reached, and ended when Ginkgo is interrupted. Call it
// once for each run, while the tree is built. A run that cannot be carried out (nil,
// after an error of Prepare; a target that cannot be reached; nothing selected)
// becomes a spec that fails and says so: no spec at all would look like success.
func Specs(r *engine.Run, o Options) bool {
	for _, why := range obstacles(r) {
		ginkgo.It("can be judged", func() { ginkgo.Fail(why) })
	}
	if r != nil {
		specs(r, o)
	}
	return true
}

func specs(r *engine.Run, o Options) *presentation {
	if o.Context == nil {
		o.Context = context.Background()
	}
	p := &presentation{run: r, options: o}
	byCombination := map[requirement.Combination][]engine.Row{}
	var order []requirement.Combination
	for _, row := range r.Rows() {
		if byCombination[row.Combination] == nil {
			order = append(order, row.Combination)
		}
		byCombination[row.Combination] = append(byCombination[row.Combination], row)
	}
	for _, c := range order {
		ginkgo.Describe(c.String(), func() {
			for _, row := range byCombination[c] {
				ginkgo.It(row.Requirement.ID+" "+row.Requirement.Title, ginkgo.Label(suite.Labels(row)...), func(ctx ginkgo.SpecContext) {
					p.spec(ctx, row)
				})
			}
		})
	}
	return p
}

// obstacles lists why a run, or a part of it, cannot be carried out.
func obstacles(r *engine.Run) []string {
	switch {
	case r == nil:
		return []string{"there is no run: see the error of Prepare"}
	case len(r.Rows()) == 0 && r.Unreachable() == "":
		return []string{"nothing was selected"}
	case r.Unreachable() != "":
		return []string{r.Unreachable()}
	}
	return r.UnreachableEndpoints()
}

// presentation executes a run once, however many specs wait for it.
type presentation struct {
	run     *engine.Run
	options Options
	start   sync.Once
	cancel  context.CancelCauseFunc
}

func (p *presentation) begin() {
	p.start.Do(func() {
		ctx, cancel := context.WithCancelCause(p.options.Context)
		p.cancel = cancel
		go p.run.Execute(ctx)
	})
}

// spec waits for a verdict and shows it as Ginkgo can. An interrupt ends the run;
// the verdict then says so.
func (p *presentation) spec(ctx context.Context, row engine.Row) {
	p.begin()
	j, ok := p.run.Await(ctx, row)
	if !ok {
		p.cancel(engine.ErrInterrupted)
		j, _ = p.run.Await(context.Background(), row)
	}
	req := row.Requirement
	level := req.LevelIn(row.Combination.Revision)
	red := fmt.Sprintf("%s %s (%s)\nexpected: %s\nactual:   %s\n%s", level, req.Title, req.Citation(row.Combination.Revision), j.Expected, j.Actual, j.Hint)
	switch {
	case j.Outcome == verdict.Fail, j.Outcome == verdict.Warn && p.options.Strict:
		ginkgo.Fail(red)
	case j.Outcome == verdict.Warn:
		ginkgo.AddReportEntry("warning", red)
	case j.Outcome == verdict.Blocked && level == requirement.Must:
		ginkgo.Fail("could not be judged: " + j.Reason)
	case j.Outcome == verdict.Blocked, j.Outcome == verdict.NotApplicable:
		ginkgo.Skip(string(j.Code) + ": " + j.Reason)
	}
}

// Run presents a run to Ginkgo as a program does that has no tests of its own,
// without any output, and returns when the run is over. Ginkgo allows it once in
// a process.
func Run(ctx context.Context, r *engine.Run, o Options) error {
	o.Context = ctx
	p := specs(r, o)
	stdout := formatter.ColorableStdOut
	formatter.ColorableStdOut = io.Discard
	defer func() { formatter.ColorableStdOut = stdout }()
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.FailOnEmpty = false
	suiteConfig.Timeout = 0
	reporterConfig.Succinct, reporterConfig.NoColor = true, true
	t := &silent{}
	ginkgo.RunSpecs(t, "mcpcheck", suiteConfig, reporterConfig)
	rows := r.Rows()
	if len(rows) == 0 {
		return errors.New("there is nothing to present")
	}
	p.begin() // an interrupt may have come before the first spec
	if _, ok := r.Await(context.Background(), rows[0]); !ok {
		return errors.New("the run did not end")
	}
	return nil
}

// silent stands for the testing.T that Ginkgo wants: the exit code follows the
// report.
type silent struct{}

func (*silent) Fail() {}

// key is what a label begins with.
var key = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*`)

// Filter turns a Ginkgo label filter, such as "rev:2025-11-25 && !area:SUB", into
// a condition on labels. The error is a sentence about the expression.
func Filter(expression string) (func(labels []string) bool, error) {
	if strings.TrimSpace(expression) == "" {
		return nil, errors.New("the label filter is empty")
	}
	filter, err := types.ParseLabelFilter(expression)
	if err != nil {
		return nil, fmt.Errorf("the label filter %q cannot be understood: %s", expression, summary(err))
	}
	for _, atom := range atoms(expression) {
		name := key.FindString(atom)
		if !slices.Contains(suite.LabelKeys(), strings.ToLower(name)) || !strings.HasPrefix(strings.TrimSpace(atom[len(name):]), ":") {
			return nil, fmt.Errorf("the label filter %q uses %q: labels begin with %s", expression, strings.TrimSpace(atom), strings.Join(suite.LabelKeys(), ":, ")+":")
		}
		value := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(atom[len(name):]), ":"))
		if known := values(strings.ToLower(name)); value != "" && !operation(value) && !slices.ContainsFunc(known, func(s string) bool { return strings.EqualFold(s, value) }) {
			return nil, fmt.Errorf("the label filter %q uses %q, which no requirement bears%s", expression, name+":"+value, meant(value, known))
		}
	}
	return filter, nil
}

// values lists the values that labels with a key can have.
func values(name string) []string {
	var all []string
	switch name {
	case "rev":
		all = words(requirement.Revisions())
	case "transport":
		all = words(requirement.Transports())
	case "level":
		all = words([]requirement.Level{requirement.Must, requirement.Should, requirement.May})
	case "profile":
		all = requirement.Profiles()
	case "area":
		for _, a := range area.Catalogue().Areas() {
			all = append(all, a.Name)
		}
	case "id":
		for _, r := range area.Catalogue().Requirements() {
			all = append(all, r.ID)
		}
	}
	return all
}

func words[T ~string](all []T) []string {
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = string(s)
	}
	return list
}

// meant says what a value may have been meant to be; where there are only a few it
// lists them.
func meant(value string, known []string) string {
	const few = 10
	if s := nearest.Question(value, known); s != "" || len(known) > few {
		return s
	}
	return ": there are " + strings.Join(known, ", ")
}

// operation reports whether what follows a key is the name of an operation on sets.
func operation(value string) bool {
	switch strings.ToLower(value) {
	case "isempty", "containsany", "containsall", "consistsof", "issubsetof":
		return true
	}
	return false
}

// atoms lists the labels of an expression: what is left when operators, regular
// expressions and the arguments of set operations are taken out.
func atoms(expression string) []string {
	cleared := regexp.MustCompile(`/[^/]*/|\{[^}]*\}`).ReplaceAllString(expression, " ")
	var found []string
	for _, part := range regexp.MustCompile(`\|\||&&|[!,()]`).Split(cleared, -1) {
		if part = strings.TrimSpace(part); part != "" {
			found = append(found, part)
		}
	}
	return found
}

// escape is a colour in Ginkgo's errors.
var escape = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// summary is the telling line of Ginkgo's error, with the position in the
// expression, which Ginkgo shows by a colour. The lines are a heading, the
// expression and what is wrong with it.
func summary(err error) string {
	lines := strings.Split(err.Error(), "\n")
	if len(lines) < 3 {
		return strings.TrimSpace(escape.ReplaceAllString(lines[0], ""))
	}
	told := strings.TrimRight(strings.TrimSpace(escape.ReplaceAllString(lines[2], "")), ".")
	const margin = 2
	if at := escape.FindStringIndex(lines[1]); at != nil && at[0] >= margin {
		return fmt.Sprintf("at character %d: %s", at[0]-margin+1, told)
	}
	return told
}

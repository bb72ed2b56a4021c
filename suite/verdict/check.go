// Package verdict is what checks are made of. A [Check] judges one requirement on recorded
// scenarios; it is a pure function of recordings and never talks to the target. The checks
// themselves stand in the packages of the areas, below suite/area.
//
// [Evaluate] runs a check and turns what it found into a verdict, under the fairness rules
// that hold for all: a check can be no more severe than the grade of its requirement, an
// exchange without an answer satisfies nothing, and a check that had nothing to look at
// says so. A check states what it expects through its [Verdict], by [Verdict.Expect] and
// the matchers of package matcher or by [Verdict.That]; a [Gate] says when it applies.
//
// The other files hold what the checks of several areas ask of a recording: listed items
// and lists, reads and their contents, messages and what was heard, errors, HTTP responses,
// and words for sentences.
package verdict

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// Checks are some checks by the ids of their requirements in the catalogue, which holds text, level, grade
// and sections.
type Checks map[string]Check

// Join joins checks.
func Join(several ...Checks) Checks {
	all := Checks{}
	for _, some := range several {
		maps.Copy(all, some)
	}
	return all
}

// Needing puts conditions before those of each check.
func (c Checks) Needing(gates Gates) Checks {
	for id, k := range c {
		k.Needs = slices.Concat(gates, k.Needs)
		c[id] = k
	}
	return c
}

// Check judges one requirement.
type Check struct {
	// From names the recordings that are judged, one after the other; without any it is
	// [recording.Everything], which stands for all frames of all clean sessions.
	From recording.Names
	// With names further recordings that Judge looks at, through [Verdict.Input]:
	// what it names is played, and it can reach nothing else. [recording.Every] stands for
	// the recordings of all scenarios.
	With recording.Names
	// Probes says that the check looks at the answers to probes as well, in whatever
	// scenario they were sent: it judges even where no clean session was recorded.
	Probes bool
	// Declared says that what the target declares decides as well: the evidence holds it.
	Declared bool
	// Endings says that the check looks at how long processes take to end.
	Endings bool
	// Needs are conditions on what the target declares and serves; where
	// one does not hold the requirement is not applicable.
	Needs Gates
	// Judge looks at one recording, which its verdict holds.
	Judge Judge
}

// Judge looks at one recording: see [Check].
type Judge func(*Verdict)

// Each judges one by one what is found in a recording.
func Each[T any](find func(*Verdict) []T, judge func(T, *Verdict)) Judge {
	return func(v *Verdict) {
		for _, one := range find(v) {
			judge(one, v)
		}
	}
}

// Or says why there was no occasion to judge, if nothing was judged: see [Verdict.Skip].
func (j Judge) Or(code recording.Code, reason string) Judge {
	return func(v *Verdict) {
		j(v)
		v.Skip(code, "%s", reason)
	}
}

// Steps finds the exchanges of some steps.
func Steps(names ...recording.Step) func(*Verdict) []*recording.Exchange {
	return func(v *Verdict) []*recording.Exchange { return v.Steps(names...) }
}

// InScenario judges the recordings of one scenario by one function, and those of the others by another.
func InScenario(name recording.Name, one, other Judge) Judge {
	return func(v *Verdict) {
		if v.Scenario == name {
			one(v)
		} else {
			other(v)
		}
	}
}

// Judged lists the recordings that are judged.
func (c *Check) Judged() recording.Names {
	if len(c.From) == 0 {
		return Everything
	}
	return c.From
}

// Inputs lists the recordings that the check can reach.
func (c *Check) Inputs() recording.Names { return slices.Concat(c.Judged(), c.With) }

// Outcome is a verdict in a word, as reports have it.
type Outcome = reports.Verdict

// The outcomes.
const (
	Pass          = reports.Pass
	Fail          = reports.Fail
	Warn          = reports.Warn
	NotApplicable = reports.NotApplicable
	Blocked       = reports.Blocked
)

// Result is what a check found.
type Result struct {
	Outcome Outcome
	// Code and Reason say why, for every outcome but a pass and a failure,
	// of which Expected and Actual speak. Of a warning the reason is why it
	// is only that, of a pass that it rests on a sample.
	Code             recording.Code
	Reason           string
	Expected, Actual string
	// Cause is the code of the statement that does not hold, where the check gives
	// one; else Expected stands for it. See [CauseCode]. It is shared if verdicts on other
	// requirements with this code are the same finding.
	Cause       string
	SharedCause bool
	// Title is what was judged, where that is not what the title of the requirement says.
	Title string
	// Hint says what to change in the target.
	Hint string
	// Gravity is that of the requirement, on red outcomes, unless nobody is harmed by what
	// was seen, or it is about more than the code of an error.
	Gravity requirement.Gravity
	// Frames is the evidence, First how much of it is that of the first violation, Before what came before
	// and makes it one, From the scenarios that were judged. Places are where the violations of a red outcome
	// stand.
	Frames, Before []int
	First          int
	Places         []Place
	From           []recording.Name
	Observations   []Observation
}

// Observation is something that breaks no rule, but that the author of the
// target would want to know.
type Observation struct {
	// ID is a permanent name such as "size-differs".
	ID     string
	Detail string
	Frames []int
}

// Recordings are the scenarios of one combination, by name.
type Recordings map[recording.Name]*recording.Recording

// EvaluateUntil is [Evaluate] for as long as a context lasts. A check that takes longer is
// abandoned: the verdict is that the run ended, and the check goes no further than to its next
// statement.
func EvaluateUntil(ctx context.Context, c *Check, req *requirement.Requirement, facts *recording.Facts,
	recs Recordings) Result {
	if ctx.Err() != nil {
		return unjudged(c)
	}
	judged := make(chan Result, 1)
	go func() { judged <- evaluate(ctx, c, req, facts, recs) }()
	select {
	case result := <-judged:
		return result
	case <-ctx.Done():
		return unjudged(c)
	}
}

// unjudged is the verdict of a check that was abandoned.
func unjudged(c *Check) Result {
	return Result{Outcome: Blocked, Code: recording.CodeInterrupted,
		Reason: "the run ended before this was judged", From: c.Judged()}
}

// abandoned is what a check panics with that goes on after the end of its context.
type abandoned struct{}

// remarks is how many observations there are of one habit: a server that has it with all that it
// sends would fill the report.
const remarks = 3

// Evaluate runs a check in one combination.
func Evaluate(c *Check, req *requirement.Requirement, facts *recording.Facts, recs Recordings) Result {
	return evaluate(context.Background(), c, req, facts, recs)
}

func evaluate(ctx context.Context, c *Check, req *requirement.Requirement, facts *recording.Facts,
	recs Recordings) (result Result) {
	v := &Verdict{Facts: facts, check: c, recs: recs, req: req,
		grade: req.GradeIn(facts.Combination.Revision), over: ctx.Done()}
	defer func() {
		p := recover()
		if _, late := p.(abandoned); late {
			result = unjudged(c)
		} else if p != nil {
			result = Result{Outcome: Blocked, Code: recording.CodePanic, From: c.Judged(),
				Reason: fmt.Sprintf("the check of %s failed: %v; please report this\n%s", req.ID, p,
					firstLines(debug.Stack(), 12))}
		}
	}()
	if skip := c.Needs.Skip(facts); skip != nil {
		return Result{Outcome: NotApplicable, Code: skip.Code, Reason: skip.Reason, From: c.Judged()}
	}
	for _, name := range c.Judged() {
		v.judge(c, name, recs[name])
	}
	if !slices.ContainsFunc(c.Judged(), func(name recording.Name) bool {
		return recs[name] != nil
	}) {
		v.Skip(recording.CodeCombination, "the scenario %q does not apply here", c.Judged()[0])
	}
	v.withoutCut()
	result = v.result()
	result.From = c.Judged()
	return result
}

// configured reports whether the target file gives all that a requirement needs of it. If it
// does, more of it is not what is missing.
func configured(req *requirement.Requirement, facts *recording.Facts) bool {
	return len(req.Config) > 0 && !slices.ContainsFunc(req.Config, func(name string) bool {
		return !facts.Configured[name]
	})
}

// judge runs the check on one recording, if it was played.
func (v *Verdict) judge(c *Check, name recording.Name, r *recording.Recording) {
	v.declared, v.ordinary = nil, nil
	if c.Declared && r != nil {
		v.declared = r.Declaration()
	}
	switch {
	case r == nil && c.Probes && len(v.recs) > 0:
		v.look(c, &recording.Recording{Scenario: name, Combination: v.Facts.Combination, Facts: v.Facts})
	case r == nil: // another one may apply
	case r.Skipped != nil && len(r.Exchanges) == 0:
		v.skip(r.Skipped)
	case r.Broken != nil && len(r.Exchanges) == 0:
		v.broke(r.Broken)
	default:
		v.look(c, r)
		if r.Skipped != nil {
			v.skip(r.Skipped)
		}
		if r.Broken != nil {
			v.broke(r.Broken)
		}
	}
}

func (v *Verdict) look(c *Check, r *recording.Recording) {
	v.Recording = r
	c.Judge(v)
}

// broke says why a recording ends early. What the user has forbidden, such as one more
// connection than the target file allows, is no failure of anything.
func (v *Verdict) broke(why *recording.Broken) {
	if why.Code == recording.CodeOptedOut {
		v.Skip(why.Code, "%s", why.Reason)
		return
	}
	v.Block(Frames(why.Frames), why.Code, "%s", why.Reason)
}

func firstLines(b []byte, n int) string {
	lines := strings.SplitN(string(b), "\n", n+1)
	return strings.Join(lines[:min(len(lines), n)], "\n")
}

// result turns what was collected into a verdict: a violation counts more than
// anything, then what could be judged, then what kept us from judging.
func (v *Verdict) result() Result {
	r := Result{Observations: v.Observations}
	if v.grade == requirement.Info || v.grade == requirement.Control {
		seen := map[string]int{}
		for _, f := range v.findings {
			if seen[f.expected]++; seen[f.expected] > remarks {
				continue
			}
			r.Observations = append(r.Observations, Observation{ID: cmp.Or(v.req.Observed, "not-as-expected"),
				Detail: "expected " + f.expected + "; seen: " + f.actual, Frames: f.frames})
		}
		v.judged += len(v.findings)
		v.findings = nil
	}
	decisive, outcome := v.decisive()
	switch {
	case len(decisive) > 0:
		worst := decisive[0]
		r.Outcome = outcome
		r.Title = worst.title
		r.Expected, r.Actual, r.Hint = worst.expected, worst.actual, cmp.Or(worst.hint, v.req.Change)
		r.Cause, r.SharedCause = CauseCode(cmp.Or(worst.sharedCause, worst.cause)), worst.sharedCause != ""
		v.habitual(&r, decisive)
		r.Places = v.places(decisive)
		if outcome == Warn {
			r.Reason = v.downgrade(worst)
			if worst.kept {
				r.Reason = fmt.Sprintf("the %s is kept: %s", v.req.LevelIn(v.Revision()), r.Reason)
			}
		}
		r.Gravity = v.gravity(decisive, outcome)
		r.Frames = evidence(decisive, func(f *Finding) []int { return f.frames })
		r.Before = evidence(decisive, func(f *Finding) []int { return f.before })
		r.First = len(evidence(decisive[:1], func(f *Finding) []int { return f.frames }))
		if n := len(decisive); n > 1 {
			r.Actual += fmt.Sprintf(" (and %d more)", n-1)
		}
	case v.judged > 0:
		r.Outcome, r.Frames = Pass, v.inOrder
		v.onSample(&r)
	case v.blocked != nil:
		r.Outcome, r.Code, r.Reason, r.Frames = Blocked, v.blocked.Code, v.blocked.Reason, v.blocked.Frames
	default:
		why := cmp.Or(v.skipped, noOccasion)
		r.Outcome, r.Code, r.Reason = NotApplicable, why.Code, why.Reason
		if why == noOccasion && v.req.Needs != "" && !configured(v.req, v.Facts) {
			r.Code, r.Reason = recording.CodeNeedsConfig, "the target file has to give "+v.req.Needs
		}
	}
	return r
}

// ObservationCut is the id of the observation that a pass rests on fewer probes than there are.
const ObservationCut = "corpus-cut-short"

// onSample says of a pass how many of the probes it rests on, if they were broken off.
// Where the rule is a MUST this is an observation as well.
func (v *Verdict) onSample(r *Result) {
	if len(v.samples) == 0 {
		return
	}
	r.Reason = "judged on a sample: " + strings.Join(v.samples, "; ")
	if v.req.LevelIn(v.Revision()) == requirement.Must {
		r.Observations = append(r.Observations, Observation{ID: ObservationCut, Detail: r.Reason,
			Frames: v.sampleFrames})
	}
}

// decisive lists the findings that decide, and the outcome they lead to under the grade of
// the requirement.
func (v *Verdict) decisive() ([]*Finding, Outcome) {
	failures := recording.Keep(v.findings,
		func(f *Finding) bool { return !f.warn && v.grade == requirement.Fail })
	if len(failures) > 0 {
		return failures, Fail
	}
	return v.findings, Warn
}

// gravity is that of the requirement, unless none of the findings that decide does harm, it is only a warning
// where the requirement is basic, or one is about more than a code where the requirement is mostly about
// codes.
func (v *Verdict) gravity(decisive []*Finding, outcome Outcome) requirement.Gravity {
	if v.req.Gravity == requirement.Basic && outcome != Fail ||
		v.req.Gravity == requirement.Codes &&
			slices.ContainsFunc(decisive, func(f *Finding) bool { return !f.onlyCode }) ||
		!slices.ContainsFunc(decisive, func(f *Finding) bool { return !f.harmless }) {
		return ""
	}
	return v.req.Gravity
}

// downgrade says why a violation is only a warning.
func (v *Verdict) downgrade(f *Finding) string {
	rev := v.Revision()
	basis := v.req.BasisIn(rev)
	switch {
	case f.downgraded != "":
		return f.downgraded
	case basis == requirement.Implied:
		return "implied, no sentence of the specification says it"
	case basis == requirement.SchemaDoc:
		return "the schema describes it so, without MUST or SHOULD"
	case v.req.LevelIn(rev) == requirement.Should:
		return "the specification only recommends this"
	case v.grade != requirement.Fail && basis == requirement.External:
		return "the specification leaves it to a document that it refers to"
	case v.grade != requirement.Fail:
		return "there can be good reasons for it, which cannot be seen from outside"
	}
	return "it may have a reason that cannot be seen from outside"
}

// CauseCode makes a code of a few words: results of one requirement that have a cause
// in common are one finding. It is made of lower-case letters and digits in groups that
// hyphens separate, 80 at most.
func CauseCode(words string) string {
	code := strings.Join(strings.FieldsFunc(strings.ToLower(words), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}), "-")
	return strings.TrimRight(code[:min(len(code), 80)], "-")
}

// Gate is a condition on the facts under which a check applies; nil means that
// it holds.
type Gate func(*recording.Facts) *recording.Skipped

// Gates are conditions that all have to hold.
type Gates []Gate

// Skip says why the first one does not hold that does not; nil if all do.
func (g Gates) Skip(facts *recording.Facts) *recording.Skipped {
	for _, gate := range g {
		if skip := gate(facts); skip != nil {
			return skip
		}
	}
	return nil
}

// Where asks for something to hold, and says why not if it does not.
func Where(holds func(*recording.Facts) bool, code recording.Code, reason string) Gates {
	return Gates{func(f *recording.Facts) *recording.Skipped {
		if holds(f) {
			return nil
		}
		return &recording.Skipped{Code: code, Reason: reason}
	}}
}

// Declares asks for a declared capability, by gjson path.
func Declares(path string) Gates {
	return Where(func(f *recording.Facts) bool { return f.Declares(path) }, recording.CodeUndeclared,
		"the target does not declare capabilities."+path)
}

// Lacks asks for a capability that is not declared.
func Lacks(path string) Gates {
	return Where(func(f *recording.Facts) bool { return !f.Declares(path) }, recording.CodeNotExercised,
		"the target declares capabilities."+path)
}

// Withholds asks for a capability that is plainly not declared: its member is absent
// or false in a declaration that is in order. What is declared by a value of the
// wrong type is judged once, by the checks of the declaration.
func Withholds(path string) Gates {
	above, _, nested := strings.Cut(path, ".")
	object := func(f *recording.Facts) bool { return !nested || f.Capability(above).IsObject() }
	absent := func(f *recording.Facts) bool {
		c := f.Capability(path)
		return !c.Exists() || c.Type == gjson.False
	}
	return slices.Concat(Lacks(path), Declaring,
		Where(object, recording.CodeNotExercised,
			fmt.Sprintf("the target does not declare capabilities.%s as an object", above)),
		Where(absent, recording.CodeNotExercised,
			fmt.Sprintf("the target declares capabilities.%s by a value of another type", path)))
}

// ModernOnly asks for a target without legacy revisions on this transport.
var ModernOnly = Where((*recording.Facts).ModernOnly, recording.CodeNotExercised,
	"the target also serves revisions with a handshake")

// DualEra asks for a target with both legacy and modern revisions.
var DualEra = Where((*recording.Facts).DualEra, recording.CodeNotExercised,
	"the target serves only one era of the protocol on this transport")

// The capabilities that most checks depend on.
var (
	Resources   = Declares("resources")
	Subscribe   = Declares("resources.subscribe")
	ListChanged = Declares("resources.listChanged")
	Completions = Declares("completions")
)

// Allowed takes a requirement out where the user declared the behaviour as
// intended.
func Allowed(name string) Gates {
	return Where(func(f *recording.Facts) bool { return !f.Allowed[name] }, recording.CodeOptedOut,
		fmt.Sprintf("the target file allows %q", name))
}

// Declaring asks for a target of which it is known what it declares.
var Declaring = Where(func(f *recording.Facts) bool {
	return len(f.Declared) > 0
}, recording.CodeNotExercised, "it is not known what the target declares")

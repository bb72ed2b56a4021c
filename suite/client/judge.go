package client

import (
	"cmp"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/catalogue"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The reason codes that only verdicts on clients have.
const (
	// codeIncomplete is that of a verdict which needs what the journal no longer has.
	codeIncomplete recording.Code = "journal-incomplete"
	// codeNothingDone is that of a client that did nothing with resources, and the id
	// of the observation which says so.
	codeNothingDone recording.Code = "nothing-done"
)

// Options are what the journal does not tell. The zero value judges a client that may still
// be running, under no name.
type Options struct {
	// Tool introduces the program that judges; an empty name means mockserver.
	Tool reports.Tool
	// Name is what the client is called in the report, Address how it was started;
	// empty means what it says of itself.
	Name, Address string
	// Config is put into the report as it stands.
	Config reports.Config
	// Strict counts warnings as failures.
	Strict bool
	// Only limits the verdicts to these ids.
	Only []string
	// Ended says that the client has ended, so that what it has not done it never will.
	Ended bool
	// SingleClient says that all entries are of one client. Otherwise it is not known
	// who has given up after a session was lost, and nobody is blamed for it.
	SingleClient bool
	// Interrupted says in a few words why the client did not come to its end.
	Interrupted string
	// Duration is how long it ran; 0 means the time from the first entry to the last.
	Duration time.Duration
	// Secrets are texts that must not appear in the report.
	Secrets []string
}

// Judge says what a client did. The report has been summarized. Without any message of a
// client it has no results, and nothing is established.
func Judge(j Journal, o Options) *reports.Report {
	record := newRecord(j.entries)
	o.Tool.Name = cmp.Or(o.Tool.Name, "mockserver")
	o.Tool.Catalogue = cmp.Or(o.Tool.Catalogue, "client "+catalogue.Version)
	o.Config.Strict, o.Config.Only = o.Strict, o.Only
	var verdicts []judgement
	for _, g := range record.groups(o) {
		for _, k := range checks() {
			q, _ := Catalogue().Find(k.requirement) // a test holds that each check has a row
			if q.Names(g.Combination) && (len(o.Only) == 0 || slices.Contains(o.Only, q.ID)) {
				verdicts = append(verdicts, judgement{verdict: k.evaluate(q, g), row: q, in: g.Combination})
			}
		}
	}
	idle := len(record.conversations) > 0 && !record.atWork()
	if idle {
		withhold(verdicts)
	}
	return report(record, verdicts, idle, o)
}

// judgement is the verdict on a requirement in a combination.
type judgement struct {
	verdict verdict.Result
	row     *requirement.Requirement
	in      requirement.Combination
}

// evaluate runs a check under the rules that hold for all checks.
func (k *check) evaluate(q *requirement.Requirement, g *group) verdict.Result {
	v := &judging{}
	r := verdict.Evaluate(&verdict.Check{Requirement: q.ID, Judge: func(_ *recording.Recording, kit *verdict.Verdict) {
		v.Verdict = kit
		k.judge(g, v)
		v.skip("the client gave no occasion: " + k.occasion)
	}}, q, &recording.Facts{Combination: g.Combination}, nil)
	if r.Outcome == verdict.Pass {
		r.Frames = v.evidence
	}
	return r
}

// judging is a verdict in the making. Frames are the numbers of entries.
type judging struct {
	*verdict.Verdict
	evidence []int // of what was in order
}

// maxEvidence is how many frames a verdict cites.
const maxEvidence = 8

// pass notes an occasion at which all was in order.
func (v *judging) pass(frames ...int) {
	v.Holds()
	if len(v.evidence) < maxEvidence {
		v.evidence = append(v.evidence, frames...)
	}
}

// violated notes a violation, and what to change in the client.
func (v *judging) violated(expected, actual, hint string, frames ...int) {
	v.That(false, expected, actual, frames...)
	v.Hint("%s", hint)
}

// warn notes a violation that is worth a warning at most, and says why.
func (v *judging) warn(why, expected, actual, hint string, frames ...int) {
	v.WarnUnless(false, expected, actual, frames...)
	v.Hint("%s", hint)
	v.Downgrade(why)
}

// remark notes a habit that breaks no rule.
func (v *judging) remark(habit string, frames ...int) {
	v.Holds()
	v.Observe("client-habit", habit, frames...)
}

// skip says why there was no occasion.
func (v *judging) skip(reason string) { v.Skip(recording.CodeNotExercised, reason) }

// incomplete says that the journal lacks what has to be known.
func (v *judging) incomplete(reason string) { v.Block(codeIncomplete, reason) }

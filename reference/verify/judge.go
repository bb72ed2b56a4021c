package verify

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The reason codes of verdicts that are not established, beside those of package reports.
const (
	CodeUndeclared = "capability-undeclared"
	// CodeIncomplete is that of a verdict which needs what the journal no longer has.
	CodeIncomplete = "journal-incomplete"
	CodePanic      = "internal-error"
)

// Options are what the entries do not tell. The zero value judges a client that may still
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
	// Only limits the verdicts to these ids; empty means all.
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

// Judge says what a client did, from the entries of a journal in their order. The report
// has been summarized. Without any message of a client it has no results, and nothing is
// established.
func Judge(entries []journal.Entry, o Options) *reports.Report {
	record := newRecord(entries)
	tool := o.Tool
	tool.Name = cmp.Or(tool.Name, "mockserver")
	all := Catalogue()
	tool.Catalogue = cmp.Or(tool.Catalogue, digest(all))
	config := o.Config
	config.Strict, config.Only = o.Strict, o.Only
	w := &writer{
		report: reports.New(tool, target(record, o), config), entries: entries,
		mask: mask.NewMasker(o.Secrets), strict: o.Strict,
	}
	for _, g := range record.groups(o) {
		for i := range all {
			rule := &all[i]
			if rule.Names(g.revision, g.transport) && (len(o.Only) == 0 || slices.Contains(o.Only, rule.ID)) {
				w.rulings = append(w.rulings, rule.rule(g))
			}
		}
	}
	if len(record.talks) > 0 && !record.atWork() {
		w.idle()
	}
	w.finish(o)
	return w.report
}

// ruling is the verdict on one rule in one combination while it is being made: the
// gravest finding counts.
type ruling struct {
	rule  *Rule
	group *group

	judged   int // occasions
	findings []finding
	seen     []observation
	idles    []idle
	evidence []uint64 // of what was in order
}

type finding struct {
	verdict          reports.Verdict
	expected, actual string
	reason, hint     string
	evidence         []uint64
}

type observation struct {
	id, detail string
	evidence   []uint64
}

type idle struct{ verdict, code, reason string }

// rule applies a rule to a group. A mistake of ours must not cost the other verdicts.
func (r *Rule) rule(g *group) (v *ruling) {
	v = &ruling{rule: r, group: g}
	defer func() {
		if p := recover(); p != nil {
			v.judged, v.findings = 0, nil
			v.idles = []idle{{string(reports.Blocked), CodePanic, fmt.Sprintf("the check failed: %v", p)}}
		}
	}()
	r.judge(g, v)
	return v
}

// fine notes an occasion at which all was in order.
func (v *ruling) fine(evidence ...uint64) {
	v.judged++
	if len(v.evidence) < maxEvidence {
		v.evidence = append(v.evidence, evidence...)
	}
}

// broken notes a violation, worth the grade of the rule.
func (v *ruling) broken(expected, actual, hint string, evidence ...uint64) {
	switch v.rule.GradeIn(v.group.revision) {
	case Fail:
		v.add(finding{reports.Fail, expected, actual, "", hint, evidence})
	case Warn:
		v.add(finding{reports.Warn, expected, actual, "", hint, evidence})
	default:
		v.judged++
		v.observe("client-habit", actual, evidence...)
	}
}

// dubious notes a violation that is worth a warning at most, and says why.
func (v *ruling) dubious(why, expected, actual, hint string, evidence ...uint64) {
	if v.rule.GradeIn(v.group.revision) == Info {
		v.broken(expected, actual, hint, evidence...)
		return
	}
	v.add(finding{reports.Warn, expected, actual, why, hint, evidence})
}

func (v *ruling) add(f finding) {
	v.judged++
	v.findings = append(v.findings, f)
}

// observe notes what breaks no rule.
func (v *ruling) observe(id, detail string, evidence ...uint64) {
	v.seen = append(v.seen, observation{id, detail, evidence})
}

// idle says why there was no occasion; it counts only if there was none at all.
func (v *ruling) idle(reason string) {
	v.idles = append(v.idles, idle{string(reports.NotApplicable), reports.CodeNotExercised, reason})
}

// undeclared says that the server offers no occasion.
func (v *ruling) undeclared(reason string) {
	v.idles = append(v.idles, idle{string(reports.NotApplicable), CodeUndeclared, reason})
}

// lacking says that the journal lacks what has to be known.
func (v *ruling) lacking(reason string) {
	v.idles = append(v.idles, idle{string(reports.Blocked), CodeIncomplete, reason})
}

// gravest is the finding that is reported, and how many there are of its kind.
func (v *ruling) gravest() (f finding, n int) {
	for _, grade := range []reports.Verdict{reports.Fail, reports.Warn} {
		for _, x := range v.findings {
			if x.verdict == grade {
				if n == 0 {
					f = x
				}
				n++
			}
		}
		if n > 0 {
			return f, n
		}
	}
	return f, 0
}

// why is the reason where nothing was judged: what is lacking comes first.
func (v *ruling) why() idle {
	for _, x := range v.idles {
		if x.verdict == string(reports.Blocked) {
			return x
		}
	}
	if len(v.idles) > 0 {
		return v.idles[0]
	}
	return idle{string(reports.NotApplicable), reports.CodeNotExercised, "the client gave no occasion: " + v.rule.Occasion}
}

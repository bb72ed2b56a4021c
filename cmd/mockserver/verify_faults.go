package main

import (
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/revision"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// faultPatience is how long a client has with a fault where --timeout does not say.
const faultPatience = 10 * time.Second

// combination is a revision over a transport.
type combination struct {
	Revision  string `json:"revision"`
	Transport string `json:"transport"`
}

func (c combination) String() string { return c.Revision + " over " + c.Transport }

// coping is a combination and whether the client works in it without a fault.
type coping struct {
	combination
	Works bool `json:"works"`
	// Why says what went wrong, or what cannot be judged.
	Why string `json:"why,omitempty"`
}

// faulty is how a client coped with a fault in a combination.
type faulty struct {
	Fault       string `json:"fault"`
	Requirement string `json:"requirement,omitempty"`
	combination
	Outcome outcome `json:"outcome"`
	// Detail says how it ended: the exit status, what it printed instead, which request it repeated.
	Detail string `json:"detail,omitempty"`
	TookMS int64  `json:"tookMs"`
	// Client is what a good client does.
	Client string `json:"client,omitempty"`
	why    string // why it was not run; empty if it was
}

// leftOut counts the faults and combinations in which the client was not run, for one reason.
type leftOut struct {
	Runs int    `json:"runs"`
	Why  string `json:"why"`
}

// The reasons of those that nothing in particular is wrong with.
const (
	cannotShow     = "the fault cannot show in the combination"
	interruptedRun = "it was interrupted"
)

// faultReport is the JSON of verify --faults.
type faultReport struct {
	Schema       string          `json:"schema"`
	Client       []string        `json:"client"`
	Combinations []coping        `json:"combinations"`
	Trials       []faulty        `json:"trials"`
	LeftOut      []leftOut       `json:"leftOut"`
	Summary      map[outcome]int `json:"summary"`
	Interrupted  bool            `json:"interrupted,omitempty"`
}

// chosen are the faults of a set: names, areas, connection, or all that clients notice.
func chosen(set []string) ([]listed, error) {
	all := catalogue()
	var known []string
	for _, l := range all {
		known = append(known, l.Name)
	}
	known = append(known, append(areas(all), "all")...)
	var picked []listed
	for _, word := range set {
		n := 0
		for _, l := range all {
			if l.Name != word && (l.Side != sideClient || word != "all" && !strings.EqualFold(l.Area, word)) {
				continue
			}
			n++
			if !slices.ContainsFunc(picked, func(other listed) bool { return other.Name == l.Name }) {
				picked = append(picked, l)
			}
		}
		if n == 0 {
			return nil, usagef("--faults: there is no fault or area %q%s", word,
				nearest.Question(word, known))
		}
	}
	return picked, nil
}

// checkFaults finds mistakes in what goes with --faults.
func (v *verifier) checkFaults() error {
	for flag := range v.Given() {
		if flag != "--json" {
			return usagef("%s means nothing with --faults, which prints a table, or JSON with --json", flag)
		}
	}
	switch {
	case v.jobs < 1:
		return usagef("--jobs must be at least 1")
	case v.provoke || v.endStream || v.protect || len(v.only) > 0 || v.settings.journal != "" ||
		v.steer.admin != "" || v.steer.tokens != "":
		return usagef("--faults judges how a client copes: --provoke, --provoke-stream, --protect, --only," +
			" --journal, --admin and --token-env do not go with it")
	}
	return nil
}

// combinations are those in which the client is run: over the transport that its arguments name, or over all.
func (v *verifier) combinations(args []string) []combination {
	has := func(word string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, word) })
	}
	transports := []string{hook.HTTP}
	switch {
	case has("{server}"):
		transports = []string{hook.Stdio, hook.HTTP, hook.SSE}
	case has("{stdio}") || v.stdioCommand:
		transports = []string{hook.Stdio}
	case has("{sse}"):
		transports = []string{hook.SSE}
	}
	var all []combination
	for _, name := range reference.Revisions() {
		if len(v.options.Revisions) > 0 && !slices.Contains(v.options.Revisions, name) {
			continue
		}
		for _, transport := range transports {
			if slices.Contains(revision.Known().Of(name).Transports, transport) {
				all = append(all, combination{name, transport})
			}
		}
	}
	return all
}

// faultRun is a run of a client against a set of faults.
type faultRun struct {
	*verifier
	cmd  *cobra.Command
	args []string
	base map[string]*baseline // by combination and needs
	mu   sync.Mutex
}

// judgeFaults runs the client against each fault of the set, in each combination, and says how it coped.
func (v *verifier) judgeFaults(cmd *cobra.Command, args []string) (int, error) {
	set, err := chosen(v.faultSet)
	if err != nil {
		return 0, err
	}
	if err := v.checkFaults(); err != nil {
		return 0, err
	}
	if !cmd.Flags().Changed("timeout") {
		v.timeout = faultPatience
	}
	run := &faultRun{verifier: v, cmd: cmd, args: args, base: map[string]*baseline{}}
	r := &faultReport{Schema: "mockserver.faults/1", Client: args, Combinations: []coping{},
		Trials: []faulty{}, LeftOut: []leftOut{}, Summary: map[outcome]int{}}
	for _, at := range v.combinations(args) {
		b, err := run.baseline(at, fault.Needs{})
		if err != nil {
			return 0, err
		}
		r.Combinations = append(r.Combinations, coping{at, b.why == "", b.why})
		if b.why != "" {
			v.note("%s is left out: %s", at, b.why)
		}
	}
	if err = run.trials(set, r); err != nil {
		return 0, err
	}
	r.Interrupted = cmd.Context().Err() != nil
	var unwritten error
	if v.JSON != "" {
		unwritten = output.To(v.JSON, v.stdout, func(w io.Writer) error { return output.JSON(w, r) })
	}
	if v.JSON != "-" {
		if err := texts.ExecuteTemplate(v.stdout, "faults", r.table(v.Quiet)); err != nil {
			return 0, err
		}
	}
	if unwritten != nil {
		v.note("--json: %v", unwritten)
		return reports.ExitNotEstablished, nil
	}
	return r.status(v.strict), nil
}

// trials run the client against each fault in each combination in which it works, some at a
// time; the order of the results is that of the set.
func (f *faultRun) trials(set []listed, r *faultReport) error {
	var all []*faulty
	var running errgroup.Group
	running.SetLimit(f.jobs)
	for _, l := range set {
		for _, at := range r.Combinations {
			t := &faulty{Fault: l.Name, Requirement: l.Requirement, combination: at.combination,
				Client: l.Client}
			all = append(all, t)
			switch {
			case !at.Works:
				t.why = at.String() + ": " + at.Why
			case f.cmd.Context().Err() != nil:
				t.why = interruptedRun
			default:
				running.Go(func() error { return f.trial(l, t) })
			}
		}
	}
	if err := running.Wait(); err != nil {
		return err
	}
	for _, t := range all {
		if t.why == "" {
			r.Trials = append(r.Trials, *t)
			r.Summary[t.Outcome]++
			continue
		}
		i := slices.IndexFunc(r.LeftOut, func(x leftOut) bool { return x.Why == t.why })
		if i < 0 {
			i = len(r.LeftOut)
			r.LeftOut = append(r.LeftOut, leftOut{Why: t.why})
		}
		r.LeftOut[i].Runs++
	}
	return nil
}

// shows reports whether a fault can show in a combination at all.
func shows(n fault.Needs, at combination) bool {
	return (len(n.Revisions) == 0 || slices.Contains(n.Revisions, at.Revision)) &&
		(len(n.Transports) == 0 || slices.Contains(n.Transports, at.Transport)) &&
		(len(n.Served) == 0 || slices.Contains(n.Served, at.Revision)) &&
		(!n.Process || at.Transport == hook.Stdio) && (!n.Authorization || at.Transport != hook.Stdio)
}

// status is the exit status.
func (r *faultReport) status(strict bool) int {
	switch {
	case r.Summary[hung]+r.Summary[crashed] > 0 || strict && r.Summary[otherData] > 0:
		return reports.ExitFindings
	case r.Interrupted || len(r.Trials) == r.Summary[notShown]:
		return reports.ExitNotEstablished
	}
	return reports.ExitOK
}

// table is the report for people: the worst first, each fault with what a good client does.
func (r *faultReport) table(quiet bool) map[string]any {
	faults := map[outcome][][]faulty{}
	for _, all := range group.By(r.Trials, func(t faulty) outcome { return t.Outcome }) {
		faults[all[0].Outcome] = group.By(all, func(t faulty) string { return t.Fault })
	}
	working := slices.DeleteFunc(slices.Clone(r.Combinations), func(at coping) bool { return !at.Works })
	return map[string]any{"Report": r, "Outcomes": outcomes, "Faults": faults, "Working": len(working),
		"Quiet": quiet}
}

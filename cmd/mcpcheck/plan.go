package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/spf13/cobra"
)

func (p *program) planCommand() *cobra.Command {
	o := &runFlags{}
	c := helpcmd.New(help, "plan", nil, func(c *cobra.Command, args []string) error {
		cfg, err := p.configure(c, args, o)
		if err != nil {
			return err
		}
		if cfg.Embedded = cfg.Target == nil; !cfg.Embedded {
			if _, err := suite.Possible(cfg); err != nil {
				return err
			}
		}
		planned, err := tryOut(c.Context(), cfg)
		if err != nil {
			return err
		}
		return output.Buffered(p.stdout, func(w io.Writer) error { return planned.write(w, cfg) })
	}, nil)
	o.register(c.Flags())
	return c
}

// trial is what the reference server was sent in place of a target, or as the target.
type trial struct {
	target       *target.Target
	combinations []requirement.Combination
	scenarios    map[recording.Name]*planned
	methods      map[string]int
	messages     int
}

// planned is a scenario, and how many messages of its own it came to.
type planned struct {
	*scenario.Scenario
	messages, played int
}

// tryOut plays the run against the reference server: how much is sent depends on answers.
// Of another target only the transports and the revisions are used.
func tryOut(ctx context.Context, cfg suite.Config) (*trial, error) {
	done := &trial{scenarios: map[recording.Name]*planned{}, methods: map[string]int{}}
	var mu sync.Mutex
	notes := journal.New(journal.Options{Tap: func(e *journal.Entry, _ []byte) {
		if e.Direction != journal.In || e.Scope != "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		done.messages++
		done.methods[cmp.Or(e.Method, "what names no method, such as GET, DELETE and malformed messages")]++
	}})
	start := embedded.Target
	if cfg.Embedded {
		start = embedded.Complete
	}
	t, server, err := start(reference.Options{Journal: notes})
	if err != nil {
		return nil, impossible("the reference server that is built in cannot be started: %w", err)
	}
	defer server.Close()
	done.target = t
	if cfg.Target != nil {
		if done.target, t = standIn(cfg, t.Endpoints); len(t.Endpoints) == 0 {
			return nil, impossible("nothing can be planned: no endpoint of the target may speak a " +
				"transport that was asked for with a revision that was")
		}
	}
	cfg.Target = t
	cfg.Rate, cfg.QuietWindow, cfg.Unfiltered = -1, embedded.QuietWindow, false
	r, err := suite.Prepare(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if why := r.Unreachable(); why != "" {
		return nil, impossible("nothing can be planned: %s", why)
	}
	r.Execute(ctx)
	done.combinations = r.Combinations()
	for _, at := range done.combinations {
		done.add(r.Take(at).Recordings)
	}
	return done, context.Cause(ctx)
}

// standIn is a target with those of its endpoints that a run calls, and the one that is called in its place.
func standIn(cfg suite.Config, reference []target.Endpoint) (called, instead *target.Target) {
	asked := *cfg.Target
	asked.Endpoints = nil
	instead = &target.Target{Revisions: asked.Revisions, Since: asked.Since, OptOut: asked.OptOut,
		Allow: asked.Allow}
	for _, e := range cfg.Target.Endpoints {
		for _, r := range reference {
			if r.Transport() == supposed(cfg, &e) {
				asked.Endpoints = append(asked.Endpoints, e)
				r.Revisions = e.Revisions
				instead.Endpoints = append(instead.Endpoints, r)
			}
		}
	}
	return &asked, instead
}

// supposed is the transport that the plan supposes an endpoint to speak: the first that it may speak and that
// is asked for, with a revision that is. It is empty where a run leaves the endpoint out.
func supposed(cfg suite.Config, e *target.Endpoint) requirement.Transport {
	for _, t := range e.Candidates() {
		if len(cfg.Transports) > 0 && !slices.Contains(cfg.Transports, t) {
			continue
		}
		if slices.ContainsFunc(requirement.Grid(), func(c requirement.Combination) bool {
			return c.Transport == t && cfg.Target.Wants(e, c.Revision) &&
				(len(cfg.Revisions) == 0 || slices.Contains(cfg.Revisions, c.Revision))
		}) {
			return t
		}
	}
	return ""
}

// add counts what was recorded in one combination.
func (d *trial) add(all map[recording.Name]*recording.Recording) {
	for name, rec := range all {
		s, ok := area.BuiltIn().Scenario(name)
		if !ok || rec.Skipped != nil && len(rec.Exchanges) == 0 {
			continue
		}
		if d.scenarios[name] == nil {
			d.scenarios[name] = &planned{Scenario: s}
		}
		d.scenarios[name].played++
		d.scenarios[name].messages += len(rec.Exchanges)
	}
}

// write tells people what is planned.
func (d *trial) write(w io.Writer, cfg suite.Config) error {
	hide := mask.NewMasker(d.target.Secrets()).String
	var names []string
	for i := range d.target.Endpoints {
		names = append(names, safe.Line(hide(d.target.Endpoints[i].Label())))
	}
	unsent := "Nothing was sent to the target. "
	if cfg.Embedded { // the plan is made with it
		names, unsent = []string{"the reference server that is built in, since no server is named (a " +
			"command behind --, --serve, --url or --config)"}, ""
	}
	var grid []string
	for _, c := range d.combinations {
		grid = append(grid, c.String())
	}
	served := "in what it serves of these combinations: "
	if cfg.Quick {
		served = "in the newest revision that it speaks alone; the plan supposes "
	}
	fmt.Fprintf(w, "%s\"mcpcheck run\" would judge %s, %s%s.\n\n", unsent, strings.Join(names, " and "),
		served, strings.Join(grid, ", "))
	phases := map[scenario.Phase]string{scenario.Read: "read", scenario.Quiet: "watch silence",
		scenario.Mutate: "make it change", scenario.Destructive: "may cost a session or a process"}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MESSAGES\tIN\tSCENARIO\tKIND")
	for _, s := range slices.SortedFunc(maps.Values(d.scenarios), func(a, b *planned) int {
		return cmp.Or(int(a.Phase)-int(b.Phase), b.messages-a.messages, cmp.Compare(a.Name, b.Name))
	}) {
		kind := phases[s.Phase]
		if s.Security {
			kind += ", security probe"
		}
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\n", s.messages, s.played, s.Title, kind)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d messages in all, handshakes and the ends of sessions included; by method:\n",
		d.messages)
	for _, m := range slices.SortedFunc(maps.Keys(d.methods), func(a, b string) int {
		return cmp.Or(d.methods[b]-d.methods[a], cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "%6d  %s\n", d.methods[m], legible(m))
	}
	fmt.Fprintln(w, "\nThat is counted on the reference server, which is built in, and which was sent all "+
		"of it to make this plan. The target gets as much as what it lists, declares and answers gives "+
		"occasion for;\nwhat is red is sent once more.")
	cfg.Target = d.target
	for _, line := range terms(cfg, d.messages, hide) {
		fmt.Fprintln(w, "* "+safe.Line(line))
	}
	return nil
}

// terms are what a target file and the flags change.
func terms(cfg suite.Config, messages int, hide func(string) string) []string {
	var all []string
	if rate := cfg.Target.Pace(cmp.Or(cfg.Rate, cfg.Target.Limits.Rate)); rate > 0 {
		all = append(all,
			fmt.Sprintf("No more than %g messages per second are sent (--rate): for so many, %s at least.",
				rate, time.Duration(float64(messages)/rate*float64(time.Second)).Round(time.Second)))
	}
	if cfg.NoSecurityProbes {
		all = append(all, "Security probes are left out.")
	} else {
		all = append(all,
			"--no-security-probes leaves out security probes; --quick what may cost a session or a process.")
	}
	if slices.Contains(cfg.Target.Allow, target.AllowRisky) {
		all = append(all, "What speaks of deletion or execution is read and expanded, too.")
	} else {
		all = append(all, "What speaks of deletion or execution is neither read nor expanded: --allow-risky.")
	}
	if cfg.Embedded {
		return all // all of it is known
	}
	for name, tr := range cfg.Target.Triggers.All() {
		if tr != nil {
			all = append(all, "The trigger "+name+" is fired, which makes the target change ("+
				string(tr.Kind())+").")
		}
	}
	for i := range cfg.Target.Endpoints {
		if e := &cfg.Target.Endpoints[i]; len(e.Command) > 0 {
			all = append(all,
				hide("A program is started, as often as needed, and ended: "+e.CommandWithout(hide)))
		}
	}
	if len(cfg.Target.Configured()) > 0 {
		all = append(all, "What the target file names is read, expanded and completed beside that: "+
			strings.Join(slices.Sorted(maps.Keys(cfg.Target.Configured())), ", ")+".")
	}
	return all
}

// legible is the name of a method as it can be shown: what was no UTF-8 is told in words.
func legible(method string) string {
	if start, _, broken := strings.Cut(method, "\uFFFD"); broken {
		method = start + "… (with bytes that are no UTF-8)"
	}
	return safe.Line(method)
}

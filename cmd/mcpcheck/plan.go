package main

import (
	"cmp"
	"context"
	_ "embed"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"
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
	Combinations []requirement.Combination
	scenarios    map[recording.Name]*planned
	Methods      map[string]int
	Messages     int
}

// planned is a scenario, and how many messages of its own it came to.
type planned struct {
	*scenario.Scenario
	Messages, Played int
}

// tryOut plays the run against the reference server: how much is sent depends on answers.
// Of another target only the transports and the revisions are used.
func tryOut(ctx context.Context, cfg suite.Config) (*trial, error) {
	done := &trial{scenarios: map[recording.Name]*planned{}, Methods: map[string]int{}}
	var mu sync.Mutex
	notes := journal.New(journal.Options{Tap: func(e *journal.Entry, _ []byte) {
		if e.Direction != journal.In || e.Scope != "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		done.Messages++
		done.Methods[cmp.Or(e.Method, "what names no method, such as GET, DELETE and malformed messages")]++
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
	done.Combinations = r.Combinations()
	for _, at := range done.Combinations {
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
		d.scenarios[name].Played++
		d.scenarios[name].Messages += len(rec.Exchanges)
	}
}

//go:embed plan.txt.tmpl
var planText string

// phases say what scenarios do to a target.
var phases = map[scenario.Phase]string{scenario.Read: "read", scenario.Quiet: "watch silence",
	scenario.Mutate: "make it change", scenario.Destructive: "may cost a session or a process"}

// write tells people what is planned.
func (d *trial) write(w io.Writer, cfg suite.Config) error {
	cfg.Target = d.target
	hide := mask.NewMasker(d.target.Secrets()).String
	shown := func(text string) string { return safe.Line(hide(text)) }
	text, err := template.New("plan").Funcs(template.FuncMap{
		"shown": shown, "legible": legible,
		"command": func(e target.Endpoint) string { return shown(e.CommandWithout(hide)) },
		"phases":  func() map[scenario.Phase]string { return phases },
	}).Parse(planText)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rate := cfg.Target.Pace(cmp.Or(cfg.Rate, cfg.Target.Limits.Rate))
	err = text.Execute(table, map[string]any{
		"Run": cfg, "Trial": d, "Rate": rate, "Risky": slices.Contains(cfg.Target.Allow, target.AllowRisky),
		"Lasts": time.Duration(float64(d.Messages) / rate * float64(time.Second)).Round(time.Second),
		"Scenarios": slices.SortedFunc(maps.Values(d.scenarios), func(a, b *planned) int {
			return cmp.Or(int(a.Phase)-int(b.Phase), b.Messages-a.Messages, cmp.Compare(a.Name, b.Name))
		}),
		"Methods": slices.SortedFunc(maps.Keys(d.Methods), func(a, b string) int {
			return cmp.Or(d.Methods[b]-d.Methods[a], cmp.Compare(a, b))
		}),
	})
	return cmp.Or(err, table.Flush())
}

// legible is the name of a method as it can be shown: what was no UTF-8 is told in words.
func legible(method string) string {
	if start, _, broken := strings.Cut(method, "\uFFFD"); broken {
		method = start + "… (with bytes that are no UTF-8)"
	}
	return safe.Line(method)
}

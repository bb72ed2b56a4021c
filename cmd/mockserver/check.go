package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func checkCommand(stdout, stderr io.Writer) *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use:   "check WORLD",
		Short: "Read a world, the NAME of a ready one or a file, and say what is in it or what is wrong with it",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("check takes one world: the name of a ready one, or a file")
			}
			return nil
		},
		Long: `Read a world, the NAME of a ready one or a file, and say what is in it.

Mistakes that keep it from being served are told with file, line and member, and end with
status 2. What a client may stumble over, or what never comes into play, is a warning: a world
may be odd on purpose. With --strict, warnings end with status 1.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := only(cmd); err != nil {
				return err
			}
			w, warnings, err := inspect(args[0])
			warn(stderr, warnings)
			if err != nil {
				return usageError{err}
			}
			if _, err = io.WriteString(stdout, summary(w)); err != nil {
				return err
			}
			if strict && len(warnings) > 0 {
				return exitStatus(exitBroke)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&strict, "strict", false, "let warnings end with status 1")
	return c
}

// inspect reads the world of a name or a file, with what is odd about it.
func inspect(nameOrFile string) (w world.World, warnings world.Problems, err error) {
	if strings.ContainsAny(nameOrFile, `./\`) {
		return world.Inspect(nameOrFile)
	}
	if w, err = reference.LoadWorld(nameOrFile); err != nil {
		return w, nil, err
	}
	for _, text := range w.Lint() {
		warnings = append(warnings, world.Problem{File: nameOrFile, Text: text})
	}
	return w, warnings, nil
}

// warn tells the warnings, in the form in which mistakes are told.
func warn(stderr io.Writer, warnings world.Problems) {
	for i, p := range warnings {
		if i == maxWarnings {
			fmt.Fprintf(stderr, "%s: warning: and %d more\n", p.File, len(warnings)-i)
			return
		}
		if p.Path != "" {
			p.Text, p.Path = p.Path+": "+p.Text, ""
		}
		p.Text = "warning: " + p.Text
		fmt.Fprintln(stderr, p)
	}
}

// summary says what is in a world, and what is odd about it.
func summary(w world.World) string {
	var b strings.Builder
	fmt.Fprintf(&b, "world %s", w.Name)
	if w.Description != "" {
		fmt.Fprintf(&b, ": %s", w.Description)
	}
	b.WriteByte('\n')
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "  %-13s%s\n", what, fmt.Sprintf(format, args...))
	}
	line("resources", "%s", resources(w))
	line("templates", "%s", templates(w))
	line("pages", "%s", pages(w))
	line("offers", "%s", offers(w))
	if w.Caching != nil {
		line("caching", "lists: %s for %s", w.Caching.Scope, w.Caching.TTL)
	}
	if n := len(w.Timeline); n > 0 {
		line("timeline", "%s, from %s on", count(n, "step"), firstOf(w.Timeline))
	}
	return b.String()
}

const maxWarnings = 100

func firstOf(steps []world.Step) time.Duration {
	first := steps[0].First()
	for _, s := range steps {
		first = min(first, s.First())
	}
	return first
}

// kinds counts in an order.
type kinds struct {
	names  []string
	counts map[string]int
}

func (k *kinds) add(name string, is bool) {
	if k.counts == nil {
		k.counts = map[string]int{}
	}
	if !slices.Contains(k.names, name) {
		k.names = append(k.names, name)
	}
	if is {
		k.counts[name]++
	}
}

// of is a total with its parts behind it, as far as there are any.
func (k *kinds) of(total int) string {
	var parts []string
	for _, name := range k.names {
		if n := k.counts[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprint(total)
	}
	return fmt.Sprintf("%d: %s", total, strings.Join(parts, ", "))
}

func resources(w world.World) string {
	var k kinds
	for _, r := range w.Resources {
		k.add("text", !r.Binary() && !r.Directory() && r.Generate == nil)
		k.add("blob", r.Blob != nil)
		k.add("generated", r.Generate != nil)
		k.add("directory", r.Directory())
		k.add("hidden", r.Hidden)
		k.add("private", len(r.Identities) > 0)
		k.add("delayed", r.Delay > 0)
		k.add("failing", r.Fails != "")
		k.add("asking for input", r.Input != nil)
	}
	return k.of(len(w.Resources))
}

func templates(w world.World) string {
	var k kinds
	for _, t := range w.Templates {
		suggests := false
		for _, v := range t.Variables {
			suggests = suggests || len(v.Suggestions(nil)) > 0 || len(v.ValuesBy) > 0
		}
		k.add("with completions", suggests)
		k.add("delayed", t.Delay > 0)
		k.add("failing", t.Fails != "")
	}
	return k.of(len(w.Templates))
}

func pages(w world.World) string {
	listed := 0
	for _, r := range w.Resources {
		if !r.Hidden {
			listed++
		}
	}
	if w.PageSize == 0 {
		return "1 (no page size)"
	}
	return fmt.Sprintf("%d of %d", max(1, (listed+w.PageSize-1)/w.PageSize), w.PageSize)
}

func offers(w world.World) string {
	c := world.AllCapabilities()
	if w.Capabilities != nil {
		c = *w.Capabilities
	}
	var names []string
	for _, offer := range []struct {
		name string
		is   bool
	}{{"subscribe", c.Subscribe}, {"listChanged", c.ListChanged}, {"completions", c.Completions}, {"logging", c.Logging}} {
		if offer.is {
			names = append(names, offer.name)
		}
	}
	if len(names) == 0 {
		return "nothing beside lists and reads"
	}
	return strings.Join(names, ", ")
}

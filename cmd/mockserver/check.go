package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/spf13/cobra"
)

func (s *settings) checkCommand() *cobra.Command {
	var strict bool
	one := func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("check takes one world: the name of a ready one, or a file")
		}
		return nil
	}
	return helpcmd.New(help, "check", one, func(_ *cobra.Command, args []string) error {
		w, warnings, err := inspect(args[0])
		warn(s.stderr, "", warnings)
		if problems, ok := errors.AsType[world.Problems](err); ok {
			fmt.Fprintln(s.stderr, problems) // as compilers tell them, for editors
			return exitStatus(exitUsage)
		}
		if err != nil {
			return usageError{err}
		}
		if err = texts.ExecuteTemplate(s.stdout, "world", summary(w)); err != nil {
			return err
		}
		if strict && len(warnings) > 0 {
			return exitStatus(exitBroke)
		}
		return nil
	}, helpcmd.Flags{{&strict, "strict", "let warnings end with status 1"}})
}

// inspect reads the world of a name or a file, with what is odd about it.
func inspect(nameOrFile string) (w world.World, warnings world.Problems, err error) {
	if strings.ContainsAny(nameOrFile, `./\`) {
		return world.Inspect(nameOrFile, control.Check)
	}
	if w, err = reference.LoadWorld(nameOrFile); err != nil {
		return w, nil, err
	}
	for _, text := range w.Lint() {
		warnings = append(warnings, world.Problem{File: nameOrFile, Text: text})
	}
	return w, warnings, nil
}

// warn tells the warnings, in the form in which mistakes are told, behind a prefix.
func warn(stderr io.Writer, prefix string, warnings world.Problems) {
	for i, p := range warnings {
		if i == maxWarnings {
			fmt.Fprintf(stderr, "%s%s: warning: and %d more\n", prefix, p.File, len(warnings)-i)
			return
		}
		if p.Path != "" {
			p.Text, p.Path = p.Path+": "+p.Text, ""
		}
		p.Text = "warning: " + p.Text
		fmt.Fprintf(stderr, "%s%s\n", prefix, p)
	}
}

// summary says what is in a world.
func summary(w world.World) map[string]any {
	return map[string]any{"World": w, "Resources": counted(w.Resources, resourceKinds),
		"Templates": counted(w.Templates, templateKinds), "Rules": counted(w.Rules, ruleKinds),
		"Pages": pages(w), "Beginning": beginning(w.Timeline),
		"Offers": cmp.Or(strings.Join(phrases("offers", w.Offered()), ", "),
			"nothing beside lists and reads")}
}

const maxWarnings = 100

// beginning says when the first steps happen, and how many wait for messages.
func beginning(steps []world.Step) string {
	var times []time.Duration
	for _, s := range steps {
		if s.After == nil && s.On == nil {
			times = append(times, s.First())
		}
	}
	switch waiting := len(steps) - len(times); {
	case len(times) == 0:
		return "each after a message"
	case waiting == 0:
		return fmt.Sprintf("from %s on", short(slices.Min(times)))
	default:
		return fmt.Sprintf("from %s on, %d of them after a message", short(slices.Min(times)), waiting)
	}
}

// short writes a duration without the zeros of smaller units: 1m, not 1m0s.
func short(d time.Duration) string {
	text := d.String()
	for _, zeros := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zeros) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// kind is a kind of the parts of a world.
type kind[T any] struct {
	name string // in both numbers, as package plural takes them
	is   func(T) bool
}

// counted is how many parts there are, with how many of each kind behind it, as far as there are any.
func counted[T any](all []T, kinds []kind[T]) string {
	var parts []string
	for _, k := range kinds {
		n := 0
		for _, one := range all {
			if k.is(one) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, plural.Of(n, k.name)))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprint(len(all))
	}
	return fmt.Sprintf("%d: %s", len(all), strings.Join(parts, ", "))
}

var resourceKinds = []kind[world.Resource]{
	{"{text|texts}", func(r world.Resource) bool {
		return !r.Binary() && !r.Directory() && r.Generate == nil
	}},
	{"{blob|blobs}", func(r world.Resource) bool { return r.Blob != nil }},
	{"generated", func(r world.Resource) bool { return r.Generate != nil }},
	{"{directory|directories}", world.Resource.Directory},
	{"hidden", func(r world.Resource) bool { return r.Hidden }},
	{"private", func(r world.Resource) bool { return len(r.Identities) > 0 }},
	{"delayed", func(r world.Resource) bool { return r.Delay > 0 }},
	{"failing", func(r world.Resource) bool { return r.Fails != "" }},
	{"asking for input", func(r world.Resource) bool { return r.Input != nil }},
}

var templateKinds = []kind[world.Template]{
	{"with completions", func(t world.Template) bool {
		return slices.ContainsFunc(t.Variables, func(v world.Variable) bool {
			return len(v.Suggestions(nil)) > 0 || len(v.ValuesBy) > 0
		})
	}},
	{"delayed", func(t world.Template) bool { return t.Delay > 0 }},
	{"failing", func(t world.Template) bool { return t.Fails != "" }},
}

var ruleKinds = []kind[operation.Rule]{
	{"{fault|faults}", func(r operation.Rule) bool { return r.Fault != "" }},
	{"{quirk|quirks}", func(r operation.Rule) bool { return r.Quirk != "" }},
	{"{failure|failures}", func(r operation.Rule) bool { return r.Fail != nil }},
	{"{delay|delays}", func(r operation.Rule) bool { return r.Delay != nil }},
	{"with operations", func(r operation.Rule) bool { return len(r.Do) > 0 }},
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

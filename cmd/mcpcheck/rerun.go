package main

import (
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A repetition does without the flags that pick verdicts, because one is picked, and without those about what
// is written where.
var (
	picking = []string{"only", "skip", "label-filter", "transport", "revision", "since"}
	writing = []string{"junit", "json", "html", "markdown", "sarif", "sarif-location", "record", "baseline",
		"quiet", "verbose", "no-color", othersFlag}
)

// rerun is the command that repeats one verdict: the one that was given, narrowed down
// and written for a shell. Values that may be secret are left out, and hide takes known
// secrets out of the rest before it is quoted.
//
// Without an id it is the command that repeats the whole run. The revision is picked by a label where
// [besides] says that the target has to be asked for the others.
func rerun(c *cobra.Command, args []string,
	hide func(string) string) func(id, revision, transport string) string {
	var picked, kept []string
	c.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(writing, f.Name), strings.Contains(f.Value.String(), homePrefix):
		case slices.Contains(picking, f.Name):
			picked = append(picked, flagWords(f, hide)...)
		default:
			kept = append(kept, flagWords(f, hide)...)
		}
	})
	command := ""
	if len(args) > 0 {
		command = " -- " + (&target.Endpoint{Command: args}).AddressWithout(hide)
	}
	return func(id, revision, transport string) string {
		if id == "" {
			return shell.JoinPrintable(slices.Concat([]string{"mcpcheck", "run"}, picked, kept)) + command
		}
		words := []string{"mcpcheck", "run", "--only", id}
		given, _ := c.Flags().GetStringSlice("revision")
		if len(given) == 1 || !besides(id, revision, transport) {
			words = append(words, "--revision", revision)
		} else {
			words = append(words, "--label-filter", "rev:"+revision)
			for _, r := range given {
				words = append(words, "--revision", r)
			}
		}
		words = append(words, "--transport", transport)
		return shell.JoinPrintable(append(words, kept...)) + command
	}
}

// flagWords is a flag as it was given, without values that may be secret.
func flagWords(f *pflag.Flag, hide func(string) string) (words []string) {
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	for _, value := range values {
		words = append(words, "--"+f.Name)
		switch f.Name {
		case "header":
			name, _, _ := strings.Cut(value, ":")
			value = strings.TrimSpace(name) + ": …"
		case "env":
			if name, text, _ := strings.Cut(value, "="); text != transport.PortMark { // which is no secret
				value = name + "=…"
			}
		case "serve":
			words, _ := shell.Split(value) // it was read before
			value = (&target.Endpoint{Command: words}).AddressWithout(hide)
		case "url":
			value = (&target.Endpoint{URL: value}).Address()
		}
		value = hide(value)
		if f.NoOptDefVal == "" {
			words = append(words, value)
		} else if value != f.NoOptDefVal { // a switch takes its value with = only
			words[len(words)-1] += "=" + value
		}
	}
	return words
}

// besides reports whether what is sent or expected in a revision may depend on which others the target
// serves, so that it has to be asked for these. On stdio, where each question is a process, that is done only
// if it does: without a handshake, and where versions are negotiated. (Of sweeps over many values the newest
// revision gets all, the others a part: asked for alone, each is sent all.)
func besides(id, revision, transport string) bool {
	if transport != string(requirement.Stdio) || requirement.Revision(revision).Modern() {
		return true
	}
	k, ok := area.BuiltIn().Check(id)
	return !ok || slices.ContainsFunc(k.Inputs(), func(name recording.Name) bool {
		s, found := area.BuiltIn().Scenario(name)
		return found && s.In == scenario.Unopened
	})
}

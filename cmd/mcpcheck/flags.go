package main

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/spf13/cobra"
)

// connect holds the flags that say which target to talk to, and how.
type connect struct{ target.Flags }

// readFlag says how much is read of what is listed: see [reads].
func readFlag(read *string) [3]any {
	*read = "50"
	return [3]any{read, "read", "how many listed resources to read: a `number`, or all"}
}

// noColorFlag has the output be plain.
func noColorFlag(off *bool) [3]any {
	return [3]any{off, "no-color", "no colours (the variable NO_COLOR does the same)"}
}

// fileFlag says which file a command writes.
func fileFlag(c *cobra.Command, path *string) {
	c.Flags().StringVarP(path, "output", "o", "-", "write to this `file`; - is standard output")
}

// forceFlag says that the file may be there already.
func forceFlag(force *bool) [3]any {
	return [3]any{force, "force", "replace the file if it is there already"}
}

// target is what the flags and the arguments behind "--" describe; nil if they
// describe none.
func (o *connect) target(c *cobra.Command, args []string) (*target.Target, error) {
	dash, f := c.ArgsLenAtDash(), c.Flags()
	if len(args) > 0 {
		// Behind -- it would be the name of a program.
		if u, err := url.Parse(args[0]); err == nil && (u.Scheme == "http" || u.Scheme == "https") &&
			u.Host != "" {
			return nil, badUsage("there is no argument %q: a server that listens is named by a flag, "+
				"as in %q", args[0], c.CommandPath()+" --url "+args[0])
		}
	}
	if len(args) > 0 && dash != 0 {
		if (f.Changed("only") || f.Changed("skip")) && namesRows(args[0]) {
			return nil, badUsage("there is no argument %q: --only and --skip take a list with commas and "+
				"without spaces, such as ERR-09,ERR-11", args[0])
		}
		return nil, badUsage("there is no argument %q: the server's command goes behind --, as in %q",
			args[0], c.CommandPath()+" -- "+strings.Join(args, " "))
	}
	return o.Target(area.Catalogue(), f.Changed, dash == 0, args)
}

// revisions reads a list of revisions.
func revisions(given []string) ([]requirement.Revision, error) {
	var all []requirement.Revision
	for _, s := range given {
		r := requirement.Revision(strings.TrimSpace(s))
		if !r.Known() {
			return nil, badUsage("there is no revision %q: the revisions are %s", s,
				join(requirement.Revisions()))
		}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all, nil
}

// namesRows reports whether a text looks like the id of a requirement or names an
// area.
func namesRows(s string) bool {
	s = strings.ToUpper(strings.Trim(s, ", "))
	name, _, _ := strings.Cut(s, "-")
	return area.Catalogue().Area(name) != nil
}

func join[T ~string](all []T) string { return strings.Join(requirement.Texts(all), ", ") }

// reads reads --read: a number of resources, or "all" (-1).
func reads(s string) (int, error) {
	if s == "all" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, badUsage("--read takes a number of resources from 1 on, or all, not %q", s)
	}
	return n, nil
}

// notEmpty refuses flags that are given without a value, as by a variable that is not set.
func notEmpty(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := c.Flags().Lookup(name); f != nil && f.Changed &&
			(f.Value.String() == "" || f.Value.String() == "[]") {
			return badUsage("--%s is empty: give it a value, or leave it out", name)
		}
	}
	return nil
}

// notNegative checks the durations of flags; 0 stands for the default.
func notNegative(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if d, err := c.Flags().GetDuration(name); err == nil && d < 0 {
			return badUsage("--%s must not be negative: %s", name, d)
		}
	}
	return nil
}

// positive checks the durations of flags that are more than 0 if they are given.
func positive(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := c.Flags().Lookup(name); f.Changed && f.Value.String() == "0s" {
			return badUsage("--%s must be more than 0; leave it out for the default", name)
		}
	}
	return notNegative(c, names...)
}

// Package helpcmd has what the command lines of both programs have in common: help that stands
// in files, and a help command that refuses what is no command.
package helpcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
)

// New makes the command whose help is in help/NAME.txt of a program: a line that says how the
// command is used, one that says what it does, and, after an empty line, what there is to say
// beyond that. Examples follow a line "Examples:". The files are embedded, and each is there.
func New(files fs.FS, name string, takes cobra.PositionalArgs, run Run, flags Flags) *cobra.Command {
	data, err := fs.ReadFile(files, "help/"+name+".txt")
	if err != nil {
		panic("helpcmd: " + err.Error()) // excluded by every test that makes the commands
	}
	use, rest, _ := strings.Cut(string(data), "\n")
	short, rest, _ := strings.Cut(rest, "\n")
	long, examples, _ := strings.Cut(rest, "\nExamples:\n")
	c := &cobra.Command{Use: use, Short: short, Long: strings.Trim(long, "\n"),
		Example: strings.TrimRight(examples, "\n"), Args: takes, RunE: run}
	flags.Add(c.Flags())
	return c
}

// Root makes the command that a program is, with the ways that both have: the version is told
// by a flag and by a command.
func Root(files fs.FS, name, version string) *cobra.Command {
	root := New(files, name, nil, nil, nil)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = version
	root.SetVersionTemplate(name + " {{.Version}}\n")
	root.AddCommand(&cobra.Command{
		Use: "version", Short: "Print the version, as --version does",
		Args: func(c *cobra.Command, args []string) error { return root.Args(c, args) },
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(root.OutOrStdout(), "%s %s\n", name, version)
			return err
		},
	})
	return root
}

// FlagError is an error of the reading of flags, in words of its own where a number or a
// duration is none.
func FlagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	name, value := "--"+invalid.GetFlag().Name, invalid.GetValue()
	switch invalid.GetFlag().Value.Type() {
	case "duration":
		if _, err := nearest.Duration(value); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	case "int", "int64", "uint16", "uint64":
		return fmt.Errorf("%s %q is not a whole number without a unit, such as 1000, within its range", name,
			value)
	case "bool":
		return fmt.Errorf("%s %q is neither true nor false: the flag alone means true", name, value)
	case "float64":
		return fmt.Errorf("%s %q is no number, such as 10 or 0.5", name, value)
	case "bytes":
		return fmt.Errorf("%s %w", name, invalid.Unwrap())
	}
	return err
}

// NearFlag asks for the flag that may have been meant where a command refused one that it does
// not have; empty if none is close. See [nearest.Question].
func NearFlag(c *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return nearest.Question("--"+missing.GetSpecifiedName(), names)
}

// NearCommand asks for the command below another one that may have been meant by a word;
// empty if none is close. See [nearest.Question].
func NearCommand(c *cobra.Command, word string) string {
	var names []string
	for _, below := range c.Commands() {
		names = append(names, below.Name())
	}
	return nearest.Question(word, names)
}

// Words lists what shells offer: each a word, or a word, a tab and what it means.
type Words func() []string

// Complete has shells complete what users type: the values of flags by their names, wherever
// a command of the tree has such a flag, and the arguments of commands by the names of these.
// Values that are lists with commas are completed behind the last comma.
func Complete(root *cobra.Command, flags, arguments map[string]Words) {
	visit(root, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if words, ok := flags[f.Name]; ok {
				// It fails only for a flag that the command does not have, or twice.
				_ = c.RegisterFlagCompletionFunc(f.Name, words.fitting(cobra.ShellCompDirectiveNoSpace))
			}
		})
		if words, ok := arguments[c.Name()]; ok {
			c.ValidArgsFunction = words.fitting(cobra.ShellCompDirectiveDefault)
		}
	})
}

// fitting completes by the words that begin with what was typed behind the last comma, in any case.
func (words Words) fitting(also cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (all []string, _ cobra.ShellCompDirective) {
		comma := strings.LastIndexByte(typed, ',') + 1
		begun := strings.ToLower(typed[comma:])
		for _, w := range words() {
			if strings.HasPrefix(strings.ToLower(w), begun) {
				all = append(all, typed[:comma]+w)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | also
	}
}

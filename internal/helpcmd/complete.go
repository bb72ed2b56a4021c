package helpcmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Words lists what shells offer: each a word, or a word, a tab and what it means.
type Words func() []string

// Complete has shells complete what users type: the values of flags by their names, wherever
// a command of the tree has such a flag, and the arguments of commands by the names of these.
// Values that are lists with commas are completed behind the last comma.
func Complete(root *cobra.Command, flags, arguments map[string]Words) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if words, ok := flags[f.Name]; ok {
				// It fails only for a flag that the command does not have, or twice.
				_ = c.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
					return fitting(words, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
				})
			}
		})
		if words, ok := arguments[c.Name()]; ok {
			c.ValidArgsFunction = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return fitting(words, typed), cobra.ShellCompDirectiveNoFileComp
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// fitting lists the words that begin with what was typed behind the last comma, in any case.
func fitting(words Words, typed string) []string {
	comma := strings.LastIndexByte(typed, ',') + 1
	begun := strings.ToLower(typed[comma:])
	var all []string
	for _, w := range words() {
		if strings.HasPrefix(strings.ToLower(w), begun) {
			all = append(all, typed[:comma]+w)
		}
	}
	return all
}

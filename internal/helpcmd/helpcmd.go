// Package helpcmd has the help command of both programs refuse what is no command: for a
// script, the help on everything would look like an answer.
package helpcmd

import "github.com/spf13/cobra"

// Refuse makes "help NAME" fail where there is no such command. The error is what wrong
// makes of the words. The tree has to be complete.
func Refuse(root *cobra.Command, wrong func(args []string) error) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		c.Args = func(_ *cobra.Command, args []string) error {
			if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
				return wrong(args)
			}
			return nil
		}
	}
}

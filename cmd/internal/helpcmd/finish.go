package helpcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// plainWidth is the width of help in columns where no terminal says it.
const plainWidth = 100

// Finish makes a tree of commands ready for arguments; the tree has to be complete. Help is
// wrapped to a width in columns, or to one of 100 if that is 0. What is no command or no
// shell is an error that bad makes: for a script, a help text would look like an answer.
func Finish(root *cobra.Command, args []string, width int, bad func(format string, args ...any) error) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return bad("there is no command %q%s", strings.Join(args, " "), Hint(root, args[0]))
				}
				return nil
			}
		case "completion":
			shells(c, bad)
		}
	}
	width = cmp.Or(width, plainWidth)
	// Commands without a template of their own have that of the root.
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ",
		fmt.Sprintf(".FlagUsagesWrapped %d ", width)))
	completes := len(args) > 0 &&
		slices.Contains([]string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, args[0])
	visit(root, func(c *cobra.Command) {
		if completes {
			c.LocalFlags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
			return
		}
		wrapHelp(c, width)
	})
}

// Hint says what to do about a word that is no command below another one.
func Hint(c *cobra.Command, word string) string {
	return cmp.Or(NearCommand(c, word), fmt.Sprintf("; %q shows what there is", c.CommandPath()+" --help"))
}

// shells has the command that writes scripts of completion refuse what is none of its shells.
func shells(c *cobra.Command, bad func(format string, args ...any) error) {
	var names []string
	for _, shell := range c.Commands() {
		names = append(names, shell.Name())
		shell.Args = func(shell *cobra.Command, args []string) error {
			if len(args) > 0 {
				return bad("%s takes no argument such as %q", shell.CommandPath(), args[0])
			}
			return nil
		}
	}
	last := len(names) - 1
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return bad("there is no completion for %q: the shells are %s and %s", args[0],
				strings.Join(names[:last], ", "), names[last])
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// visit calls a function for all below a command, and then for the command.
func visit(c *cobra.Command, f func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		visit(sub, f)
	}
	f(c)
}

// wrapHelp wraps the help of a command to a width in columns.
func wrapHelp(c *cobra.Command, width int) {
	c.Long = rewrap(cmp.Or(c.Long, c.Short), width)
	for _, sub := range c.Commands() {
		// The list of commands has each behind two spaces, its name in a column and a space.
		column := 3 + sub.NamePadding()
		sub.Short = strings.Join(terminal.Wrap(sub.Short, width-column), "\n"+strings.Repeat(" ", column))
	}
}

// rewrap wraps each paragraph of a text to a width in columns; lines that are indented, as
// those of tables and commands, stay as they are.
func rewrap(text string, width int) string {
	var lines []string
	open := false // the last line belongs to a paragraph
	for line := range strings.SplitSeq(text, "\n") {
		if prose(line) && open {
			lines[len(lines)-1] += " " + line
		} else {
			lines = append(lines, line)
		}
		open = prose(line)
	}
	for i, line := range lines {
		if prose(line) {
			lines[i] = strings.Join(terminal.Wrap(line, width), "\n")
		}
	}
	return strings.Join(lines, "\n")
}

// prose reports whether a line belongs to a paragraph.
func prose(line string) bool { return line != "" && line[0] != ' ' && line[0] != '\t' }

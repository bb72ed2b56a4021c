package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/fixtures"
	"github.com/mcpcheck/mcpcheck/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// example names the world with a bit of everything.
const example = "example"

func worldsCommand(stdout io.Writer) *cobra.Command {
	c := helpcmd.New(help, "worlds")
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return listWorlds(stdout)
		case len(args) > 1:
			return usagef("worlds takes one name at the most")
		}
		return printWorld(args[0], stdout)
	}
	return c
}

// printWorld prints a ready world as it is written.
func printWorld(name string, stdout io.Writer) error {
	data := []byte(world.Example)
	if name != example {
		names := reference.WorldNames()
		if !slices.Contains(names, name) {
			return usagef("there is no world %q: known are %s and %s", name, strings.Join(names, ", "), example)
		}
		var err error
		if data, err = fixtures.FS.ReadFile("worlds/" + name + ".yaml"); err != nil {
			return err
		}
	}
	_, err := stdout.Write(data)
	return err
}

// listWorlds prints a line for each ready world: its name, how much there is in it, and
// what it is good for.
func listWorlds(stdout io.Writer) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, name := range reference.WorldNames() {
		w, err := reference.NamedWorld(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s, %s\t%s\n", name, count(len(w.Resources), "resource"), count(len(w.Templates), "template"), w.Description)
	}
	return table.Flush()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

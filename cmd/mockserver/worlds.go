package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/fixtures"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/record"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/spf13/cobra"
)

// example names the world with a bit of everything.
const example = "example"

func (s *settings) worldsCommand() *cobra.Command {
	return helpcmd.New(help, "worlds", nil, func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return s.printWorlds()
		case len(args) > 1:
			return usagef("worlds takes one name at the most")
		}
		return s.printWorld(args[0])
	}, nil)
}

// printWorld prints a ready world as it is written.
func (s *settings) printWorld(name string) error {
	data := []byte(world.Example)
	if name != example {
		names := reference.WorldNames()
		if !slices.Contains(names, name) {
			return usagef("there is no world %q: known are %s and %s", name, strings.Join(names, ", "),
				example)
		}
		var err error
		if data, err = fixtures.FS.ReadFile("worlds/" + name + ".yaml"); err != nil {
			return err
		}
	}
	_, err := s.stdout.Write(data)
	return err
}

// printWorlds prints a line for each ready world: its name, how much there is in it, and
// what it is good for.
func (s *settings) printWorlds() error {
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, name := range reference.WorldNames() {
		w, err := reference.NamedWorld(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s, %s\t%s\n", name, plural.Count(len(w.Resources), "resource"),
			plural.Count(len(w.Templates), "template"), w.Description)
	}
	return table.Flush()
}

func (s *settings) worldCommand() *cobra.Command {
	var from, to string
	c := helpcmd.New(help, "world", nil, func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return usagef("unexpected argument %q%s", args[0], helpcmd.NearCommand(cmd, args[0]))
		case from == "":
			return usagef("give a recording: mockserver world --from RECORDING")
		}
		return s.worldFrom(from, to)
	}, helpcmd.Flags{
		{&from, "from", "the `RECORDING` to read"},
		{&to, "to", "the `FILE` to write, which must not exist; otherwise it is the standard output"},
	})
	c.AddCommand(helpcmd.New(help, "schema", nil, func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unexpected argument %q", args[0])
		}
		_, err := io.WriteString(s.stdout, world.Schema)
		return err
	}, nil))
	return c
}

func (s *settings) worldFrom(from, to string) error {
	rec, err := s.openRecording(from)
	if err != nil {
		return err
	}
	w, notes, err := rec.World()
	if err != nil {
		return usageError{err}
	}
	data, err := record.EncodeWorld(w)
	if err != nil {
		return err
	}
	s.tell(notes...)
	if to == "" {
		_, err = terminal.HarmlessJSON(s.stdout).Write(data)
		return err
	}
	file, err := created(to)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

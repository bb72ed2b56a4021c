package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/reference/record"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func worldCommand(stdout, stderr io.Writer) *cobra.Command {
	var from, to string
	c := helpcmd.New(help, "world")
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return usagef("unexpected argument %q%s", args[0], helpcmd.NearCommand(cmd, args[0]))
		case from == "":
			return usagef("give a recording: mockserver world --from RECORDING")
		}
		return worldFrom(from, to, stdout, stderr)
	}
	schema := helpcmd.New(help, "schema")
	schema.Args = cobra.ArbitraryArgs
	schema.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unexpected argument %q", args[0])
		}
		_, err := io.WriteString(stdout, world.Schema)
		return err
	}
	c.AddCommand(schema)
	c.Flags().StringVar(&from, "from", "", "the `RECORDING` to read")
	c.Flags().StringVar(&to, "to", "", "the `FILE` to write, which must not exist; otherwise it is the standard output")
	return c
}

func worldFrom(from, to string, stdout, stderr io.Writer) error {
	rec, err := openRecording(from, stderr)
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
	for _, note := range notes {
		fmt.Fprintln(stderr, "mockserver: "+note)
	}
	if to == "" {
		_, err = stdout.Write(data)
		return err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return usageError{err}
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

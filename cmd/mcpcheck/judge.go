package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/spf13/cobra"
)

func (p *program) judgeCommand() *cobra.Command {
	o := &outputs{}
	strict := false
	c := &cobra.Command{
		Use:   "judge RECORDING",
		Short: "Judge a recorded run again",
		Long: `Judge a run again that "mcpcheck run --record FILE" recorded, without the server.
Flags and exit status are those of "mcpcheck run".`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return badUsage("%s takes one recording", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.check(p, ""); err != nil {
				return err
			}
			f, err := os.Open(args[0])
			if err != nil {
				return badUsage("%w", err)
			}
			defer f.Close()
			report, err := engine.Rejudge(bufio.NewReader(f), tool(), strict)
			if err != nil {
				return badUsage("%s: %w", args[0], err)
			}
			p.status = report.ExitCode(strict, false)
			if err := o.write(p, report, strict, nil); err != nil {
				p.status = exitNotEstablished
				fmt.Fprintln(p.stderr, "mcpcheck: "+err.Error())
			}
			return nil
		},
	}
	o.register(c)
	c.Flags().BoolVar(&strict, "strict", false, "count warnings as failures")
	return c
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mcpcheck/mcpcheck/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/spf13/cobra"
)

// reportCommand is the work on report files.
func (p *program) reportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "report",
		Short: "Work on reports that were written before",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.convertCommand(), p.mergeCommand(), p.diffCommand(), p.badgeCommand(), p.statementCommand(), p.schemaCommand("reports", reports.JSONSchema))
	return c
}

func (p *program) convertCommand() *cobra.Command {
	o := &outputs{output.Reports{FilesOnly: true}}
	strict := false
	c := helpcmd.New(help, "convert")
	c.Args = oneReport
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := o.check(""); err != nil {
			return err
		}
		r, err := readReport(args[0])
		if err != nil {
			return err
		}
		return o.write(p, r, reports.Options{Strict: strict || r.Config.Strict})
	}
	o.register(c)
	c.Flags().BoolVar(&strict, "strict", false, "show warnings as failures")
	return c
}

var oneReport = takes(1, `one report, which "mcpcheck run --json FILE" writes`)

// readReport reads a JSON report from a file; - is no file.
func readReport(path string) (*reports.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, badUsage("%s: %w", path, yamlfile.Unread(err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(badUsage("%s is a directory, not a report", path), f.Close())
	}
	r, err := reports.ReadJSON(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, badUsage("%s: %w", path, fmt.Errorf(`%w; "mcpcheck run --json FILE" writes a report`, err))
	}
	return r, nil
}

// schemaCommand prints a published schema of some kind of files.
func (p *program) schemaCommand(of string, schema []byte) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of " + of,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return p.file("-", func(w io.Writer) error {
				_, err := w.Write(schema)
				return err
			})
		},
	}
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/trace"
	"github.com/spf13/cobra"
)

func (p *program) judgeCommand() *cobra.Command {
	o, known := &outputs{}, &excuses{}
	strict, says := false, trace.Options{}
	one := takes(1, `one recording, which "mcpcheck run --record FILE" writes, or one trace`)
	c := helpcmd.New(help, "judge", one, func(c *cobra.Command, args []string) error {
		if err := o.Check(""); err != nil {
			return err
		}
		if err := known.load(p, c, o.written("")); err != nil {
			return err
		}
		f, err := os.Open(args[0])
		if err != nil {
			return badUsage("%s: %w", args[0], yamlfile.Unread(err))
		}
		defer f.Close()
		in := bufio.NewReader(f)
		ours, err := recorded(in)
		var report *reports.Report
		switch {
		case ours:
			report, err = engine.Rejudge(in, tool(), strict)
		case err == nil:
			report, err = engine.JudgeTrace(in, says, tool(), strict)
		}
		if err != nil {
			return badUsage("%s: %w", args[0], err)
		}
		known.apply(p, report)
		p.status = report.ExitCode(strict, report.Summary.Baseline.Outdated())
		o.mustWrite(p, report, write.Options{Strict: strict})
		return nil
	}, append(known.flag(), helpcmd.Flags{
		{&strict, "strict", "count warnings as failures"},
		{(*string)(&says.Revision), "revision",
			"the `revision` of sessions of a trace that do not name theirs"},
		{(*string)(&says.Transport), "transport",
			"the `transport` of messages of a trace of which it is not told; default stdio"},
	}...))
	o.register(c.Flags())
	return c
}

// opening is how a recording begins: an object whose first member is the schema.
var opening = regexp.MustCompile(`^\s*\{\s*"schema"\s*:\s*"mcpcheck\.([a-z]+)`)

// recorded looks at the beginning of a file, and reports whether it is a recording. It reads nothing.
func recorded(in *bufio.Reader) (bool, error) {
	begin, err := in.Peek(256)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, yamlfile.Unread(err)
	}
	kind := opening.FindSubmatch(begin)
	if kind != nil && string(kind[1]) != "recording" {
		return false, fmt.Errorf(`an mcpcheck %s, not a recording: "mcpcheck run --record FILE" writes one`,
			kind[1])
	}
	return kind != nil, nil
}

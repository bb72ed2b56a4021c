package main

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/conformance"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/explore"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/spf13/cobra"
)

func (p *program) initCommand() *cobra.Command {
	o := &connect{}
	to := ""
	force := false
	limits := target.Limits{Reads: 20}
	c := helpcmd.New(help, "init", nil, func(c *cobra.Command, args []string) error {
		t, err := o.target(c, args)
		switch {
		case err != nil:
			return err
		case t == nil:
			return badUsage("give a server: a command behind --, --serve or --url, as in \"mcpcheck init " +
				"-- node server.js\"")
		}
		if err := fresh(to, force); err != nil {
			return err
		}
		if err := notNegative(c, "start-timeout", "timeout"); err != nil {
			return err
		}
		progress := newProgress(p.stderr, false)
		found, err := explore.Look(c.Context(), engine.Config{Target: t, Limits: limits,
			Progress: progress.tell})
		progress.clear()
		var usage *suite.UsageError
		switch {
		case errors.As(err, &usage):
			return err
		case err != nil:
			hide := mask.NewMasker(t.Secrets()).String
			return impossible("the server could not be looked over: %s", hide(err.Error()))
		}
		if to != "-" {
			anchor(t, filepath.Dir(to))
		}
		err = output.Private(to, p.stdout, func(w io.Writer) error {
			return target.WriteAnnotated(w, t, found)
		})
		if err != nil {
			return impossible("the target file was not written: %w", err)
		}
		switch {
		case to != "-":
			p.note("wrote %s; judge the server with \"mcpcheck run --config %[1]s\"", to)
		case output.Terminal(p.stdout):
			p.note("with \"-o target.yaml\" this is written to a file, with which \"mcpcheck run " +
				"--config target.yaml\" judges the server")
		}
		return nil
	}, helpcmd.Flags{forceFlag(&force)})
	conformance.TargetFlags(c.Flags(), &o.Flags)
	fileFlag(c, &to)
	conformance.TimeFlags(c.Flags(), &limits)
	return c
}

// anchor names directories and files of a target, which are relative to the current directory,
// as a target file in a directory names them, so that its commands start where they did now.
func anchor(t *target.Target, dir string) {
	from := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		at, _ := filepath.Abs(path) // empty if the current directory is gone
		return cmp.Or(relative(dir, path), at, path)
	}
	for i := range t.Endpoints {
		e := &t.Endpoints[i]
		if len(e.Command) > 0 {
			e.Dir = from(e.Dir)
		}
		if e.CAFile != "" {
			e.CAFile = from(e.CAFile)
		}
	}
}

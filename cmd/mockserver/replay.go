package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mcpcheck/mcpcheck/internal/helpcmd"
	"github.com/spf13/cobra"
)

func (s *settings) replayCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	c := helpcmd.New(help, "replay")
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(cmd *cobra.Command, args []string) error { return s.replay(cmd, args, stdin, stdout, stderr) }
	conceal(c, func(name string) bool { return slices.Contains(replayed, name) })
	return c
}

// replayed are the flags of serve that mean something to replay.
var replayed = []string{"stdio", "http", "revision", "fault", "quirk", "fail", "latency", "seed", "journal", "allow-origin", "allow-host", "ready-file",
	"admin", "admin-token-env", "token-env", "require-scope", "authorization-server",
	"oauth", "oauth-user", "oauth-expires", "oauth-consent", "tls-ca"}

func (s *settings) replay(cmd *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	known := only(cmd, replayed...)
	switch {
	case known != nil:
		return known
	case len(args) != 1:
		return usagef("give one recording: mockserver replay {--stdio | --http ADDRESS} FILE")
	case s.stdio == (s.addr != ""):
		return usagef("give either --stdio or --http ADDRESS")
	}
	if err := errors.Join(s.check(), s.rules()); err != nil {
		return err
	}
	rec, err := openRecording(args[0], stderr)
	if err != nil {
		return err
	}
	if n, alike := rec.Masked(); n > 0 {
		fmt.Fprintf(stderr, "mockserver: %s: values are masked in %s, and match any value when they are replayed%s\n", args[0], count(n, "request"), ordered(alike))
	}
	if err := s.steer.protect(&s.options, s.addr); err != nil {
		return err
	}
	closeJournal, err := s.openJournal(stdout)
	if err != nil {
		return err
	}
	server, err := rec.Serve(s.options)
	if err != nil {
		return errors.Join(usageError{err}, closeJournal())
	}
	return s.operate(cmd.Context(), server, stdin, stdout, stderr, closeJournal)
}

// ordered says of requests that what was masked has made like others how they are answered.
func ordered(alike int) string {
	if alike == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of these cannot be told apart and are answered in the order in which they were recorded", alike)
}

package main

import (
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

func (s *settings) replayCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "replay {--stdio | --http ADDRESS} FILE",
		Short: "Serve a recorded conversation back",
		Long: `Serve a recorded conversation back, over any transport, in the revisions in which it was
recorded.

A request is matched by its method and its params; ids, metadata and progress tokens do not count.
Of several recorded answers the first is given first, and the last one again and again. What
was not recorded is answered with an error that names the nearest that was. Notifications are
sent after the answer that they followed.

Faults, failures and delays can be put on top, and --admin steers it as any other server.`,
		Example: "  mockserver replay --stdio talk.jsonl",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return s.replay(cmd, args, stdin, stdout, stderr) },
	}
	conceal(c, func(name string) bool { return slices.Contains(replayed, name) })
	return c
}

// replayed are the flags of serve that mean something to replay.
var replayed = []string{"stdio", "http", "revision", "fault", "quirk", "fail", "latency", "seed", "journal", "allow-origin",
	"admin", "admin-token-env", "token-env", "require-scope", "authorization-server"}

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
	if s.options.Guard, err = s.steer.protect(s.stdio); err != nil {
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
	_, endAdmin, err := s.steer.serveAdmin(cmd.Context(), server, stderr)
	if err != nil {
		return errors.Join(busy(err), server.Close(), closeJournal())
	}
	if s.stdio {
		err = serveStdio(cmd.Context(), server, stdin, stdout)
	} else {
		err = serveHTTP(cmd.Context(), server, s.addr, stderr)
	}
	return errors.Join(err, endAdmin(), server.Close(), server.Journal().Err(), closeJournal())
}

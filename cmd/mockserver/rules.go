package main

import (
	"errors"
	"os"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// rules reads what the server is to do wrong, oddly or slowly.
func (s *settings) rules() error {
	for _, list := range []struct {
		flag  string
		args  []string
		parse func(string) (control.Rule, error)
	}{
		{"--fault", split(s.faults), control.ParseFault},
		{"--quirk", split(s.quirks), control.ParseQuirk},
		{"--fail", s.failures, control.ParseFailure},
		{"--latency", s.latency, control.ParseLatency},
	} {
		for _, arg := range list.args {
			rule, err := list.parse(arg)
			if err != nil {
				return usagef("%s: %w", list.flag, err)
			}
			s.tell(rule.Warnings()...)
			s.options.Rules = append(s.options.Rules, rule)
		}
	}
	return nil
}

// split takes lists apart at their commas. What follows uri= is a pattern, which may
// have commas in it.
func split(args []string) []string {
	var all []string
	for _, arg := range args {
		for {
			comma, uri := strings.IndexByte(arg, ','), strings.Index(arg, ":uri=")
			if comma < 0 || uri >= 0 && uri < comma {
				all = append(all, arg)
				break
			}
			all = append(all, arg[:comma])
			arg = arg[comma+1:]
		}
	}
	return all
}

// openJournal has the journal written to the file that was asked for.
func (s *settings) openJournal() (closeJournal func() error, err error) {
	var o journal.Options
	closeJournal = func() error { return nil }
	switch s.journal {
	case "":
	case "-":
		o.Writer = terminal.HarmlessJSON(s.stdout)
	default:
		if info, err := os.Stat(s.journal); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			s.note("--journal %s: the journal that was there is replaced", s.journal)
		}
		f, err := os.OpenFile(s.journal, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, usagef("--journal %s: %w", s.journal, errors.Unwrap(err))
		}
		o.Writer, closeJournal = f, f.Close
	}
	if o.Writer != nil {
		o.Secrets = environ.Secrets()
	}
	s.options.Journal = journal.New(o)
	return closeJournal, nil
}

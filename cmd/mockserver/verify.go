package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/dir"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// exitStatus ends the program with a status, and says no more.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// verifier are the flags of verify.
type verifier struct {
	*settings
	output.Reports

	timeout      time.Duration
	strict       bool
	stdioCommand bool
	provoke      bool
	endStream    bool
	protect      bool
	token        string // that --protect has made
	ignoreExit   bool
	listRules    bool
	only         []string
	serveInto    string
	granted      environ.Grant

	// Those of --faults, and of one run against a fault: what the server on stdio hears otherwise than on
	// the command line, what the client finds in its environment, and where its output goes.
	faultSet             []string
	jobs                 int
	overrides            map[string]string
	env                  []string
	clientOut, clientErr io.Writer
}

func (s *settings) verifyCommand() *cobra.Command {
	v := &verifier{settings: s, timeout: time.Minute, jobs: runtime.NumCPU()}
	c := helpcmd.New(help, "verify", nil, v.act, helpcmd.Flags{
		{&v.timeout, "timeout", "the time that the client has to come to its end"},
		{&v.strict, "strict", "count warnings as failures"},
		{&v.stdioCommand, "stdio-command",
			"give the client the command line of a server on stdio in MCP_SERVER_COMMAND"},
		{&v.provoke, "provoke", "end one session of Streamable HTTP, which the client has to replace"},
		{&v.endStream, "provoke-stream",
			"end one event stream that GET opened (2025-11-25), and ask the client to wait for a second"},
		{&v.protect, "protect",
			"demand a bearer token over HTTP, which the client gets in MCP_SERVER_TOKEN"},
		{&v.ignoreExit, "ignore-exit",
			"judge a client by what it said, even if it ends with another status than 0"},
		{&v.listRules, "list", "list the requirements and exit; with --json - as JSON"},
		{&v.jobs, "jobs", "with --faults, run this many clients at a time, `N`"},
		{&v.serveInto, "serve-into", ""},
	})
	f := c.Flags()
	f.StringSliceVar(&v.only, "only", nil, "judge these requirements only, `ID,...`")
	f.StringSliceVar(&v.faultSet, "faults", nil,
		"run the client against each fault of this `SET`, and say how it coped: names, areas (page), "+
			"connection, or all")
	v.granted.Register(f, "the client")
	v.Register(f)
	conceal(c, func(name string) bool {
		return !slices.Contains([]string{"stdio", "http", "list-faults", "list-quirks", "list-worlds",
			"ready-file"}, name)
	})
	return c
}

func (v *verifier) act(cmd *cobra.Command, args []string) error {
	if v.listRules {
		return v.printRules()
	}
	if v.serveInto != "" {
		return v.serveStdio(cmd)
	}
	if err := v.checkUsage(cmd, args); err != nil {
		return err
	}
	judge := v.judge
	if len(v.faultSet) > 0 {
		judge = v.judgeFaults
	}
	status, err := judge(cmd, args)
	if errors.Is(err, context.Canceled) {
		v.note("interrupted before the client was started")
		return exitStatus(reports.ExitNotEstablished)
	}
	if err != nil || status == reports.ExitOK {
		return err
	}
	return exitStatus(status)
}

// checkUsage finds mistakes before anything is started.
func (v *verifier) checkUsage(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "":
		return usagef("say which client to run: mockserver verify [flags] -- CLIENT-COMMAND [ARG...]")
	case cmd.ArgsLenAtDash() != 0:
		return usagef("put -- before the command of the client")
	case v.stdio || v.addr != "":
		return usagef("--stdio and --http belong to serve: verify serves both by itself")
	case v.listFaults || v.listQuirks || v.listWorlds:
		return usagef("--list-faults, --list-quirks and --list-worlds belong to serve: verify lists " +
			"requirements, with --list")
	case v.ready != "":
		return usagef("--ready-file belongs to serve: verify starts the client when the server is ready")
	case v.timeout <= 0:
		return usagef("--timeout must be more than nothing")
	case v.settings.journal == "-":
		return usagef("--journal needs a file")
	case v.protect && (v.steer.oauth.on || v.steer.oauth.ca != ""):
		return usagef("give either --protect, which makes a token, or --oauth, which has the client get " +
			"one; --tls-ca goes with the latter")
	case v.protect && v.steer.tokens != "":
		return usagef("give either --protect, which makes a token, or --token-env, which names yours")
	}
	if _, err := v.granted.Vars(); err != nil {
		return usagef("--%w", err)
	}
	for _, id := range v.only {
		if _, ok := clientcheck.Catalogue().Find(id); !ok {
			return usagef("unknown requirement %q%s", id, clientcheck.Catalogue().DidYouMean(id,
				`: "mockserver verify --list" lists them`))
		}
	}
	if err := v.Check(""); err != nil {
		return usageError{err}
	}
	return errors.Join(v.check(), v.dir.check(cmd))
}

// prepare makes the world and the options of the server, for HTTP and stdio alike. The
// directory, if the world is one, is to be closed.
func (v *verifier) prepare(cmd *cobra.Command) (w reference.World, files *dir.Dir, err error) {
	if err := v.rules(); err != nil {
		return w, nil, err
	}
	v.options.TimelineOnRequest = true // a client takes its time to start
	told := v.suit(cmd)
	w, files, err = v.served(cmd.Context())
	if err != nil {
		return w, nil, err
	}
	if v.options.PageSize == 0 && w.PageSize == 0 && !cmd.Flags().Changed("page-size") {
		const pages = 3
		v.options.PageSize = max(1, (len(w.Resources)+pages-1)/pages)
	}
	if v.serveInto == "" {
		v.settings.tell(told...)
	}
	return w, files, nil
}

// listAsJSON lets "verify --list --json" do without a file.
func listAsJSON(args []string) []string {
	if len(args) == 0 || args[0] != "verify" || !slices.Contains(args, "--list") ||
		slices.Contains(args, "--") {
		return args
	}
	args = slices.Clone(args)
	for i, a := range args {
		if a == "--json" && (i == len(args)-1 || strings.HasPrefix(args[i+1], "-")) {
			args[i] = "--json=-"
		}
	}
	return args
}

// listedRule is a requirement as "verify --list --json" shows it.
type listedRule struct {
	ID         string                  `json:"id"`
	Title      string                  `json:"title"`
	Text       string                  `json:"text"`
	Level      requirement.Level       `json:"level"`
	Grade      requirement.Grade       `json:"grade"`
	Basis      requirement.Basis       `json:"basis"`
	Revisions  []requirement.Revision  `json:"revisions"`
	Transports []requirement.Transport `json:"transports"`
	Section    string                  `json:"section"`
	Tolerated  string                  `json:"tolerated,omitempty"`
	Profile    string                  `json:"profile"`
}

// printRules lists the requirements for clients.
func (v *verifier) printRules() error {
	all := []listedRule{}
	for _, r := range clientcheck.Catalogue().Requirements() {
		l := listedRule{
			ID: r.ID, Title: r.Title, Text: r.Text, Level: r.Level, Grade: r.Grade, Basis: r.Basis,
			Revisions:  r.Revisions,
			Transports: r.Transports, Tolerated: r.Tolerated, Profile: r.Profile,
		}
		if s, ok := r.SectionOn(requirement.Combination{Revision: r.Revisions[len(r.Revisions)-1],
			Transport: r.Transports[0]}); ok {
			l.Section = s.Ref()
		}
		all = append(all, l)
	}
	if v.JSON != "" {
		return output.JSON(v.stdout, all)
	}
	return texts.ExecuteTemplate(v.stdout, "rules", all)
}

// guarded makes the guard that --protect or the flags for tokens ask for.
func (v *verifier) guarded() error {
	if v.protect {
		if len(v.steer.scopes) > 0 {
			return usagef("--require-scope needs --token-env, which gives tokens scopes: the token of " +
				"--protect is good for everything")
		}
		v.token = rand.Text()
		v.steer.demanded = []guard.Token{{Secret: v.token}}
	}
	return v.steer.protect(&v.options, "127.0.0.1:0")
}

// secrets are what must not appear in a report.
func (v *verifier) secrets() []string {
	all := slices.Concat(environ.Secrets(), v.granted.Secrets())
	for _, t := range v.steer.demanded {
		all = append(all, t.Secret)
	}
	return all
}

// keepJournal makes the journal of the server, with its file if one was asked for.
func (v *verifier) keepJournal() (kept io.WriteCloser, err error) {
	o := journal.Options{Entries: keptEntries, Bytes: keptBytes, MaxRaw: keptMessage}
	if kept, err = os.OpenFile(cmp.Or(v.settings.journal, os.DevNull), os.O_WRONLY|os.O_CREATE|os.O_TRUNC,
		0o600); err != nil {
		return nil, usagef("--journal %s: %w", v.settings.journal, errors.Unwrap(err))
	}
	if v.settings.journal != "" {
		o.Writer, o.Secrets = kept, environ.Secrets()
	}
	v.options.Journal = journal.New(o)
	return kept, nil
}

// addJournals writes what the servers on stdio have noted, each after the other, and numbered on from
// the last entry that the file has.
func addJournals(kept io.Writer, last uint64, journals [][]byte) error {
	for _, lines := range journals {
		before := last
		for line := range bytes.Lines(lines) {
			var e journal.Entry
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
			e.Seq += before
			if e.RequestSeq > 0 {
				e.RequestSeq += before
			}
			last = e.Seq
			if _, err := journal.WriteJSON(kept, []journal.Entry{e}); err != nil {
				return err
			}
		}
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
)

// The exit codes.
const (
	exitOK    = 0
	exitBroke = 1 // the server could not go on
	exitUsage = 2
)

// usageError is a mistake in the arguments: one sentence, exit code 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// settings are the flags of serve.
type settings struct {
	stdio      bool
	addr       string
	world      string
	listFaults bool
	listQuirks bool
	options    reference.Options
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := command(stdin, stdout, stderr)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "mockserver: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitBroke
}

func command(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	s := &settings{}
	act := func(cmd *cobra.Command, args []string) error {
		return s.act(cmd, stdin, stdout, stderr)
	}
	noArgs := func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unexpected argument %q", args[0])
		}
		return nil
	}
	root := &cobra.Command{
		Use:   "mockserver",
		Short: "The reference server of MCP resources, with quirks and faults on request",
		Args:  noArgs, RunE: act,
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	serve := &cobra.Command{Use: "serve", Short: "Serve a world (the default command)", Args: noArgs, RunE: act}
	root.AddCommand(serve)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	s.declare(root)
	return root
}

// declare makes the flags known to the command and all below it.
func (s *settings) declare(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.BoolVar(&s.stdio, "stdio", false, "serve one connection on standard input and output")
	f.StringVar(&s.addr, "http", "", "serve /mcp, /sse and /message on this `ADDRESS`, say 127.0.0.1:8080")
	f.StringVar(&s.world, "world", "default", "the `NAME` of an embedded world, or a YAML or JSON file: "+strings.Join(reference.WorldNames(), ", "))
	f.StringSliceVar(&s.options.Revisions, "revision", nil, "serve only these revisions, `R,...`")
	f.IntVar(&s.options.PageSize, "page-size", 0, "the number `N` of entries on a page; 0 is what the world says")
	f.StringSliceVar(&s.options.Faults, "fault", nil, "break these rules, `NAME,...`")
	f.StringSliceVar(&s.options.Quirks, "quirk", nil, "be odd in these ways, `NAME,...`")
	f.Uint64Var(&s.options.Seed, "seed", 0, "the seed of what is random in faults and quirks")
	f.DurationVar(&s.options.Latency, "latency", 0, "delay every answer by this `DURATION`")
	f.StringSliceVar(&s.options.AllowedOrigins, "allow-origin", nil, "web origins to admit beside loopback, `O,...`")
	f.BoolVar(&s.listFaults, "list-faults", false, "list the faults and exit")
	f.BoolVar(&s.listQuirks, "list-quirks", false, "list the quirks and exit")
}

func (s *settings) act(cmd *cobra.Command, stdin io.Reader, stdout, stderr io.Writer) error {
	ctx := cmd.Context()
	if s.listFaults || s.listQuirks {
		return s.list(stdout)
	}
	if s.stdio == (s.addr != "") {
		return usagef("give either --stdio or --http ADDRESS")
	}
	if err := s.check(); err != nil {
		return err
	}
	for _, line := range s.suit(cmd) {
		fmt.Fprintln(stderr, "mockserver: "+line)
	}
	w, err := reference.LoadWorld(s.world)
	if err != nil {
		return usageError{err}
	}
	server, err := reference.New(w, s.options)
	if err != nil {
		return usageError{err}
	}
	if s.stdio {
		err = serveStdio(ctx, server, stdin, stdout)
	} else {
		err = serveHTTP(ctx, server, s.addr, stderr)
	}
	return errors.Join(err, server.Close())
}

// check finds names that do not exist, and says which do.
func (s *settings) check() error {
	for _, r := range s.options.Revisions {
		if !slices.Contains(reference.Revisions(), r) {
			return usagef("unknown revision %q: known are %s", r, strings.Join(reference.Revisions(), ", "))
		}
	}
	for _, name := range s.options.Faults {
		if _, ok := fault.Find(name); !ok {
			return usagef("unknown fault %q%s", name, nearby(name, faultNames(), "--list-faults"))
		}
	}
	for _, name := range s.options.Quirks {
		if _, ok := quirk.Find(name); !ok {
			return usagef("unknown quirk %q%s", name, nearby(name, quirkNames(), "--list-quirks"))
		}
	}
	if s.options.PageSize < 0 || s.options.Latency < 0 {
		return usagef("--page-size and --latency must not be negative")
	}
	return nil
}

// nearby says what a name may have been meant to be, or where all stand.
func nearby(name string, known []string, flag string) string {
	if s := nearest.Question(name, known); s != "" {
		return s
	}
	return ": see " + flag
}

func faultNames() []string {
	var names []string
	for _, f := range fault.All() {
		names = append(names, f.Name)
	}
	return names
}

func quirkNames() []string {
	var names []string
	for _, q := range quirk.All() {
		names = append(names, q.Name)
	}
	return names
}

func (s *settings) list(stdout io.Writer) error {
	var b strings.Builder
	if s.listFaults {
		for _, f := range fault.All() {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", f.Name, f.Requirement, f.Summary)
		}
	}
	if s.listQuirks {
		for _, q := range quirk.All() {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", q.Name, strings.Join(q.Permits, ","), q.Summary)
		}
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}

// serveStdio serves until the input ends. A signal is an ordinary end, too.
func serveStdio(ctx context.Context, server *reference.Server, stdin io.Reader, stdout io.Writer) error {
	err := server.ServeStream(ctx, stdin, stdout)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

const (
	headTimeout     = 10 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 3 * time.Second
)

// serveHTTP serves until the context ends. The address goes to stderr once the
// server can be reached.
func serveHTTP(ctx context.Context, server *reference.Server, addr string, stderr io.Writer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: headTimeout, IdleTimeout: idleTimeout}
	fmt.Fprintf(stderr, "mockserver: listening on http://%s/mcp (Streamable HTTP) and http://%[1]s/sse (HTTP+SSE)\n", listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	err = server.Close() // ends the event streams, which Shutdown would wait for
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if web.Shutdown(end) != nil {
		err = errors.Join(err, web.Close())
	}
	return err
}

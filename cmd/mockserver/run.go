package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/internal/version"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/dir"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The exit codes.
const (
	exitOK    = 0
	exitBroke = 1 // the server could not begin or go on, or there are warnings under --strict
	exitUsage = 2 // a mistake in the arguments, or in a file that they name
)

// usageError is a mistake in the arguments: one sentence, exit code 2.
type usageError struct{ error }

// Unwrap is what was wrong with the arguments.
func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// settings are the flags of serve.
type settings struct {
	stdin      io.Reader
	stdout     io.Writer
	stderr     io.Writer
	stdio      bool
	addr       string
	world      string
	listFaults bool
	listQuirks bool
	listWorlds bool
	dir        directory
	faults     []string
	quirks     []string
	latency    []string
	failures   []string
	journal    string
	ready      string
	steer      steering
	options    reference.Options
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Harmless(stdout), terminal.Harmless(stderr)
	args = listAsJSON(args)
	s := &settings{stdin: stdin, stdout: stdout, stderr: stderr}
	root := s.command(args)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if status, ok := errors.AsType[exitStatus](err); ok {
		return int(status)
	}
	if output.Gone(stdout, err) {
		return exitBroke
	}
	told := err
	if problems, ok := errors.AsType[world.Problems](err); ok {
		told = problems // with file and line, each on a line of its own
	}
	s.tell(strings.Split(told.Error(), "\n")...)
	if _, usage := errors.AsType[usageError](err); usage {
		return exitUsage
	}
	return exitBroke
}

// help is the help of each command.
//
//go:embed help/*.txt
var help embed.FS

// note writes a line to standard error.
func (s *settings) note(format string, args ...any) {
	fmt.Fprintf(s.stderr, "mockserver: "+format+"\n", args...)
}

// tell writes sentences to standard error.
func (s *settings) tell(sentences ...string) {
	for _, sentence := range sentences {
		s.note("%s", sentence)
	}
}

func (s *settings) command(args []string) *cobra.Command {
	noArgs := func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return nil
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(args[0])):
			return usagef("unexpected argument %q: a world is given as --world %s", args[0], args[0])
		}
		return usagef("unexpected argument %q%s", args[0], helpcmd.NearCommand(c, args[0]))
	}
	root := helpcmd.Root(help, "mockserver", version.Of(release).String())
	root.Args, root.RunE = noArgs, s.act
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		known, limited := meaningful[below(root, cmd).Name()]
		if err := filled(cmd); err != nil || !limited {
			return err
		}
		return only(cmd, known...)
	}
	serve := &cobra.Command{Use: "serve", Short: "Serve a world (the default command)", Args: noArgs,
		RunE: s.act}
	root.AddCommand(serve, s.checkCommand(), s.worldsCommand(), s.faultsCommand(), s.quirksCommand(),
		s.verifyCommand(), s.recordCommand(), s.replayCommand(), s.worldCommand())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w%s", helpcmd.FlagError(err), helpcmd.NearFlag(c, err))
	})
	s.declare(root)
	helpcmd.Complete(root, completed, nil)
	helpcmd.Finish(root, args, output.Width(s.stdout), usagef)
	for _, c := range root.Commands() {
		if known, limited := meaningful[c.Name()]; limited {
			conceal(c, func(name string) bool { return slices.Contains(known, name) })
		}
	}
	return root
}

// meaningful are the flags of serve that mean something to commands to which not all do.
var meaningful = map[string][]string{
	"check": nil, "worlds": nil, "world": nil, "faults": nil, "quirks": nil, "version": nil,
	"completion": nil,
	"record":     {"allow-origin", "allow-host"},
	"replay": {"stdio", "http", "revision", "fault", "quirk", "fail", "latency", "seed", "journal",
		"allow-origin", "allow-host", "ready-file",
		"admin", "admin-token-env", "token-env", "require-scope", "authorization-server",
		"oauth", "oauth-user", "oauth-expires", "oauth-consent", "tls-ca"},
}

// below is the command right below the root that a command belongs to.
func below(root, c *cobra.Command) *cobra.Command {
	for c.HasParent() && c.Parent() != root {
		c = c.Parent()
	}
	return c
}

// completed is what shells complete of flags.
var completed = map[string]helpcmd.Words{
	"fault":    func() []string { return summed(catalogue()) },
	"quirk":    func() []string { return summed(oddities()) },
	"world":    reference.WorldNames,
	"revision": reference.Revisions,
}

// summed are names with their summaries, as shells take them.
func summed(all []listed) (words []string) {
	for _, l := range all {
		words = append(words, l.Name+"\t"+l.Summary)
	}
	return words
}

// conceal leaves those flags of serve out of the help of a command that mean nothing to it,
// all but those that are told to be known.
func conceal(c *cobra.Command, known func(name string) bool) {
	c.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || !known(f.Name) })
		cmd.Root().HelpFunc()(cmd, args)
	})
}

// filled refuses flags that are given with nothing, as they are when a variable of the shell is not set:
// without a word there would be no journal, or no token demanded.
func filled(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		// elsewhere, and better
		told := slices.Contains([]string{"dir", "http", "to", "from", "url", "world"}, f.Name)
		if !told && slices.Contains([]string{"", "[]", `[""]`}, f.Value.String()) {
			err = usagef("--%s is given with nothing", f.Name)
		}
	})
	return err
}

// once is the value of a flag that is given once: a second one would win without a word.
type once struct {
	pflag.Value
	given bool
}

func (o *once) Set(text string) error {
	if o.given {
		return fmt.Errorf("it has been given before, with %q", o.Value)
	}
	o.given = true
	return o.Value.Set(text)
}

// declare makes the flags known to the command and all below it.
func (s *settings) declare(cmd *cobra.Command) {
	s.world = "default"
	helpcmd.Flags{
		{&s.stdio, "stdio", "serve one connection on standard input and output"},
		{&s.addr, "http", "serve /mcp, /sse and /message on this `ADDRESS`, say 127.0.0.1:8080"},
		{&s.world, "world", "the `NAME` of an embedded world, or a YAML or JSON file: " +
			strings.Join(reference.WorldNames(), ", ")},
		{&s.options.PageSize, "page-size", "the number `N` of entries on a page; 0 is what the world says"},
		{&s.faults, "fault",
			"break these rules, `NAME[:LIMITS],...`, where LIMITS are method=M, count=N, skip=N, every=N," +
				" chance=P, while=SCENARIO=STATE, become=SCENARIO=STATE, session=ID, identity=TOKEN and " +
				"uri=PATTERN with colons between them; uri takes the rest"},
		{&s.quirks, "quirk", "be odd in these ways, `NAME[:LIMITS],...`"},
		{&s.failures, "fail",
			"answer requests with a failure, `CODE[:LIMITS]` of a JSON-RPC error or http and a status: " +
				"-32603:method=resources/read:count=2, http503:count=1"},
		{&s.latency, "latency",
			"delay answers by a `DURATION[:LIMITS]`: 50ms, uniform:10ms-90ms, lognormal:50ms,0.5 (median " +
				"and sigma), dribble:1KiB/s"},
		{&s.journal, "journal",
			"write what clients send and get to this `FILE`, a line of JSON for each, in place of what is " +
				"in it; - is the standard output, with --http only"},
		{&s.ready, "ready-file",
			"write a line of JSON to this `FILE` when the server is ready (url, sseUrl, adminUrl, pid, " +
				"version), and remove it in the end"},
		{&s.listFaults, "list-faults", "list the faults and exit"},
		{&s.listWorlds, "list-worlds", "list the ready worlds and exit"},
		{&s.listQuirks, "list-quirks", "list the quirks and exit"},
	}.Add(cmd.PersistentFlags())
	s.dir.declare(cmd)
	s.steer.declare(cmd)
	f := cmd.PersistentFlags()
	f.Uint64Var(&s.options.Seed, "seed", 0, "the seed of everything random")
	f.StringSliceVar(&s.options.Revisions, "revision", nil, "serve only these revisions, `R,...`")
	f.StringSliceVar(&s.options.AllowedOrigins, "allow-origin", nil,
		"web origins whose pages may call the server (CORS), beside loopback ones, `O,...`")
	f.StringSliceVar(&s.options.AllowedHosts, "allow-host", nil,
		"host names by which the server and its admin interface may be called beside those of loopback, "+
			"`NAME,...`; * is any")
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Value.Type() == "string" {
			flag.Value = &once{Value: flag.Value}
		}
	})
}

func (s *settings) act(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	if s.listWorlds {
		return s.printWorlds()
	}
	if s.listFaults || s.listQuirks {
		return s.list()
	}
	if s.stdio == (s.addr != "") {
		return usagef("give either --stdio or --http ADDRESS, as in \"mockserver --http " +
			"127.0.0.1:8931\"; \"mockserver --help\" shows what there is")
	}
	if err := errors.Join(s.check(), s.dir.check(cmd)); err != nil {
		return err
	}
	if err := s.rules(); err != nil {
		return err
	}
	if err := s.steer.protect(&s.options, s.addr); err != nil {
		return err
	}
	s.tell(s.suit(cmd)...)
	w, files, err := s.served(ctx)
	if errors.Is(err, context.Canceled) {
		return nil // a signal is an ordinary end
	}
	if err != nil {
		return err
	}
	defer closeFiles(files)
	return s.operate(ctx, files, func(o reference.Options) (*reference.Server, error) {
		return reference.New(w, o)
	})
}

// operate makes a server, has it serve until the end, and ends all that goes with it.
func (s *settings) operate(ctx context.Context, files *dir.Dir,
	made func(reference.Options) (*reference.Server, error)) error {
	closeJournal, err := s.openJournal()
	if err != nil {
		return err
	}
	server, err := made(s.options)
	if err != nil {
		return errors.Join(usageError{err}, closeJournal())
	}
	defer watch(ctx, files, server)()
	adminURL, endAdmin, err := s.serveAdmin(ctx, server)
	if err != nil {
		return errors.Join(busy(err), server.Close(), closeJournal())
	}
	if s.stdio {
		err = s.whileReady(readiness{AdminURL: adminURL}, func() error {
			return serveStdio(ctx, server, s.stdin, s.stdout)
		})
	} else {
		err = s.serveHTTP(ctx, server, adminURL)
	}
	return errors.Join(err, endAdmin(), server.Close(), server.Journal().Err(), closeJournal())
}

// served is the world that is served, and the directory that it is made of if it is.
func (s *settings) served(ctx context.Context) (w reference.World, files *dir.Dir, err error) {
	if s.dir.path == "" {
		w, warnings, err := inspect(s.world)
		warn(s.stderr, "mockserver: ", warnings)
		if err != nil {
			if e := (*fs.PathError)(nil); errors.As(err, &e) {
				err = fmt.Errorf("--world %s: the file cannot be read: %w", s.world, e.Err)
			}
			err = usageError{err}
		} else if n := s.options.PageSize; n > 0 && w.PageSize > 0 && n != w.PageSize &&
			!slices.Contains(reference.WorldNames(), s.world) {
			s.note("--page-size %d takes the place of the pageSize %d of %s", n, w.PageSize, s.world)
		}
		return w, nil, err
	}
	if files, err = s.openDir(ctx); err != nil {
		return w, nil, err
	}
	s.options.Current = files.World
	return files.World(), files, nil
}

// callers finds mistakes in who may call a server.
func (s *settings) callers() error {
	for _, name := range s.options.AllowedHosts {
		if strings.ContainsAny(name, "/@ ") || name == "" {
			return usagef("--allow-host %q: give the name of a host, as mock or mock:8931, or * for any",
				name)
		}
	}
	for _, origin := range s.options.AllowedOrigins {
		scheme, host, ok := strings.Cut(origin, "://")
		whole := ok && scheme != "" && host != "" && !strings.ContainsAny(host, "/@*? ")
		if origin != strings.ToLower(origin) || !whole && origin != "null" {
			const as = "as https://app.example or http://app.example:8080"
			return usagef("--allow-origin %q: give an origin as browsers write it, %s", origin, as)
		}
	}
	return nil
}

// check finds names that do not exist, and says which do.
func (s *settings) check() error {
	for _, r := range s.options.Revisions {
		if !slices.Contains(reference.Revisions(), r) {
			return usagef("unknown revision %q: known are %s", r, strings.Join(reference.Revisions(), ", "))
		}
	}
	if s.options.PageSize < 0 {
		return usagef("--page-size must not be negative")
	}
	if err := s.callers(); err != nil {
		return err
	}
	if s.ready == "-" {
		return usagef("--ready-file - is no file: it is removed in the end")
	}
	if s.ready != "" {
		if err := output.Writable(s.ready); err != nil {
			return usagef("--ready-file %s: %w", s.ready, err)
		}
	}
	if s.stdio && s.journal == "-" {
		return usagef("--journal - needs --http: with --stdio the standard output belongs to the protocol")
	}
	return nil
}

func (s *settings) list() error {
	var all []listed
	if s.listFaults {
		all = catalogue()
	}
	if s.listQuirks {
		all = append(all, oddities()...)
	}
	return texts.ExecuteTemplate(s.stdout, "names", all)
}

// serveStdio serves until the input ends. A signal is an ordinary end, too.
func serveStdio(ctx context.Context, server *reference.Server, stdin io.Reader, stdout io.Writer) error {
	err := server.ServeStream(ctx, stdin, terminal.Raw(stdout))
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// serveHTTP serves until the context ends. The address goes to stderr once the
// server can be reached.
func (s *settings) serveHTTP(ctx context.Context, server *reference.Server, adminURL string) error {
	listener, err := server.Listen(ctx, s.addr)
	if err != nil {
		return unlistened("--http", s.addr, err)
	}
	scheme := scheme(s.options)
	s.note("listening on %s%s/mcp (Streamable HTTP) and %[1]s%[2]s/sse (HTTP+SSE)", scheme, listener.Addr())
	base := scheme + callable(listener.Addr())
	at := readiness{URL: base + "/mcp", SSEURL: base + "/sse", AdminURL: adminURL}
	err = s.whileReady(at, func() error { return server.Serve(ctx, listener) })
	return errors.Join(err, unused(listener.Close()))
}

// release is set by the linker when a release is built.
var release string

// tool describes this program, from the information of its build.
func tool() reports.Tool {
	b := version.Of(release)
	return reports.Tool{Name: "mockserver", Version: b.Version, Commit: b.Commit}
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/lifetime"
	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/dir"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/occasion"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"
)

// The bounds of what is kept of a client's conversation, in entries and bytes.
const (
	keptEntries = 200_000
	keptBytes   = 256 << 20
	keptMessage = 2 << 20
	// afterwards is how long servers on stdio have to note that their client is gone.
	afterwards = time.Second
)

// serve makes the server with its occasions. If its world is a directory, it is told of
// changes there until the function that it returns is called.
func (v *verifier) serve(ctx context.Context, w reference.World, files *dir.Dir) (*reference.Server, func(),
	error) {
	o := occasion.New(occasion.Options{EndSession: v.provoke, EndStream: v.endStream})
	v.options.Hooks = hook.Join(o.Hooks(), v.options.Hooks)
	server, err := reference.New(w, v.options)
	if err != nil {
		return nil, nil, usageError{err}
	}
	o.Bind(server)
	return server, watch(ctx, files, server), nil
}

// closeFiles lets go of a directory, if there is one.
func closeFiles(files *dir.Dir) {
	if files != nil {
		_ = files.Close() // nothing has been written
	}
}

// serveStdio is what a client starts: a server that leaves its journal in a directory.
func (v *verifier) serveStdio(cmd *cobra.Command) error {
	w, files, err := v.prepare(cmd)
	if err != nil {
		return err
	}
	defer closeFiles(files)
	f, err := os.CreateTemp(v.serveInto, "*.jsonl")
	if err != nil {
		return err
	}
	v.options.Journal = journal.New(journal.Options{Writer: f, MaxRaw: keptMessage})
	server, unwatch, err := v.serve(cmd.Context(), w, files)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	defer unwatch()
	ctx, input, ended := crossing(cmd.Context(), v.stdin)
	err = serveStdio(ctx, server, input, v.stdout)
	ended()
	return errors.Join(err, server.Close(), server.Journal().Err(), f.Close())
}

// ending is an input that tells when it has come to its end.
type ending struct {
	io.Reader
	seen func()
}

func (e ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err != nil {
		e.seen()
	}
	return n, err
}

// crossed is how long after a signal the end of the input may be noticed that came before it.
const crossed = 250 * time.Millisecond

// crossing is a context that outlives another, which a signal ends, for as long as it takes to see
// whether the input had been closed before, as it should be. The function that it returns is to be
// called in the end.
func crossing(signalled context.Context, stdin io.Reader) (ctx context.Context, input io.Reader,
	ended func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(signalled))
	closed, see := context.WithCancel(ctx)
	stop := context.AfterFunc(signalled, func() {
		select {
		case <-closed.Done(): // the server ends by itself
			select {
			case <-ctx.Done():
			case <-time.After(afterwards):
			}
		case <-time.After(crossed):
		}
		cancel()
	})
	return ctx, ending{stdin, see}, func() { stop(); see(); cancel() }
}

// session has the client talk to servers, and returns what these have noted: that over HTTP, and each of
// those on stdio.
func (v *verifier) session(cmd *cobra.Command, args []string) (run played, journals [][]byte, err error) {
	into, err := os.MkdirTemp("", "mockserver-verify-*")
	if err != nil {
		return run, nil, err
	}
	defer os.RemoveAll(into) //nolint:errcheck // a leftover in the temporary directory
	w, files, err := v.prepare(cmd)
	if err != nil {
		return run, nil, err
	}
	defer closeFiles(files)
	if v.overrides != nil {
		v.overrides["page-size"] = fmt.Sprint(v.options.PageSize)
	}
	kept, err := v.keepJournal()
	if err != nil {
		return run, nil, err
	}
	server, unwatch, err := v.serve(cmd.Context(), w, files)
	if err != nil {
		return run, nil, errors.Join(err, kept.Close())
	}
	defer unwatch()
	run, err = v.play(cmd, server, args, into)
	if err == nil && v.overrides == nil { // else others are at work
		run.left = lifetime.EndStrays(v.stderr, "mockserver: the client", mask.NewMasker(v.secrets()).String)
	}
	var overHTTP bytes.Buffer
	_, unwritten := server.Journal().WriteTo(&overHTTP)
	onStdio, missing := stdioJournals(into)
	err = errors.Join(err, unwritten, missing, server.Close(), server.Journal().Err(),
		addJournals(kept, server.Journal().Last(), onStdio), kept.Close())
	return run, append([][]byte{overHTTP.Bytes()}, onStdio...), err
}

// judge runs the client and writes the verdict. It returns the exit status.
func (v *verifier) judge(cmd *cobra.Command, args []string) (int, error) {
	if err := v.guarded(); err != nil {
		return 0, err
	}
	run, lines, err := v.session(cmd, args)
	var journals []io.Reader
	for _, of := range lines {
		journals = append(journals, bytes.NewReader(of))
	}
	noted, unreadable := clientcheck.Read(journals...)
	if err := errors.Join(err, unreadable); err != nil {
		return 0, err
	}
	r := clientcheck.Judge(noted, clientcheck.Options{
		Tool: tool(), Address: strings.Join(args, " "), Strict: v.strict, Only: v.only,
		Secrets: v.secrets(), Ended: run.interrupted == "", SingleClient: true, Interrupted: run.interrupted,
		Crashed: v.crashed(run), Duration: run.took,
		// #nosec G115 -- a seed may be any number
		Config: reports.Config{
			Seed: int64(v.options.Seed), TimeoutMS: v.timeout.Milliseconds(),
			Environment: v.granted.Pass, AdditionalSetting: v.shown(run),
		},
	})
	r.Summary.LeftBehind = run.left
	v.comment(r, run)
	rows := clientcheck.Catalogue()
	if err := v.Write(v.stdout, r, write.Options{
		Strict: v.strict, Observed: true, Areas: rows.Titles(), Describe: rows.Describe, Demand: rows.Demand,
	}); err != nil {
		v.note("%v", err)
		return reports.ExitNotEstablished, nil
	}
	return clientcheck.ExitCode(r, v.strict), nil
}

// comment says how the client ended, and whether it was there at all.
func (v *verifier) comment(r *reports.Report, run played) {
	v.settings.tell(phrases("comment", map[string]any{
		"Exit": run.exit, "Interrupted": run.interrupted, "Took": run.took.Round(time.Millisecond),
		"Crash": clientcheck.Crash(r), "Advice": environ.Advice(run.said, run.passed, len(r.Results) == 0),
		"Results": len(r.Results), "Idle": clientcheck.Idle(r), "Judged": r.Summary.Judged(),
	})...)
}

// shown is what the report says besides. What the server serves narrows no run: the client is judged whole,
// in what it speaks of it.
func (v *verifier) shown(run played) []string {
	all := []string{"client-exit=" + run.exit}
	if served := v.options.Revisions; len(served) > 0 {
		all = append(all, "served="+strings.Join(served, ","))
	}
	return all
}

// crashed says how a client ended that did not end well by itself; empty of others.
func (v *verifier) crashed(run played) string {
	if run.exit == "0" || run.interrupted != "" || v.ignoreExit {
		return ""
	}
	return run.exit
}

// played is how a client ended.
type played struct {
	exit        string // its exit status, or what ended it
	interrupted string
	took        time.Duration
	said        string   // the end of its standard error
	passed      []string // variables
	left        []string // processes that it has left behind
}

// play runs the client against the server until it ends.
func (v *verifier) play(cmd *cobra.Command, server *reference.Server, args []string, into string) (played,
	error) {
	serving, stop := context.WithCancel(context.WithoutCancel(cmd.Context()))
	listener, err := server.Listen(serving, "127.0.0.1:0")
	if err != nil {
		stop()
		return played{}, err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, listener) }()
	defer func() {
		stop()
		<-served
	}()
	line, err := v.stdioLine(cmd, into)
	if err != nil {
		return played{}, err
	}
	adminURL, endAdmin, err := v.serveAdmin(serving, server)
	if err != nil {
		return played{}, err
	}
	defer endAdmin() //nolint:errcheck // that it did not end well says nothing about the client
	base := scheme(v.options) + listener.Addr().String()
	ctx, cancel := context.WithTimeout(cmd.Context(), v.timeout)
	defer cancel()
	passed, err := v.granted.Vars()
	if err != nil {
		return played{}, err
	}
	args = expand(args, base, v.token, line)
	//nolint:gosec // running it is what the user asked for
	client := exec.CommandContext(ctx, args[0], args[1:]...)
	client.Env = append(environ.Of(passed), "MCP_SERVER_URL="+base+"/mcp", "MCP_SERVER_SSE_URL="+base+"/sse")
	if v.token != "" {
		client.Env = append(client.Env, "MCP_SERVER_TOKEN="+v.token)
	}
	if adminURL != "" {
		client.Env = append(client.Env, "MCP_SERVER_ADMIN_URL="+adminURL)
	}
	if v.stdioCommand {
		client.Env = append(client.Env, "MCP_SERVER_COMMAND="+shell.Join(line))
	}
	client.Env = append(client.Env, v.env...)
	said := transport.NewTail(lastSaid)
	client.Stdout = cmp.Or(v.clientOut, v.stderr)
	client.Stderr = io.MultiWriter(cmp.Or(v.clientErr, v.stderr), said)
	client.WaitDelay = 2 * time.Second
	began := time.Now()
	if err := procgroup.Start(client); err != nil {
		return played{}, usagef("%s", procgroup.Unstarted(client, err))
	}
	err = procgroup.Wait(client)
	run := played{exit: "0", took: time.Since(began), said: said.String(), passed: passed}
	switch {
	case cmd.Context().Err() != nil:
		run.interrupted = "interrupted"
	case ctx.Err() != nil:
		run.interrupted = "timeout"
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // some other process has the standard error, too
		run.exit = err.Error()
	}
	if run.interrupted == "" {
		awaitEnds(into)
	}
	procgroup.Clear(client.Process.Pid)
	return run, nil
}

// expand puts addresses and command lines into the arguments of the client.
func expand(args []string, base, token string, line []string) []string {
	var out []string
	for _, a := range args {
		if a == "{stdio}" {
			out = append(out, line...)
			continue
		}
		a = strings.ReplaceAll(a, "{url}", base+"/mcp")
		a = strings.ReplaceAll(a, "{sse}", base+"/sse")
		if token != "" {
			a = strings.ReplaceAll(a, "{token}", token)
		}
		out = append(out, strings.ReplaceAll(a, "{stdio}", shell.Join(line)))
	}
	return out
}

// stdioLine is the command line of a server on stdio with the same settings.
func (v *verifier) stdioLine(cmd *cobra.Command, into string) ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	line := []string{exe, "verify", "--serve-into=" + into}
	own := append([]string{
		"stdio", "http", "journal", "admin", "admin-token-env",
		// there are no tokens on stdio
		"token-env", "require-scope", "authorization-server",
	}, authorizationFlags...)
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { own = append(own, f.Name) })
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, other := v.overrides[f.Name]; other || slices.Contains(own, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			// The client may start the server somewhere else.
			if f.Name == "dir" || f.Name == "world" && strings.ContainsAny(value, `./\`) {
				if path, e := filepath.Abs(value); e == nil {
					value = path
				}
			}
			line = append(line, "--"+f.Name+"="+value)
		}
	})
	for name, value := range v.overrides {
		if value != "" {
			line = append(line, "--"+name+"="+value)
		}
	}
	return line, nil
}

// awaitEnds gives servers on stdio a moment to note the end of their input.
func awaitEnds(into string) {
	for deadline := time.Now().Add(afterwards); time.Now().Before(deadline); time.Sleep(
		10 * time.Millisecond) {
		all, err := stdioJournals(into)
		open := slices.ContainsFunc(all, func(lines []byte) bool {
			last := lines[bytes.LastIndexByte(bytes.TrimSpace(lines), '\n')+1:]
			return gjson.GetBytes(last, "kind").String() != string(journal.Closed)
		})
		if err == nil && !open {
			return
		}
	}
}

// stdioJournals reads what the servers on stdio have noted, a file each. A line that was not
// finished is left out.
func stdioJournals(into string) ([][]byte, error) {
	files, err := filepath.Glob(filepath.Join(into, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, path := range files {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			continue // the client has put it there
		}
		lines, err := os.ReadFile(path) //nolint:gosec // of our own directory
		if err != nil {
			return nil, err
		}
		all = append(all, lines[:bytes.LastIndexByte(lines, '\n')+1])
	}
	return all, nil
}

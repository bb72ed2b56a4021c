package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// matrixOptions holds the flags of "mcpcheck matrix".
type matrixOptions struct {
	targets, out, shard string
	parallel            int
	bound               time.Duration
	noFail              bool
}

func (p *program) matrixCommand() *cobra.Command {
	o := &matrixOptions{}
	c := helpcmd.New(help, "matrix")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.ArgsLenAtDash() != 0 && len(args) > 0 {
			return badUsage("there is no target %q: name a file with --targets; flags of \"mcpcheck run\" "+
				"follow --", args[0])
		}
		return p.matrix(c.Context(), o, args)
	}
	f := c.Flags()
	f.StringVar(&o.targets, "targets", "", "the `file` that lists the targets")
	f.StringVar(&o.out, "out", "mcpcheck-matrix",
		"the `directory` to write to; it is made where it is missing")
	f.StringVar(&o.shard, "shard", "",
		"judge only the `I/N`th part of the targets; auto asks the environment of GitLab or of a "+
			"Kubernetes Indexed Job")
	f.BoolVar(&o.noFail, "no-fail", false, "end with status 0 whatever was found, if the matrix was written")
	f.IntVar(&o.parallel, "parallel", runtime.NumCPU(), "judge `N` targets at a time")
	f.DurationVar(&o.bound, "bound", 10*time.Minute, "end the run of a target after this `duration`")
	return c
}

func (p *program) matrix(ctx context.Context, o *matrixOptions, flags []string) error {
	if o.targets == "" {
		return badUsage("--targets is missing: it names the file that lists the targets")
	}
	if o.out == "" {
		return badUsage("--out needs a directory")
	}
	if o.parallel < 1 || o.parallel > 256 {
		return badUsage("--parallel %d is not between 1 and 256", o.parallel)
	}
	if o.bound < time.Second {
		return badUsage("--bound %v is less than a second", o.bound)
	}
	if i := slices.IndexFunc(flags, reserved); i >= 0 {
		return badUsage("%s is set by the matrix itself", flags[i])
	}
	part, err := parseShard(o.shard, os.Getenv)
	if err != nil {
		return err
	}
	file, err := readMatrixFile(o.targets)
	if err != nil {
		return err
	}
	secrets, err := p.secretsOf(o, file, flags)
	if err != nil {
		return err
	}
	var targets []*matrixTarget
	for i := range file.Targets {
		if part.holds(file.Targets[i].Name) {
			targets = append(targets, &file.Targets[i])
		}
	}
	program, err := os.Executable()
	if err != nil {
		return impossible("this program cannot find itself to start it: %w", err)
	}
	if info, err := os.Stat(o.out); err == nil && !info.IsDir() {
		return badUsage("--out %s: it is a file, and a matrix needs a directory", o.out)
	}
	r := &matrixRun{
		p: p, o: o, program: program, flags: append(file.Args, flags...),
		m: reports.NewMatrix(tool(), part.String()), all: len(targets),
		hide: mask.NewMasker(secrets), secrets: strings.Join(secrets, separator),
	}
	if err := r.clear(targets); err != nil {
		return err
	}
	r.m.Started = time.Now().UTC().Format(time.RFC3339)
	r.judge(ctx, targets)
	return r.finish(ctx)
}

// secretsOf lists what reports on any of the targets must not show. A wrong flag is an error, reported
// once, before anything is started; what else is wrong with a target costs its own column only.
func (p *program) secretsOf(o *matrixOptions, file *matrixFile, flags []string) ([]string, error) {
	var secrets []string
	for i := range file.Targets {
		t, of := &file.Targets[i], &runFlags{}
		c := p.runCommandWith(of)
		if err := c.ParseFlags(t.arguments(slices.Concat(file.Args, flags))[1:]); err != nil {
			return nil, badUsage("%s: the flags of %s: %w", o.targets, t.Name, err)
		}
		if described, err := of.target(c, c.Flags().Args()); err == nil && described != nil {
			secrets = append(secrets, described.Secrets()...)
		}
	}
	slices.Sort(secrets)
	return slices.Compact(secrets), nil
}

// matrixRun judges targets and collects their columns.
type matrixRun struct {
	p       *program
	o       *matrixOptions
	program string
	flags   []string
	all     int
	secrets string // of all targets, for the processes that judge them
	hide    *mask.Masker

	mu sync.Mutex
	m  *reports.Matrix
}

// judge judges all targets, some at a time.
func (r *matrixRun) judge(ctx context.Context, targets []*matrixTarget) {
	var running errgroup.Group
	running.SetLimit(r.o.parallel)
	for _, t := range targets {
		running.Go(func() error {
			r.target(ctx, t)
			return nil
		})
	}
	_ = running.Wait() // what went wrong stands in the matrix
}

// target judges one and notes its column.
func (r *matrixRun) target(ctx context.Context, t *matrixTarget) {
	begun := time.Now()
	column := reports.MatrixTarget{Name: t.Name, Status: reports.MatrixNoReport}
	var report *reports.Report
	if ctx.Err() != nil {
		column.Error, column.ExitCode = "interrupted", exitNotEstablished
	} else {
		column, report = r.run(ctx, t, begun)
		column.Error = r.hide.String(column.Error)
	}
	column.TookMS = reports.Milliseconds(time.Since(begun))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m.Add(column, report)
	word := column.Status
	if column.Outcome != "" {
		word = write.Word(&column)
	}
	if column.Outcome != reports.Conformant {
		word += fmt.Sprintf(plural.Of(column.Warn, ", %d failed, %d {warning|warnings}"), column.Fail,
			column.Warn)
	}
	text := fmt.Sprintf("[%d/%d] %s: %s, %.1f s", len(r.m.Targets), r.all, t.Name, word, column.TookMS/1000)
	if by := column.ByRevision(); by != "" {
		text += "; " + by
	}
	if column.Error != "" {
		text += ": " + strings.ReplaceAll(column.Error, "\n", "; ")
	}
	fmt.Fprintln(r.p.stderr, safe.Clean(text, 400))
}

// clear makes room for all reports, before a target is started that could put links there: those of
// an earlier run must not be taken for those of a target.
func (r *matrixRun) clear(targets []*matrixTarget) error {
	names := []string{matrixJSON, matrixPage}
	for _, t := range targets {
		for _, name := range []string{"report.json", "report.html", "console.txt"} {
			names = append(names, filepath.Join(t.directory(), name))
		}
	}
	for i, name := range names {
		path := filepath.Join(r.o.out, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil && i > 1 {
			err = os.Remove(path)
		}
		if err == nil || errors.Is(err, os.ErrNotExist) {
			err = output.Writable(path)
		}
		if err != nil {
			return impossible("--out %s: %s: %w", r.o.out, name, err)
		}
	}
	return nil
}

// run starts the process and writes what it reports.
func (r *matrixRun) run(ctx context.Context, t *matrixTarget, begun time.Time) (reports.MatrixTarget,
	*reports.Report) {
	column := reports.MatrixTarget{Name: t.Name, Status: reports.MatrixNoReport, ExitCode: exitNotEstablished}
	dir := filepath.Join(r.o.out, t.directory())
	args := t.arguments(append(slices.Clone(r.flags), "--"+othersFlag, "--json", "-"))
	ctx, cancel := context.WithTimeoutCause(ctx, r.o.bound, errBound)
	defer cancel()
	// The process ends its own children when it is asked to end, and is killed
	// when it does not.
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Args[0] = os.Args[0] // the name by which this program was called
	procgroup.Separate(cmd)  // a signal from the terminal reaches it once, from us
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	stdout, console := &bounded{room: reports.MaxReport + 1}, &bounded{room: 4 << 20}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(r.secrets), stdout, console
	err := cmd.Run()
	if cmd.ProcessState != nil {
		column.ExitCode = cmd.ProcessState.ExitCode()
	}
	report, readErr := reports.ReadJSON(&stdout.kept)
	lines := strings.Split(strings.TrimSpace(console.kept.String()), "\n")
	told := strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "mcpcheck: ")
	if e := r.keep(dir, report, console); e != nil {
		column.Error = e.Error()
		return column, nil
	}
	timedOut := errors.Is(context.Cause(ctx), errBound)
	switch {
	case readErr == nil:
		column = reports.MatrixColumn(t.Name, report, column.ExitCode, time.Since(begun))
		column.Report, column.Page = t.directory()+"/report.json", t.directory()+"/report.html"
	case timedOut:
	case told != "":
		column.Error = told
	case err != nil:
		column.Error = err.Error()
	default:
		column.Error = readErr.Error()
	}
	if timedOut {
		// What was known by then stands in the report.
		column.Status, column.Error = reports.MatrixTimedOut,
			fmt.Sprintf("ended after %v; --bound allows more", r.o.bound)
	}
	return column, report
}

// keep writes the reports of a target, if there is one, and its console.
func (r *matrixRun) keep(dir string, report *reports.Report, console *bounded) (err error) {
	if report != nil {
		o := outputs{output.Reports{JSON: filepath.Join(dir, "report.json"),
			HTML: filepath.Join(dir, "report.html"), NoColor: true}}
		err = o.write(&program{stdout: console}, report, write.Options{Strict: report.Config.Strict})
	}
	return errors.Join(err, output.File(filepath.Join(dir, "console.txt"), func(w io.Writer) error {
		_, err := w.Write(r.hide.Mask(console.kept.Bytes()))
		return err
	}))
}

// errBound is the cause when a target had its time.
var errBound = errors.New("the bound of the target")

// The files of a matrix, beside the directories of its targets.
const matrixJSON, matrixPage = "matrix.json", "index.html"

// finish writes the matrix.
func (r *matrixRun) finish(ctx context.Context) error {
	r.m.Summarize()
	err := errors.Join(
		output.File(filepath.Join(r.o.out, matrixJSON), func(w io.Writer) error {
			return reports.WriteMatrixJSON(w, r.m)
		}),
		output.To(filepath.Join(r.o.out, matrixPage), nil, func(w io.Writer) error {
			return write.MatrixHTML(w, r.m)
		}))
	s := r.m.Summary
	_, e := fmt.Fprintf(r.p.stdout, "%s; %s\n", s, filepath.Join(r.o.out, matrixPage))
	if err = errors.Join(err, e); err != nil {
		return impossible("the matrix was not written: %w", err)
	}
	if !r.o.noFail {
		r.p.status = r.m.ExitCode()
	}
	if ctx.Err() != nil {
		r.p.status = exitNotEstablished
	}
	return nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	kept bytes.Buffer
	room int
}

func (b *bounded) Write(data []byte) (int, error) {
	n := min(len(data), b.room)
	b.room -= n
	b.kept.Write(data[:n])
	return len(data), nil
}

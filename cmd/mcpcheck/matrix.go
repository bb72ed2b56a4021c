package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
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
	"github.com/mcpcheck/mcpcheck/suite/certificate"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// matrixOptions holds the flags of "mcpcheck matrix".
type matrixOptions struct {
	targets, out, shard string
	parallel            int
	bound               time.Duration
	noFail              bool
	wrap, cache         string

	registry, values, again string
	meta, certificateURL    string
}

// The values of --again.
const againAll, againFailed = "all", "failed"

func (p *program) matrixCommand() *cobra.Command {
	o := &matrixOptions{out: "mcpcheck-matrix", parallel: runtime.NumCPU(), bound: 10 * time.Minute}
	c := helpcmd.New(help, "matrix", nil, func(c *cobra.Command, args []string) error {
		if c.ArgsLenAtDash() != 0 && len(args) > 0 {
			return badUsage("there is no target %q: name a file with --targets; flags of \"mcpcheck run\" "+
				"follow --", args[0])
		}
		return p.matrix(c.Context(), o, args)
	}, helpcmd.Flags{
		{&o.targets, "targets", "the `file` that lists the targets"},
		{&o.out, "out", "the `directory` to write to; it is made where it is missing"},
		{&o.shard, "shard",
			"judge only the `I/N`th part of the targets; auto asks the environment of GitLab or of a " +
				"Kubernetes Indexed Job"},
		{&o.noFail, "no-fail", "end with status 0 whatever was found, if the matrix was written"},
		{&o.parallel, "parallel", "judge `N` targets at a time"},
		{&o.bound, "bound", "end the run of a target after this `duration`"},
		{&o.wrap, "wrap",
			"put this `command` in front of that of each server; {dir} stands for its home, " +
				"{name} for a name"},
		{&o.cache, "cache",
			"have all servers share a `directory` for what npm and uv fetch; each can change " +
				"what others run"},
		{&o.registry, "registry",
			"judge the servers of an MCP registry: its `URL`, or a file with a server.json or a list"},
		{&o.values, "values", "the `file` with keys and other values for servers of the registry"},
		{&o.again, "again",
			"judge servers that have not changed as well: `all`, or with --again=failed those not judged"},
		{&o.meta, "meta",
			"write v0.1/servers: the registry with results in _meta, under this `domain`, as com.example"},
		{&o.certificateURL, "certificate-url",
			"the `URL` at which the directory of --out will stand, for links to certificates"},
	})
	c.Flags().Lookup("again").NoOptDefVal = againAll
	return c
}

// check says what is wrong with the flags.
func (o *matrixOptions) check(flags []string) error {
	info, missing := os.Stat(o.out)
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{(o.targets == "") == (o.registry == ""), "give either --targets, with a file, or --registry"},
		{o.registry == "" && o.values+o.again+o.meta+o.certificateURL != "",
			"--values, --again, --meta and --certificate-url go with --registry"},
		{!slices.Contains([]string{"", againAll, againFailed}, o.again), "--again is either all or failed"},
		{o.meta != "" && !strings.Contains(o.meta, "."), "--meta is not of the form com.example"},
		{o.certificateURL != "" && !strings.Contains(o.certificateURL, "://"),
			"--certificate-url is not of the form https://HOST/PATH"},
		{o.out == "", "--out needs a directory"},
		{missing == nil && !info.IsDir(), "--out " + o.out + ": it is a file, not a directory"},
		{o.parallel < 1 || o.parallel > 256, "--parallel is not between 1 and 256"},
		{o.bound < time.Second, "--bound is less than a second"},
	} {
		if rule.broken {
			return badUsage("%s", rule.text)
		}
	}
	if i := slices.IndexFunc(flags, reserved); i >= 0 {
		return badUsage("%s is set by the matrix itself", flags[i])
	}
	return nil
}

func (p *program) matrix(ctx context.Context, o *matrixOptions, flags []string) error {
	if err := o.check(flags); err != nil {
		return err
	}
	part, err := parseShard(o.shard, os.Getenv)
	if err != nil {
		return err
	}
	r := &matrixRun{p: p, o: o, m: reports.NewMatrix(tool(), part.String())}
	file, err := r.prepare(ctx, flags)
	if err != nil {
		return err
	}
	var targets []*matrixTarget
	for i := range file.Targets {
		if part.holds(file.Targets[i].Name) {
			targets = append(targets, &file.Targets[i])
		}
	}
	left := targets
	if o.registry != "" {
		left = r.settle(targets)
	}
	if err := r.clear(left); err != nil {
		return err
	}
	r.m.Started = time.Now().UTC().Format(time.RFC3339)
	r.all = len(targets)
	r.judge(ctx, left)
	return r.finish(ctx, targets)
}

// prepare reads which targets there are, and what they need to be judged.
func (r *matrixRun) prepare(ctx context.Context, flags []string) (file *matrixFile, err error) {
	if r.program, err = os.Executable(); err != nil {
		return nil, impossible("this program cannot find itself to start it: %w", err)
	}
	if r.o.registry != "" {
		if err := r.p.certifyCommand().ParseFlags(flags); err != nil {
			return nil, err
		}
		file, err = readRegistry(ctx, r.o)
	} else {
		file, err = readMatrixFile(r.o.targets)
	}
	if err != nil {
		return nil, err
	}
	if r.box, err = newBox(r.o, file); err != nil {
		return nil, err
	}
	r.flags = append(file.Args, flags...)
	secrets, err := r.secretsOf(file)
	if err != nil {
		return nil, err
	}
	r.hide, r.secrets = mask.NewMasker(secrets), strings.Join(secrets, separator)
	return file, nil
}

// secretsOf lists what reports on any of the targets must not show. A wrong flag is an error, reported
// once, before anything is started; what else is wrong with a target costs its own column only.
func (r *matrixRun) secretsOf(file *matrixFile) ([]string, error) {
	var secrets []string
	for i := range file.Targets {
		t, of := &file.Targets[i], &runFlags{}
		if t.listed != nil {
			secrets = append(secrets, t.secrets...)
			continue
		}
		c := r.p.runCommandWith(of)
		if err := c.ParseFlags(t.arguments(r.box, "", r.flags)); err != nil {
			return nil, badUsage("%s: the flags of %s: %w", r.o.targets, t.Name, err)
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
	box     *box
	flags   []string
	all     int
	secrets string // of all targets, for the processes that judge them
	hide    *mask.Masker
	rows    string // the digest of the requirements
	ports   sync.Map

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
	column := reports.MatrixTarget{Name: t.Name, Status: reports.MatrixNoReport, ExitCode: exitNotEstablished}
	var report *reports.Report
	switch {
	case t.listed != nil && t.listed.why != nil:
		column.Status, column.Error = t.listed.why.Status, safe.Clean(t.listed.why.Reason, 600)
	case ctx.Err() != nil:
		column.Error = "interrupted"
	default:
		report = r.run(ctx, t, begun, &column)
		column.Error = r.hide.String(column.Error)
		if t.listed != nil && ctx.Err() == nil {
			t.listed.ended(&column)
		}
	}
	column.TookMS = reports.Milliseconds(time.Since(begun))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m.Add(column, report)
	word := column.Status
	if column.Outcome != "" {
		word = write.Word(&column)
		if column.Outcome != reports.Conformant {
			word += fmt.Sprintf(plural.Of(column.Warn, ", %d failed, %d {warning|warnings}"), column.Fail,
				column.Warn)
		}
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
		if t.listed != nil && t.listed.why != nil {
			continue
		}
		for _, name := range []string{reportJSON, reportPage, "console.txt", certificateFile} {
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

// run starts the process, writes what it reports, and says in the column what became of it.
func (r *matrixRun) run(ctx context.Context, t *matrixTarget, begun time.Time,
	column *reports.MatrixTarget) *reports.Report {
	dir := filepath.Join(r.o.out, t.directory())
	if u, err := url.Parse(t.URL); err == nil && u.Port() != "" && len(t.Command) > 0 {
		turn, _ := r.ports.LoadOrStore(u.Port(), &sync.Mutex{})
		turn.(*sync.Mutex).Lock() // no other target listens at the port meanwhile
		defer turn.(*sync.Mutex).Unlock()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.o.bound, errBound)
	defer cancel()
	scratch, err := os.MkdirTemp("", homePrefix)
	home, sealed := filepath.Join(scratch, "home"), filepath.Join(scratch, certificateFile)
	if err == nil {
		err = os.Mkdir(home, 0o700)
	}
	if err != nil {
		column.Error = err.Error()
		return nil
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // what is left is in the directory for temporary files
	if refusal := r.install(ctx, t, home); refusal != nil {
		column.Status, column.Error = refusal.Status, refusal.Reason
		return nil
	}
	cmd := r.process(ctx, t, home, sealed)
	stdout, console := &bounded{room: reports.MaxReport + 1}, &bounded{room: 4 << 20}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(r.secrets), stdout, console
	err = execute(cmd)
	if cmd.ProcessState != nil {
		column.ExitCode = cmd.ProcessState.ExitCode()
	}
	report, readErr := reports.ReadJSON(&stdout.kept)
	lines := strings.Split(strings.TrimSpace(console.kept.String()), "\n")
	told := strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "mcpcheck: ")
	certified, _ := readFile(sealed, certificate.MaxSize) // there is none of what could not be judged
	if e := r.keep(dir, report, console.kept.Bytes(), certified); e != nil {
		column.Error = e.Error()
		return nil
	}
	timedOut := errors.Is(context.Cause(ctx), errBound)
	switch {
	case readErr == nil:
		*column = reports.MatrixColumn(t.Name, report, column.ExitCode, time.Since(begun))
		column.Report, column.Page = t.directory()+"/"+reportJSON, t.directory()+"/"+reportPage
		if certified != nil {
			column.Certificate = t.directory() + "/" + certificateFile
		}
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
	return report
}

// process is what judges a target: "mcpcheck run", or "mcpcheck certify" with a file for the certificate.
func (r *matrixRun) process(ctx context.Context, t *matrixTarget, home, sealed string) *exec.Cmd {
	args := []string{"run"}
	if t.listed != nil {
		args = []string{"certify", "-o", sealed}
	}
	common := append(slices.Clone(r.flags), "--"+othersFlag, "--json", "-")
	cmd := selfCommand(ctx, r.program, append(args, t.arguments(r.box, home, common)...))
	cmd.Env = environment(home, t.given)
	return cmd
}

// selfCommand is this program, found at a path, as another process. That ends its own children when it is
// asked to end, and is killed when it does not.
func selfCommand(ctx context.Context, path string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0] = os.Args[0] // the name by which this program was called
	procgroup.Separate(cmd)  // a signal from the terminal reaches it once, from us
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	return cmd
}

// keep writes the report and certificate of a target, if there are any, and its console.
func (r *matrixRun) keep(dir string, report *reports.Report, console, sealed []byte) (err error) {
	if sealed != nil {
		err = writeFile(filepath.Join(dir, certificateFile), sealed)
	}
	if report != nil {
		o := outputs{output.Reports{JSON: filepath.Join(dir, reportJSON),
			HTML: filepath.Join(dir, reportPage), NoColor: true}}
		// Both formats go to files.
		err = errors.Join(err, o.write(&program{stdout: io.Discard}, report,
			write.Options{Strict: report.Config.Strict}))
	}
	return errors.Join(err, writeFile(filepath.Join(dir, "console.txt"), r.hide.Mask(console)))
}

func writeFile(path string, data []byte) error {
	return output.File(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// execute starts the process that judges a target, and waits for its end. A test replaces it.
var execute = (*exec.Cmd).Run

// errBound is the cause when a target had its time.
var errBound = errors.New("the bound of the target")

// The files of a matrix, beside the directories of its targets.
const matrixJSON, matrixPage = "matrix.json", "index.html"

// The files of a target.
const (
	reportJSON, reportPage = "report.json", "report.html"
	certificateFile        = "certificate" + certificate.Extension
)

// finish writes the matrix, and a registry of the targets if one is wanted.
func (r *matrixRun) finish(ctx context.Context, targets []*matrixTarget) error {
	r.m.Summarize()
	err := errors.Join(
		output.File(filepath.Join(r.o.out, matrixJSON), func(w io.Writer) error {
			return reports.WriteMatrixJSON(w, r.m)
		}),
		output.To(filepath.Join(r.o.out, matrixPage), nil, func(w io.Writer) error {
			return write.MatrixHTML(w, r.m)
		}))
	if r.o.meta != "" {
		err = errors.Join(err, r.writeRegistry(targets))
	} else if r.o.registry != "" { // what an earlier run wrote there does not hold any more
		if e := os.Remove(r.registryFile()); !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	_, e := fmt.Fprintf(r.p.stdout, "%s; %s\n", r.m.Summary, filepath.Join(r.o.out, matrixPage))
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/reports"
)

// watchPause is how often files are looked at, watchFiles how many there may be.
const (
	watchPause = 300 * time.Millisecond
	watchFiles = 50_000
)

// watched are the files under some paths.
type watched struct {
	paths []string
	// restless are files that change with every run: logs of the server, and what it builds.
	restless map[string]bool
}

// stamp is what tells that a file has changed.
type stamp struct {
	size int64
	time time.Time
}

// look notes all files but those whose names begin with a dot, and those of packages and caches.
func (w *watched) look() (map[string]stamp, error) {
	files := map[string]stamp{}
	for _, root := range w.paths {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			name := filepath.Base(path)
			passed := path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__")
			switch {
			case err != nil && path == root:
				return err
			case err != nil: // it has gone meanwhile
				return nil
			case passed && d.IsDir():
				return fs.SkipDir
			case passed || d.IsDir() || w.restless[path]:
				return nil
			case len(files) == watchFiles:
				return fmt.Errorf("there are more than %d files: name a smaller part", watchFiles)
			}
			if info, err := d.Info(); err == nil {
				files[path] = stamp{info.Size(), info.ModTime()}
			}
			return nil
		})
		if err != nil {
			return nil, badUsage("--watch %s: %w", root, err)
		}
	}
	return files, nil
}

// changed lists the files in which two looks differ.
func changed(old, latest map[string]stamp) []string {
	all := maps.Clone(old)
	maps.Copy(all, latest)
	maps.DeleteFunc(all, func(path string, _ stamp) bool { return old[path] == latest[path] })
	return slices.Sorted(maps.Keys(all))
}

// settled waits until files have changed since a look, and for as long as they go on to.
func (w *watched) settled(ctx context.Context, before map[string]stamp) (paths []string, err error) {
	for {
		now, err := w.look()
		if err != nil {
			return nil, err
		}
		more := changed(before, now)
		if len(more) == 0 && len(paths) > 0 {
			return paths, nil
		}
		paths, before = append(paths, more...), now
		select {
		case <-time.After(watchPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// watch carries out "mcpcheck run --watch": it judges at once and after every change, and says what differs from
// the run before. It ends when it is asked to, with the status of the last run.
func (p *program) watch(ctx context.Context, paths []string, o *runFlags) error {
	report := o.JSON
	switch report {
	case "-":
		return badUsage("--watch reads the report of each run: give --json a file")
	case "":
		dir, err := os.MkdirTemp("", "mcpcheck-watch-")
		if err != nil {
			return impossible("there is no place for reports: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		report = filepath.Join(dir, "report.json")
	}
	w := &watched{paths: paths, restless: map[string]bool{}}
	if own, err := filepath.Abs(report); err == nil { // and what else the run writes shows after two
		w.restless[own], w.restless[report] = true, true
	}
	var last *reports.Report
	var restless []string
	for ctx.Err() == nil {
		before, err := w.look()
		if err != nil {
			return err
		}
		if err := p.once(ctx, report); err != nil || ctx.Err() != nil || last == nil && p.status == exitUsage {
			return err
		}
		// A version that does not start differs in everything from one that does: the next that does is compared.
		if latest, err := readReport(report); err == nil && p.status != exitUsage && latest.Summary.Judged() > 0 {
			if last != nil {
				if err := p.differs(reports.Compare(last, latest), o); err != nil {
					return err
				}
			}
			last = latest
		}
		now, err := w.look()
		if err != nil {
			return err
		}
		meanwhile := changed(before, now)
		if len(meanwhile) > 0 && slices.Equal(meanwhile, restless) {
			fmt.Fprintf(p.stderr, "mcpcheck: changed by every run, and not watched any more: %s\n", few(meanwhile))
			for _, path := range meanwhile {
				w.restless[path] = true
				delete(before, path)
			}
		}
		restless = meanwhile
		fmt.Fprintf(p.stderr, "mcpcheck: watching %s\n", strings.Join(paths, ", "))
		paths, err := w.settled(ctx, before)
		if ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "mcpcheck: changed: %s\n", few(paths))
	}
	return nil
}

// few names some files.
func few(paths []string) string {
	const most = 3
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if more := len(paths) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), more)
	}
	return strings.Join(paths, ", ")
}

// once judges in a process of its own, since a process can run specs only once.
func (p *program) once(ctx context.Context, report string) error {
	self, err := os.Executable()
	if err != nil {
		return impossible("this program is not found: %w", err)
	}
	flags, command := p.args, []string(nil)
	if i := slices.Index(p.args, "--"); i >= 0 {
		flags, command = p.args[:i], p.args[i:]
	}
	args := []string{}
	for i := 0; i < len(flags); i++ {
		switch {
		case flags[i] == "--watch":
			i++
		case !strings.HasPrefix(flags[i], "--watch="):
			args = append(args, flags[i])
		}
	}
	cmd := exec.CommandContext(ctx, self, append(append(args, "--json", report), command...)...)
	cmd.Args[0] = os.Args[0]
	procgroup.Separate(cmd) // a signal from the terminal reaches it once, from us
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // as what they are: it finds out about colours and width
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return impossible("the run was not started: %w", err)
	}
	if cmd.ProcessState != nil {
		p.status = cmd.ProcessState.ExitCode()
	}
	return nil
}

// differs writes what differs from the run before, if anything does.
func (p *program) differs(d *reports.Diff, o *runFlags) error {
	if !d.Differs() {
		fmt.Fprintln(p.stderr, "mcpcheck: no verdict differs from the run before")
		return nil
	}
	fmt.Fprintln(p.stdout)
	return reports.WriteDiff(p.stdout, d, reports.Options{Color: output.Color(p.stdout, o.NoColor), Width: output.Width(p.stdout),
		Verbose: o.Verbose, Strict: o.cfg.Strict})
}

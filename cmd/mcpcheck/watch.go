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
	"time"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
)

// watchPause is how often files are looked at, at most, and watchFiles how many there may be.
const (
	watchPause = 300 * time.Millisecond
	watchFiles = 50_000
)

// watched are the files under some paths.
type watched struct {
	paths []string
	// own are the files that the run itself writes. Restless are files that were changed by two runs on end,
	// such as logs of the server: what becomes of them during a run says nothing.
	own, restless map[string]bool
	begun         bool          // all paths were there once
	pause         time.Duration // between two looks
}

// stamp is what tells that a file has changed.
type stamp struct {
	size int64
	time time.Time
}

// look notes all files but those whose names begin with a dot, and those of packages and caches.
func (w *watched) look() (map[string]stamp, error) {
	began, files := time.Now(), map[string]stamp{}
	for _, given := range w.paths {
		root, err := filepath.EvalSymlinks(given)
		if err == nil {
			err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				return w.note(files, root, path, d, err)
			})
		}
		// A build may take a directory away for a while.
		if err != nil && !(w.begun && errors.Is(err, fs.ErrNotExist)) {
			return nil, badUsage("--watch %s: %w", given, err)
		}
	}
	w.begun, w.pause = true, max(watchPause, 10*time.Since(began))
	return files, nil
}

// note notes one file of a walk.
func (w *watched) note(files map[string]stamp, root, path string, d fs.DirEntry, err error) error {
	name := filepath.Base(path)
	passed := path != root && (strings.HasPrefix(name, ".") || name == "node_modules" ||
		name == "__pycache__")
	switch {
	case err != nil && path == root:
		return err
	case err != nil: // it has gone meanwhile
		return nil
	case passed && d.IsDir():
		return fs.SkipDir
	case passed || d.IsDir() || w.own[absolute(path)]:
		return nil
	case len(files) == watchFiles:
		return fmt.Errorf("there are more than %d files: name a smaller part", watchFiles)
	}
	if info, err := os.Stat(path); err == nil { // of what a link leads to
		files[path] = stamp{info.Size(), info.ModTime()}
	}
	return nil
}

// absolute is a path by which files can be told apart.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// changed lists the files in which two looks differ.
func changed(old, latest map[string]stamp) []string {
	all := maps.Clone(old)
	maps.Copy(all, latest)
	maps.DeleteFunc(all, func(path string, _ stamp) bool { return old[path] == latest[path] })
	return slices.Sorted(maps.Keys(all))
}

// meanwhile lists what was changed while a run was under way, by somebody else as far as can be told: new
// files are the server's, and so is what is restless. last is what was changed during the run before.
func (w *watched) meanwhile(p *program, before, now map[string]stamp, last []string) []string {
	list := slices.DeleteFunc(changed(before, now), func(path string) bool {
		_, known := before[path]
		return !known || w.restless[path]
	})
	var again []string
	for _, path := range list {
		if slices.Contains(last, path) {
			again = append(again, path)
			w.restless[path] = true
		}
	}
	if len(again) > 0 {
		p.note("changed by two runs on end, and from now on passed over during runs: %s", few(again))
	}
	return list
}

// settled waits until files have changed since a look, and for as long as they go on to.
func (w *watched) settled(ctx context.Context, before map[string]stamp, paths []string) ([]string, error) {
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
		case <-time.After(w.pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// watch carries out "mcpcheck run --watch": it judges at once and after every change, and says what differs
// from the run before. It ends when it is asked to, with the status of the last run.
func (p *program) watch(ctx context.Context, paths []string, o *runFlags) error {
	w := &watched{paths: paths, own: map[string]bool{}, restless: map[string]bool{}}
	for flag, path := range o.written(o.record) {
		if path == "-" {
			return badUsage("--watch runs again and again: give %s a file", flag)
		}
		w.own[absolute(path)] = true
	}
	report := o.JSON
	if report == "" {
		dir, err := os.MkdirTemp("", "mcpcheck-watch-")
		if err != nil {
			return impossible("there is no place for reports: %w", err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // what is left is in the directory for temporary files
		report = filepath.Join(dir, "report.json")
	}
	var last *reports.Report
	var during []string
	before, err := w.look()
	for ; err == nil; before, err = w.look() {
		if err := p.once(ctx, report); err != nil || ctx.Err() != nil || last == nil &&
			p.status == exitUsage {
			return err
		}
		// A version that does not start differs in everything from one that does: the next that does is
		// compared.
		if latest, err := readReport(report); err == nil && p.status != exitUsage &&
			latest.Summary.Judged() > 0 {
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
		during = w.meanwhile(p, before, now, during)
		p.note("watching %s", strings.Join(paths, ", "))
		found, err := w.settled(ctx, now, slices.Clone(during))
		if ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
		p.note("changed: %s", few(found))
	}
	return err
}

// few names some files.
func few(paths []string) string {
	slices.Sort(paths)
	return plural.List(slices.Compact(paths), 3)
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
	// it is not to be taken for that of this run
	if err := os.Remove(report); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return impossible("the report before is in the way: %w", err)
	}
	cmd := selfCommand(ctx, self, append(append(args, "--json", report), command...))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // as what they are: it finds out about colours and width
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return impossible("the run was not started: %w", err)
	}
	p.status = exitNotEstablished
	if code := cmd.ProcessState.ExitCode(); code >= 0 { // else something has killed it
		p.status = code
	}
	return nil
}

// differs writes what differs from the run before, if anything does.
func (p *program) differs(d *reports.Diff, o *runFlags) error {
	if !d.Differs() {
		p.note("no verdict differs from the run before")
		return nil
	}
	fmt.Fprintln(p.stdout)
	return write.Diff(p.stdout, d, write.Options{Color: output.Color(p.stdout, o.NoColor),
		Width:   output.Width(p.stdout),
		Verbose: o.Verbose, Strict: o.cfg.Strict})
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// outputs holds the flags that say what is written where.
type outputs struct {
	junit, json    string
	quiet, verbose bool
	noColor        bool
	told           bool // why nothing could be reached is said on standard error
}

func (o *outputs) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.junit, "junit", "", "write a JUnit report to this `file`; - is standard output")
	f.StringVar(&o.json, "json", "", "write the JSON report to this `file`; - is standard output")
	f.BoolVar(&o.quiet, "quiet", false, "a line for each finding and the last line, nothing else")
	f.BoolVar(&o.verbose, "verbose", false, "more of each frame, and everything that was not exercised")
	f.BoolVar(&o.noColor, "no-color", false, "no colours (the variable NO_COLOR does the same)")
}

// files lists the report files, by flag.
func (o *outputs) files() map[string]string {
	return map[string]string{"--junit": o.junit, "--json": o.json}
}

// check finds out, before anything is run, whether the files can be written.
func (o *outputs) check(p *program, record string) error {
	if o.quiet && o.verbose {
		return badUsage("--quiet and --verbose exclude each other")
	}
	stdout := 0
	files := o.files()
	files["--record"] = record
	seen := map[string]string{}
	for flag, path := range files {
		if path == "" {
			continue
		}
		if path == "-" {
			if flag == "--record" {
				return badUsage("--record needs a file")
			}
			stdout++
			continue
		}
		if other, ok := seen[path]; ok {
			return badUsage("%s and %s name the same file %s", other, flag, path)
		}
		seen[path] = flag
		if dir, err := os.Stat(filepath.Dir(path)); err != nil || !dir.IsDir() {
			return badUsage("%s %s: there is no directory %s", flag, path, filepath.Dir(path))
		}
	}
	if stdout > 1 {
		return badUsage("only one report can go to standard output")
	}
	return nil
}

// write writes all reports. One that cannot be written does not keep the others
// from being written.
func (o *outputs) write(p *program, r *reports.Report, strict bool, rerun func(id, revision, transport string) string) error {
	var errs []error
	console := true
	for _, out := range []struct {
		flag, path string
		write      func(io.Writer) error
	}{
		{"--junit", o.junit, func(w io.Writer) error { return reports.WriteJUnit(w, r, strict) }},
		{"--json", o.json, func(w io.Writer) error { return reports.WriteJSON(w, r) }},
	} {
		var err error
		switch out.path {
		case "":
		case "-":
			console = false
			err = buffered(p.stdout, out.write)
		default:
			err = toFile(out.path, out.write)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s was not written: %w", out.flag, err))
		}
	}
	if console {
		err := buffered(p.stdout, func(w io.Writer) error {
			return reports.WriteConsole(w, r, reports.ConsoleOptions{
				Color: o.color(p.stdout), Width: width(p.stdout), Verbose: o.verbose, Quiet: o.quiet, Strict: strict, Areas: areas(), Rerun: rerun,
				Told: o.told,
			})
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("the result was not written: %w", err))
		}
	}
	return errors.Join(errs...)
}

// areas lists the areas in the order of the specification.
func areas() []reports.Area {
	var all []reports.Area
	for _, a := range requirement.Areas() {
		all = append(all, reports.Area{Name: a.Name, Title: a.Title})
	}
	return all
}

// color reports whether a stream is to be coloured.
func (o *outputs) color(w io.Writer) bool {
	return !o.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// maxWidth bounds the width of lines in characters.
const maxWidth = 120

// width is the width of a terminal in characters. For what is no terminal the
// variable COLUMNS tells; without it the width is 0.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return min(n, maxWidth)
		}
	}
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxWidth)
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// toFile writes a file whole or not at all: what stood there before is only
// replaced by a complete one.
func toFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return directly(path, write)
	}
	err = buffered(f, write)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		if info, e := os.Stat(path); e == nil && !info.Mode().IsRegular() {
			err = directly(path, write) // a device or a pipe is written to, not replaced
		} else {
			err = os.Rename(f.Name(), path)
		}
	}
	if _, e := os.Stat(f.Name()); e == nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// directly writes to a path beside which no file can be made.
func directly(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	err = buffered(f, write)
	return errors.Join(err, f.Close())
}

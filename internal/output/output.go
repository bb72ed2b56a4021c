// Package output writes reports where a command line says: the flags that the two
// programs have in common, and files that are written whole or not at all.
package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/sources"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Reports holds the flags that say which reports are written where, and how results
// are shown. A path is empty for no report and "-" for standard output.
type Reports struct {
	JUnit, JSON, HTML, Markdown, SARIF string
	// SARIFLocation is the file that code scanning attaches findings to.
	SARIFLocation  string
	Quiet, Verbose bool
	NoColor        bool
	// FilesOnly leaves the console out where a file is written.
	FilesOnly bool
	// Until is when the time for the run is spent, see [Within]. What goes to standard output is
	// not cut: whoever reads it may take longer.
	Until time.Time
}

// Register adds the flags, all but that of SARIFLocation.
func (o *Reports) Register(f *pflag.FlagSet) {
	f.StringVar(&o.JUnit, "junit", "", "write a JUnit report to this `file`; - is standard output")
	f.StringVar(&o.JSON, "json", "", "write the JSON report to this `file`; - is standard output")
	f.StringVar(&o.HTML, "html", "", "write a page for browsers to this `file`; - is standard output")
	f.StringVar(&o.Markdown, "markdown", "",
		"write a summary for pull requests to this `file`; - is standard output")
	f.StringVar(&o.SARIF, "sarif", "", "write a log for code scanning to this `file`; - is standard output")
	f.BoolVar(&o.Quiet, "quiet", false,
		"a line for each finding, for what could not be judged and should be, and the last line, "+
			"nothing else")
	f.BoolVar(&o.Verbose, "verbose", false, "more of each frame, and everything that was not exercised")
	f.BoolVar(&o.NoColor, "no-color", false, "no colours (the variable NO_COLOR does the same)")
}

// report is one of the files.
type report struct {
	flag, path string
	write      func(io.Writer, *reports.Report, write.Options) error
}

func (o *Reports) files() []report {
	asJSON := func(w io.Writer, r *reports.Report, _ write.Options) error { return reports.WriteJSON(w, r) }
	return []report{
		{"--junit", o.JUnit, write.JUnit}, {"--json", o.JSON, asJSON}, {"--html", o.HTML, write.HTML},
		{"--markdown", o.Markdown, write.Markdown}, {"--sarif", o.SARIF, write.SARIF},
	}
}

// Given lists the reports that are asked for: paths by flag.
func (o *Reports) Given() map[string]string {
	given := map[string]string{}
	for _, out := range o.files() {
		if out.path != "" {
			given[out.flag] = out.path
		}
	}
	return given
}

// Check finds out, before anything is run, whether the files can be written. The error
// is one sentence about the flags. A record, if not empty, is the file of --record.
func (o *Reports) Check(record string) error {
	if o.Quiet && o.Verbose {
		return errors.New("--quiet and --verbose exclude each other")
	}
	seen := map[string]string{}
	for _, out := range append(o.files(), report{flag: "--record", path: record}) {
		path := filepath.Clean(out.path)
		other := seen[path]
		switch {
		case out.path == "":
			continue
		case out.path == "-" && out.flag == "--record":
			return errors.New("--record needs a file")
		case out.path == "-" && other != "":
			return errors.New("only one report can go to standard output")
		case other != "":
			return fmt.Errorf("%s and %s name the same file %s", other, out.flag, out.path)
		}
		seen[path] = out.flag
		if out.path == "-" {
			continue
		}
		if err := Writable(out.path); err != nil {
			return fmt.Errorf("%s %s: %w", out.flag, out.path, err)
		}
	}
	return nil
}

// Write writes all reports, and shows the results unless one of them goes to standard
// output. One that cannot be written does not keep the others from being written.
func (o *Reports) Write(stdout io.Writer, r *reports.Report, x write.Options) error {
	x.Location = o.SARIFLocation
	x.Find = sources.Around(".").Find
	var files []Wanted
	for _, out := range o.files() {
		write := func(w io.Writer) error { return out.write(w, r, x) }
		if out.path != "-" {
			write = Within(o.Until, write)
		}
		files = append(files, Wanted{out.flag, out.path, write})
	}
	shown, errs := All(stdout, files)
	if !shown && (!o.FilesOnly || len(o.Given()) == 0) {
		x.Color, x.Width, x.Verbose, x.Quiet = Color(stdout, o.NoColor), Width(stdout), o.Verbose, o.Quiet
		var b bytes.Buffer
		err := Within(o.Until, func(w io.Writer) error { return write.Console(w, r, x) })(&b)
		if err == nil {
			_, err = stdout.Write(b.Bytes())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("the result was not written: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Wanted is a file that a flag asks for; without a path it is not wanted.
type Wanted struct {
	Flag, Path string
	Write      func(io.Writer) error
}

// All writes files, and says whether one of them went to standard output. One that cannot be
// written does not keep the others from being written.
func All(stdout io.Writer, files []Wanted) (shown bool, errs []error) {
	// Standard output comes last: whoever reads it may go away.
	if last := slices.IndexFunc(files, func(f Wanted) bool { return f.Path == "-" }); last >= 0 {
		f := files[last]
		files = append(slices.Delete(files, last, last+1), f)
	}
	for _, f := range files {
		if f.Path == "" {
			continue
		}
		shown = shown || f.Path == "-"
		if err := To(f.Path, stdout, f.Write); err != nil {
			errs = append(errs, fmt.Errorf("%s was not written: %w", f.Flag, err))
		}
	}
	return shown, errs
}

// Terminal reports whether a stream is a terminal.
func Terminal(w io.Writer) bool {
	f, ok := terminal.Raw(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Color reports whether a stream is to be coloured; off says that a flag forbids it. The
// variable NO_COLOR forbids it as well; FORCE_COLOR asks for it where nobody is at a
// terminal, as in the logs of CI.
func Color(w io.Writer, off bool) bool {
	if off || os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("FORCE_COLOR"); force != "" {
		return force != "0" && force != "false"
	}
	return os.Getenv("TERM") != "dumb" && Terminal(w)
}

// maxWidth bounds the width of lines in characters.
const maxWidth = 120

// Width is the width of a terminal in characters. For what is no terminal the
// variable COLUMNS tells; without it the width is 0.
func Width(w io.Writer) int {
	if f, ok := terminal.Raw(w).(*os.File); ok {
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

// Buffered writes through a buffer and empties it.
func Buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// Gone reports whether an error says no more than that the reader of standard output went away,
// as head does when it has what it wants.
func Gone(stdout io.Writer, err error) bool {
	f, ok := terminal.Raw(stdout).(*os.File)
	if several, joined := err.(interface{ Unwrap() []error }); ok && joined {
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !Gone(stdout, err) })
	}
	if write, failed := err.(*fs.PathError); ok && failed {
		return write.Path == f.Name() && errors.Is(write, syscall.EPIPE)
	}
	cause := errors.Unwrap(err)
	return ok && cause != nil && Gone(stdout, cause)
}

// JSON writes a value for people and programs alike: indented, with all characters as
// they are.
func JSON(w io.Writer, value any) error {
	return Buffered(w, func(w io.Writer) error {
		e := json.NewEncoder(terminal.HarmlessJSON(w))
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(value)
	})
}

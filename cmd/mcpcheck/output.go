package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/spf13/pflag"
)

// outputs holds the flags that say what is written where.
type outputs struct{ output.Reports }

func (o *outputs) register(f *pflag.FlagSet) {
	o.Register(f)
	helpcmd.Flags{{&o.SARIFLocation, "sarif-location", "the `file` of the repository at which code " +
		"scanning shows findings whose URI or method no source file alone has (default the " +
		"target file, or README.md)"}}.Add(f)
}

// writable finds out, before anything is done, whether --output can be written.
func writable(path string) error {
	switch {
	case path == "":
		return badUsage("--output needs a file, or - for standard output")
	case path == "-":
		return nil
	}
	if err := output.Writable(path); err != nil {
		return badUsage("--output %s: %w", path, err)
	}
	return nil
}

// fresh is [writable] for files that are not to be replaced unless that is asked for.
func fresh(path string, force bool) error {
	if err := writable(path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); path != "-" && err == nil && !force {
		return badUsage("%s is there already; --force replaces it", path)
	}
	return nil
}

// apart finds out whether a file is none of those that are named by other flags.
func apart(flag, file string, others map[string]string) error {
	for other, path := range others {
		if path != "" && filepath.Clean(path) == filepath.Clean(file) {
			return badUsage("%s and %s name the same file %s", flag, other, path)
		}
	}
	return nil
}

// written lists all files that are written, by flag; record is that of --record.
func (o *outputs) written(record string) map[string]string {
	files := o.Given()
	if record != "" {
		files["--record"] = record
	}
	return files
}

// write writes all reports, in the words of the catalogue.
func (o *outputs) write(p *program, r *reports.Report, x write.Options) error {
	rows := area.Catalogue()
	x.Areas, x.Describe, x.Demand = rows.Titles(), rows.Describe, rows.Demand
	if err := o.Write(p.stdout, r, x); err != nil {
		return impossible("%w", err)
	}
	if o.Quiet || o.FilesOnly || !output.Terminal(p.stderr) {
		return nil
	}
	var files []string
	for _, path := range o.Given() {
		if path != "-" {
			files = append(files, path)
		}
	}
	if slices.Sort(files); len(files) > 0 {
		p.note("wrote %s", strings.Join(files, ", "))
	}
	return nil
}

// mustWrite writes all reports. One that cannot be written is told and decides the
// exit status.
func (o *outputs) mustWrite(p *program, r *reports.Report, x write.Options) {
	if err := o.write(p, r, x); err != nil {
		p.status = exitNotEstablished
		p.note("%v", err)
	}
}

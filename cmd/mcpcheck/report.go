package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/spf13/cobra"
)

// reportCommand is the work on report files.
func (p *program) reportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "report",
		Short: "Work on reports that were written before",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.convertCommand(), p.mergeCommand(), p.diffCommand(), p.badgeCommand(),
		p.statementCommand(), p.schemaCommand("reports", reports.JSONSchema))
	return c
}

func (p *program) convertCommand() *cobra.Command {
	o := &outputs{output.Reports{FilesOnly: true}}
	strict, sep := false, ""
	c := helpcmd.New(help, "convert", oneReport, func(c *cobra.Command, args []string) error {
		if err := o.Check(""); err != nil {
			return err
		}
		var proposal requirement.SEP
		var err error
		if c.Flags().Changed("sep") {
			if proposal, err = sepOf(sep); err != nil {
				return err
			}
		}
		r, err := readReport(args[0])
		if err != nil {
			return err
		}
		if sep != "" {
			err := output.File(sep, func(w io.Writer) error { return traceability(w, proposal, r) })
			if err != nil {
				return impossible("--sep was not written: %w", err)
			}
			if len(o.Given()) == 0 {
				return nil
			}
		}
		return o.write(p, r, write.Options{Strict: strict || r.Config.Strict})
	}, helpcmd.Flags{
		{&strict, "strict", "show warnings as failures"},
		{&sep, "sep",
			"write the traceability of a proposal to this `file`, whose name says which: sep-2549.yaml"},
	})
	o.register(c.Flags())
	return c
}

var (
	oneReport      = takes(1, `one report, which "mcpcheck run --json FILE" writes`)
	oneCertificate = takes(1, `one certificate, which "mcpcheck certify" writes`)
)

// readReport reads a JSON report from a file; - is no file.
func readReport(path string) (*reports.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, badUsage("%s: %w", path, yamlfile.Unread(err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(badUsage("%s is a directory, not a report", path), f.Close())
	}
	r, err := reports.ReadJSON(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, badUsage(`%s: %w; "mcpcheck run --json FILE" writes a report`, path, err)
	}
	return r, nil
}

// schemaCommand prints a published schema of some kind of files.
func (p *program) schemaCommand(of string, schema []byte) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of " + of,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return p.file("-", func(w io.Writer) error {
				_, err := w.Write(schema)
				return err
			})
		},
	}
}

func (p *program) mergeCommand() *cobra.Command {
	o := &outputs{}
	c := helpcmd.New(help, "merge", nil, func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return badUsage("%s takes the reports to join", c.CommandPath())
		}
		if err := o.Check(""); err != nil {
			return err
		}
		if isMatrix(args[0]) {
			return p.mergeMatrices(o, args)
		}
		var list []*reports.Report
		for _, path := range args {
			if isMatrix(path) {
				return badUsage("%s is a matrix.json, not a report: join either reports or matrices", path)
			}
			r, err := readReport(path)
			if err != nil {
				return err
			}
			list = append(list, r)
		}
		r, err := reports.Merge(list, area.Catalogue().Profile)
		if err != nil {
			return err
		}
		p.status = r.ExitCode(r.Config.Strict, r.Summary.Baseline.Outdated())
		return o.write(p, r, write.Options{Strict: r.Config.Strict})
	}, nil)
	o.register(c.Flags())
	return c
}

// isMatrix reports whether a file begins as a matrix does. What it is otherwise, its
// reader says.
func isMatrix(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 256)
	n, _ := io.ReadFull(f, begin)
	return bytes.Contains(begin[:n], []byte(`"mcpcheck.matrix/`))
}

// mergeMatrices joins the shards of a matrix.
func (p *program) mergeMatrices(o *outputs, paths []string) error {
	if o.JUnit != "" || o.Markdown != "" || o.SARIF != "" {
		return badUsage("a matrix is written with --json and --html only")
	}
	if o.JSON == "" && o.HTML == "" {
		return badUsage("say where to write the matrix: --json FILE, --html FILE")
	}
	var list []*reports.Matrix
	for _, path := range paths {
		m, err := readMatrix(path)
		if err != nil {
			return err
		}
		list = append(list, m)
	}
	var errs []error
	var joined *reports.Matrix
	for _, out := range []struct {
		path  string
		write func(io.Writer, *reports.Matrix) error
	}{{o.JSON, reports.WriteMatrixJSON}, {o.HTML, write.MatrixHTML}} {
		if out.path == "" {
			continue
		}
		m, err := reports.MergeMatrices(list, func(i int, path string) string {
			return relative(filepath.Dir(out.path), filepath.Join(filepath.Dir(paths[i]),
				filepath.FromSlash(path)))
		})
		if err != nil {
			return err
		}
		joined = m
		errs = append(errs, p.file(out.path, func(w io.Writer) error { return out.write(w, m) }))
	}
	p.status = joined.ExitCode()
	if o.JSON != "-" && o.HTML != "-" {
		_, err := fmt.Fprintln(p.stdout, joined.Summary)
		errs = append(errs, err)
	}
	if len(joined.Missing) > 0 {
		p.note("the matrix is not whole: without the shards %s",
			safe.Shorten(strings.Join(joined.Missing, ", "), 200))
	}
	return errors.Join(errs...)
}

// relative is a path as seen from a directory, with slashes; empty if there is none.
func relative(dir, path string) string {
	a, err := filepath.Abs(dir)
	b, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(a, b)
	if errors.Join(err, err2, err3) != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

func readMatrix(path string) (*reports.Matrix, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, badUsage("%s: %w", path, yamlfile.Unread(err))
	}
	m, err := reports.ReadMatrix(f)
	var other *reports.NotMatrixError
	if errors.As(err, &other) && strings.HasPrefix(other.Schema, "mcpcheck.report/") {
		err = errors.New("it is a report, not a matrix.json: join either reports or matrices")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, badUsage("%s: %w", path, err)
	}
	return m, nil
}

func (p *program) diffCommand() *cobra.Command {
	var strict, asJSON, verbose, noColor bool
	two := takes(2, "two reports, or two matrices, the old one first")
	return helpcmd.New(help, "diff", two, func(_ *cobra.Command, args []string) error {
		d, err := p.compare(args[0], args[1])
		if err != nil {
			return err
		}
		p.status = d.ExitCode(strict)
		return p.file("-", func(w io.Writer) error {
			if asJSON {
				return reports.WriteDiffJSON(w, d)
			}
			return write.Diff(w, d, write.Options{Color: output.Color(p.stdout, noColor),
				Width: output.Width(p.stdout), Verbose: verbose, Strict: strict})
		})
	}, helpcmd.Flags{
		{&strict, "strict", "new warnings, and what is judged no longer, count as failures do"},
		{&asJSON, "json", "write the comparison as JSON"},
		{&verbose, "verbose", "list everything"},
		noColorFlag(&noColor),
	})
}

// compare reads two reports and says how the later differs. That they are about different
// targets is told, and no mistake: a target may have been renamed.
func (p *program) compare(earlier, later string) (*reports.Diff, error) {
	if m, err := readMatrix(earlier); err == nil {
		latest, err := readMatrix(later)
		if err != nil {
			return nil, err
		}
		return reports.CompareMatrices(m, latest), nil
	}
	old, err := readReport(earlier)
	if err != nil {
		return nil, err
	}
	latest, err := readReport(later)
	if err != nil {
		return nil, err
	}
	if old.Target.Name != latest.Target.Name {
		p.note("the reports are about different targets: %s and %s", safe.Clean(old.Target.Name, 200),
			safe.Clean(latest.Target.Name, 200))
	}
	return reports.Compare(old, latest), nil
}

// aboutReport is a command that writes something about one report. What it writes is made before
// the file is touched.
func (p *program) aboutReport(name string, one cobra.PositionalArgs, flags helpcmd.Flags,
	text func(ctx context.Context, path string) (write func(io.Writer) error, err error)) *cobra.Command {
	out := ""
	c := helpcmd.New(help, name, one, func(c *cobra.Command, args []string) error {
		if err := writable(out); err != nil {
			return err
		}
		write, err := text(c.Context(), args[0])
		if err != nil {
			return err
		}
		return p.file(out, write)
	}, flags)
	fileFlag(c, &out)
	return c
}

func (p *program) badgeCommand() *cobra.Command {
	label := "mcpcheck"
	return p.aboutReport("badge", oneReport, helpcmd.Flags{
		{&label, "label", "the left `text`"},
	}, func(_ context.Context, path string) (func(io.Writer) error, error) {
		r, err := readReport(path)
		if err != nil {
			return nil, err
		}
		// The summary is made of the results: what a file says of itself may have been written by hand.
		if r, err = reports.Merge([]*reports.Report{r}, area.Catalogue().Profile); err != nil {
			return nil, badUsage("%s: %w", path, err)
		}
		return func(w io.Writer) error { return write.Badge(w, r, label) }, nil
	})
}

func (p *program) statementCommand() *cobra.Command {
	return p.aboutReport("statement", oneCertificate, nil, func(ctx context.Context, path string) (
		func(io.Writer) error, error) {
		made, err := readCertificate(path)
		if err != nil {
			return nil, err
		}
		// A report alone may have been edited: what the statement says is judged again.
		v := certificate.Verify(ctx, made, certificate.Options{Tool: tool(), OwnRows: true})
		if len(v.Problems) > 0 {
			return nil, badUsage("%s: the certificate does not hold: %s", path, v.Problems[0])
		}
		r, err := made.Report()
		if err != nil {
			return nil, badUsage("%s: %w", path, err)
		}
		sum, err := digest(path)
		if err != nil {
			return nil, badUsage("%s: %w", path, yamlfile.Unread(err))
		}
		return func(w io.Writer) error {
			return write.Statement(w, r, write.StatementOptions{Subjects: made.Statement.Artifacts,
				Name: filepath.Base(path), Digest: sum, Statement: &made.Statement})
		}, nil
	})
}

// artifacts reads what was judged: files, and anything else with a digest.
func artifacts(files, subjects []string) (all []write.Artifact, err error) {
	for _, path := range files {
		sum, err := digest(path)
		if err != nil {
			return nil, badUsage("--artifact %s: %w", path, yamlfile.Unread(err))
		}
		all = append(all, write.Artifact{Name: filepath.Base(path),
			Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])}})
	}
	for _, s := range subjects {
		at := strings.LastIndex(s, "@sha256:")
		if at <= 0 {
			return nil, badUsage("--subject %q is not NAME@sha256:HEX", s)
		}
		sum := strings.ToLower(s[at+len("@sha256:"):])
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
			return nil, badUsage("--subject %q: a SHA-256 digest has 64 hexadecimal digits", s)
		}
		all = append(all, write.Artifact{Name: s[:at], Digest: map[string]string{"sha256": sum}})
	}
	return all, nil
}

// digest is the SHA-256 of a file.
func digest(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), errors.Join(err, f.Close())
}

// file writes to a file, or to standard output for "-".
func (p *program) file(path string, write func(io.Writer) error) error {
	if err := output.To(path, p.stdout, write); err != nil {
		return impossible("%w", err)
	}
	return nil
}

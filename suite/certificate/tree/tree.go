package tree

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"golang.org/x/sync/errgroup"
)

// Options says how a repository is checked. Those of certificates hold for each of them.
type Options struct {
	certificate.Options
	// Site writes the files of a site of all submissions that hold, and of those that are only out of date,
	// as [write.Site] says; nil for none.
	Site func(name string, write func(io.Writer) error) error
}

// Result is what a check has found.
type Result struct {
	Submissions int `json:"submissions"` // that were checked
	// Problems and Notes are sentences that begin with a path. All holds if there are no problems.
	Problems []string `json:"problems"`
	Notes    []string `json:"notes"`
}

// submission is what the paths of submissions fit.
const submission = "[^._]*/*/*"

// say adds a sentence about a path.
func say(list *[]string, at, format string, args ...any) {
	*list = append(*list, safe.Clean(at+": "+fmt.Sprintf(format, args...), 500))
}

// checker checks the submissions of a repository.
type checker struct {
	Options
	root *os.Root
}

// product is a product with what was found about it.
type product struct {
	reports.Product
	Result
}

// Check checks a repository: each certificate as [certificate.Verify] does, and that all other files are what
// follows from it. At the top, files and directories whose names begin with a point or an underscore are no
// submissions. The error says why the repository cannot be read, or the site not be written.
func Check(ctx context.Context, dir string, o Options) (*Result, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	if o.Site == nil {
		o.Site = func(string, func(io.Writer) error) error { return nil }
	}
	k, r := &checker{o, root}, &Result{Problems: []string{}, Notes: []string{}}
	var submissions []string
	for _, pattern := range []string{"[^._]*/*", submission} {
		found, _ := fs.Glob(root.FS(), pattern) // only a wrong pattern would be an error
		for _, at := range found {
			switch info, err := root.Lstat(at); {
			case err != nil || !info.IsDir():
				say(&r.Problems, at, "a file where only directories belong, as in vendor/product/version")
			case pattern == submission:
				submissions = append(submissions, at)
			}
		}
	}
	if r.Submissions = len(submissions); r.Submissions == 0 {
		say(&r.Problems, ".", "there is no submission below it, as vendor/product/version")
	}
	histories := group.By(submissions, path.Dir)
	found := make([]product, len(histories))
	var running errgroup.Group
	running.SetLimit(runtime.GOMAXPROCS(0))
	for i, versions := range histories {
		running.Go(func() error { return k.product(ctx, versions, &found[i]) })
	}
	if err := running.Wait(); err != nil {
		return r, err
	}
	products := []reports.Product{}
	for _, p := range found {
		r.Problems, r.Notes = append(r.Problems, p.Problems...), append(r.Notes, p.Notes...)
		if len(p.Versions) > 0 {
			products = append(products, p.Product)
		}
	}
	return r, write.Site(&reports.Repository{Schema: reports.RepositorySchema, Tool: o.Tool,
		Written:   time.Now().UTC().Format(time.RFC3339),
		Revisions: requirement.Texts(requirement.Revisions()), Products: products}, o.Site)
}

// product checks the versions of a product, the oldest first. The error says why the site cannot be written.
func (k *checker) product(ctx context.Context, versions []string, p *product) error {
	slices.SortFunc(versions, reports.CompareVersions) // all begin alike
	p.Path = path.Dir(versions[0])
	var before *reports.Report
	for _, at := range versions {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, n := reports.CertifiedVersion{Path: at}, len(p.Problems)
		report, files, err := k.submission(ctx, &v, p)
		if err != nil {
			say(&p.Problems, at, "%v", err)
		}
		if len(p.Problems) > n && (v.Expired == "" || len(p.Problems) > n+1) {
			continue // what is only out of date has a place in the site
		}
		for _, name := range []string{pageFile, certificateFile} {
			err := k.Site(path.Join("certificates", at, name), func(w io.Writer) error {
				_, err := w.Write(files[name])
				return err
			})
			if err != nil {
				return err
			}
		}
		v.Version, p.About = report.Target.About.Version, *report.Target.About
		p.Add(v, before, report)
		before = report
	}
	return nil
}

// submission checks a submission and fills in what is not in its report. The error is what keeps it from
// being checked at all.
func (k *checker) submission(ctx context.Context, v *reports.CertifiedVersion, p *product) (
	report *reports.Report, files map[string][]byte, err error) {
	has, err := k.read(v.Path)
	var c *certificate.Certificate
	var place string
	if err == nil {
		c, err = certificate.Read(has[certificateFile])
	}
	if err == nil {
		report, err = c.Report()
	}
	if err == nil {
		place, files, err = Files(c, report)
	}
	if err != nil {
		return nil, nil, err
	}
	found := certificate.Verify(ctx, c, k.Options.Options)
	for _, text := range found.Problems {
		say(&p.Problems, v.Path, "%s", text)
	}
	for _, text := range found.Notes {
		say(&p.Notes, v.Path, "%s", text)
	}
	if place != v.Path {
		say(&p.Problems, v.Path, "by its certificate it belongs into %s", place)
	}
	ours := report.Tool == k.Tool
	if !ours {
		say(&p.Notes, v.Path, "only %s was compared with the certificate, as the other files are in the "+
			"words of another mcpcheck, %s", productFile, report.Tool.Version)
	}
	for _, name := range names {
		is, want, n := has[name], files[name], 0
		if bytes.Equal(is, want) || !ours && name != productFile {
			continue
		}
		for n < min(len(is), len(want)) && is[n] == want[n] {
			n++
		}
		say(&p.Problems, v.Path, "%s is not what the certificate gives, from line %d on", name,
			1+bytes.Count(want[:n], []byte("\n")))
	}
	v.Certified, v.Signed, v.Expired = c.Statement.Certified, found.Signers, found.Expired
	return report, files, nil
}

// read reads the files of a submission. The error names one that it must not have, or that it lacks.
func (k *checker) read(at string) (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, err := fs.ReadDir(k.root.FS(), at)
	for _, e := range entries {
		info, failed := e.Info()
		if failed != nil || !slices.Contains(names, e.Name()) || !info.Mode().IsRegular() ||
			info.Size() > certificate.MaxSize {
			return nil, fmt.Errorf("%s is no file of a submission, or larger than %d MiB", e.Name(),
				certificate.MaxSize>>20)
		}
		data, failed := k.root.ReadFile(path.Join(at, e.Name()))
		files[e.Name()], err = data, cmp.Or(err, failed)
	}
	for _, name := range names {
		if files[name] == nil && err == nil {
			err = fmt.Errorf("there is no %s", name)
		}
	}
	return files, err
}

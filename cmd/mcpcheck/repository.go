package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/certificate/tree"
	"github.com/spf13/cobra"
)

// treeFlags are the flags of "mcpcheck verify" about a repository of certificates.
type treeFlags struct{ dir, site string }

// verifyTree carries out "mcpcheck verify --tree".
func (p *program) verifyTree(c *cobra.Command, x *treeFlags, args []string, o tree.Options,
	asJSON bool) error {
	if x.dir == "" || len(args) > 0 {
		return badUsage("%s takes either one certificate, which \"mcpcheck certify\" writes, or --tree",
			c.CommandPath())
	}
	if x.site != "" {
		if there, err := os.ReadDir(x.site); len(there) > 0 || err != nil && !os.IsNotExist(err) {
			return badUsage("--site %s: it has to be a directory that is new or empty", x.site)
		}
		o.Site = func(name string, write func(io.Writer) error) error {
			at := filepath.Join(x.site, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				return err
			}
			return output.File(at, write)
		}
	}
	r, err := tree.Check(c.Context(), x.dir, o)
	switch {
	case r == nil:
		return badUsage("--tree: %w", err)
	case err != nil:
		return impossible("%w", err)
	}
	last := "VERIFIED  "
	if n := len(r.Problems); n > 0 {
		p.status, last = exitFindings, "NOT VERIFIED: "+plural.Count(n, "reason")+" in "
	}
	if asJSON {
		return output.JSON(p.stdout, r)
	}
	return p.tell(r.Problems, r.Notes, last+plural.Count(r.Submissions, "submission"))
}

package write

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// Site writes a static site of a repository of certificates: a page of all servers and the index as JSON,
// and for each server a page and badges. It links to certificates/PATH, where the caller writes the files of
// each version. Whatever certificates say is shown as text. Create writes a file by its path with slashes.
func Site(r *reports.Repository, create func(name string, write func(io.Writer) error) error) error {
	v := &siteView{Repository: r, create: create}
	err := create("index.json", func(w io.Writer) error { return reports.WriteRepositoryJSON(w, r) })
	v.pageParts = partsOfPage("", "theme.js", "sort.js", "site.js", "page.css", "site.css")
	err = cmp.Or(err, v.page("index.html", "index"))
	v.Up, v.pageParts = "../../../", partsOfPage("", "theme.js", "page.css", "site.css")
	for i := range r.Products {
		v.Product = &r.Products[i]
		err = cmp.Or(err, v.page("servers/"+v.Product.Path+"/index.html", "product"), v.badges())
	}
	return err
}

// badges writes the badge of a server, as an image and as an endpoint of shields.io.
func (v *siteView) badges() error {
	const label = "mcp resources"
	newest, at := &v.Product.Versions[0], "badges/"+v.Product.Path
	said := certified(newest)
	text, color := said.badge(said.headline(), said.As(), newest.Revisions)
	if newest.Expired != "" {
		text, color = "certificate expired", looks[reports.NotApplicable].badge
	}
	return cmp.Or(v.create(at+".svg", func(w io.Writer) error {
		return drawBadge(w, label, text, color, text)
	}), v.create(at+".json", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, `{"schemaVersion":1,"label":%q,"message":%q,"color":%q}`+"\n", label, text,
			color[1:])
		return err
	}))
}

// certified is what is said of a version by its certificate.
func certified(v *reports.CertifiedVersion) standing {
	return standing{v.Outcome, v.Scope, v.Counts, v.Security, title(v.Since), title(v.Extent), false, ""}
}

// siteView is what the templates show. What its methods return has been sanitized.
type siteView struct {
	*reports.Repository
	create func(string, func(io.Writer) error) error
	// Product is that of the page, nil on the page of all. Up leads from the page to the root of the site.
	Product *reports.Product
	Up      string
	pageParts
}

// page writes a page by a template.
func (v *siteView) page(name, kind string) error {
	return v.create(name, func(w io.Writer) error {
		return unwritten("page", pages().ExecuteTemplate(terminal.Harmless(w), kind, v))
	})
}

// siteRow is a version of a product with the page that shows it.
type siteRow struct {
	*siteView
	Product *reports.Product
	Version *reports.CertifiedVersion
	since   bool
}

// Row is a version of a product; if since is true it says since when it holds.
func (v *siteView) Row(p *reports.Product, version int, since bool) siteRow {
	return siteRow{v, p, &p.Versions[version], since}
}

// Word is what is said of the version.
func (r siteRow) Word() string {
	said := certified(r.Version)
	return strings.ToLower(said.complete(said.headline()))
}

// Held says since when the version holds in a revision; nil where that is not to be said.
func (r siteRow) Held(revision string) *reports.Holding {
	for i, h := range r.Product.Holds {
		if r.since && h.Revision == revision {
			return &r.Product.Holds[i]
		}
	}
	return nil
}

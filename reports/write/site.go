package write

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

var (
	//go:embed page/site.gohtml
	siteTemplate string
	//go:embed page/site.js
	siteScript string
	//go:embed page/site.css
	siteStyle string

	// The templates pass every text from outside through these functions.
	sitePages = parsed(siteTemplate, template.FuncMap{"title": title, "lines": cleanLines,
		"link": pageLink, "next": func(n int) int { return n + 1 }, "shell": shell.Printable})
)

// Site writes a static site of a repository of certificates: a page of all servers and the index as JSON,
// and for each server a page and badges. It links to certificates/PATH, where the caller writes the files of
// each version. Whatever certificates say is shown as text. Create writes a file by its path with slashes.
func Site(r *reports.Repository, create func(name string, write func(io.Writer) error) error) error {
	v := &siteView{Repository: r, create: create}
	err := create("index.json", func(w io.Writer) error { return reports.WriteRepositoryJSON(w, r) })
	err = cmp.Or(err, v.page("index.html", "index", themeScript+sortScript+siteScript))
	v.Up = "../../../"
	for i := range r.Products {
		v.Product = &r.Products[i]
		err = cmp.Or(err, v.page("servers/"+v.Product.Path+"/index.html", "product", themeScript), v.badges())
	}
	return err
}

// badges writes the badge of a server, as an image and as an endpoint of shields.io.
func (v *siteView) badges() error {
	const label = "mcp resources"
	newest, at := &v.Product.Versions[0], "badges/"+v.Product.Path
	said, word, as := certified(newest)
	text, color := said.badge(word, as, newest.Revisions)
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

// certified is what is said of a version by its certificate, with the headline.
func certified(v *reports.CertifiedVersion) (said standing, word string, as reports.Verdict) {
	said = standing{v.Outcome, v.Scope, v.Counts, v.Security, title(v.Since), title(v.Extent), false, ""}
	word, as = said.headline()
	return said, word, as
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

// page writes a page by a template, with a script.
func (v *siteView) page(name, kind, script string) error {
	v.pageParts = partsOfPage(pageStyle+siteStyle, script)
	return v.create(name, func(w io.Writer) error {
		return unwritten("page", sitePages().ExecuteTemplate(terminal.Harmless(w), kind, v))
	})
}

// siteRow is a version of a product with what a page shows of it.
type siteRow struct {
	*siteView
	Product *reports.Product
	Version *reports.CertifiedVersion
	Word    string
	Class   reports.Verdict
	Marks   []siteMark // one for each revision of the site, an empty one where nothing was judged
}

// siteMark is a result in one revision, and the version since which it holds.
type siteMark struct {
	pageMark
	Since string
}

// Row is a version of a product; if since is true it says since when it holds.
func (v *siteView) Row(p *reports.Product, version int, since bool) siteRow {
	x := &p.Versions[version]
	said, word, as := certified(x)
	row := siteRow{v, p, x, strings.ToLower(said.complete(word)), as, make([]siteMark, len(v.Revisions))}
	for i, revision := range v.Revisions {
		row.Marks[i].pageMark = markOf(x.Revisions, revision, x.Scope)
		for _, h := range p.Holds {
			if since && h.Revision == revision {
				row.Marks[i].Since, row.Marks[i].By = title(h.Version), fmt.Sprintf("%.10s", title(h.Judged))
			}
		}
	}
	return row
}

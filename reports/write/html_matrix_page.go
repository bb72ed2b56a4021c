package write

import (
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
)

// revisionsOf lists those in which any target was judged, the oldest first.
func revisionsOf(m *reports.Matrix) []string {
	var all []string
	for i := range m.Targets {
		for _, s := range m.Targets[i].Judged {
			all = append(all, s.Revision)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// matrixView is what the template of a matrix shows.
type matrixView struct {
	*reports.Matrix
	Revisions []string
	Data      template.JS
	pageParts
}

// matrixData is what the script works on. A verdict is one character: the place of
// the verdict in the order fail, warn, blocked, pass, not applicable, or a space.
type matrixData struct {
	Requirements []reports.MatrixRequirement `json:"requirements"`
	Targets      []matrixColumnData          `json:"targets"`
}

type matrixColumnData struct {
	Name     string `json:"name"`
	Page     string `json:"page,omitempty"`
	Fail     int    `json:"fail"`
	Verdicts string `json:"verdicts"`
}

// MatrixHTML writes a matrix as one page that needs nothing but the reports
// that it links to. It lists the targets without scripts, and with them shows
// requirements by targets, sorted and filtered as the reader likes, each cell a link
// to its evidence. The matrix must have been summarized.
func MatrixHTML(w io.Writer, m *reports.Matrix) error {
	v := &matrixView{Matrix: m, Revisions: revisionsOf(m),
		pageParts: partsOfPage("", "page.css", "matrix.css", "theme.js", "sort.js", "matrix.js")}
	data := matrixData{Requirements: []reports.MatrixRequirement{}, Targets: []matrixColumnData{}}
	for _, q := range m.Requirements {
		q.ID, q.Title, q.Level = title(q.ID), title(q.Title), word(q.Level)
		data.Requirements = append(data.Requirements, q)
	}
	for i := range m.Targets {
		t := &m.Targets[i]
		data.Targets = append(data.Targets, matrixColumnData{title(t.Name), string(pageLink(t.Page)), t.Fail,
			verdictString(m, t)})
	}
	var err error
	if v.Data, err = scriptData(data); err == nil {
		err = pages().ExecuteTemplate(w, "matrix.gohtml", v)
	}
	return unwritten("matrix", err)
}

// pageLink is a relative link to a page; anything else than a relative path is
// dropped.
func pageLink(path string) template.URL {
	if path == "" || strings.HasPrefix(path, "/") || strings.Contains(path, "\\") {
		return ""
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	link := strings.Join(parts, "/")
	if strings.Contains(parts[0], ":") {
		link = "./" + link // else a scheme
	}
	return template.URL(link) // #nosec G203 -- each part is escaped, and none is a scheme
}

// verdictString is what [matrixData] has of a target.
func verdictString(m *reports.Matrix, t *reports.MatrixTarget) string {
	var b strings.Builder
	for _, q := range m.Requirements {
		b.WriteByte(" 01234"[slices.Index(reports.WorstFirst(), t.Verdicts[q.ID])+1])
	}
	return b.String()
}

package reports

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
)

var (
	//go:embed page/page.gohtml
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/theme.js
	themeScript string
	//go:embed page/page.js
	pageScript string

	page = template.Must(template.New("page").Parse(pageTemplate))
)

// WriteHTML writes a report as one page that needs nothing else: no network, no
// other file. Verdict, findings with their evidence and a list of the requirements can
// be read without scripts. The matrix and each conversation are made by the script
// from data, and only when they are looked at: a page of thousands of verdicts is ready
// at once. Whatever
// the target sent is shown as text with control characters made visible, and the
// page forbids itself all sources but its own style and script. The report must
// have been summarized.
func WriteHTML(w io.Writer, r *Report, o Options) error {
	view, err := newPage(r, o)
	if err == nil {
		err = page.Execute(w, view)
	}
	return unwritten("page", err)
}

// digest is the source of a policy that allows exactly one text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

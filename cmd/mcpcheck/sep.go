package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// traceText is a traceability file in the form of SEP-2484: what was judged first, then what was not.
var traceText = template.Must(template.New("sep").Parse(
	`# By mcpcheck {{.Version}}. A check is named after the requirement: sep-{{.Number}}-err-01 is ERR-01.
sep: {{.Number}}
spec_url: {{.Page}}
requirements:
{{range .Judged}}  - check: sep-{{$.Number}}-{{.Check}}
    text: {{.Text}}
{{if .URL}}    url: {{.URL}}
{{end}}{{end}}{{if and .Judged .Excluded}}
{{end}}{{range .Excluded}}  - text: {{.Text}}
    excluded: {{.Excluded}}
{{end}}`))

// traced is a row of a traceability file.
type traced struct{ Check, Text, URL, Excluded string }

// sepOf finds the proposal that a file is about by the name of the file, which SEP-2484 prescribes, and
// whether the file can be written.
func sepOf(path string) (found requirement.SEP, err error) {
	for _, s := range requirement.Official().SEPs {
		if filepath.Base(path) != fmt.Sprintf("sep-%d.yaml", s.Number) {
			continue
		}
		if err = output.Writable(path); err != nil {
			err = badUsage("--sep %s: %w", path, err)
		}
		return s, err
	}
	return found, badUsage("--sep %q: the name of the file says which proposal, as in sep-2549.yaml; "+
		"\"mcpcheck list --json\" names them all", path)
}

// traceability writes the traceability file of a proposal: for each requirement that it brought the check
// that judged it, or why none did. Permissions, which no check judges, are left out.
func traceability(w io.Writer, s requirement.SEP, r *reports.Report) error {
	var judged, excluded []traced
	page := ""
	for _, id := range s.Requirements {
		row, _ := area.Catalogue().Find(id)
		rev := row.Revisions[len(row.Revisions)-1]
		at, _ := row.SectionIn(rev)
		t := traced{strings.ToLower(id), scalar(row.Demand(requirement.Combination{Revision: rev})),
			at.URL(rev), ""}
		if page == "" {
			page, _, _ = strings.Cut(t.URL, "#")
		}
		results := r.Only(func(x *reports.Result) bool { return x.ID == id })
		if slices.ContainsFunc(results, func(x *reports.Result) bool { return x.Verdict.Judged() }) {
			judged = append(judged, t)
			continue
		}
		t.Excluded = scalar("It was not part of this run.")
		for _, x := range results {
			t.Excluded = scalar(string(x.Verdict) + ": " + x.Reason)
		}
		excluded = append(excluded, t)
	}
	return traceText.Execute(w, map[string]any{"Version": safe.Clean(r.Tool.Version, 80),
		"Number": s.Number, "Page": page, "Judged": judged, "Excluded": excluded})
}

// scalar is a text as a YAML scalar in single quotes.
func scalar(s string) string {
	return "'" + strings.ReplaceAll(safe.Line(s), "'", "''") + "'"
}

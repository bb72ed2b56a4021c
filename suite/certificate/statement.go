package certificate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
)

// Statement is what is signed. Everything but Artifacts, Packages, Publisher, Certified and Suite.Program
// follows from the other members.
type Statement struct {
	Schema string `json:"schema"`
	Name   string `json:"name"` // of the target
	// About is what the target file says of the product; nil if it says nothing.
	About     *reports.About `json:"about,omitempty"`
	Endpoints []Endpoint     `json:"endpoints"`
	Packages  []Package      `json:"packages,omitempty"`
	Artifacts []Artifact     `json:"artifacts"`
	Publisher string         `json:"publisher,omitempty"`
	// Judged is when the run began, Certified when the certificate was made, both in UTC and RFC 3339.
	Judged    string `json:"judged"`
	Certified string `json:"certified"`
	Suite     Suite  `json:"suite"`
	Result    Result `json:"result"`
	// LeftOut names, a sentence each, what makes the run a partial one; empty if it was full.
	LeftOut []string `json:"left_out"`
	// NotExercised lists the ids of the requirements that had no occasion to be judged anywhere.
	NotExercised []string `json:"not_exercised"`
	// Assumptions says what no recording can prove.
	Assumptions []string `json:"assumptions"`
	Members     []Member `json:"members"`
}

// Title names the target: the product, and what the server says that it is, or else its command or URL.
func (s *Statement) Title() string {
	title := s.About.String()
	for _, e := range s.Endpoints {
		if e.Server != nil {
			name := strings.TrimSpace(e.Server.Name + " " + e.Server.Version)
			if title == "" || title == name {
				return name
			}
			return title + ", which calls itself " + name
		}
	}
	return cmp.Or(title, s.Name)
}

// Endpoint is one way to reach the target, as it was judged.
type Endpoint struct {
	Transport string          `json:"transport"`
	Address   string          `json:"address"` // the command line or the URL, without secrets
	Started   string          `json:"started,omitempty"`
	Revisions []string        `json:"revisions"`
	Server    *reports.Server `json:"server,omitempty"` // serverInfo
}

// Artifact is something with a digest that was judged: a file, or an image.
type Artifact = write.Artifact

// Package is a package that the command of an endpoint names.
type Package struct {
	Spec string `json:"spec"` // as it was typed, without options
	// PURL is the package URL. It has a version if the command names one, or if it was looked up.
	PURL string `json:"purl"`
	// Resolved says that a registry was asked for version and digest.
	Resolved bool   `json:"resolved"`
	Digest   string `json:"digest,omitempty"` // as the registry states it, such as "sha512-…"
}

// Suite is the program that judged, and the requirements that it judged by.
type Suite struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Commit    string `json:"commit,omitempty"`
	Catalogue string `json:"catalogue"`
	// Rows is the SHA-256 of rows.json, Program that of the file of the program; both in hexadecimal.
	Rows    string `json:"rows_sha256"`
	Program string `json:"program_sha256,omitempty"`
}

// Result is what came out.
type Result struct {
	Outcome reports.Outcome `json:"outcome"`
	Scope   reports.Scope   `json:"scope"`
	Since   string          `json:"since,omitempty"` // the oldest revision of the declared scope
	Strict  bool            `json:"strict,omitempty"`
	// Revisions has the ids that decide the result in each revision, Red all ids that are broken somewhere.
	Revisions []reports.RevisionSummary `json:"revisions"`
	Red       []string                  `json:"red"`
}

// Member is one of the other files of a certificate.
type Member struct {
	Name   string `json:"name"`
	Size   int    `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// assumptions is what no recording can prove.
func assumptions() []string {
	return []string{
		"The messages of the recording came from the artifacts or the package that this statement names.",
		"The publisher recorded the run with an unchanged mcpcheck and did not change the recording.",
		"The server answers its users as it answered this run.",
	}
}

// derived is the part of a statement that follows from the report.
func derived(r *reports.Report) Statement {
	const all = 1000
	s := Statement{
		Schema: Schema, Name: r.Target.Name, About: r.Target.About, Endpoints: []Endpoint{},
		Judged: r.Summary.Started, LeftOut: r.LeftOut("only ", all), Assumptions: assumptions(),
		Suite: Suite{Name: r.Tool.Name, Version: r.Tool.Version, Commit: r.Tool.Commit,
			Catalogue: r.Tool.Catalogue},
		Result: Result{r.Summary.Outcome, r.Summary.Scope, r.Config.Since, r.Config.Strict,
			append([]reports.RevisionSummary{}, r.Summary.Revisions...),
			ids(r, func(x *reports.Result) bool { return x.Verdict.Red() })},
	}
	if q := r.Config.Quick; q != nil {
		s.LeftOut = append(s.LeftOut, "quick run of "+q.Revision+" on "+q.Transport+" without "+
			plural.List(q.LeftOutIDs, all))
	}
	for _, e := range r.Target.Endpoints {
		s.Endpoints = append(s.Endpoints, Endpoint{e.Transport, e.Address, e.Started, e.Revisions, e.Server})
	}
	judged := ids(r, func(x *reports.Result) bool { return x.Verdict.Judged() })
	s.NotExercised = ids(r, func(x *reports.Result) bool {
		return x.Idle() && !slices.Contains(judged,
			x.ID)
	})
	return s
}

// ids lists the ids of some results, each once.
func ids(r *reports.Report, keep func(*reports.Result) bool) []string {
	all := []string{}
	for _, x := range r.Only(keep) {
		all = append(all, x.ID)
	}
	slices.SortFunc(all, reports.CompareIDs)
	return slices.Compact(all)
}

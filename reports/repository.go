package reports

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// RepositorySchema names the contract of the index of a repository of certificates.
const RepositorySchema = "mcpcheck.repository/1"

// Repository is what the certificates of a repository say of its products.
type Repository struct {
	Schema string `json:"schema"`
	// Tool has verified the certificates.
	Tool Tool `json:"tool"`
	// Written is when they were verified (RFC 3339, UTC).
	Written string `json:"written"`
	// Revisions lists those that the tool knows, the oldest first.
	Revisions []string  `json:"revisions"`
	Products  []Product `json:"products"`
}

// Product is a server with the history of its certificates.
type Product struct {
	// About is what the certificate of the newest version says of it.
	About About `json:"about"`
	// Path is "vendor/product", as directories are named.
	Path string `json:"path"`
	// Holds lists the revisions in which the newest version is conformant, the oldest first.
	Holds []Holding `json:"holds"`
	// Versions lists the versions with a certificate, the newest first.
	Versions []CertifiedVersion `json:"versions"`
}

// Holding says since when a product is conformant in a revision.
type Holding struct {
	Revision string `json:"revision"`
	// Version is the oldest one from which on every version with a certificate is conformant in the revision,
	// judged completely. Judged is when that was judged.
	Version string `json:"version"`
	Judged  string `json:"judged"`
}

// CertifiedVersion is a version of a product with what its certificate says.
type CertifiedVersion struct {
	Version string `json:"version"`
	// Path is the directory of the submission, "vendor/product/version".
	Path string `json:"path"`
	// Judged is when the run began, Certified when the certificate was written (RFC 3339, UTC).
	Judged    string `json:"judged"`
	Certified string `json:"certified"`
	// Expired says in a sentence why the certificate does not count any more; empty if it does.
	Expired string `json:"expired,omitempty"`
	// Suite has judged it; Signed says by whom the certificate is signed.
	Suite     Tool              `json:"suite"`
	Signed    []string          `json:"signed,omitempty"`
	Revisions []RevisionSummary `json:"revisions"`
	Outcome   Outcome           `json:"outcome"`
	Scope     Scope             `json:"scope"`
	Since     string            `json:"since,omitempty"`
	// Extent is "partial run" and the like; empty for a full run.
	Extent string `json:"extent,omitempty"`
	Counts
	Security SecurityCounts `json:"security"`
	// Broken and Fixed list the requirements that became red and green since the version before.
	Broken []string `json:"broken,omitempty"`
	Fixed  []string `json:"fixed,omitempty"`
	// Endpoints says how the version was reached; the index leaves it to the certificate.
	Endpoints []Endpoint `json:"-"`
}

// Add notes the next version of the product by its report. The version before and its report are nil for
// the first one.
func (p *Product) Add(v CertifiedVersion, before, r *Report) {
	s := &r.Summary
	v.Suite, v.Judged, v.Endpoints = r.Tool, s.Started, r.Target.Endpoints
	v.Revisions, v.Outcome, v.Scope, v.Since = s.Revisions, s.Outcome, s.Scope, r.Config.Since
	v.Extent, v.Counts, v.Security = r.Extent(), s.Counts, s.Security
	if before != nil {
		d := Compare(before, r)
		v.Broken = changed(d.Regressions, d.NewWarnings, d.Added)
		v.Fixed = changed(d.Fixes)
	}
	holds := []Holding{}
	for _, now := range v.Revisions {
		if now.Outcome != Conformant || v.Scope != Full {
			continue
		}
		h := Holding{now.Revision, v.Version, v.Judged}
		for _, was := range p.Holds {
			if was.Revision == now.Revision {
				h = was
			}
		}
		holds = append(holds, h)
	}
	p.Holds, p.Versions = holds, slices.Insert(p.Versions, 0, v)
}

// changed lists the requirements of changes.
func changed(lists ...[]Change) (ids []string) {
	for _, c := range slices.Concat(lists...) {
		ids = append(ids, c.ID)
	}
	slices.SortFunc(ids, CompareIDs)
	return slices.Compact(ids)
}

var number = regexp.MustCompile(`[0-9]+`)

// CompareVersions orders versions: numbers by their value, and 1.0-rc1 before 1.0, as that is before 1.0.1.
func CompareVersions(a, b string) int {
	return cmp.Or(strings.Compare(versionKey(a), versionKey(b)), strings.Compare(a, b))
}

// versionKey is a text in whose order versions stand. The end of one stands behind letters and hyphens, and
// before points.
func versionKey(version string) string {
	padded := number.ReplaceAllStringFunc(version, func(n string) string {
		return fmt.Sprintf("%20s", n)
	})
	return strings.NewReplacer("+", "|", ".", "}").Replace(padded) + "{"
}

// WriteRepositoryJSON writes the index for machines.
func WriteRepositoryJSON(w io.Writer, r *Repository) error {
	return terminal.WriteJSON(w, "index", " ", r)
}

package write

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The types of a compliance statement: an in-toto Statement whose predicate is a
// test result.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://in-toto.io/attestation/test-result/v0.1"
)

// Artifact is what a statement is about: a name, and digests by algorithm in
// hexadecimal, such as "sha256".
type Artifact struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// resource is a ResourceDescriptor of in-toto.
type resource struct {
	Name        string            `json:"name,omitempty"`
	URI         string            `json:"uri,omitempty"`
	Digest      map[string]string `json:"digest,omitempty"`
	MediaType   string            `json:"mediaType,omitempty"`
	Annotations map[string]any    `json:"annotations,omitempty"`
}

type statement struct {
	Type          string     `json:"_type"`
	Subject       []Artifact `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     predicate  `json:"predicate"`
}

type predicate struct {
	Result        string     `json:"result"`
	Configuration []resource `json:"configuration"`
	PassedTests   []string   `json:"passedTests"`
	WarnedTests   []string   `json:"warnedTests"`
	FailedTests   []string   `json:"failedTests"`
}

// StatementOptions says what a statement is about.
type StatementOptions struct {
	// Subjects are the artifacts that were judged, such as a container image.
	// Without any the certificate itself is the subject, with the identity that
	// the target declared among the annotations.
	Subjects []Artifact
	// Report is the name of the certificate's file and the SHA-256 of its bytes.
	Report       string
	ReportDigest [sha256.Size]byte
}

// Statement writes a compliance statement, ready to be signed: an in-toto
// Statement with the test-result predicate. Tests are named
// "ID/revision/transport". The annotations of the report among the configuration
// hold the identity that the target declares, revisions and profiles, the digest of
// the settings, and what was not exercised. The report must have been summarized.
func Statement(w io.Writer, r *reports.Report, o StatementOptions) error {
	settings, err := json.Marshal(r.Config)
	if err != nil {
		return fmt.Errorf("writing the statement: %w", err)
	}
	sum := sha256.Sum256(settings)
	report := map[string]string{"sha256": hex.EncodeToString(o.ReportDigest[:])}
	name := cmp.Or(title(o.Report), "certificate.mcpcert")
	s := statement{
		Type: StatementType, PredicateType: PredicateType, Subject: o.Subjects,
		Predicate: predicate{
			Result: result(r),
			Configuration: []resource{
				{Name: "mcpcheck " + title(r.Tool.Version), URI: "pkg:golang/github.com/mcpcheck/mcpcheck@" +
					title(r.Tool.Version),
					Annotations: map[string]any{"catalogue": title(r.Tool.Catalogue),
						"commit": title(r.Tool.Commit)}},
				{Name: "settings", Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])},
					MediaType: "application/json"},
				{Name: name, Digest: report, MediaType: "application/zip",
					Annotations: view{Report: r}.annotations()},
			},
			PassedTests: tests(r, reports.Pass), WarnedTests: tests(r, reports.Warn),
			FailedTests: tests(r, reports.Fail),
		},
	}
	if len(s.Subject) == 0 {
		s.Subject = []Artifact{{Name: name, Digest: report}}
	}
	return terminal.WriteJSON(w, "statement", "  ", s)
}

// result is the outcome in the predicate's words. What is not established did not
// pass: the predicate knows no fourth word. A partial run without a failure is no more
// than WARNED, because what it left out is unknown, and so is one on a target without resources.
func result(r *reports.Report) string {
	switch s := &r.Summary; {
	case s.Outcome == reports.NoResources && s.Fail == 0:
		return "WARNED"
	case s.Outcome != reports.Conformant:
		return "FAILED"
	case s.Warn > 0 || s.Scope != reports.Full:
		return "WARNED"
	}
	return "PASSED"
}

func tests(r *reports.Report, v reports.Verdict) []string {
	list := []string{}
	for _, x := range r.Only(func(x *reports.Result) bool { return x.Verdict == v }) {
		list = append(list, title(strings.Join([]string{x.ID, x.Revision, x.Transport}, "/")))
	}
	return list
}

// annotations say what was judged, how far, and what was not.
func (v view) annotations() map[string]any {
	var endpoints []map[string]any
	for _, e := range v.Target.Endpoints {
		x := map[string]any{"transport": word(e.Transport), "address": clean(e.Address, pageText),
			"revisions": cleanAll(e.Revisions)}
		if e.Started != "" {
			x["started"] = clean(e.Started, pageText)
		}
		if e.Server != nil {
			x["name"], x["version"] = title(e.Server.Name), title(e.Server.Version)
		}
		endpoints = append(endpoints, x)
	}
	profiles := map[string]any{}
	for _, p := range v.Summary.Profiles {
		profiles[title(p.Name)] = map[string]any{"status": word(p.Status),
			"musts_not_exercised": cleanAll(p.MustsNotExercised)}
	}
	revisions := map[string][]string{}
	for _, c := range v.Summary.Combinations {
		outcome := word(c.Outcome)
		revisions[outcome] = append(revisions[outcome], title(c.Revision+" on "+c.Transport))
	}
	var idle []string
	for _, x := range v.Only(func(x *reports.Result) bool {
		return x.Verdict == reports.Blocked || x.Idle()
	}) {
		idle = append(idle, title(x.ID))
	}
	slices.SortFunc(idle, reports.CompareIDs)
	return map[string]any{
		"schema": word(v.Schema), "target": title(v.Target.Name), "endpoints": endpoints,
		"outcome":  word(v.Summary.Outcome),
		"headline": v.standing().String(), "scope": word(v.Summary.Scope), "judged": v.scope(everything),
		"by_revision":  v.Summary.ByRevision(),
		"combinations": revisions, "profiles": profiles, "not_exercised": cleanAll(slices.Compact(idle)),
		"excused": v.Summary.Excused,
		"started": word(v.Summary.Started), "duration_ms": v.Summary.DurationMS,
	}
}

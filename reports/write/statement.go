package write

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
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
	// Without any the certificate itself is the subject.
	Subjects []Artifact
	// Name is that of the certificate's file, Digest the SHA-256 of its bytes, Statement what it states.
	Name      string
	Digest    [sha256.Size]byte
	Statement any
}

// Statement writes a compliance statement, ready to be signed: an in-toto
// Statement with the test-result predicate. Tests are named
// "ID/revision/transport". The annotations of the certificate among the configuration
// hold the statement in it. The report must have been summarized.
func Statement(w io.Writer, r *reports.Report, o StatementOptions) error {
	certificate := map[string]string{"sha256": hex.EncodeToString(o.Digest[:])}
	s := statement{
		Type: StatementType, PredicateType: PredicateType, Subject: o.Subjects,
		Predicate: predicate{
			Result: result(r),
			Configuration: []resource{
				{Name: "mcpcheck " + title(r.Tool.Version), URI: "pkg:golang/github.com/mcpcheck/mcpcheck@" +
					title(r.Tool.Version),
					Annotations: map[string]any{"catalogue": title(r.Tool.Catalogue),
						"commit": title(r.Tool.Commit)}},
				{Name: title(o.Name), Digest: certificate, MediaType: "application/zip",
					Annotations: map[string]any{"headline": Headline(r), "statement": o.Statement}},
			},
			PassedTests: tests(r, reports.Pass), WarnedTests: tests(r, reports.Warn),
			FailedTests: tests(r, reports.Fail),
		},
	}
	if len(s.Subject) == 0 {
		s.Subject = []Artifact{{Name: title(o.Name), Digest: certificate}}
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

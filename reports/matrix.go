package reports

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// MatrixSchema names the contract of a matrix.
const MatrixSchema = "mcpcheck.matrix/1"

// Matrix is many targets side by side.
type Matrix struct {
	Schema string `json:"schema"`
	Tool   Tool   `json:"tool"`
	// Started is when the first target was begun (RFC 3339, UTC); empty in matrices of earlier versions.
	Started string `json:"started,omitempty"`
	// Shard is the part of the targets that was run, such as "2/5"; empty for
	// all of them.
	Shard string `json:"shard,omitempty"`
	// Missing lists the shards that a joined matrix lacks.
	Missing []string `json:"missing,omitempty"`
	// Requirements lists those that any target was judged by, in the order of
	// reports.
	Requirements []MatrixRequirement `json:"requirements"`
	Targets      []MatrixTarget      `json:"targets"`
	// Summary comes last, so that its absence shows a truncated file.
	Summary MatrixSummary `json:"summary"`
}

// MatrixRequirement is a row of the matrix.
type MatrixRequirement struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Level string `json:"level"`
}

// The states of a target in a matrix.
const (
	MatrixJudged   = "judged"    // a report was written
	MatrixNoReport = "no-report" // the run could not start, or broke down
	MatrixTimedOut = "timed-out" // the run was ended at its bound

	// The following are those of servers in a registry.
	MatrixNeedsKey     = "needs-key"              // a value is missing that the user has to give
	MatrixNotStartable = "cannot-be-started-here" // by this program, or for want of a tool
	MatrixNotInstalled = "not-installed"          // the package could not be fetched
	MatrixBroken       = "broken"                 // it does not start, or does not answer
	MatrixDeleted      = "deleted"                // in the registry
	MatrixInvalid      = "invalid-entry"          // the error names the field
)

// MatrixTarget is a column: one target with what became of it.
type MatrixTarget struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	// Error says in one sentence why there is no report.
	Error    string  `json:"error,omitempty"`
	ExitCode int     `json:"exit_code"`
	TookMS   float64 `json:"took_ms"`
	// Server is what the target says of itself.
	Server    *Server  `json:"server,omitempty"`
	Revisions []string `json:"revisions,omitempty"`
	// Judged is the result by revision; Since is the oldest revision of the declared scope.
	Judged  []RevisionSummary `json:"judged,omitempty"`
	Since   string            `json:"since,omitempty"`
	Outcome Outcome           `json:"outcome,omitempty"`
	Scope   Scope             `json:"scope,omitempty"`
	// Extent is "partial run", "quick run", "ended early" or "unreachable"; empty for a full run.
	Extent string `json:"extent,omitempty"`
	Counts
	// Security counts those of the red verdicts that are about security.
	Security SecurityCounts `json:"security"`
	Excused  int            `json:"excused,omitempty"`
	// Report and Page are where the reports lie, relative to the matrix.
	Report string `json:"report,omitempty"`
	Page   string `json:"page,omitempty"`
	// Certificate is where the certificate lies, relative to the matrix; empty if there is none.
	Certificate string `json:"certificate,omitempty"`
	// Package is what was judged of a server in a registry: a package or a URL.
	Package string `json:"package,omitempty"`
	// Digest is that of all that the column follows from, as far as it is known before a server is started;
	// JudgedAt says when (RFC 3339, UTC). Both are empty for targets that are in no registry.
	Digest   string `json:"digest,omitempty"`
	JudgedAt string `json:"judged_at,omitempty"`
	// Verdicts holds the gravest verdict on each requirement.
	Verdicts map[string]Verdict `json:"verdicts,omitempty"`
}

// MatrixSummary counts targets.
type MatrixSummary struct {
	Targets    int `json:"targets"`
	Conformant int `json:"conformant"`
	// NothingFound counts those in which a run that was narrowed down found no
	// failure: that does not make them conformant.
	NothingFound   int `json:"nothing_found"`
	NonConformant  int `json:"non_conformant"`
	NotEstablished int `json:"not_established"`
	// NoResources counts those that declare no resources.
	NoResources int `json:"no_resources"`
	// NoReport counts those that were not judged; of some there is a report that says no more than that.
	NoReport int `json:"no_report"`
	// Findings is how many targets ended with a finding that nothing excuses.
	Findings int `json:"findings"`
	// Unjudged counts those without a report that are in a registry, by status.
	Unjudged map[string]int `json:"unjudged,omitempty"`
}

// String is the summary in one line.
func (s MatrixSummary) String() string {
	text := fmt.Sprintf("%s: %d conformant, ", plural.Count(s.Targets, "target"), s.Conformant)
	if s.NothingFound > 0 {
		text += fmt.Sprintf("%d without failures in a partial run, ", s.NothingFound)
	}
	text += fmt.Sprintf("%d not conformant, ", s.NonConformant)
	if s.NoResources > 0 {
		text += fmt.Sprintf("%d without resources, ", s.NoResources)
	}
	text += fmt.Sprintf("%d not established, %d without a report", s.NotEstablished, s.NoReport)
	separator := ": "
	for _, status := range slices.Sorted(maps.Keys(s.Unjudged)) {
		text += fmt.Sprintf("%s%d %s", separator, s.Unjudged[status], status)
		separator = ", "
	}
	return text
}

// NewMatrix is an empty matrix.
func NewMatrix(tool Tool, shard string) *Matrix {
	return &Matrix{Schema: MatrixSchema, Tool: tool, Shard: shard, Requirements: []MatrixRequirement{},
		Targets: []MatrixTarget{}}
}

// WorstFirst orders the verdicts of one requirement over combinations.
func WorstFirst() []Verdict { return []Verdict{Fail, Warn, Blocked, Pass, NotApplicable} }

// MatrixColumn makes the column of a target that was judged.
func MatrixColumn(name string, r *Report, exit int, took time.Duration) MatrixTarget {
	t := MatrixTarget{Name: name, Status: MatrixJudged, ExitCode: exit, TookMS: Milliseconds(took),
		Judged: r.Summary.Revisions, Since: r.Config.Since, Outcome: r.Summary.Outcome,
		Scope: r.Summary.Scope, Extent: r.Extent(),
		Counts: r.Summary.Counts, Security: r.Summary.Security, Excused: r.Summary.Excused,
		Verdicts: map[string]Verdict{}}
	for _, e := range r.Target.Endpoints {
		t.Revisions = append(t.Revisions, e.Revisions...)
		if t.Server == nil {
			t.Server = e.Server
		}
	}
	t.Error = r.Unreached()
	slices.Sort(t.Revisions)
	t.Revisions = slices.Compact(t.Revisions)
	order := WorstFirst()
	for _, x := range r.Rows() {
		was, known := t.Verdicts[x.ID]
		if !known || slices.Index(order, x.Verdict) < slices.Index(order, was) {
			t.Verdicts[x.ID] = x.Verdict
		}
	}
	return t
}

// ByRevision is the result by revision in a line: "2025-03-26 ✗ BATCH-01  2025-06-18 ✓".
func (t *MatrixTarget) ByRevision() string { return byRevision(t.Judged, t.Scope) }

// Add puts a column into the matrix, with the rows that its report has.
func (m *Matrix) Add(t MatrixTarget, r *Report) {
	m.Targets = append(m.Targets, t)
	if r == nil {
		return
	}
	var rows []MatrixRequirement
	for _, x := range r.Rows() {
		rows = append(rows, MatrixRequirement{x.ID, x.Title, x.Level})
	}
	m.require(rows)
}

// require adds the rows whose requirement the matrix lacks.
func (m *Matrix) require(rows []MatrixRequirement) {
	known := map[string]bool{}
	for _, q := range m.Requirements {
		known[q.ID] = true
	}
	for _, q := range rows {
		if !known[q.ID] {
			known[q.ID] = true
			m.Requirements = append(m.Requirements, q)
		}
	}
}

// Summarize sorts the matrix and counts its targets.
func (m *Matrix) Summarize() {
	slices.SortStableFunc(m.Targets, func(a, b MatrixTarget) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(m.Requirements, func(a, b MatrixRequirement) int { return CompareIDs(a.ID, b.ID) })
	s := MatrixSummary{Targets: len(m.Targets), Unjudged: map[string]int{}}
	for i := range m.Targets {
		t := &m.Targets[i]
		switch {
		case t.Status != MatrixJudged:
			s.NoReport++
			if t.Status != MatrixNoReport && t.Status != MatrixTimedOut {
				s.Unjudged[t.Status]++
			}
		case t.Outcome == Conformant && t.Scope != Full:
			s.NothingFound++
		case t.Outcome == Conformant:
			s.Conformant++
		case t.Outcome == NonConformant:
			s.NonConformant++
		case t.Outcome == NoResources:
			s.NoResources++
		default:
			s.NotEstablished++
		}
		if t.Status == MatrixJudged && t.ExitCode == ExitFindings {
			s.Findings++
		}
	}
	m.Summary = s
}

// ExitCode is the status with which a program ends after a matrix: 1 if a target has
// a finding that nothing excuses, else 3 if one has no report or could not be
// established, or a shard is missing, else 0.
func (m *Matrix) ExitCode() int {
	code := ExitOK
	if len(m.Missing) > 0 {
		code = ExitNotEstablished
	}
	for i := range m.Targets {
		switch t := &m.Targets[i]; {
		case t.Status == MatrixJudged && t.ExitCode == ExitFindings:
			return ExitFindings
		case t.Status == MatrixDeleted:
		case t.Status != MatrixJudged, t.ExitCode != ExitOK:
			code = ExitNotEstablished
		}
	}
	return code
}

// WriteMatrixJSON writes a matrix for machines.
func WriteMatrixJSON(w io.Writer, m *Matrix) error { return terminal.WriteJSON(w, "matrix", " ", m) }

// NotMatrixError says that a file is of another kind than a matrix.
type NotMatrixError struct{ Schema string }

func (e *NotMatrixError) Error() string {
	return fmt.Sprintf("the schema is %q instead of %q", e.Schema, MatrixSchema)
}

// ReadMatrix reads a matrix; it refuses other schemas and truncated files.
func ReadMatrix(r io.Reader) (*Matrix, error) {
	limited := &io.LimitedReader{R: r, N: MaxReport + 1}
	var raw struct {
		Matrix
		Summary *MatrixSummary `json:"summary"`
	}
	d := json.NewDecoder(limited)
	err := d.Decode(&raw)
	// Members of other kinds of files have other types; what kind it is tells more.
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); other && raw.Schema != MatrixSchema {
		err = nil
	}
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("the matrix is larger than %d bytes", MaxReport)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the matrix is truncated")
	case err != nil:
		return nil, fmt.Errorf("the matrix cannot be read: %w", err)
	case raw.Schema != MatrixSchema:
		return nil, &NotMatrixError{Schema: safe.Clean(raw.Schema, 60)}
	case raw.Summary == nil:
		return nil, errors.New("the matrix is truncated: it has no summary")
	}
	m := raw.Matrix
	m.Summary = *raw.Summary
	for i := range m.Targets {
		for id, v := range m.Targets[i].Verdicts {
			if !v.Known() {
				return nil, fmt.Errorf("target %s has the unknown verdict %q on %s",
					safe.Clean(m.Targets[i].Name, 60), safe.Clean(string(v), 60), safe.Clean(id, 60))
			}
		}
	}
	return &m, nil
}

// missingShards lists the shards that are not among some matrices, "2/5" and so on. A
// matrix that is no shard says nothing about any.
func missingShards(list []*Matrix) ([]string, error) {
	const most = 10_000
	count, there := 0, map[int]bool{}
	for i, m := range list {
		a, b, _ := strings.Cut(m.Shard, "/")
		index, err := strconv.Atoi(a)
		n, err2 := strconv.Atoi(b)
		switch {
		case m.Shard == "":
			continue
		case err != nil || err2 != nil || index < 1 || index > n || n > most:
			return nil, fmt.Errorf("matrix %d is of the shard %q, which is not I/N", i+1,
				safe.Clean(m.Shard, 40))
		case count != 0 && n != count:
			return nil, fmt.Errorf("matrix %d is one of %d shards, an earlier one one of %d", i+1, n, count)
		}
		count = n
		there[index] = true
	}
	var missing []string
	for i := 1; i <= count; i++ {
		if !there[i] {
			missing = append(missing, fmt.Sprintf("%d/%d", i, count))
		}
	}
	return missing, nil
}

// MergeMatrices joins the shards of a matrix, and notes which are missing. Two columns
// of one name, and shards of different catalogues, are refused. The function says where
// the files of a shard lie, given its index and a path in it.
func MergeMatrices(list []*Matrix, at func(i int, path string) string) (*Matrix, error) {
	if len(list) == 0 {
		return nil, errors.New("there is no matrix to merge")
	}
	into := NewMatrix(list[0].Tool, "")
	var err error
	if into.Missing, err = missingShards(list); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for i, m := range list {
		if into.Started == "" || m.Started != "" && m.Started < into.Started {
			into.Started = m.Started
		}
		if m.Tool.Catalogue != into.Tool.Catalogue {
			return nil, fmt.Errorf("matrix %d was made with the catalogue %q, the first with %q", i+1,
				safe.Clean(m.Tool.Catalogue, 80), safe.Clean(into.Tool.Catalogue, 80))
		}
		for _, t := range m.Targets {
			if names[t.Name] {
				return nil, fmt.Errorf("matrix %d has the target %q, which an earlier one has too", i+1,
					safe.Clean(t.Name, 80))
			}
			names[t.Name] = true
			for _, path := range []*string{&t.Report, &t.Page, &t.Certificate} {
				if *path != "" {
					*path = at(i, *path)
				}
			}
			into.Targets = append(into.Targets, t)
		}
		into.require(m.Requirements)
	}
	into.Summarize()
	return into, nil
}

package engine

import (
	"io"
	"slices"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Rejudged is a recorded run that was judged again, with what shows whether the recording is whole.
type Rejudged struct {
	Report *reports.Report
	// Servers is what the recorded messages say of the target, each once.
	Servers []reports.Server
	// Unrecorded lists the requirements that a full run judges and the recording does not name, by combination.
	Unrecorded map[requirement.Combination][]string
	// Unchecked lists the ids of the requirements in the recording for which this release has no check, and
	// that are not said to be untestable.
	Unchecked []string
}

// RejudgeBy is [Rejudge] by the requirements of a catalogue and the checks of this release, and as strict as
// the run was.
func RejudgeBy(rd io.Reader, tool reports.Tool, rows *requirement.Catalogue) (*Rejudged, error) {
	r, err := restoreBy(rd, area.BuiltIn().With(rows))
	if err != nil {
		return nil, err
	}
	all := &Rejudged{Report: r.rejudge(tool, r.cfg.Shown.Strict), Servers: servers(r.transcript),
		Unrecorded: map[requirement.Combination][]string{}}
	recorded, combinations := map[key]bool{}, []requirement.Combination{}
	for _, row := range r.rows {
		recorded[keyOf(row)] = true
		id := row.Requirement.ID
		if _, ok := r.catalogue.Check(id); !ok && row.Requirement.Untestable == "" &&
			row.Requirement.GradeIn(row.Combination.Revision) != requirement.Control {
			all.Unchecked = append(all.Unchecked, id)
		}
	}
	all.Unchecked = slices.Compact(all.Unchecked)
	for c := range r.takes {
		combinations = append(combinations, c)
	}
	sortCombinations(combinations)
	for _, row := range r.catalogue.list(combinations, nil) {
		if !recorded[keyOf(row)] {
			c := row.Combination
			all.Unrecorded[c] = append(all.Unrecorded[c], row.Requirement.ID)
		}
	}
	return all, nil
}

// servers lists what messages from the target say that it is.
func servers(t *wire.Transcript) []reports.Server {
	var all []reports.Server
	for _, f := range t.Since(0) {
		if f.Dir != wire.In {
			continue
		}
		for _, m := range f.Parsed().Messages {
			s := server([]byte(m.Get("result").Raw))
			if s != nil && !slices.Contains(all, *s) {
				all = append(all, *s)
			}
		}
	}
	return all
}

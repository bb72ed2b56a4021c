package engine

import (
	"io"
	"slices"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// RejudgeBy is [Rejudge] by the rows and checks of some areas, and as strict as the run was. It also returns
// what the recorded messages say that the target is, each description once.
func RejudgeBy(rd io.Reader, tool reports.Tool, areas *area.Set) (*reports.Report, []reports.Server, error) {
	r, err := restore(rd, areas)
	if err != nil {
		return nil, nil, err
	}
	var seen []reports.Server
	for _, f := range r.transcript.Since(0) {
		if f.Dir != wire.In {
			continue
		}
		for _, m := range f.Parsed().Messages {
			if s := server([]byte(m.Get("result").Raw)); s != nil && !slices.Contains(seen, *s) {
				seen = append(seen, *s)
			}
		}
	}
	return r.rejudge(tool, r.cfg.Shown.Strict), seen, nil
}

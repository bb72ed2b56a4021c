package rpc

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// yielded is the listed URIs that were read with success, without those whose content is
// too long to be read again and again. The scenario must come after [recording.Reads].
func yielded(p *scenario.Play) []string {
	var all []string
	if r := p.Earlier(recording.Reads); r != nil {
		for _, x := range r.Steps(recording.StepRead) {
			if uri := x.Tags[recording.TagURI]; x.Succeeded() && !scenario.Required(x) && len(x.Result().Raw) < scenario.Heavy && !slices.Contains(all, uri) {
				all = append(all, uri)
			}
		}
	}
	return all
}

package engine

import (
	"maps"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// ordinaryLoss is why an ordinary request was lost at an endpoint while no probe was under way; empty if none was. What such a
// target loses when it is probed it may have lost anyway. One that was never sent says nothing: whatever was probed before may have
// ended the server.
func (r *Run) ordinaryLoss(c requirement.Combination) string {
	var ordinary, probes []*recording.Exchange
	for take := range r.played() {
		if !r.sameEndpoint(take.Facts.Combination, c) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
			for _, x := range take.Recordings[name].Exchanges {
				switch {
				case x.Kind == recording.Probe:
					probes = append(probes, x)
				case x.Outcome == recording.Lost && x.Request > 0:
					ordinary = append(ordinary, x)
				}
			}
		}
	}
	for _, x := range ordinary {
		if !slices.ContainsFunc(probes, func(p *recording.Exchange) bool {
			return p.Sent <= x.Sent+x.Took && x.Sent <= p.Sent+p.Took+r.cfg.QuietWindow
		}) {
			return x.Reason
		}
	}
	return ""
}

package engine

import (
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// askOthers asks an endpoint where a revision without a handshake is judged for those with one that the
// user left out: a server that serves them, too, may take for their traffic what another one has to refuse,
// and the verdicts of a part of a run are those of the whole. On stdio, where each question is a process,
// it asks for one, and only if none is known: which of them are served changes nothing there.
func (r *Run) askOthers(ctx context.Context, e *endpoint) {
	if e.found == nil || e.broken != nil || !slices.ContainsFunc(e.found.Served, requirement.Revision.Modern) {
		return
	}
	var ask []requirement.Revision
	e.others = e.found.Offered
	known := len(e.others) > 0
	for _, rev := range requirement.Revisions() {
		_, refused := e.found.Reasons[rev]
		switch {
		case rev.Modern() || refused:
		case slices.Contains(e.found.Served, rev):
			known = true
		default:
			ask = append(ask, rev)
		}
	}
	if e.transport == requirement.Stdio && len(ask) > 0 {
		if ask = ask[len(ask)-1:]; known {
			return
		}
	}
	if len(ask) == 0 {
		return
	}
	// Of what the answer does not tell, such as why none came, nothing depends on it.
	found, _ := session.Detect(ctx, e.dialer, session.Options{
		Kind: recording.Probe, Transcript: r.transcript, Timeout: r.cfg.Timeout, Start: min(r.cfg.Start, r.cfg.Timeout), Limiter: r.limiter, Patience: r.patience,
	}, ask, e.Instances, r.nextID)
	found.Close()
	e.others = slices.Concat(e.others, found.Served, found.Offered)
}

// served lists the revisions that are known to be served, judged or not, oldest first.
func (e *endpoint) served() []requirement.Revision {
	all := slices.Concat(e.found.Served, e.others)
	slices.Sort(all)
	return slices.Compact(all)
}

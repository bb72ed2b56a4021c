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
// and the verdicts of a part of a run are those of the whole. On stdio, where each question is a process, what
// was answered already has to do.
func (r *Run) askOthers(ctx context.Context, e *endpoint) {
	if e.found == nil || e.broken != nil || !slices.ContainsFunc(e.found.Served, requirement.Revision.Modern) {
		return
	}
	e.others = e.found.Offered
	ask := slices.DeleteFunc(requirement.Revisions(), func(rev requirement.Revision) bool {
		_, refused := e.found.Reasons[rev]
		return rev.Modern() || refused || slices.Contains(e.found.Served, rev)
	})
	if e.transport == requirement.Stdio || len(ask) == 0 {
		return
	}
	// Of what the answer does not tell, such as why none came, nothing depends on it.
	found, _ := session.Detect(ctx, e.dialer, session.Options{
		Kind: recording.Probe, Transcript: r.transcript, Timeout: r.cfg.Timeout, Start: min(r.cfg.Start, r.cfg.Timeout), Limiter: r.limiter, Patience: r.patience,
	}, ask, e.instances(), r.nextID)
	found.Close()
	e.others = slices.Concat(e.others, found.Served, found.Offered)
}

// served lists the revisions, oldest first, that what is judged in one may depend on. With a handshake a server may
// offer one that it does not serve: only where there is none an offer says that it serves others.
func (e *endpoint) served(in requirement.Revision) []requirement.Revision {
	if !in.Modern() {
		return e.found.Served
	}
	all := slices.Concat(e.found.Served, e.others)
	slices.Sort(all)
	return slices.Compact(all)
}

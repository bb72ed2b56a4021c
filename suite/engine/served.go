package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// serve starts the servers of the endpoints that are going to be asked, and returns the
// target with their addresses.
func (r *Run) serve(ctx context.Context) (*target.Target, error) {
	t, stop, err := r.cfg.Target.Serve(ctx, r.cfg.Start, func(e *target.Endpoint) bool {
		if len(r.cfg.candidates(e)) == 0 {
			return false
		}
		r.cfg.Progress(Event{Kind: Connecting, Title: e.Label()})
		return true
	})
	if err != nil {
		return nil, err
	}
	r.cfg.Target, r.stopServers = t, stop
	return t, nil
}

// withoutDeaths plays everything once more, one scenario at a time, at endpoints whose server
// died while scenarios were played side by side: they share it, and what one did to it cannot
// be told from what became of the others. The server is started again for whoever connects,
// so that each scenario finds it alive. The first recordings are dropped, unless the time was
// spent before the second ones were complete.
func (p *player) withoutDeaths(ctx context.Context, plans map[*pool.Pool][]*scenario.Scenario) {
	r := p.run
	turns := map[*transport.Server]*pool.Limit{}
	for i, st := range r.stages {
		server, e := st.Endpoint.Server(), r.endpointOf(st)
		if server == nil || e.limit != nil && e.limit != turns[server] {
			continue // with a limit scenarios have taken turns before
		}
		if turns[server] == nil && server.Deaths() > 0 {
			turns[server] = pool.Turns()
		}
		if turns[server] == nil || context.Cause(ctx) != nil {
			continue
		}
		st.Close()
		e.limit = turns[server] // for the repetition of red verdicts, too
		st.Establish(recording.FactOneByOne, "true")
		alone := r.newStage(e, e.limit, st.Facts)
		plan, before := plans[st], r.takes[st.Combination]
		delete(plans, st)
		plans[alone], r.stages[i], r.takes[st.Combination] = plan, alone, newTake(st.Facts)
		p.mu.Lock()
		p.total += len(plan)
		p.mu.Unlock()
		p.phases(ctx, []*pool.Pool{alone}, plans, r.takes)
		if context.Cause(ctx) != nil {
			r.stages[i], r.takes[st.Combination] = st, before // what is known is more than what is left
		}
	}
}

// killedServer is how a server that was started ended over a correct message that it got alone,
// twice; empty if that did not happen, or was not to be told.
func killedServer(take *Take) string {
	if take.Facts.Notes[recording.FactOneByOne] == "" {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		for _, x := range take.Recordings[name].Exchanges {
			if x.Kind == recording.Clean && x.Fatal {
				return x.Reason
			}
		}
	}
	return ""
}

// started fills in what a report says of a server that was started.
func (r *Run) started(e *endpoint, out *reports.Endpoint) {
	if server := e.Server(); server != nil {
		out.Started = e.CommandWithout(r.masks().String)
		if e.unreachable != "" || server.Deaths() > 0 {
			out.Log = lastLines(r.masks().String(server.Log()))
		}
	}
}

// lastLines is the end of a log: what a report shows of it.
func lastLines(log string) string {
	const most = 20
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.ToValidUTF8(strings.Join(lines[max(0, len(lines)-most):], "\n"), "\ufffd")
}

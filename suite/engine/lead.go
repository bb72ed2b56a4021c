package engine

import (
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// A lead is the head start of scripts that watch silence: the others of a combination wait until these have
// said what they have to say, which takes less time while a target has nothing else to do. So windows of
// silence begin early, and the others fit into them. A nil lead, for callers that have none, is over.
type lead struct {
	end  func()
	over chan struct{}

	mu      sync.Mutex
	talking map[recording.Name]bool // those whose window has not begun
}

// mostLead is how long a lead is at most, however long silence is watched.
const mostLead = 200 * time.Millisecond

// lead begins the lead of a combination over HTTP, unless sessions are limited or scripts take turns. Sessions need not
// be cheap: no trigger is used in the phase that it leads, and a server that we started has sessions like any
// other. Where a target is far away, or slow, it is over before all are silent: to wait would take longer than to talk side by side.
func (r *Run) lead(st *pool.Pool, plan []*scenario.Scenario) *lead {
	if st.Combination.Transport == requirement.Stdio || st.Limited() || r.cfg.Jobs == 1 {
		return nil
	}
	over := make(chan struct{})
	l := &lead{end: sync.OnceFunc(func() { close(over) }), over: over, talking: map[recording.Name]bool{}}
	for _, sc := range plan {
		if watches(sc) && due(st, sc) == scenario.Read {
			l.talking[sc.Name] = true
		}
	}
	if len(l.talking) == 0 {
		return nil
	}
	const part = 3
	time.AfterFunc(min(r.cfg.QuietWindow/part, mostLead), l.end)
	st.OnSilence = l.silent
	return l
}

// silent notes that a script watches silence, or has ended.
func (l *lead) silent(name recording.Name) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.talking, name); len(l.talking) == 0 {
		l.end()
	}
}

// wait waits for the end of the lead.
func (l *lead) wait() {
	if l != nil {
		<-l.over
	}
}

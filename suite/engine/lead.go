package engine

import (
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// lead is that of the scripts of a combination which watch silence: the others wait until these have
// said what they have to say, which takes less time while a target has nothing else to do. So windows of
// silence begin early, and the others fit into them. A nil lead is over.
type lead struct {
	end  func()
	over chan struct{}

	mu      sync.Mutex
	talking map[recording.Name]bool // those whose window has not begun
}

// lead begins the lead of a combination, if its sessions are cheap. Where a target is far away, or slow, it is
// over before all are silent: to wait would take longer than to talk side by side.
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
	time.AfterFunc(r.cfg.QuietWindow/part, l.end)
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

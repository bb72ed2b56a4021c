package scenario

import (
	"context"
	"runtime"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// A process that ignores the end of its input has to be waited for, up to twice two
// seconds, and a run opens dozens. Nothing that follows depends on its end, so it ends
// beside what is going on: side by side with others, and awaited where only so many may
// stand and at the end of the run.

// exits counts the sessions that are about to end.
type exits struct {
	mu   sync.Mutex
	left int
	none chan struct{} // closed when none is left; nil if nobody waits
}

// begin counts one more; done takes it back.
func (e *exits) begin() (done func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.left--; e.left == 0 && e.none != nil {
			close(e.none)
			e.none = nil
		}
	}
}

// wait waits until none is left.
func (e *exits) wait(ctx context.Context) error {
	e.mu.Lock()
	if e.left == 0 {
		e.mu.Unlock()
		return nil
	}
	if e.none == nil {
		e.none = make(chan struct{})
	}
	none := e.none
	e.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// NewExit lets some processes end at once, and has those that end one more wait: each
// takes up memory until it is gone.
func NewExit() *Gate { return &Gate{make(chan struct{}, max(4*runtime.NumCPU(), 16))} }

// leaving counts the sessions of the stage, or of all that share its pool.
func (st *Stage) leaving() *exits {
	if st.Pool != nil {
		return &st.Pool.exits
	}
	return &st.exits
}

// End closes a session that nobody uses any more, and gives its place back once nothing
// is left of it. It waits for that on HTTP only, where the target is told.
func (st *Stage) End(s *session.Session) {
	st.Pool.calm()
	finish := s.Leave()
	done := st.leaving().begin()
	bury := func() {
		defer done()
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if st.hasten() {
			ctx = transport.Briefly(ctx)
		}
		st.learn(finish(ctx))
		st.Pool.release()
	}
	if st.Combination.Transport != requirement.Stdio {
		bury()
		return
	}
	leave, err := st.Exit.enter(context.Background())
	if err != nil {
		panic(err) // that context has no end
	}
	go func() {
		defer leave()
		bury()
	}()
}

// enough is how many processes in clean sessions are waited for in full before it is
// believed that the others will stay as well.
const enough = 3

// learn notes whether a process ends with its input.
func (st *Stage) learn(s *recording.Session) {
	end := s.Ending
	if s.Kind != recording.Clean || end == nil || end.By != "us" || end.Reason != "" {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if end.How == "exited" {
		st.exited++
	} else {
		st.stayed++
	}
}

// hasten reports whether processes need not be waited for in full: where scenarios wait
// for the end of what was before, and the program is known to stay.
func (st *Stage) hasten() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.Pool != nil && st.exited == 0 && st.stayed >= enough
}

package reference

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/host"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// StepStatus is a step of the timeline and how it has fared.
type StepStatus = host.StepStatus

// Timeline says how the steps of the timeline have fared.
func (s *Server) Timeline() []StepStatus {
	if r := s.steps.Load(); r != nil {
		return r.Status()
	}
	return []StepStatus{}
}

// heard tells the timeline of a message, once.
func (s *Server) heard(t *hook.Trace) {
	if r := s.steps.Load(); r != nil {
		t.Once(&s.steps, func() any { r.Heard(t); return nil })
	}
}

// play begins the timeline, in place of one that is running.
func (s *Server) play() {
	s.life.Lock()
	defer s.life.Unlock()
	if s.timeline != nil {
		s.timeline()
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.timeline = cancel
	if len(s.pristine.Timeline) == 0 || s.closed {
		return
	}
	r := host.NewRun(s.pristine.Timeline, s.options.Guard)
	s.steps.Store(r)
	before := s.journal.Last()
	s.players.Go(func() { s.run(ctx, r, before) })
}

// run takes the steps when they are due; before is the newest number of the journal when it began.
func (s *Server) run(ctx context.Context, r *host.Run, before uint64) {
	if !s.options.TimelineOnRequest && s.pristine.TimelineFrom != world.FromFirstRequest {
		r.Begin()
	} else {
		s.players.Go(func() {
			if s.journal.WaitFor(ctx, journal.Query{Direction: journal.In, Since: before}, 1) == nil {
				r.Begin()
			}
		})
	}
	r.Play(ctx, func(step Step) { s.take(ctx, step) })
}

// take takes one step. One that finds nothing to act on (a resource that has been
// removed meanwhile) changes nothing.
func (s *Server) take(ctx context.Context, step Step) {
	switch {
	case step.Put != nil:
		_ = s.engine.Put(*step.Put) // Validate has seen it
	case step.Update != nil:
		_, _ = s.engine.Update(step.Update.URI, func(r *Resource) error {
			step.Update.Apply(r)
			return nil
		})
	case step.Remove != "":
		s.engine.Remove(step.Remove)
	case step.Touch != "":
		s.engine.Touch(step.Touch)
	case step.ListChanged:
		s.engine.ListChanged()
	case step.PutTemplate != nil:
		_ = s.engine.PutTemplate(*step.PutTemplate) // as above
	case step.RemoveTemplate != "":
		s.engine.RemoveTemplate(step.RemoveTemplate)
	case step.Ask != nil:
		s.askAll(ctx, *step.Ask)
	default:
		s.operate(ctx, step)
	}
}

// operate takes a step that happens to the server itself.
func (s *Server) operate(ctx context.Context, step Step) {
	note := func(text string) {
		s.journal.Note(&journal.Entry{Kind: journal.Applied, Rules: []string{"timeline: " + text}}, nil)
	}
	note(step.String())
	switch {
	case step.PutRule != nil:
		r := control.Rule(*step.PutRule)
		r.ID = cmp.Or(r.ID, fmt.Sprintf("timeline: %s", step))
		s.RemoveRule(r.ID)
		switch _, err := s.AddRule(r); {
		case ctx.Err() != nil:
			s.RemoveRule(r.ID) // a reset was faster
		case err != nil:
			note(fmt.Sprintf("%s failed: %v", step, err))
		}
	case step.RemoveRule != "":
		s.RemoveRule(step.RemoveRule)
	case step.Become != nil:
		s.rules.SetStates(step.Become)
	case step.EndSessions:
		for _, session := range s.Sessions() {
			s.EndSession(session.ID)
		}
	case step.Refuse > 0:
		s.Refuse(step.Refuse)
	case step.ExpireTokens != nil:
		s.options.Guard.Expire(step.ExpireTokens...)
	case step.Revisions != nil:
		_ = s.engine.SetRevisions(step.Revisions) // Validate has seen that they are known
	}
}

// askPatience is how long an answer to a request of a timeline is waited for. It is in the journal
// whenever it comes.
const askPatience = time.Minute

// askInterval is how often those are looked at that cannot be asked yet: their handshake is
// not over, or no stream is open by which they can be reached.
const askInterval = 10 * time.Millisecond

// askAll sends a request to the clients of all sessions as soon as they can be asked, and does
// not wait for them.
func (s *Server) askAll(ctx context.Context, r world.Request) {
	a := Ask{Method: r.Method, Undeclared: r.Undeclared}
	if len(r.Params) > 0 {
		params, err := json.Marshal(r.Params)
		if err != nil {
			return // what was read from a file always can be written
		}
		a.Params = params
	}
	s.players.Go(func() {
		patience, cancel := context.WithTimeout(ctx, askPatience)
		defer cancel()
		done := map[string]bool{}
		for !s.askReady(ctx, a, done) && hook.Pause(patience, askInterval) {
		}
	})
}

// askReady asks the clients that can be asked by now, each once, and reports whether none is
// left that may come to be.
func (s *Server) askReady(ctx context.Context, a Ask, done map[string]bool) bool {
	sessions, waiting := s.Sessions(), false
	for _, session := range sessions {
		if done[session.ID] {
			continue
		}
		now, never := s.engine.Askable(session.ID, a)
		done[session.ID] = now || never
		waiting = waiting || !done[session.ID]
		if now {
			s.players.Go(func() {
				patience, cancel := context.WithTimeout(ctx, askPatience)
				defer cancel()
				_, _ = s.Ask(patience, session.ID, a) // one that has ended meanwhile is passed over
			})
		}
	}
	return len(sessions) > 0 && !waiting
}

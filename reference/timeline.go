package reference

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// StepStatus is a step of the timeline and how it has fared.
type StepStatus struct {
	// Step says what happens.
	Step string `json:"step"`
	// Waits says which message it waits for, each time or once; empty if for none.
	Waits string `json:"waits,omitempty"`
	// Taken is how often it has happened.
	Taken int `json:"taken"`
	// Next is in what time it happens next; absent if that is not known yet, or it has happened for the last time.
	Next *operation.Duration `json:"next,omitempty"`
	// Done says that it has happened for the last time.
	Done bool `json:"done,omitempty"`
}

// maxDue bounds the times at which a step is to happen that are waited for at once.
const maxDue = 1000

// play is a step of a run, and when it is due.
type play struct {
	world.Step
	cue  *operation.Matcher // nil if it waits for no message
	seen int                // messages that it waits for
	due  []time.Time
	took int
}

// last reports whether the step has happened for the last time.
func (p *play) last() bool {
	if p.On != nil || p.Every > 0 {
		return p.Times > 0 && p.took >= p.Times
	}
	return p.took > 0
}

// run is the timeline on its way.
type run struct {
	mu    sync.Mutex
	plays []*play
	wake  chan struct{}
}

// newRun makes a run of steps. Patterns have been checked with the world.
func newRun(steps []Step, g *guard.Guard) *run {
	r := &run{wake: make(chan struct{}, 1)}
	for _, step := range steps {
		p := &play{Step: step}
		if cue := cmp.Or(step.After, step.On); cue != nil {
			limits := cue.Limits()
			limits.Identity = strings.Join(g.Resolve(limits.Identity), "|")
			p.cue, _ = limits.Matcher()
		}
		r.plays = append(r.plays, p)
	}
	return r
}

// begin sets the times of the steps that wait for no message.
func (r *run) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, p := range r.plays {
		if p.cue == nil {
			p.due = append(p.due, now.Add(p.First()))
		}
	}
}

// heard counts a message, and sets the times of the steps that have waited for it.
func (r *run) heard(t *hook.Trace) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.plays {
		if p.cue == nil || p.After != nil && p.seen >= max(p.After.Count, 1) || p.last() || !p.cue.Match(t) {
			continue
		}
		p.seen++
		if p.seen >= max(cmp.Or(p.After, p.On).Count, 1) && len(p.due) < maxDue {
			p.due = append(p.due, time.Now().Add(p.First()))
		}
	}
	r.rouse()
}

// rouse has the run look again what is due first.
func (r *run) rouse() {
	select {
	case r.wake <- struct{}{}:
	default: // it has been roused
	}
}

// over reports whether nothing can happen any more.
func (r *run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(r.plays, func(p *play) bool { return !p.last() })
}

// next is the play that is due first; nil if none is.
func (r *run) next() (first *play, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.plays {
		if len(p.due) > 0 && (first == nil || p.due[0].Before(at)) {
			first, at = p, p.due[0]
		}
	}
	return first, at
}

// took notes that a step has happened.
func (r *run) took(p *play, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.took++
	p.due = p.due[1:]
	switch {
	case p.last():
		p.due = nil
	case p.Every > 0:
		p.due = append(p.due, at.Add(p.Every))
	}
}

// status is the run as it is.
func (r *run) status() []StepStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []StepStatus{}
	for _, p := range r.plays {
		one := StepStatus{Step: p.String(), Taken: p.took, Done: p.last()}
		switch {
		case p.After != nil:
			one.Waits = "after " + p.After.String()
		case p.On != nil:
			one.Waits = "on " + p.On.String()
		}
		if len(p.due) > 0 {
			one.Next = new(operation.Duration(max(time.Until(p.due[0]), 0)))
		}
		all = append(all, one)
	}
	return all
}

// Timeline says how the steps of the timeline have fared.
func (s *Server) Timeline() []StepStatus {
	if r := s.steps.Load(); r != nil {
		return r.status()
	}
	return []StepStatus{}
}

// cues tell the timeline of messages. Without steps that wait for some, there is nothing to tell.
func (s *Server) cues() hook.Hooks {
	methods := hook.Methods{}
	var all bool
	for _, step := range s.pristine.Timeline {
		if cue := cmp.Or(step.After, step.On); cue != nil {
			methods = append(methods, hook.MethodsOf(cue.Method)...)
			all = all || cue.Method == ""
		}
	}
	switch {
	case all:
		methods = nil
	case len(methods) == 0:
		return hook.Hooks{}
	}
	heard := func(t *hook.Trace) {
		if r := s.steps.Load(); r != nil && t != nil && methods.Has(t.Method) {
			t.Once(&s.steps, func() any { r.heard(t); return nil })
		}
	}
	return hook.Hooks{
		About: func(t *hook.Trace) bool { return methods.Has(t.Method) },
		Receive: func(next hook.Receiver) hook.Receiver {
			return func(ctx context.Context, in hook.Incoming) error {
				err := next(ctx, in) // the answer is on its way then
				heard(hook.TraceOf(ctx))
				return err
			}
		},
		HTTP: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if t := hook.TraceOf(r.Context()); r.Method != http.MethodPost { // a stream, whose end is not waited for, or the end of a session
					heard(t)
				} else {
					defer heard(t) // what a rule has answered before it was received
				}
				next.ServeHTTP(w, r)
			})
		},
	}
}

// play begins the timeline, in the place of one that is running.
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
	r := newRun(s.pristine.Timeline, s.options.Guard)
	s.steps.Store(r)
	before := s.journal.Last()
	s.players.Go(func() { s.run(ctx, r, before) })
}

// run takes the steps when they are due; before is the newest number of the journal when it began.
func (s *Server) run(ctx context.Context, r *run, before uint64) {
	if !s.options.TimelineOnRequest && s.pristine.TimelineFrom != world.FromFirstRequest {
		r.begin()
	} else {
		s.players.Go(func() {
			if s.journal.WaitFor(ctx, journal.Query{Direction: journal.In, Since: before}, 1) == nil {
				r.begin()
				r.rouse()
			}
		})
	}
	for !r.over() {
		p, at := r.next()
		var due <-chan time.Time // nil until a message comes
		if p != nil {
			due = time.After(time.Until(at))
		}
		select {
		case <-due:
		case <-r.wake:
			continue
		case <-ctx.Done():
			return
		}
		s.take(ctx, p.Step)
		r.took(p, at)
	}
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

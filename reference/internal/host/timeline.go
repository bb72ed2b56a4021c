package host

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/hook"
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
	// Next is in what time it happens next; absent if that is not known yet, or it has happened for the last
	// time.
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

// Run is a timeline on its way.
type Run struct {
	mu    sync.Mutex
	plays []*play
	wake  chan struct{}
}

// NewRun makes a run of steps. Patterns have been checked with the world.
func NewRun(steps []world.Step, g *guard.Guard) *Run {
	r := &Run{wake: make(chan struct{}, 1)}
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

// Begin sets the times of the steps that wait for no message.
func (r *Run) Begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, p := range r.plays {
		if p.cue == nil {
			p.due = append(p.due, now.Add(p.First()))
		}
	}
	r.rouse()
}

// Heard counts a message, and sets the times of the steps that have waited for it.
func (r *Run) Heard(t *hook.Trace) {
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
func (r *Run) rouse() {
	select {
	case r.wake <- struct{}{}:
	default: // it has been roused
	}
}

// over reports whether nothing can happen any more.
func (r *Run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(r.plays, func(p *play) bool { return !p.last() })
}

// next is the play that is due first; nil if none is.
func (r *Run) next() (first *play, at time.Time) {
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
func (r *Run) took(p *play, at time.Time) {
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

// Status is the run as it is.
func (r *Run) Status() []StepStatus {
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

// Play takes the steps when they are due, until nothing can happen any more or the context ends.
func (r *Run) Play(ctx context.Context, take func(world.Step)) {
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
		take(p.Step)
		r.took(p, at)
	}
}

// Cues tell of the messages that steps wait for, once each has been answered. Without such steps there is
// nothing to tell.
func Cues(steps []world.Step, tell func(*hook.Trace)) hook.Hooks {
	methods := hook.Methods{}
	var all bool
	for _, step := range steps {
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
		if t != nil && methods.Has(t.Method) {
			tell(t)
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
				// a stream, whose end is not waited for, or the end of a session
				if t := hook.TraceOf(r.Context()); r.Method != http.MethodPost {
					heard(t)
				} else {
					defer heard(t) // what a rule has answered before it was received
				}
				next.ServeHTTP(w, r)
			})
		},
	}
}

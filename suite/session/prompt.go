package session

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// soon is how long a prompt waits for its answer, and how long others do before they prompt where an answer
// was held back before. One that comes with a prompt's answer, and atOnce, was.
const soon, atOnce = time.Second, 300 * time.Millisecond

// Habits is what several sessions together know of how soon a target answers.
type Habits struct {
	held atomic.Int32 // answers that were held back until another request came
	vain atomic.Int32 // requests that were sent to see whether one is, and were not answered either
	// silence is of methods that the target may never answer.
	silence silence
}

// inVain is how many unanswered prompts there are at most: a target that is deaf is so to all of them.
const inVain = 2

// prompts reports whether another request may show that the answer is held back, as by a program that does
// not flush its output after each message, and after which time that is tried: at the end, unless the target
// is known for it. Then it is sooner, and not always after the same time, since an answer that happens to
// come then is not held back.
func (p *Pending) prompts(timeout time.Duration) (may bool, after time.Duration) {
	s := p.s
	if s.over != requirement.Stdio || p.q.Step == recording.StepInitialize ||
		p.q.Step == recording.StepPrompt || p.q.Body != nil || len(p.ids) != 1 || s.opts.Habits == nil ||
		s.opts.Habits.vain.Load() >= inVain {
		return false, timeout
	}
	switch held := s.opts.Habits.held.Load(); {
	case held == 0:
		return true, timeout
	case held%2 == 1:
		return true, min(timeout, 2*soon)
	}
	return true, min(timeout, soon)
}

// prompt sends a request that every target answers, and notes whether the answer that is waited for came just
// before its own.
func (p *Pending) prompt(ctx context.Context) {
	s := p.s
	x := s.Do(ctx, Request{Step: recording.StepPrompt, Method: LifeMethod(s.opts.Revision), Timeout: soon})
	if x.Outcome != recording.Replied {
		s.opts.Habits.vain.Add(1)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.Took < atOnce && len(p.x.Replies) > 0 && slices.Max(p.x.Replies) < slices.Min(x.Replies) {
		p.x.HeldBack = true
		s.opts.Habits.held.Add(1)
	}
}

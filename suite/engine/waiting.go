package engine

import (
	"bytes"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// patience is how long a target on stdio may take to answer before somebody who watches is told
// that it writes something else.
const patience = 5 * time.Second

// whileNonsense tells, once, that an endpoint is waited for that has written nothing but what is
// no JSON. It returns what ends the watch; nothing is told after that.
func (r *Run) whileNonsense(e *endpoint) (stop func()) {
	before, ended, done := r.transcript.Len(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
			if said := nonsense(r.transcript.Since(before)); len(said) > 0 {
				shown := r.masks().String(string(said)) // as a whole: a part of a secret is not found
				r.cfg.Progress(Event{Kind: Connecting, Title: e.Label(), Nonsense: wire.Excerpt([]byte(shown), 80)})
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// nonsense is the first thing that came, if nothing that came is JSON, or a part of JSON over
// several lines; else it is empty.
func nonsense(frames []wire.Frame) (first []byte) {
	for i := range frames {
		f := &frames[i]
		text := bytes.TrimSpace(f.Raw)
		switch {
		case f.Dir != wire.In || len(text) == 0:
		case !f.HasFlaw(wire.FlawNotJSON) || text[0] == '{' || text[0] == '[':
			return nil
		case len(first) == 0:
			first = text
		}
	}
	return first
}

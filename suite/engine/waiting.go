package engine

import (
	"bytes"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// patience is how long a target on stdio may take to answer before somebody who watches is told
// that it writes something else.
const patience = 2 * time.Second

// whileNonsense tells, once, that an endpoint is waited for that has sent nothing but what is
// no answer. It returns what ends the watch; nothing is told after that.
func (r *Run) whileNonsense(e *endpoint) (stop func()) {
	before, ended, done := r.transcript.Len(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
			if said := r.nonsense(before); said != "" {
				r.cfg.Progress(Event{Kind: Connecting, Title: e.Label(), Nonsense: said})
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// nonsense says what came after a number of frames, if all of it is no JSON, nor a part of JSON
// over several lines, or all of it was sent by us before; else it is empty.
func (r *Run) nonsense(before int) string {
	ours := map[string]bool{}
	var first []byte
	said := ""
	for _, f := range r.transcript.Since(before) {
		text := bytes.TrimSpace(f.Raw)
		switch {
		case f.Dir == wire.Out:
			ours[string(text)] = true
		case f.Dir != wire.In || len(text) == 0:
		case ours[string(text)]:
			said = "sent our own request back"
		case !f.HasFlaw(wire.FlawNotJSON) || text[0] == '{' || text[0] == '[':
			return ""
		case len(first) == 0:
			first = text
		}
	}
	if len(first) > 0 {
		shown := r.masks().String(string(first)) // as a whole: a part of a secret is not found
		said = "written " + wire.Excerpt([]byte(shown), 80) + ", which is no MCP message"
	}
	return said
}

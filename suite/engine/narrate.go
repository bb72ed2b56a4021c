package engine

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Narrator says what a run is doing whose Progress tells it.
type Narrator struct{ last atomic.Pointer[Event] }

// Listen lets the narrator hear progress as well.
func (n *Narrator) Listen(progress *func(Event)) {
	also := *progress
	*progress = func(e Event) {
		n.last.Store(&e)
		if also != nil {
			also(e)
		}
	}
}

// Write writes what the run is doing into w, a line every few seconds, until stop returns.
func (n *Narrator) Write(w io.Writer) (stop func()) {
	const pause = 5 * time.Second
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(pause):
				fmt.Fprintln(w, n)
			}
		}
	}()
	return func() { close(end); <-ended }
}

// String says what the run is doing.
func (n *Narrator) String() string {
	e := n.last.Load()
	switch {
	case e == nil:
		return "mcpcheck: the run has not begun"
	case e.Kind == Connecting:
		return "mcpcheck: connecting to " + e.Title
	case e.Kind == Judging:
		return "mcpcheck: judging"
	case e.Kind == Confirming:
		return fmt.Sprintf("mcpcheck: %d verdicts are being confirmed", e.Total)
	}
	return fmt.Sprintf("mcpcheck: %d of %d scenarios were played; the last one that began: %s, %s",
		e.Done, e.Total, e.Combination, e.Title)
}

package scenario

import (
	"context"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// signs has the clients of an [Each] share signs of life. Where a target answers ordinary errors by a status that may also say that
// the session has ended, each of them would ask for one of its own; a sign that follows the answers to all of them tells the same.
type signs struct {
	s *session.Session // in which they are shared

	mu      sync.Mutex
	left    int   // items that are still to begin
	working int   // items that may still come to need a sign: those that wait for one are not among them
	next    *sign // nil if nobody waits for it
	asked   []*recording.Exchange
}

// sign is a sign of life that several clients wait for.
type sign struct {
	due, done chan struct{} // closed when all have come that can, and when it is known what became of it
	over, cut bool          // the session is over; it was not awaited to its end
	waiting   int           // items that wait for it
}

// longestDue is how long a sign of life is put off for an item that takes its time, or that waits for one of those that wait.
const longestDue = 200 * time.Millisecond

func newSigns(s *session.Session, items, width int) *signs {
	working := min(items, width)
	return &signs{s: s, left: items - working, working: working}
}

// end notes that an item is done, whose place the next one takes.
func (s *signs) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left > 0 {
		s.left--
	} else {
		s.leave()
	}
}

// leave counts one item less that may come to need a sign; the lock is held.
func (s *signs) leave() {
	if s.working--; s.working <= 0 && s.next != nil {
		close(s.next.due)
		s.next = nil
	}
}

// over is [Client.over] of a sign of life that follows all that the client was told before.
func (s *signs) over(ctx context.Context, c *Client) bool {
	s.mu.Lock()
	g, asks := s.next, s.next == nil
	if asks {
		g = &sign{due: make(chan struct{}), done: make(chan struct{})}
		s.next = g
	}
	g.waiting++
	s.leave()
	s.mu.Unlock()
	if asks {
		s.ask(ctx, c, g)
	}
	<-g.done
	if g.cut && !asks && ctx.Err() == nil {
		return s.over(ctx, c)
	}
	return g.over
}

// ask asks for a sign of life when all have come that wait for it.
func (s *signs) ask(ctx context.Context, c *Client, g *sign) {
	defer close(g.done)
	select {
	case <-g.due:
	case <-time.After(longestDue):
	case <-ctx.Done():
	}
	s.mu.Lock()
	if s.next == g {
		s.next = nil // who comes now was told something after it
	}
	s.mu.Unlock()
	asker := &Client{P: c.P, S: c.S, buffered: true}
	defer func() {
		s.mu.Lock()
		s.asked = append(s.asked, asker.buffer...)
		s.working += g.waiting // all at once: none of them may find itself the only one left
		s.mu.Unlock()
	}()
	g.over = asker.over(ctx, asker.Note(asker.Life(ctx)))
	g.cut = ctx.Err() != nil
}

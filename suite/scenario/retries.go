package scenario

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// retries is the process in which messages that were lost side by side are sent again: a process
// for each of them would cost many starts, although most did nothing. They take turns, so that each is alone.
type retries struct {
	s                   *session.Session
	shared, sole, fresh bool

	mu      sync.Mutex
	taken   bool
	waiting []waiter
}

// waiter is a message that waits for its turn.
type waiter struct {
	frame int // in which it was lost
	turn  chan struct{}
}

// await waits for the turn of a message that was lost in a frame; 0 if it was in none. Who has the turn
// may offer it to those that come before.
func (r *retries) await(frame int, offers bool) {
	w := waiter{cmp.Or(frame, math.MaxInt), make(chan struct{})}
	r.mu.Lock()
	r.waiting = append(r.waiting, w)
	free := offers || !r.taken
	r.mu.Unlock()
	if free {
		r.next()
	}
	<-w.turn
}

// next gives the turn to the message that was sent first of those that wait: what is not answered any more
// begins with what the process died of.
func (r *retries) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken = len(r.waiting) > 0; r.taken {
		first := slices.MinFunc(r.waiting, func(a, b waiter) int { return cmp.Compare(a.frame, b.frame) })
		r.waiting = slices.DeleteFunc(r.waiting, func(w waiter) bool { return w.turn == first.turn })
		close(first.turn)
	}
}

// take gives the client the session, if there is one that is alive, in its turn.
func (r *retries) take(c *Client) bool {
	if r.s == nil || !r.s.Alive() {
		return false
	}
	c.S, c.shared, c.sole, c.fresh = r.s, r.shared, r.sole, r.fresh
	r.fresh = false
	return true
}

// keep takes the session of a client for those that follow.
func (r *retries) keep(c *Client) { r.s, r.shared, r.sole, r.fresh = c.S, c.shared, c.sole, c.fresh }

// inTurn sends a message again that was lost, where those that were lost with it were sent
// again before. If it is lost there, too, it gets a process of its own: one that dies a
// moment late dies of what was sent before.
func (c *Client) inTurn(ctx context.Context, m candidate, lost *recording.Exchange, send try) *recording.Exchange {
	r := c.retries
	r.await(lost.Request, false)
	defer r.next()
	if r.s == nil || !r.s.Alive() {
		if !c.Replace(ctx) {
			return lost
		}
		r.keep(c)
		r.await(lost.Request, true) // what was lost with it has been noticed meanwhile
	}
	taken := r.take(c)
	if taken && !c.fresh {
		x, usable := send()
		if usable {
			return c.Note(x)
		}
		x.Step += recording.StepLost
		c.Note(x)
		c.ends(ctx, x)
	}
	if !(taken && c.fresh) && !c.Replace(ctx) {
		return lost
	}
	x := c.alone(ctx, m, send)
	r.keep(c)
	return x
}

package scenario

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// candidate is a message behind which a session may be over, and whether it is sent by [Client.Probe].
type candidate struct {
	q     session.Request
	probe bool
}

// enders is what is known of messages that sessions end over.
type enders struct {
	mu       sync.Mutex
	recent   map[string][]candidate  // what was said last in sessions, by their ids
	found    map[recording.Step]bool // the steps at which there was one
	cleared  map[string]bool         // messages over which none ended when they were sent again
	hopeless bool                    // sessions end over ordinary requests, too
}

// How many messages are looked at of a session that is over, and the bounds on what is sent to a target whose sessions end often.
const mostRecent, mostFound, mostCleared = 12, 5, 16

// triable reports whether a message can be sent again to see whether sessions end over it. What is sent about sessions may end one.
func (c *Client) triable(m candidate) bool {
	p, q := c.P, m.q
	if c.S.HTTPSession() == "" || p.Combination.Transport != requirement.HTTP || q.Method == "" && q.Body == nil || q.Method == "initialize" ||
		q.HTTPMethod != "" || q.Header[HeaderSession] != "" || slices.Contains(q.Omit, HeaderSession) || q.Step == recording.StepAlive ||
		p.scenario.Phase == Mutate || p.scenario.Phase == Quiet || p.Limited() || p.OneByOne || p.Limits.Patience > 1 {
		return false
	}
	e := &p.enders
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.hopeless && !e.found[q.Step] && len(e.found) < mostFound && len(e.cleared) < mostCleared && (len(e.cleared) == 0 || !e.cleared[m.key()])
}

func (m candidate) key() string {
	return fmt.Sprintf("%s %s %v %s", m.q.Step, m.q.Method, m.q.Params, m.q.Body)
}

// keepInMind keeps a message in mind that was said in the session of the client.
func (c *Client) keepInMind(m candidate) {
	if !c.triable(m) {
		return
	}
	e, id := &c.P.enders, c.S.ID()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.recent == nil {
		e.recent = map[string][]candidate{}
	}
	all := append(e.recent[id], m)
	e.recent[id] = all[max(0, len(all)-mostRecent):]
}

// findEnder looks for the message that a session has ended over, among those that were said last in it. Where a target says by 404 that it
// is over none is looked for: it may end one over anything, and clients begin another one then.
func (c *Client) findEnder(ctx context.Context, lost *recording.Exchange) {
	e := &c.P.enders
	e.mu.Lock()
	all := e.recent[lost.Session]
	delete(e.recent, lost.Session) // others find out as well
	e.mu.Unlock()
	if lost.Status == http.StatusNotFound || !ofEnded(lost) && lost.Outcome != recording.Canceled { // the latter where another one found out
		return
	}
	for _, m := range slices.Backward(all) {
		if c.triable(m) && c.endsSessions(ctx, m) {
			return
		}
	}
}

// endsSessions finds out whether it is a message that sessions end over: they do so each time that they have had nothing else, and never over
// as many ordinary requests. What ends by accident, or after so many messages, does so over those as well, or not each time.
func (c *Client) endsSessions(ctx context.Context, m candidate) bool {
	const rounds = 4
	e := &c.P.enders
	for i := range rounds {
		x, n, status := c.sendAlone(ctx, m, 0)
		ordinary, after := x, 0
		if status != 0 {
			ordinary, _, after = c.sendAlone(ctx, candidate{q: c.P.Ordinary(recording.StepAlive)}, n)
		}
		e.mu.Lock()
		switch {
		case x == nil || ordinary == nil: // there is no time, or no session
			status = 0
		case status == 0:
			e.cleared = mark(e.cleared, m.key())
		case after != 0:
			ordinary.Ends, e.hopeless, status = after, true, 0
		case i == rounds-1:
			x.Ends = status
			e.found = mark(e.found, m.q.Step)
		}
		e.mu.Unlock()
		if status == 0 {
			return false
		}
	}
	return true
}

func mark[K comparable](all map[K]bool, key K) map[K]bool {
	if all == nil {
		all = map[K]bool{}
	}
	all[key] = true
	return all
}

// sendAlone sends a message in a session that has had no other one, so often that the session has so many messages. It returns how many it has
// then, and by which status everything is answered behind it, if that is one of sessions that are over; else 0. The exchange is nil if
// there is no session, or no time.
func (c *Client) sendAlone(ctx context.Context, m candidate, least int) (x *recording.Exchange, n, status int) {
	p := c.P
	s, err := p.Open(ctx, session.Options{Kind: recording.Probe})
	if err != nil {
		return nil, 0, 0
	}
	p.mu.Lock()
	p.own = append(p.own, s)
	p.mu.Unlock()
	t := &Client{P: p, S: s, sole: true, fresh: true, buffered: true}
	defer func() {
		for _, x := range t.buffer {
			c.Note(x)
		}
		p.End(s)
	}()
	for i := 0; i == 0 || i < least && s.Turns() < least && ctx.Err() == nil; i++ {
		if m.probe {
			x, _ = t.probe(ctx, m.q)
		} else {
			x = s.Do(ctx, m.q)
		}
		x.Step += recording.StepLost
		t.Note(x)
	}
	n = s.Turns()
	status = t.endedBy(ctx)
	if ctx.Err() != nil {
		return nil, 0, 0
	}
	return x, n, status
}

// endedBy is the status, other than 404, by which a target answers signs of life in a session that is over; 0 if there is none.
func (c *Client) endedBy(ctx context.Context) (status int) {
	t := &Client{P: c.P, S: c.S, buffered: true}
	if life := t.Note(t.Life(ctx)); ofEnded(life) && life.Status != http.StatusNotFound && t.over(ctx, life) {
		status = life.Status
	}
	for _, x := range t.buffer {
		if status != 0 {
			x.Step += recording.StepLost
		}
		c.Note(x)
	}
	return status
}

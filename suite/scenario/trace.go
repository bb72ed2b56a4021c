package scenario

import (
	"net/http"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// traced is what is known of messages that sessions are lost over later than they are answered.
type traced struct {
	mu     sync.Mutex
	before map[*session.Session][]*message // the last ones that were answered in sessions
	looked int                             // how many were looked for; many where none does it alone
}

// traces reports whether it can be found out that a session was lost over a message: it can be sent again,
// and is not about sessions, which it may be meant to end.
func (o *order) traces(m *message) bool {
	p, q := o.play, m.q
	return q.Method != "initialize" && q.HTTPMethod == "" && q.Header[HeaderSession] == "" &&
		!slices.Contains(q.Omit, HeaderSession) && p.scenario.Phase != Mutate && p.scenario.Phase != Quiet &&
		p.Limits.Patience <= 1 && !p.Limited() && !p.OneByOne &&
		(p.OnStdio() || o.s.HTTPSession() != "")
}

// trace looks for the message that a session was lost over, among those that were answered in it: it halves
// them until one is left that does it alone. Where neither half does it, none is to blame, and no other one
// is looked for in this combination.
func (o *order) trace(c *Client, all []*message) {
	const most = 4
	t := &c.traced
	if t.look(0) >= most || len(all) == 0 {
		return
	}
	var last *trial
	for last == nil || last.lost && len(all) > 1 {
		half := all[len(all)/2:]
		if last = o.trial(c, 0, half...); !last.lost && len(all) > 1 {
			half = all[:len(all)/2]
			last = o.trial(c, 0, half...)
		}
		all = half
	}
	if o.proven(c, all[0], last) {
		t.look(1)
	} else if c.Err() == nil {
		t.look(most)
	}
}

// look counts so many more that were looked for.
func (t *traced) look(n int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.looked += n
	return t.looked
}

// proven reports whether a message costs a session each time. Over HTTP as many ordinary requests must not:
// what ends by accident, or after so many messages, does so over those as well, or not each time.
func (o *order) proven(c *Client, m *message, last *trial) bool {
	const rounds = 5
	for round := 0; last.lost; round++ {
		if last.status == 0 || round == rounds {
			last.x.Ends, last.x.Fatal = last.status, last.status == 0
			return true
		}
		ordinary := func(c *Client) (*recording.Exchange, shown) {
			return c.S.Do(c, c.Ordinary(recording.StepAlive)), answer
		}
		control := o.trial(c, last.turns, &message{send: ordinary})
		switch {
		case control.x == nil:
			return false
		case control.lost:
			control.x.Ends = control.status
			return false
		}
		last = o.trial(c, 0, m)
	}
	return false
}

// keep keeps a message in mind that was answered in a session; take takes all of it.
func (t *traced) keep(s *session.Session, m *message) {
	const most = 12
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.before == nil {
		t.before = map[*session.Session][]*message{}
	}
	all := append(t.before[s], m)
	t.before[s] = all[max(0, len(all)-most):]
}

func (t *traced) take(s *session.Session) []*message {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer delete(t.before, s)
	return t.before[s]
}

// trial is what came of messages in a session that had no others.
type trial struct {
	x      *recording.Exchange // the last of them; nil if there was no session, or no time
	turns  int                 // how many messages the session has had
	lost   bool
	status int // by which everything was answered behind them; 0 where the process has ended
}

// trial sends messages in a fresh session, the last one so often that the session has had so many.
func (o *order) trial(c *Client, least int, all ...*message) *trial {
	p, r := c.Play, &trial{}
	s, err := p.Open(c, Probing)
	if err != nil {
		return r
	}
	t, _ := p.client(s, nil, &p.own)
	t.buffered = true
	defer func() {
		for _, x := range t.buffer {
			c.Note(x)
		}
		p.End(s)
	}()
	for i := 0; i < len(all) || i < least && s.Turns() < least && c.Err() == nil; i++ {
		r.x, _ = all[min(i, len(all)-1)].send(t)
		r.x.Step += recording.StepLost
		t.Note(r.x)
	}
	r.turns = s.Turns()
	if p.OnStdio() {
		s.Quiet(c, p.Limits.QuietWindow)
		r.lost = t.Note(t.Life()).Outcome != recording.Replied
	} else {
		sent := t.buffer
		r.status = t.endedBy()
		r.lost = r.status != 0
		for _, x := range slices.Backward(sent) {
			if !r.lost || x.Status != r.status {
				break
			}
			x.Outcome, x.Reason = recording.Canceled, "the session may have been over already"
		}
	}
	if c.Err() != nil {
		return &trial{}
	}
	return r
}

// endedBy is the status, other than 404, by which a target answers signs of life in a session that is over;
// 0 if there is none.
func (c *Client) endedBy() (status int) {
	if life := c.Note(c.Life()); life.Status != http.StatusNotFound && c.over(life) {
		return life.Status
	}
	return 0
}

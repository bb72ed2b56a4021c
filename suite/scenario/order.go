package scenario

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// order is the order in which the messages of a script go through a session. When the session is lost, those
// that went without an answer are sent again, one at a time, beginning with the first: it is alone in a fresh
// session. If that is lost as well, the message did it; else one of those before it may have.
type order struct {
	play *Play
	// s is the session that is used, and replaced when it is lost. shared says that other scripts use it,
	// too, common that they did the first one, and fresh that nothing was sent in it before.
	s                     *session.Session
	shared, common, fresh bool
	sole                  bool // it took the place of another one, and is the script's own
	// used says that a message was answered, and ended that the script has ended its session.
	used, ended bool
	// longest is what an answer has taken at most in sessions that were replaced.
	longest time.Duration

	mu       sync.Mutex
	settled  *sync.Cond // signalled when nothing is in doubt any more
	underWay int
	doubtful []*message // of which it is not known yet whether they have cost the session
}

// message is something that a script says, and that a session may be lost over.
type message struct {
	c *Client
	q session.Request
	// send says it, and returns what came of it, and what that shows.
	send  func(*Client) (*recording.Exchange, shown)
	x     *recording.Exchange
	shown shown
	// ends is the status by which everything was answered behind it, in a session that had nothing else.
	ends int
}

// shown is what an exchange shows.
type shown int

const (
	answer shown = iota // what the target makes of the message
	doubt               // a sign of life tells whether that, or only that the session is over
	loss                // that the session is lost
)

func newOrder(p *Play, s *session.Session, common bool) *order {
	o := &order{play: p, s: s, shared: common, common: common}
	o.settled = sync.NewCond(&o.mu)
	return o
}

// pass sends a message in its turn, and returns what became of it in the end. While others are in doubt it is
// kept back; the last that is under way asks for the sign of life that settles it for all.
func (o *order) pass(m *message) *recording.Exchange {
	o.mu.Lock()
	for len(o.doubtful) > 0 {
		o.settled.Wait()
	}
	o.underWay++
	m.c.S = o.s
	o.mu.Unlock()
	sent := false
	defer func() {
		if !sent { // a defect in a script must not keep the others waiting
			o.mu.Lock()
			defer o.mu.Unlock()
			o.underWay--
			o.doubtful = nil
			o.settled.Broadcast()
		}
	}()
	m.x, m.shown = m.send(m.c)
	sent = true
	o.mu.Lock()
	defer o.mu.Unlock()
	o.underWay--
	certain := m.shown == answer
	if certain {
		o.heard(m)
	} else {
		o.doubtful = append(o.doubtful, m)
	}
	if o.underWay == 0 && len(o.doubtful) > 0 {
		all := slices.Clone(o.doubtful) // the others look for themselves in it meanwhile
		o.mu.Unlock()
		func() {
			defer func() {
				o.mu.Lock()
				o.doubtful = nil
				o.settled.Broadcast()
			}()
			o.settle(all)
		}()
	}
	for !certain && slices.Contains(o.doubtful, m) {
		o.settled.Wait()
	}
	return m.x
}

// current is the session that is used now.
func (o *order) current() *session.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.s
}

// heard notes a message that was answered.
func (o *order) heard(m *message) {
	m.c.Note(m.x)
	o.fresh = false
	o.used = o.used || m.x.Succeeded()
	o.ended = o.ended || m.q.HTTPMethod == http.MethodDelete
	if o.traces(m) {
		o.play.traced.keep(o.s, m)
	}
}

// settle finds out which messages have cost the session, if any have.
func (o *order) settle(all []*message) {
	slices.SortStableFunc(all, func(a, b *message) int {
		return cmp.Compare(cmp.Or(a.x.Request, math.MaxInt), cmp.Or(b.x.Request, math.MaxInt))
	})
	var lost []*message
	over, alive := o.sign(all)
	for _, m := range all {
		if m.survived(over, alive) {
			o.heard(m)
		} else {
			lost = append(lost, m)
		}
	}
	o.lose(lost)
}

// sign asks for one sign of life where messages are in doubt, and returns whether the session is over, or
// alive.
func (o *order) sign(all []*message) (over, alive bool) {
	i := slices.IndexFunc(all, func(m *message) bool { return m.shown == doubt })
	if i < 0 || !o.s.Alive() {
		return !o.s.Alive(), false
	}
	c := all[i].c
	life := c.Note(c.Life())
	if life.Outcome == recording.Canceled { // who shares it found out that it is over
		return !o.s.Alive(), o.s.Alive()
	}
	return c.over(life), life.Outcome == recording.Replied || life.Outcome == recording.Refused
}

// survived reports whether a message was answered, by what a sign of life has shown since.
func (m *message) survived(over, alive bool) bool {
	if m.shown != doubt {
		return m.shown == answer
	}
	if ofEnded(m.x) {
		return !over
	}
	if over && m.c.together() {
		// Which of those that were under way it ended over shows when they are sent again.
		m.x.Outcome = recording.Canceled
		m.x.Reason = "the target ended the session meanwhile, in which there were other messages as well"
	}
	return alive && !over
}

// lose sends again, in order, what was lost with a session. If the first does nothing alone, those before it
// are looked at.
func (o *order) lose(lost []*message) {
	switch {
	case len(lost) == 0:
		return
	case o.play.Err() != nil: // nothing can be said of them
		for _, m := range lost {
			m.giveUp()
		}
		return
	case len(lost) == 1 && lost[0].x != nil && o.onceIsEnough():
		o.convict(lost[0])
		return
	}
	first := lost[0]
	gone, before := cmp.Or(first.x, &recording.Exchange{}), o.play.traced.take(o.s)
	for _, m := range lost {
		m.giveUp()
	}
	o.awaitEnd(lost)
	if !o.replace(first.c) {
		return
	}
	for _, m := range lost {
		if !o.again(m) {
			return
		}
		if m.ends != 0 {
			before = []*message{m}
		} else if m.x.Fatal {
			before = nil
		}
	}
	late := gone.Outcome == recording.Lost
	if !o.play.OnStdio() { // a session may end, but then 404 says so
		late = gone.Status != http.StatusNotFound && (ofEnded(gone) || gone.Outcome == recording.Canceled)
	}
	if late {
		o.trace(first.c, before)
	}
}

// giveUp notes an exchange that says nothing of the message, since the session was lost.
func (m *message) giveUp() {
	if m.x == nil { // it was not sent any more
		return
	}
	m.x.Step += recording.StepLost
	m.c.Note(m.x)
}

// again sends a message that was lost. In a session that has had others it is tried there first; if that is
// lost as well, or nothing was said in it yet, what happens is its own doing. ok is false if there is no
// session.
func (o *order) again(m *message) (ok bool) {
	if !o.s.Alive() && !o.replace(m.c) {
		return false
	}
	if !o.fresh {
		if o.alone(m) {
			return true
		}
		m.giveUp()
		if o.awaitEnd([]*message{m}); !o.replace(m.c) {
			return false
		}
	}
	if !o.alone(m) {
		o.convict(m)
	}
	return true
}

// alone sends a message while nothing else is under way, and reports whether it was answered. In a fresh
// session its answer may be that of one that is over because of it.
func (o *order) alone(m *message) bool {
	m.c.S = o.s
	m.x, m.shown = m.send(m.c)
	if o.fresh && m.shown == answer && ofEnded(m.x) && o.traces(m) {
		m.ends = m.c.endedBy()
	}
	over, alive := o.sign([]*message{m})
	if !m.survived(over, alive) {
		return false
	}
	o.heard(m)
	return true
}

// convict notes that a session was lost over a message that was alone in it.
func (o *order) convict(m *message) {
	if why := o.s.Cut(); why != "" {
		m.x.Outcome, m.x.Reason, m.x.Limit = recording.Canceled, why, true
	} else {
		m.x.Fatal = true
	}
	m.c.Note(m.x)
	o.replace(m.c)
}

// onceIsEnough reports whether a message that costs the session need not be tried again: it is alone in it,
// and this is the repetition of a script in which it had cost two. Each trial starts a process.
func (o *order) onceIsEnough() bool {
	return o.fresh && o.play.Limits.Patience > 1 && o.play.OnStdio()
}

// awaitEnd waits until a server that was started has ended, if a message was lost to it that it may have died
// of: the next session is to be one with another.
func (o *order) awaitEnd(sent []*message) {
	for _, m := range slices.Backward(sent) {
		if p := o.play; p.OneByOne && m.x != nil && m.x.Outcome == recording.Lost {
			p.Endpoint.Server().AwaitEnd(o.play, p.SentAt(m.x))
			return
		}
	}
}

// replace gives the order a new session in place of one that was lost. It returns false if none can be
// opened; the recording then says why. In place of a borrowed one over stdio, where it is a process, others
// can borrow the new one.
func (o *order) replace(c *Client) (ok bool) {
	p, kind := o.play, o.s.Kind()
	lent := o.shared && kind == recording.Probe && p.OnStdio()
	var next *Client
	if lent {
		s, err := p.Renew(c, o.s)
		next, ok = p.client(s, err, &p.lent)
	} else {
		if o.shared || o.sole || !o.s.Alive() || p.Limited() {
			p.End(o.s) // nobody else is to get it; but in the script's first one there may be streams
		}
		next, ok = p.Fresh(session.Options{Kind: kind, NoHandshake: o.s.Unopened()})
	}
	if !ok {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.s, o.shared, o.sole, o.fresh, c.S = next.S, lent, !lent, true, next.S
	return true
}

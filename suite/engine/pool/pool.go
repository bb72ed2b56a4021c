// Package pool opens and closes the sessions of scripts: those that scripts share, those
// that are lent because they may be lost, and those that a script has to itself. It limits
// how many of them stand, how many processes start and how many end at once.
package pool

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Pool holds the sessions of one combination. It may be used from several goroutines.
type Pool struct {
	*scenario.Stage
	Options

	// opening is held while the shared session is opened. Unlike a mutex it lets go of those
	// that wait when their context ends, and of package time in a testing/synctest bubble.
	opening Semaphore
	exits   exits // sessions that are about to end, where there is no limit

	mu     sync.Mutex
	clean  *session.Session
	turn   int64                     // in which it was last asked for
	idle   []*session.Session        // probe sessions without a user
	lent   map[*session.Session]bool // those that have one
	probes int                       // probe sessions in being, or being opened
	ended  map[*session.Session]bool
	left   map[scenario.Session][]*session.Session // by those whose sessions they were
	freed  chan struct{}                           // closed when a probe session is given back
	used   []*session.Session                      // everything that was ever shared
	again  []recording.Retried
}

// Options says how the sessions of a combination are opened.
type Options struct {
	session.Common // but for the time limits and the transcript, which are those of the stage
	Dialer         transport.Dialer
	// Spare dials a process that detection has left, for the first session that may be lost; nil if it has
	// left none.
	Spare transport.Dialer
	// Broken is why no session can be opened in the ordinary way, if that is
	// known; nil if not. Scripts that bring a dialer of their own may still try.
	Broken error
	// Linger is called before the connection of a session ends; nil means that it ends at once.
	Linger func(*session.Session)
	// Limit is that of the endpoint.
	Limit *Limit
	// Starts limits how many processes start at once, Ends how many end.
	Starts, Ends Semaphore
	// Jobs has a place for each scenario that is played; one that waits to borrow a session
	// gives its own to another. Nil where it keeps it.
	Jobs Semaphore
	// Hasten says that processes are not waited for in full: they stay, and scenarios wait for their end.
	Hasten bool
	// Probes is how many expendable sessions stand where the target answers slowly; never fewer than the
	// limits of the stage say.
	Probes int
}

// New makes the pool from which the scenarios on a stage get their sessions.
func New(st *scenario.Stage, o Options) *Pool {
	p := &Pool{
		Stage: st, Options: o, opening: make(Semaphore, 1),
		lent: map[*session.Session]bool{}, ended: map[*session.Session]bool{},
		left: map[scenario.Session][]*session.Session{},
	}
	st.Sessions = p
	o.Limit.join(p)
	return p
}

// Adopt makes a session that is already open the shared clean session. It takes
// no place: where there is a limit, detection leaves no session open.
func (p *Pool) Adopt(s *session.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clean = s
	p.used = append(p.used, s)
}

// Open opens a session of a kind. Where the target is no process of ours, a
// handshake that is not answered is tried once more on another connection: there
// are servers that lose a message now and then when many clients come at once,
// and one that is lost says nothing about what is to be judged. Both are noted. One that is lost
// to a server which was started, because that is about to end, is tried once more with the next.
func (p *Pool) Open(ctx context.Context, o session.Options) (*session.Session, error) {
	s, first, err := p.openOnce(ctx, o)
	if server := p.Endpoint.Server(); server != nil && err != nil && first != nil &&
		(first.Outcome == recording.Lost || first.Outcome == recording.Unsent) {
		server.AwaitEnd(ctx, p.SentAt(first))
		s, _, err = p.openOnce(ctx, o)
		return s, err
	}
	if err == nil || scenario.Code(err) != recording.CodeNoAnswer || p.Facts.Owned || ctx.Err() != nil {
		return s, err
	}
	s, second, err := p.openOnce(ctx, o)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again = append(p.again, recording.Retried{First: first, Second: second})
	return s, err
}

// openOnce opens a session, and returns its handshake as well, if there was one.
func (p *Pool) openOnce(ctx context.Context, o session.Options) (*session.Session, *recording.Exchange,
	error) {
	if o.Revision == "" {
		o.Revision = p.Combination.Revision
	}
	if p.Broken != nil && o.Dialer == nil {
		return nil, nil, p.Broken
	}
	o.Common = p.Common
	o.Transcript, o.Timeout, o.Start = p.Transcript, p.Limits.Timeout, p.Limits.StartTimeout
	beside := o.Beside && p.Limit.shown()
	if !beside {
		if err := p.Limit.take(ctx); err != nil {
			return nil, nil, err
		}
	}
	s, err := p.spare(ctx, o)
	if s == nil || err != nil {
		s, err = p.start(ctx, o)
	}
	if s == nil {
		if !beside {
			p.Limit.release()
		}
		return nil, nil, err
	}
	if beside {
		p.Limit.beside.Store(s, true)
	}
	if err != nil {
		p.End(s)
		p.mu.Lock()
		p.used = append(p.used, s)
		p.mu.Unlock()
		return nil, s.Record().Initialize, err
	}
	return s, s.Record().Initialize, nil
}

// spareStart is how long the handshake may take in a process that has answered something.
const spareStart = 2 * time.Second

// spare opens a session that may be lost, now or after its opening, in the process that was left. It is nil,
// or there is an error, where another process has to be started: nothing that happens here is laid to the
// target.
func (p *Pool) spare(ctx context.Context, o session.Options) (*session.Session, error) {
	if o.NoHandshake || o.Dialer != nil || o.Kind == recording.Clean && !o.HoldInitialized {
		return nil, nil
	}
	p.mu.Lock()
	o.Dialer, p.Spare = p.Spare, nil
	p.mu.Unlock()
	if o.Dialer == nil {
		return nil, nil
	}
	o.Start = min(o.Start, spareStart)
	s, err := session.Open(ctx, p.Dialer, o)
	if err != nil {
		s.Close(ctx)
	}
	return s, err
}

// Leave keeps a session for [Pool.TakeOver].
func (p *Pool) Leave(s *session.Session, of scenario.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left[of] = append(p.left[of], s)
}

// TakeOver is a session that was left and is alive; nil if there is none.
func (p *Pool) TakeOver(of scenario.Session) *session.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.left[of], (*session.Session).Alive)
	if i < 0 {
		return nil
	}
	s := p.left[of][i]
	p.left[of] = slices.Delete(p.left[of], i, i+1)
	return s
}

// evict closes the sessions that no script holds: the shared clean one, unless that is to
// be spared which was asked for in this turn, the idle probe sessions and those that were
// left.
func (p *Pool) evict(spare bool) {
	p.mu.Lock()
	shut := slices.Clone(p.idle)
	if p.clean != nil && !(spare && p.turn == p.Limit.turns.Load()) {
		shut = append(shut, p.clean)
	}
	for _, left := range p.left {
		shut = append(shut, left...)
	}
	clear(p.left)
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range shut {
		wg.Go(func() { p.End(s) })
	}
	wg.Wait()
}

// Shared is the clean session that scripts share; it is opened when it is first
// asked for, and again when it was lost.
func (p *Pool) Shared(ctx context.Context) (*session.Session, error) {
	release, err := p.opening.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	p.mu.Lock()
	clean := p.clean
	if p.Limit != nil {
		p.turn = p.Limit.turns.Load()
	}
	p.mu.Unlock()
	if clean != nil && clean.Alive() {
		return clean, nil
	}
	if clean != nil {
		p.End(clean)
	}
	s, err := p.Open(ctx, session.Options{Kind: recording.Clean})
	if err != nil {
		return nil, err
	}
	p.Adopt(s)
	return s, nil
}

// Borrow lends an expendable session, waiting for one if all are lent out. Of a target that answers slowly
// there are more: it would else be asked one thing after the other.
func (p *Pool) Borrow(ctx context.Context) (s *session.Session, used bool, err error) {
	for {
		p.mu.Lock()
		if n := len(p.idle); n > 0 {
			s := p.idle[n-1]
			p.idle = p.idle[:n-1]
			p.lent[s] = true
			p.mu.Unlock()
			if s.Alive() {
				return s, true, nil
			}
			p.End(s)
			continue
		}
		most := max(p.Limits.Probes, 1)
		if p.clean != nil && p.clean.Slow() {
			most = max(most, p.Probes)
		}
		if p.probes < most {
			p.probes++
			p.mu.Unlock()
			left := p.TakeOver(scenario.Opening)
			s, err := p.lend(ctx, left)
			return s, left != nil, err
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		if err := p.idleUntil(ctx, freed); err != nil {
			return nil, false, err
		}
	}
}

// idleUntil waits for a channel to be closed, and lets another scenario be played meanwhile.
func (p *Pool) idleUntil(ctx context.Context, freed <-chan struct{}) error {
	defer p.Jobs.pause()()
	select {
	case <-freed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Renew ends an expendable session that was lost, and lends another one, in which nothing
// has happened yet.
func (p *Pool) Renew(ctx context.Context, lost *session.Session) (*session.Session, error) {
	p.mu.Lock()
	p.probes++ // the new one has its place before anybody can borrow that of the old one
	p.mu.Unlock()
	p.End(lost)
	return p.lend(ctx, nil)
}

// lend lends the session that opening scripts have left, or opens one, which is counted already.
func (p *Pool) lend(ctx context.Context, left *session.Session) (*session.Session, error) {
	s := left
	if s == nil {
		var err error
		if s, err = p.Open(ctx, session.Options{Kind: recording.Probe}); err != nil {
			p.vacate()
			return nil, err
		}
	}
	if p.OnStdio() && p.Modern() {
		// As most clients begin. Where a server takes nothing before that, which DISC-12 is about, all that
		// is probed would depend on what was asked before it.
		s.Do(ctx, session.Request{Step: recording.StepBefore, Method: "server/discover"})
	}
	s.Expend()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = append(p.used, s)
	p.lent[s] = true
	return s, nil
}

// GiveBack returns an expendable session to the idle ones. It is ended instead if it is
// lost, or if there are more than enough.
func (p *Pool) GiveBack(s *session.Session) {
	p.mu.Lock()
	surplus := p.probes > max(p.Limits.Probes, p.Probes, 1)
	p.mu.Unlock()
	if surplus || !s.Alive() {
		p.End(s)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended[s] {
		delete(p.lent, s)
		p.idle = append(p.idle, s)
		p.wake()
	}
}

// wake tells those who wait for an expendable session; the lock is held.
func (p *Pool) wake() {
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}

// Establish notes a fact about the target that later checks and scripts use.
func (p *Pool) Establish(name, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Facts.Notes[name] = value
}

// Known is what is known about the target so far: the notes in it do not change any more.
func (p *Pool) Known() *recording.Facts {
	p.mu.Lock()
	defer p.mu.Unlock()
	facts := *p.Facts
	facts.Notes = maps.Clone(facts.Notes)
	return &facts
}

// Limited reports whether there is a limit.
func (p *Pool) Limited() bool { return p.Limit != nil }

// Retire ends all sessions that no script holds, and waits until nothing is left of any that ends: who asks
// for one gets another, with none beside it.
func (p *Pool) Retire() {
	p.evict(false)
	_ = p.leaving().wait(context.Background()) // whatever ends does so
}

// Used lists every session that was ever shared.
func (p *Pool) Used() []*recording.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*recording.Session
	for _, s := range p.used {
		all = append(all, s.Record())
	}
	return all
}

// Close ends all shared sessions and returns every session that was ever shared, once
// nothing is left of any session of the pool.
func (p *Pool) Close() []*recording.Session {
	p.Retire()
	return p.Used()
}

// Retried lists the handshakes that were tried a second time.
func (p *Pool) Retried() []recording.Retried {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.again)
}

package scenario

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Limits bounds what scenarios do. All members must be set.
type Limits struct {
	Timeout     time.Duration // one request
	Start       time.Duration // starting, connecting and the handshake
	QuietWindow time.Duration // how long silence is watched
	Pages       int           // pages of a walk
	Reads       int           // resources read in a sweep; 0 means all
	Probes      int           // expendable sessions at once
}

// Stage is where the scenarios of one combination are played: the way to the
// target, what is known about it, and the sessions that scripts share. A stage
// may be used from several goroutines.
type Stage struct {
	Combination requirement.Combination
	Facts       *recording.Facts
	Target      *target.Target
	Endpoint    *target.Endpoint
	Dialer      transport.Dialer
	Transcript  *wire.Transcript
	Limits      Limits
	// Limiter is asked before each message; NextID names sessions. SecurityProbes
	// tells whether probes of the security group may be sent.
	Limiter        func(context.Context) error
	NextID         func() string
	SecurityProbes bool
	// Broken is why no session can be opened in the ordinary way, if that is
	// known; nil if not. Scripts that bring a dialer of their own may still try.
	Broken error
	// Pool limits the connections to the endpoint; see [Pool.Join].
	Pool *Pool
	// Gate limits how many processes start at once, Exit how many end.
	Gate, Exit *Gate

	// opening is held while the shared session is opened. Unlike a mutex it lets go of those
	// that wait when their context ends, and of package time in a testing/synctest bubble.
	opening chan struct{}
	once    sync.Once // makes opening
	exits   exits     // sessions that are about to end, where there is no pool

	mu     sync.Mutex
	clean  *session.Session
	idle   []*session.Session // probe sessions without a user
	probes int                // probe sessions in being
	freed  chan struct{}      // closed when a probe session is given back
	used   []*session.Session // everything that was ever shared
	again  []recording.Retried
	// exited and stayed count the clean sessions whose process ended with its input, or
	// had to be terminated.
	exited, stayed int
}

// Adopt makes a session that is already open the shared clean session. It takes
// no place in the pool: where there is one, detection leaves no session open.
func (st *Stage) Adopt(s *session.Session) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.clean = s
	st.used = append(st.used, s)
}

// Open opens a session of a kind. Where the target is no process of ours, a
// handshake that is not answered is tried once more on another connection: there
// are servers that lose a message now and then when many clients come at once,
// and one that is lost says nothing about what is to be judged. Both are noted.
func (st *Stage) Open(ctx context.Context, o session.Options) (*session.Session, error) {
	s, first, err := st.openOnce(ctx, o)
	if err == nil || Code(err) != recording.CodeNoAnswer || st.Facts.Owned || ctx.Err() != nil {
		return s, err
	}
	s, second, err := st.openOnce(ctx, o)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.again = append(st.again, recording.Retried{First: first, Second: second})
	return s, err
}

// openOnce opens a session, and returns its handshake as well, if there was one.
func (st *Stage) openOnce(ctx context.Context, o session.Options) (*session.Session, *recording.Exchange, error) {
	if o.Revision == "" {
		o.Revision = st.Combination.Revision
	}
	if st.Broken != nil && o.Dialer == nil {
		return nil, nil, st.Broken
	}
	o.ID, o.Transcript, o.Limiter = st.NextID(), st.Transcript, st.Limiter
	o.Start = st.Limits.Start
	if o.Timeout == 0 {
		o.Timeout = st.Limits.Timeout
	}
	if err := st.Pool.take(ctx); err != nil {
		return nil, nil, err
	}
	s, err := st.start(ctx, o)
	if s == nil {
		st.Pool.release()
		return nil, nil, err
	}
	if err != nil {
		st.End(s)
		st.mu.Lock()
		st.used = append(st.used, s)
		st.mu.Unlock()
		return nil, s.Record().Initialize, err
	}
	return s, s.Record().Initialize, nil
}

// evict closes the shared clean session and the idle probe sessions.
func (st *Stage) evict() {
	st.mu.Lock()
	shut := st.idle
	st.probes -= len(st.idle)
	st.idle = nil
	if st.clean != nil {
		shut = append(shut, st.clean)
		st.clean = nil
	}
	st.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range shut {
		wg.Go(func() { st.End(s) })
	}
	wg.Wait()
}

// shared is the clean session that scripts share; it is opened when it is first
// asked for, and again when it was lost.
func (st *Stage) shared(ctx context.Context) (*session.Session, error) {
	st.once.Do(func() { st.opening = make(chan struct{}, 1) })
	select {
	case st.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-st.opening }()
	st.mu.Lock()
	clean := st.clean
	st.mu.Unlock()
	if clean != nil && clean.Alive() {
		return clean, nil
	}
	if clean != nil {
		st.abandon(clean)
	}
	s, err := st.Open(ctx, session.Options{Kind: recording.Clean})
	if err != nil {
		return nil, err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.clean = s
	st.used = append(st.used, s)
	return s, nil
}

// abandon drops a shared clean session that no longer answers.
func (st *Stage) abandon(s *session.Session) {
	st.mu.Lock()
	mine := st.clean == s
	if mine {
		st.clean = nil
	}
	st.mu.Unlock()
	if mine {
		st.End(s)
	}
}

// borrow lends an expendable session, waiting for one if all are lent out.
func (st *Stage) borrow(ctx context.Context) (*session.Session, error) {
	for {
		st.mu.Lock()
		if n := len(st.idle); n > 0 {
			s := st.idle[n-1]
			st.idle = st.idle[:n-1]
			st.mu.Unlock()
			if s.Alive() {
				return s, nil
			}
			st.discard(s)
			continue
		}
		if st.probes < max(st.Limits.Probes, 1) {
			st.probes++
			st.mu.Unlock()
			s, err := st.Open(ctx, session.Options{Kind: recording.Probe})
			if err != nil {
				st.mu.Lock()
				st.probes--
				st.wake()
				st.mu.Unlock()
				return nil, err
			}
			st.mu.Lock()
			st.used = append(st.used, s)
			st.mu.Unlock()
			return s, nil
		}
		if st.freed == nil {
			st.freed = make(chan struct{})
		}
		freed := st.freed
		st.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// giveBack returns an expendable session to the idle ones.
func (st *Stage) giveBack(s *session.Session) {
	if !s.Alive() {
		st.discard(s)
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.idle = append(st.idle, s)
	st.wake()
}

// discard closes an expendable session for good.
func (st *Stage) discard(s *session.Session) {
	st.End(s)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.probes--
	st.wake()
}

// wake tells those who wait for an expendable session; the lock is held.
func (st *Stage) wake() {
	if st.freed != nil {
		close(st.freed)
		st.freed = nil
	}
}

// Establish notes a fact about the target that later checks and scripts use.
func (st *Stage) Establish(name, value string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.Facts.Notes[name] = value
}

// Close ends all shared sessions and returns every session that was ever shared, once
// nothing is left of any session of the stage.
func (st *Stage) Close() []*recording.Session {
	st.evict()
	_ = st.leaving().wait(context.Background()) // whatever ends does so
	st.mu.Lock()
	defer st.mu.Unlock()
	var all []*recording.Session
	for _, s := range st.used {
		all = append(all, s.Record())
	}
	return all
}

// Retried lists the handshakes that were tried a second time.
func (st *Stage) Retried() []recording.Retried {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Clone(st.again)
}

// Code is the reason code of an error that kept a session from being opened.
func Code(err error) recording.Code {
	var open *session.OpenError
	if errors.As(err, &open) {
		return open.Code
	}
	return recording.CodeInterrupted
}

package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Found is what a target speaks on one transport.
type Found struct {
	// Served lists the revisions that it serves, oldest first; each one was
	// asked for.
	Served []requirement.Revision
	// Open holds a session for each served revision, ready to use.
	Open map[requirement.Revision]*Session
	// Declared is the result of initialize or server/discover by revision.
	Declared map[requirement.Revision]json.RawMessage
	// DeclaredIn are the frames of the request for it and of that answer.
	DeclaredIn map[requirement.Revision][]int
	// Reasons says why a revision is not served.
	Reasons map[requirement.Revision]string
	// Unanswered says why no session could be opened in a revision with a handshake, where what came is no
	// refusal: the handshake was not answered, or the connection ended over it.
	Unanswered map[requirement.Revision]string
	// Offered lists the revisions with a handshake in which it answered one that asked for another.
	Offered []requirement.Revision
	// Spread holds, by revision, what is declared in answers to the first request that come
	// over several lines on stdio: it would be served if they did not.
	Spread map[requirement.Revision]json.RawMessage
	// Lost is the request for server/discover if the connection was lost over it, else nil.
	Lost *recording.Exchange
	// Spare is a session whose process has refused server/discover and stands, where it was to be kept: see
	// [Options.Spare].
	Spare *Session
	// Nameless lists the frames of the request for server/discover and of an error without its id that came
	// over a channel which all messages share.
	Nameless []int

	dialer transport.Dialer
	opts   Options

	mu    sync.Mutex
	asked int // in how many revisions
	// those in which the process ended before it said anything, and how
	ended map[requirement.Revision]string
	// legacy ones whose handshake was answered by an error, and why
	refused    map[requirement.Revision]string
	handshakes map[requirement.Revision]*recording.Exchange // of the served revisions
	ends       map[string]int                               // how processes ended that we have ended
	// what the first handshake took that succeeded, the start of its process included
	started time.Duration
}

// Detect finds out which revisions a target serves, as the specification tells
// a client to: first server/discover, then initialize (2026-07-28
// basic/transports/stdio#backward-compatibility and
// basic/transports/streamable-http#backward-compatibility). Every legacy
// revision is asked for in a session of its own, and the sessions are left open. If
// instances is not 0, at most that many stand at a time, and all of them are closed.
// Over HTTP+SSE the first one is opened before the others, so that it can be told when
// a target does not survive a second connection.
// The error is an [*OpenError] if nothing is served.
func Detect(ctx context.Context, dialer transport.Dialer, opts Options, ask []requirement.Revision,
	instances int) (*Found, error) {
	found := &Found{
		dialer: dialer, opts: opts, asked: len(ask),
		Open: map[requirement.Revision]*Session{}, Declared: map[requirement.Revision]json.RawMessage{},
		DeclaredIn: map[requirement.Revision][]int{},
		Reasons:    map[requirement.Revision]string{},
		Unanswered: map[requirement.Revision]string{},
		ended:      map[requirement.Revision]string{},
		Spread:     map[requirement.Revision]json.RawMessage{},
		refused:    map[requirement.Revision]string{},
		handshakes: map[requirement.Revision]*recording.Exchange{},
		ends:       map[string]int{},
	}
	errs := found.each(ctx, ask, instances)
	if late := found.late(ask, errs); len(late) > 0 {
		errs = append(errs, found.each(ctx, late, instances)...)
	}
	if err := found.fell(errs); err != nil {
		return found, err
	}
	if i := slices.IndexFunc(errs, beyondLimit); i >= 0 {
		// Whether it serves that revision is not known, and to say nothing of it would hide it.
		found.Served = nil
		found.Close()
		return found, errs[i]
	}
	found.guess()
	slices.Sort(found.Served)
	if len(found.Served) > 0 {
		return found, nil
	}
	found.Close()
	return found, worst(errs)
}

// each asks for revisions, side by side as far as instances allows it, and returns the error of each.
func (f *Found) each(ctx context.Context, ask []requirement.Revision, instances int) []error {
	limited := instances > 0
	if !limited {
		instances = len(ask)
	}
	slots := make(chan struct{}, max(instances, 1))
	var wg sync.WaitGroup
	// It ends with the first handshake that succeeds.
	legacy, answered := context.WithCancel(context.Background())
	defer answered()
	errs := make([]error, len(ask))
	for i, rev := range ask {
		if rev.Modern() && f.over() == requirement.SSE {
			f.mu.Lock()
			f.Reasons[rev] = "the revision has no HTTP+SSE transport"
			f.mu.Unlock()
			continue
		}
		slots <- struct{}{}
		opened := make(chan struct{})
		wg.Go(func() {
			defer close(opened)
			defer func() { <-slots }()
			if limited {
				defer f.release(rev)
			}
			errs[i] = f.ask(ctx, rev, legacy, answered)
		})
		if i == 0 && f.over() == requirement.SSE {
			within(time.Second, opened) // or else a target which does not answer is waited for twice
		}
	}
	wg.Wait()
	return errs
}

// over is what connections to the target speak.
func (f *Found) over() requirement.Transport { return f.dialer.Transport() }

// open opens a session of a kind.
func (f *Found) open(ctx context.Context, rev requirement.Revision, kind recording.Kind) (*Session, error) {
	o := f.opts
	o.Revision, o.ID, o.Kind = rev, "", kind
	return Open(ctx, f.dialer, o)
}

// late lists the revisions whose handshake was not answered in time although another one was. Processes
// that start side by side on a busy machine may be just too slow, and what is not known to be
// served is not judged: they are asked for once more, with fewer beside them.
func (f *Found) late(ask []requirement.Revision, errs []error) []requirement.Revision {
	var late []requirement.Revision
	for i, rev := range ask {
		e, ok := errors.AsType[*OpenError](errs[i])
		if ok && len(f.Served) > 0 && !rev.Modern() && f.Spread[rev] == nil &&
			(e.Code == recording.CodeNoAnswer || e.Code == recording.CodeUnreadable) {
			late = append(late, rev)
		}
	}
	return late
}

// ask asks for one revision. The first handshake that succeeds ends the context legacy.
func (f *Found) ask(ctx context.Context, rev requirement.Revision, legacy context.Context,
	answered func()) error {
	begin := time.Now()
	s, err := f.open(ctx, rev, f.opts.Kind)
	if err != nil {
		return f.reject(s, err)
	}
	if rev.Modern() {
		return f.discover(ctx, s, legacy.Done())
	}
	f.serve(s, s.rec.Initialize, s.Declared())
	f.mu.Lock()
	defer f.mu.Unlock()
	if legacy.Err() == nil {
		f.started = time.Since(begin) // it is read when the context has ended
		answered()
	}
	return nil
}

// beyondLimit reports whether a session could not be opened because its first answer goes beyond
// what we read of one.
func beyondLimit(err error) bool {
	e, ok := errors.AsType[*OpenError](err)
	return ok && e.Code == recording.CodeVolume
}

// fell is the error about a target of HTTP+SSE that served one connection and went down
// with it when others were opened; nil if it did not. Servers that share one transport
// among all their clients do so. What they are like otherwise can be judged if they
// are spared a second connection, and it takes the user to say so: nobody here can
// start them again.
func (f *Found) fell(errs []error) error {
	if f.over() != requirement.SSE || len(f.Served) != 1 || len(errs) < 2 {
		return nil
	}
	only := f.Served[0]
	s := f.Open[only]
	if s == nil {
		return nil
	}
	unreached := slices.IndexFunc(errs, func(err error) bool {
		var e *OpenError
		return errors.As(err, &e) && e.Code == recording.CodeUnreachable
	})
	if unreached < 0 || !s.ends(time.Second) {
		return nil
	}
	f.Served = nil
	f.shut(only)
	return &OpenError{Code: recording.CodeDied, Err: errs[unreached],
		Reason: fmt.Sprintf("it answered on one connection, and ended it when others were opened beside "+
			"it (%v); a server of HTTP+SSE has to "+
			"handle several clients (2024-11-05 basic/transports#http-with-sse); to judge the rest of it "+
			"over one connection at a time, "+
			"give its endpoint in a target file, with instances: 1", errs[unreached])}
}

// ends reports whether the connection ends within a time.
func (s *Session) ends(d time.Duration) bool {
	return !s.Alive() || within(d, s.conn.Done())
}

// guess decides which revisions a target serves whose answers to initialize do not
// name one by a string: those whose date is there all the same, such as the number
// 20250618; without any, and if no other revision with a handshake is served, the
// newest that was asked for. Its session shows what is wrong.
func (f *Found) guess() {
	var told, mute []requirement.Revision
	for _, rev := range f.Served {
		x := f.handshakes[rev]
		switch {
		case rev.Modern():
		case x == nil || !mistyped(x) || digits(versionIn(x)) == digits(string(rev)):
			told = append(told, rev)
		default:
			mute = append(mute, rev)
		}
	}
	slices.Sort(mute)
	if len(told) == 0 && len(mute) > 0 {
		mute = mute[:len(mute)-1]
	}
	for _, rev := range mute {
		f.Reasons[rev] = fmt.Sprintf("initialize with %s was answered with the protocolVersion %s", rev,
			short(versionIn(f.handshakes[rev])))
		f.Served = slices.DeleteFunc(f.Served, func(r requirement.Revision) bool { return r == rev })
		delete(f.Declared, rev)
		f.shut(rev)
	}
}

// versionIn is the protocolVersion of an answer to initialize, as it was written.
func versionIn(x *recording.Exchange) string { return x.Value("protocolVersion").Raw }

func digits(s string) string {
	return strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, s)
}

// worst picks the error that says most: not reachable before not understood. It is
// about other revisions only if all are.
func worst(errs []error) error {
	var pick *OpenError
	others := true
	for _, err := range errs {
		var e *OpenError
		if !errors.As(err, &e) {
			continue
		}
		others = others && e.Other
		if pick == nil || e.Code == recording.CodeUnreachable || pick.Code == recording.CodeNoHandshake &&
			e.Code != recording.CodeNoHandshake {
			pick = e
		}
	}
	if pick == nil {
		return unopened(recording.CodeNoHandshake, "no revision was asked for")
	}
	if pick.Other && !others {
		return &OpenError{Code: pick.Code, Reason: pick.Reason, Err: pick.Err, Status: pick.Status}
	}
	return pick
}

// describe says in a few words how an exchange ended.
func describe(x *recording.Exchange) string {
	switch {
	case x.Failed():
		return "answered with error " + short(x.Error().Raw)
	case x.Succeeded():
		return "answered with " + short(x.Result().Raw)
	default:
		return strings.TrimSpace(string(x.Outcome) + " " + x.Reason)
	}
}

func (f *Found) serve(s *Session, in *recording.Exchange, declared json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Served = append(f.Served, s.opts.Revision)
	delete(f.Reasons, s.opts.Revision)
	delete(f.Unanswered, s.opts.Revision)
	delete(f.ended, s.opts.Revision)
	f.Open[s.opts.Revision] = s
	f.Declared[s.opts.Revision] = declared
	f.handshakes[s.opts.Revision] = s.rec.Initialize
	if in.Succeeded() {
		f.DeclaredIn[s.opts.Revision] = s.Evidence(in)
	}
}

// shut closes the session of a revision, if there is one.
func (f *Found) shut(rev requirement.Revision) {
	f.mu.Lock()
	s := f.Open[rev]
	delete(f.Open, rev)
	f.mu.Unlock()
	if s != nil {
		f.noteEnd(s.Close(context.Background()))
	}
}

// Close ends the sessions that were left open, side by side.
func (f *Found) Close() {
	var wg sync.WaitGroup
	if s := f.Spare; s != nil {
		wg.Go(func() { s.Close(context.Background()) })
	}
	for _, s := range f.Open {
		wg.Go(func() { s.Close(context.Background()) })
	}
	wg.Wait()
	clear(f.Open)
	f.Spare = nil
}

// Settle is how long a session at a URL that allows only so many stays open after its
// last message, and how long after its end the next one is opened: there are servers that
// do not survive a message whose session has ended meanwhile, nor a session that begins
// before they have noticed the end of the last one.
const Settle = 150 * time.Millisecond

// release closes the session of a revision and makes sure that another one can follow.
func (f *Found) release(rev requirement.Revision) {
	if f.over() != requirement.Stdio {
		time.Sleep(Settle)
		defer time.Sleep(Settle)
	}
	f.shut(rev)
}

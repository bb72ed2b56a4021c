package compare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// transcriptBytes is how much of what crosses the wire is kept of each side.
const transcriptBytes = 128 << 20

// side is one of the two: the server itself, or what the gateway makes of it.
type side struct {
	name       string
	target     *target.Target
	cfg        *Config
	transcript *wire.Transcript
	limiter    func(context.Context) error
	ids        atomic.Int64
	reached    []*reached
	unreached  []unreached
	reasons    map[requirement.Revision]string // why a revision is not offered
	tried      []requirement.Transport
}

// reached is an endpoint that answered.
type reached struct {
	*target.Endpoint
	transport requirement.Transport
	dialer    transport.Dialer
	found     *session.Found
}

// unreached is an endpoint that did not answer, and what it was to be asked for.
type unreached struct {
	*target.Endpoint
	ask []requirement.Revision
	err error
}

// newSide checks what can be checked before anything is sent: that all values of the
// environment are there.
func newSide(name string, t *target.Target, cfg *Config) (*side, error) {
	s := &side{name: name, target: t, cfg: cfg, transcript: wire.NewTranscript(wire.Budget{Total: transcriptBytes}),
		limiter: session.Paced(t.Pace(t.Limits.Rate)), reasons: map[requirement.Revision]string{}}
	if len(t.Endpoints) == 0 {
		return nil, fmt.Errorf("the %s side has no endpoint", name)
	}
	for i := range t.Endpoints {
		e := &t.Endpoints[i]
		if e.Started() && e.Server() == nil {
			continue // it is asked for nothing
		}
		if _, err := e.Dialer(target.DialOptions{Transport: e.Candidates()[0]}); err != nil {
			return nil, fmt.Errorf("the %s side: %w", name, err)
		}
	}
	return s, nil
}

// watch ends everything when more has come than is kept.
func (s *side) watch(ctx context.Context, end context.CancelCauseFunc) {
	select {
	case <-s.transcript.Full():
		end(errVolume)
	case <-ctx.Done():
	}
}

// connect asks each endpoint what it speaks. The error says why nothing answered.
func (s *side) connect(ctx context.Context, only []requirement.Revision) error {
	var why []string
	for i := range s.target.Endpoints {
		e := &s.target.Endpoints[i]
		ask := asked(s.target, e, only)
		if len(ask) == 0 {
			continue
		}
		r, err := s.detect(ctx, e, ask)
		switch {
		case err != nil:
			why = append(why, err.Error())
			s.unreached = append(s.unreached, unreached{e, ask, err})
		default:
			s.reached = append(s.reached, r)
		}
	}
	if len(s.reached) > 0 {
		return nil
	}
	if len(why) == 0 {
		why = []string{"its target file leaves none of the revisions that were asked for"}
	}
	return errors.New(strings.Join(why, "; "))
}

// asked lists the revisions that an endpoint is asked for.
func asked(t *target.Target, e *target.Endpoint, only []requirement.Revision) []requirement.Revision {
	return slices.DeleteFunc(requirement.Revisions(), func(rev requirement.Revision) bool {
		return !t.Wants(e, rev) || len(only) > 0 && !slices.Contains(only, rev)
	})
}

// detect asks one endpoint. One that answers in good order, but offers nothing of what
// was asked for, is reached and serves nothing.
func (s *side) detect(ctx context.Context, e *target.Endpoint, ask []requirement.Revision) (*reached, error) {
	limits := transport.Limits{Message: s.target.Limits.Message, Total: s.target.Limits.Connection}
	var first error
	for _, t := range e.Candidates() {
		s.tried = append(s.tried, t)
		dialer, err := e.Dialer(target.DialOptions{Transport: t, Limits: limits})
		if err != nil {
			return nil, err
		}
		found, err := session.Detect(ctx, dialer, s.options(""), ask, e.Instances, s.nextID)
		for rev, reason := range found.Reasons {
			s.reasons[rev] = reason
		}
		var other *session.OpenError
		if err == nil || errors.As(err, &other) && other.Other && len(ask) < len(requirement.Revisions()) {
			return &reached{Endpoint: e, transport: t, dialer: dialer, found: found}, nil
		}
		// What is said by something that answers tells more than that nothing does.
		if first == nil || scenario.Code(first) == recording.CodeUnreachable && scenario.Code(err) != recording.CodeUnreachable {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

func (s *side) nextID() string { return fmt.Sprintf("s%d", s.ids.Add(1)) }

func (s *side) options(rev requirement.Revision) session.Options {
	return session.Options{Revision: rev, Kind: recording.Clean, Transcript: s.transcript,
		Timeout: s.cfg.Timeout, Start: s.cfg.Start, Limiter: s.limiter}
}

// offers is the first endpoint that offers a revision, or nil.
func (s *side) offers(rev requirement.Revision) *reached {
	for _, r := range s.reached {
		if slices.Contains(r.found.Served, rev) {
			return r
		}
	}
	return nil
}

// could reports whether a revision is defined on a transport of the side.
func (s *side) could(rev requirement.Revision) bool {
	return slices.ContainsFunc(s.reached, func(r *reached) bool { return slices.Contains(rev.Transports(), r.transport) })
}

// unknown reports whether an endpoint might offer a revision that could not be reached.
func (s *side) unknown(rev requirement.Revision) bool {
	return slices.ContainsFunc(s.unreached, func(u unreached) bool { return slices.Contains(u.ask, rev) })
}

// why is why a revision is not offered.
func (s *side) why(rev requirement.Revision) string {
	if reason := s.reasons[rev]; reason != "" {
		return "not offered: " + reason
	}
	return "not offered"
}

// close ends what detection left open.
func (s *side) close() {
	var wg sync.WaitGroup
	for _, r := range s.reached {
		wg.Go(r.found.Close)
	}
	wg.Wait()
}

// talk is a side in one revision: a session that is opened again when it is lost.
type talk struct {
	*side
	at  *reached
	rev requirement.Revision

	mu   sync.Mutex
	s    *session.Session
	gone error // why no session can be opened any more
	// silent counts, by method, the requests that went unanswered one after the other.
	silent map[string]int
}

// maxSilent is how many requests of a method may go unanswered one after the other
// before it is not asked any more: each costs the time of a request.
const maxSilent = 2

func (s *side) talk(rev requirement.Revision) *talk {
	r := s.offers(rev)
	t := &talk{side: s, at: r, rev: rev, s: r.found.Open[rev], silent: map[string]int{}}
	delete(r.found.Open, rev)
	return t
}

// session is the session, opened if need be.
func (t *talk) session(ctx context.Context) (*session.Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone != nil {
		return nil, t.gone
	}
	if t.s != nil && t.s.Alive() {
		return t.s, nil
	}
	t.shut()
	o := t.options(t.rev)
	o.ID = t.nextID()
	s, err := session.Open(ctx, t.at.dialer, o)
	t.s = s
	if err != nil {
		t.shut()
		t.gone = fmt.Errorf("no session could be opened any more: %w", err)
		return nil, t.gone
	}
	return s, nil
}

// shut closes the session; the lock is held. Where sessions at a URL are limited, the
// target is given time to notice, as in [session.Detect].
func (t *talk) shut() {
	if t.s == nil {
		return
	}
	if t.at.Instances > 0 && t.at.transport != requirement.Stdio {
		time.Sleep(session.Settle)
		defer time.Sleep(session.Settle)
	}
	t.s.Close(context.Background())
	t.s = nil
}

// close ends the session. The next request opens another one.
func (t *talk) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shut()
}

// drop closes a session that is of no use any more, unless that was done already.
func (t *talk) drop(s *session.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == s {
		t.shut()
	}
}

// do sends a request and waits for the answer, unless others of the method went
// unanswered before.
func (t *talk) do(ctx context.Context, q session.Request) *recording.Exchange {
	t.mu.Lock()
	n := t.silent[q.Method]
	t.mu.Unlock()
	if n >= maxSilent {
		return &recording.Exchange{Outcome: recording.Canceled, Reason: fmt.Sprintf("%d requests of %s went unanswered, so no more were sent", n, q.Method)}
	}
	x := t.send(ctx, q)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch x.Outcome {
	case recording.Silent:
		t.silent[q.Method]++
	case recording.Replied:
		t.silent[q.Method] = 0
	}
	return x
}

// patient forgets what went unanswered.
func (t *talk) patient() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.silent)
}

// send sends a request and waits for the answer. If the session is lost meanwhile, the
// request is sent once more in another one.
func (t *talk) send(ctx context.Context, q session.Request) *recording.Exchange {
	var x *recording.Exchange
	for range 2 {
		s, err := t.session(ctx)
		if err != nil {
			if x != nil {
				return x
			}
			return &recording.Exchange{Outcome: recording.Lost, Reason: err.Error()}
		}
		x = s.Do(ctx, q)
		expired := x.Status == http.StatusNotFound && s.HTTPSession() != ""
		if ctx.Err() != nil || s.Alive() && !expired {
			return x
		}
		t.drop(s)
		if x.Outcome == recording.Replied && !expired {
			return x
		}
	}
	return x
}

// declared is what the side declares: the result of the handshake, or, where there is
// none, of server/discover.
func (t *talk) declared(ctx context.Context) answer {
	if t.rev.Modern() {
		return reply(t.do(ctx, session.Request{Step: recording.StepDiscover, Method: "server/discover"}))
	}
	s, err := t.session(ctx)
	if err != nil {
		return answer{none: err.Error()}
	}
	return answer{body: gjson.ParseBytes(s.Declared())}
}

package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
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
	// Unanswered says why no session could be opened in a revision with a handshake, where what came is no refusal: the handshake was
	// not answered, or the connection ended over it.
	Unanswered map[requirement.Revision]string
	// Offered lists the revisions with a handshake in which it answered one that asked for another.
	Offered []requirement.Revision
	// Spread holds, by revision, what is declared in answers to the first request that come
	// over several lines on stdio: it would be served if they did not.
	Spread map[requirement.Revision]json.RawMessage
	// Lost is the request for server/discover if the connection was lost over it, else nil.
	Lost *recording.Exchange
	// Spare is a session whose process has refused server/discover and stands, where it was to be kept: see [Options.Spare].
	Spare *Session
	// Nameless lists the frames of the request for server/discover and of an error without its id that came over a channel which all
	// messages share.
	Nameless []int

	mu         sync.Mutex
	ended      map[requirement.Revision]string              // those in which the process ended before it said anything, and how
	refused    map[requirement.Revision]string              // legacy ones whose handshake was answered by an error, and why
	handshakes map[requirement.Revision]*recording.Exchange // of the served revisions
	ends       map[string]int                               // how processes ended that we have ended
	started    time.Duration                                // what the first handshake took that succeeded, the start of its process included
}

// Detect finds out which revisions a target serves, as the specification tells
// a client to: first server/discover, then initialize (2026-07-28
// basic/transports/stdio#backward-compatibility and
// basic/transports/streamable-http#backward-compatibility). Every legacy
// revision is asked for in a session of its own, and the sessions are left open. If
// instances is not 0, at most that many stand at a time, and all of them are closed.
// Over HTTP+SSE the first one is opened before the others, so that it can be told when
// a target does not survive a second connection.
// ids names the sessions. The error is an [*OpenError] if nothing is served.
func Detect(ctx context.Context, dialer transport.Dialer, opts Options, ask []requirement.Revision, instances int, ids func() string) (*Found, error) {
	found := &Found{
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
	errs := found.each(ctx, dialer, opts, ask, instances, ids)
	if late := found.late(ask, errs); len(late) > 0 {
		errs = append(errs, found.each(ctx, dialer, opts, late, instances, ids)...)
	}
	if err := found.fell(dialer.Transport(), errs); err != nil {
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
func (f *Found) each(ctx context.Context, dialer transport.Dialer, opts Options, ask []requirement.Revision, instances int, ids func() string) []error {
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
		if rev.Modern() && dialer.Transport() == requirement.SSE {
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
				defer f.release(rev, dialer.Transport())
			}
			o := opts
			o.Revision, o.ID = rev, ids()
			errs[i] = f.ask(ctx, dialer, o, legacy, answered)
		})
		if i == 0 && dialer.Transport() == requirement.SSE {
			within(time.Second, opened) // or else a target which does not answer is waited for twice
		}
	}
	wg.Wait()
	return errs
}

// late lists the revisions whose handshake was not answered in time although another one was. Processes
// that start side by side on a busy machine may be just too slow, and what is not known to be
// served is not judged: they are asked for once more, with fewer beside them.
func (f *Found) late(ask []requirement.Revision, errs []error) []requirement.Revision {
	var late []requirement.Revision
	for i, rev := range ask {
		e, ok := errors.AsType[*OpenError](errs[i])
		if ok && len(f.Served) > 0 && !rev.Modern() && f.Spread[rev] == nil && (e.Code == recording.CodeNoAnswer || e.Code == recording.CodeUnreadable) {
			late = append(late, rev)
		}
	}
	return late
}

// ask asks for one revision. The first handshake that succeeds ends the context legacy.
func (f *Found) ask(ctx context.Context, dialer transport.Dialer, o Options, legacy context.Context, answered func()) error {
	if o.Revision.Modern() {
		return f.discover(ctx, dialer, o, legacy.Done())
	}
	begin := time.Now()
	s, err := Open(ctx, dialer, o)
	if err != nil {
		return f.reject(s, err)
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
func (f *Found) fell(over requirement.Transport, errs []error) error {
	if over != requirement.SSE || len(f.Served) != 1 || len(errs) < 2 {
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
		Reason: fmt.Sprintf("it answered on one connection, and ended it when others were opened beside it (%v); a server of HTTP+SSE has to "+
			"handle several clients (2024-11-05 basic/transports#http-with-sse); to judge the rest of it over one connection at a time, "+
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
		f.Reasons[rev] = fmt.Sprintf("initialize with %s was answered with the protocolVersion %s", rev, short(versionIn(f.handshakes[rev])))
		f.Served = slices.DeleteFunc(f.Served, func(r requirement.Revision) bool { return r == rev })
		delete(f.Declared, rev)
		f.shut(rev)
	}
}

// versionIn is the protocolVersion of an answer to initialize, as it was written.
func versionIn(x *recording.Exchange) string { return x.Result().Get("protocolVersion").Raw }

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
		if pick == nil || e.Code == recording.CodeUnreachable || pick.Code == recording.CodeNoHandshake && e.Code != recording.CodeNoHandshake {
			pick = e
		}
	}
	if pick == nil {
		return &OpenError{Code: recording.CodeNoHandshake, Reason: "no revision was asked for"}
	}
	if pick.Other && !others {
		return &OpenError{Code: pick.Code, Reason: pick.Reason, Err: pick.Err, Status: pick.Status}
	}
	return pick
}

// discover asks for a modern revision. Legacy servers may not answer at all: see [Found.outwait].
func (f *Found) discover(ctx context.Context, dialer transport.Dialer, o Options, legacy <-chan struct{}) error {
	s, err := Open(ctx, dialer, o)
	if err != nil {
		return f.reject(s, err)
	}
	ask, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waiting, answered := context.WithCancel(ask)
	handshake := make(chan bool, 1)
	go func() {
		handshake <- f.outwait(waiting, s, legacy)
		if waiting.Err() == nil {
			cancel(errors.New("no answer to server/discover long after a handshake was answered"))
		}
	}()
	x := s.Do(ask, Request{Step: recording.StepDiscover, Method: "server/discover", Timeout: o.Start})
	answered()
	if <-handshake {
		defer func() { f.shut(o.Revision) }() // if it is served: a session to use has seen no handshake
	}
	f.note(s, x)
	versions, modern := ModernAnswer(x)
	if x.Succeeded() && modern && slices.Contains(versions, string(o.Revision)) {
		f.serve(s, x, json.RawMessage(x.Result().Raw))
		return nil
	}
	if !s.onlyEchoes() && s.spread() == nil && s.Alive() && !(x.Failed() && len(versions) > 0 && !slices.Contains(versions, string(o.Revision))) && !namesAnother(versions, o.Revision) {
		// A server that lacks server/discover, or leaves the version out of
		// its list, but answers in the modern form is modern nevertheless.
		y := s.Do(ask, Request{Step: recording.StepDiscoverByList, Method: "resources/list", Timeout: min(o.Timeout, 2*time.Second)})
		_, byError := ModernAnswer(y)
		if y.Result().Get("resultType").Exists() || (y.Failed() && byError && !x.Succeeded()) {
			declared := json.RawMessage(nil)
			if x.Succeeded() {
				declared = json.RawMessage(x.Result().Raw)
			}
			f.serve(s, x, declared)
			return nil
		}
	}
	failed := &OpenError{Code: recording.CodeNoHandshake, Status: x.Status, Reason: "server/discover: " + describe(x)}
	if x.Succeeded() || x.Failed() && (x.Status < http.StatusUnauthorized || x.Status == http.StatusNotFound) {
		failed.Other = true
	}
	switch {
	case x.Limit:
		failed = &OpenError{Code: recording.CodeVolume, Reason: "server/discover: " + x.Reason}
	case s.onlyEchoes():
		failed.Reason, failed.Other = echoReason, false
	case x.Outcome != recording.Replied && s.spread() != nil:
		failed = s.spreadError("server/discover")
	case x.Outcome == recording.Lost && s.over == requirement.HTTP:
		failed = &OpenError{Code: recording.CodeUnreachable, Reason: "server/discover: " + x.Reason}
	case x.Outcome == recording.Lost:
		failed = &OpenError{Code: recording.CodeDied, Reason: "the connection ended at server/discover: " + x.Reason}
	}
	if err := f.spare(s, x, failed); err != nil {
		return err
	}
	return f.reject(s, failed)
}

// spare keeps the session of a process in which a handshake can follow, as the specification tells clients to (2026-07-28
// basic/transports/stdio#backward-compatibility), and returns why the revision is not served; nil if it is not kept.
func (f *Found) spare(s *Session, x *recording.Exchange, failed *OpenError) error {
	if !s.opts.Spare || s.over != requirement.Stdio || !failed.Other || !x.Failed() || s.unanswered() > 0 || !s.Alive() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Reasons[s.opts.Revision], f.Spare = failed.Error(), s
	return failed
}

// note keeps what a request for server/discover shows that is no answer to it.
func (f *Found) note(s *Session, x *recording.Exchange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x.Outcome == recording.Lost {
		f.Lost = x
	}
	for _, frame := range s.Incoming(0) {
		// All that was sent are requests that can be read.
		if m := gjson.ParseBytes(frame.Raw); s.over != requirement.HTTP && m.Get("error").IsObject() && m.Get("id").Value() == nil {
			f.Nameless = []int{x.Request, frame.Number}
			return
		}
	}
}

// outwait returns when an answer to server/discover is not to be expected any more. Once one of
// the handshakes has succeeded, two more seconds are enough, or twice the time that it took,
// since processes that start side by side on a busy machine are not ready at once, and one that
// starts after another is not there sooner. On stdio it is told earlier, by what a client does
// then: it performs the handshake in the same process. What answers that has read the other
// request before. handshake says that it was asked for.
func (f *Found) outwait(ctx context.Context, s *Session, legacy <-chan struct{}) (handshake bool) {
	const brief, times = 250 * time.Millisecond, 10
	begin := time.Now()
	select {
	case <-legacy:
	case <-ctx.Done():
		return false
	}
	end := time.Now().Add(max(2*time.Second, 2*time.Since(begin), 2*f.started))
	if s.over != requirement.Stdio {
		s.Quiet(ctx, time.Until(end))
		return false
	}
	s.Quiet(ctx, max(brief, f.started/2))
	if ctx.Err() != nil {
		return false
	}
	x := s.Do(ctx, Request{Step: recording.StepInitialize, Method: "initialize", Params: InitializeParams(f.newestLegacy()), Bare: true, Timeout: max(time.Until(end), brief)})
	if x.Outcome == recording.Replied {
		s.Quiet(ctx, min(max(2*brief, times*x.Took), max(time.Until(end), brief)))
	}
	return true
}

// newestLegacy is the newest revision with a handshake that has succeeded so far.
func (f *Found) newestLegacy() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	newest := requirement.Revision("")
	for _, rev := range f.Served {
		if !rev.Modern() {
			newest = max(newest, rev)
		}
	}
	return string(newest)
}

// namesAnother reports whether a list names a modern revision, but not the one that was
// asked for.
func namesAnother(versions []string, rev requirement.Revision) bool {
	return !slices.Contains(versions, string(rev)) && slices.ContainsFunc(versions, func(v string) bool {
		other := requirement.Revision(v)
		return other.Known() && other.Modern()
	})
}

// ModernAnswer tells a modern server by its answer to server/discover: a result
// with supportedVersions, or one of the errors that only modern servers send.
// The versions are those that it names.
func ModernAnswer(x *recording.Exchange) (versions []string, modern bool) {
	list := x.Result().Get("supportedVersions")
	if x.Failed() {
		code, _ := x.Code()
		if code < -32022 || code > -32020 {
			return nil, false
		}
		modern = true
		list = x.Error().Get("data.supported")
	}
	if list.IsArray() {
		modern = true
		for _, v := range list.Array() {
			versions = append(versions, v.String())
		}
	} else if list.Type == gjson.String {
		modern = true
		versions = append(versions, list.Str)
	}
	return versions, modern
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
}

// Settle is how long a session at a URL that allows only so many stays open after its
// last message, and how long after its end the next one is opened: there are servers that
// do not survive a message whose session has ended meanwhile, nor a session that begins
// before they have noticed the end of the last one.
const Settle = 150 * time.Millisecond

// release closes the session of a revision and makes sure that another one can follow.
func (f *Found) release(rev requirement.Revision, over requirement.Transport) {
	if over != requirement.Stdio {
		time.Sleep(Settle)
		defer time.Sleep(Settle)
	}
	f.shut(rev)
}

// Package session is one conversation with a target in one revision. It hides
// what differs between revisions (a handshake, or metadata in every request;
// resources/subscribe, or subscriptions/listen) and between transports, and
// notes down every exchange as a [recording.Exchange].
//
// A session behaves as the specification asks of a client, unless the caller
// asks for a deviation: that is what the negative probes do.
package session

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Common is what the sessions with a target have in common.
type Common struct {
	Transcript *wire.Transcript
	NextID     func() string // names sessions
	// Timeout bounds one request, Start the opening: starting a process,
	// connecting, the handshake.
	Timeout, Start time.Duration
	// Limiter, if set, is asked before every message (--rate).
	Limiter func(context.Context) error
	// Patience, if set, bounds what all sessions that have it wait in vain for a target which asks
	// to be called later.
	Patience *Patience
	// Habits, if set, is what is known of how soon the target answers.
	Habits *Habits
	// Nameless says that errors of the target come without the id of their requests.
	Nameless bool
	// Barred says that what follows a handshake is refused for want of a session id.
	Barred bool
}

// Options says what session to open.
type Options struct {
	Common
	Revision requirement.Revision
	Kind     recording.Kind
	ID       string // names the session in the transcript; the next one if it is empty
	// Beside opens the session beside another one even where the target was seen to keep one at a time: what
	// becomes of the two is to be seen.
	Beside bool
	// NoHandshake leaves a legacy session unopened; HoldInitialized sends
	// initialize but not notifications/initialized: see [Session.Initialized].
	NoHandshake, HoldInitialized bool
	// Capabilities are what the client declares in the handshake; nil is nothing.
	Capabilities map[string]any
	// Answer says what answers a request of the target: the member result or error of the response, or
	// nothing if the script responds later. Where it is nil, or ok is false, the method is one that the
	// client does not have. It must not use the session.
	Answer func(method string, id json.RawMessage) (member string, ok bool)
	// Header is added to every HTTP request of the session (the credentials
	// of an identity).
	Header map[string]string
	// Dialer replaces the one that [Open] is given (to call as another
	// identity); nil means no other.
	Dialer transport.Dialer
	// Spare keeps a process that has refused server/discover for a handshake in it: see [Found.Spare].
	Spare bool
}

// Session is one conversation. Its methods may be used from several goroutines.
type Session struct {
	opts Options
	conn transport.Conn
	// over is what the connection speaks: on Streamable HTTP every message
	// has a channel of its own, elsewhere all share one.
	over requirement.Transport
	rec  *recording.Session
	heir atomic.Pointer[transport.Sink] // of the session to which the connection was given
	meta json.RawMessage                // of ordinary requests; nil in legacy revisions

	mu       sync.Mutex
	nextID   int
	version  string // as negotiated; empty before
	session  string // the HTTP session id; empty if none
	declared json.RawMessage
	pending  []*Pending          // unanswered, in order of sending
	channels map[string]*Pending // owners of HTTP responses
	// given maps the ids of all requests that were sent to their exchanges.
	given map[string]*recording.Exchange
	// theirs are the ids of the target's own requests that we answered.
	theirs    map[string]bool
	incoming  []wire.Frame
	echoes    int           // how many of them are requests of ours that came back
	lastLines int           // how many of them may have been the end of a message over several lines
	renames   bool          // an answer came under an id that the request did not have
	nameless  bool          // errors come without the id of their requests
	crowded   bool          // the responses to others come on the event stream, as behind some gateways
	conflicts bool          // a message was refused while another one was under way, and taken alone
	barred    bool          // what followed the handshake was refused for want of a session id
	changed   chan struct{} // closed and replaced at each incoming frame
	last      int           // number of the last frame
	said      time.Duration // when the last message was sent or came
	// doing is how many requests [Session.Do] has under way, and alone how many that are to be so alone it
	// has under way or in line; freed is closed and replaced when one is done.
	doing, alone int
	freed        chan struct{}
	// garbled is when a probe that the target may have been unable to read was last given up without an
	// answer.
	garbled time.Time
	// took is what the first answer took, in which the start of a process may be, and longest the
	// longest of all others.
	took, longest time.Duration
	slow          bool // so far each of them took long
	turns         int  // messages sent so far
	closed        bool
	// life ends with the session, and with it the answers to requests of the
	// server; the counts are of those under way, and of all.
	life                   context.Context
	end                    context.CancelFunc
	answers                sync.WaitGroup
	answering, answeredAll int
	// line is held while a line is written in parts, and while an answer of ours is
	// written: it must not end up in the midst of one. parts says that a script holds it.
	line  chan struct{}
	parts atomic.Bool
}

// idle is for how long nothing has been said where the end of a connection is no answer to anything.
const idle = 5 * time.Second

// tooSlow is the cause of a context that ended because opening took too long.
type tooSlow struct{ limit time.Duration }

func (e tooSlow) Error() string { return "no answer within " + e.limit.String() }

// OpenError says why a session could not be opened.
type OpenError struct {
	Code   recording.Code
	Reason string
	Err    error // the cause, if there is one
	// Status is the HTTP status of what came in place of an answer; 0 if nothing did.
	Status int
	// Other says that the target answered in good order, but not in this revision.
	Other bool
	// Offers is the revision in which it answered a handshake that asked for this one; empty if it did not.
	Offers requirement.Revision
}

func unopened(code recording.Code, reason string) *OpenError {
	return &OpenError{Code: code, Reason: reason}
}

func (e *OpenError) Error() string { return e.Reason }

// Unwrap is the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// Open dials the endpoint and, in legacy revisions, performs the handshake. On
// an error of type [*OpenError] the session may be non-nil: it then holds what
// was seen, and must be closed.
func Open(ctx context.Context, dialer transport.Dialer, opts Options) (*Session, error) {
	if opts.Dialer != nil {
		dialer = opts.Dialer
	}
	if opts.ID == "" {
		opts.ID = opts.NextID()
	}
	s := &Session{
		opts:     opts,
		rec:      recording.NewSession(opts.ID, opts.Kind, opts.Transcript.Now()),
		nextID:   firstID(dialer.Transport(), opts.ID),
		over:     dialer.Transport(),
		channels: map[string]*Pending{},
		given:    map[string]*recording.Exchange{},
		theirs:   map[string]bool{},
		changed:  make(chan struct{}),
		freed:    make(chan struct{}),
		line:     make(chan struct{}, 1),
		nameless: opts.Nameless,
		barred:   opts.Barred,
	}
	if opts.Revision.Modern() {
		// strings and maps of them can always be encoded
		s.meta, _ = encode(ModernMeta(string(opts.Revision)))
	}
	s.life, s.end = context.WithCancel(context.Background())
	if s.over == requirement.SSE {
		// Opening the connection is an HTTP request of its own.
		if err := s.paced(ctx); err != nil {
			s.rec.Lost = err.Error()
			return s, &OpenError{Code: recording.CodeInterrupted, Reason: err.Error(), Err: err}
		}
	}
	bounded, cancel := context.WithTimeoutCause(ctx, opts.Start, tooSlow{opts.Start})
	defer cancel()
	conn, err := dialer.Dial(bounded, s.receive)
	if err != nil {
		s.rec.Lost = err.Error()
		return s, &OpenError{Code: recording.CodeUnreachable, Reason: err.Error(), Err: err}
	}
	s.mu.Lock()
	s.conn = conn
	s.mu.Unlock()
	if opts.Revision.Modern() || opts.NoHandshake {
		return s, nil
	}
	if _, process := conn.(interface{ Working() bool }); process {
		// its answer is waited for as long as the process takes to start: see [Pending.Wait]
		return s, s.handshake(ctx)
	}
	return s, s.handshake(bounded)
}

// paced waits until the limiter lets one more message go.
func (s *Session) paced(ctx context.Context) error {
	if s.opts.Limiter == nil {
		return nil
	}
	return s.opts.Limiter(ctx)
}

// handshake sends initialize and, unless it is held back, initialized.
func (s *Session) handshake(ctx context.Context) error {
	params := InitializeParams(string(s.opts.Revision))
	if s.opts.Capabilities != nil {
		params["capabilities"] = s.opts.Capabilities
	}
	x := s.Do(ctx, Request{
		Step: recording.StepInitialize, Method: "initialize", Timeout: s.opts.Start, Params: params,
	})
	s.rec.Initialize = x
	if err := s.Adopt(x); err != nil {
		return err
	}
	if s.opts.HoldInitialized {
		return nil
	}
	x = s.Initialized(ctx)
	if x.Outcome == recording.Unsent {
		code := map[bool]recording.Code{true: recording.CodeUnreachable,
			false: recording.CodeDied}[x.Unreached()]
		return unopened(code, "the notification that ends the handshake could not be sent: "+
			x.Reason)
	}
	s.bar(x)
	return nil
}

// Adopt takes over what an answer to initialize settles: version, HTTP session
// and capabilities. The error is an [*OpenError] if the answer opens no session
// in the revision of this one.
func (s *Session) Adopt(x *recording.Exchange) error {
	switch {
	case x.Outcome != recording.Replied && s.onlyEchoes():
		return unopened(recording.CodeNoHandshake, echoReason)
	case x.Outcome == recording.Lost && s.over == requirement.HTTP, x.Outcome == recording.Unsent &&
		s.over != requirement.Stdio:
		return unopened(recording.CodeUnreachable, x.Reason)
	case x.Outcome == recording.Lost:
		reason := "the connection ended during initialize: " + strings.TrimPrefix(x.Reason, "cannot send: ")
		if said := s.nonsense(); said != "" {
			reason += "; until then the target sent " + said + ", which is no JSON"
		}
		return unopened(recording.CodeDied, reason)
	case x.Outcome != recording.Replied && s.spread() != nil:
		return s.spreadError("initialize")
	case x.Outcome == recording.Silent && s.nonsense() != "":
		reason := "initialize was not answered with JSON: the target sent " + s.nonsense()
		if s.over == requirement.Stdio {
			reason += "; only messages go to standard output, logs and banners to standard error"
		}
		return unopened(recording.CodeUnreadable, reason)
	case x.Outcome == recording.Silent:
		return unopened(recording.CodeNoAnswer, "initialize was not answered: "+x.Reason)
	case x.Limit:
		return unopened(recording.CodeVolume, "initialize: "+x.Reason)
	case x.Outcome == recording.Canceled:
		return unopened(recording.CodeInterrupted, x.Reason)
	case x.Outcome == recording.Refused:
		return unopened(recording.CodeThrottled,
			x.Reason+"; where it is sessions of which there are too many, instances in a target "+
				"file says how many may stand")
	case x.Status == http.StatusUnauthorized:
		return unopened(recording.CodeNoHandshake,
			"initialize was answered with HTTP 401: the target wants credentials, which "+
				"--header-env Authorization=VARIABLE gives where the variable holds \"Bearer TOKEN\" "+
				"(headers in a target file)"+challenge(x.Header))
	case x.Outcome != recording.Replied:
		return &OpenError{Code: recording.CodeNoHandshake, Status: x.Status,
			Reason: "initialize got no JSON-RPC answer: " + x.Reason + s.page(x)}
	case !x.Succeeded():
		return unopened(recording.CodeNoHandshake, "initialize was refused: "+short(x.Error().Raw))
	}
	version := x.Value("protocolVersion").String()
	if mistyped(x) {
		// That it is no string is judged; which version is meant is for
		// detection to find out.
		version = string(s.opts.Revision)
	}
	s.mu.Lock()
	s.version = version
	s.session = x.Header.Get("Mcp-Session-Id")
	s.declared = json.RawMessage(x.Result().Raw)
	s.mu.Unlock()
	if version != string(s.opts.Revision) {
		return &OpenError{Code: recording.CodeNoHandshake, Other: true, Offers: requirement.Revision(version),
			Reason: fmt.Sprintf("initialize with %s was answered with %q", s.opts.Revision, short(version))}
	}
	return nil
}

// mistyped reports whether an answer to initialize gives the version as anything
// but a string, or not at all.
func mistyped(x *recording.Exchange) bool {
	return x.Succeeded() && x.Value("protocolVersion").Type != gjson.String
}

// nonsense is the beginning of the first thing that the target sent, if it is no
// JSON; else it is empty.
func (s *Session) nonsense() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.incoming {
		if f := &s.incoming[i]; len(f.Raw) > 0 {
			if f.HasFlaw(wire.FlawNotJSON) {
				return wire.Excerpt(f.Raw, 80)
			}
			return ""
		}
	}
	return ""
}

// Initialized sends notifications/initialized.
func (s *Session) Initialized(ctx context.Context) *recording.Exchange {
	return s.Do(ctx, Request{Step: recording.StepInitialized, Method: "notifications/initialized",
		Notification: true})
}

// Declared is the result of initialize, raw; empty in modern sessions.
func (s *Session) Declared() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.declared
}

// HTTPSession is the session id that the target issued; empty if none.
func (s *Session) HTTPSession() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// Revision is the revision that the session was opened for.
func (s *Session) Revision() requirement.Revision { return s.opts.Revision }

// ID names the session in the transcript.
func (s *Session) ID() string { return s.opts.ID }

// Unopened reports whether the handshake is left to the script, and none has succeeded.
func (s *Session) Unopened() bool { return s.opts.NoHandshake && s.Declared() == nil }

// Kind says what the session is used for.
func (s *Session) Kind() recording.Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Kind
}

// Expend makes a clean session an expendable one from here on. Nothing may be under way in it.
func (s *Session) Expend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.Kind == recording.Clean {
		s.opts.Kind, s.rec.Kind, s.rec.Clean = recording.Probe, recording.Probe, s.last
	}
}

// Record is the session's entry in a recording.
func (s *Session) Record() *recording.Session { return s.rec }

// Alive reports whether the connection still stands.
func (s *Session) Alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || s.closed || s.rec.Lost != "" {
		return false
	}
	select {
	case <-s.conn.Done():
		return false
	default:
		return true
	}
}

// Last is the number of the last frame of the session so far.
func (s *Session) Last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Close ends the connection, waits until nothing of it is left, at most 90 s, and
// completes the record. A legacy HTTP session is ended with DELETE, as the specification
// asks of clients.
func (s *Session) Close(ctx context.Context) *recording.Session { return s.Detach()(ctx) }

// Detach is the first half of [Session.Close], the one that takes no time: the session
// is not alive any more. What it returns is the other half, for those who need not wait.
func (s *Session) Detach() (finish func(context.Context) *recording.Session) {
	s.mu.Lock()
	over, never := s.closed || s.conn == nil, !s.closed && s.conn == nil
	s.closed = true
	s.mu.Unlock()
	if never {
		s.rec.Complete()
	}
	if over {
		s.end()
		return func(context.Context) *recording.Session { return s.rec }
	}
	return s.finish
}

// AwaitLate waits for answers that did not come in time, as long as they come within the given
// time, each after the last one: what is slow answers before its input ends.
func (s *Session) AwaitLate(ctx context.Context, each time.Duration) {
	const apart = 10 * time.Millisecond // what comes before the end is to be told from what comes of it
	for {
		last := s.Last()
		late := s.unanswered()
		if late == 0 {
			return
		}
		if _, ok := s.Await(ctx, last, each, func(*wire.Frame) bool { return s.unanswered() < late }); !ok {
			return
		}
		s.Quiet(ctx, apart)
	}
}

// unanswered is how many requests were not answered in time, nor since.
func (s *Session) unanswered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, p := range s.pending {
		if p.completed && len(p.ids) > 0 && len(p.x.Replies) == 0 {
			n++
		}
	}
	return n
}

// closeTime bounds the closing of a connection, all signals included, of a process that others keep
// from the processor.
const closeTime = 90 * time.Second

// finish ends the connection and completes the record.
func (s *Session) finish(ctx context.Context) *recording.Session {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	s.end()
	s.mu.Lock()
	id, conn := s.session, s.conn
	s.rec.Closing = s.opts.Transcript.Now()
	s.mu.Unlock()
	if id != "" {
		s.endHTTP(ctx, conn)
	}
	e := conn.Close(ctx)
	s.answers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rec.Closed = s.opts.Transcript.Now()
	s.rec.Ending = &e
	s.rec.Cut = s.Cut()
	if e.By == "target" && s.rec.Lost == "" {
		s.rec.Lost = e.Reason
	}
	s.rec.Complete()
	return s.rec
}

// endHTTP sends DELETE for the session; a refusal is the target's right.
func (s *Session) endHTTP(ctx context.Context, conn transport.Conn) {
	if s.paced(ctx) != nil {
		return // the time for closing is spent on waiting: the session is left to expire
	}
	ctx, cancel := context.WithTimeout(ctx, min(s.opts.Timeout, 2*time.Second))
	defer cancel()
	m := transport.Message{Method: "DELETE", Header: s.headers(Request{}, nil)}
	sent, err := conn.Send(ctx, m)
	if err != nil || sent.Done == nil {
		return
	}
	select {
	case <-sent.Done:
	case <-ctx.Done():
		sent.Cancel()
	}
}

// short cuts a text for use inside a sentence.
func short(s string) string {
	const limit = 200
	if len(s) > limit {
		return s[:limit] + "…"
	}
	return s
}

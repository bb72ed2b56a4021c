// Package recording is what scenarios leave behind and checks judge: sessions,
// frames and exchanges, without any means to talk to a target.
//
// A [Recording] holds one scenario played in one combination of revision and
// transport. It is plain data: it can be written to a file, read back, and
// judged again without the target.
package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Recording is one scenario played in one combination.
type Recording struct {
	Scenario    Name                    `json:"scenario"`
	Combination requirement.Combination `json:"combination"`
	// Facts is what was known about the target when the scenario was played.
	Facts *Facts `json:"-"`
	// Exchanges are the requests and probes of the scenario, in the order in
	// which they were sent.
	Exchanges []*Exchange `json:"exchanges"`
	// Sessions are those that the scenario used; Frames all frames of
	// sessions that it had to itself, and the frames of its exchanges on
	// sessions that it shared, in transcript order.
	Sessions []*Session   `json:"sessions"`
	Frames   []wire.Frame `json:"-"`
	// Parts says of sessions that scenarios had to themselves one after the other, by
	// id, which part was this one's. The frames before and after it are not among Frames.
	Parts map[string]Part `json:"-"`
	// Marks are named instants of the script, such as "triggered".
	Marks []Mark `json:"marks,omitempty"`
	// Broken says why the script could not be played to its end; nil if it was.
	Broken *Broken `json:"broken,omitempty"`
	// Skipped says why the script had no occasion; nil if it had.
	Skipped *Skipped `json:"skipped,omitempty"`
	// Cut says that only the first of many probes were sent; nil if all were.
	Cut *Cut `json:"cut,omitempty"`
	// Retried lists the handshakes that were tried a second time; they stand
	// in the recording of [Everything] alone.
	Retried []Retried `json:"retried,omitempty"`

	notes sync.Map // what has been worked out from the frames; see Note
}

// Part is a part of a session: the frames with numbers above After and, unless it is 0,
// up to Until.
type Part struct{ After, Until int }

// Holds reports whether a frame belongs to it.
func (p Part) Holds(frame int) bool { return frame > p.After && (p.Until == 0 || frame <= p.Until) }

// Note keeps what is expensive to work out from the recording and wanted by many
// checks: the value for a key is made once. It must not be changed afterwards, and
// the key has to tell all that it depends on beside the recording.
func (r *Recording) Note(key any, work func() any) any { return note(&r.notes, key, work) }

// Forget drops what was kept by Note, here and for the exchanges, and what the frames were
// parsed into: it takes up more memory than the recording, and can be worked out again.
func (r *Recording) Forget() {
	r.notes.Clear()
	for i := range r.Frames {
		r.Frames[i].Forget()
	}
	for _, x := range r.Exchanges {
		if x.notes != nil {
			x.notes.Clear()
		}
	}
}

func note(notes *sync.Map, key any, work func() any) any {
	v, ok := notes.Load(key)
	if !ok {
		v, _ = notes.LoadOrStore(key, sync.OnceValue(work))
	}
	return v.(func() any)()
}

// Broken is a script that could not go on: something failed that should have
// worked. Checks on the recording are blocked, unless what they need is there.
type Broken struct {
	Code   Code   `json:"code"`
	Reason string `json:"reason"`
	Frames []int  `json:"frames,omitempty"` // those in which it shows
}

// Skipped is a script that had no occasion: nothing failed.
type Skipped struct {
	Code   Code   `json:"code"`
	Reason string `json:"reason"`
	// LeftOut says that there would have been an occasion, had the user allowed it.
	LeftOut bool `json:"left_out,omitempty"`
}

// Cut is a row of probes that was broken off: what is judged on it is judged on a
// sample.
type Cut struct {
	Tried  int    `json:"tried"`
	Of     int    `json:"of"`
	Reason string `json:"reason"`
}

// CutSlow is the reason of a cut that comes of the time that was spent, and may come of a busy
// machine; what the target does is the reason of others.
const CutSlow = "the target is slow, or asked slowly"

// String says it in a sentence.
func (c *Cut) String() string {
	return fmt.Sprintf("%d of %d reads were tried, since %s", c.Tried, c.Of, c.Reason)
}

// Retried is a handshake that stayed unanswered, and the one on another connection
// that was tried in its place.
type Retried struct {
	First  *Exchange `json:"first"`
	Second *Exchange `json:"second,omitempty"` // nil if there was none
}

// Mark is a named instant of a script.
type Mark struct {
	Name MarkName      `json:"name"`
	At   time.Duration `json:"at"`
	// After is the number of the last frame seen before the mark.
	After int `json:"after"`
	// What says what was done at this instant, and how it ended; empty where
	// there is nothing to say.
	What string `json:"what,omitempty"`
	// Failed says that what was to happen at this instant did not come about.
	Failed bool `json:"failed,omitempty"`
}

// Kind says what a session is used for.
type Kind string

// The kinds. On clean and capable sessions we keep to the specification: checks judge all that
// the target sends there. Probe sessions are expendable. In capable ones
// the client declares what it can do: a target that fails at that may serve all others.
const (
	Clean   Kind = "clean"
	Probe   Kind = "probe"
	Capable Kind = "capable"
)

// Session is one conversation with the target.
type Session struct {
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Clean is the number of the last frame up to which a session that is expendable now was a clean one; 0
	// if it never was.
	Clean int `json:"clean,omitempty"`
	// Opened and Closed are times since the start of the run, and so is Closing, when we
	// began to end the session; 0 in recordings of earlier versions.
	Opened  time.Duration `json:"opened"`
	Closing time.Duration `json:"closing,omitempty"`
	Closed  time.Duration `json:"closed,omitempty"`
	// Initialize is the exchange of the handshake, in legacy revisions.
	Initialize *Exchange `json:"initialize,omitempty"`
	// Exchanges are all messages that we sent in the session.
	Exchanges []*Exchange `json:"-"`
	// Lost says why the connection ended before we closed it; empty if it
	// did not.
	Lost string `json:"lost,omitempty"`
	// Idle says that nothing had been said for five seconds when the connection ended.
	Idle bool `json:"idle,omitempty"`
	// Cut says why we ended the connection before its time: more came on it than is read;
	// empty if we did not.
	Cut string `json:"cut,omitempty"`
	// Ending says how the connection ended.
	Ending *Ending `json:"ending,omitempty"`

	complete chan struct{} // closed when the record is complete
}

// NewSession begins the record of a session that is opened at a time since the start of
// the run. Whoever holds the connection calls [Session.Complete] in the end.
func NewSession(id string, kind Kind, opened time.Duration) *Session {
	return &Session{ID: id, Kind: kind, Opened: opened, complete: make(chan struct{})}
}

// Complete says that nothing is left of the connection: neither the record nor an
// exchange or frame of the session changes any more. It is called once.
func (s *Session) Complete() { close(s.complete) }

// Completed is closed by [Session.Complete], and
// is nil in a recording that was read from a file.
func (s *Session) Completed() <-chan struct{} { return s.complete }

// Ending says how a connection ended.
type Ending struct {
	// By is "us" if we ended it, "target" if the target had done so before.
	By string `json:"by"`
	// How says what it took on stdio: "exited" (on its own or on end of
	// input), "terminated" (SIGTERM), "killed" (SIGKILL); else empty.
	How string `json:"how,omitempty"`
	// Took is the time from closing the input to the end.
	Took time.Duration `json:"took,omitempty"`
	// Status is the exit status in words, "exit status 1"; Stderr the last
	// bytes the process wrote to its standard error.
	Status string `json:"status,omitempty"`
	Stderr string `json:"stderr,omitempty"`
	// Reason is why the target ended it, in one sentence.
	Reason string `json:"reason,omitempty"`
}

// Outcome says what became of a message that we sent.
type Outcome string

// The outcomes.
const (
	Replied  Outcome = "replied" // a JSON-RPC response with the id of the request came
	HTTPOnly Outcome = "http"    // the HTTP response ended without such a response
	Silent   Outcome = "silent"  // nothing came within the time allowed
	Lost     Outcome = "lost"    // the connection ended first
	Unsent   Outcome = "unsent"  // it could not be sent
	Sent     Outcome = "sent"    // a message that awaits no answer
	// HTTP 429 or 503 again and again, or 409 as others are under way: the target asks us to go away
	Refused  Outcome = "refused"
	Canceled Outcome = "canceled" // we cut it off: the run ended, or more came than is read
)

// Exchange is one message that we sent and what came back for it.
type Exchange struct {
	// Step is the line of the script, such as "page" or "missing"; Tags are
	// facts about it, such as the template a URI was expanded from.
	Step    Step   `json:"step"`
	Tags    Tags   `json:"tags,omitempty"`
	Session string `json:"session"`
	Kind    Kind   `json:"kind"`
	// Method, ID and Params are those of the request as sent; ID is raw
	// JSON, empty for notifications and for what is no request.
	Method string          `json:"method,omitempty"`
	ID     json.RawMessage `json:"id,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	// Request is the number of the frame that carried it, Replies those of
	// the frames that answered it: responses with its id, or, where the
	// request had no readable id, responses on its channel. Others are
	// further frames that belong to it and no other exchange (its HTTP
	// response, notifications on its stream).
	Request int     `json:"request,omitempty"`
	Replies []int   `json:"replies,omitempty"`
	Others  []int   `json:"others,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Status and Header are those of the HTTP response; 0 on stdio.
	Status int           `json:"status,omitempty"`
	Header http.Header   `json:"header,omitempty"`
	Sent   time.Duration `json:"sent"`
	Took   time.Duration `json:"took"`
	// Fatal says that the target died of it: sent alone to a fresh session
	// it took the connection down (or left it deaf) again.
	Fatal bool `json:"fatal,omitempty"`
	// Ends is the HTTP status, if there is one, by which everything was answered behind it, repeatedly and in
	// sessions that had nothing else, while they went on behind ordinary requests. That of an ordinary
	// request ([StepAlive]) says that they do not do that either.
	Ends int `json:"ends,omitempty"`
	// Limit says that it was canceled because an answer, or a connection, went beyond
	// what is read of one.
	Limit bool `json:"limit,omitempty"`
	// HeldBack says that its answer came only, but then at once, when another request was answered.
	HeldBack bool `json:"heldBack,omitempty"`
	// Reason explains an outcome other than Replied and Sent in one sentence.
	Reason string `json:"reason,omitempty"`

	// The first reply, parsed, and the members that everybody asks for; see Attach.
	message         wire.Object
	result, failure gjson.Result

	notes *sync.Map // what has been worked out from the reply; see Note
}

// Attach gives the exchange its first reply, so that checks can look into it.
// Sessions call it when the reply comes, readers of recordings after reading.
func (x *Exchange) Attach(m wire.Object) {
	x.message, x.result, x.failure = m, m.Get("result"), m.Get("error")
	x.notes = &sync.Map{}
}

// Note is [Recording.Note] for what depends on the exchange alone. Without a reply
// there is nothing worth keeping.
func (x *Exchange) Note(key any, work func() any) any {
	if x.notes == nil {
		return work()
	}
	return note(x.notes, key, work)
}

// Message is the first reply as a whole; it does not exist if there was none.
func (x *Exchange) Message() wire.Object { return x.message }

// Result is the result member of the first reply.
func (x *Exchange) Result() gjson.Result { return x.result }

// Error is the error member of the first reply.
func (x *Exchange) Error() gjson.Result { return x.failure }

// Succeeded reports whether the first reply carries a result and no error. An
// error of null, as in JSON-RPC 1.0, counts as none.
func (x *Exchange) Succeeded() bool {
	return x.Outcome == Replied && x.Result().Exists() && !x.Failed()
}

// Conflict reports whether the target refused a message because another one of the session was under way.
func (x *Exchange) Conflict() bool { return x.Outcome == Refused && x.Status == http.StatusConflict }

// Barred reports whether the target refused a message for want of a session id that it never issued, or that
// was sent.
func (x *Exchange) Barred() bool { return x.Outcome == Refused && x.Status == http.StatusBadRequest }

// CutOff reports whether it is not known what the target makes of a message: we did not wait for, or read,
// what it answers, or it asks to be called later.
func (x *Exchange) CutOff() bool { return x.Outcome == Canceled || x.Outcome == Refused }

// Failed reports whether the first reply carries an error.
func (x *Exchange) Failed() bool {
	return x.Outcome == Replied && x.Error().Exists() && x.Error().Type != gjson.Null
}

// Code is the error code of the first reply; ok is false if there is no
// integer code. 5.0 counts as 5, and so does "5": that it is a string is RPC-08's.
func (x *Exchange) Code() (code int64, ok bool) {
	c := x.Error().Get("code")
	if n, err := strconv.ParseInt(c.Str, 10, 64); c.Type == gjson.String && err == nil {
		return n, true
	}
	if c.Type != gjson.Number || c.Num != float64(int64(c.Num)) {
		return 0, false
	}
	return int64(c.Num), true
}

// HasCode reports whether the first reply carries an error with one of the codes.
func (x *Exchange) HasCode(codes ...int64) bool {
	code, ok := x.Code()
	return ok && slices.Contains(codes, code)
}

var tooMany = regexp.MustCompile(`(?i)\brate.?limit|\btoo many requests|\bthrottl`)

// OverRate reports whether an error says that too much was asked, as it has to now and then
// (server/utilities/completion#security): no code is laid down for that, and over stdio no status can say it.
// One with a code for what is wrong with the message itself is about that, and one that repeats the words of
// the request, such as its URI, says nothing.
func (x *Exchange) OverRate() bool {
	said := tooMany.FindString(x.Error().Get("message").String())
	return x.Failed() && said != "" && !x.HasCode(-32700, -32600, -32601, -32602, -32002, -32020, -32021,
		-32022, -32042) &&
		!bytes.Contains(bytes.ToLower(x.Params), bytes.ToLower([]byte(said)))
}

var neverThere = regexp.MustCompile(`(^|: )(nothing listens at|no connection to|the host of) `)

// Gone reports whether the connection was lost over a message, or before it could be sent.
func (x *Exchange) Gone() bool { return x.Outcome == Lost || x.Outcome == Unsent }

// Unreached reports whether there was no connection to send a message over: nothing was lost with it.
func (x *Exchange) Unreached() bool {
	return x.Gone() && neverThere.MatchString(x.Reason)
}

// Value is a member of the result of the first reply, by gjson path.
func (x *Exchange) Value(path string) gjson.Result { return x.result.Get(path) }

// URI is the one that the script has asked about, if it has.
func (x *Exchange) URI() string { return x.Tags[TagURI] }

// Param is a member of the params as sent, by gjson path.
func (x *Exchange) Param(path string) gjson.Result { return wire.Parse(x.Params).Get(path) }

// Evidence lists the frames of the exchange in transcript order; none if there is no exchange.
func (x *Exchange) Evidence() []int {
	if x == nil {
		return nil
	}
	frames := make([]int, 0, 1+len(x.Replies)+len(x.Others))
	if x.Request > 0 {
		frames = append(frames, x.Request)
	}
	frames = append(append(frames, x.Replies...), x.Others...)
	slices.Sort(frames)
	return slices.Compact(frames)
}

// Keep lists the items for which a condition holds.
func Keep[T any](all []T, holds func(T) bool) []T {
	var kept []T
	for _, one := range all {
		if holds(one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// OnStdio reports whether the transport is stdio.
func (r *Recording) OnStdio() bool { return r.Combination.Transport == requirement.Stdio }

// OnHTTP reports whether the transport is Streamable HTTP.
func (r *Recording) OnHTTP() bool { return r.Combination.Transport == requirement.HTTP }

// Steps lists the exchanges of the script's lines of these names; none if there is no recording.
func (r *Recording) Steps(names ...Step) []*Exchange {
	if r == nil {
		return nil
	}
	return Keep(r.Exchanges, func(x *Exchange) bool { return slices.Contains(names, x.Step) })
}

// Step is the first exchange of a line of the script, or nil.
func (r *Recording) Step(name Step) *Exchange {
	for _, x := range r.Exchanges {
		if x.Step == name {
			return x
		}
	}
	return nil
}

// Calls lists the exchanges of a method.
func (r *Recording) Calls(method string) []*Exchange {
	return Keep(r.Exchanges, func(x *Exchange) bool { return x.Method == method })
}

// Session finds a session by id, or nil.
func (r *Recording) Session(id string) *Session {
	for _, s := range r.Sessions {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Mark finds a named instant; ok is false if the script did not reach it, or if
// what was to happen then did not: nothing follows from silence afterwards.
func (r *Recording) Mark(name MarkName) (mark Mark, ok bool) {
	for _, m := range r.Marks {
		if m.Name == name {
			return m, !m.Failed
		}
	}
	return Mark{}, false
}

// Frame finds a frame by number, or nil.
func (r *Recording) Frame(number int) *wire.Frame {
	i, ok := slices.BinarySearchFunc(r.Frames, number, func(f wire.Frame, n int) int { return f.Number - n })
	if !ok {
		return nil
	}
	return &r.Frames[i]
}

// Incoming lists the frames that the target sent, after a frame number.
func (r *Recording) Incoming(after int) []*wire.Frame {
	var found []*wire.Frame
	for i := range r.Frames {
		if f := &r.Frames[i]; f.Number > after && f.Dir == wire.In && len(f.Raw) > 0 {
			found = append(found, f)
		}
	}
	return found
}

// methodOf is the method of a frame, also of one that is no JSON as a whole.
func methodOf(f *wire.Frame) gjson.Result {
	if p := f.Parsed(); p.Valid && p.Kind != wire.KindBatch {
		return p.Messages[0].Get("method")
	}
	return gjson.GetBytes(f.Raw, "method")
}

// Notifications lists the incoming notifications of a method, after a frame
// number; an empty method means all of them.
func (r *Recording) Notifications(method string, after int) []*wire.Frame {
	var found []*wire.Frame
	for _, f := range r.Incoming(after) {
		if m := methodOf(f); m.Type == gjson.String && (method == "" || m.Str == method) {
			found = append(found, f)
		}
	}
	return found
}

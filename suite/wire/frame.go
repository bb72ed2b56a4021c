// Package wire holds what crossed the wire: frames as raw bytes, the strict
// reading of them, and the transcript that numbers them in the order in which
// they were seen.
//
// Nothing here repairs anything. A frame keeps the bytes that were sent, and
// [Inspect] says what is wrong with them: duplicate member names, invalid
// UTF-8, a byte order mark, trailing data. Judging starts from these bytes,
// never from decoded structs, because the standard decoder accepts "URI" for
// "uri", keeps the last of two duplicate members and rounds large numbers.
package wire

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Direction is the way a frame went.
type Direction string

// The directions. Note frames went no way: they record an event, such as the
// end of a process or of a stream.
const (
	Out  Direction = "out"  // from us to the target
	In   Direction = "in"   // from the target to us
	Note Direction = "note" // an event on the connection
)

// Frame is one thing that crossed a connection: a message, an HTTP response
// without a message, or an event.
type Frame struct {
	// Number counts from 1 in the order of the transcript; 0 until it is added.
	Number int `json:"number"`
	// Session names the session the frame belongs to, Channel the path
	// inside it: "stdin", "stdout", "post:3", "get:1", "sse", "delete:1".
	// Everything that answers one HTTP request bears the channel of that
	// request.
	Session string    `json:"session"`
	Channel string    `json:"channel"`
	Dir     Direction `json:"direction"`
	// At is the time since the start of the run.
	At time.Duration `json:"at"`
	// Raw is the message as it was sent, without the framing of the
	// transport (the newline of stdio, the "data:" of an event stream). It
	// is cut at the size limit; Size is the original length in bytes.
	Raw       []byte `json:"raw,omitempty"`
	Size      int    `json:"size"`
	Truncated bool   `json:"truncated,omitempty"`
	// HTTP is set on each outgoing HTTP request and on the first frame of
	// each HTTP response.
	HTTP *HTTP `json:"http,omitempty"`
	// Event is set on frames that came as a server-sent event.
	Event *Event `json:"event,omitempty"`
	// Flaws lists what a strict reader finds wrong with an incoming frame.
	Flaws []Flaw `json:"flaws,omitempty"`
	// Text says what happened, on Note frames, in one sentence.
	Text string `json:"text,omitempty"`
}

// HTTP is the HTTP part of a frame.
type HTTP struct {
	Method string      `json:"method,omitempty"` // requests
	URL    string      `json:"url,omitempty"`    // requests
	Status int         `json:"status,omitempty"` // responses
	Header http.Header `json:"header,omitempty"`
}

// Event is what surrounds the data of a server-sent event.
type Event struct {
	Type  string `json:"type,omitempty"` // the event field; empty if absent
	ID    string `json:"id,omitempty"`
	HasID bool   `json:"has_id,omitempty"`
	Retry string `json:"retry,omitempty"` // as sent
	Lines int    `json:"lines,omitempty"` // how many data lines the data was joined from
}

// FlawCode names a way in which bytes are not one well-formed JSON message in
// the framing of its transport.
type FlawCode string

// The flaws.
const (
	FlawNotJSON      FlawCode = "not-json"       // the bytes are no JSON value
	FlawTrailing     FlawCode = "trailing-data"  // more follows the JSON value
	FlawDuplicate    FlawCode = "duplicate-name" // an object has a member twice
	FlawUTF8         FlawCode = "invalid-utf8"
	FlawBOM          FlawCode = "bom"            // a byte order mark leads the bytes
	FlawCR           FlawCode = "cr"             // stdio: a carriage return ends the line (legal white space)
	FlawBlank        FlawCode = "blank-line"     // stdio: a line without content
	FlawUnterminated FlawCode = "unterminated"   // stdio: the stream ended inside a line; SSE: inside an event; HTTP: inside the body
	FlawNotObject    FlawCode = "not-object"     // a JSON value that is neither object nor array
	FlawSurrogate    FlawCode = "lone-surrogate" // a \u escape that is half a pair
	FlawFraming      FlawCode = "framing"        // SSE: a line that is neither field nor comment
	FlawTooLong      FlawCode = "too-long"       // longer than the limit; the rest was dropped
)

// Flaw is one finding of the strict reader.
type Flaw struct {
	Code   FlawCode `json:"code"`
	Detail string   `json:"detail,omitempty"` // the member, the offset, the first bytes
}

// HasFlaw reports whether the strict reader found a flaw of that kind.
func (f *Frame) HasFlaw(code FlawCode) bool {
	return has(f.Flaws, code)
}

// Budget bounds the memory of a transcript. The zero value means the defaults.
type Budget struct {
	// Frame is how many bytes of one message are kept; default 16 MiB. Checks
	// need whole messages, so it should be no less than the limit at which
	// the transport cuts them.
	Frame int
	// Total is how many bytes are kept in all, with 512 bytes for each
	// frame on top of its message and headers; default 256 MiB.
	Total int64
}

func (b Budget) withDefaults() Budget {
	b.Frame = cmp.Or(b.Frame, 16<<20)
	b.Total = cmp.Or(b.Total, 256<<20)
	return b
}

// frameCost is what a frame takes beside its bytes, roughly. Without it a
// stream of empty lines would cost nothing and fill the memory.
const frameCost = 512

// Transcript is the list of everything that crossed the wire in a run, over all
// sessions, numbered in the order in which it was seen. Its methods may be used
// from several goroutines, none of them waits for anything.
//
// The frames that it hands out share their bytes and headers with it: they are
// to be read, not changed.
type Transcript struct {
	start  time.Time
	budget Budget

	mu       sync.Mutex
	frames   []Frame
	sessions map[string][]int // indexes into frames
	spent    int64
	overflow bool
	full     chan struct{} // closed when frames are refused
}

// NewTranscript starts an empty transcript; its clock begins now.
func NewTranscript(b Budget) *Transcript {
	return &Transcript{start: time.Now(), budget: b.withDefaults(), sessions: map[string][]int{}, full: make(chan struct{})}
}

// Full is closed when the budget is spent and frames are refused.
func (t *Transcript) Full() <-chan struct{} { return t.full }

// Now is the time since the start.
func (t *Transcript) Now() time.Duration { return time.Since(t.start) }

// Add numbers the frame, notes the time, keeps it and returns number and time. The
// transcript owns the frame's bytes from then on.
//
// A message longer than the budget for one frame is cut. Once the budget for
// all is spent, one last frame of direction [Note] says so, [Transcript.Overflow]
// reports true, and further frames are refused: their number is 0.
func (t *Transcript) Add(f Frame) (int, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.overflow {
		return 0, t.Now()
	}
	if f.Size < len(f.Raw) {
		f.Size = len(f.Raw)
	}
	if len(f.Raw) > t.budget.Frame {
		f.Raw = bytes.Clone(f.Raw[:t.budget.Frame])
		f.Truncated = true
		f.Flaws = Merge(f.Flaws, []Flaw{TooLong(f.Size, t.budget.Frame)})
	}
	cost := cost(&f)
	if t.spent+cost > t.budget.Total {
		t.overflow = true
		close(t.full)
		t.keep(Frame{Session: f.Session, Channel: f.Channel, Dir: Note,
			Text: "the transcript is full; nothing that came after this is kept"})
		return 0, t.Now()
	}
	t.spent += cost
	return t.keep(f)
}

func (t *Transcript) keep(f Frame) (int, time.Duration) {
	f.Number = len(t.frames) + 1
	f.At = t.Now()
	t.sessions[f.Session] = append(t.sessions[f.Session], len(t.frames))
	t.frames = append(t.frames, f)
	return f.Number, f.At
}

// cost is about how many bytes the frame occupies.
func cost(f *Frame) int64 {
	n := frameCost + len(f.Raw) + len(f.Text)
	if f.HTTP != nil {
		n += len(f.HTTP.URL)
		for name, values := range f.HTTP.Header {
			n += len(name)
			for _, v := range values {
				n += len(v)
			}
		}
	}
	if f.Event != nil {
		n += len(f.Event.Type) + len(f.Event.ID) + len(f.Event.Retry)
	}
	for _, x := range f.Flaws {
		n += len(x.Detail)
	}
	return int64(n)
}

// Len is the number of the last frame.
func (t *Transcript) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.frames)
}

// Frame is the frame with that number; false if there is none.
func (t *Transcript) Frame(n int) (Frame, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < 1 || n > len(t.frames) {
		return Frame{}, false
	}
	return t.frames[n-1], true
}

// Since is a copy of the frames after number n; Since(0) is all of them.
func (t *Transcript) Since(n int) []Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.frames[min(max(n, 0), len(t.frames)):])
}

// Session is a copy of the frames of one session, in order.
func (t *Transcript) Session(id string) []Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.sessions[id]
	out := make([]Frame, len(at))
	for i, n := range at {
		out[i] = t.frames[n]
	}
	return out
}

// Overflow reports whether frames were refused because the budget was spent.
func (t *Transcript) Overflow() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.overflow
}

// Restore makes a transcript of frames that were recorded before, numbered from
// 1 on.
func Restore(frames []Frame) *Transcript {
	t := NewTranscript(Budget{})
	for i := range frames {
		t.sessions[frames[i].Session] = append(t.sessions[frames[i].Session], i)
	}
	t.frames = frames
	return t
}

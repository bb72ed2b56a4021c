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
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
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
	Raw []byte `json:"raw,omitempty"`
	// Long is the result of the message, if it is kept apart; an empty object stands in
	// its place in Raw. In a recorded run ResultOf is the number of a frame with the same one.
	Long      *Long `json:"-"`
	ResultOf  int   `json:"result_of,omitempty"`
	Size      int   `json:"size"`
	Truncated bool  `json:"truncated,omitempty"`
	// HTTP is set on each outgoing HTTP request and on the first frame of
	// each HTTP response.
	HTTP *HTTP `json:"http,omitempty"`
	// Event is set on frames that came as a server-sent event.
	Event *Event `json:"event,omitempty"`
	// Flaws lists what a strict reader finds wrong with an incoming frame.
	Flaws []Flaw `json:"flaws,omitempty"`
	// Text says what happened, on Note frames, in one sentence.
	Text string `json:"text,omitempty"`

	parsed *atomic.Pointer[Parsed] // for all copies of the frame; see Keep
}

// HTTP is the HTTP part of a frame.
type HTTP struct {
	Method string      `json:"method,omitempty"` // requests
	URL    string      `json:"url,omitempty"`    // requests
	Status int         `json:"status,omitempty"` // responses
	Header http.Header `json:"header,omitempty"`
}

// Coding is the content coding that a head names; empty if the body is plain.
func Coding(h http.Header) string {
	if coding := h.Get("Content-Encoding"); !strings.EqualFold(coding, "identity") {
		return coding
	}
	return ""
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
	FlawNotJSON   FlawCode = "not-json"       // the bytes are no JSON value
	FlawTrailing  FlawCode = "trailing-data"  // more follows the JSON value
	FlawDuplicate FlawCode = "duplicate-name" // an object has a member twice
	FlawUTF8      FlawCode = "invalid-utf8"
	FlawBOM       FlawCode = "bom"        // a byte order mark leads the bytes
	FlawCR        FlawCode = "cr"         // stdio: a carriage return ends the line (legal white space)
	FlawBlank     FlawCode = "blank-line" // stdio: a line without content
	// stdio: the stream ended inside a line; SSE: inside an event; HTTP: inside the body
	FlawUnterminated FlawCode = "unterminated"
	// SSE, beside unterminated: the connection failed, so that it is not known what the server wrote
	FlawBrokenOff FlawCode = "broken-off"
	FlawNotObject FlawCode = "not-object"     // a JSON value that is neither object nor array
	FlawSurrogate FlawCode = "lone-surrogate" // a \u escape that is half a pair
	FlawFraming   FlawCode = "framing"        // SSE: a line that is neither field nor comment
	FlawTooLong   FlawCode = "too-long"       // longer than the limit; the rest was dropped
	FlawTooDeep   FlawCode = "too-deep"       // nested deeper than is read
	FlawSurplus   FlawCode = "surplus"        // HTTP, on a note: bytes came that belong to no response
)

// Flaw is one finding of the strict reader.
type Flaw struct {
	Code   FlawCode `json:"code"`
	Detail string   `json:"detail,omitempty"` // the member, the offset, the first bytes
}

// flawWords are the codes that are no words.
var flawWords = map[FlawCode]string{FlawNotJSON: "not JSON", FlawUTF8: "invalid UTF-8",
	FlawBOM: "byte order mark", FlawCR: "carriage return"}

// String is the flaw in words, as it is told beside the bytes, which need not be quoted.
func (f Flaw) String() string {
	words := cmp.Or(flawWords[f.Code], strings.ReplaceAll(string(f.Code), "-", " "))
	if f.Detail != "" && !strings.HasPrefix(f.Detail, textBegins) {
		words += ", " + f.Detail
	}
	return words
}

// Evidence is the number of the frame.
func (f *Frame) Evidence() []int { return []int{f.Number} }

// HasFlaw reports whether the strict reader found a flaw of that kind.
func (f *Frame) HasFlaw(code FlawCode) bool {
	return HasFlaw(f.Flaws, code)
}

// AddFlaw adds what a strict reader finds wrong, unless it has a flaw of that kind.
func (f *Frame) AddFlaw(code FlawCode, format string, args ...any) {
	f.Flaws = Merge(f.Flaws, []Flaw{{code, fmt.Sprintf(format, args...)}})
}

// cut says that only a beginning is kept of what is longer than the limit.
func (f *Frame) cut() {
	f.Truncated = true
	f.AddFlaw(FlawTooLong, "%d bytes, of which the first %d were kept", f.Size, len(f.Raw))
}

// Merge joins two lists of flaws and leaves out those of a kind already listed.
func Merge(a, b []Flaw) []Flaw {
	for _, f := range b {
		if !HasFlaw(a, f.Code) {
			a = append(a, f)
		}
	}
	return a
}

// HasFlaw reports whether a list has a flaw of that kind.
func HasFlaw(flaws []Flaw, code FlawCode) bool {
	return slices.ContainsFunc(flaws, func(f Flaw) bool { return f.Code == code })
}

package operation

import (
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
)

// The sorts of messages, as Operation.On names them.
const (
	OnRequest      = "request"
	OnReply        = "reply"
	OnResponse     = "response"
	OnNotification = "notification"
	OnHTTPRequest  = "http-request"
	OnHTTPAnswer   = "http-answer"
	OnEvent        = "event"
)

// Operation does one thing to the messages that it selects: exactly one of Set, Drop, Retype,
// Rewrite, Code, Silence, Delay, Repeat, Reorder, Abort, Send, Answer and Note is given.
type Operation struct {
	// On is the sort of message: request, reply, response, notification, http-request,
	// http-answer or event; empty means reply.
	On string `yaml:"on" json:"on,omitempty"`
	// Method is the method of the message, or of the request that it answers: "resources/*"
	// matches by beginning, "a|b" either.
	Method string `yaml:"method" json:"method,omitempty"`
	// Era is legacy (revisions with a handshake) or modern (2026-07-28 on); empty is both.
	Era string `yaml:"era" json:"era,omitempty"`
	// Transport is stdio, http or sse, "a|b" either; empty is all.
	Transport string `yaml:"transport" json:"transport,omitempty"`
	// When are tests of the message, which all must hold.
	When []Test `yaml:"when" json:"when,omitempty"`
	// Skip is how many of these messages pass before the first is changed.
	Skip int `yaml:"skip" json:"skip,omitempty"`
	// Count is how many are changed; 0 means all.
	Count int `yaml:"count" json:"count,omitempty"`
	// Every changes only every so many of them; 0 means each.
	Every int `yaml:"every" json:"every,omitempty"`
	// Chance is the probability, drawn by the seed, with which one is changed; 0 means always.
	Chance float64 `yaml:"chance" json:"chance,omitempty"`

	// Set is the path of a member that is given the value To.
	Set string `yaml:"set" json:"set,omitempty"`
	// To is the value of Set and Note; absent means null.
	To any `yaml:"to" json:"to,omitzero"`
	// Drop is the path of a member that is taken away.
	Drop string `yaml:"drop" json:"drop,omitempty"`
	// Retype is the path of a member that is given the type As.
	Retype string `yaml:"retype" json:"retype,omitempty"`
	// As is string, number, array, element, json, base64 or plain.
	As string `yaml:"as" json:"as,omitempty"`
	// Rewrite is the path of a string in which Pattern is replaced by With.
	Rewrite string `yaml:"rewrite" json:"rewrite,omitempty"`
	// Pattern is a regular expression (RE2).
	Pattern string `yaml:"pattern" json:"pattern,omitempty"`
	// With takes the place of what Pattern matches; $1 is its first group.
	With string `yaml:"with" json:"with,omitempty"`
	// Where are tests of the object that the last name of the path is in.
	Where []Test `yaml:"where" json:"where,omitempty"`
	// Code is the new code of an error.
	Code *int64 `yaml:"code" json:"code,omitempty"`
	// Was is the code that Code replaces; absent means any.
	Was *int64 `yaml:"was" json:"was,omitempty"`
	// Silence withholds the message.
	Silence bool `yaml:"silence" json:"silence,omitempty"`
	// Delay is how long the message waits, as in 50ms or uniform:10ms-90ms.
	Delay *Delay `yaml:"delay" json:"delay,omitempty"`
	// Repeat is how many times the message is sent.
	Repeat int `yaml:"repeat" json:"repeat,omitempty"`
	// Reorder has the first of two messages wait for the second, for this time at the most.
	Reorder Duration `yaml:"reorder" json:"reorder,omitzero"`
	// Abort ends the connection, on HTTP the session.
	Abort bool `yaml:"abort" json:"abort,omitempty"`
	// Send is another message, which is sent before this one.
	Send map[string]any `yaml:"send" json:"send,omitzero"`
	// After sends it after this one.
	After bool `yaml:"after" json:"after,omitempty"`
	// Apart sends it on the connection, as a message that belongs to no request.
	Apart bool `yaml:"apart" json:"apart,omitempty"`
	// Answer answers a request, which is not handled.
	Answer *Stub `yaml:"answer" json:"answer,omitempty"`
	// Note is the name under which the value To is remembered.
	Note string `yaml:"note" json:"note,omitempty"`
	// Per is connection, session or revision, for each of which is remembered apart; empty is the server.
	Per string `yaml:"per" json:"per,omitempty"`
}

// String says in short what the operation does, for lists and the journal.
func (o *Operation) String() string {
	return strings.TrimSpace(strings.Join(o.given(), " ") + " " + o.at())
}

// Test is a condition on what stands at a path: all of Is, In, Matches and Type that are given must hold.
type Test struct {
	// At is the path.
	At string `yaml:"at" json:"at,omitempty" mistaken:"path,param,params,member"`
	// Is is the value that has to stand there.
	Is any `yaml:"is" json:"is,omitzero" mistaken:"equals,equal,equalto,value"`
	// In is the path of an array that has to have the value in it, or of a value that it has to be.
	In string `yaml:"in" json:"in,omitempty"`
	// Matches is a regular expression (RE2) that has to match the text that stands there.
	Matches string `yaml:"matches" json:"matches,omitempty"`
	// Type is string, number, boolean, null, object, array or missing.
	Type string `yaml:"type" json:"type,omitempty"`
	// Not has the test hold where it otherwise would not.
	Not bool `yaml:"not" json:"not,omitempty"`
}

// Stub is what a request is answered with: a Result, an error with a Code, Raw, or Base64; an
// http-request with a Status and a Body. A notification is answered only by Raw and Base64.
type Stub struct {
	// Result is the result of a request.
	Result map[string]any `yaml:"result" json:"result,omitzero"`
	// Code is the code of an error.
	Code int64 `yaml:"code" json:"code,omitempty"`
	// Message is the message of the error.
	Message string `yaml:"message" json:"message,omitempty"`
	// Data is the data of the error.
	Data any `yaml:"data" json:"data,omitzero"`
	// Raw is sent as it stands, Base64 decoded; on stdio a line break follows.
	Raw    string `yaml:"raw" json:"raw,omitempty"`
	Base64 string `yaml:"base64" json:"base64,omitempty"`
	// Status is the HTTP status; 0 means 200.
	Status int `yaml:"status" json:"status,omitempty"`
	// Header is added to an answer over HTTP.
	Header map[string]string `yaml:"header" json:"header,omitempty"`
	// Body is the body of the answer to an http-request; Base64 can stand for it.
	Body string `yaml:"body" json:"body,omitempty"`
	// Template has placeholders in Raw and Body stand for values.
	Template bool `yaml:"template" json:"template,omitempty"`
}

// Duration is a time span, in files and JSON a string such as "1.5s".
type Duration time.Duration

// MarshalText writes the span.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads the span.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := nearest.Duration(string(text))
	*d = Duration(span)
	return err
}

// Rule is what happens to the messages within limits, as a world file has it: exactly one of Do, Fault,
// Quirk, Fail and Delay is given.
type Rule struct {
	// ID names the rule in the lists of the admin API and in the journal; empty has one made up.
	ID string `yaml:"id" json:"id,omitempty"`
	// Fault is the name of a fault or of a failure of the connection.
	Fault string `yaml:"fault" json:"fault,omitempty"`
	// Quirk is the name of a quirk.
	Quirk string `yaml:"quirk" json:"quirk,omitempty"`
	// Fail answers requests with a canned failure.
	Fail *Failure `yaml:"fail" json:"fail,omitempty" mistaken:"error,answer,respond"`
	// Delay holds answers back.
	Delay *Delay `yaml:"delay" json:"delay,omitempty"`
	// Do are the operations, which change messages in the vocabulary in which faults and quirks are written.
	Do     []Operation `yaml:"do" json:"do,omitempty"`
	Limits `yaml:",inline"`
}

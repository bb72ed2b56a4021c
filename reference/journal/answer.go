package journal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync/atomic"
)

// Answer is a response over HTTP, as it is noted by [Journal.NoteAnswer].
type Answer struct {
	// Request is the entry of what it answers.
	Request *Entry
	// ID, Session and Rules are those of the answer.
	ID      json.RawMessage
	Session string
	Rules   []string
	// Head and Rest are the message.
	Head []byte
	Rest *Shared
	// Status is the HTTP status, Header the headers; nil means those of JSON and of its length.
	Status int
	Header http.Header
}

// entry is what an answer tells, but for its head and the rest of the message.
func (a *Answer) entry() Entry {
	r := a.Request
	return Entry{
		Kind: Response, Direction: Out, Transport: r.Transport, Session: a.Session, Connection: r.Connection, Revision: r.Revision,
		Identity: r.Identity, Method: r.Method, URI: r.URI, ID: a.ID, RequestSeq: r.Seq, Size: len(a.Head) + len(a.Rest.data), Raw: a.Head, Rules: a.Rules,
	}
}

func (a *Answer) head() HTTP {
	return HTTP{Status: a.Status, unmasked: a.Header, usual: a.Header == nil}
}

// Shared is the end of many messages: the result of a read that always yields the
// same, say. Entries do not copy it before somebody looks at them.
type Shared struct {
	data []byte
	// start is a copy of the beginning, so that entries do not hold on to all.
	start atomic.Pointer[Shared]
}

// NewShared makes a shared part of bytes that nobody changes.
func NewShared(data []byte) *Shared { return &Shared{data: data} }

// Bytes are the bytes, nil if s is nil. They must not be changed.
func (s *Shared) Bytes() []byte {
	if s == nil {
		return nil
	}
	return s.data
}

// cut is what an entry keeps of the part if it keeps n bytes of a message, or more.
func (s *Shared) cut(n int) *Shared {
	if len(s.data) <= n {
		return s
	}
	start := s.start.Load()
	if start == nil || len(start.data) < n {
		start = NewShared(bytes.Clone(s.data[:n]))
		s.start.Store(start)
	}
	return start
}

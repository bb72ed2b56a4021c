package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/internal/redact"
)

// A journal holds thousands of entries of which few are looked at. Until then an entry is one
// piece of memory without pointers, which costs the garbage collector nothing to pass by.

// unpack puts headers where they are looked for, and keeps them from being changed.
func (e *Entry) unpack() {
	if e.HTTP == nil {
		return
	}
	h := *e.HTTP
	if e.HTTP = &h; h.usual {
		h.Header, h.usual = headerOfJSON(e.Size), false
	} else {
		h.Header = h.Header.Clone()
	}
}

func headerOfJSON(size int) http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(size)}}
}

// usualHeader stands for the headers of JSON and of its length, in place of their number.
const usualHeader = 1

// #nosec G115 -- lengths and numbers of entries are not negative
func appendNumber(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func appendText(b []byte, s string) []byte { return append(appendNumber(b, len(s)), s...) }

func appendTexts(b []byte, all []string) []byte {
	b = appendNumber(b, len(all))
	for _, s := range all {
		b = appendText(b, s)
	}
	return b
}

// appendEntry appends all of an entry but the time. The message comes last.
func appendEntry(b []byte, e *Entry) []byte {
	// #nosec G115 -- entries are counted one by one
	b = appendNumber(appendNumber(appendNumber(b, int(e.Seq)), int(e.RequestSeq)), e.Size)
	b = appendNumber(b, e.Retry)
	b = appendText(appendText(b, string(e.Direction)), string(e.Kind))
	for _, s := range [...]string{
		e.Transport, e.Session, e.Connection, e.Revision, e.Identity, e.Method, e.URI, e.Stream, e.EventID,
		e.Scope, e.Reason,
	} {
		b = appendText(b, s)
	}
	b = append(appendNumber(appendTexts(b, e.Rules), len(e.ID)), e.ID...)
	if h := e.HTTP; h == nil {
		b = appendNumber(b, 0)
	} else {
		b = appendNumber(appendText(appendText(appendNumber(b, 1), h.Method), h.Path), h.Status)
		b = appendHeader(b, h)
	}
	return append(b, e.Raw...)
}

// appendHeader appends the number of headers, and two more, and then those.
func appendHeader(b []byte, h *HTTP) []byte {
	if h.usual {
		return appendNumber(b, usualHeader)
	}
	b = appendNumber(b, len(h.Header)+1+usualHeader)
	for name, values := range h.Header {
		b = appendTexts(appendText(b, name), values)
	}
	return b
}

// unpacker reads what has been packed. Strings share its memory.
type unpacker struct {
	b []byte
	s string // the same
}

func (u *unpacker) number() int {
	n, width := binary.Uvarint(u.b)
	u.b, u.s = u.b[width:], u.s[width:]
	return int(n) // #nosec G115 -- written by appendNumber, from an int
}

func (u *unpacker) text() string {
	n := u.number()
	s := u.s[:n]
	u.b, u.s = u.b[n:], u.s[n:]
	return s
}

func (u *unpacker) texts() []string {
	var all []string
	for n := u.number(); n > 0; n-- {
		all = append(all, u.text())
	}
	return all
}

// unpacked reads an entry, whose message may have a rest, of which up to n bytes are kept.
func unpacked(b []byte, at time.Time, rest *Shared, n int) *Entry {
	b = bytes.Clone(b) // whose memory is used again
	u := &unpacker{b, string(b)}
	// #nosec G115 -- written by appendNumber, from numbers of entries
	e := &Entry{Time: at, Seq: uint64(u.number()), RequestSeq: uint64(u.number()), Size: u.number(),
		Retry: u.number()}
	e.Direction, e.Kind = Direction(u.text()), Kind(u.text())
	for _, s := range [...]*string{
		&e.Transport, &e.Session, &e.Connection, &e.Revision, &e.Identity, &e.Method, &e.URI, &e.Stream,
		&e.EventID, &e.Scope, &e.Reason,
	} {
		*s = u.text()
	}
	e.Rules = u.texts()
	if id := u.text(); id != "" {
		e.ID = json.RawMessage(id)
	}
	if u.number() > 0 {
		e.HTTP = &HTTP{Method: u.text(), Path: u.text(), Status: u.number()}
		e.HTTP.Header = u.header(e.Size)
	}
	if e.Raw = u.b; rest != nil {
		e.Raw = slices.Concat(u.b, rest.data)
		e.Raw = e.Raw[:min(n, len(e.Raw))]
	}
	if len(e.Raw) == 0 {
		e.Raw = nil
	}
	return e
}

func (u *unpacker) header(size int) http.Header {
	n := u.number()
	if n == usualHeader {
		return headerOfJSON(size)
	}
	if n -= 1 + usualHeader; n == 0 {
		return nil
	}
	h := make(http.Header, n)
	for range n {
		name := u.text()
		h[name] = u.texts()
	}
	return h
}

// block is memory for packed entries, which is used again when none of them is kept any more.
type block struct {
	data []byte
	kept int // entries
}

const (
	// The first block is small, because a program can have a thousand journals with little in them.
	firstBlock = 4 << 10
	blockSize  = 64 << 10
	// roomy is what a block must have left for an entry: most take less.
	roomy = 1 << 10
)

// blockSize is that of the next block: twice that of the one before. The caller holds mu.
func (j *Journal) blockSize() int {
	if j.filling == nil {
		return firstBlock
	}
	return min(2*cap(j.filling.data), blockSize)
}

// pack puts an entry into one piece. The caller holds mu.
func (j *Journal) pack(e *Entry) place {
	b := j.filling
	if b == nil || cap(b.data)-len(b.data) < roomy {
		if b = j.spare; b == nil {
			b = &block{data: make([]byte, 0, j.blockSize())}
		}
		j.filling, j.spare = b, nil
	}
	free := b.data[len(b.data):]
	p := place{packed: appendEntry(free, e), time: e.Time}
	if len(p.packed) <= cap(free) { // otherwise it has moved to memory of its own
		b.data = b.data[:len(b.data)+len(p.packed)]
		b.kept++
		p.block = b
	}
	return p
}

// release says that a packed entry is not needed any more. The caller holds mu.
func (j *Journal) release(p place) {
	if p.block == nil {
		return
	}
	if p.block.kept--; p.block.kept == 0 {
		p.block.data = p.block.data[:0]
		if p.block != j.filling {
			j.spare = p.block
		}
	}
}

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
		Kind: Response, Direction: Out, Transport: r.Transport, Session: a.Session, Connection: r.Connection,
		Revision: r.Revision,
		Identity: r.Identity, Method: r.Method, URI: r.URI, ID: a.ID, RequestSeq: r.Seq,
		Size: len(a.Head) + len(a.Rest.data), Raw: a.Head, Rules: a.Rules,
	}
}

func (a *Answer) head() HTTP {
	return HTTP{Status: a.Status, Header: a.Header, usual: a.Header == nil}
}

// Shared is the end of many messages: the result of a read that always yields the
// same, say. Entries do not copy it before somebody looks at them.
type Shared struct {
	data []byte
	// start is a copy of the beginning, so that entries do not hold on to all.
	start atomic.Pointer[Shared]
	// hidden is what is left without secrets.
	hidden atomic.Pointer[hidden]
}

// hidden is a shared part as a version of a Redactor has it.
type hidden struct {
	version any
	rest    *Shared
}

// opening makes a shared part JSON.
const opening = `{"jsonrpc":"2.0",`

// without is the part without secrets, which are looked for once.
func (s *Shared) without(r *redact.Redactor) *Shared {
	version := r.Version()
	if h := s.hidden.Load(); h != nil && h.version == version {
		return h.rest
	}
	m := redact.Message{Body: append([]byte(opening), s.data...)}
	r.Hide(&m)
	rest := s
	if left := m.Body[len(opening):]; !bytes.Equal(left, s.data) {
		rest = NewShared(left)
	}
	s.hidden.Store(&hidden{version, rest})
	return rest
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

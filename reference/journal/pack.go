package journal

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/internal/redact"
)

// A journal holds thousands of entries of which few are looked at. Until then an entry is one
// piece of memory without pointers, which costs the garbage collector nothing to pass by.

// packer puts the members of an entry into one piece of memory or, if it is reading, takes them from there.
// Texts that it reads share its memory.
type packer struct {
	b       []byte
	s       string // the same, if it is reading
	reading bool
}

// entry goes through all of an entry but the time and the message.
func (p *packer) entry(e *Entry) {
	number(p, &e.Seq)
	number(p, &e.RequestSeq)
	number(p, &e.Size)
	number(p, &e.Retry)
	text(p, &e.Direction)
	text(p, &e.Kind)
	for _, s := range [...]*string{
		&e.Transport, &e.Session, &e.Connection, &e.Revision, &e.Identity, &e.Method, &e.URI, &e.Stream,
		&e.EventID, &e.Scope, &e.Reason,
	} {
		text(p, s)
	}
	text(p, &e.ID)
	p.texts(&e.Rules)
	heads := 0
	if e.HTTP != nil {
		heads = 1
	}
	if number(p, &heads); heads == 0 {
		return
	}
	if p.reading {
		e.HTTP = &HTTP{}
	}
	text(p, &e.HTTP.Method)
	text(p, &e.HTTP.Path)
	number(p, &e.HTTP.Status)
	p.header(&e.HTTP.Header)
}

// #nosec G115 -- numbers of entries are not negative, and what is read was one
func number[T ~int | ~uint64](p *packer, n *T) {
	if !p.reading {
		p.b = binary.AppendUvarint(p.b, uint64(*n))
		return
	}
	v, width := binary.Uvarint(p.b)
	p.b, p.s, *n = p.b[width:], p.s[width:], T(v)
}

func text[T ~string | ~[]byte](p *packer, s *T) {
	if !p.reading {
		p.b = append(binary.AppendUvarint(p.b, uint64(len(*s))), *s...)
		return
	}
	n := 0
	if number(p, &n); n > 0 {
		*s = T(p.s[:n])
		p.b, p.s = p.b[n:], p.s[n:]
	}
}

func (p *packer) texts(all *[]string) {
	n := len(*all)
	if number(p, &n); p.reading && n > 0 {
		*all = make([]string, n)
	}
	for i := range *all {
		text(p, &(*all)[i])
	}
}

func (p *packer) header(h *http.Header) {
	n := len(*h)
	if number(p, &n); p.reading && n > 0 {
		*h = make(http.Header, n)
		for range n {
			var name string
			var values []string
			text(p, &name)
			p.texts(&values)
			(*h)[name] = values
		}
		return
	}
	for name, values := range *h {
		text(p, &name)
		p.texts(&values)
	}
}

// The memory for packed entries is taken in chunks. The first is small, because a program can have a thousand
// journals with little in them. Most entries take less than what a chunk must have left.
const firstChunk, largestChunk, roomy = 4 << 10, 64 << 10, 1 << 10

// packed puts an entry into one piece. The caller holds mu.
func (j *Journal) packed(e *Entry) []byte {
	if cap(j.chunk)-len(j.chunk) < roomy {
		j.chunk = make([]byte, 0, min(max(2*cap(j.chunk), firstChunk), largestChunk))
	}
	free := j.chunk[len(j.chunk):]
	p := packer{b: free}
	p.entry(e)
	b := append(p.b, e.Raw...)
	if len(b) <= cap(free) { // otherwise append has moved it elsewhere
		j.chunk = j.chunk[:len(j.chunk)+len(b)]
	}
	return b[:len(b):len(b)]
}

// unpacked reads an entry, whose message may have a rest, of which up to n bytes are kept.
func unpacked(b []byte, at time.Time, rest *Shared, n int) *Entry {
	p := &packer{b, string(b), true}
	e := &Entry{Time: at}
	p.entry(e)
	if e.Raw = p.b; rest != nil {
		e.Raw = slices.Concat(p.b, rest.data)
		e.Raw = e.Raw[:min(n, len(e.Raw))]
	}
	if len(e.Raw) == 0 {
		e.Raw = nil
	}
	return e
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

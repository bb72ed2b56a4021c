package journal

import (
	"bytes"
	"encoding/binary"
	"maps"
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
	n := len(*s)
	switch number(p, &n); {
	case !p.reading:
		p.b = append(p.b, *s...)
	case n > 0:
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
	names := slices.Collect(maps.Keys(*h))
	if p.texts(&names); p.reading && len(names) > 0 {
		*h = http.Header{}
	}
	for _, name := range names {
		values := (*h)[name]
		if p.texts(&values); p.reading {
			(*h)[name] = values
		}
	}
}

// packed puts an entry into one piece. The caller holds mu.
func (j *Journal) packed(e *Entry) []byte {
	p := &packer{b: j.scratch[:0]}
	p.entry(e)
	j.scratch = append(p.b, e.Raw...)
	return bytes.Clone(j.scratch)
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

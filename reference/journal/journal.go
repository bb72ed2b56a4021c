package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/internal/redact"
)

// The bounds of a journal, where Options do not set others.
const (
	DefaultEntries = 10_000
	DefaultBytes   = 32 << 20
	DefaultMaxRaw  = 64 << 10
	// overhead is what an entry is reckoned to take beside its message.
	overhead = 512
)

// Options bound a journal. The zero value gives the defaults.
type Options struct {
	// Entries and Bytes are how much is kept.
	Entries int
	Bytes   int
	// MaxRaw is how many bytes of one message are kept.
	MaxRaw int
	// Writer gets every entry as a line of JSON, before the server acts on it.
	// After the first error nothing more is written; see Err.
	Writer io.Writer
	// Tap is called with every entry and the whole message, in order, one call at
	// a time, both without secrets. It must be quick, must keep neither without copying the
	// message, and must not use the journal.
	Tap func(e *Entry, message []byte)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Secrets are hidden wherever they come up, beside what clients send under names that tell so, and what
	// matches one of the Patterns.
	Secrets  []string
	Patterns []*regexp.Regexp
}

// Journal is a bounded record of entries.
type Journal struct {
	options Options
	secrets *redact.Redactor

	mu       sync.Mutex
	ring     []place // oldest at first, then around
	first    int
	gone     int // places from first on whose entries had to go for their bytes
	bytes    int
	last     uint64 // the newest sequence number
	lost     uint64 // entries that are no longer kept
	waits    map[aim][]*wait
	writeErr error

	chunk []byte // in which the last entry was packed
}

// New makes an empty journal.
func New(o Options) *Journal {
	o.Entries = cmp.Or(max(o.Entries, 0), DefaultEntries)
	o.Bytes = cmp.Or(max(o.Bytes, 0), DefaultBytes)
	o.MaxRaw = cmp.Or(max(o.MaxRaw, 0), DefaultMaxRaw)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Journal{options: o, waits: map[aim][]*wait{}, secrets: redact.New(o.Patterns, o.Secrets)}
}

// Note adds an entry with a message and returns its number, which the entry gets; 0 if the journal is
// nil. Neither the entry nor the message may be changed afterwards. What is kept has no secrets in it.
func (j *Journal) Note(e *Entry, message []byte) uint64 {
	if j == nil {
		return 0
	}
	kept := *e
	if kept.Raw = message; j.options.Tap == nil {
		kept.Raw = message[:min(len(message), j.options.MaxRaw)]
	}
	j.hide(&kept)
	if kept.Size = len(message); len(message) <= j.options.MaxRaw {
		kept.Size = len(kept.Raw)
	}
	message = kept.Raw
	kept.Raw = kept.Raw[:min(len(kept.Raw), j.options.MaxRaw)]
	e.Seq = j.add(&kept, message, nil)
	return e.Seq
}

// hide hides what is secret in an entry that nobody else has.
func (j *Journal) hide(e *Entry) {
	m := redact.Message{Client: e.Direction == In, Body: e.Raw}
	if h := e.HTTP; h != nil {
		m.Header, m.URL = h.Header, h.Path
	}
	j.secrets.Hide(&m)
	e.Raw = m.Body
	if h := e.HTTP; h != nil && (m.Changed || m.URL != h.Path) {
		e.HTTP = &HTTP{Method: h.Method, Path: m.URL, Status: h.Status, Header: m.Header}
	}
	if !j.secrets.Idle() {
		e.URI, e.EventID, e.ID = j.Hide(e.URI), j.Hide(e.EventID), j.secrets.Body(e.ID)
	}
}

// Hide hides in a text what the journal knows to be secret.
func (j *Journal) Hide(text string) string { return j.secrets.Text(text) }

// NoteAnswer notes an answer that ends with something shared, behind what the entry has as Raw. It does not
// copy that: see [Shared].
func (j *Journal) NoteAnswer(e *Entry, rest *Shared) {
	switch {
	case j == nil:
	case j.watched():
		j.Note(e, slices.Concat(e.Raw, rest.data))
	default:
		size := len(e.Raw) + len(rest.data)
		rest = rest.cut(j.options.MaxRaw).without(j.secrets)
		j.hide(e)
		if e.Size = size; size <= j.options.MaxRaw {
			e.Size = len(e.Raw) + len(rest.data)
		}
		j.add(e, nil, rest)
	}
}

// watched reports whether somebody looks at every entry.
func (j *Journal) watched() bool { return j.options.Writer != nil || j.options.Tap != nil }

// add gives an entry its place in the order. The message is for those who look on, the rest is that of Raw.
func (j *Journal) add(e *Entry, message []byte, rest *Shared) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	e.Seq, e.Time = j.last, j.options.Now()
	p := place{rest: rest, time: e.Time}
	p.takes = min(len(e.Raw)+len(rest.Bytes()), j.options.MaxRaw) + overhead
	if j.watched() {
		own := *e
		own.Raw, own.ID = bytes.Clone(own.Raw), bytes.Clone(own.ID) // lets go of the rest
		if e.HTTP != nil {
			h := *e.HTTP
			h.Header = h.Header.Clone()
			own.HTTP = &h
		}
		p.entry = &own
	} else {
		p.packed = j.packed(e)
	}
	j.keep(p)
	if j.options.Writer != nil && j.writeErr == nil {
		if _, err := WriteJSON(j.options.Writer, []Entry{*p.entry}); err != nil {
			j.writeErr = fmt.Errorf("the journal could not be written: %w", err)
		}
	}
	if j.options.Tap != nil {
		j.options.Tap(p.entry, message)
	}
	j.show()
	return e.Seq
}

// place is a place in the ring: an entry, or what nobody has looked at so far. It is
// empty if that had to be forgotten.
type place struct {
	entry  *Entry
	packed []byte
	rest   *Shared // of the message of what is packed
	time   time.Time
	takes  int // what is reckoned to be taken; 0 if nothing is there
}

// keep puts an entry into the ring. The caller holds mu.
func (j *Journal) keep(p place) {
	j.bytes += p.takes
	if len(j.ring) < j.options.Entries && j.first == 0 {
		j.ring = append(j.ring, p)
	} else {
		j.forget(j.ring[j.first])
		j.ring[j.first] = p
		j.first = (j.first + 1) % len(j.ring)
		j.gone = max(j.gone-1, 0)
	}
	for ; j.bytes > j.options.Bytes && j.gone < len(j.ring)-1; j.gone++ {
		at := (j.first + j.gone) % len(j.ring)
		j.forget(j.ring[at])
		j.ring[at] = place{}
	}
}

func (j *Journal) forget(p place) {
	if p.takes > 0 {
		j.bytes -= p.takes
		j.lost++
	}
}

// locked does something while nothing is noted; nothing if the journal is nil.
func (j *Journal) locked(do func()) {
	if j != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		do()
	}
}

// Err is the error that ended the writing of the file; nil if there was none.
func (j *Journal) Err() (err error) {
	j.locked(func() { err = j.writeErr })
	return err
}

// Last is the newest sequence number; 0 if nothing has been noted.
func (j *Journal) Last() (last uint64) {
	j.locked(func() { last = j.last })
	return last
}

// Lost is the number of entries that had to be forgotten; those that Clear took away do not count.
func (j *Journal) Lost() (lost uint64) {
	j.locked(func() { lost = j.lost })
	return lost
}

// Clear forgets all entries. Numbers go on.
func (j *Journal) Clear() {
	j.locked(func() { j.ring, j.first, j.gone, j.bytes = nil, 0, 0, 0 })
}

// each calls visit with the entries after a number, oldest first, until it
// returns false. The caller holds mu.
func (j *Journal) each(since uint64, visit func(e *Entry) bool) {
	n := len(j.ring)
	skip := 0
	if held := j.last - since; since > 0 && held < uint64(n) {
		// #nosec G115 -- there are no more than fit into memory
		skip = n - int(held) // the ring ends with the newest, one place for each number
	}
	for i := skip; i < n; i++ {
		p := &j.ring[(j.first+i)%n]
		if p.packed != nil {
			p.entry = unpacked(p.packed, p.time, p.rest, j.options.MaxRaw)
			p.packed, p.rest = nil, nil
		}
		if p.entry == nil || p.entry.Seq <= since {
			continue
		}
		if !visit(p.entry) {
			return
		}
	}
}

// encoded is a value as JSON, with characters such as < and & as they stand.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteJSON writes entries as the file of Options.Writer has them: a JSON object a line.
func WriteJSON(w io.Writer, entries []Entry) (n int64, err error) {
	for i := range entries {
		line, err := encoded(&entries[i])
		if err != nil {
			return n, err
		}
		written, err := w.Write(append(line, '\n'))
		n += int64(written)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// WriteTo writes the entries that are kept, see [WriteJSON].
func (j *Journal) WriteTo(w io.Writer) (int64, error) { return WriteJSON(w, j.Query(Query{})) }

package journal

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
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
	// a time. It must be quick, must keep neither without copying the
	// message, and must not use the journal.
	Tap func(e *Entry, message []byte)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Journal is a bounded record of entries.
type Journal struct {
	options Options

	mu       sync.Mutex
	ring     []place // oldest at first, then around
	first    int
	gone     int // places from first on whose entries had to go for their bytes
	bytes    int
	last     uint64 // the newest sequence number
	lost     uint64 // entries that are no longer kept
	changed  chan struct{}
	writeErr error
}

// New makes an empty journal.
func New(o Options) *Journal {
	if o.Entries <= 0 {
		o.Entries = DefaultEntries
	}
	if o.Bytes <= 0 {
		o.Bytes = DefaultBytes
	}
	if o.MaxRaw <= 0 {
		o.MaxRaw = DefaultMaxRaw
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Journal{options: o}
}

// Note adds an entry with a message and returns its number; 0 if the journal is
// nil. Neither the entry nor the message may be changed afterwards.
func (j *Journal) Note(e *Entry, message []byte) uint64 {
	if j == nil {
		return 0
	}
	e.Size = len(message)
	e.Raw = message
	if len(message) > j.options.MaxRaw {
		e.Raw = bytes.Clone(message[:j.options.MaxRaw]) // lets go of the rest
		e.ID = bytes.Clone(e.ID)
	}
	return j.add(e, message)
}

// NoteAnswer notes the answer to a request over HTTP that ends with something shared. The
// entry is put together when somebody looks.
func (j *Journal) NoteAnswer(a *Answer) {
	if j == nil {
		return
	}
	a.size = len(a.Head) + len(a.Rest.data)
	if j.options.Writer != nil || j.options.Tap != nil {
		message := slices.Concat(a.Head, a.Rest.data)
		j.Note(a.entry(j.options.MaxRaw), message)
		return
	}
	a.Rest = a.Rest.cut(j.options.MaxRaw)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	a.seq, a.time = j.last, j.options.Now()
	j.keep(place{answer: a, takes: min(a.size, j.options.MaxRaw) + overhead})
	j.wake()
}

func (j *Journal) add(e *Entry, message []byte) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	e.Seq = j.last
	e.Time = j.options.Now()
	j.keep(place{entry: e, takes: len(e.Raw) + overhead})
	if j.options.Writer != nil || j.options.Tap != nil {
		e.unpack()
	}
	if j.options.Writer != nil && j.writeErr == nil {
		j.write(e)
	}
	if j.options.Tap != nil {
		j.options.Tap(e, message)
	}
	j.wake()
	return e.Seq
}

// wake lets those go on who wait for entries. The caller holds mu.
func (j *Journal) wake() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// place is a place in the ring: an entry, or an answer that nobody has looked at. It is
// empty if that had to be forgotten.
type place struct {
	entry  *Entry
	answer *Answer
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

// write appends an entry to the file. The caller holds mu.
func (j *Journal) write(e *Entry) {
	if _, err := WriteJSON(j.options.Writer, []Entry{*e}); err != nil {
		j.writeErr = fmt.Errorf("the journal could not be written: %w", err)
	}
}

// Err is the error that ended the writing of the file; nil if there was none.
func (j *Journal) Err() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writeErr
}

// Last is the newest sequence number; 0 if nothing has been noted.
func (j *Journal) Last() uint64 {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Lost is the number of entries that had to be forgotten; those that Clear took away do not count.
func (j *Journal) Lost() uint64 {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lost
}

// Clear forgets all entries. Numbers go on.
func (j *Journal) Clear() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ring, j.first, j.gone, j.bytes = nil, 0, 0, 0
}

// each calls visit with the entries after a number, oldest first, until it
// returns false. The caller holds mu.
func (j *Journal) each(since uint64, visit func(e *Entry) bool) {
	n := len(j.ring)
	skip := 0
	if held := j.last - since; since > 0 && held < uint64(n) {
		skip = n - int(held) // the ring ends with the newest, one place for each number
	}
	for i := skip; i < n; i++ {
		p := &j.ring[(j.first+i)%n]
		if p.answer != nil && p.answer.seq > since {
			p.entry, p.answer = p.answer.entry(j.options.MaxRaw), nil
		}
		if p.entry == nil || p.entry.Seq <= since {
			continue
		}
		p.entry.unpack()
		if !visit(p.entry) {
			return
		}
	}
}

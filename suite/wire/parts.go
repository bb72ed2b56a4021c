package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"
)

// keptOfLong is how much is kept of what is longer than the limit, in bytes.
const keptOfLong = 64 << 10

// parts is a text as it comes in. What is long is held in parts of one size, which are used
// again for the next one: a slice that grows leaves several times its length behind, and many
// long messages may come at once.
type parts struct {
	head []byte // up to headOfLong bytes
	more []*part
	size int
}

type part [64 << 10]byte

// headOfLong has room for what is kept of a long text, and for the name of its field.
const headOfLong = keptOfLong + fieldRoom

var spareParts = sync.Pool{New: func() any { return new(part) }}

// add appends bytes.
func (p *parts) add(b []byte) {
	if room := headOfLong - len(p.head); room > 0 {
		n := min(room, len(b))
		p.head, b, p.size = append(p.head, b[:n]...), b[n:], p.size+n
	}
	for len(b) > 0 {
		at := (p.size - headOfLong) % len(part{})
		if at == 0 {
			p.more = append(p.more, spareParts.Get().(*part))
		}
		n := copy(p.more[len(p.more)-1][at:], b)
		b, p.size = b[n:], p.size+n
	}
}

// joining is held while a long text is joined, which takes its length once more.
var joining sync.Mutex

// joined is the text. One that fits into the head is the head itself.
func (p *parts) joined() []byte {
	if len(p.more) == 0 {
		return p.head
	}
	joining.Lock()
	defer joining.Unlock()
	size := p.size
	all := slices.Grow(p.head, size-len(p.head))
	for _, m := range p.more {
		all = append(all, m[:min(len(m), size-len(all))]...)
	}
	p.head = nil
	p.cut(0)
	return all
}

// cut drops all but the first bytes, of which there are at most headOfLong.
func (p *parts) cut(n int) {
	for _, m := range p.more {
		spareParts.Put(m)
	}
	p.head, p.more = p.head[:min(n, len(p.head))], nil
	p.size = len(p.head)
}

// Turns has long texts read a few at a time: what a target sends at once on many connections, each
// up to the limit for one message, is more than there is memory for. Where all that have a turn come
// slowly, so that none is given back for a second, one more is read without, and so is what has waited
// for some seconds. A nil Turns lets all be read at once.
type Turns struct {
	places  chan struct{}
	mu      sync.Mutex
	changed time.Time // when a turn was given back, or done without, last
}

// NewTurns is for the connections of one run.
func NewTurns() *Turns { return &Turns{places: make(chan struct{}, 4)} }

const (
	turnFrom  = 1 << 20 // bytes
	turnWait  = time.Second
	turnWaits = 4 * turnWait // in all
)

// enough tells whether a text that began to wait then is to be read without a turn.
func (t *Turns) enough(began time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := time.Since(began); w < turnWait || w < turnWaits && time.Since(t.changed) < turnWait {
		return false
	}
	t.changed = time.Now()
	return true
}

// turn is that of one text.
type turn struct {
	of            *Turns
	waited, taken bool
}

// need waits for the turn of a text of so many bytes, if it is long and has not waited before, and
// gives it back once little of it is left.
func (t *turn) need(size int) {
	switch {
	case size < turnFrom:
		t.leave()
	case t.of != nil && !t.waited:
		t.waited = true
		for began := time.Now(); !t.taken; {
			select {
			case t.of.places <- struct{}{}:
				t.taken = true
			case <-time.After(turnWait / 4):
				if t.of.enough(began) {
					return
				}
			}
		}
	}
}

func (t *turn) leave() {
	if !t.taken {
		return
	}
	t.taken = false
	t.of.mu.Lock()
	t.of.changed = time.Now()
	t.of.mu.Unlock()
	<-t.of.places
}

// end ends a text: the next one waits for a turn of its own.
func (t *turn) end() {
	t.leave()
	t.waited = false
}

// ReadUpTo reads a text of at most limit bytes. Of a longer one, and of one that ended with the
// context, it returns the beginning only, at most 64 KiB, with the size of what was read.
func (t *Turns) ReadUpTo(ctx context.Context, r io.Reader, limit int) (raw []byte, size int, err error) {
	var text parts
	its := turn{of: t}
	defer its.end()
	room := spareParts.Get().(*part)
	defer spareParts.Put(room)
	for text.size <= limit && err == nil {
		var n int
		n, err = r.Read(room[:min(len(room), limit+1-text.size)])
		text.add(room[:n])
		its.need(text.size)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	size = text.size
	if size > limit || err != nil && ctx.Err() != nil {
		text.cut(min(limit, keptOfLong))
	}
	if len(text.more) > 0 {
		return text.joined(), size, err
	}
	return bytes.Clone(text.head), size, err
}

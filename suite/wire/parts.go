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
	turn bool // it is one of the giants
}

type part [64 << 10]byte

// headOfLong has room for what is kept of a long text, and for the name of its field.
const headOfLong = keptOfLong + fieldRoom

var spareParts = sync.Pool{New: func() any { return new(part) }}

// Texts of more than giantFrom bytes are read a few at a time: what a target sends at once on many
// connections, each up to the limit for one message, is more than there is memory for. One that
// comes slowly keeps the others waiting for giantWait, and no longer.
const (
	giantFrom = 1 << 20
	giantWait = time.Second
)

var giants = make(chan struct{}, 4)

// queue waits for a turn among the giants.
func (p *parts) queue() {
	select {
	case giants <- struct{}{}:
		p.turn = true
	case <-time.After(giantWait):
	}
}

// leave gives the turn back.
func (p *parts) leave() {
	if p.turn {
		<-giants
		p.turn = false
	}
}

// add appends bytes.
func (p *parts) add(b []byte) {
	if before := p.size; before < giantFrom && before+len(b) >= giantFrom {
		p.queue()
	}
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
	p.leave()
}

// ReadUpTo reads a text of at most limit bytes. Of a longer one, and of one that ended with the
// context, it returns the beginning only, at most 64 KiB, with the size of what was read.
func ReadUpTo(ctx context.Context, r io.Reader, limit int) (raw []byte, size int, err error) {
	var text parts
	room := spareParts.Get().(*part)
	defer spareParts.Put(room)
	for text.size <= limit && err == nil {
		var n int
		n, err = r.Read(room[:min(len(room), limit+1-text.size)])
		text.add(room[:n])
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

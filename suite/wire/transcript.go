package wire

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"sync"
	"time"
)

// Budget bounds the memory of a transcript. The zero value means the defaults.
type Budget struct {
	// Frame is how many bytes of one message are kept; default 16 MiB. Checks
	// need whole messages, so it should be no less than the limit at which
	// the transport cuts them.
	Frame int
	// Total is how many bytes are kept in all, with 1 KiB for each
	// frame on top of its message, of what that is parsed into, and of headers;
	// default 256 MiB.
	Total int64
}

// frameCost is what a frame takes beside its bytes, roughly. Without it a
// stream of empty lines would cost nothing and fill the memory.
const frameCost = 1024

// Transcript is the list of everything that crossed the wire in a run, over all
// sessions, numbered in the order in which it was seen. Its methods may be used
// from several goroutines, none of them waits for anything.
//
// The frames that it hands out share their bytes and headers with it: they are
// to be read, not changed.
type Transcript struct {
	start  time.Time
	budget Budget

	mu       sync.Mutex
	frames   []Frame
	sessions map[string][]int // indexes into frames
	spent    int64
	long     map[*Long]bool // those that are kept
	full     chan struct{}  // closed when frames are refused
}

// NewTranscript starts an empty transcript; its clock begins now.
func NewTranscript(b Budget) *Transcript {
	b.Frame, b.Total = cmp.Or(b.Frame, 16<<20), cmp.Or(b.Total, 256<<20)
	return &Transcript{start: time.Now(), budget: b, sessions: map[string][]int{},
		long: map[*Long]bool{}, full: make(chan struct{})}
}

// Full is closed when the budget is spent and frames are refused.
func (t *Transcript) Full() <-chan struct{} { return t.full }

// Now is the time since the start.
func (t *Transcript) Now() time.Duration { return time.Since(t.start) }

// Add numbers the frame, notes the time, keeps it and returns number and time. The
// transcript owns the frame's bytes from then on.
//
// A message longer than the budget for one frame is cut. Once the budget for
// all is spent, one last frame of direction [Note] says so, [Transcript.Overflow]
// reports true, and further frames are refused: their number is 0.
func (t *Transcript) Add(f Frame) (int, time.Duration) {
	if f.Size < len(f.Raw) {
		f.Size = len(f.Raw)
	}
	if len(f.Raw) > t.budget.Frame {
		f.Raw = bytes.Clone(f.Raw[:t.budget.Frame])
		f.cut()
	}
	cost := cost(&f)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Overflow() {
		return 0, t.Now()
	}
	if f.Long != nil && !t.long[f.Long] {
		t.long[f.Long] = true
		cost += int64(len(f.Long.Text))
	}
	if t.spent+cost > t.budget.Total {
		close(t.full)
		t.keep(Frame{Session: f.Session, Channel: f.Channel, Dir: Note,
			Text: "the transcript is full; nothing that came after this is kept"})
		return 0, t.Now()
	}
	t.spent += cost
	return t.keep(f)
}

func (t *Transcript) keep(f Frame) (int, time.Duration) {
	f.Number = len(t.frames) + 1
	f.At = t.Now()
	t.sessions[f.Session] = append(t.sessions[f.Session], len(t.frames))
	t.frames = append(t.frames, f)
	return f.Number, f.At
}

// cost is about how many bytes the frame occupies, with what an incoming one is parsed into.
func cost(f *Frame) int64 {
	n := frameCost + len(f.Raw) + len(f.Text)
	if f.HTTP != nil {
		n += len(f.HTTP.URL)
		for name, values := range f.HTTP.Header {
			n += len(name)
			for _, v := range values {
				n += len(v)
			}
		}
	}
	if f.Event != nil {
		n += len(f.Event.Type) + len(f.Event.ID) + len(f.Event.Retry)
	}
	for _, x := range f.Flaws {
		n += len(x.Detail)
	}
	if f.Dir != In || len(f.Raw) == 0 {
		return int64(n)
	}
	f.Keep()
	return int64(n) + f.Parsed().cost()
}

// Len is the number of the last frame.
func (t *Transcript) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.frames)
}

// Frame is the frame with that number; false if there is none.
func (t *Transcript) Frame(n int) (Frame, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < 1 || n > len(t.frames) {
		return Frame{}, false
	}
	return t.frames[n-1], true
}

// Since is a copy of the frames after number n; Since(0) is all of them.
func (t *Transcript) Since(n int) []Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.frames[min(max(n, 0), len(t.frames)):])
}

// Session lists the frames of one session, in order.
func (t *Transcript) Session(id string) []Frame {
	return slices.Collect(t.After(id, 0))
}

// After are the frames of one session after number n, in order.
func (t *Transcript) After(id string, n int) iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		t.mu.Lock()
		at := t.sessions[id]
		t.mu.Unlock()
		first, _ := slices.BinarySearch(at, n)
		for _, place := range at[first:] {
			if f, _ := t.Frame(place + 1); !yield(f) {
				return
			}
		}
	}
}

// Overflow reports whether frames were refused because the budget was spent.
func (t *Transcript) Overflow() bool {
	select {
	case <-t.full:
		return true
	default:
		return false
	}
}

// Restore makes a transcript of frames that were recorded before, numbered from
// 1 on.
func Restore(frames []Frame) *Transcript {
	t := NewTranscript(Budget{})
	for i := range frames {
		frames[i].Keep()
		t.sessions[frames[i].Session] = append(t.sessions[frames[i].Session], i)
	}
	t.frames = frames
	return t
}

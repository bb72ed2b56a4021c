package wire

import (
	"bytes"
	"slices"
	"sync"

	"github.com/tidwall/gjson"
)

// Long is the result of a list or a read that has many bytes. It is kept once, however often it
// is sent.
type Long struct{ Text string }

// Results knows the long results that were sent before. The zero value is ready for use, and nil
// knows none; it may be used from several goroutines.
type Results struct {
	mu    sync.Mutex
	known map[string][]*Long // by how they begin
}

const (
	longResult = 4 << 10 // bytes from which on a result is kept apart
	beginning  = 256     // bytes by which it is looked up
)

// Inspect adds to a frame the flaws of its message, as [Inspect] finds them. Where a message
// without flaws has a long result, an empty object is put into its place: see [Frame.Whole].
// known is how many bytes of it had been sent before.
func (r *Results) Inspect(f *Frame) (known int) {
	if at, long := r.find(f.Raw); long != nil && f.take(at, long) {
		return len(long.Text)
	}
	flaws := Inspect(f.Raw)
	f.Flaws = Merge(f.Flaws, flaws)
	if r == nil || len(flaws) > 0 || len(f.Raw) < longResult {
		return 0
	}
	result := gjson.Get(text(f.Raw), "result") // without a copy of what may have been megabytes
	if len(result.Raw) < longResult || !result.IsObject() || !subject(result) {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string][]*Long{}
	}
	key := result.Raw[:beginning]
	if i := slices.IndexFunc(r.known[key], func(l *Long) bool { return l.Text == result.Raw }); i >= 0 {
		f.take(result.Index, r.known[key][i]) // it came on two connections at once
	} else if long := (&Long{result.Raw}); f.take(result.Index, long) {
		r.known[key] = append(r.known[key], long)
	}
	return 0
}

// subject reports whether a result is that of a list or of a read: others are looked for among
// the messages.
func subject(result gjson.Result) bool {
	return result.Get("resources").Exists() || result.Get("resourceTemplates").Exists() ||
		result.Get("contents").Exists()
}

// find looks for a result that was sent before, and where it stands.
func (r *Results) find(raw []byte) (at int, long *Long) {
	const head = 1 << 10 // bytes in which a result begins
	if r == nil || len(raw) < longResult {
		return 0, nil
	}
	name := []byte(`"result"`)
	i := bytes.Index(raw[:min(len(raw), head)], name)
	if i < 0 {
		return 0, nil
	}
	rest := bytes.TrimLeft(raw[i+len(name):], ": \t")
	if len(rest) < longResult {
		return 0, nil
	}
	r.mu.Lock()
	candidates := r.known[string(rest[:beginning])]
	r.mu.Unlock()
	for _, c := range slices.Backward(candidates) {
		if len(rest) > len(c.Text) && string(rest[:len(c.Text)]) == c.Text {
			return len(raw) - len(rest), c
		}
	}
	return 0, nil
}

// take takes a result out of the message, if it is that of the message as a whole.
func (f *Frame) take(at int, long *Long) bool {
	short := slices.Concat(f.Raw[:at], []byte("{}"), f.Raw[at+len(long.Text):])
	if result := gjson.GetBytes(short, "result"); len(Inspect(short)) > 0 || result.Index != at ||
		result.Raw != "{}" {
		return false
	}
	f.Raw, f.Long = short, long
	return true
}

// Whole is the message with its result.
func (f *Frame) Whole() []byte {
	if f.Long == nil {
		return f.Raw
	}
	at := gjson.GetBytes(f.Raw, "result").Index
	return slices.Concat(f.Raw[:at], []byte(f.Long.Text), f.Raw[at+len("{}"):])
}

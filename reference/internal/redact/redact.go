// Package redact hides secrets in what is written down of a conversation: the values of what has a telling
// name (package telling), wherever the names stand. What a client sent under such a name it hides wherever
// that comes up later, and in whatever form (package mask).
package redact

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/internal/mask"
)

// The bounds of what a Redactor remembers of clients: the sets of secrets that came last, a set for each
// message that had some. A set has a bound of its members and of its bytes, and all sets have one of bytes.
const (
	maxSets     = 64
	maxInSet    = 32
	maxSetBytes = 16 << 10
	maxBytes    = 128 << 10
)

// Redactor hides secrets. It may be used from several goroutines.
type Redactor struct {
	patterns []*regexp.Regexp
	given    *mask.Masker
	mu       sync.Mutex
	known    atomic.Pointer[[]set] // that of the newest message comes last
}

type set struct {
	key  string
	mask *mask.Masker
}

// New makes a Redactor that hides what matches the patterns, and the secrets, from the beginning.
func New(patterns []*regexp.Regexp, secrets []string) *Redactor {
	r := &Redactor{patterns: patterns, given: mask.NewMasker(secrets)}
	r.known.Store(&[]set{})
	return r
}

// Message is what may have secrets in it of an HTTP request, of its answer, or of a message without HTTP.
type Message struct {
	Client bool // who sent it
	Header http.Header
	URL    string
	Body   []byte
	// Changed says afterwards that the headers are others.
	Changed bool
}

// Hide hides secrets in a message, of which it changes neither headers nor body. It remembers those of a
// client.
func (r *Redactor) Hide(m *Message) {
	f := finder{}
	m.Header, m.URL, m.Body = m.edited(f.header), f.pairs(m.URL), f.body(m.Body)
	if m.Client {
		r.learn(f.found)
	}
	if !r.Idle() {
		m.Header, m.URL, m.Body = m.edited(r.header), r.Text(m.URL), r.Body(m.Body)
	}
}

// edited edits the values of the headers, and copies these if something changes.
func (m *Message) edited(edit func(name, value string) string) http.Header {
	shown := m.Header
	for name, values := range m.Header {
		for i, was := range values {
			is := edit(name, was)
			if is == was {
				continue
			}
			if !m.Changed {
				shown, m.Changed = m.Header.Clone(), true
			}
			shown[name][i] = is
		}
	}
	return shown
}

// learn remembers the secrets of a message.
func (r *Redactor) learn(found []string) {
	size := 0
	found = slices.DeleteFunc(found, func(s string) bool {
		size += len(s)
		return len(s) < mask.MinLength || size > maxSetBytes
	})
	if len(found) == 0 {
		return
	}
	found = found[:min(len(found), maxInSet)]
	key := strings.Join(found, "\n")
	r.mu.Lock()
	defer r.mu.Unlock()
	known := *r.known.Load()
	if slices.ContainsFunc(known, func(s set) bool { return s.key == key }) {
		return
	}
	known, size = append(slices.Clone(known), set{key, mask.NewMasker(found)}), 0
	for i, s := range slices.Backward(known) {
		if size += len(s.key); size > maxBytes || len(known)-i > maxSets {
			known = slices.Clone(known[i+1:])
			break
		}
	}
	r.known.Store(&known)
}

// Version is another one whenever there is more to hide, or less.
func (r *Redactor) Version() any { return r.known.Load() }

// Idle reports whether there is nothing to hide but what has a telling name.
func (r *Redactor) Idle() bool {
	return r.given.Empty() && len(r.patterns) == 0 && len(*r.known.Load()) == 0
}

// Text hides what is known in a text.
func (r *Redactor) Text(s string) string { return string(r.apply([]byte(s), (*mask.Masker).Mask)) }

func (r *Redactor) apply(data []byte, hide func(*mask.Masker, []byte) []byte) []byte {
	data = hide(r.given, data)
	for _, s := range *r.known.Load() {
		data = hide(s.mask, data)
	}
	for _, p := range r.patterns {
		data = p.ReplaceAll(data, []byte(mask.Replacement))
	}
	return data
}

// protocol lists what a conversation cannot be read without, so that no client can hide it by sending the
// like as a secret.
var protocol = strings.Fields(`jsonrpc method protocolVersion
	Accept Content-Length Content-Type Mcp-Method Mcp-Protocol-Version Mcp-Session-Id`)

func (r *Redactor) header(name, value string) string {
	if slices.Contains(protocol, name) || tellingHeaders.of([]byte(name)) { // which has been hidden
		return value
	}
	return r.Text(value)
}

// Body hides what is known in a body: in JSON only in strings that are no names of members, since it must
// stay what it is. The end of what is no JSON may have been cut off.
func (r *Redactor) Body(raw []byte) []byte {
	switch hidden := r.apply(raw, (*mask.Masker).MaskCut); {
	case !gjson.ValidBytes(raw):
		return hidden
	case len(r.patterns) == 0 && bytes.Equal(hidden, raw):
		return raw
	}
	return members(raw, func(name, value []byte) []byte {
		plain := gjson.ParseBytes(value).String()
		if slices.Contains(protocol, string(name)) {
			return nil
		}
		return quoted(plain, r.Text(plain))
	})
}

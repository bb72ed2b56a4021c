// Package trace reads what others have recorded of conversations with a server: captures of HTTP, the journal
// of the mock and the recordings that it makes, lines of messages, logs of the MCP Inspector and of programs
// that host servers. All become entries of a journal.
package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/telling"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// MaxSize is how many bytes of a trace are read, maxEntries how many messages.
const (
	MaxSize    = 256 << 20
	maxEntries = 10_000
)

// Trace is what was read.
type Trace struct {
	// Kind is "har", "inspector", "journal", "recording" (of "mockserver record"), "messages" (see
	// [Schema]) or "log" (of a program that hosts servers).
	Kind    string
	Entries []*Entry
	// Secrets are the values of headers that are credentials. The entries have them masked.
	Secrets []string
}

// Options say what a trace need not show: the revision of sessions that do not name one, and the transport of
// messages that do not; stdio if it is empty.
type Options struct {
	Revision  requirement.Revision
	Transport requirement.Transport
}

// isArchive is how a HAR file begins, cut or whole.
var isArchive = regexp.MustCompile(`^\s*\{\s*"log"\s*:`)

// Read reads a trace. An error says line or member.
func Read(r io.Reader, o Options) (*Trace, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil || len(data) > MaxSize {
		return nil, cmp.Or(err, fmt.Errorf("the file has more than %d MiB: cut it into parts", MaxSize>>20))
	}
	if o.Revision != "" && !o.Revision.Known() {
		return nil, fmt.Errorf("%q is no revision of the protocol", o.Revision)
	}
	if o.Transport != "" && !slices.Contains(requirement.Transports(), o.Transport) {
		return nil, fmt.Errorf("%q is no transport", o.Transport)
	}
	t, number := &Trace{}, 0
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	var head struct {
		Dir, Format string
		Seq         int
	}
	_ = json.Unmarshal(first, &head) // which may be no JSON
	switch {
	case isArchive.Match(data):
		var h archive
		if number, err = decode(data, &h); err == nil {
			t.Kind = "har"
			t.Entries, err = h.entries()
		}
	case bytes.HasPrefix(first, []byte("[")):
		var p protocol
		number, err = decode(data, &p)
		t.Kind, t.Entries = "inspector", inOrder(p.entries())
	case head.Dir != "":
		t.Kind = "messages"
		number, err = lines(data, func(text []byte) error {
			var l line
			if _, err := decode(text, &l); err != nil {
				return err
			}
			e, err := l.entry()
			if err == nil {
				t.Entries = append(t.Entries, e)
			}
			return err
		})
	case head.Seq > 0, strings.HasPrefix(head.Format, "mockserver."):
		t.Kind = map[bool]string{true: "journal", false: "recording"}[head.Seq > 0]
		number, err = Journal(data, func(e Entry) { t.Entries = append(t.Entries, &e) })
	default:
		t.Kind, t.Entries = "log", hostLog(data)
	}
	switch {
	case number > 0:
		return nil, fmt.Errorf("line %d: %w", number, err)
	case err != nil:
		return nil, err
	case len(t.Entries) == 0:
		return nil, fmt.Errorf("the file begins with %q, and is neither a recording of mcpcheck nor a trace "+
			"of another kind: a HAR file, a journal or a recording of mockserver, lines with dir and "+
			"message, or a log of the MCP Inspector or of a host", safe.Clean(string(first), 60))
	case t.messages() > maxEntries:
		return nil, fmt.Errorf("the file has more than %d messages: cut it into parts", maxEntries)
	}
	t.complete(o)
	return t, nil
}

// messages counts entries, and the members of those that are batches.
func (t *Trace) messages() int {
	n := len(t.Entries)
	for _, e := range t.Entries {
		if bytes.HasPrefix(bytes.TrimSpace(e.Data), []byte("[")) {
			n += len(wire.Parse(e.Data).Array())
		}
	}
	return n
}

// decode reads a file that is one JSON value, or a line that is. The line is that of a mistake in the syntax,
// else 0.
func decode(data []byte, into any) (line int, err error) {
	err = json.Unmarshal(data, into)
	if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
		return 1 + bytes.Count(data[:broken.Offset], []byte("\n")), err
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%q cannot be a JSON %s", strings.ToLower(wrong.Field), wrong.Value)
	}
	return 0, err
}

// complete adds to entries what their formats leave out: what kind of message they are, which request they
// answer, and in which session they stand if a server was started again. It masks secrets in headers.
func (t *Trace) complete(o Options) {
	starts, last := map[string]int{}, map[string]int{} // by session, and by id
	// open are the last requests without a response, by id. Where others with their ids are open, mixed
	// counts the responses to come: nothing says which is whose.
	open, mixed := map[string][]byte{}, map[string]int{}
	for i, e := range t.Entries {
		t.hide(e.HTTP)
		if e.Kind != "" {
			continue
		}
		f := wire.Frame{Raw: e.Data}
		p := f.Parsed()
		e.Kind, e.Size, e.Revision = string(p.Kind), len(e.Data), o.Revision
		e.Transport = cmp.Or(e.Transport, o.Transport, requirement.Stdio)
		if e.Kind == string(wire.KindOther) {
			e.Kind = map[bool]string{true: "unreadable", false: "event"}[e.Size > 0]
		}
		if len(p.Messages) == 1 {
			e.ID, e.Method = []byte(p.Messages[0].Get("id").Raw), p.Messages[0].Get("method").String()
		}
		asks := e.Direction == FromClient
		if asks && e.Method == "initialize" && e.Transport != requirement.HTTP {
			starts[e.Session]++
		}
		if n := starts[e.Session]; n > 1 {
			e.Session += " " + strconv.Itoa(n)
		}
		e.Seq, e.Connection = cmp.Or(e.Seq, len(t.Entries)+i), cmp.Or(e.Connection, e.Session)
		id := e.Session + " " + string(e.ID)
		switch {
		case asks:
			last[e.Session] = e.Seq
			e.HTTP = cmp.Or(e.HTTP, &Head{Method: "POST", Path: "/mcp"})
			if e.Kind != string(wire.KindRequest) {
				break
			}
			if o := open[id]; o != nil && !bytes.Equal(o, e.Data) {
				mixed[id] = max(2, mixed[id]+1)
			}
			last[id], open[id] = e.Seq, e.Data
		case e.Kind == string(wire.KindResponse) && e.RequestSeq == 0:
			e.RequestSeq = last[id]
			if mixed[id] > 0 {
				mixed[id], e.Truncated = mixed[id]-1, true
			} else {
				delete(open, id)
			}
		default:
			e.RequestSeq = cmp.Or(e.RequestSeq, last[e.Session])
		}
		if e.Transport == requirement.Stdio || // or it is not told, or its headers are stripped
			e.HTTP != nil && !asks && (e.HTTP.Status == 0 || len(e.HTTP.Header) == 0) {
			e.HTTP = nil
		}
		if e.Transport == requirement.SSE && !asks && e.HTTP == nil {
			e.Stream = "sse"
		}
	}
}

// hide masks the values of headers that are credentials.
func (t *Trace) hide(h *Head) {
	if h == nil {
		return
	}
	for name, values := range h.Header {
		for i := range values {
			if telling.Header(name) {
				t.Secrets = append(t.Secrets, telling.Credentials(values[i])...)
				values[i] = mask.Replacement
			}
		}
	}
}

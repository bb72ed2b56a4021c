package clientcheck

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/trace"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// The directions and kinds of entries, and the scope of those that are about one stream.
const (
	in  = "in"
	out = "out"

	kindRequest      = "request"
	kindNotification = "notification"
	kindResponse     = "response"
	kindBatch        = "batch"
	kindUnreadable   = "unreadable"
	kindOpened       = "opened"
	kindClosed       = "closed"
	kindEvent        = "event"

	scopeStream = "stream"
)

// entry is an entry of a journal, with what belongs to it.
type entry struct {
	trace.Entry

	at      time.Duration // since the first entry
	journal int           // of several, which one it stands in
	owner   *conversation // of what the client sent
	of      *conversation // of what the server sent
	asked   []*message    // the requests in it
	reply   *entry        // the HTTP answer to it; nil if there was none
	events  []*entry      // of the event stream that answers it
	ended   *entry        // the end of that stream
}

// Evidence is the number of the entry, if there is one.
func (e *entry) Evidence() []int {
	if e == nil {
		return nil
	}
	return []int{e.Seq}
}

// status is that of the HTTP answer; 0 if there was none.
func (e *entry) status() int {
	if e.reply == nil {
		return 0
	}
	return e.reply.HTTP.Status
}

// path is that of the HTTP request, without its query.
func (e *entry) path() string {
	path, _, _ := strings.Cut(e.HTTP.Path, "?")
	return path
}

// frame is the entry as a frame of a recording.
func (e *entry) frame() wire.Frame {
	f := wire.Frame{
		Number: e.Seq, Session: string(e.Transport) + "|" +
			e.Session, Channel: e.Stream, Dir: wire.Direction(e.Direction),
		At: e.at, Raw: e.Data, Size: e.Size, Truncated: e.Truncated,
	}
	if f.Dir == "" {
		f.Dir, f.Text = wire.Note, strings.TrimSpace(e.Scope+" "+e.Kind+" "+e.Reason)
	}
	if e.HTTP != nil {
		url, _ := withoutToken(e.HTTP.Path)
		f.HTTP = &wire.HTTP{Method: e.HTTP.Method, URL: url, Status: e.HTTP.Status, Header: e.HTTP.Header}
	}
	return f
}

// Journal is what mock servers noted of their clients.
type Journal struct{ entries []*entry }

// Read reads the journals of the servers that a client used: one JSON object a line. They are joined by
// time. A last line that was not finished is left out.
func Read(journals ...io.Reader) (Journal, error) {
	var j Journal
	for of, r := range journals {
		data, err := io.ReadAll(r)
		if err != nil {
			return j, fmt.Errorf("the journal cannot be read: %w", err)
		}
		n, err := trace.Journal(data, func(e trace.Entry) {
			j.entries = append(j.entries, &entry{Entry: e, journal: of})
		})
		if err != nil {
			return j, fmt.Errorf("line %d of the journal is no entry: %w", n, err)
		}
	}
	slices.SortStableFunc(j.entries, func(a, b *entry) int {
		if a.journal == b.journal {
			return cmp.Compare(a.Seq, b.Seq)
		}
		return a.Time.Compare(b.Time)
	})
	return j, nil
}

// From reads the journal that something writes, such as that of a mock server in this
// process.
func From(w io.WriterTo) (Journal, error) {
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return Journal{}, fmt.Errorf("the journal cannot be read: %w", err)
	}
	return Read(&b)
}

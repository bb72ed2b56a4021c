package trace

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// The directions of entries, as the mock sees them: "in" is what the client sent.
const (
	FromClient, FromServer = "in", "out"
)

// Entry is a line of the journal of the mock, or of a recording that it made. What other formats show is put
// into entries as well.
type Entry struct {
	Seq        int                   `json:"seq"`
	Time       time.Time             `json:"time"`
	Direction  string                `json:"direction"`
	Kind       string                `json:"kind"`
	Transport  requirement.Transport `json:"transport"`
	Session    string                `json:"session"`
	Connection string                `json:"connection"`
	Revision   requirement.Revision  `json:"revision"`
	Identity   string                `json:"identity"`
	Method     string                `json:"method"`
	ID         json.RawMessage       `json:"id"`
	URI        string                `json:"uri"`
	RequestSeq int                   `json:"requestSeq"`
	HTTP       *Head                 `json:"http"`
	Stream     string                `json:"stream"`
	EventID    string                `json:"eventId"`
	Retry      int                   `json:"retry"`
	Size       int                   `json:"size"`
	Scope      string                `json:"scope"`
	Reason     string                `json:"reason"`
	Message    json.RawMessage       `json:"message"`
	Text       string                `json:"text"`
	Base64     []byte                `json:"base64"`
	Truncated  bool                  `json:"truncated"`

	// Data is the message, in whichever member it stands.
	Data []byte `json:"-"`
	// Event is what surrounded the message on an event stream, with Flaws in its framing; nil if that is not
	// known. Endpoint is where messages are sent to on HTTP; empty for that of the mock.
	Event    *wire.Event `json:"-"`
	Flaws    []wire.Flaw `json:"-"`
	Endpoint string      `json:"-"`
}

// Head is the head of an HTTP request or answer.
type Head struct {
	Method string      `json:"method"`
	Path   string      `json:"path"`
	Status int         `json:"status"`
	Header http.Header `json:"header"`
}

// Header is a header of the HTTP request or answer; empty if it is not there.
func (e *Entry) Header(name string) string {
	if e.HTTP == nil {
		return ""
	}
	return e.HTTP.Header.Get(name)
}

// Journal takes the entries of a journal one by one. An error is about the line that it returns.
func Journal(data []byte, take func(Entry)) (line int, err error) {
	return lines(data, func(line []byte) error {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		e.Data = slices.Concat(e.Message, []byte(e.Text), e.Base64)
		take(e)
		return nil
	})
}

// lines takes the lines that are not blank, and returns the number, from 1 on, of the one that take refuses.
// A last line without an end may have been cut off, and is left out then.
func lines(data []byte, take func(line []byte) error) (refused int, err error) {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := take(line); err != nil && line[len(line)-1] == '\n' {
			return n, err
		}
	}
	return 0, nil
}

// inOrder sorts entries by their time.
func inOrder(all []*Entry) []*Entry {
	slices.SortStableFunc(all, func(a, b *Entry) int { return a.Time.Compare(b.Time) })
	return all
}

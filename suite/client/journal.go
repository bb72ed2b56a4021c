package client

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
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

	scopeStream = "stream"
)

// entry is an entry of a journal in its JSON form, as far as it is needed here.
type entry struct {
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
	HTTP       *struct {
		Method string      `json:"method"`
		Path   string      `json:"path"`
		Status int         `json:"status"`
		Header http.Header `json:"header"`
	} `json:"http"`
	Stream    string          `json:"stream"`
	EventID   string          `json:"eventId"`
	Size      int             `json:"size"`
	Scope     string          `json:"scope"`
	Reason    string          `json:"reason"`
	Message   json.RawMessage `json:"message"`
	Text      string          `json:"text"`
	Base64    []byte          `json:"base64"`
	Truncated bool            `json:"truncated"`

	raw []byte // the message, in whichever member it stands
}

// header is a header of the HTTP request or answer; empty if it is not there.
func (e *entry) header(name string) string {
	if e.HTTP == nil {
		return ""
	}
	return e.HTTP.Header.Get(name)
}

// Journal is what mock servers noted of their clients.
type Journal struct{ entries []*entry }

// Read reads a journal: one JSON object a line. A last line that was not finished is left
// out.
func Read(r io.Reader) (Journal, error) {
	var j Journal
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return j, fmt.Errorf("the journal cannot be read: %w", err)
		}
		e := &entry{}
		fault := json.Unmarshal(line, e)
		switch {
		case len(bytes.TrimSpace(line)) == 0, fault != nil && err != nil:
		case fault != nil:
			return j, fmt.Errorf("line %d of the journal is no entry: %w", n, fault)
		default:
			e.raw = slices.Concat(e.Message, []byte(e.Text), e.Base64)
			j.entries = append(j.entries, e)
		}
		if err != nil {
			return j, nil
		}
	}
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

// Merge joins the journals of several servers that a client used, by time, under new
// numbers. What one of them has lost is lost in the result.
func Merge(journals ...Journal) Journal {
	type place struct{ journal, seq int }
	type sourced struct {
		*entry
		from int
	}
	var all []sourced
	lost := 0
	for n, j := range journals {
		for i, e := range j.entries {
			if i == 0 && e.Seq > 1 || i > 0 && e.Seq != j.entries[i-1].Seq+1 {
				lost = 1
			}
			all = append(all, sourced{e, n})
		}
	}
	slices.SortStableFunc(all, func(a, b sourced) int {
		if a.from == b.from {
			return cmp.Compare(a.Seq, b.Seq)
		}
		return a.Time.Compare(b.Time)
	})
	numbers := map[place]int{}
	for i, e := range all {
		numbers[place{e.from, e.Seq}] = i + 1 + lost
	}
	var merged Journal
	for _, s := range all {
		e := *s.entry
		e.Seq, e.RequestSeq = numbers[place{s.from, e.Seq}], numbers[place{s.from, e.RequestSeq}]
		merged.entries = append(merged.entries, &e)
	}
	return merged
}

package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// response is an HTTP response that is under way, and writes what it gets.
type response struct {
	http.ResponseWriter
	asked    context.Context // of the request
	sessions *Sessions
	of       *hosted        // nil until it is known
	entry    *journal.Entry // of the request, which has been noted
	stream   string         // what it is in the journal, if it becomes one
	streams  bool           // an event stream is accepted
	begins   bool           // it is that to the request which began the session
	opened   bool
	refused  bool // it was an error in answer to the initialize that began the session
	wake     chan struct{}

	// under the lock of the server
	queue [][]byte
	due   int  // answers
	done  bool // nothing more comes
	left  bool // nobody reads it any more
}

// answer notes an answer that has no message in it.
func (a *response) answer(status int) {
	note := a.entry.Following(journal.HTTPAnswer)
	note.Direction, note.HTTP = journal.Out, &journal.HTTP{Status: status}
	a.sessions.recorder.journal.Note(note, nil)
}

// accept answers a request for which there is nothing but a status.
func (a *response) accept(status int) {
	a.answer(status)
	a.WriteHeader(status)
}

// refuse answers a request with an error of our own.
func (a *response) refuse(status int, why string) {
	a.answer(status)
	http.Error(a, why, status)
}

// post takes a message of the client.
func (a *response) post(body []byte) {
	raw := inLine(body)
	var kind journal.Entry
	kind.Classify(raw)
	t, status, why := a.sessions.sessionOf(a.entry, raw, &kind)
	a.sessions.recorder.note(a.entry, body)
	if t == nil {
		a.refuse(status, why)
		return
	}
	defer a.sessions.release(t)
	switch {
	case kind.Kind == journal.Request || kind.Kind == journal.Batch:
		t.request(a, raw)
		return
	case t.id == "" && kind.Method == "notifications/cancelled":
		// The id in it may be that of a request of another client: this one cancels by leaving.
	default:
		t.write(bytes.Clone(raw))
	}
	a.accept(http.StatusAccepted)
}

// notify says that something has come.
func (a *response) notify() {
	select {
	case a.wake <- struct{}{}:
	default: // it has been woken
	}
}

var errLeft = errors.New("the client has left")

// serve writes until nothing more comes, or the client leaves.
func (a *response) serve() error {
	for {
		a.of.mu.Lock()
		var messages [][]byte
		done := a.done
		if done || a.streams {
			messages, a.queue = a.queue, nil
		}
		a.of.mu.Unlock()
		if done && (!a.streams || !a.opened && len(messages) <= 1) {
			a.whole(messages)
			return nil
		}
		if len(messages) > 0 {
			a.open()
			for _, m := range messages {
				a.judge(m)
				if _, err := fmt.Fprintf(a, "data: %s\n\n", m); err != nil {
					return errLeft
				}
			}
			_ = http.NewResponseController(a.ResponseWriter).Flush() // an error shows with the next write
		}
		if done {
			return nil
		}
		select {
		case <-a.wake:
		case <-a.asked.Done():
			return errLeft
		}
	}
}

// judge finds out whether a message says that there is no session.
func (a *response) judge(m []byte) {
	a.refused = a.refused || a.begins && !gjson.GetBytes(m, "method").Exists() &&
		gjson.GetBytes(m, "error").Exists()
}

// head names the session in the answer to the request that began it.
func (a *response) head() {
	if a.begins {
		a.Header().Set(headerSession, a.of.id)
	}
}

// open begins an event stream.
func (a *response) open() {
	if a.opened {
		return
	}
	a.opened = true
	a.head()
	a.Header().Set("Content-Type", "text/event-stream")
	a.Header().Set("Cache-Control", "no-cache")
	a.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(a.ResponseWriter).Flush() // as above
}

// whole answers with one body.
func (a *response) whole(messages [][]byte) {
	answers := slices.DeleteFunc(messages, func(m []byte) bool {
		return gjson.GetBytes(m, "method").Exists()
	})
	if len(answers) == 0 {
		a.refuse(http.StatusBadGateway, "the recorded server has ended without an answer")
		return
	}
	body := answers[0]
	if a.judge(body); !a.refused {
		a.head()
	}
	a.Header().Set("Content-Type", "application/json")
	if len(answers) > 1 {
		body = append(append([]byte("["), bytes.Join(answers, []byte(","))...), ']')
	}
	if a.of.id == "" {
		a.WriteHeader(statusOf(body))
	}
	_, _ = io.Copy(a, bytes.NewReader(body)) // a client that has left needs none
}

// statusOf is the HTTP status of an answer in a revision without sessions.
func statusOf(answer []byte) int {
	switch code := gjson.GetBytes(answer, "error.code").Int(); {
	case code == codeMethodNotFound:
		return http.StatusNotFound
	case code <= -32020 && code >= -32029:
		return http.StatusBadRequest // the version, the headers, or the capabilities
	}
	return http.StatusOK
}

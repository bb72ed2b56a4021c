package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/tidwall/gjson"
)

// response writes what an outlet gets.
type response struct {
	of      *hosted
	w       http.ResponseWriter
	r       *http.Request
	outlet  *outlet
	streams bool // an event stream is accepted
	opened  bool
	held    [][]byte // where no stream is accepted
	refused bool     // it was an error in answer to the initialize that began the session
}

var errLeft = errors.New("the client has left")

// serve writes until the outlet is done, or the client leaves.
func (a *response) serve() error {
	for {
		a.of.mu.Lock()
		messages, done := a.outlet.queue, a.outlet.done
		a.outlet.queue = nil
		a.of.mu.Unlock()
		if done && !a.opened && len(a.held)+len(messages) <= 1 || !a.streams {
			a.held = append(a.held, messages...)
			if done {
				a.whole()
				return nil
			}
		} else if len(messages) > 0 {
			a.open()
			for _, m := range messages {
				a.judge(m)
				if _, err := fmt.Fprintf(a.w, "data: %s\n\n", m); err != nil {
					return errLeft
				}
			}
			_ = http.NewResponseController(a.w).Flush() // an error shows with the next write
		}
		if done {
			return nil
		}
		select {
		case <-a.outlet.wake:
		case <-a.r.Context().Done():
			return errLeft
		}
	}
}

// judge finds out whether a message says that there is no session.
func (a *response) judge(m []byte) {
	a.refused = a.refused || a.outlet.begins && !gjson.GetBytes(m, "method").Exists() &&
		gjson.GetBytes(m, "error").Exists()
}

// head names the session in the answer to the request that began it.
func (a *response) head() {
	if e := a.outlet.entry; a.of.id != "" && e.Header(headerSession) == "" {
		a.w.Header().Set(headerSession, a.of.id)
	}
}

// open begins an event stream.
func (a *response) open() {
	if a.opened {
		return
	}
	a.opened = true
	a.head()
	a.w.Header().Set("Content-Type", "text/event-stream")
	a.w.Header().Set("Cache-Control", "no-cache")
	a.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(a.w).Flush() // as above
}

// whole answers with one body.
func (a *response) whole() {
	answers := slices.DeleteFunc(a.held, func(m []byte) bool { return gjson.GetBytes(m, "method").Exists() })
	if len(answers) == 0 {
		a.of.sessions.refuse(a.w, a.outlet.entry, http.StatusBadGateway,
			"the recorded server has ended without an answer")
		return
	}
	body := answers[0]
	if a.judge(body); !a.refused {
		a.head()
	}
	a.w.Header().Set("Content-Type", "application/json")
	if len(answers) > 1 {
		body = append(append([]byte("["), bytes.Join(answers, []byte(","))...), ']')
	}
	if a.of.id == "" {
		a.w.WriteHeader(statusOf(body))
	}
	_, _ = io.Copy(a.w, bytes.NewReader(body)) // a client that has left needs none
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

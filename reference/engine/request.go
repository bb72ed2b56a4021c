package engine

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
)

// usualAccept is what the specification has clients send with a POST.
const usualAccept = "application/json, text/event-stream"

// accepts reports whether the Accept header admits a media type. A request
// without the header admits everything.
func accepts(r *http.Request, mediaType string) bool {
	values := r.Header["Accept"]
	if len(values) == 0 || len(values) == 1 && values[0] == usualAccept {
		return true
	}
	family, _, _ := strings.Cut(mediaType, "/")
	best, quality := 0, 0.0
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, params, _ := mime.ParseMediaType(part) // without parameters if these are malformed
		rank := 0
		switch name {
		case mediaType:
			rank = 3
		case family + "/*":
			rank = 2
		case "*/*":
			rank = 1
		}
		if rank > best {
			best, quality = rank, 1
			if q, given := params["q"]; given {
				quality, _ = strconv.ParseFloat(q, 64) // what is no number is none
			}
		}
	}
	return best > 0 && quality > 0
}

// acceptable reports whether a request admits all of some media types, or answers that it has to.
func acceptable(w http.ResponseWriter, r *http.Request, types ...string) bool {
	for _, mediaType := range types {
		if !accepts(r, mediaType) {
			refuseHTTP(w, failAt(http.StatusNotAcceptable, codeInvalidRequest,
				"Not acceptable: accept "+strings.Join(types, " and ")))
			return false
		}
	}
	return true
}

// body reads the message of a POST, or answers why it will not and returns nil.
func (e *Engine) body(w http.ResponseWriter, r *http.Request) *incoming {
	if why := httpserve.NotJSON(r, false); why != "" {
		refuseHTTP(w, failAt(http.StatusUnsupportedMediaType, codeInvalidRequest,
			"Unsupported media type: "+why))
		return nil
	}
	if b, ok := r.Body.(*readBody); ok {
		switch {
		case b.whole():
			return &b.in
		case b.stalled():
			w.Header().Set("Connection", "close")
			refuseHTTP(w, failAt(http.StatusRequestTimeout, codeInvalidRequest,
				"Invalid request: the message did not come in time"))
			return nil
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		refuseHTTP(w, failAt(http.StatusRequestEntityTooLarge, codeInvalidRequest,
			"Invalid request: the message is too long"))
		return nil
	}
	if err != nil {
		refuseHTTP(w, failAt(http.StatusBadRequest, codeParse, "Parse error: the body could not be read"))
		return nil
	}
	return parse(body)
}

// readBody is the body of a POST. It is read before anything is decided about the request, so
// that it can be noted, and can then be read again.
type readBody struct {
	io.ReadCloser // what has not been read, as long as there is no end
	data          []byte
	in            incoming // what has been read
	at            int      // what has been read again
	end           error    // why nothing comes after the data; nil if they are too long
}

// whole reports whether the body has been read to its end, is not too long, and has not been
// read by anybody else since.
func (b *readBody) whole() bool {
	return len(b.data) <= maxBody && errors.Is(b.end, io.EOF) && b.at == 0
}

// Read reads again what has been read, and then the rest.
func (b *readBody) Read(p []byte) (n int, err error) {
	switch {
	case b.at < len(b.data):
		n = copy(p, b.data[b.at:])
		b.at += n
		return n, nil
	case b.end != nil:
		return 0, b.end
	}
	return b.ReadCloser.Read(p)
}

// firstRead bounds what is allocated because a client announced it.
const firstRead = 64 << 10

// stalled reports whether the body was given up because it did not come in time.
func (b *readBody) stalled() bool { return errors.Is(b.end, os.ErrDeadlineExceeded) }

// readAhead reads a body and takes its place.
func (b *readBody) readAhead(r *http.Request) {
	// A byte more than was announced makes room to see the end.
	b.data = make([]byte, 0, min(max(r.ContentLength, 0), firstRead)+1)
	for b.ReadCloser = r.Body; len(b.data) <= maxBody && b.end == nil; {
		if len(b.data) == cap(b.data) {
			b.data = slices.Grow(b.data, max(len(b.data), bytes.MinRead))
		}
		var n int
		n, b.end = r.Body.Read(b.data[len(b.data):min(cap(b.data), maxBody+1)])
		b.data = b.data[:len(b.data)+n]
	}
	r.Body = b
}

// sessionByHeader finds the session that a request names.
func (e *Engine) sessionByHeader(r *http.Request) (*session, *hook.Reply) {
	id := first(r.Header, headerSession)
	if id == "" {
		return nil, badRequest("the header " + headerSession + " is missing")
	}
	s := e.goingOn(r, hook.HTTP, id)
	if s == nil {
		return nil, failAt(http.StatusNotFound, codeInvalidRequest,
			"Invalid request: there is no such session")
	}
	version := first(r.Header, headerVersion)
	if version != "" && version != s.Revision() && s.Revision() >= hook.R20250618 &&
		!slices.Contains(e.handshaking(hook.HTTP), version) {
		return nil, badRequest("unsupported " + writtenVersion)
	}
	return s, nil
}

// goingOn finds a session that has settled on a revision; nil if there is none.
func (e *Engine) goingOn(r *http.Request, transport, id string) *session {
	if s := e.reached(r, transport, id); s != nil && s.Revision() != "" {
		return s
	}
	return nil
}

// reached finds a session that belongs to whom the request belongs to; nil if there is none.
func (e *Engine) reached(r *http.Request, transport, id string) *session {
	if s := e.find(id); s != nil && s.transport == transport && s.owner == hook.OwnerOf(r.Context()) {
		return s
	}
	return nil
}

// shakesHands reports whether a revision with a handshake is served over Streamable HTTP, or the request is
// one of a session whose revision is served no longer.
func (e *Engine) shakesHands(r *http.Request) bool {
	return len(e.handshaking(hook.HTTP)) > 0 || e.goingOn(r, hook.HTTP, first(r.Header, headerSession)) != nil
}

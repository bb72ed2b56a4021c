package engine

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// The express lane. Most of what clients ask over Streamable HTTP is plain: a page of a
// list, or the content of a resource that is always the same, in a message that has
// nothing unusual about it, while no hook does anything. Such a request needs no
// session of its own, no stream and no goroutine, and its result can be sent as it was
// sent before. The lane decides nothing about a request but that it is plain; whatever
// is not goes the general way, and results are made by those who make them there.

// nothing ends an answer that is complete.
var nothing = journal.NewShared(nil)

// express answers a POST that is plain and has been noted, unless there is
// something else about it. The session is the one that the request names, if there is
// one.
func (e *Engine) express(w http.ResponseWriter, r *http.Request, s *session, in *arrival, p *plainRequest) bool {
	if r.URL.Path != PathStreamable || e.config.Latency > 0 || !e.config.Hooks.Pass() || !e.welcome(r) {
		return false
	}
	revision := e.plainRevision(r.Header, s, p)
	if revision == "" {
		return false
	}
	head, rest := e.plainAnswer(r.Context(), p, revision)
	if rest == nil || p.version == "" && !s.pass() {
		return false
	}
	e.sendPlain(w, in, head, rest)
	return true
}

// manners are what the last client that was welcome said of itself. The next is likely
// to say the same, which need not be looked at again.
type manners struct{ host, accept, contentType string }

// welcome reports whether a request comes from where it may, and can be answered.
func (e *Engine) welcome(r *http.Request) bool {
	known := e.manners.Load()
	if known != nil && len(r.Header["Origin"]) == 0 && known.host == r.Host && only(r.Header["Accept"], known.accept) && only(r.Header["Content-Type"], known.contentType) {
		return true
	}
	if e.checkOrigin(r) != "" || !accepts(r, "application/json") || !accepts(r, "text/event-stream") || !isJSON(r) {
		return false
	}
	// A host that is allowed wherever the request arrived.
	if len(r.Header["Origin"]) == 0 && len(r.Header["Accept"]) == 1 && len(r.Header["Content-Type"]) == 1 && loopback.Host(r.Host) {
		e.manners.Store(&manners{r.Host, r.Header["Accept"][0], r.Header["Content-Type"][0]})
	}
	return true
}

// only reports whether a header has one value, and that.
func only(values []string, value string) bool { return len(values) == 1 && values[0] == value }

// pass counts a POST that needs no stream among the streams, whose numbers clients see.
// It is false if the session has ended.
func (s *session) pass() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streamCount++
	return !s.closed
}

// plainAnswer is the answer to a plain request in two parts; the second is nil if it takes
// the general way to find it.
func (e *Engine) plainAnswer(ctx context.Context, p *plainRequest, revision string) ([]byte, *journal.Shared) {
	snapshot := e.served()
	key := renderKey{method: p.method, revision: revision}
	if p.method == hook.MethodRead {
		var found bool
		key.entry, found = e.store.get(p.uri)
		switch {
		case !p.hasURI || found && !key.entry.constant():
			return nil, nil
		case !found && e.plainlyMissing(snapshot, p.uri):
			return missing(p.id, revision, p.uri), nothing
		case !found:
			return nil, nil
		}
	} else {
		var alike, ok bool
		if key.version, alike = e.store.state(); !alike {
			return nil, nil
		}
		if p.hasCursor {
			if key.after, ok = e.position(p.method, p.cursor); !ok {
				return nil, nil
			}
		}
	}
	rest := snapshot.rendered.get(key)
	if rest == nil {
		if rest = e.render(ctx, p, revision); rest == nil {
			return nil, nil
		}
		snapshot.rendered.put(key, rest)
	}
	const between = `,"result":`
	head := make([]byte, 0, len(before)+len(p.id)+len(between))
	return append(append(append(head, before...), p.id...), between...), rest
}

// before is how answers begin, up to their id.
const before = `{"jsonrpc":"2.0","id":`

// absent are the answers to reads of what is not there, for legacy and modern
// revisions, in two parts: between them stands the URI.
var absent = func() (split [2][2]string) {
	for i, revision := range []string{hook.R20251125, hook.R20260728} {
		whole := envelope(nil, notFound(revision, "|"))
		first, second, _ := strings.Cut(strings.TrimPrefix(string(whole), `{"jsonrpc":"2.0"`), "|")
		split[i] = [2]string{first, second}
	}
	return split
}()

// missing is the answer to a read of a URI that is not there. A URI has nothing in it
// that JSON has to escape.
func missing(id json.RawMessage, revision, uri string) []byte {
	parts := &absent[0]
	if hook.Modern(revision) {
		parts = &absent[1]
	}
	b := make([]byte, 0, len(before)+len(id)+len(parts[0])+len(uri)+len(parts[1]))
	b = append(append(append(b, before...), id...), parts[0]...)
	return append(append(b, uri...), parts[1]...)
}

// plainlyMissing reports whether nothing can stand for a URI that the store does not have.
func (e *Engine) plainlyMissing(s *snapshot, uri string) bool {
	if world.CheckURI(uri) != nil {
		return false
	}
	for _, t := range s.templates {
		if _, matches := t.match(uri); matches {
			return false
		}
	}
	return true
}

// render makes the result of a plain request, whose members are those that the revision
// has; nil if there is none.
func (e *Engine) render(ctx context.Context, p *plainRequest, revision string) *journal.Shared {
	c := &hook.Call{Revision: revision, Modern: hook.Modern(revision), Transport: hook.HTTP, ID: p.id, Method: p.method}
	r, known := e.serveFeature(ctx, c, p.params())
	if !known || r.Error != nil || r.Result == nil {
		return nil
	}
	if c.Modern {
		e.complete(r.Result)
	}
	return journal.NewShared(append(hook.Encode(r.Result), '}'))
}

// sendPlain notes an answer and sends it.
func (e *Engine) sendPlain(w http.ResponseWriter, in *arrival, head []byte, rest *journal.Shared) {
	in.answer = journal.Answer{Request: &in.entry, Head: head, Rest: rest}
	h := w.Header()
	further := len(h) > 0 // of whoever handed the request on
	in.values = [2]string{"application/json", strconv.Itoa(len(head) + len(rest.Bytes()))}
	h["Content-Type"], h["Content-Length"] = in.values[:1:1], in.values[1:]
	if further {
		in.answer.Header = h.Clone()
	}
	e.config.Journal.NoteAnswer(&in.answer)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(head) // a client that has gone needs no answer
	if len(rest.Bytes()) > 0 {
		_, _ = w.Write(rest.Bytes())
	}
}

package operation

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// exchangeOf is an HTTP request as paths see it.
func exchangeOf(r *http.Request, body func() ([]byte, error)) *subject {
	return &subject{make: func(name string) (any, bool) {
		switch name {
		case "verb":
			return r.Method, true
		case "path":
			return r.URL.Path, true
		case "header":
			return headerOf(r.Header), true
		case "body":
			if data, err := body(); err == nil {
				return bodyOf(data)
			}
		}
		return nil, false
	}}
}

// bodyOf is a body, decoded if it is JSON.
func bodyOf(body []byte) (any, bool) {
	if len(body) == 0 {
		return nil, false
	}
	v, err := hook.Decode(body)
	if err != nil {
		return string(body), true
	}
	return v, true
}

// requests does what is to be done to HTTP requests.
func (pl *plan) requests() hook.Hooks {
	all := pl.on[OnHTTPRequest]
	if len(all) == 0 {
		return hook.Hooks{}
	}
	return hook.OnHTTP(nil, func(x hook.Serving) {
		s := exchangeOf(x.Request, func() ([]byte, error) { return hook.PeekBody(x.Request) })
		s.place = pl.ofExchange(x.Request)
		switch pl.run(x.Context(), all, "", s, &passage{answer: func(a *action) bool {
			a.write(x.W, s)
			return true
		}}) {
		case errAnswered:
			return
		case errWithheld:
			hook.Cut(x.Context())
		}
		if s.changed["header"] {
			writeHeader(s.root["header"], x.Header)
		}
		x.Next()
	})
}

// write answers an HTTP request.
func (a *action) write(w http.ResponseWriter, s *subject) {
	body := a.verbatim(s, a.Answer.Body)
	for name, value := range a.Answer.Header {
		w.Header().Set(name, value)
	}
	if len(body) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	w.WriteHeader(a.Answer.Status)
	if len(body) > 0 {
		_, _ = w.Write(body) // a client that has gone needs no answer
	}
}

// answers does what is to be done to the answers over HTTP: to whole ones where a body
// is named, and otherwise to what comes before it.
func (pl *plan) answers() hook.Hooks {
	var all []hook.Hooks
	for _, a := range pl.on[OnHTTPAnswer] {
		if a.names("body") {
			all = append(all, hook.EditAnswer(func(r *http.Request, body []byte, answer *hook.Answer) {
				pl.editAnswer(a, r, body, answer)
			}))
			continue
		}
		all = append(all, hook.EditHead(func(r *http.Request, status int, h http.Header) int {
			answer := hook.Answer{Status: status, Header: h}
			pl.editAnswer(a, r, nil, &answer)
			return answer.Status
		}))
	}
	// What is outermost sees an answer last.
	slices.Reverse(all)
	return hook.Join(all...)
}

// names reports whether a path of the operation begins with a name, or the request does.
func (a *action) names(root string) bool {
	texts := []string{a.at()}
	for _, t := range a.When {
		texts = append(texts, strings.TrimPrefix(t.At, "request."))
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		p, err := parsePath(text)
		return err == nil && len(p) > 0 && p[0].name == root
	})
}

// editAnswer changes an answer over HTTP.
func (pl *plan) editAnswer(a *action, r *http.Request, body []byte, answer *hook.Answer) {
	s := &subject{place: pl.ofExchange(r), make: func(name string) (any, bool) {
		switch name {
		case "status":
			return hook.Number(int64(answer.Status)), true
		case "header":
			return headerOf(answer.Header), answer.Header != nil
		case "body":
			return bodyOf(answer.Body)
		}
		return nil, false
	}}
	s.request = exchangeOf(r, func() ([]byte, error) { return body, nil })
	if !a.selects(r.Context(), "", s) {
		return
	}
	a.edit(s)
	s.writeHead(&answer.Status, answer.Header)
	if v, there := s.root["body"]; s.changed["body"] {
		if answer.Body = nil; there {
			answer.Body = []byte(textOf(v))
		}
	}
}

// event does what is to be done to a server-sent event. Fields that it does not have are missing.
func (pl *plan) event(e hook.Streaming) error {
	var s *subject
	written := func() {
		for name := range s.changed {
			writeEvent(s, name, &e.Event)
		}
	}
	s = &subject{place: place{transport: hook.HTTP}, make: func(name string) (any, bool) {
		switch name {
		case "type":
			return e.Type, e.Type != ""
		case "id":
			return e.ID, e.ID != ""
		case "data":
			return string(e.Data), len(e.Data) > 0
		case "raw":
			written() // it shows what has been changed before
			return string(hook.EncodeEvent(e.Event)), true
		case "retry":
			return hook.Number(int64(e.Retry / time.Millisecond)), e.Retry != 0
		case "stream":
			return e.Stream, true
		case "answer":
			return e.Response, true
		}
		return nil, false
	}}
	if e.Stream == "sse" {
		s.transport = hook.SSE
	}
	p := &passage{times: 1}
	if err := pl.run(e, pl.on[OnEvent], "", s, p); err == errWithheld {
		return nil
	} else if err != nil {
		return err
	}
	written()
	for range p.times {
		if err := e.Next(); err != nil {
			return err
		}
	}
	return nil
}

// writeEvent puts the field that has been changed into an event.
func writeEvent(s *subject, name string, e *hook.Event) {
	text := ""
	if v, there := s.root[name]; there {
		text = textOf(v)
	}
	switch name {
	case "type":
		e.Type = text
	case "id":
		e.ID = text
	case "data":
		e.Data = []byte(text)
	case "raw":
		e.Raw = []byte(text)
	}
}

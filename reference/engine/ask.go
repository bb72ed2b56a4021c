package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
)

// Why a client cannot be asked; the errors of [Engine.Ask] wrap one of them.
var (
	// ErrNoSession says that there is no such session, or that it ended before an
	// answer came.
	ErrNoSession = errors.New("there is no such session")
	// ErrNotAsked says that the session cannot be asked that, now or ever: it has no
	// handshake behind it, no way to it is open, the client has not declared
	// the capability, or the request cannot be made.
	ErrNotAsked = errors.New("the client cannot be asked")
)

// maxAsks bounds the requests of the server's that a session leaves unanswered.
const maxAsks = 64

// askPrefix begins the ids of the server's requests.
const askPrefix = "server-"

// Ask is a request of the server's to the client of a session. The revisions with a
// handshake have it; 2026-07-28 has none.
type Ask struct {
	// Method is "ping", "roots/list", "sampling/createMessage", or any other.
	Method string
	// Params is a JSON object; nil leaves it out.
	Params json.RawMessage
	// Undeclared sends the request although the client has not declared that it can
	// be asked this.
	Undeclared bool
}

// Answer is what a client answered: Result or Failure.
type Answer struct {
	ID      string          `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Failure json.RawMessage `json:"error,omitempty"`
}

// needed are the capabilities of clients that requests need.
var needed = map[string]string{
	"sampling/createMessage": "sampling", "roots/list": "roots", "elicitation/create": "elicitation",
}

// Ask sends a request to the client of a session and waits for the answer, until the
// context ends. Over Streamable HTTP it goes to the event stream that the client has
// opened by GET. Request and answer are in the journal.
func (e *Engine) Ask(ctx context.Context, session string, a Ask) (Answer, error) {
	s := e.find(session)
	if s == nil {
		return Answer{}, fmt.Errorf("%w: %s", ErrNoSession, session)
	}
	if _, err := s.askable(a); err != nil {
		return Answer{}, err
	}
	id, answered, err := s.ask()
	if err != nil {
		return Answer{}, err
	}
	defer s.forgetAsk(id)
	message := hook.Object{"jsonrpc": "2.0", "id": id, "method": a.Method}
	if a.Params != nil {
		params, ok := hook.DecodeObject(a.Params)
		if !ok {
			return Answer{}, fmt.Errorf("%w: params must be a JSON object", ErrNotAsked)
		}
		message["params"] = params
	}
	if err := s.Send(ctx, hook.Encode(message)); err != nil {
		return Answer{}, fmt.Errorf("%w: the request could not be sent: %w", ErrNoSession, err)
	}
	select {
	case raw := <-answered:
		var answer Answer
		if err := json.Unmarshal(raw, &answer); err != nil {
			return Answer{}, fmt.Errorf("the answer cannot be read: %w", err)
		}
		return answer, nil
	case <-s.ctx.Done():
		return Answer{}, fmt.Errorf("%w any more: it ended before an answer came", ErrNoSession)
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("no answer to %s: %w", a.Method, context.Cause(ctx))
	}
}

// askable says why the client cannot be asked, nil if it can, and whether it can never be asked that.
func (s *session) askable(a Ask) (never bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	declared, _ := hook.DecodeObject(s.declared)
	capability := needed[a.Method]
	undeclared := capability != "" && declared[capability] == nil && !a.Undeclared
	listening := s.transport != hook.HTTP
	for _, st := range s.streams {
		listening = listening || st.kind == "get"
	}
	switch {
	case a.Method == "":
		err = fmt.Errorf("%w: a request needs a method", ErrNotAsked)
	case s.revision == "":
		err = fmt.Errorf("%w: it has not been initialized, and without a handshake servers send no requests",
			ErrNotAsked)
	case !listening:
		err = fmt.Errorf("%w: it has opened no event stream by GET, so that there is no way to it",
			ErrNotAsked)
	case undeclared:
		err = fmt.Errorf("%w: it has not declared the capability %q", ErrNotAsked, capability)
	}
	return s.revision != "" && undeclared, err
}

// Askable reports whether the client of a session can be asked something now, and is past
// its handshake, before which it should be asked nothing (basic/lifecycle); or that it
// can never be asked that.
func (e *Engine) Askable(session string, a Ask) (now, never bool) {
	s := e.find(session)
	if s == nil {
		return false, true
	}
	never, err := s.askable(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	return err == nil && s.initialized, never
}

// ask makes an id and waits for the answer to it.
func (s *session) ask() (id string, answered <-chan []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asks) >= maxAsks {
		return "", nil, fmt.Errorf("%w: it has left %d requests unanswered", ErrNotAsked, maxAsks)
	}
	if s.asks == nil {
		s.asks = map[string]chan []byte{}
	}
	s.asked++
	id = fmt.Sprintf("%s%d", askPrefix, s.asked)
	ch := make(chan []byte, 1)
	s.asks[id] = ch
	return id, ch, nil
}

func (s *session) forgetAsk(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asks, id)
}

// answered takes an answer of the client. One to nothing is ignored.
func (s *session) answered(id json.RawMessage, raw []byte) {
	name, ok := scan.Text(id)
	if !ok || !strings.HasPrefix(name, askPrefix) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.asks[name]; ch != nil {
		delete(s.asks, name)
		ch <- raw
	}
}

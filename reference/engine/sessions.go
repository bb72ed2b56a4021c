package engine

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// SessionInfo describes an open session.
type SessionInfo struct {
	ID        string `json:"id"`
	Transport string `json:"transport"`
	// Revision is the negotiated one; empty before the handshake, and for a
	// listen stream over HTTP, which is a session of its own.
	Revision string    `json:"revision,omitempty"`
	Since    time.Time `json:"since"`
	// Client is the clientInfo of the handshake.
	Client json.RawMessage `json:"client,omitempty"`
	// Capabilities are what the client has declared in it.
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	// Subscriptions are the URIs that it has subscribed to or listens to, sorted.
	Subscriptions []string `json:"subscriptions"`
	// Listens is the number of its listen streams, InFlight that of its
	// requests that are being worked on.
	Listens  int `json:"listens"`
	InFlight int `json:"inFlight"`
}

// Sessions lists the open sessions, oldest first.
func (e *Engine) Sessions() []SessionInfo {
	all := []SessionInfo{}
	for _, s := range e.open() {
		all = append(all, s.info())
	}
	return all
}

func (s *session) info() SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := SessionInfo{
		ID: s.ID(), Transport: s.transport, Revision: s.revision, Since: s.since, Client: s.client, Capabilities: s.declared,
		Subscriptions: slices.AppendSeq([]string{}, maps.Keys(s.subscribed)), Listens: len(s.listens), InFlight: len(s.inflight),
	}
	for _, l := range s.listens {
		i.Subscriptions = append(i.Subscriptions, l.uris...)
	}
	slices.Sort(i.Subscriptions)
	i.Subscriptions = slices.Compact(i.Subscriptions)
	return i
}

// EndSession ends a session as a server may at any time, and reports whether there
// was one: its streams finish, and what names it later is refused.
func (e *Engine) EndSession(id string) bool {
	s := e.find(id)
	if s == nil {
		return false
	}
	s.farewell()
	s.end()
	return true
}

// Since is when the server was made.
func (e *Engine) Since() time.Time { return e.started }

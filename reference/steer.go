package reference

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/engine"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Session describes an open session.
type Session = engine.SessionInfo

// Health says how a server fares.
type Health struct {
	// Status is "ok", or "closed" once the server has ended.
	Status    string    `json:"status"`
	World     string    `json:"world"`
	Since     time.Time `json:"since"`
	Sessions  int       `json:"sessions"`
	Resources int       `json:"resources"`
	Templates int       `json:"templates"`
	Rules     int       `json:"rules"`
	// Journal is the newest number in the journal, JournalLost how many entries
	// it no longer has, JournalError why its file is no longer written.
	Journal      uint64 `json:"journal"`
	JournalLost  uint64 `json:"journalLost,omitempty"`
	JournalError string `json:"journalError,omitempty"`
}

var errClosed = errors.New("the server is closed")

// overlay is what a rule did to the world.
type overlay struct {
	rule          string
	before, after World
}

// initialRules are the rules that options ask for and the world has, with ids. Faults lie outside
// of quirks.
func initialRules(w World, o Options) ([]control.Rule, error) {
	var rules []control.Rule
	for _, list := range []struct {
		specs []string
		parse func(string) (control.Rule, error)
	}{{o.Faults, control.ParseFault}, {o.Quirks, control.ParseQuirk}} {
		for _, spec := range list.specs {
			r, err := list.parse(spec)
			if err != nil {
				return nil, err
			}
			rules = append(rules, r)
		}
	}
	rules = append(rules, o.Rules...)
	for _, r := range w.Rules {
		rules = append(rules, control.Rule(r))
	}
	taken := map[string]bool{}
	for i := range rules {
		r := &rules[i]
		name := cmp.Or(r.ID, r.Fault, r.Quirk)
		if name != "" && !taken[name] {
			r.ID, taken[name] = name, true
			continue
		}
		for n := 1; ; n++ {
			if r.ID = fmt.Sprintf("initial-%d", n); !taken[r.ID] {
				taken[r.ID] = true
				break
			}
		}
	}
	return rules, nil
}

// overlay is the pristine world with what the initial rules do to it. Where they do nothing it
// is not copied, because the engine changes nothing in what it is given, and worlds can be big.
func (s *Server) overlay() World {
	w := s.pristine
	s.overlays = nil
	if s.options.Current != nil {
		w = s.options.Current()
	}
	if slices.ContainsFunc(s.initial, func(r control.Rule) bool { return r.Overlay() != nil }) {
		w = w.Clone()
	}
	for _, r := range s.initial {
		change := r.Overlay()
		if change == nil {
			continue
		}
		before := w.Clone()
		change(&w)
		s.overlays = append(s.overlays, overlay{r.ID, before, w.Clone()})
	}
	return w
}

// Journal is the journal of the server.
func (s *Server) Journal() *journal.Journal { return s.journal }

// AddRule switches a fault, a quirk, a failure, a delay or operations on and returns it with
// its id. What a fault or quirk changes in the world changes for everyone, and clients
// are told as of any other change.
func (s *Server) AddRule(r control.Rule) (control.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() {
		return control.Status{}, errClosed
	}
	if err := s.belongs(r); err != nil {
		return control.Status{}, err
	}
	r.Identity = s.Fingerprint(r.Identity)
	status, err := s.rules.Add(r)
	if err != nil {
		return control.Status{}, err
	}
	change := r.Overlay()
	if change == nil {
		return status, nil
	}
	before := s.engine.World()
	after := before.Clone()
	change(&after)
	if err := s.replace(before, after); err != nil {
		s.rules.Remove(status.ID)
		return control.Status{}, err
	}
	s.overlays = append(s.overlays, overlay{status.ID, before, after.Clone()})
	return status, nil
}

// replace serves another world. The caller holds mu.
func (s *Server) replace(before, after World) error {
	pageSize := s.engine.PageSize()
	if after.PageSize != before.PageSize {
		pageSize = after.PageSize
	}
	return s.engine.Replace(after, pageSize)
}

// RemoveRule switches a rule off and reports whether there was one with that id.
// What it changed in the world is undone, except where that has been changed since.
func (s *Server) RemoveRule(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.rules.Remove(id) {
		return false
	}
	s.undo(func(o overlay) bool { return o.rule == id })
	return true
}

// ClearRules switches all rules off.
func (s *Server) ClearRules() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules.Clear()
	s.undo(func(overlay) bool { return true })
}

// undo takes overlays back, the newest first. The caller holds mu.
func (s *Server) undo(which func(overlay) bool) {
	for _, o := range slices.Backward(slices.Clone(s.overlays)) {
		if !which(o) {
			continue
		}
		now := s.engine.World()
		// What was served before can be served again.
		_ = s.replace(now, world.Revert(now, o.before, o.after))
	}
	s.overlays = slices.DeleteFunc(s.overlays, which)
}

// Rules lists the rules, outermost first.
func (s *Server) Rules() []control.Status { return s.rules.List() }

// States are the states of the scenarios that have been set, by name.
func (s *Server) States() map[string]string { return s.rules.States() }

// SetStates gives scenarios other states; those that are not named keep theirs. The error says which cannot be.
func (s *Server) SetStates(states map[string]string) error {
	if err := operation.CheckStates(states).First(); err != nil {
		return err
	}
	s.rules.SetStates(states)
	return nil
}

// Rule returns the rule with that id.
func (s *Server) Rule(id string) (control.Status, bool) { return s.rules.Find(id) }

// Update changes a resource: change gets a copy of it. It reports whether there is
// such a resource, and sends the notifications that are due. The error is that of
// change, or says why the result cannot be served.
func (s *Server) Update(uri string, change func(r *Resource) error) (found bool, err error) {
	return s.engine.Update(uri, change)
}

// Patch applies a JSON merge patch to a resource, see world.MergeResource. It
// reports whether there is such a resource.
func (s *Server) Patch(uri string, patch []byte) (found bool, err error) {
	return s.engine.Update(uri, func(r *Resource) error {
		merged, err := world.MergeResource(*r, patch)
		if err == nil {
			*r = s.resolved(merged)
		}
		return err
	})
}

// Change puts and removes resources at once: clients are told of a changed list once,
// and of each resource that was there and is replaced.
func (s *Server) Change(put []Resource, remove []string) error { return s.engine.Change(put, remove) }

// PutTemplate adds a template at the end of the list, or replaces the one with the
// same URI template, and sends list_changed.
func (s *Server) PutTemplate(t Template) error { return s.engine.PutTemplate(t) }

// RemoveTemplate takes a template away, sends list_changed, and reports whether
// there was one.
func (s *Server) RemoveTemplate(uriTemplate string) bool { return s.engine.RemoveTemplate(uriTemplate) }

// World is a copy of the world as it is now.
func (s *Server) World() World { return s.engine.World() }

// Reset brings back the world, the rules and the timeline with which the server
// began; counts begin anew. Connections, subscriptions and the journal stay, and clients are
// told what is different for them.
func (s *Server) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() {
		return errClosed
	}
	s.life.Lock()
	s.timeline()
	s.life.Unlock()
	s.rules.Clear()
	s.rules.ResetStates(s.pristine.States)
	if s.within == "" { // tokens are shared with namespaces
		s.options.Guard.Renew()
	}
	s.doors.shut(0)
	if err := s.engine.SetRevisions(s.options.Revisions); err != nil {
		return err
	}
	if err := s.rules.Start(s.initial); err != nil {
		return err
	}
	err := s.engine.Replace(s.overlay(), s.pageSize)
	s.play()
	return err
}

// Sessions lists the open sessions, oldest first.
func (s *Server) Sessions() []Session { return s.engine.Sessions() }

// EndSession ends a session, as a server may at any time, and reports whether there
// was one.
func (s *Server) EndSession(id string) bool { return s.engine.EndSession(id) }

// PageSize is the number of entries on a page, from the options or the world; 0 if all are on one.
func (s *Server) PageSize() int { return s.engine.PageSize() }

// Health says how the server fares.
func (s *Server) Health() Health {
	h := Health{
		Status: "ok", World: s.pristine.Name, Since: s.engine.Since(), Sessions: len(s.engine.Sessions()),
		Rules: len(s.rules.List()), Journal: s.journal.Last(), JournalLost: s.journal.Lost(),
	}
	h.Resources, h.Templates = s.engine.Counts()
	if s.engine.Closed() {
		h.Status = "closed"
	}
	if err := s.journal.Err(); err != nil {
		h.JournalError = err.Error()
	}
	return h
}

// ended reports whether the server has been closed.
func (s *Server) ended() bool {
	s.life.Lock()
	defer s.life.Unlock()
	return s.closed
}

// askPatience is how long an answer to a request of a timeline is waited for. It is in the journal
// whenever it comes.
const askPatience = time.Minute

// askInterval is how often those are looked at that cannot be asked yet: their handshake is
// not over, or no stream is open by which they can be reached.
const askInterval = 10 * time.Millisecond

// askAll sends a request to the clients of all sessions as soon as they can be asked, and does
// not wait for them.
func (s *Server) askAll(ctx context.Context, r world.Request) {
	a := Ask{Method: r.Method, Undeclared: r.Undeclared}
	if len(r.Params) > 0 {
		params, err := json.Marshal(r.Params)
		if err != nil {
			return // what was read from a file always can be written
		}
		a.Params = params
	}
	s.players.Go(func() {
		patience, cancel := context.WithTimeout(ctx, askPatience)
		defer cancel()
		tick := time.NewTicker(askInterval)
		defer tick.Stop()
		done := map[string]bool{}
		for !s.askReady(ctx, a, done) {
			select {
			case <-tick.C:
			case <-patience.Done():
				return
			}
		}
	})
}

// askReady asks the clients that can be asked by now, each once, and reports whether none is
// left that may come to be.
func (s *Server) askReady(ctx context.Context, a Ask, done map[string]bool) bool {
	sessions, waiting := s.Sessions(), false
	for _, session := range sessions {
		if done[session.ID] {
			continue
		}
		now, never := s.engine.Askable(session.ID, a)
		done[session.ID] = now || never
		waiting = waiting || !done[session.ID]
		if now {
			s.players.Go(func() {
				patience, cancel := context.WithTimeout(ctx, askPatience)
				defer cancel()
				_, _ = s.Ask(patience, session.ID, a) // one that has ended meanwhile is passed over
			})
		}
	}
	return len(sessions) > 0 && !waiting
}

// Ask is a request of the server's to a client, Answer what the client says to it.
type (
	Ask    = engine.Ask
	Answer = engine.Answer
)

// Why a client cannot be asked; the errors of [Server.Ask] wrap one of them, or say that the
// context has ended.
var (
	ErrNoSession = engine.ErrNoSession
	ErrNotAsked  = engine.ErrNotAsked
)

// Ask sends a request of the server's, a ping say, to the client of a session of a
// revision with a handshake, and waits for the answer. Both are in the journal.
func (s *Server) Ask(ctx context.Context, session string, a Ask) (Answer, error) {
	return s.engine.Ask(ctx, session, a)
}

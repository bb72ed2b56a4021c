package reference

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

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

// Rule returns the rule with that id.
func (s *Server) Rule(id string) (control.Status, bool) { return s.rules.Find(id) }

// States are the states of the scenarios that have been set, by name.
func (s *Server) States() map[string]string { return s.rules.States() }

// SetStates gives scenarios other states; those that are not named keep theirs. The error says which cannot
// be.
func (s *Server) SetStates(states map[string]string) error {
	if err := operation.CheckStates(states).First(); err != nil {
		return err
	}
	s.rules.SetStates(states)
	return nil
}

// belongs says why a rule cannot be one of a namespace: connections are shared by all.
func (s *Server) belongs(rules ...control.Rule) error {
	if s.within == "" {
		return nil
	}
	for _, r := range rules {
		f, ok := fault.Find(r.Fault)
		if !ok {
			continue
		}
		// #nosec G404 -- nothing is drawn
		if h := f.HooksFor(rand.New(rand.NewPCG(0, 0))); h.Conn != nil || h.Public != nil {
			return fmt.Errorf("%s acts on connections, which namespaces share: switch it on without a "+
				"namespace", r.Fault)
		}
	}
	return nil
}

// ruled are the rules that a timeline switches on.
func ruled(timeline []Step) (rules []control.Rule) {
	for _, step := range timeline {
		if step.PutRule != nil {
			rules = append(rules, control.Rule(*step.PutRule))
		}
	}
	return rules
}

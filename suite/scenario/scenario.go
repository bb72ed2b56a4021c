// Package scenario is what scripted conversations with a target are made of, and holds the
// scripts whose steps several areas judge; those that one area knows alone stand in
// its package, below suite/area. Only scenarios talk to the target: what they record is
// judged later, by checks, and can be judged again without the target.
//
// A scenario is played once per combination of revision and transport. It says
// what it is about, which other scenarios it builds on, and in which phase of
// the run it belongs; its script sends messages through [Client]s and notes down
// everything that happens, without an opinion. A script is played on a [Stage], which holds
// the sessions of a combination that scripts share.
package scenario

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Phase is the part of a run in which a scenario is played.
type Phase int

// The phases, in the order of the run. Read scenarios ask for what is there;
// quiet ones watch for what should not come; mutate ones make the target change
// and are played one at a time in the whole run, because one server stands
// behind all revisions; destructive ones may cost a session or a process.
const (
	Read Phase = iota
	Quiet
	Mutate
	Destructive
)

// Phases lists the phases in the order of the run.
func Phases() []Phase { return []Phase{Read, Quiet, Mutate, Destructive} }

// Session is whose session a script talks in.
type Session int

// The sessions. Where each is a process those that come before a handshake go on to the next script, and the
// expendable one is that of the opening scripts: none of them costs a start.
const (
	Any        Session = iota // those that all share, or several
	Own                       // none but its own: nobody is harmed or disturbed, and it needs nobody's end
	Unopened                  // its own, before a handshake: what is sent hardly depends on the revision
	Opening                   // one that is clean, and expendable afterwards
	Expendable                // one that may be lost
	Closing                   // that after all others, as some targets answer nothing any more afterwards
)

// Scenario is one scripted conversation.
type Scenario struct {
	Name recording.Name
	// Title says in a few words what is going on: progress displays show it.
	Title string
	// Sends says, in a sentence for people, what the target is sent.
	Sends string
	Phase Phase // the first, unless it says otherwise
	// After names the scenarios whose recordings the script uses.
	After []recording.Name
	// When says why there is no occasion to play it; nil means that there
	// may be one.
	When func(*Play) *recording.Skipped
	// In says in whose session the script talks.
	In Session
	// Waits says that the script watches silence most of the time, as quiet ones do: where sessions are
	// cheap it takes no place from others.
	Waits bool
	// Security says that it tests defences, which is for the user to allow.
	Security bool
	// Script talks to the target.
	Script func(p *Play)
}

// Common lists the scripts whose steps several areas judge.
func Common() []*Scenario {
	return []*Scenario{
		bareRequestsScenario,
		changesScenario,
		selfChangesScenario,
		selfUpdatesScenario,
		discoveryScenario,
		firstMessagesScenario,
		httpSessionsScenario,
		invalidMessagesScenario,
		listeningScenario,
		malformedReadsScenario,
		metadataScenario,
		missingReadsScenario,
		readsScenario,
		templateSweepScenario,
		traversalScenario,
		twoClientsScenario,
		uriSubscriptionsScenario,
		walkResourcesScenario,
		walkTemplatesScenario,
	}
}

// Play is a scenario being played in one combination, and the context in which that is done: it ends when
// the script has to.
type Play struct {
	context.Context
	*Stage
	scenario *Scenario
	earlier  map[recording.Name]*recording.Recording

	mu   sync.Mutex
	Rec  *recording.Recording
	own  []*session.Session // opened by this script, ended with it
	lent []*session.Session // borrowed probe sessions

	leftOut map[string]string // what was left out as risky, and the word that made it so
}

// Perform plays a scenario on a stage and returns what it recorded. earlier
// holds the recordings that it builds on. It never panics: a defect of the
// script is recorded as our own fault.
func Perform(ctx context.Context, st *Stage, sc *Scenario, earlier map[recording.Name]*recording.Recording) (
	rec *recording.Recording) {
	p := &Play{Context: ctx, Stage: st, scenario: sc, earlier: earlier, leftOut: map[string]string{},
		Rec: &recording.Recording{Scenario: sc.Name, Combination: st.Combination, Facts: st.Facts}}
	defer func() {
		p.caught(recover())
		p.finish()
		p.risky()
		rec = p.Rec
	}()
	for _, name := range sc.After {
		if r := earlier[name]; r == nil || (r.Broken != nil && len(r.Exchanges) == 0) {
			code, reason := recording.CodeNotExercised,
				fmt.Sprintf("the scenario %q, which this one builds on, was not played", name)
			if r != nil {
				code, reason = r.Broken.Code, r.Broken.Reason
			}
			p.Break(code, reason)
			return nil
		}
	}
	if sc.Security && !p.SecurityProbes {
		p.Skip(recording.CodeOptedOut, "security probes are switched off")
		return nil
	}
	if sc.When != nil {
		if skip := sc.When(p); skip != nil {
			p.Rec.Skipped = skip
			return nil
		}
	}
	sc.Script(p)
	if err := context.Cause(ctx); err != nil {
		p.Break(recording.CodeInterrupted, err.Error())
	}
	return nil
}

// Survive records a panic as our own fault. Goroutines of a script defer it: a panic
// in one of them would end the program, and the processes of the target live on.
func (p *Play) Survive() { p.caught(recover()) }

// caught records what was recovered of a panic, if there was one.
func (p *Play) caught(f any) {
	if f != nil {
		p.Break(recording.CodePanic, fmt.Sprintf("the scenario %q failed: %v\n%s", p.scenario.Name, f,
			debug.Stack()))
	}
}

// finish ends the sessions of the script and collects what belongs to the
// recording.
func (p *Play) finish() {
	var wg sync.WaitGroup
	for _, s := range p.own {
		if p.Rec.Parts[s.ID()].Until == 0 {
			wg.Go(func() { p.End(s) })
		}
	}
	wg.Wait()
	for _, s := range p.lent {
		for _, x := range p.Rec.Exchanges {
			if x.Session == s.ID() && x.Step != recording.StepAlive {
				p.answered.Store(s, x.Outcome == recording.Replied)
			}
		}
		p.GiveBack(s)
	}
	for _, s := range p.own {
		p.Rec.Sessions = append(p.Rec.Sessions, s.Record())
	}
}

// Break notes that the script cannot go on, because something failed that should
// have worked.
func (p *Play) Break(code recording.Code, reason string, frames ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Rec.Broken == nil {
		p.Rec.Broken = &recording.Broken{Code: code, Reason: reason, Frames: frames}
	}
}

// Skip notes that there is no occasion to go on.
func (p *Play) Skip(code recording.Code, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Rec.Skipped == nil {
		p.Rec.Skipped = &recording.Skipped{Code: code, Reason: reason}
	}
}

// cut notes that a row of probes was broken off. Of what none of those that were sent
// is about, it is the reason why there was no occasion.
func (p *Play) cut(tried, of int, reason string) {
	c := &recording.Cut{Tried: tried, Of: of, Reason: reason}
	p.Skip(recording.CodeNotExercised, c.String())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Rec.Cut = c
}

// Mark names this instant of the script. Frames of the session after it have
// numbers above the mark's.
func (p *Play) Mark(name recording.MarkName) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	after := p.Transcript.Len()
	p.Rec.Marks = append(p.Rec.Marks, recording.Mark{Name: name, At: p.Transcript.Now(), After: after})
	return after
}

// outcome notes what came of what the script did at its last mark.
func (p *Play) outcome(what string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.Rec.Marks); n > 0 {
		p.Rec.Marks[n-1].What, p.Rec.Marks[n-1].Failed = what, !ok
	}
}

// Earlier is the recording of a scenario that this one builds on. To ask for another one is
// a defect of the script: it would depend on what else happens to be played.
func (p *Play) Earlier(name recording.Name) *recording.Recording {
	if !slices.Contains(p.scenario.After, name) {
		panic(fmt.Sprintf("the script %q looks at %q, which it does not name in After", p.scenario.Name,
			name))
	}
	return p.earlier[name]
}

// Note adds an exchange to the recording.
func (p *Play) Note(x *recording.Exchange) *recording.Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Rec.Exchanges = append(p.Rec.Exchanges, x)
	return x
}

// Skip is a [recording.Skipped] in one call.
func Skip(code recording.Code, format string, args ...any) *recording.Skipped {
	return &recording.Skipped{Code: code, Reason: fmt.Sprintf(format, args...)}
}

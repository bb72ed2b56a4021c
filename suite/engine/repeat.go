package engine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// cleanFirst puts scenarios that needed a clean session before those of their phase that only
// borrowed one, so that those which share a session follow one another. What sent nothing, and
// what those in front build on, stays in front.
func cleanFirst(plan []*scenario.Scenario, before *Take) {
	borrows := map[recording.Name]bool{}
	for _, sc := range slices.Backward(plan) { // what builds on a scenario comes after it
		rec := before.Recordings[sc.Name]
		borrows[sc.Name] = rec != nil && len(rec.Exchanges) > 0 &&
			!slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool { return x.Kind == recording.Clean }) &&
			!slices.ContainsFunc(plan, func(other *scenario.Scenario) bool {
				return slices.Contains(other.After, sc.Name) && !borrows[other.Name]
			})
	}
	probes := func(sc *scenario.Scenario) int {
		if borrows[sc.Name] {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(plan, func(a, b *scenario.Scenario) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), probes(a)-probes(b), rank(a)-rank(b))
	})
}

// hurry has processes that were seen not to exit for the end of their input terminated
// sooner, while verdicts are repeated that do not look at that: the scenarios of some are
// repeated one after the other, each with a process that would have to be waited for.
func (r *Run) hurry(red []*Judgement) {
	looks := slices.ContainsFunc(red, func(j *Judgement) bool {
		k, ok := r.catalogue.Check(j.Requirement.ID)
		return ok && k.Endings
	})
	for _, e := range r.endpoints {
		if p, ok := e.dialer.(interface{ Hurry(on bool) }); ok {
			p.Hurry(!looks && r.stays(e))
		}
	}
}

// stays reports whether the processes of an endpoint had to be terminated when they were
// waited for in full, and none exited by itself.
func (r *Run) stays(e *endpoint) bool {
	ends := map[string]int{}
	for _, st := range r.stages {
		take := r.takes[st.Combination]
		if st.Endpoint != e.Endpoint || take == nil || take.Recordings[recording.Everything] == nil {
			continue
		}
		for _, s := range take.Recordings[recording.Everything].Sessions {
			if end := s.Ending; end != nil && end.By == "us" && end.Reason == "" {
				ends[end.How]++
			}
		}
	}
	return ends["exited"] == 0 && ends["terminated"]+ends["killed"] > 0
}

// repeat names the scenarios that have to be played again for a red verdict.
// Where a check judges all frames they are those in which its evidence occurred,
// and, for what came unasked on a session that scripts share, those that were
// talking in that session at the time, or had asked for it in another one; if none was, all of them. How processes end
// shows in a few scenarios as well as in all.
func (r *Run) repeat(needed map[recording.Name]bool, j *Judgement, take *Take) {
	if few := r.endings(j, take); len(few) > 0 {
		for _, name := range few {
			needed[name] = true
		}
		return
	}
	for _, name := range j.From {
		if name != recording.Everything {
			if sc, ok := r.catalogue.Scenario(name); ok {
				needed[sc.Name] = true
			}
			continue
		}
		around := map[recording.Name]bool{}
		strays := strays(j, take)
		for other, rec := range take.Recordings {
			if other != recording.Everything && (slices.ContainsFunc(j.Frames, func(n int) bool { return r.around(rec, n) }) ||
				slices.ContainsFunc(strays, func(n int) bool { return r.asked(rec, n) })) {
				around[other] = true
			}
		}
		for other := range take.Recordings {
			if sc, ok := r.catalogue.Scenario(other); ok && (around[other] || len(around) == 0 && sc.Phase <= scenario.Quiet) {
				needed[other] = true
			}
		}
	}
}

// choice names the scenarios that are to be played again for a verdict.
type choice = func(needed map[recording.Name]bool, j *Judgement, take *Take)

// quickest is [Run.repeat] without what was repeated before. Of the scenarios in which the evidence of
// a red verdict on all frames occurred it names only one, that which took least, and of several that took as
// many seconds the one with most requests: some things show only after a few. It names all of
// them where one asked for what another one got.
func (r *Run) quickest(needed map[recording.Name]bool, j *Judgement, take *Take) {
	left := map[recording.Name]bool{}
	if r.left(left, j, take); !j.Outcome.Red() || !slices.Contains(j.From, recording.Everything) || r.misdelivered(j, take) {
		maps.Copy(needed, left)
		return
	}
	rank := func(name recording.Name) int { // what is played anyway costs nothing
		if needed[name] {
			return 0
		}
		return 1
	}
	requests := func(name recording.Name) int {
		if rec := take.Recordings[name]; rec != nil {
			return len(rec.Exchanges)
		}
		return 0
	}
	found := false
	for _, name := range slices.SortedFunc(maps.Keys(left), func(a, b recording.Name) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(take.Took[a].Truncate(time.Second), take.Took[b].Truncate(time.Second)),
			requests(b)-requests(a), cmp.Compare(a, b))
	}) {
		rec := take.Recordings[name]
		switch {
		case slices.Contains(j.From, name):
			needed[name] = true
		case !found && rec != nil && len(rec.Exchanges) > 0:
			needed[name], found = true, true
		}
	}
}

// left is [Run.repeat] without what was repeated before.
func (r *Run) left(needed map[recording.Name]bool, j *Judgement, take *Take) {
	all := map[recording.Name]bool{}
	r.repeat(all, j, take)
	again := r.again[j.Combination]
	for name := range all {
		done := false
		if again != nil {
			_, done = again.Took[name]
		}
		if !done {
			needed[name] = true
		}
	}
}

// endings names some scenarios with a process of their own that did not end with its
// input, if that is all that a verdict rests on: else there are none.
func (r *Run) endings(j *Judgement, take *Take) []recording.Name {
	k, ok := r.catalogue.Check(j.Requirement.ID)
	if !ok || !k.Endings || len(j.Frames) > 0 {
		return nil
	}
	const some = 2
	var names []recording.Name
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		sc, ok := r.catalogue.Scenario(name)
		if ok && sc.Phase <= scenario.Quiet && len(names) < some && slices.ContainsFunc(take.Recordings[name].Sessions, stayed) {
			names = append(names, name)
		}
	}
	return names
}

// stayed reports whether the process of a clean session had to be terminated.
func stayed(s *recording.Session) bool {
	end := s.Ending
	return s.Kind == recording.Clean && end != nil && end.By == "us" && end.Reason == "" && end.How != "exited"
}

// around reports whether a frame belongs to a recording, or came in a session
// while the recorded script awaited an answer there or had just got one.
func (r *Run) around(rec *recording.Recording, number int) bool {
	if rec.Frame(number) != nil {
		return true
	}
	f, ok := r.transcript.Frame(number)
	return ok && slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool {
		return x.Session == f.Session && x.Sent <= f.At && f.At <= x.Sent+x.Took+r.cfg.QuietWindow
	})
}

// belongs reports whether a frame is a message that a script sent, or an answer to one.
func belongs(take *Take, number int) bool {
	for name, rec := range take.Recordings {
		if name != recording.Everything && slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool { return slices.Contains(x.Evidence(), number) }) {
			return true
		}
	}
	return false
}

// strays are the frames of the evidence that are no messages which a script sent, nor answers to one.
func strays(j *Judgement, take *Take) []int {
	return slices.DeleteFunc(slices.Clone(j.Frames), func(n int) bool { return belongs(take, n) })
}

// misdelivered reports whether a verdict on all frames is about responses that came on another session than
// that of their request: they come again where both stand at the same time.
func (r *Run) misdelivered(j *Judgement, take *Take) bool {
	return slices.Contains(j.From, recording.Everything) && slices.ContainsFunc(strays(j, take), func(n int) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(take.Recordings)), func(rec *recording.Recording) bool {
			return rec.Scenario != recording.Everything && r.asked(rec, n)
		})
	})
}

// asked reports whether a response that came on another session than that of its request may be
// for one that the recorded script had made there.
func (r *Run) asked(rec *recording.Recording, number int) bool {
	f, ok := r.transcript.Frame(number)
	all := f.Parsed().Messages
	if !ok || f.Dir != wire.In || len(all) != 1 {
		return false
	}
	id := all[0].Get("id")
	return id.Exists() && slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool {
		return x.Session != f.Session && string(x.ID) == id.Raw && x.Sent <= f.At && f.At <= x.Sent+x.Took+r.cfg.QuietWindow
	})
}

func (r *Run) endpointOf(st *pool.Pool) *endpoint {
	for _, e := range r.endpoints {
		if e.Endpoint == st.Endpoint {
			return e
		}
	}
	return nil
}

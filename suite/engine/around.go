package engine

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// pick names the scenarios that the next round plays again for a verdict: all that it rests on, but of those
// in which the evidence of one on all frames occurred only the cheapest, unless it is the last round, or one
// asked for what another one got. What is played anyway costs nothing, and of those that take as many seconds
// the one with most requests shows most.
func (r *Run) pick(needed map[recording.Name]bool, j *Judgement, last bool) {
	take, found := r.takes[j.Combination], false
	left, all := r.left(j, len(r.rounds)), last
	if r.misdelivered(j, take) {
		left, all = r.left(j, 0), true
	}
	slices.SortFunc(left, func(a, b recording.Name) int {
		anyway := func(name recording.Name) int { return map[bool]int{true: -1}[needed[name]] }
		holds := func(name recording.Name) int {
			held := slices.ContainsFunc(j.Frames, func(n int) bool {
				return take.Recordings[name].Frame(n) != nil
			})
			return map[bool]int{true: 1}[held]
		}
		requests := func(name recording.Name) int { return len(take.Recordings[name].Exchanges) }
		return cmp.Or(anyway(a)-anyway(b), holds(b)-holds(a), cmp.Compare(take.Took[a].Truncate(time.Second),
			take.Took[b].Truncate(time.Second)),
			requests(b)-requests(a), cmp.Compare(a, b))
	})
	for _, name := range left {
		if all || !found && len(take.Recordings[name].Exchanges) > 0 {
			needed[name], found = true, true
		}
	}
	for _, name := range j.From {
		if sc, ok := r.catalogue.Scenario(name); ok {
			needed[sc.Name] = true
		}
	}
}

// left names the scenarios around the evidence of a verdict on all frames that were not played again in the
// first rounds. They are those in which it occurred, and, for what came unasked on a session that scripts
// share, those that were talking in that session at the time, or had asked for it in another one; if none
// was, all of them.
func (r *Run) left(j *Judgement, rounds int) []recording.Name {
	if !j.onAllFrames() {
		return nil
	}
	take := r.takes[j.Combination]
	all := r.endings(j, take)
	if len(all) == 0 {
		all = r.around(j, take)
	}
	return slices.DeleteFunc(all, func(name recording.Name) bool {
		return slices.ContainsFunc(r.rounds[:rounds], func(round round) bool {
			again := round[j.Combination]
			if again == nil {
				return false
			}
			_, played := again.Took[name]
			return played && !again.Unfinished[name]
		})
	})
}

// around names the scenarios around the evidence.
func (r *Run) around(j *Judgement, take *Take) []recording.Name {
	strays := slices.DeleteFunc(slices.Clone(j.Frames), func(n int) bool { return belongs(take, n) })
	var some, all []recording.Name
	for name, rec := range take.Recordings {
		sc, ok := r.catalogue.Scenario(name)
		switch {
		case !ok:
		case slices.ContainsFunc(j.Frames, func(n int) bool { return r.near(rec, n) }),
			slices.ContainsFunc(strays, func(n int) bool { return r.asked(rec, n) }):
			some = append(some, name)
		case sc.Phase <= scenario.Quiet:
			all = append(all, name)
		}
	}
	if len(some) > 0 {
		return some
	}
	return all
}

// endings names some scenarios with their own process that did not end with its input, if that is all
// that a verdict rests on: how processes end shows in a few as well as in all.
func (r *Run) endings(j *Judgement, take *Take) (names []recording.Name) {
	k, ok := r.catalogue.Check(j.Requirement.ID)
	if !ok || !k.Endings || len(j.Frames) > 0 {
		return nil
	}
	const some = 2
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		sc, ok := r.catalogue.Scenario(name)
		if ok && sc.Phase <= scenario.Quiet && len(names) < some &&
			slices.ContainsFunc(take.Recordings[name].Sessions, stayed) {
			names = append(names, name)
		}
	}
	return names
}

// stayed reports whether the process of a clean session had to be terminated.
func stayed(s *recording.Session) bool {
	end := s.Ending
	return s.Kind == recording.Clean && end != nil && end.By == "us" && end.Reason == "" &&
		end.How != "exited"
}

// near reports whether a frame belongs to a recording, or came in a session
// while the recorded script awaited an answer there or had just got one.
func (r *Run) near(rec *recording.Recording, number int) bool {
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
	for rec, x := range take.exchanges() {
		if rec.Scenario != recording.Everything && slices.Contains(x.Evidence(), number) {
			return true
		}
	}
	return false
}

// misdelivered reports whether a verdict on all frames is about responses that came on another session than
// that of their request: they come again where both stand at the same time.
func (r *Run) misdelivered(j *Judgement, take *Take) bool {
	return j.onAllFrames() && slices.ContainsFunc(j.Frames, func(n int) bool {
		return !belongs(take, n) && slices.ContainsFunc(slices.Collect(maps.Values(take.Recordings)),
			func(rec *recording.Recording) bool {
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
		return x.Session != f.Session && string(x.ID) == id.Raw && x.Sent <= f.At &&
			f.At <= x.Sent+x.Took+r.cfg.QuietWindow
	})
}

// judgedExchanges are those of single scenarios.
func judgedExchanges(names []recording.Name, take *Take) iter.Seq[*recording.Exchange] {
	return func(yield func(*recording.Exchange) bool) {
		for _, name := range names {
			rec := take.Recordings[name]
			if rec == nil || name == recording.Everything {
				continue
			}
			for _, x := range rec.Exchanges {
				if !yield(x) {
					return
				}
			}
		}
	}
}

package engine

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Judgement is the verdict on one row.
type Judgement struct {
	Row
	verdict.Result
}

// onAllFrames reports whether the verdict is one on all frames, and not on those of single scenarios.
func (j *Judgement) onAllFrames() bool { return slices.Contains(j.From, recording.Everything) }

// shows reports whether the evidence of the verdict has something of an exchange.
func (j *Judgement) shows(x *recording.Exchange) bool {
	return slices.ContainsFunc(x.Evidence(), func(n int) bool { return slices.Contains(j.Frames, n) })
}

// judgeTime is how long what is known may be judged once a run has to end.
const judgeTime = 5 * time.Second

// lasting is a context for judging: it ends some time after that for playing, unless all is
// judged before.
func lasting(ctx context.Context) (judging context.Context, judged func()) {
	judging, end := context.WithCancelCause(context.WithoutCancel(ctx))
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(judgeTime):
			end(context.Cause(ctx))
		case <-over:
		}
	})
	return judging, func() { stop(); close(over) }
}

// judge judges all rows that are left and confirms those that may be repeated. These are given
// when all of them are known: how they look depends on one another.
func (r *Run) judge(ctx context.Context) {
	var late []*Judgement
	for _, c := range r.Combinations() {
		late = append(late, r.judgeLeft(c)...)
	}
	if cause := context.Cause(r.judging); cause != nil {
		r.ended = cause // not everything could be judged
	}
	r.confirm(ctx, late)
	// while it was judged or repeated, the time for the whole run may have ended
	if slices.ContainsFunc(late, r.lacks) {
		r.ended = cmp.Or(r.ended, context.Cause(ctx))
	}
	r.conclude(late)
	for take := range r.played() {
		take.forget()
	}
	for _, j := range late {
		r.results.give(j)
	}
}

// judgeLeft judges the rows of a combination that have no verdict yet, and gives those that a repetition
// does not change; the others it returns.
func (r *Run) judgeLeft(c requirement.Combination) (late []*Judgement) {
	take := r.takes[c]
	for _, row := range r.rows {
		if row.Combination != c || r.results.given(row) != nil {
			continue
		}
		if j := r.row(row, take); repeats(j, take) {
			late = append(late, j)
		} else {
			r.results.give(j)
		}
	}
	take.forget()
	return late
}

// forget drops what was worked out to judge a take.
func (t *Take) forget() {
	for _, rec := range t.Recordings {
		rec.Forget()
	}
}

// row judges one row on what was recorded, in the light of how the run ended.
func (r *Run) row(row Row, take *Take) *Judgement {
	j := &Judgement{Row: row, Result: r.verdict(row, take)}
	if result, gone := endedBlocked(j, take); gone {
		j.Result = result
	}
	r.excuse(j, take, maps.Values(r.takes)) // by no round: which were played by now a recording does not say
	if j.Outcome == verdict.Blocked && j.Code == recording.CodeInterrupted {
		switch code, cause := endedBy(cmp.Or(r.ended, context.Cause(r.judging))); cause {
		case nil: // we gave it up, and nobody interrupted the run
			j.Code = recording.CodeNoAnswer
		case ErrBudget, ErrVolume:
			j.Code, j.Reason = code, cause.Error()
		}
	}
	return j
}

// excuse takes back a red verdict that blames a message for a loss where the target also fails without that,
// by what was played.
func (r *Run) excuse(j *Judgement, take *Take, played iter.Seq[*Take]) {
	why, code := "", recording.CodeDied
	switch {
	case !j.Outcome.Red():
		return
	case take.Facts.Owned && restsOnLoss(j, take): // else sessions are not processes of their own
		why = unprovoked(take)
	case !take.Facts.Owned && restsOnLoss(j, take):
		why = killedServer(take)
	}
	if why == "" && !take.Facts.Owned && (restsOnLoss(j, take) || r.touchesLoss(j, take)) {
		why, code = r.ordinaryLoss(take.Facts.Combination, played),
			recording.CodeNoAnswer // which ends a connection
	}
	if why != "" {
		j.Result = verdict.Result{Outcome: verdict.Blocked, Code: code, From: j.From, Frames: j.Frames,
			Reason: "the target also fails where nothing is wrong with what it was sent: " + why}
	}
}

// touchesLoss reports whether a verdict on single scenarios is about a message over which a connection was
// lost.
func (r *Run) touchesLoss(j *Judgement, take *Take) bool {
	for x := range judgedExchanges(j.From, take) {
		// nobody waited for it
		unheard := (x.Outcome == recording.Sent || x.Outcome == recording.Silent) && len(x.ID) > 0 &&
			x.Status == 0 && r.toldOf(x) > 0
		if (x.Outcome == recording.Lost || unheard) && slices.Contains(j.Frames, x.Request) {
			return true
		}
	}
	return false
}

// unprovoked is how a process of the target ended in a session in which it was
// sent nothing out of order; empty if none did. What it cannot bear is then not
// to be told from what it would have died of anyway.
func unprovoked(take *Take) string {
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		if why := take.Recordings[name].Unprovoked(); why != "" {
			return why
		}
	}
	return ""
}

// restsOnLoss reports whether the evidence of a verdict is nothing but probes over
// which a session was lost.
func restsOnLoss(j *Judgement, take *Take) bool {
	lost := false
	for _, name := range j.From {
		rec := take.Recordings[name]
		if rec == nil {
			continue
		}
		for _, x := range rec.Exchanges {
			gone := x.Fatal || x.Gone()
			if len(j.Frames) == 0 { // what could not be sent left no frame
				lost = lost || gone
				continue
			}
			if !j.shows(x) {
				continue
			}
			if x.Outcome == recording.Replied || gone && x.Kind == recording.Clean {
				return false // that correct messages cost the session is itself the finding
			}
			lost = lost || gone
		}
	}
	return lost
}

// verdict is the verdict on a row by what was recorded in its combination. It
// depends on nothing else, so that a recorded run can be judged again.
func (r *Run) verdict(row Row, take *Take) verdict.Result {
	req := row.Requirement
	none := func(code recording.Code, reason string) verdict.Result {
		return verdict.Result{Outcome: verdict.NotApplicable, Code: code, Reason: reason}
	}
	why, out := r.cfg.Target.OptedOut(req.ID)
	k, ok := r.catalogue.Check(req.ID)
	switch {
	case out:
		return none(recording.CodeOptedOut, "opted out in the target file: "+why)
	case req.Untestable != "":
		return none(recording.CodeUntestable, req.Untestable)
	case req.GradeIn(row.Combination.Revision) == requirement.Control:
		return none(recording.CodePermission, "a permission: there is nothing to violate")
	case !ok:
		return none(recording.CodeNoCheck, "this release has no check for it")
	case take.sessions != nil:
		return r.traced(k, row, take.sessions)
	}
	return verdict.EvaluateUntil(r.judging, k, req, take.Facts, take.Recordings)
}

// key tells rows apart.
type key struct {
	id string
	c  requirement.Combination
}

func keyOf(row Row) key { return key{row.Requirement.ID, row.Combination} }

// results are the verdicts of a run, each of which can be waited for.
type results struct {
	started chan struct{} // closed when it is known for which rows there will be one

	mu sync.Mutex
	of map[key]*awaited
}

// awaited is a verdict that is final once given is closed.
type awaited struct {
	given chan struct{}
	j     *Judgement
}

// expect says for which rows there will be a verdict. It is called once.
func (v *results) expect(rows []Row) {
	v.of = make(map[key]*awaited, len(rows))
	for _, row := range rows {
		v.of[keyOf(row)] = &awaited{given: make(chan struct{})}
	}
	close(v.started)
}

// give makes a verdict final; the first one on a row counts.
func (v *results) give(j *Judgement) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a := v.of[keyOf(j.Row)]; a.j == nil {
		a.j = j
		close(a.given)
	}
}

// given is the verdict on a row if it is final, else nil.
func (v *results) given(row Row) *Judgement {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a := v.of[keyOf(row)]; a != nil {
		return a.j
	}
	return nil
}

// Await waits for the verdict on a row, which is final then. ok is false if the context
// ends first, and if the row is none of those that the run was started for.
func (r *Run) Await(ctx context.Context, row Row) (j *Judgement, ok bool) {
	select {
	case <-r.results.started:
	case <-ctx.Done():
		return nil, false
	}
	a := r.results.of[keyOf(row)]
	if a == nil {
		return nil, false
	}
	if j := r.results.given(row); j != nil { // rather than that the context has ended, too
		return j, true
	}
	select {
	case <-a.given:
		return a.j, true
	case <-ctx.Done():
		return nil, false
	}
}

// Done is closed when the run is over: every verdict is final, and no process and no
// connection is left.
func (r *Run) Done() <-chan struct{} { return r.done }

// choose narrows the run down to some of its rows.
func (r *Run) choose(rows []Row) {
	wanted := map[key]bool{}
	for _, row := range rows {
		wanted[keyOf(row)] = true
	}
	r.rows = slices.DeleteFunc(slices.Clone(r.rows), func(row Row) bool { return !wanted[keyOf(row)] })
}

// ordinaryLoss returns why an ordinary request was lost at an endpoint while no probe was under way, in what
// was played; empty if none was. Such a target may lose what it is probed with as well. A request counts only
// if it was sent, and if nothing followed it on its channel. With eight scripts at once a probe is nearly
// always under way. Therefore three losses one after the other count as well, if no probe was lost with them
// and another request was answered across each: the server did not end.
func (r *Run) ordinaryLoss(c requirement.Combination, played iter.Seq[*Take]) string {
	const often = 3
	var ordinary, probes, answered []*recording.Exchange
	for take := range played {
		if !r.sameEndpoint(take.Facts.Combination, c) {
			continue
		}
		for _, rec := range take.Recordings {
			for _, s := range rec.Sessions {
				if x := s.Initialize; x != nil && x.Outcome == recording.Lost && x.Request > 0 {
					ordinary = append(ordinary, x)
				}
			}
			for _, x := range rec.Exchanges {
				switch {
				case x.Kind != recording.Clean && x.Request > 0:
					probes = append(probes, x)
				case x.Outcome == recording.Lost && x.Request > 0:
					ordinary = append(ordinary, x)
				}
				if x.Outcome == recording.Replied && x.Request > 0 {
					answered = append(answered, x)
				}
			}
		}
	}
	slices.SortFunc(ordinary, func(a, b *recording.Exchange) int { return a.Request - b.Request })
	beside, last := 0, 0
	for _, x := range ordinary {
		lost := r.toldOf(x)
		followed := func(f wire.Frame) bool {
			return f.Dir == wire.Out && f.HTTP == nil && f.Number > x.Request && f.Number < lost
		}
		if lost == 0 || slices.ContainsFunc(r.transcript.Session(x.Session), followed) {
			continue
		}
		alone, ended := true, false
		for _, p := range probes {
			if p.Request > lost {
				continue
			}
			switch p.Outcome {
			case recording.Silent, recording.Sent:
				alone = alone && x.Sent > p.Sent+p.Took
			case recording.Lost, recording.Unsent:
				ended = ended || r.toldOf(p) > x.Request
			default:
				alone = alone && slices.Max(p.Evidence()) < x.Request
			}
		}
		if alone && !ended {
			return x.Reason
		}
		if !ended && x.Request > last && slices.ContainsFunc(answered, func(y *recording.Exchange) bool {
			return y.Request < lost && slices.Max(y.Evidence()) > lost
		}) {
			beside, last = beside+1, lost
		}
		if beside >= often {
			return x.Reason
		}
	}
	return ""
}

// gather gives every recording of a combination its frames, unless it has them, and adds the recording
// that stands for all clean and capable sessions.
func (r *Run) gather(take *Take, framed func(*recording.Recording) bool) {
	everything := &recording.Recording{Scenario: recording.Everything, Combination: take.Facts.Combination,
		Facts: take.Facts, Retried: take.Retried}
	seen := map[string]bool{}
	collect := func(sessions []*recording.Session) {
		for _, s := range sessions {
			switch {
			case seen[s.ID]:
			case s.Kind != recording.Probe:
				everything.Sessions = append(everything.Sessions, s)
				everything.Exchanges = append(everything.Exchanges, s.Exchanges...)
				everything.Frames = append(everything.Frames, r.transcript.Session(s.ID)...)
			case s.Clean > 0: // what was said before it became expendable
				part := recording.Part{Until: s.Clean}
				for _, x := range s.Exchanges {
					if part.Holds(x.Request) {
						everything.Exchanges = append(everything.Exchanges, x)
					}
				}
				for _, f := range r.transcript.Session(s.ID) {
					if part.Holds(f.Number) {
						everything.Frames = append(everything.Frames, f)
					}
				}
			}
			seen[s.ID] = true
		}
	}
	collect(take.Sessions)
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		rec := take.Recordings[name]
		collect(rec.Sessions)
		if !framed(rec) {
			r.frames(rec, take.Sessions)
		}
	}
	sortFrames(everything)
	if len(everything.Frames) > 0 {
		take.Recordings[recording.Everything] = everything
	}
}

// frames gives a recording the frames of its own sessions and, of sessions that
// it shared, those of its exchanges and what came on standard output meanwhile and is no
// message. The shared sessions that occur are listed, so that checks can look up what became of them.
func (r *Run) frames(rec *recording.Recording, shared []*recording.Session) {
	own := map[string]bool{}
	for _, s := range rec.Sessions {
		own[s.ID] = true
		for _, f := range r.transcript.Session(s.ID) {
			if rec.Parts[s.ID].Holds(f.Number) {
				rec.Frames = append(rec.Frames, f)
			}
		}
	}
	listed := map[string]bool{}
	for _, x := range rec.Exchanges {
		if own[x.Session] {
			continue
		}
		for _, n := range x.Evidence() {
			if f, ok := r.transcript.Frame(n); ok {
				rec.Frames = append(rec.Frames, f)
			}
		}
		rec.Frames = append(rec.Frames, r.printed(x)...)
		if !listed[x.Session] {
			listed[x.Session] = true
			for _, s := range shared {
				if s.ID == x.Session {
					rec.Sessions = append(rec.Sessions, s)
				}
			}
		}
	}
	sortFrames(rec)
}

// printed are the lines on standard output between a request in an expendable session and its
// reply, or between a notification and the next message, that are no messages: nothing in them says that
// they belong to it, or to anything else.
func (r *Run) printed(x *recording.Exchange) []wire.Frame {
	if x.Kind != recording.Probe || x.Request == 0 {
		return nil
	}
	var all []wire.Frame
	for f := range r.transcript.After(x.Session, x.Request) {
		switch {
		case len(x.Replies) > 0 && f.Number >= slices.Max(x.Replies):
			return all
		case f.Dir == wire.In && f.Channel == "stdout" && f.Parsed().Kind == wire.KindOther:
			all = append(all, f)
		case len(x.Replies) == 0 && f.Channel != "stderr":
			return all
		}
	}
	return all
}

func sortFrames(rec *recording.Recording) {
	slices.SortFunc(rec.Frames, func(a, b wire.Frame) int { return a.Number - b.Number })
	rec.Frames = slices.CompactFunc(rec.Frames, func(a, b wire.Frame) bool { return a.Number == b.Number })
}

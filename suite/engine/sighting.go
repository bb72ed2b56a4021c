package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Sighting is one occasion on which what a red verdict says could be seen: a session of the first
// play, or a round.
type Sighting struct {
	// Shows says that it leads, by itself, to the same verdict.
	Shows bool
	// Calm says that nothing else was under way and that waits were doubled, as in a round.
	Calm bool
	// Sibling says that it is of another revision of the endpoint.
	Sibling bool
}

// Standing is what sightings make of a red verdict.
type Standing int

// The standings.
const (
	Unconfirmed Standing = iota // not seen often enough, and nothing speaks against it
	Confirmed
	Refuted // a calm sighting shows otherwise, and too few others show it
)

// weigh counts the sightings of a verdict, of which need have to show it. One of these has to be calm, or
// there have to be three, unless the run is over, so that nothing could be seen calmly. Against a calm one
// that shows otherwise it takes three, too; what siblings show counts for nothing then, and never if they
// were not calm: what copies do to each other they do in all revisions. Missing is how many further calm
// sightings may confirm it; 0 if none can.
func weigh(need int, over bool, all []Sighting) (standing Standing, missing int) {
	const many = 3
	shows, siblings, calm, against := 0, 0, false, false
	for _, s := range all {
		switch {
		case s.Sibling && s.Shows && s.Calm:
			siblings++
		case s.Sibling:
		case s.Shows:
			shows++
			calm = calm || s.Calm
		case s.Calm:
			against = true
		}
	}
	switch {
	case against && shows >= max(many, need):
		return Confirmed, 0
	case against && shows < many:
		return Refuted, 0
	case against:
		return Unconfirmed, 0
	}
	shows, calm = shows+siblings, calm || siblings > 0
	if shows >= need && (calm || over) || shows >= max(many, need) {
		return Confirmed, 0
	}
	return Unconfirmed, max(need-shows, 1)
}

// usual is how many sightings a red verdict needs that rests on no error of the server's own.
const usual = 2

// sightings lists the occasions on which a red verdict could be seen, or one that is at least as severe as
// another outcome.
func (r *Run) sightings(j *Judgement, least verdict.Outcome) []Sighting {
	var all []Sighting
	for range r.showing(j) {
		all = append(all, Sighting{Shows: true})
	}
	if r.diedAgain(j) {
		all = append(all, Sighting{Shows: true, Calm: true})
	}
	seen, _, _ := r.occasions(j, least, "")
	all = append(all, seen...)
	if r.need(j) > usual {
		return all // the siblings blame messages of theirs
	}
	for _, sibling := range r.siblings(j) {
		seen, _, _ := r.occasions(sibling, least, cause(j))
		for _, s := range seen {
			s.Sibling = true
			all = append(all, s)
		}
	}
	return all
}

// siblings are the verdicts of other revisions of the endpoint on the same requirement that have the same
// cause.
func (r *Run) siblings(j *Judgement) []*Judgement {
	var all []*Judgement
	for _, row := range r.rows {
		if row.Requirement.ID != j.Requirement.ID || row.Combination == j.Combination ||
			!r.sameEndpoint(row.Combination, j.Combination) {
			continue
		}
		other := r.again(row, r.takes[row.Combination])
		if other.Outcome == j.Outcome && cause(other) == cause(j) {
			all = append(all, other)
		}
	}
	return all
}

// cause is what a verdict is red for, without the numbers of ids and sizes in it.
func cause(j *Judgement) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return -1
		}
		return c
	}, cmp.Or(j.Cause, j.Expected))
}

// occasions lists what the rounds show, with the last verdict of one that is another one, and why the last
// that says nothing does not. A message that is blamed for an error of the target's own has to fail in each.
// If a cause is given, what is red for another one says nothing.
func (r *Run) occasions(j *Judgement, least verdict.Outcome, only string) (all []Sighting, other *Judgement,
	why string) {
	red := false
	var blamed map[sent]bool
	if r.need(j) > usual {
		blamed = r.blamed(j)
	}
	for n := range r.rounds {
		take := r.rounds[n][j.Combination]
		if take == nil {
			continue
		}
		second, silent := r.told(j, n)
		if silent != "" {
			why = silent
			continue
		}
		shows := second.Outcome == verdict.Fail || second.Outcome == least
		if only != "" && shows && cause(second) != only || red && !second.Outcome.Red() &&
			j.onAllFrames() {
			continue // that round was played for other verdicts
		}
		red = red || second.Outcome.Red()
		if len(blamed) > 0 {
			failed := r.failAgain(blamed, take)
			if !shows && len(failed) > 0 {
				continue // what it is compared with failed as well
			}
			blamed, shows = failed, shows && len(failed) > 0
		}
		if !shows && take.Early {
			continue
		}
		if all = append(all, Sighting{Shows: shows, Calm: !take.Early}); second.Outcome != j.Outcome {
			other = second
		}
	}
	return all, other, why
}

// told is what a round says about a verdict, or why it says nothing.
func (r *Run) told(j *Judgement, round int) (second *Judgement, why string) {
	const nothing = "its repetition left nothing to judge it by"
	first, take := r.takes[j.Combination], r.rounds[round][j.Combination]
	if take == nil || !r.replayed(j, take) {
		return nil, nothing
	}
	second = r.again(j.Row, take)
	switch {
	case second.Outcome.Red() && len(second.Frames) > 0 && slices.Max(second.Frames) < r.begins(take):
		return second, nothing // it was seen in the rounds before
	case second.Outcome.Red():
		return second, ""
	case second.Code == recording.CodeCombination: // none of its recordings was made again
		return second, nothing
	case second.Outcome == verdict.Blocked || second.Outcome == verdict.NotApplicable:
		return second, second.Reason
	case j.onAllFrames() &&
		(len(take.Unfinished) > 0 || len(r.left(j, round+1)) > 0):
		return second, "what it was seen in was not all repeated"
	}
	return second, cutOff(j.From, first, take)
}

// replayed reports whether a round has made all the recordings again that a verdict rests on.
func (r *Run) replayed(j *Judgement, take *Take) bool {
	for _, name := range j.From {
		_, played := take.Took[name]
		switch {
		case name == recording.Everything && take.Recordings[name] == nil && len(take.Took) == 0,
			name != recording.Everything && !played && r.takes[j.Combination].Recordings[name] != nil:
			return false
		}
	}
	return true
}

// begins is the number of the first frame of a round.
func (r *Run) begins(take *Take) int {
	first := 0
	for _, rec := range take.Recordings {
		if len(rec.Frames) > 0 && (first == 0 || rec.Frames[0].Number < first) {
			first = rec.Frames[0].Number
		}
	}
	return first
}

// judgedOn tells verdicts apart by what they were given on.
type judgedOn struct {
	key
	take *Take
}

// again is the verdict on a row by what a take holds, which may be the first one. What a round did not make
// again is taken from the first take, but not where a check looks at the recordings of all scenarios: what it
// saw there at first would confirm itself. It looks at those of the rounds before as well.
func (r *Run) again(row Row, take *Take) *Judgement {
	at := judgedOn{keyOf(row), take}
	if j := r.judged[at]; j != nil {
		return j
	}
	whole, first := take, r.takes[row.Combination]
	if take != first {
		whole = newTake(take.Facts)
		k, ok := r.catalogue.Check(row.Requirement.ID)
		every := ok && slices.Contains(k.Inputs(), recording.Every)
		for name, rec := range first.Recordings {
			if name != recording.Everything && (!every || slices.Contains(k.Inputs(), name)) {
				whole.Recordings[name] = rec
			}
		}
		for _, round := range r.rounds {
			if earlier := round[row.Combination]; earlier != nil && every {
				maps.Copy(whole.Recordings, earlier.Recordings)
			}
			if round[row.Combination] == take {
				break
			}
		}
		maps.Copy(whole.Recordings, take.Recordings)
	}
	j := r.row(row, whole)
	r.judged[at] = j
	return j
}

// showing is how many sessions of the first play show a red verdict on all frames, each by itself and for the
// same cause, at different times; 1 for every other verdict. What several show within a window of silence was
// seen once, as one event may reach them all, and so was silence, the loss of sessions and how these end:
// that may come of a busy machine.
func (r *Run) showing(j *Judgement) (n int) {
	first := r.takes[j.Combination]
	all := first.Recordings[recording.Everything]
	k, ok := r.catalogue.Check(j.Requirement.ID)
	waits := func(name recording.Name) bool {
		sc, ok := r.catalogue.Scenario(name)
		return ok && sc.Phase >= scenario.Quiet
	}
	if !ok || all == nil || k.Endings || !j.onAllFrames() ||
		slices.ContainsFunc(j.From, waits) ||
		restsOnLoss(j, first) || silent(all, j.Frames) {
		return 1
	}
	var times []time.Duration
	for _, s := range all.Sessions {
		take := newTake(first.Facts)
		for _, name := range k.With {
			take.Recordings[name] = first.Recordings[name]
		}
		one := &recording.Recording{
			Scenario: all.Scenario, Combination: all.Combination, Facts: all.Facts,
			Sessions: []*recording.Session{s},
			Exchanges: recording.Keep(all.Exchanges, func(x *recording.Exchange) bool {
				return x.Session == s.ID
			}),
			Frames: recording.Keep(all.Frames, func(f wire.Frame) bool { return f.Session == s.ID }),
		}
		take.Recordings[recording.Everything] = one
		seen := &Judgement{Row: j.Row, Result: r.verdict(j.Row, take)}
		if seen.Outcome != j.Outcome || cause(seen) != cause(j) || len(seen.Frames) == 0 {
			continue
		}
		if f := one.Frame(slices.Max(seen.Frames)); f != nil {
			times = append(times, f.At)
		}
	}
	slices.Sort(times)
	for i, last := 0, time.Duration(0); i < len(times); i++ {
		if n == 0 || times[i]-last > r.cfg.QuietWindow {
			n, last = n+1, times[i]
		}
	}
	return max(n, 1)
}

// silent reports whether a request of the evidence was not answered in time.
func silent(rec *recording.Recording, frames []int) bool {
	return slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool {
		return x.Outcome == recording.Silent && slices.Contains(frames, x.Request)
	})
}

// diedAgain reports whether a verdict rests on the end of a process of ours alone, which was seen once more
// when the message was sent to one that was sent nothing else.
func (r *Run) diedAgain(j *Judgement) bool {
	take := r.takes[j.Combination]
	if !take.Facts.Owned || !restsOnLoss(j, take) && !j.onAllFrames() {
		return false
	}
	for _, x := range take.exchanges() {
		if x.Fatal && slices.Contains(j.Frames, x.Request) {
			return true
		}
	}
	return false
}

// need is how many sightings a red verdict takes. What fails now and then does so twice by chance: where the
// evidence is an error of the server's own, and the like of the message is served, it takes four, and eight
// where the same message was answered both ways.
func (r *Run) need(j *Judgement) int {
	const accidents, erratic = 4, 8
	blamed := r.blamed(j)
	switch {
	case len(blamed) == 0:
		return usual
	case r.erratic(j.Combination):
		return erratic
	case r.likeServed(j.Combination, blamed):
		return accidents
	}
	return usual
}

// sent is a message of a script: the line of it, what tells it from others of that line, such as the type of
// its id, and what it says.
type sent struct {
	step  recording.Step
	apart string
	message
}

func sentBy(x *recording.Exchange) sent {
	return sent{x.Step, fmt.Sprint(x.Tags, bytes.HasPrefix(x.ID, []byte(`"`))), messageOf(x)}
}

// message is what a message is about: its method, and what it names, or else all that it says besides
// metadata.
type message string

func messageOf(x *recording.Exchange) message {
	about, names := x.Method, false
	for _, name := range gjson.GetManyBytes(x.Params, "uri", "cursor", "ref", "argument", "level") {
		about += " " + name.Raw
		names = names || name.Exists()
	}
	if !names {
		gjson.ParseBytes(x.Params).ForEach(func(name, value gjson.Result) bool {
			if name.Str != "_meta" {
				about += " " + name.Raw + value.Raw
			}
			return true
		})
	}
	return message(about)
}

// blamed are the messages of single scenarios that a red verdict blames for an error of the target's own.
func (r *Run) blamed(j *Judgement) map[sent]bool {
	all := map[sent]bool{}
	for x := range judgedExchanges(j.From, r.takes[j.Combination]) {
		if r.failedItself(x, j.Frames) {
			all[sentBy(x)] = true
		}
	}
	return all
}

// failAgain are those of some messages that failed in a round as well, and were not also served in it. What
// was not sent from the same line of the script is looked for in the others.
func (r *Run) failAgain(blamed map[sent]bool, round *Take) map[sent]bool {
	all, left := r.answersIn(round), map[sent]bool{}
	for m := range blamed {
		a, asked := all.exact[m]
		if !asked {
			a = all.any[m.message]
		}
		if a.failed && !a.served {
			left[m] = true
		}
	}
	return left
}

// answers say how a message was answered: by an error of the target's own, and otherwise.
type answers struct{ failed, served bool }

// takeAnswers are those in a take: to what was sent from a line of a script, to the like of it, to the very
// same message; results got one.
type takeAnswers struct {
	exact   map[sent]answers
	any     map[message]answers
	same    map[string]answers
	results map[message]bool
}

// answersIn works out how the messages of a take were answered.
func (r *Run) answersIn(take *Take) *takeAnswers {
	if known := r.answers[take]; known != nil {
		return known
	}
	all := &takeAnswers{map[sent]answers{}, map[message]answers{}, map[string]answers{}, map[message]bool{}}
	for rec, x := range take.exchanges() {
		if !answered(x) {
			continue
		}
		m, fails := sentBy(x), r.failedItself(x, nil)
		if x.Succeeded() {
			all.results[m.message] = true
		}
		if rec.Scenario == recording.Everything {
			continue
		}
		note := func(a answers) answers { return answers{a.failed || fails, a.served || !fails} }
		same := fmt.Sprint(take.Facts.Combination, m, string(x.Params))
		all.exact[m], all.any[m.message], all.same[same] = note(all.exact[m]), note(all.any[m.message]),
			note(all.same[same])
	}
	r.answers[take] = all
	return all
}

// likeServed reports whether a target serves what some messages are about, in whatever way it is asked.
func (r *Run) likeServed(c requirement.Combination, blamed map[sent]bool) bool {
	for m := range blamed {
		if r.answersIn(r.takes[c]).results[m.message] {
			return true
		}
	}
	return false
}

// erratic reports whether an endpoint has answered the same message by an error of the server and otherwise
// as well, in whatever revision. Messages whose tags differ are not the same: their ids or headers may.
func (r *Run) erratic(c requirement.Combination) bool {
	failed := map[string]bool{}
	var all []map[string]answers
	for take := range r.played() {
		if !r.sameEndpoint(take.Facts.Combination, c) {
			continue
		}
		same := r.answersIn(take).same
		all = append(all, same)
		for m, a := range same {
			if a.failed {
				failed[m] = true
			}
		}
	}
	for m := range failed {
		if slices.ContainsFunc(all, func(same map[string]answers) bool { return same[m].served }) {
			return true
		}
	}
	return false
}

// answered reports whether a request was answered. How a cancelled one ends is a matter of who is quicker.
func answered(x *recording.Exchange) bool {
	return x.Method != "" && x.Tags[recording.TagCancelled] == "" && (x.Outcome == recording.Replied ||
		x.Outcome == recording.HTTPOnly)
}

// failedItself reports whether a message was answered by an error of the target's own, in one of some frames
// if there are any. HTTP 202 is one where nothing else comes: it answers notifications, and all messages on
// HTTP+SSE.
func (r *Run) failedItself(x *recording.Exchange, frames []int) bool {
	return x.Method != "" && x.Tags[recording.TagCancelled] == "" && slices.ContainsFunc(x.Evidence(),
		func(n int) bool {
			return (len(frames) == 0 || slices.Contains(frames, n)) && r.ownError(n) &&
				(!r.accepted(n) || len(x.ID) > 0 && x.Outcome == recording.HTTPOnly)
		})
}

// ownError reports whether a frame says that the target itself has failed, as an internal error does, and may
// one whose code is the application's own: JSON-RPC leaves it all that are not reserved, and -32000 is what
// many say of anything. With 0 the SDK for Python tells of whatever went wrong in a handler. Where the HTTP
// status says that the request is at fault the application was not asked, and a request that is accepted like
// a notification has lost its response, perhaps to another one.
func (r *Run) ownError(number int) bool {
	f, ok := r.transcript.Frame(number)
	if !ok {
		return false
	}
	code := gjson.GetBytes(f.Raw, "error.code")
	status := 0
	if f.HTTP != nil {
		status = f.HTTP.Status
	}
	applications := code.Type == gjson.Number && (code.Num >= -32000 || code.Num < -32768) &&
		status < http.StatusBadRequest
	return applications || code.Type == gjson.Number && code.Num == -32603 ||
		status >= http.StatusInternalServerError || r.accepted(number)
}

// accepted reports whether a frame is a response by HTTP 202.
func (r *Run) accepted(number int) bool {
	f, ok := r.transcript.Frame(number)
	return ok && f.HTTP != nil && f.HTTP.Status == http.StatusAccepted
}

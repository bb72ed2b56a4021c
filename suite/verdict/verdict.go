package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// noOccasion is why nothing was judged where no better reason is known.
var noOccasion = &recording.Skipped{Code: recording.CodeNotExercised,
	Reason: "the target gave no occasion to judge it"}

// Verdict collects what a check finds in a recording.
type Verdict struct {
	// Recording is the one that is judged: of several inputs of a check one after the other.
	*recording.Recording
	// Facts is what the target declared, and what the user told us.
	Facts *recording.Facts

	req          *requirement.Requirement
	grade        requirement.Grade
	check        *Check
	recs         Recordings // all of the combination
	findings     []*Finding
	none         Finding // what is stated and holds
	judged       int
	inOrder      []int // the frames of what holds
	skipped      *recording.Skipped
	blocked      *recording.Broken
	over         <-chan struct{} // closed when nobody waits for the verdict any more
	declared     []int           // the frames of what the target declares, if that decides
	ordinary     []int           // those of what [Verdict.RestsOn] named last
	Observations []Observation
	samples      []string // why what was judged is only a sample
	sampleFrames []int    // the last probes that were sent
}

// New is a verdict on a recording that belongs to no check, and so can reach all of the recordings: for
// tests of what checks share.
func New(r *recording.Recording, recs Recordings) *Verdict {
	return &Verdict{Recording: r, Facts: r.Facts, recs: recs}
}

// Input is a recording that the check has named among its inputs; nil if it was not
// played. To ask for another one is a defect of the check.
func (v *Verdict) Input(name recording.Name) *recording.Recording {
	if c := v.check; c != nil && !slices.Contains(c.Inputs(), name) &&
		!slices.Contains(c.With, recording.Every) {
		panic(fmt.Sprintf("the check looks at %q, which is not among its inputs", name))
	}
	return v.recs[name]
}

// Recordings lists the recordings of all scenarios, by name. The check has to name
// [recording.Every] among its inputs.
func (v *Verdict) Recordings() []*recording.Recording {
	v.Input(recording.Every)
	var all []*recording.Recording
	for _, name := range slices.Sorted(maps.Keys(v.recs)) {
		if r := v.recs[name]; r != nil {
			all = append(all, r)
		}
	}
	return all
}

// Revision is the revision that is judged.
func (v *Verdict) Revision() requirement.Revision { return v.Facts.Combination.Revision }

// Modern reports whether the revision that is judged is a modern one.
func (v *Verdict) Modern() bool { return v.Revision().Modern() }

// RestsOn notes an exchange with which what follows is compared: it belongs to the evidence of each
// violation.
func (v *Verdict) RestsOn(x *recording.Exchange) {
	if x != nil {
		v.ordinary = x.Evidence()
	}
}

// goOn ends the check if nobody waits for its verdict any more.
func (v *Verdict) goOn() {
	select {
	case <-v.over:
		panic(abandoned{})
	default:
	}
}

// Reasons for which a violation is only a warning.
const (
	RefusedOtherwise = "it is refused, but with another code"
	Lenient          = "leniency that no sentence of the specification forbids"
)

// mostInOrder is in how many frames a pass shows what was in order.
const mostInOrder = 8

// Holds notes that something was judged and found in order, and the frames that a pass shows for it.
func (v *Verdict) Holds(on ...Cited) {
	v.judged++
	if len(v.inOrder) < mostInOrder {
		v.inOrder = append(v.inOrder, Several(on).Evidence()...)
	}
}

// Skip says why there was no occasion to judge. It counts only if nothing was
// judged; the first reason is kept.
func (v *Verdict) Skip(code recording.Code, reason string, args ...any) {
	v.skip(&recording.Skipped{Code: code, Reason: say(reason, args...)})
}

// NotExercised is [Verdict.Skip] where the target gave no occasion.
func (v *Verdict) NotExercised(reason string, args ...any) {
	v.Skip(recording.CodeNotExercised, reason, args...)
}

// NeedsSubject is [Verdict.Skip] where the target offers nothing to judge it on.
func (v *Verdict) NeedsSubject(reason string, args ...any) {
	v.Skip(recording.CodeNeedsSubject, reason, args...)
}

// skip is [Verdict.Skip] for a whole recording. What was left out on purpose is the reason
// even if another script had no occasion either: it is what the user can change.
func (v *Verdict) skip(s *recording.Skipped) {
	if s.LeftOut {
		v.skipped = nil
	}
	v.skipped = cmp.Or(v.skipped, s)
}

// Block says what kept us from judging. It counts only if nothing was judged;
// the first reason is kept.
func (v *Verdict) Block(on Cited, code recording.Code, reason string, args ...any) {
	if v.blocked == nil {
		v.blocked = &recording.Broken{Code: code, Reason: say(reason, args...),
			Frames: Several{on}.Evidence()}
	}
}

// Sampled notes that the probes of the recording were broken off, if they were: a pass
// then says less than it seems to.
func (v *Verdict) Sampled() {
	if v.Cut == nil {
		return
	}
	v.samples = append(v.samples, v.Cut.String())
	if n := len(v.Exchanges); n > 0 {
		v.sampleFrames = append(v.sampleFrames, v.Exchanges[n-1].Evidence()...)
	}
}

// Observe notes something that breaks no rule.
func (v *Verdict) Observe(on Cited, id, detail string, args ...any) {
	v.Observations = append(v.Observations, Observation{ID: id, Detail: say(detail, args...),
		Frames: Several{on}.Evidence()})
}

// orphaned reports whether a gateway answers that its connection to the server behind it has ended, in the
// words of the common SDKs. What killed that server is not known, and nothing that follows is an answer of
// it.
func orphaned(x *recording.Exchange) bool {
	const closed = -32000 // ConnectionClosed of the SDKs in Python and TypeScript
	text := strings.TrimPrefix(x.Error().Get("message").String(), "MCP error -32000: ")
	return x.HasCode(closed) && strings.HasPrefix(strings.ToLower(text), "connection closed") || x.Failed() &&
		text == "Not connected"
}

// cutOff notes that we cut an exchange off ourselves, or gave it up because the target is busy.
func (v *Verdict) cutOff(x *recording.Exchange) {
	if x.Barred() {
		v.Block(x, recording.CodeNoHandshake, "%s: see SESS-09", x.Reason)
		return
	}
	if x.Outcome == recording.Refused {
		v.Block(x, recording.CodeThrottled, "%s", x.Reason)
		return
	}
	if orphaned(x) {
		v.Block(x, recording.CodeDied, "a server behind the target is gone: %v to %s", x, v.What(x))
		return
	}
	if x.Limit {
		v.Block(x, recording.CodeVolume, "%s: %s", v.What(x), x.Reason)
		return
	}
	v.Block(x, recording.CodeInterrupted, "%s was given up%s", v.What(x), matcher.InBrackets(x.Reason))
}

// Answered reports whether an exchange has an answer to be judged, and notes
// why not if it has none.
func (v *Verdict) Answered(x *recording.Exchange) bool {
	v.goOn()
	if x == nil {
		v.skip(noOccasion)
		return false
	}
	switch x.Outcome {
	case recording.Replied, recording.Sent:
	case recording.HTTPOnly:
		if x.Status < 300 {
			v.Block(x, recording.CodeUnreadable, "%s: %s", v.What(x), x.Reason)
			return false
		}
	case recording.Silent:
		v.Block(x, recording.CodeNoAnswer, "%s was not answered: %s", v.What(x), x.Reason)
		return false
	case recording.Refused, recording.Canceled:
		v.cutOff(x)
		return false
	default:
		code := recording.CodeDied
		if x.Unreached() {
			code = recording.CodeUnreachable
		}
		v.Block(x, code, "%s: %s", v.What(x), x.Reason)
		return false
	}
	if x.Failed() && strings.Contains(x.Error().Get("message").String(), recording.RefusalText) {
		v.NotExercised("the target passed on our refusal of a request that it should not have sent: see " +
			"LIFE-12")
		return false
	}
	if orphaned(x) {
		v.cutOff(x)
		return false
	}
	if x.OverRate() {
		v.Block(x, recording.CodeThrottled, "%s was refused for being one of too many, by %v: send less "+
			"with --rate", v.What(x), x)
		return false
	}
	if x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden &&
		x.Tags[recording.TagOrigin] == "" {
		v.Skip(recording.CodeNeedsConfig, "the target asks for credentials (HTTP %d): give them with "+
			"--header or in the target file", x.Status)
		return false
	}
	return true
}

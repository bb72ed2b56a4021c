package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
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

	req           *requirement.Requirement
	grade         requirement.Grade
	check         *Check
	recs          Recordings // all of the combination
	findings      []Finding
	judged        int
	inOrder       []int // the frames of what holds
	skipped       *recording.Skipped
	blocked       *recording.Broken
	over          <-chan struct{} // closed when nobody waits for the verdict any more
	blockedFrames []int
	declared      []int // the frames of what the target declares, if that decides
	ordinary      []int // those of what [Verdict.RestsOn] named last
	Observations  []Observation
	samples       []string // why what was judged is only a sample
	sampleFrames  []int    // the last probes that were sent
	g             types.Gomega
	pending       *seen // what is being judged by Gomega
}

// New is a verdict on a recording that belongs to no check, and so can reach all of the recordings: for
// tests of what checks share.
func New(r *recording.Recording, recs Recordings) *Verdict {
	return &Verdict{Recording: r, Facts: r.Facts, recs: recs}
}

// Input is a recording that the check has named among its inputs; nil if it was not
// played. To ask for another one is a defect of the check.
func (v *Verdict) Input(name recording.Name) *recording.Recording {
	if c := v.check; c != nil && !slices.Contains(c.From, name) && !slices.Contains(c.With, name) &&
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

// Cited is what a statement rests on: an exchange, a message, an item, or frames by their numbers.
type Cited interface{ Evidence() []int }

// Several are cited together.
type Several []Cited

// Evidence is that of all of them.
func (s Several) Evidence() (frames []int) {
	for _, c := range s {
		frames = append(frames, c.Evidence()...)
	}
	return frames
}

// All cites exchanges.
func All(exchanges ...*recording.Exchange) (all Several) {
	for _, x := range exchanges {
		all = append(all, x)
	}
	return all
}

// That states what was expected, and notes a violation unless it holds. Either
// way something was judged. It returns ok.
func (v *Verdict) That(ok bool, expected, actual string, on ...Cited) bool {
	return v.FailUnless(ok, Finding{Expected: expected, Actual: actual, On: Several(on)})
}

// WarnUnless is [Verdict.That] for what is a warning at most, whatever the grade.
func (v *Verdict) WarnUnless(ok bool, expected, actual string, on ...Cited) bool {
	return v.FailUnless(ok, Finding{Expected: expected, Actual: actual, On: Several(on), Warn: true})
}

// Fail notes a violation.
func (v *Verdict) Fail(f Finding) { v.FailUnless(false, f) }

// FailUnless is [Verdict.That] for a finding that says more than what was expected and seen.
func (v *Verdict) FailUnless(ok bool, f Finding) bool {
	v.goOn()
	v.judged++
	if !ok {
		if f.On != nil {
			f.Frames = append(f.On.Evidence(), f.Frames...)
		}
		if f.About != "" {
			x, _ := f.On.(*recording.Exchange)
			f.Actual = matcher.Describe(x) + " to " + f.About
		}
		v.found(f)
	}
	return ok
}

// found adds a violation.
func (v *Verdict) found(f Finding) {
	f.Before = slices.Concat(v.declared, v.ordinary, f.Before)
	v.findings = append(v.findings, f)
}

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
func (v *Verdict) Skip(code recording.Code, reason string) {
	v.skip(&recording.Skipped{Code: code, Reason: reason})
}

// NotExercised is [Verdict.Skip] where the target gave no occasion.
func (v *Verdict) NotExercised(reason string) { v.Skip(recording.CodeNotExercised, reason) }

// NeedsSubject is [Verdict.Skip] where the target offers nothing to judge it on.
func (v *Verdict) NeedsSubject(reason string) { v.Skip(recording.CodeNeedsSubject, reason) }

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
func (v *Verdict) Block(code recording.Code, reason string, on ...Cited) {
	if v.blocked == nil {
		v.blocked = &recording.Broken{Code: code, Reason: reason}
		v.blockedFrames = Several(on).Evidence()
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
func (v *Verdict) Observe(id, detail string, on ...Cited) {
	v.Observations = append(v.Observations, Observation{ID: id, Detail: detail,
		Frames: Several(on).Evidence()})
}

// Expect looks at an exchange, or at a value with the frames that it came in. Where an
// exchange has no answer to be judged, because the target died, stayed silent, refuses for
// want of credentials or asks us to go away, the requirement is blocked or not applicable
// instead: that is judged elsewhere, once.
func (v *Verdict) Expect(actual any, on ...Cited) *Expectation {
	x, ok := actual.(*recording.Exchange)
	if !ok {
		return &Expectation{v: v, actual: actual, frames: Several(on).Evidence()}
	}
	if !v.Answered(x) {
		return &Expectation{}
	}
	return &Expectation{v: v, x: x, actual: x, frames: x.Evidence()}
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
		v.Block(recording.CodeNoHandshake, x.Reason+": see SESS-09", x)
		return
	}
	if x.Outcome == recording.Refused {
		v.Block(recording.CodeThrottled, x.Reason, x)
		return
	}
	if orphaned(x) {
		v.Block(recording.CodeDied, "a server behind the target is gone: "+matcher.Describe(x)+" to "+
			v.What(x), x)
		return
	}
	if x.Limit {
		v.Block(recording.CodeVolume, v.What(x)+": "+x.Reason, x)
		return
	}
	v.Block(recording.CodeInterrupted, v.What(x)+" was given up"+matcher.InBrackets(x.Reason),
		x)
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
			v.Block(recording.CodeUnreadable, v.What(x)+": "+x.Reason, x)
			return false
		}
	case recording.Silent:
		v.Block(recording.CodeNoAnswer, v.What(x)+" was not answered: "+x.Reason, x)
		return false
	case recording.Refused, recording.Canceled:
		v.cutOff(x)
		return false
	default:
		code := recording.CodeDied
		if x.Unreached() {
			code = recording.CodeUnreachable
		}
		v.Block(code, v.What(x)+": "+x.Reason, x)
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
		v.Block(recording.CodeThrottled,
			fmt.Sprintf("%s was refused for being one of too many, by %s: send less with --rate",
				v.What(x), matcher.Describe(x)), x)
		return false
	}
	if x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden &&
		x.Tags[recording.TagOrigin] == "" {
		v.Skip(recording.CodeNeedsConfig, "the target asks for credentials (HTTP "+strconv.Itoa(x.Status)+
			"): give them with --header or in the target file")
		return false
	}
	return true
}

// Expectation is something that was seen, about to be judged.
type Expectation struct {
	v      *Verdict // nil if there is nothing to be judged
	x      *recording.Exchange
	actual any
	frames []int
}

// To states that a matcher matches what was seen; about says in a few words what that was:
// of an exchange, what was asked ("a read of a resource that does not exist"), of a value,
// where it stood ("uri of the first resource"). What a violation says beyond the words of the
// matcher stands in more. It returns whether there was something to be judged, and it matched.
// Gomega judges; what it has to say is a violation.
func (e *Expectation) To(m types.GomegaMatcher, about string, more ...Finding) bool {
	if e.v == nil {
		return false
	}
	s := &seen{GomegaMatcher: m, Expectation: e, about: about}
	if len(more) > 0 {
		s.Finding = more[0]
	}
	e.v.gomega().Expect(e.actual).To(s)
	return s.matched
}

// seen is a matcher that tells the verdict what it was asked, so that the violation can be
// stated in its words.
type seen struct {
	types.GomegaMatcher
	*Expectation
	Finding
	about   string
	matched bool
}

// Match is that of the matcher, and notes that something was judged.
func (s *seen) Match(actual any) (bool, error) {
	ok, err := s.GomegaMatcher.Match(actual)
	s.v.judged++
	s.matched = ok && err == nil
	s.v.pending = s
	return ok, err
}

// gomega is the Gomega whose failures are violations.
func (v *Verdict) gomega() types.Gomega {
	if v.g == nil {
		v.g = gomega.NewGomega(func(message string, _ ...int) {
			v.found(v.pending.finding(message))
		})
	}
	return v.g
}

// finding is the violation that a failed matcher stands for. Matchers that are not ours say
// it all in their message.
func (s *seen) finding(message string) Finding {
	f := s.Finding
	f.Expected, f.Actual, f.Frames = s.about, message, s.frames
	if m, ok := s.GomegaMatcher.(matcher.Matcher); ok {
		f.Expected, f.Actual = m.Expected(), s.about+" is "+m.Actual(s.actual)
		if s.x != nil {
			f.Actual = m.Actual(s.actual) + " to " + s.about
			f.Cause = cmp.Or(f.Cause, string(s.x.Step)+" "+f.Expected)
			f.RefusalDue = matcher.OfRefusal(m)
			f.OnlyCode = f.RefusalDue && s.x.Failed()
		}
	}
	return f
}

// Frames are the numbers of frames.
type Frames = recording.Frames

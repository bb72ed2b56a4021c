package verdict

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// noOccasion is the reason where no better one is known.
const noOccasion = "the target gave no occasion to judge it"

// Verdict collects what a check finds.
type Verdict struct {
	// Facts is what the target declared, and what the user told us.
	Facts *recording.Facts

	req           *requirement.Requirement
	grade         requirement.Grade
	Recs          Recordings // all of the combination
	findings      []Finding
	noted         bool // the last statement noted a finding
	judged        int
	skipped       *recording.Skipped
	blocked       *recording.Broken
	blockedFrames []int
	Observations  []Observation
	samples       []string // why what was judged is only a sample
	sampleFrames  []int    // the last probes that were sent
}

// Revision is the revision that is judged.
func (v *Verdict) Revision() requirement.Revision { return v.Facts.Combination.Revision }

// Modern reports whether the revision that is judged is a modern one.
func (v *Verdict) Modern() bool { return v.Revision().Modern() }

// That states what was expected, and notes a violation unless it holds. Either
// way something was judged. It returns ok.
func (v *Verdict) That(ok bool, expected, actual string, frames ...int) bool {
	return v.state(ok, Finding{Expected: expected, Actual: actual, Frames: frames})
}

// Ought is [Verdict.That] for what is a warning at most, whatever the grade.
func (v *Verdict) Ought(ok bool, expected, actual string, frames ...int) bool {
	return v.state(ok, Finding{Expected: expected, Actual: actual, Frames: frames, warn: true})
}

func (v *Verdict) state(ok bool, f Finding) bool {
	v.judged++
	v.noted = !ok
	if !ok {
		v.findings = append(v.findings, f)
	}
	return ok
}

// Hint adds to the violation that was just stated what to change in the target.
// Where what was stated last holds there is nothing to add it to.
func (v *Verdict) Hint(format string, args ...any) {
	if v.noted {
		v.findings[len(v.findings)-1].Hint = fmt.Sprintf(format, args...)
	}
}

// Cause gives the violation that was just stated a code, in a few words that are the same
// in every combination. It is needed where what was expected names ids, revisions or
// other data of the run.
func (v *Verdict) Cause(words string) {
	if v.noted {
		v.findings[len(v.findings)-1].Cause = CauseCode(words)
	}
}

// Mild says of the violation that was just stated why it is only a warning.
func (v *Verdict) Mild(reason string) {
	if v.noted {
		v.findings[len(v.findings)-1].Mild = reason
	}
}

// Reasons for which a violation is only a warning.
const (
	RefusedOtherwise = "it is refused, but with another code"
	Lenient          = "leniency that no sentence of the specification forbids"
)

// Saw notes that something was judged and found in order.
func (v *Verdict) Saw() { v.judged++ }

// Skip says why there was no occasion to judge. It counts only if nothing was
// judged; the first reason is kept.
func (v *Verdict) Skip(code recording.Code, reason string) {
	if v.skipped == nil {
		v.skipped = &recording.Skipped{Code: code, Reason: reason}
	}
}

// Block says what kept us from judging. It counts only if nothing was judged;
// the first reason is kept.
func (v *Verdict) Block(code recording.Code, reason string, frames ...int) {
	if v.blocked == nil {
		v.blocked = &recording.Broken{Code: code, Reason: reason}
		v.blockedFrames = frames
	}
}

// Sampled notes that the probes of a recording were broken off, if they were: a pass
// then says less than it seems to.
func (v *Verdict) Sampled(r *recording.Recording) {
	if r.Cut == nil {
		return
	}
	v.samples = append(v.samples, r.Cut.String())
	if n := len(r.Exchanges); n > 0 {
		v.sampleFrames = append(v.sampleFrames, r.Exchanges[n-1].Evidence()...)
	}
}

// Observe notes something that breaks no rule.
func (v *Verdict) Observe(id, detail string, frames ...int) {
	v.Observations = append(v.Observations, Observation{ID: id, Detail: detail, Frames: frames})
}

// Expect looks at an exchange. Where it has no answer to be judged, because the
// target died, stayed silent, refuses for want of credentials or asks us to go
// away, the requirement is blocked or not applicable instead: that is judged
// elsewhere, once.
func (v *Verdict) Expect(x *recording.Exchange) *Expectation {
	v.noted = false
	switch {
	case x == nil:
		v.Skip(recording.CodeNotExercised, noOccasion)
		return &Expectation{}
	case !v.Answered(x):
		return &Expectation{}
	}
	return &Expectation{v: v, x: x}
}

// Answered reports whether an exchange has an answer to be judged, and notes
// why not if it has none.
func (v *Verdict) Answered(x *recording.Exchange) bool {
	if x == nil {
		v.Skip(recording.CodeNotExercised, noOccasion)
		return false
	}
	frames := x.Evidence()
	switch x.Outcome {
	case recording.Replied, recording.Sent:
	case recording.HTTPOnly:
		if x.Status < 300 {
			v.Block(recording.CodeUnreadable, What(x)+": "+x.Reason, frames...)
			return false
		}
	case recording.Silent:
		v.Block(recording.CodeNoAnswer, What(x)+" was not answered: "+x.Reason, frames...)
		return false
	case recording.Refused:
		v.Block(recording.CodeThrottled, x.Reason, frames...)
		return false
	case recording.Canceled:
		v.Block(recording.CodeInterrupted, "the run ended before "+What(x)+" was answered", frames...)
		return false
	default:
		v.Block(recording.CodeDied, What(x)+": "+x.Reason, frames...)
		return false
	}
	if x.Failed() && strings.Contains(x.Error().Get("message").String(), recording.RefusalText) {
		v.Skip(recording.CodeNotExercised, "the target passed on our refusal of a request that it should not have sent: see LIFE-12")
		return false
	}
	if x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden && x.Tags["origin"] == "" {
		v.Skip(recording.CodeNeedsConfig, "the target asks for credentials (HTTP "+strconv.Itoa(x.Status)+"): give them with --header or in the target file")
		return false
	}
	return true
}

func What(x *recording.Exchange) string {
	if x.Method != "" {
		return x.Method
	}
	return "the message " + strconv.Quote(x.Step)
}

// Expectation is an exchange about to be judged.
type Expectation struct {
	v *Verdict
	x *recording.Exchange
}

// To notes a violation unless the exchange matches; about says in a few words
// what the exchange was ("a read of a resource that does not exist"). It
// returns whether the exchange was judged and matched.
func (e *Expectation) To(m Matcher, about string) bool { return e.match(m, about, false) }

// Should is [Expectation.To] for what is a warning at most.
func (e *Expectation) Should(m Matcher, about string) bool { return e.match(m, about, true) }

func (e *Expectation) match(m Matcher, about string, warn bool) bool {
	if e.v == nil {
		return false
	}
	if m.Match(e.x) {
		return e.v.state(true, Finding{})
	}
	return e.v.state(false, Finding{
		Expected: m.Expected, Actual: Describe(e.x) + " to " + about, Frames: e.x.Evidence(), warn: warn,
		Cause: CauseCode(e.x.Step + " " + m.Expected)})
}

// Matcher is a condition on an exchange, with what it expects in words.
type Matcher struct {
	Expected string
	Match    func(x *recording.Exchange) bool
}

// Succeed expects a result.
func Succeed() Matcher {
	return Matcher{"a result", func(x *recording.Exchange) bool { return x.Succeeded() }}
}

// BeRefused expects a JSON-RPC error, or an HTTP status of 400 or more.
func BeRefused() Matcher {
	return Matcher{"a refusal (a JSON-RPC error, or an HTTP status of 4xx)", Refused}
}

// Refused reports whether an exchange was refused.
func Refused(x *recording.Exchange) bool {
	return x.Failed() || (x.Status >= 400 && x.Status < 500 && !x.Succeeded())
}

// BeErrorCode expects a JSON-RPC error with one of the codes.
func BeErrorCode(codes ...int64) Matcher {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = strconv.FormatInt(c, 10)
	}
	return Matcher{"a JSON-RPC error with code " + strings.Join(words, " or "), func(x *recording.Exchange) bool {
		code, ok := x.Code()
		for _, c := range codes {
			if ok && c == code {
				return true
			}
		}
		return false
	}}
}

// Describe says in a few words how the target answered, so that "to" and what was
// asked can follow.
func Describe(x *recording.Exchange) string {
	status := ""
	if x.Status >= 300 {
		status = " with HTTP " + strconv.Itoa(x.Status)
	}
	switch {
	case x.Failed():
		if x.Status > 0 {
			status = " with HTTP " + strconv.Itoa(x.Status)
		}
		return describeError(x.Error(), status)
	case x.Outcome == recording.Replied && x.Result().Exists():
		return "a result" + status + " (" + Brief(withoutMeta(x.Result())) + ")"
	case x.Outcome == recording.Replied:
		return "a reply without result and error" + status + " (" + Brief(x.Message()) + ")"
	case x.Outcome == recording.HTTPOnly && x.Status > 0:
		return "HTTP " + strconv.Itoa(x.Status) + " without a JSON-RPC response"
	case x.Outcome == recording.Refused && x.Status > 0:
		return "HTTP " + strconv.Itoa(x.Status) + " again and again"
	case x.Outcome == recording.Canceled:
		return "no answer before the run ended"
	}
	words := map[recording.Outcome]string{
		recording.Sent: "no answer (none was due)", recording.Silent: "silence", recording.Lost: "no answer but a lost connection",
		recording.Unsent: "no answer: it could not be sent",
	}[x.Outcome]
	if words == "" {
		words = "no answer"
	}
	return words + InBrackets(x.Reason)
}

// withoutMeta is an object without the metadata that most results and requests
// carry, and that sentences are not about.
func withoutMeta(object gjson.Result) gjson.Result {
	if !object.IsObject() || !object.Get("_meta").Exists() {
		return object
	}
	var members []string
	object.ForEach(func(name, value gjson.Result) bool {
		if name.Str != "_meta" {
			members = append(members, name.Raw+":"+value.Raw)
		}
		return true
	})
	return gjson.Parse("{" + strings.Join(members, ",") + "}")
}

// describeError says what an error holds, even if it is none in form.
func describeError(e gjson.Result, status string) string {
	code, message := e.Get("code"), e.Get("message")
	switch {
	case !e.IsObject():
		return "an error that is no object" + status + " (" + Brief(e) + ")"
	case !code.Exists() && !message.Exists():
		return "an error without a code" + status
	case !code.Exists():
		return "an error without a code" + status + " (" + Brief(message) + ")"
	case !message.Exists():
		return "error " + Brief(code) + status + " without a message"
	}
	return "error " + Brief(code) + status + " (" + Brief(message) + ")"
}

// InBrackets is the reason of an exchange for the middle of a sentence. That there
// was no answer is said already.
func InBrackets(reason string) string {
	reason = strings.TrimLeft(strings.TrimPrefix(reason, "no answer"), ", ")
	if reason == "" {
		return ""
	}
	if d, ok := strings.CutPrefix(reason, "within "); ok {
		return " for " + d
	}
	return " (" + strings.TrimPrefix(reason, "although ") + ")"
}

// Brief is a JSON value cut to a length that fits into a sentence, without what it holds
// of files of the system: sentences are passed on as frames are.
func Brief(r gjson.Result) string {
	if !r.Exists() {
		return "absent"
	}
	const limit = 120
	raw := ""
	for word := range bytes.FieldsSeq(judge.LeakCut{}.Cut([]byte(r.Raw))) {
		if raw != "" {
			raw += " "
		}
		if raw += string(word[:min(len(word), limit+1)]); len(raw) > limit {
			break // the rest is cut off
		}
	}
	if len(raw) <= limit {
		return raw
	}
	cut := limit
	for cut > 0 && raw[cut]&0xc0 == 0x80 {
		cut--
	}
	return raw[:cut] + "…"
}

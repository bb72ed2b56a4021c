package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	"github.com/tidwall/gjson"
)

// Cited is what a statement rests on: an exchange, a message, an item, or frames by their numbers.
type Cited interface{ Evidence() []int }

// Frames are the numbers of frames.
type Frames = recording.Frames

// Several are cited together.
type Several []Cited

// Evidence is that of all of them.
func (s Several) Evidence() (frames []int) {
	for _, c := range s {
		if c != nil {
			frames = append(frames, c.Evidence()...)
		}
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

// say puts values into a format: an exchange as how it was answered, and a JSON value in brief.
func say(format string, args ...any) string {
	for i, a := range args {
		switch a := a.(type) {
		case *recording.Exchange:
			args[i] = matcher.Describe(a)
		case gjson.Result:
			args[i] = judge.Brief(a)
		}
	}
	return fmt.Sprintf(format, args...)
}

// Finding is what was stated of something that was seen. Unless it holds it is a violation, of which its
// methods say more.
type Finding struct {
	expected, actual                   string
	title, member, hint                string
	frames, before                     []int
	downgraded, cause, sharedCause     string
	held, warn, kept, harmless         bool
	refusalDue, onlyCode, aboutRefusal bool
}

// Held reports whether there was something to be judged, and the statement holds.
func (f *Finding) Held() bool { return f.held }

// Title says what was judged, where the title of the row says another thing.
func (f *Finding) Title(title string) *Finding { f.title = title; return f }

// Kept says that the sentence of the row holds, and its level with it.
func (f *Finding) Kept() *Finding { f.kept = true; return f }

// Member says what in the messages it is about, such as the uri of a listed resource; without it, the
// messages as a whole.
func (f *Finding) Member(member string) *Finding { f.member = member; return f }

// Before is further evidence that no verdict is about: earlier messages without which it would be no
// violation. What [Check.Declared] and [Verdict.RestsOn] name is added.
func (f *Finding) Before(on Cited) *Finding {
	f.before = append(f.before, on.Evidence()...)
	return f
}

// Hint says what to change in the target, where the row does not say it as well.
func (f *Finding) Hint(hint string) *Finding { f.hint = hint; return f }

// Warn says that it is a warning at most, whatever the grade, and why: see [Finding.Downgraded].
func (f *Finding) Warn(why ...string) *Finding { return f.WarnIf(true).Downgraded(cmp.Or(why...)) }

// WarnIf says that it is a warning at most if a condition holds.
func (f *Finding) WarnIf(holds bool) *Finding { f.warn = f.warn || holds; return f }

// Downgraded says why it is only a warning, if it is, although the requirement can fail. Where that is empty
// the grade or the basis of the requirement says why.
func (f *Finding) Downgraded(why string) *Finding { f.downgraded = why; return f }

// Cause says what is wrong in a few words that are the same in every combination and hold nothing that the
// target sent: unlike sentences they are not masked. It is needed where what was expected, which stands for
// it otherwise, names data of the run.
func (f *Finding) Cause(words string) *Finding { f.cause = words; return f }

// SharedCause is a cause that breaks several requirements at once, which all give it in the same words, and
// is one finding.
func (f *Finding) SharedCause(words string) *Finding { f.sharedCause = words; return f }

// Harmless says that nobody is harmed, if that is so, although the requirement is about security: what must
// not be served was refused, if in another way.
func (f *Finding) Harmless(is bool) *Finding { f.harmless = is; return f }

// RefusalDue says that the request had to be refused. Of what [Verdict.Expect] states of an exchange that is
// known, and so is [Finding.OnlyCode].
func (f *Finding) RefusalDue() *Finding { f.refusalDue = true; return f }

// OnlyCode says that the request was refused, with another code.
func (f *Finding) OnlyCode() *Finding { f.onlyCode = true; return f }

// AboutRefusal keeps a finding that is about the target asking to be called later.
func (f *Finding) AboutRefusal() *Finding { f.aboutRefusal = true; return f }

// That states what was expected, and notes a violation unless it holds. Either way something was judged.
// What was seen is a format: an exchange among its values says how it was answered, and JSON is cut to what
// fits into a sentence. All that a verdict says is said so.
func (v *Verdict) That(on Cited, ok bool, expected, actual string, args ...any) *Finding {
	if !ok {
		return v.Fail(on, expected, actual, args...)
	}
	v.goOn()
	v.judged++
	return v.moot(true)
}

// Fail notes a violation: see [Verdict.That].
func (v *Verdict) Fail(on Cited, expected, actual string, args ...any) *Finding {
	v.goOn()
	v.judged++
	return v.found(Finding{expected: expected, actual: say(actual, args...), frames: Several{on}.Evidence()})
}

// moot is a finding that is no violation.
func (v *Verdict) moot(held bool) *Finding {
	v.none = Finding{held: held}
	return &v.none
}

// found adds a violation.
func (v *Verdict) found(f Finding) *Finding {
	f.before = slices.Concat(v.declared, v.ordinary)
	v.findings = append(v.findings, &f)
	return &f
}

// Expect states that a matcher matches an exchange; about says in a few words what was asked: "a read of a
// resource that does not exist". Where there is no answer to be judged, because the target died, stayed
// silent, refuses for want of credentials or asks us to go away, the requirement is blocked or not applicable
// instead: that is judged elsewhere, once. Gomega judges; what it has to say is a violation.
func (v *Verdict) Expect(x *recording.Exchange, m types.GomegaMatcher, about string, args ...any) *Finding {
	if !v.Answered(x) {
		return v.moot(false)
	}
	v.judged++
	f, asked := v.moot(true), say(about, args...)
	gomega.NewGomega(func(message string, _ ...int) {
		f = v.found(mismatch(x, m, asked, message))
	}).Expect(x).To(m)
	return f
}

// mismatch is the violation that a failed matcher stands for. Matchers that are not ours say
// it all in their message.
func mismatch(x *recording.Exchange, m types.GomegaMatcher, about, message string) Finding {
	f := Finding{expected: about, actual: message, frames: x.Evidence()}
	if m, ok := m.(matcher.Matcher); ok {
		f.expected, f.actual = m.Expected(), m.Actual(x)+" to "+about
		f.cause = string(x.Step) + " " + f.expected
		f.refusalDue = matcher.OfRefusal(m)
		f.onlyCode = f.refusalDue && x.Failed()
	}
	return f
}

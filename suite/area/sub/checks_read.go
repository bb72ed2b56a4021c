package sub

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// contentsOf is what a read yielded, as JSON; empty if it yielded no contents.
func contentsOf(x *recording.Exchange) string {
	if x == nil || !x.Succeeded() {
		return ""
	}
	return x.Result().Get("contents").Raw
}

// updateCanBeRead: who reads a resource when an update has come gets what it is now. Nothing
// but another content, a moment later or in other sessions, shows that there was one to get. Two of these have to
// get the same, and another one what this one did before: each session may have contents of its own.
func updateCanBeRead(r *recording.Recording, v *verdict.Verdict) {
	before, now := r.Step(recording.StepUnchanged), r.Step(recording.StepAtOnce)
	if before == nil || now == nil {
		v.NotExercised("no update came that could be read")
		return
	}
	old := contentsOf(before)
	if old == "" || contentsOf(now) == "" {
		v.NotExercised("the resource of triggers.update cannot be read")
		return
	}
	if contentsOf(now) != old {
		v.Holds()
		return
	}
	const expected = "contents that show the change, once " + verdict.Updated + " has told of it"
	later, beside, newcomers := r.Step(recording.StepLater), r.Step(recording.StepBeside), r.Steps(recording.StepNewcomer)
	mark, _ := r.Mark(recording.MarkUpdate)
	updates := verdict.Only(verdict.Hear(r, now.Session, mark.After), verdict.Updated)
	if len(updates) == 0 {
		v.NotExercised("the update that was read after was not recorded")
		return
	}
	evidence := func(x *recording.Exchange) []int {
		frames := append(before.Evidence(), updates[0].Frame.Number)
		return append(append(frames, now.Evidence()...), x.Evidence()...)
	}
	switch {
	case contentsOf(later) != "" && contentsOf(later) != old && !updatedAgain(updates, later):
		v.Fail(verdict.Finding{
			Expected: expected,
			Actual:   "those of before the change; a moment later a read yields others",
			Frames:   evidence(later),
			Warn:     true,
			Hint:     "change the resource first, and send " + verdict.Updated + " then",
		})
	case contentsOf(beside) == old && len(newcomers) == 2 && contentsOf(newcomers[0]) != "" && contentsOf(newcomers[0]) != old &&
		contentsOf(newcomers[1]) == contentsOf(newcomers[0]) && !updatedAgain(updates, newcomers[1]):
		v.Fail(verdict.Finding{
			Expected: expected,
			Actual: "those of before the change, which another session got then as well, while two new " +
				"sessions get others",
			Frames: slices.Concat(evidence(beside), newcomers[0].Evidence(), newcomers[1].Evidence()),
			Warn:   true,
			Hint:   "let a change put an end to what is cached of the resource, in every session",
		})
	default:
		v.NotExercised("nothing shows that triggers.update changed the contents of the resource")
	}
}

// updatedAgain reports whether a further update came before the answer to a read, on the
// subscription that brought the first: then there may have been another change.
func updatedAgain(updates []verdict.Heard, x *recording.Exchange) bool {
	return slices.ContainsFunc(updates[1:], func(h verdict.Heard) bool {
		return h.Frame.Number < x.Replies[0] && h.Subscription().Raw == updates[0].Subscription().Raw
	})
}

// nothingNew remarks upon updates of a resource that changed by itself, or did not: what is
// read then is what was read in the beginning. That is no fault, as updates may be repeated.
func nothingNew(r *recording.Recording, v *verdict.Verdict) {
	now := r.Step(recording.StepAtOnce)
	reads := v.Recording(recording.Reads)
	if now == nil || reads == nil || contentsOf(now) == "" {
		return
	}
	for _, x := range reads.Steps(recording.StepRead) {
		if x.Tags[recording.TagURI] == now.Tags[recording.TagURI] && contentsOf(x) == contentsOf(now) {
			v.Observe("update-without-change", "an update of "+now.Tags[recording.TagURI]+" was sent, and a read right after it yields what one in the beginning did",
				append(x.Evidence(), now.Evidence()...)...)
			return
		}
	}
}

package sub

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// contentsOf is what a read yielded, as JSON; empty if it yielded no contents.
func contentsOf(x *recording.Exchange) string {
	if x == nil || !x.Succeeded() {
		return ""
	}
	return x.Value("contents").Raw
}

// updateCanBeRead: who reads a resource when an update has come gets what it is now. Nothing but another
// content, a moment later or in other sessions, shows that there was one to get. Two of these have to get the
// same, and another one what this one did before: each session may have contents of its own.
func updateCanBeRead(r *view) {
	const expected = "contents that show the change, once " + verdict.Updated + " has told of it"
	before, now := r.Step(scenario.StepUnchanged), r.Step(scenario.StepAtOnce)
	later, beside := r.Step(scenario.StepLater), r.Step(scenario.StepBeside)
	old, newcomers := contentsOf(before), r.Steps(scenario.StepNewcomer)
	if before == nil || now == nil {
		r.NotExercised("no update came that could be read")
		return
	}
	updates := r.updates(now.Session, r.changedAt())
	differs := func(x *recording.Exchange) bool {
		return contentsOf(x) != "" && contentsOf(x) != old && !updatedAgain(updates, x)
	}
	evidence := func(x *recording.Exchange) verdict.Several {
		return verdict.Several{before, updates[0], now, x}
	}
	switch {
	case old == "" || contentsOf(now) == "":
		r.NotExercised("the resource of triggers.update cannot be read")
	case contentsOf(now) != old:
		r.Holds()
	case len(updates) == 0:
		r.NotExercised("the update that was read after was not recorded")
	case differs(later):
		r.warn(expected, "those of before the change; a moment later a read yields others", "",
			"change the resource first, and send "+updated+" then", evidence(later))
	case contentsOf(beside) == old && len(newcomers) == 2 && differs(newcomers[1]) &&
		contentsOf(newcomers[1]) == contentsOf(newcomers[0]):
		r.warn(expected,
			"those of before the change, which another session got then as well, while two new sessions "+
				"get others", "",
			"let a change put an end to what is cached of the resource, in every session",
			evidence(beside), newcomers[0], newcomers[1])
	default:
		r.NotExercised("nothing shows that triggers.update changed the contents of the resource")
	}
}

// updatedAgain reports whether a further update came before the answer to a read, on the
// subscription that brought the first: then there may have been another change.
func updatedAgain(updates messages, x *recording.Exchange) bool {
	return slices.ContainsFunc(updates[1:], func(h heard) bool {
		return h.Frame.Number < x.Replies[0] && h.Subscription().Raw == updates[0].Subscription().Raw
	})
}

// nothingNew remarks upon updates of a resource that changed by itself, or did not: what is
// read then is what was read in the beginning. That is no fault, as updates may be repeated.
func nothingNew(r *view) {
	now, reads := r.Step(scenario.StepAtOnce), r.Input(recording.Reads)
	if reads == nil || contentsOf(now) == "" {
		return
	}
	for _, x := range reads.Steps(recording.StepRead) {
		if uri := now.URI(); x.Tags[recording.TagURI] == uri &&
			contentsOf(x) == contentsOf(now) {
			r.Observe(verdict.Several{x, now}, "update-without-change",
				"an update of %s was sent, and a read right after it yields what one in the beginning did",
				uri)
			return
		}
	}
}

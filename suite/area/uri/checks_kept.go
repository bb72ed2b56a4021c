package uri

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// keptIn: no read yields what lies outside of the root. Where the root is not known
// but guessed, there is nothing to find but files that every system has; that none
// came says nothing then.
func keptIn(r *recording.Recording, v *verdict.Verdict, names ...recording.Step) {
	v.Sampled(r)
	open := servesSystem(r)
	for _, x := range r.Steps(names...) {
		about := verdict.ReadOf(x) + " (" + x.Tags[recording.TagForm] + ")"
		if !verdict.Withstood(v, x, about) {
			continue
		}
		what, sure := verdict.Leaked(x)
		guessed := x.Tags[recording.TagGuessed] != ""
		if guessed && (what == "" || open || x.Step == recording.StepSystem) {
			continue // see systemFiles
		}
		state := v.That
		if !sure || x.Tags[recording.TagForm] == "link" && x.Tags[recording.TagLinks] != "forbidden" {
			state = v.WarnUnless
		}
		state(what == "", "nothing from outside of "+x.Tags[recording.TagRoot], about+" yields "+what, x.Evidence()...)
		if !sure {
			v.Downgrade("what came looks like a file from outside, but no canary proves it")
		}
		v.Hint("decode the path once, resolve it with all its links, and serve it only if it then lies below the root")
	}
}

// servesSystem reports whether the target serves files of the system under their
// plain names: then it may mean to serve the whole machine.
func servesSystem(r *recording.Recording) bool {
	return slices.ContainsFunc(r.Steps(recording.StepSystem), func(x *recording.Exchange) bool {
		what, _ := verdict.Leaked(x)
		return what != "" && x.Tags[recording.TagGuessed] != ""
	})
}

// systemFiles remarks on files of the system that can be read where no root says
// that they must not.
func systemFiles(r *recording.Recording, v *verdict.Verdict) {
	var seen verdict.Sightings
	for _, x := range r.Exchanges {
		if what, _ := verdict.Leaked(x); what != "" && x.Tags[recording.TagGuessed] != "" && servesSystem(r) {
			seen.Add(verdict.ReadOf(x)+" yields "+what, x.Evidence()...)
		}
	}
	seen.Observe(v, "system-file", "%d files of the system can be read; if only some directory is meant to be served, name it in the target file (subjects.roots): %s")
}

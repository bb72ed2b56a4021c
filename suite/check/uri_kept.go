package check

import (
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// keptIn: no read yields what lies outside of the root. Where the root is not known
// but guessed, there is nothing to find but files that every system has; that none
// came says nothing then.
func keptIn(r *recording.Recording, v *Verdict, names ...string) {
	v.Sampled(r)
	open := servesSystem(r)
	for _, x := range r.Steps(names...) {
		about := readOf(x) + " (" + x.Tags["form"] + ")"
		if !withstood(v, x, about) {
			continue
		}
		what, sure := outsider(x)
		guessed := x.Tags["guessed"] != ""
		if guessed && (what == "" || open || x.Step == "system") {
			continue // see systemFiles
		}
		state := v.That
		if !sure || x.Tags["form"] == "link" && x.Tags["links"] != "forbidden" {
			state = v.Ought
		}
		state(what == "", "nothing from outside of "+x.Tags["root"], about+" yields "+what, x.Evidence()...)
		if !sure {
			v.Mild("what came looks like a file from outside, but no canary proves it")
		}
		v.Hint("decode the path once, resolve it with all its links, and serve it only if it then lies below the root")
	}
}

// outsider says what a read yields from outside of the root; empty if nothing. A
// marker of the target file is sure; what only looks like a file of the system is not.
// Error messages give a marker away as well as contents do.
func outsider(x *recording.Exchange) (what string, sure bool) {
	if told := x.Tags[recording.TagLeaked]; told != "" {
		return told, x.Tags[recording.TagProven] != ""
	}
	marker := x.Tags["marker"]
	if marker != "" && strings.Contains(x.Error().Raw, marker) {
		return "an error with what a file outside of the root contains", true
	}
	looks := ""
	for _, c := range contentsOf(x) {
		text := c.Get("text").String()
		if data, err := judge.Decode(c.Get("blob").String()); err == nil {
			text += string(data)
		}
		if marker != "" && strings.Contains(text, marker) {
			return "a file outside of the root", true
		}
		if looks == "" {
			looks = judge.SystemFile(text)
		}
	}
	if looks != "" {
		return "what looks like " + looks, false
	}
	return "", marker != ""
}

// Leaked says what a read of the scenario [recording.Traversal] yields from outside of
// the served directory, and whether that is sure; empty if nothing.
func Leaked(x *recording.Exchange) (what string, sure bool) { return outsider(x) }

// servesSystem reports whether the target serves files of the system under their
// plain names: then it may mean to serve the whole machine.
func servesSystem(r *recording.Recording) bool {
	return slices.ContainsFunc(r.Steps("system"), func(x *recording.Exchange) bool {
		what, _ := outsider(x)
		return what != "" && x.Tags["guessed"] != ""
	})
}

// systemFiles remarks on files of the system that can be read where no root says
// that they must not.
func systemFiles(r *recording.Recording, v *Verdict) {
	var seen sightings
	for _, x := range r.Exchanges {
		if what, _ := outsider(x); what != "" && x.Tags["guessed"] != "" && servesSystem(r) {
			seen.add(readOf(x)+" yields "+what, x.Evidence()...)
		}
	}
	seen.observe(v, "system-file", "%d files of the system can be read; if only some directory is meant to be served, name it in the target file (subjects.roots): %s")
}

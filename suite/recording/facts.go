package recording

import (
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// Facts is what is known about a target in one combination before anything is
// judged: what it declared, and what the user told us about it.
type Facts struct {
	Combination requirement.Combination `json:"combination"`
	// Endpoint is the number of the endpoint in the target, from 1 on; 0 in recordings of earlier versions.
	Endpoint int `json:"endpoint,omitempty"`
	// Declared is the result of initialize or server/discover, raw; empty if
	// there was none.
	Declared json.RawMessage `json:"declared,omitempty"`
	// DeclaredIn lists the frames of the request and the answer in which it did.
	DeclaredIn []int `json:"declared_in,omitempty"`
	// Served lists the revisions that the target was seen to serve on this
	// transport, oldest first.
	Served []requirement.Revision `json:"served"`
	// Owned says that we start and end the target's process ourselves.
	Owned bool `json:"owned,omitempty"`
	// Local says that the target runs on this machine (stdio, in process, or
	// a loopback or private address).
	Local bool `json:"local,omitempty"`
	// Configured is what the target file gives, by name: "subjects.missing",
	// "triggers.update", "identities". Checks use it to say what to add.
	Configured map[string]bool `json:"configured,omitempty"`
	// Allowed lists what the user declared as intended, such as "any-origin".
	Allowed map[string]bool `json:"allowed,omitempty"`
	// Nameless lists the frames of server/discover, from before any handshake, and of its error if that came
	// without the id.
	Nameless []int `json:"nameless,omitempty"`
	// Notes are further facts that scenarios established, by name.
	Notes map[string]string `json:"notes,omitempty"`
}

// Capability is a declared capability by gjson path, such as
// "resources.subscribe".
func (f *Facts) Capability(path string) gjson.Result {
	return gjson.GetBytes(f.Declared, "capabilities."+path)
}

// Declares reports whether a capability is declared: present and neither false
// nor null.
func (f *Facts) Declares(path string) bool {
	c := f.Capability(path)
	return c.Exists() && c.Type != gjson.False && c.Type != gjson.Null
}

// DualEra reports whether the target serves both legacy and modern revisions.
func (f *Facts) DualEra() bool { return f.ServesLegacy() && f.ServesModern() }

// ServesLegacy reports whether the target serves a revision with a handshake.
func (f *Facts) ServesLegacy() bool {
	return slices.ContainsFunc(f.Served, func(r requirement.Revision) bool { return !r.Modern() })
}

// ServesModern reports whether the target serves a revision without handshake.
func (f *Facts) ServesModern() bool {
	return slices.ContainsFunc(f.Served, requirement.Revision.Modern)
}

// Listed are the versions that server/discover has named.
func (f *Facts) Listed() []string {
	var all []string
	if list := gjson.GetBytes(f.Declared, "supportedVersions"); list.IsArray() {
		for _, version := range list.Array() {
			if version.Type == gjson.String {
				all = append(all, version.Str)
			}
		}
	}
	return all
}

// ListsLegacy reports whether a modern target says that it serves a revision with a handshake.
func (f *Facts) ListsLegacy() bool {
	return slices.ContainsFunc(f.Listed(), func(s string) bool {
		return requirement.Revision(s).Known() && !requirement.Revision(s).Modern()
	})
}

// ModernOnly reports whether the target has no legacy revisions on this transport. Those
// that it lists count as well: a run may have been told not to try them.
func (f *Facts) ModernOnly() bool { return !f.ServesLegacy() && !f.ListsLegacy() }

// The notes in [Facts] about a target that is no process of ours and was gone for
// good before the run was over.
const (
	FactGone = "gone" // why, in one sentence that names the last message
	// FactUnrepeated is why what was red could not be repeated.
	FactUnrepeated = "unrepeated"
	FactLastFrame  = "last-frame" // the number of the frame of that message
	FactLastAlone  = "last-alone" // whether no other message was under way
)

// FactErratic, followed by an id, is the note in [Facts] that says why a verdict on that requirement, which
// was repeated several times, is not confirmed.
const FactErratic = "erratic "

// FactOneByOne is the note in [Facts] which says that a server which was started has died, and
// that what is recorded was played one scenario, and one message, at a time.
const FactOneByOne = "one-by-one"

// FactSingle is the note in [Facts] about a target over HTTP that was seen to keep one session at a time: how
// it shows.
const FactSingle = "single"

// FactOneConnection is the note in [Facts] about a target over HTTP that was seen to serve one connection at
// a time: how it shows.
const FactOneConnection = "one-connection"

// FactListens is the note in [Facts] which says that a listen stream was
// acknowledged.
const FactListens = "listens"

// FactSpread is the note in [Facts] about a target over stdio that answers the first request of a
// session over several lines, so that none can be opened: why, in one sentence.
const FactSpread = "spread"

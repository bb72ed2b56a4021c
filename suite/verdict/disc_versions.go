package verdict

import (
	"slices"
	"sort"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// The error codes of the modern revisions, and those of JSON-RPC.
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
)

// Baseline reports whether the ordinary request of a script was served; where it
// was not, deviations from it say nothing.
func Baseline(r *recording.Recording, v *Verdict, step recording.Step) bool {
	x := r.Step(step)
	if !v.Answered(x) {
		return false
	}
	if !x.Succeeded() {
		v.Skip(recording.CodeNotExercised, "the ordinary request, with which others would be compared, is refused: "+matcher.Describe(x))
	}
	return x.Succeeded()
}

// Tag is a tag of an exchange that may be missing.
func Tag(x *recording.Exchange, name recording.Tag) string {
	if x == nil {
		return ""
	}
	return x.Tags[name]
}

// RefusedHandshake is the answer to initialize of a modern-only target. A target
// that performs the handshake, or lists legacy versions, is none.
func RefusedHandshake(r *recording.Recording, v *Verdict) (*recording.Exchange, bool) {
	x := r.Step(recording.StepInitialize)
	if x == nil {
		return nil, false
	}
	legacy := slices.ContainsFunc(Texts(gjson.GetBytes(v.Facts.Declared, "supportedVersions")), func(s string) bool {
		return requirement.Revision(s).Known() && !requirement.Revision(s).Modern()
	})
	if x.Succeeded() || legacy {
		v.Skip(recording.CodeNotExercised, "the target is not modern-only: it serves or lists revisions with a handshake")
		return nil, false
	}
	return x, true
}

// ListEntries lists the entries of a list result in an order that does not depend on
// the target.
func ListEntries(x *recording.Exchange) []string {
	var all []string
	for _, member := range []string{"resources", "resourceTemplates"} {
		for _, e := range x.Result().Get(member).Array() {
			all = append(all, e.Raw)
		}
	}
	sort.Strings(all)
	return all
}

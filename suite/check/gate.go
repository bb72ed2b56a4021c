package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// Gate is a condition on the facts under which a check applies; nil means that
// it holds.
type Gate func(*recording.Facts) *recording.Skipped

// declares asks for a declared capability, by gjson path.
func declares(path string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if f.Declares(path) {
			return nil
		}
		return &recording.Skipped{Code: recording.CodeUndeclared, Reason: fmt.Sprintf("the target does not declare capabilities.%s", path)}
	}
}

// lacks asks for a capability that is not declared.
func lacks(path string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if !f.Declares(path) {
			return nil
		}
		return &recording.Skipped{Code: recording.CodeNotExercised, Reason: fmt.Sprintf("the target declares capabilities.%s", path)}
	}
}

// withholds asks for a capability that is plainly not declared: its member is absent
// or false in a declaration that is in order. What is declared by a value of the
// wrong type is judged once, by the checks of the declaration.
func withholds(path string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if skip := lacks(path)(f); skip != nil {
			return skip
		}
		if skip := declaring(f); skip != nil {
			return skip
		}
		if above, _, nested := strings.Cut(path, "."); nested && !f.Capability(above).IsObject() {
			return &recording.Skipped{Code: recording.CodeNotExercised, Reason: fmt.Sprintf("the target does not declare capabilities.%s as an object", above)}
		}
		if c := f.Capability(path); c.Exists() && c.Type != gjson.False {
			return &recording.Skipped{Code: recording.CodeNotExercised, Reason: fmt.Sprintf("the target declares capabilities.%s by a value of another type", path)}
		}
		return nil
	}
}

// modernOnly asks for a target without legacy revisions on this transport. Those
// that it lists count as well: a run may have been told not to try them.
func modernOnly(f *recording.Facts) *recording.Skipped {
	listed := slices.ContainsFunc(gjson.GetBytes(f.Declared, "supportedVersions").Array(), func(s gjson.Result) bool {
		r := requirement.Revision(s.String())
		return r.Known() && !r.Modern()
	})
	if !listed && !f.ServesLegacy() {
		return nil
	}
	return &recording.Skipped{Code: recording.CodeNotExercised, Reason: "the target also serves revisions with a handshake"}
}

// dualEra asks for a target with both legacy and modern revisions.
func dualEra(f *recording.Facts) *recording.Skipped {
	if f.DualEra() {
		return nil
	}
	return &recording.Skipped{Code: recording.CodeNotExercised, Reason: "the target serves only one era of the protocol on this transport"}
}

// The capabilities that most checks depend on.
var (
	resources   = declares("resources")
	subscribe   = declares("resources.subscribe")
	listChanged = declares("resources.listChanged")
	completions = declares("completions")
)

// allowed takes a requirement out where the user declared the behaviour as
// intended.
func allowed(name string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if !f.Allowed[name] {
			return nil
		}
		return &recording.Skipped{Code: recording.CodeOptedOut, Reason: fmt.Sprintf("the target file allows %q", name)}
	}
}

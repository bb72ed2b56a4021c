package verdict

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

// Declares asks for a declared capability, by gjson path.
func Declares(path string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if f.Declares(path) {
			return nil
		}
		return &recording.Skipped{Code: recording.CodeUndeclared, Reason: fmt.Sprintf("the target does not declare capabilities.%s", path)}
	}
}

// Lacks asks for a capability that is not declared.
func Lacks(path string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if !f.Declares(path) {
			return nil
		}
		return &recording.Skipped{Code: recording.CodeNotExercised, Reason: fmt.Sprintf("the target declares capabilities.%s", path)}
	}
}

// Withholds asks for a capability that is plainly not declared: its member is absent
// or false in a declaration that is in order. What is declared by a value of the
// wrong type is judged once, by the checks of the declaration.
func Withholds(path string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if skip := Lacks(path)(f); skip != nil {
			return skip
		}
		if skip := Declaring(f); skip != nil {
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

// ModernOnly asks for a target without legacy revisions on this transport. Those
// that it lists count as well: a run may have been told not to try them.
func ModernOnly(f *recording.Facts) *recording.Skipped {
	listed := slices.ContainsFunc(gjson.GetBytes(f.Declared, "supportedVersions").Array(), func(s gjson.Result) bool {
		r := requirement.Revision(s.String())
		return r.Known() && !r.Modern()
	})
	if !listed && !f.ServesLegacy() {
		return nil
	}
	return &recording.Skipped{Code: recording.CodeNotExercised, Reason: "the target also serves revisions with a handshake"}
}

// DualEra asks for a target with both legacy and modern revisions.
func DualEra(f *recording.Facts) *recording.Skipped {
	if f.DualEra() {
		return nil
	}
	return &recording.Skipped{Code: recording.CodeNotExercised, Reason: "the target serves only one era of the protocol on this transport"}
}

// The capabilities that most checks depend on.
var (
	Resources   = Declares("resources")
	Subscribe   = Declares("resources.subscribe")
	ListChanged = Declares("resources.listChanged")
	Completions = Declares("completions")
)

// Allowed takes a requirement out where the user declared the behaviour as
// intended.
func Allowed(name string) Gate {
	return func(f *recording.Facts) *recording.Skipped {
		if !f.Allowed[name] {
			return nil
		}
		return &recording.Skipped{Code: recording.CodeOptedOut, Reason: fmt.Sprintf("the target file allows %q", name)}
	}
}

// Declaring asks for a target of which it is known what it declares.
func Declaring(f *recording.Facts) *recording.Skipped {
	if len(f.Declared) > 0 {
		return nil
	}
	return &recording.Skipped{Code: recording.CodeNotExercised, Reason: "it is not known what the target declares"}
}

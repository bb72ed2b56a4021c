package verdict

import (
	"net/http"
	"slices"

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

// Unknown reports whether a request was refused because the target does not know
// its method.
func Unknown(x *recording.Exchange) bool {
	code, _ := x.Code()
	return code == -32601
}

// Broken reports whether a target that is there answered with the HTTP status of a
// failure of its own, and with nothing else.
func Broken(x *recording.Exchange) bool {
	return x.Status >= http.StatusInternalServerError && x.Status != http.StatusServiceUnavailable && len(x.Replies) == 0
}

// Withstood notes a violation if a probe took the target down or was never
// answered, and reports whether there is an answer to look at.
func Withstood(v *Verdict, x *recording.Exchange, about string) bool {
	switch {
	case x.Fatal:
		v.That(false, "an error, and a target that goes on serving", "the target was lost over "+about+", twice"+matcher.InBrackets(x.Reason), x.Evidence()...)
		v.Hint("catch what goes wrong while a request is handled, and answer it with an error")
		return false
	case x.Outcome == recording.Silent:
		v.That(false, "an answer", matcher.Describe(x)+" to "+about, x.Evidence()...)
		v.Hint("answer every request, if need be with an error")
		return false
	}
	return v.Answered(x)
}

// LostWords says how a connection ended over a request.
func LostWords(x *recording.Exchange) string {
	if x.Fatal {
		return "the connection ended" + matcher.InBrackets(x.Reason) + ", and did so again when the same message was sent alone"
	}
	return "the connection ended" + matcher.InBrackets(x.Reason)
}

// Reaction is what became of a message that could upset the target.
func Reaction(x *recording.Exchange) string {
	if x.Fatal {
		return LostWords(x)
	}
	return matcher.Describe(x)
}

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

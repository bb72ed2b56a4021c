package verdict

import (
	"net/http"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Responded reports whether an exchange has an HTTP response whose status can be
// judged, whatever its body; if not, it notes why.
func Responded(x *recording.Exchange, v *Verdict) bool {
	if x != nil && x.Status > 0 && x.Outcome != recording.Refused && x.Status != http.StatusUnauthorized {
		return true
	}
	if x != nil && x.Status == 0 && x.Outcome == recording.Sent {
		v.Block(recording.CodeNoAnswer, What(x)+" got no HTTP response", x.Evidence()...)
		return false
	}
	return v.Answered(x) && x.Status > 0
}

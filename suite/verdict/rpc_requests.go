package verdict

import (
	"net/http"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// LostWords says how a connection ended over a request.
func LostWords(x *recording.Exchange) string {
	if x.Fatal {
		return "the connection ended" + matcher.InBrackets(x.Reason) + ", and did so again when the same message was sent alone"
	}
	return "the connection ended" + matcher.InBrackets(x.Reason)
}

// Unanswered: nothing came back for a notification but, over HTTP, a refusal.
func Unanswered(r *recording.Recording, x *recording.Exchange, v *Verdict) {
	if x.Outcome != recording.Replied {
		if x.Outcome == recording.Sent || x.Outcome == recording.HTTPOnly {
			v.Holds()
		}
		return
	}
	for _, m := range RepliesOf(r, x) {
		refusal := x.Status >= http.StatusBadRequest && m.Nameless() && m.Get("error").Exists()
		v.That(refusal, "no response to "+x.Method, matcher.Describe(x), append(x.Evidence(), m.Frame.Number)...)
		v.Hint("never answer a message without an id")
	}
}

package verdict

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Everything stands for all clean sessions of a combination.
var Everything = []recording.Name{recording.Everything}

// Body joins what came back in the HTTP response of an exchange.
func Body(r *recording.Recording, x *recording.Exchange) []byte {
	var all []byte
	for _, n := range x.Evidence() {
		if f := r.Frame(n); f != nil && f.Dir == wire.In {
			all = append(all, f.Raw...)
		}
	}
	return all
}

// MediaType is the type of a body in lower case, without parameters.
func MediaType(h http.Header) string {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// SideBySide: both clients get their own answers, although the ids are the same.
func SideBySide(r *recording.Recording, v *Verdict) {
	for _, x := range r.Exchanges {
		own, other := "resources", "resourceTemplates"
		switch x.Step {
		case recording.StepFirstList, recording.StepFirstAgain:
		case recording.StepSecondTemplates, recording.StepSecondAgain:
			own, other = other, own
		default:
			continue
		}
		if !v.Answered(x) {
			continue
		}
		const expected = "each client to get its own answers, and no others"
		mixed := x.Result().Get(other).Exists() && !x.Result().Get(own).Exists()
		v.That(!mixed, expected, matcher.Describe(x)+" to "+x.Method+", which another client asked about", x.Evidence()...)
		v.That(len(x.Replies) < 2, expected, fmt.Sprintf("%d answers to one request, while another client used the same id", len(x.Replies)), x.Evidence()...)
	}
}

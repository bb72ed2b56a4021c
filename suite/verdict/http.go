package verdict

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
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

// Streamed lists the exchanges that were answered by an event stream.
func Streamed(r *recording.Recording) []*recording.Exchange {
	var all []*recording.Exchange
	for _, x := range r.Exchanges {
		if len(x.ID) > 0 && x.Status == http.StatusOK && MediaType(x.Header) == "text/event-stream" {
			all = append(all, x)
		}
	}
	return all
}

// OnGet reports whether a frame came on a stream that was opened by GET, and not
// to resume another one.
func OnGet(r *recording.Recording, f *wire.Frame) bool {
	if !strings.HasPrefix(f.Channel, "get:") {
		return false
	}
	for i := range r.Frames {
		if o := &r.Frames[i]; o.Dir == wire.Out && o.Session == f.Session && o.Channel == f.Channel && o.HTTP != nil {
			return o.HTTP.Header.Get("Last-Event-ID") == ""
		}
	}
	return true
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

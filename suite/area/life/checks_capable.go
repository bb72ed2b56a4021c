package life

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// The recordings of a client that can do everything, and of one that declares nothing.
var capableOnes, plainOnes = recording.Names{CapableClient}, recording.Names{Handshake}

// askedFor lists what the target asked for that a client has to declare.
func askedFor(v *verdict.Verdict) []recording.Message {
	all := recording.Keep(v.OwnRequests(), func(m recording.Message) bool {
		feature, _ := m.Feature(nil)
		return feature != ""
	})
	if len(all) == 0 {
		v.NotExercised("the target asked nothing of a client that has declared all that it can be asked for")
	}
	return all
}

// servesCapable: the client gets its answers whatever the target gets for its own requests, or before it gets
// anything.
func servesCapable(v *verdict.Verdict) {
	asked := askedFor(v)
	for _, x := range v.Steps(stepOpen, stepUsed, stepServed) {
		about := "a ping while a request of the target is open"
		if x.Step == stepUsed && x.Outcome != recording.Lost { // what it is served is for others to judge
			continue
		}
		if x.Step != stepOpen {
			about = "an ordinary request of a client that can do everything"
			if len(asked) > 0 {
				about += " and answers by " + x.Tags[tagAnswer] + "s"
			}
		}
		taken(x, v, about, asked)
	}
}

// outlivesCapable: a client that leaves takes nothing from one that stays.
func outlivesCapable(v *verdict.Verdict) {
	asked, beside := askedFor(v), v.Steps(stepBeside)
	for _, x := range v.Steps(stepLeft) {
		if !beside[0].Succeeded() {
			v.NotExercised("the target did not keep both sessions: %v", beside[0])
			continue
		}
		taken(x, v, "an ordinary request after another client, which can do everything, had left", asked)
	}
	v.NotExercised("no client could stay while another one left")
}

// elsewhere reports whether a client that has declared nothing was served the like.
func elsewhere(x *recording.Exchange, v *verdict.Verdict) bool {
	plain := v.Input(Handshake)
	if plain == nil {
		return true
	}
	all := plain.Steps(stepEarlyPing, stepFirst, stepAgain)
	return slices.ContainsFunc(all, func(y *recording.Exchange) bool {
		return y.Method == x.Method && y.Succeeded()
	})
}

// taken: a request of a client that can do everything gets an answer. That it does shows something only of a
// target that asks for something.
func taken(x *recording.Exchange, v *verdict.Verdict, about string, asked []recording.Message) {
	before := verdict.Several{x}
	for _, y := range v.Steps(recording.StepAnswer) {
		if y.Session == x.Session && (y.Request < x.Request || x.Request == 0) {
			before = append(before, verdict.Frames{y.Request})
		}
	}
	like := len(asked) > 0 && elsewhere(x, v)
	own := v.OnHTTP() || v.Facts.Notes[recording.FactOneByOne] != ""
	switch {
	case x.Outcome == recording.Lost, x.Outcome == recording.Silent && len(x.Replies) == 0 && like:
		for i := range v.Frames {
			if n := &v.Frames[i]; n.Dir == wire.Note && n.Session == x.Session {
				before = append(before, n)
			}
		}
		f := v.Fail(before, "an answer", "%v to %s", x, about).Cause("no answer to " + about)
		if x.Outcome == recording.Lost && x.Request == 0 && !own {
			f.Warn("a server may end a connection on which nothing is open")
		}
	case !like:
		v.NotExercised("a client that has declared nothing is not served the like either")
	case !v.Answered(x):
	case x.Succeeded() || x.Step == stepOpen || slices.ContainsFunc(asked, func(m recording.Message) bool {
		// What it was answered meanwhile may be the reason of a refusal.
		n := m.Frame.Number
		return m.Frame.Session == x.Session && n > x.Request && n < slices.Max(x.Evidence())
	}):
		v.Holds(x)
	default:
		why := "no sentence says what has to be served then"
		if x.Status == http.StatusNotFound {
			why = "a server may end a session at any time"
		}
		v.Fail(before, "an answer as other clients get it", "%v to %s", x, about).Warn(why).
			Cause("no answer to " + about)
	}
}

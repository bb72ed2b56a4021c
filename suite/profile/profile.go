// Package profile is what was learnt about an endpoint before anything was judged. A profile changes waits,
// width and pooling, and never a verdict.
package profile

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/reports"
)

// The facts.
const (
	// OneProcess: a second copy of the program ends while the first one runs.
	OneProcess = "one process at a time"
	// OneConnection: a second connection is served when the first one has ended.
	OneConnection = "one connection at a time"
	// OneSession: a session ends, or is refused, while another one stands.
	OneSession = "one session at a time"
	// Nameless: errors come without the id of the request.
	Nameless = "errors without ids"
	// Barred: what follows a handshake is refused for want of the session id that it bears.
	Barred = "session ids get lost"
	// Stays: a process does not end with its input.
	Stays = "stays after its input ends"
)

// follows is what a run does differently for a fact.
var follows = map[string]string{
	OneProcess:    "each process is started when the one before it has ended",
	OneConnection: "a connection ends with each response",
	OneSession:    "each session is opened when the one before it has ended",
	Nameless:      "requests whose errors could be mixed up are sent one after the other",
	Barred:        "requests that are refused so are not taken for answers",
	Stays:         "where one process waits for the end of another, that one is terminated soon",
}

// Profile is what is known about an endpoint. It is immutable; the zero value knows nothing.
type Profile struct{ facts []reports.Fact }

// With returns a profile that knows one more fact, seen as a sentence says; the same if that is empty.
func (p Profile) With(name, seen string) Profile {
	if seen == "" {
		return p
	}
	fact := reports.Fact{Name: name, Seen: seen, Follows: follows[name]}
	return Profile{append(slices.Clone(p.facts), fact)}
}

// Seen returns how a fact was seen; empty if it is not known.
func (p Profile) Seen(name string) string {
	for _, f := range p.facts {
		if f.Name == name {
			return f.Seen
		}
	}
	return ""
}

// Facts lists what is known, in the order in which it was learnt.
func (p Profile) Facts() []reports.Fact { return slices.Clone(p.facts) }

// Package profile is what was learnt about an endpoint before anything was judged. A profile changes waits,
// width and pooling, and never a verdict.
package profile

import "slices"

// Name names a fact.
type Name string

// The facts.
const (
	// OneProcess: a second copy of the program ends while the first one runs.
	OneProcess Name = "one process at a time"
	// OneConnection: a second connection is served when the first one has ended.
	OneConnection Name = "one connection at a time"
	// OneSession: a session ends, or is refused, while another one stands.
	OneSession Name = "one session at a time"
	// Nameless: errors come without the id of the request.
	Nameless Name = "errors without ids"
	// Barred: what follows a handshake is refused for want of the session id that it bears.
	Barred Name = "session ids get lost"
	// Stays: a process does not end with its input.
	Stays Name = "stays after its input ends"
)

// follows is what a run does differently for a fact.
var follows = map[Name]string{
	OneProcess:    "each process is started when the one before it has ended",
	OneConnection: "a connection ends with each response",
	OneSession:    "each session is opened when the one before it has ended",
	Nameless:      "requests whose errors could be mixed up are sent one after the other",
	Barred:        "requests that are refused so are not taken for answers",
	Stays:         "where one process waits for the end of another, that one is terminated soon",
}

// Fact is one thing that was learnt.
type Fact struct {
	Name Name `json:"name"`
	// Seen says in one sentence how it was seen, Follows what the run did differently for it.
	Seen    string `json:"seen"`
	Follows string `json:"follows"`
}

// Profile is what is known about an endpoint. It is immutable; the zero value knows nothing.
type Profile struct{ facts []Fact }

// With returns a profile that knows one more fact, seen as a sentence says; the same if that is empty.
func (p Profile) With(name Name, seen string) Profile {
	if seen == "" {
		return p
	}
	return Profile{append(slices.Clone(p.facts), Fact{name, seen, follows[name]})}
}

// Seen returns how a fact was seen; empty if it is not known.
func (p Profile) Seen(name Name) string {
	for _, f := range p.facts {
		if f.Name == name {
			return f.Seen
		}
	}
	return ""
}

// Facts lists what is known, in the order in which it was learnt.
func (p Profile) Facts() []Fact { return slices.Clone(p.facts) }

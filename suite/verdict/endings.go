package verdict

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Ends is the cause of what breaks each requirement that is about a message which a server does not survive.
const Ends = "a message ends the server"

// EndsToo says of the violation that was just stated that it has the cause of SEC-63, if a server of its own did not survive a message.
func (v *Verdict) EndsToo(x *recording.Exchange) {
	if x.Fatal && x.Outcome == recording.Lost && OwnServer(v) {
		v.SharedCause(Ends)
	}
}

// EndsServer reports whether a probe was seen to end a server that had begun to serve, twice. That
// is what SEC-63 judges, and whatever else the message broke by it has the same cause.
func EndsServer(r *recording.Recording, x *recording.Exchange, v *Verdict) bool {
	return x.Fatal && OwnServer(v) && Began(r, x, v) && ended(r, x)
}

// OwnServer reports whether the end of a server can be told from that of a connection: each
// connection is a server of its own, or it was started for the run.
func OwnServer(v *Verdict) bool {
	return v.Facts.Combination.Transport == requirement.Stdio || v.Facts.Notes[recording.FactOneByOne] != ""
}

// Began reports whether the session of a probe was in use when it was sent.
func Began(r *recording.Recording, x *recording.Exchange, v *Verdict) bool {
	if v.Modern() {
		return x.Method != "initialize"
	}
	return slices.ContainsFunc(r.Sessions, func(s *recording.Session) bool {
		return s.ID == x.Session && s.Initialize != nil && s.Initialize.Succeeded() && s.Initialize != x
	})
}

// ended reports whether the connection is gone over which a probe was sent. One that is there
// and silent may only be busy with something.
func ended(r *recording.Recording, x *recording.Exchange) bool {
	return x.Outcome == recording.Lost || slices.ContainsFunc(r.Sessions, func(s *recording.Session) bool { return s.ID == x.Session && s.Lost != "" })
}

// Unprovoked is how a process ended in a session in which it was sent nothing out of order; empty if
// none did. One that had been idle for a while may end: see STDIO-09.
func Unprovoked(r *recording.Recording) string {
	for _, s := range r.Sessions {
		if s.Kind == recording.Clean && s.Lost != "" && !s.Idle {
			return s.Lost
		}
	}
	return ""
}

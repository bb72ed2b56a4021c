package verdict

import (
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Ends is the cause of what breaks each requirement that is about a message which a server does not survive.
const Ends = "a message ends the server"

// EndedBy is the cause of SEC-63 if a server of its own did not survive a message, else empty.
func (v *Verdict) EndedBy(x *recording.Exchange) string {
	if x.Fatal && x.Outcome == recording.Lost && v.OwnServer() {
		return Ends
	}
	return ""
}

// EndsServer reports whether a probe was seen to end a server that had begun to serve, twice. That
// is what SEC-63 judges, and whatever else the message broke by it has the same cause.
func (v *Verdict) EndsServer(r *recording.Recording, x *recording.Exchange) bool {
	return x.Fatal && v.OwnServer() && v.Began(r, x) && ended(r, x)
}

// OwnServer reports whether the end of a server can be told from that of a connection: each
// connection is a server of its own, or it was started for the run.
func (v *Verdict) OwnServer() bool {
	return v.OnStdio() || v.Facts.Notes[recording.FactOneByOne] != ""
}

// Began reports whether the session of a probe was in use when it was sent.
func (v *Verdict) Began(r *recording.Recording, x *recording.Exchange) bool {
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
	return x.Outcome == recording.Lost || slices.ContainsFunc(r.Sessions, func(s *recording.Session) bool {
		return s.ID == x.Session && s.Lost != ""
	})
}

// EndedAtStart reports whether an exchange was lost on a process of ours that ended without having sent
// anything, as all do once a program cannot be started any more: whether it has read the request cannot be
// seen. Its initialize was answered when the revisions were found out. Where there is none, it takes several
// processes in succession that said nothing, whatever they were sent.
func (v *Verdict) EndedAtStart(x *recording.Exchange) bool {
	heard := map[string]bool{}
	for _, f := range v.Frames {
		heard[f.Session] = heard[f.Session] || f.Dir == wire.In
	}
	own := slices.IndexFunc(v.Sessions, func(s *recording.Session) bool { return s.ID == x.Session })
	if !v.Facts.Owned || !v.OnStdio() || x.Outcome != recording.Lost ||
		own < 0 || heard[x.Session] {
		return false
	}
	if first := v.Sessions[own].Initialize; first != nil {
		return first.Request == x.Request
	}
	const several = 3
	last := time.Duration(0) // when the last one was opened that did say something
	for _, s := range v.Sessions {
		if heard[s.ID] {
			last = max(last, s.Opened)
		}
	}
	mute, methods := 0, map[string]bool{}
	for _, s := range v.Sessions {
		if s.Lost == "" || s.Opened <= last {
			continue
		}
		mute++
		if i := slices.IndexFunc(v.Exchanges, func(x *recording.Exchange) bool {
			return x.Session == s.ID
		}); i >= 0 {
			methods[v.Exchanges[i].Method] = true
		}
	}
	return v.Sessions[own].Opened > last && mute >= several && len(methods) > 1
}

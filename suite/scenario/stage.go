package scenario

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Limits bounds what scenarios do. All members but Patience must be set.
type Limits struct {
	target.Limits
	// how many times as long as usual scripts wait that choose for themselves; 0 is once
	Patience int
	Probes   int // expendable sessions at once
}

// UpTo is a time for one answer that is shorter than usual, where a target may well give none.
func (l Limits) UpTo(d time.Duration) time.Duration {
	return min(l.Timeout, d*time.Duration(max(l.Patience, 1)))
}

// longer is a time for what may never come: that one, or many times what an answer took if that is
// longer, in tenths of a second, as reports tell it.
func (l Limits) longer(least, took time.Duration) time.Duration {
	const times = 50
	return min(l.Timeout, max(least, (times*took).Round(100*time.Millisecond)))
}

// Stage is where the scenarios of one combination are played: what is known about the
// target, and the sessions in which it is talked to.
type Stage struct {
	Combination requirement.Combination
	Facts       *recording.Facts
	Target      *target.Target
	Endpoint    *target.Endpoint
	Transcript  *wire.Transcript
	Limits      Limits
	// Instances is how many sessions can stand at once; 0 if they are not limited.
	Instances int
	// SecurityProbes tells whether probes of the security group may be sent.
	SecurityProbes bool
	// OneByOne has [Each] take the items one after the other: sessions share a server that
	// has died before, and what it dies of is to be told.
	OneByOne bool

	traced   traced
	answered sync.Map // borrowed sessions, by whether what was asked last was answered

	Sessions
}

// Revision is the revision in play.
func (st *Stage) Revision() requirement.Revision { return st.Combination.Revision }

// Modern reports whether the revision in play is a modern one.
func (st *Stage) Modern() bool { return st.Revision().Modern() }

// OnStdio and OnHTTP report whether the play is over stdio, or over Streamable HTTP.
func (st *Stage) OnStdio() bool { return st.Combination.Transport == requirement.Stdio }
func (st *Stage) OnHTTP() bool  { return st.Combination.Transport == requirement.HTTP }

// SentAt is when a message was sent, or tried to be.
func (st *Stage) SentAt(x *recording.Exchange) time.Time {
	if x.Sent == 0 { // there was no connection
		return time.Now()
	}
	return time.Now().Add(x.Sent - st.Transcript.Now())
}

// Brief reports whether a sweep over very many values is to be a sample: what a URI leads to
// depends little on the revision in which it is read, so only the newest that the endpoint
// serves gets all of them. That does not depend on which revisions are judged.
func (st *Stage) Brief() bool {
	return slices.ContainsFunc(st.Facts.Served, func(r requirement.Revision) bool {
		return r > st.Combination.Revision
	})
}

// Sessions gives scripts the sessions that they ask for, and decides how many stand at
// once. Its methods may be used from several goroutines. The reason code of an error is
// its [Code].
type Sessions interface {
	// Shared is the session that well-behaved scripts share.
	Shared(ctx context.Context) (*session.Session, error)
	// Borrow lends an expendable session, and may have to wait for it; used tells whether
	// others had it before. GiveBack returns it to those that others may borrow.
	Borrow(ctx context.Context) (s *session.Session, used bool, err error)
	GiveBack(s *session.Session)
	// Renew ends a borrowed session that was lost, and lends another one, in which nothing
	// has happened yet.
	Renew(ctx context.Context, lost *session.Session) (*session.Session, error)
	// Open opens a session for the caller alone.
	Open(ctx context.Context, o session.Options) (*session.Session, error)
	// Leave hands over a session of the caller's own to whoever asks for one of that kind by TakeOver; that
	// is nil if there is none. Those of opening scripts are borrowed afterwards.
	Leave(s *session.Session, of Session)
	TakeOver(of Session) *session.Session
	// End closes a session of any of these kinds: nobody gets it any more. To end one that
	// was ended before does nothing.
	End(s *session.Session)
	// Limited reports whether a session that is not needed any more keeps others from being
	// opened.
	Limited() bool
	// Establish notes a fact about the target that later checks and scripts use.
	Establish(name, value string)
}

// Code is the reason code of an error that kept a session from being opened.
func Code(err error) recording.Code {
	var open *session.OpenError
	if errors.As(err, &open) {
		return open.Code
	}
	return recording.CodeInterrupted
}

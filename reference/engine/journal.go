package engine

import (
	"cmp"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// came notes an incoming message, and makes a trace that of it.
func (e *Engine) came(t *hook.Trace, entry *journal.Entry, token string, in *incoming) {
	entry.Direction = journal.In
	entry.Identity = journal.Fingerprint(token)
	if entry.Revision == "" && entry.Kind == journal.Request {
		entry.Revision, _ = scan.OneOf(in.params.version, e.spoken().modern...)
	}
	e.config.Journal.Note(entry, in.raw)
	t.Method, t.URI, t.Transport, t.Connection, t.Session = entry.Method, entry.URI, entry.Transport,
		entry.Connection, entry.Session
	t.Token, t.Request, t.Server, t.Seq = token, entry.Kind == journal.Request, e.ctx, entry.Seq
	t.Params = in.params.raw
}

// arrived notes a message of stdio.
func (e *Engine) arrived(s *session, in *incoming) *hook.Trace {
	entry := &journal.Entry{Transport: s.transport, Session: s.ID(), Revision: s.Revision()}
	in.describe(entry)
	t := &hook.Trace{}
	e.came(t, entry, "", in)
	return t
}

// left notes a message that is about to be sent. Its method is that of the call that it answers, or its own.
// The entry may say the kind and the revision already, for where the session does not know it.
func (s *session) left(t *hook.Trace, entry *journal.Entry, raw []byte) {
	if entry.Kind == "" {
		entry.Classify(raw)
	}
	entry.Direction = journal.Out
	entry.Revision, entry.Transport = cmp.Or(s.Revision(), entry.Revision), s.transport
	if s.known() {
		entry.Session = s.ID()
	}
	if t != nil {
		entry.RequestSeq, entry.Rules = t.Seq, t.Marks()
		if entry.Kind == journal.Response {
			entry.Method, entry.URI = t.Method, t.URI
		}
		entry.Session = cmp.Or(entry.Session, t.Session)
	}
	s.engine.config.Journal.Note(entry, raw)
}

package session

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// discover asks for a modern revision in a session. Legacy servers may not answer at all: see
// [Found.outwait].
func (f *Found) discover(ctx context.Context, s *Session, legacy <-chan struct{}) error {
	o := &s.opts
	ask, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waiting, answered := context.WithCancel(ask)
	handshake := make(chan bool, 1)
	go func() {
		handshake <- f.outwait(waiting, s, legacy)
		if waiting.Err() == nil {
			cancel(errors.New("no answer to server/discover long after a handshake was answered"))
		}
	}()
	x := s.Do(ask, Request{Step: recording.StepDiscover, Method: "server/discover", Timeout: o.Start})
	answered()
	shook := <-handshake
	if shook {
		defer func() { f.shut(o.Revision) }() // if it is served: a session to use has seen no handshake
	}
	f.note(s, x)
	versions, modern := ModernAnswer(x)
	if x.Succeeded() && modern && slices.Contains(versions, string(o.Revision)) {
		f.serve(s, x, json.RawMessage(x.Result().Raw))
		return nil
	}
	if !s.onlyEchoes() && s.spread() == nil && s.Alive() && !(x.Failed() && len(versions) > 0 &&
		!slices.Contains(versions, string(o.Revision))) && !namesAnother(versions, o.Revision) {
		// A server that lacks server/discover, or leaves the version out of
		// its list, but answers in the modern form is modern nevertheless.
		y := s.Do(ask, Request{Step: recording.StepDiscoverByList, Method: "resources/list",
			Timeout: min(o.Timeout, 2*time.Second)})
		_, byError := ModernAnswer(y)
		if y.Value("resultType").Exists() || (y.Failed() && byError && !x.Succeeded()) {
			declared := json.RawMessage(nil)
			if x.Succeeded() {
				declared = json.RawMessage(x.Result().Raw)
			}
			f.serve(s, x, declared)
			return nil
		}
	}
	failed := &OpenError{Code: recording.CodeNoHandshake, Status: x.Status,
		Reason: "server/discover: " + describe(x)}
	if x.Succeeded() || x.Failed() && (x.Status < http.StatusUnauthorized ||
		x.Status == http.StatusNotFound) {
		failed.Other = true
	}
	switch {
	case x.Limit:
		failed = unopened(recording.CodeVolume, "server/discover: "+x.Reason)
	case s.onlyEchoes():
		failed.Reason, failed.Other = echoReason, false
	case x.Outcome != recording.Replied && s.spread() != nil:
		failed = s.spreadError("server/discover")
	case x.Outcome == recording.Lost && s.over == requirement.HTTP:
		failed = unopened(recording.CodeUnreachable, "server/discover: "+x.Reason)
	case x.Outcome == recording.Lost:
		failed = unopened(recording.CodeDied, "the connection ended at server/discover: "+
			x.Reason)
	}
	if !shook && f.spare(s, x, failed) {
		return failed
	}
	return f.reject(s, failed)
}

// spare keeps the session of a process in which a handshake can follow, as the specification tells clients to
// (2026-07-28 basic/transports/stdio#backward-compatibility), and reports
// whether it is kept.
func (f *Found) spare(s *Session, x *recording.Exchange, failed *OpenError) bool {
	if !s.opts.Spare || s.over != requirement.Stdio || !failed.Other || !x.Failed() || s.unanswered() > 0 ||
		!s.Alive() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Reasons[s.opts.Revision], f.Spare = failed.Error(), s
	return true
}

// note keeps what a request for server/discover shows that is no answer to it.
func (f *Found) note(s *Session, x *recording.Exchange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x.Outcome == recording.Lost {
		f.Lost = x
	}
	for _, frame := range s.Incoming(0) {
		// All that was sent are requests that can be read.
		if m := gjson.ParseBytes(frame.Raw); s.over != requirement.HTTP && m.Get("error").IsObject() &&
			m.Get("id").Value() == nil {
			f.Nameless = []int{x.Request, frame.Number}
			return
		}
	}
}

// outwait returns when an answer to server/discover is not to be expected any more. Once one of
// the handshakes has succeeded, two more seconds are enough, or twice the time that it took,
// since processes that start side by side on a busy machine are not ready at once, and one that
// starts after another is not there sooner. On stdio it is told earlier, by what a client does
// then: it performs the handshake in the same process. What answers that has read the other
// request before. handshake says that it was asked for.
func (f *Found) outwait(ctx context.Context, s *Session, legacy <-chan struct{}) (handshake bool) {
	const brief, times = 250 * time.Millisecond, 10
	begin := time.Now()
	select {
	case <-legacy:
	case <-ctx.Done():
		return false
	}
	end := time.Now().Add(max(2*time.Second, 2*time.Since(begin), 2*f.started))
	if s.over != requirement.Stdio {
		s.Quiet(ctx, time.Until(end))
		return false
	}
	s.Quiet(ctx, max(brief, f.started/2))
	if ctx.Err() != nil {
		return false
	}
	x := s.Do(ctx, Request{Step: recording.StepInitialize, Method: "initialize",
		Params: InitializeParams(f.newestLegacy()), Bare: true, Timeout: max(time.Until(end), brief)})
	if x.Outcome == recording.Replied {
		s.Quiet(ctx, min(max(2*brief, times*x.Took), max(time.Until(end), brief)))
	}
	return true
}

// newestLegacy is the newest revision with a handshake that has succeeded so far.
func (f *Found) newestLegacy() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	newest := requirement.Revision("")
	for _, rev := range f.Served {
		if !rev.Modern() {
			newest = max(newest, rev)
		}
	}
	return string(newest)
}

// namesAnother reports whether a list names a modern revision, but not the one that was
// asked for.
func namesAnother(versions []string, rev requirement.Revision) bool {
	return !slices.Contains(versions, string(rev)) && slices.ContainsFunc(versions, func(v string) bool {
		other := requirement.Revision(v)
		return other.Known() && other.Modern()
	})
}

// ModernAnswer tells a modern server by its answer to server/discover: a result
// with supportedVersions, or one of the errors that only modern servers send.
// The versions are those that it names.
func ModernAnswer(x *recording.Exchange) (versions []string, modern bool) {
	list := x.Value("supportedVersions")
	if x.Failed() {
		code, _ := x.Code()
		if code < -32022 || code > -32020 {
			return nil, false
		}
		modern = true
		list = x.Error().Get("data.supported")
	}
	if list.IsArray() {
		modern = true
		for _, v := range list.Array() {
			versions = append(versions, v.String())
		}
	} else if list.Type == gjson.String {
		modern = true
		versions = append(versions, list.Str)
	}
	return versions, modern
}

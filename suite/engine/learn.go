package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/profile"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// common is what sessions have in common that are opened within a time.
func (r *Run) common(start time.Duration) session.Common {
	return session.Common{Transcript: r.transcript, NextID: r.nextID, Timeout: r.cfg.Timeout, Start: start,
		Limiter: r.limiter, Patience: r.patience}
}

// misspeaks reports whether an endpoint that is declared to speak HTTP+SSE was
// reached, but opened no stream, or none that can be used. That is judged, by the
// requirements on the stream, instead of being taken for a wrong address.
func (e *endpoint) misspeaks(err error) bool {
	var dial *transport.DialError
	return e.Transport() == requirement.SSE && errors.As(err, &dial) && dial.Status == http.StatusOK &&
		(dial.Stage == "content-type" || dial.Stage == "endpoint")
}

// hint is what to try where a URL leads nowhere, or a program says nothing.
func (e *endpoint) hint(err error) string {
	var status int
	if open, ok := errors.AsType[*session.OpenError](err); ok {
		status = open.Status
		switch spoken := len(e.Command) > 0 && e.Transport() == requirement.Stdio; {
		case spoken && open.Code == recording.CodeNoAnswer:
			return "; --start-timeout allows more, and a server that listens at a port is named by " +
				"--serve or --url"
		case spoken && open.Code == recording.CodeUnreadable:
			return "; is this the command of an MCP server on stdio? One that is slow is given more time " +
				"by --start-timeout"
		}
	}
	if dial, ok := errors.AsType[*transport.DialError](err); ok {
		status = dial.Status
	}
	u, err := url.Parse(e.URL)
	switch {
	case err != nil || u.Host == "":
		return ""
	case status == http.StatusForbidden:
		return "; if it wants credentials, --header-env Authorization=VARIABLE gives them (headers in a " +
			"target file)"
	case status >= http.StatusInternalServerError:
		return "; what the server itself has logged may say why"
	case e.Transport() != "" && (status == http.StatusBadRequest || status == http.StatusNotAcceptable):
		// as a GET is answered without a session
	case status/100 != 2 && status != http.StatusNotFound && status != http.StatusMethodNotAllowed:
		return ""
	}
	switch {
	case strings.Trim(u.Path, "/") == "":
		return "; is the path missing? try /mcp or /sse"
	case e.Transport() != "":
		return "; are the path and the transport right? many servers have /mcp or /sse, and without " +
			"--transport both are tried"
	}
	return "; is the path right? many servers have /mcp or /sse"
}

// reached reports whether something is there where no session could be opened.
func reached(err error) bool {
	if dial, ok := errors.AsType[*transport.DialError](err); ok && dial.Status > 0 {
		return true
	}
	open, ok := errors.AsType[*session.OpenError](err)
	return ok && open.Code != recording.CodeUnreachable && open.Code != recording.CodeInterrupted
}

// detect asks an endpoint what it speaks. A URL whose transport is not given is
// tried as Streamable HTTP first and as HTTP+SSE if that leads nowhere.
func (r *Run) detect(ctx context.Context, e *endpoint) error {
	ask := r.cfg.revisions(e.Endpoint)
	for _, t := range r.cfg.candidates(e.Endpoint) {
		dialer, err := e.Dialer(target.DialOptions{Transport: t, Limits: transport.Limits{
			Message: r.cfg.MessageBytes, Total: r.cfg.ConnectionBytes, Results: r.longs, Turns: r.turns,
			Reuse: &e.reuse,
		}})
		if err != nil {
			return err
		}
		opts := session.Options{Common: r.common(r.cfg.StartTimeout), Kind: recording.Clean}
		opts.Habits = &e.habits
		before, stop := r.transcript.Len(), func() {}
		if t == requirement.Stdio {
			stop = r.whileNonsense(e)
		}
		found, err := r.learn(ctx, e, dialer, opts, ask)
		stop()
		maps.Copy(e.reasons, found.Reasons)
		reached := func(speaks *session.Found) {
			e.transport, e.dialer, e.found, e.unreachable, e.cause = t, dialer, speaks, "", nil
		}
		open, answered := errors.AsType[*session.OpenError](err)
		ended := context.Cause(ctx)
		switch {
		case err == nil:
			reached(found)
			if e.limit = pool.Connections(e.instances()); e.limit != nil && t != requirement.Stdio {
				e.limit.Settle = session.Settle
				if e.limit.Why = e.profile.Seen(profile.OneSession); e.limit.Why != "" {
					e.limit.Settle = 0 // the end of a session is a request, which is answered
				}
			}
			return nil
		case answered && open.Other && len(ask) < len(requirement.Revisions()):
			reached(nil)
			e.unoffered = err.Error()
			return nil
		case ended == nil && e.misspeaks(err) && slices.Contains(ask, requirement.R20241105):
			reached(&session.Found{Served: []requirement.Revision{requirement.R20241105}})
			e.broken = err
			return nil
		case ended == nil && len(found.Spread) > 0:
			reached(&session.Found{Served: slices.Sorted(maps.Keys(found.Spread)), Declared: found.Spread,
				Spread: found.Spread})
			e.broken = err
			return nil
		case e.unreachable == "" || tellsMore(err, e.cause):
			e.transport, e.unreachable, e.cause = t, err.Error()+e.hint(err), err
		}
		if ended != nil {
			e.unreachable = ended.Error()
			if first := err.Error(); first != e.unreachable {
				e.unreachable += "; before that: " + first
			} else {
				e.unreachable += fmt.Sprintf("; until then its first answer was waited for, for which "+
					"--start-timeout allows %s", r.cfg.StartTimeout)
			}
			if said := r.nonsense(before); said != "" {
				e.unreachable += ", and the target had " + said
			}
			break
		}
	}
	return nil
}

// learn asks an endpoint what it speaks, and finds out what it is like: if that is one process, one
// connection or one session at a time, it is asked again like that, and judged as one for which the target
// file says so.
func (r *Run) learn(ctx context.Context, e *endpoint, dialer transport.Dialer, opts session.Options,
	ask []requirement.Revision) (*session.Found, error) {
	e.profile = profile.Profile{}
	found, err := r.discover(ctx, dialer, opts, ask, e.Instances)
	again := func(instances int) {
		found.Close()
		found, err = r.discover(ctx, dialer, opts, ask, instances)
	}
	one := ""
	if e.Instances == 0 && e.Owned() {
		one = found.OneProcess(ctx)
	}
	switch {
	case e.Instances > 0:
	case one != "":
		e.profile, err = e.profile.With(profile.OneProcess, one), nil
	default:
		if one = found.OneConnection(ctx, &e.reuse); one != "" {
			e.profile = e.profile.With(profile.OneConnection, one)
			again(0)
		}
		if one = found.Single(ctx); one != "" {
			e.profile = e.profile.With(profile.OneSession, one)
			again(1)
		}
	}
	if len(found.Nameless) > 0 {
		e.profile = e.profile.With(profile.Nameless,
			"an error that answers server/discover came without its id")
	}
	e.profile = e.profile.With(profile.Barred, found.Barred()).With(profile.Stays, found.Stays())
	return found, err
}

// tellsMore reports whether the reason why a transport is not spoken says more than that
// of another one: what was reached more than what was not, and what died more than what
// answered in another way.
func tellsMore(err, other error) bool {
	switch is, was := scenario.Code(err), scenario.Code(other); {
	case is == was:
		return false
	case is == recording.CodeDied:
		return true
	default:
		return was == recording.CodeUnreachable
	}
}

// askOthers asks an endpoint where a revision without a handshake is judged for those with one that the
// user left out: a server that serves them, too, may take for their traffic what another one has to refuse,
// and the verdicts of a part of a run are those of the whole. On stdio, where each question is a process,
// what was answered already has to do.
func (r *Run) askOthers(ctx context.Context, e *endpoint) {
	if e.found == nil || e.broken != nil || !slices.ContainsFunc(e.found.Served,
		requirement.Revision.Modern) {
		return
	}
	e.others = e.found.Offered
	ask := slices.DeleteFunc(requirement.Revisions(), func(rev requirement.Revision) bool {
		_, refused := e.found.Reasons[rev]
		return rev.Modern() || refused || slices.Contains(e.found.Served, rev)
	})
	if e.transport == requirement.Stdio || len(ask) == 0 {
		return
	}
	// Of what the answer does not tell, such as why none came, nothing depends on it.
	found, _ := session.Detect(ctx, e.dialer, session.Options{Kind: recording.Probe,
		Common: r.common(min(r.cfg.StartTimeout, r.cfg.Timeout))}, ask, e.instances())
	found.Close()
	e.others = slices.Concat(e.others, found.Served, found.Offered)
}

// served lists the revisions, oldest first, that what is judged in one may depend on. With a handshake a
// server may offer one that it does not serve: only where there is none an offer says that it serves others.
func (e *endpoint) served(in requirement.Revision) []requirement.Revision {
	if !in.Modern() {
		return e.found.Served
	}
	all := slices.Concat(e.found.Served, e.others)
	slices.Sort(all)
	return slices.Compact(all)
}

// patience is how long a target on stdio may take to answer before somebody who watches hears
// that it writes something else.
const patience = 2 * time.Second

// whileNonsense tells, once, that an endpoint is waited for that has sent nothing but what is
// no answer. It returns what ends the watch; nothing is said after that.
func (r *Run) whileNonsense(e *endpoint) (stop func()) {
	before, ended, done := r.transcript.Len(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
			if said := r.nonsense(before); said != "" {
				r.cfg.Progress(Event{Kind: Connecting, Title: e.Label(), Nonsense: said})
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// nonsense says what came after a number of frames, if all of it is no JSON, nor a part of JSON
// over several lines, or all of it was sent by us before; else it is empty.
func (r *Run) nonsense(before int) string {
	ours := map[string]bool{}
	var first []byte
	said := ""
	for _, f := range r.transcript.Since(before) {
		text := bytes.TrimSpace(f.Raw)
		switch {
		case f.Dir == wire.Out:
			ours[string(text)] = true
		case f.Dir != wire.In || len(text) == 0:
		case ours[string(text)]:
			said = "sent our own request back"
		case !f.HasFlaw(wire.FlawNotJSON) || text[0] == '{' || text[0] == '[':
			return ""
		case len(first) == 0:
			first = text
		}
	}
	if len(first) > 0 {
		shown := r.masks().String(string(first)) // as a whole: a part of a secret is not found
		said = "written " + wire.Excerpt([]byte(shown), 80) + ", which is no MCP message"
	}
	return said
}

// Asked is an endpoint that was asked what it speaks.
type Asked struct {
	*target.Endpoint
	Transport requirement.Transport
	// Served are the revisions that it serves, oldest first. Reasons says why others are not
	// served, as far as that was told.
	Served  []requirement.Revision
	Reasons map[requirement.Revision]string
	// Unreachable is why it could not be reached; nil if it was.
	Unreachable error
}

// Asked lists the endpoints that were asked what they speak, in the order of the target.
func (r *Run) Asked() []Asked {
	var all []Asked
	for _, e := range r.endpoints {
		a := Asked{Endpoint: e.Endpoint, Transport: e.transport, Reasons: e.reasons, Unreachable: e.cause}
		if e.found != nil {
			a.Served = e.found.Served
		}
		all = append(all, a)
	}
	return all
}

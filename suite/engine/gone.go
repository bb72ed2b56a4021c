package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// noteGone looks, where messages were lost on the way to a target that is no process of
// ours, whether it is gone for good. Then it is noted with what was sent to it
// last: nobody can start it again to find out which message it died of.
func (r *Run) noteGone(ctx context.Context, stages []*pool.Pool, takes ...round) {
	for _, e := range r.endpoints {
		if e.Owned() || e.Server() != nil || e.found == nil {
			continue // it is started again
		}
		var mine []*Take
		var any *pool.Pool
		for _, st := range stages {
			for _, all := range takes {
				if take := all[st.Combination]; st.Endpoint == e.Endpoint && take != nil {
					any, mine = st, append(mine, take)
				}
			}
		}
		last, others := r.lastWords(mine, e.found.Lost)
		if last == nil {
			continue
		}
		why := r.gone(ctx, e, any)
		if why == "" {
			continue
		}
		said := fmt.Sprintf("the target is gone for good (%s); the last message that was sent to it "+
			"before is %s, frame %d", why, r.named(last), last.Request)
		if len(others) > 0 {
			said += fmt.Sprintf(plural.Of(len(others),
				", while %d other {message was|messages were} under way (%s)"), len(others),
				strings.Join(slices.Compact(slices.Sorted(slices.Values(others))), ", "))
		}
		for _, take := range mine {
			take.Facts.Notes[recording.FactGone] = said
			take.Facts.Notes[recording.FactLastFrame] = strconv.Itoa(last.Request)
			take.Facts.Notes[recording.FactLastAlone] = strconv.FormatBool(len(others) == 0 &&
				last.Outcome != recording.Replied)
		}
	}
}

// named names a message in a few words.
func (r *Run) named(x *recording.Exchange) string {
	f, ok := r.transcript.Frame(x.Request)
	switch {
	case x.Method != "" || !ok:
		return cmp.Or(x.Method, "a message")
	case len(f.Raw) == 0 && f.HTTP != nil:
		return "an HTTP " + f.HTTP.Method
	}
	return "the message " + wire.Excerpt(f.Raw, 60)
}

// lastWords is the last message that was under way when the first one was lost, or,
// if none was, the last that had been sent, and the names of others that were under way; nil
// if none was lost. One may have been lost before there was anything to record.
func (r *Run) lastWords(takes []*Take, early *recording.Exchange) (last *recording.Exchange,
	others []string) {
	all := map[*recording.Exchange]bool{}
	if early != nil {
		all[early] = true
	}
	for _, take := range takes {
		for _, s := range take.Sessions {
			for _, x := range s.Exchanges {
				all[x] = true
			}
		}
		for _, x := range take.exchanges() {
			all[x] = true
		}
	}
	fell := 0 // the frame that told of the first loss
	for x := range all {
		if !x.Gone() {
			continue
		}
		if n := r.toldOf(x); n > 0 && (fell == 0 || n < fell) {
			fell = n
		}
	}
	var before *recording.Exchange // the last one, answered or not
	for x := range all {
		if x.Request == 0 || x.Request > fell || x.Outcome == recording.Unsent {
			continue
		}
		if before == nil || x.Request > before.Request {
			before = x
		}
		if x.Outcome != recording.Lost && x.Outcome != recording.Silent {
			continue
		}
		switch {
		case last == nil:
			last = x
		case x.Request > last.Request:
			others, last = append(others, r.named(last)), x
		default:
			others = append(others, r.named(x))
		}
	}
	if last == nil {
		return before, nil
	}
	return last, others
}

// toldOf is the number of the frame that told of the loss of a message; 0 if
// nothing was told, as it never went out.
func (r *Run) toldOf(x *recording.Exchange) int {
	sent, ok := r.transcript.Frame(x.Request)
	if !ok {
		return 0
	}
	shared := sent.HTTP == nil // one channel carries everything
	for f := range r.transcript.After(x.Session, x.Request) {
		if f.Dir == wire.Note && (shared || f.Channel == sent.Channel || f.Channel == "sse") {
			return f.Number
		}
	}
	return 0
}

// gone is why a target cannot be reached any more, not even after a pause; empty
// if it can.
func (r *Run) gone(ctx context.Context, e *endpoint, st *pool.Pool) (why string) {
	const attempts, pause = 3, time.Second
	for attempt := range attempts {
		if attempt > 0 {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
		if context.Cause(ctx) != nil {
			return "" // it was not to be found out
		}
		if why = r.knock(ctx, e, st); why == "" {
			return ""
		}
	}
	return why
}

// knock opens a session and asks for a sign of life. It returns why there was
// none; whatever answers lives, and what does not in time may be busy.
func (r *Run) knock(ctx context.Context, e *endpoint, st *pool.Pool) string {
	s, err := session.Open(ctx, e.dialer, session.Options{Common: r.common(r.cfg.Timeout),
		Revision: st.Revision(), Kind: recording.Probe})
	defer func() { s.Close(context.Background()) }() // also where it has not been opened to the end
	if err != nil {
		// An endpoint event that cannot be used, say, is a sign of life as well.
		heard := slices.ContainsFunc(r.transcript.Session(s.ID()), func(f wire.Frame) bool {
			return f.Dir == wire.In
		})
		late := errors.Is(err, context.DeadlineExceeded) || context.Cause(ctx) != nil
		if code := scenario.Code(err); !heard && !late && (code == recording.CodeUnreachable ||
			code == recording.CodeDied) {
			return err.Error()
		}
		return ""
	}
	if !st.Modern() {
		return ""
	}
	if x := s.Do(ctx, session.Request{Step: recording.StepAlive,
		Method: "server/discover"}); x.Outcome == recording.Lost {
		return x.Reason
	}
	return ""
}

// endedBlocked is the verdict on a row of a target that is gone for good, where what
// was recorded shows no more than that; false if it shows more.
func endedBlocked(j *Judgement, take *Take) (verdict.Result, bool) {
	why := take.Facts.Notes[recording.FactGone]
	if why == "" || !restsOnEnd(j, take) {
		return verdict.Result{}, false
	}
	frames := slices.Clone(j.Frames)
	if last, err := strconv.Atoi(take.Facts.Notes[recording.FactLastFrame]); err == nil &&
		!slices.Contains(frames, last) {
		frames = append(frames, last)
		slices.SortFunc(frames, cmp.Compare)
	}
	return verdict.Result{Outcome: verdict.Blocked, Code: recording.CodeDied, Reason: why, From: j.From,
		Frames: frames}, true
}

// restsOnEnd reports whether a verdict comes of the end of the target: it could not be
// judged because of it, or its evidence is nothing but messages that were lost. If
// the last message of all was a correct one, and the only one under way, that the
// target is gone is a finding about it.
func restsOnEnd(j *Judgement, take *Take) bool {
	switch {
	case j.Outcome == verdict.Blocked:
		return j.Code == recording.CodeUnreachable || j.Code == recording.CodeDied ||
			j.Code == recording.CodeNoHandshake
	case !j.Outcome.Red():
		return false
	}
	alone := take.Facts.Notes[recording.FactLastAlone] == "true"
	last := take.Facts.Notes[recording.FactLastFrame]
	lost := false
	for _, x := range take.exchanges() {
		if !j.shows(x) {
			continue
		}
		if x.Outcome == recording.Replied ||
			alone && x.Kind != recording.Probe && strconv.Itoa(x.Request) == last {
			return false
		}
		lost = lost || x.Gone() || x.Outcome == recording.Silent
	}
	return lost
}

// serve starts the servers of the endpoints that are going to be asked, and returns the
// target with their addresses.
func (r *Run) serve(ctx context.Context) (*target.Target, error) {
	t, stop, err := r.cfg.Target.Serve(ctx, r.cfg.StartTimeout, func(e *target.Endpoint) bool {
		if len(r.cfg.candidates(e)) == 0 {
			return false
		}
		r.cfg.Progress(Event{Kind: Connecting, Title: e.Label()})
		return true
	})
	if err != nil {
		return nil, err
	}
	r.cfg.Target, r.stopServers = t, stop
	return t, nil
}

// withoutDeaths plays everything once more, one scenario at a time, at endpoints whose server
// died while scenarios were played side by side: they share it, and what one did to it cannot
// be told from what became of the others. The server is started again for whoever connects,
// so that each scenario finds it alive. The first recordings are dropped, unless the time was
// spent before the second ones were complete.
func (p *player) withoutDeaths(ctx context.Context) {
	r := p.run
	turns := map[*transport.Server]*pool.Limit{}
	for i, st := range r.stages {
		server, e := st.Endpoint.Server(), r.endpointOf(st)
		if server == nil || e.limit != nil && e.limit != turns[server] {
			continue // with a limit scenarios have taken turns before
		}
		if turns[server] == nil && server.Deaths() > 0 {
			turns[server] = pool.Turns()
		}
		if turns[server] == nil || context.Cause(ctx) != nil {
			continue
		}
		st.Close()
		e.limit = turns[server] // for the repetition of red verdicts, too
		st.Establish(recording.FactOneByOne, "true")
		alone := r.newStage(e, e.limit, st.Facts)
		plan, before := p.plans[st], r.takes[st.Combination]
		delete(p.plans, st)
		p.plans[alone], r.stages[i], r.takes[st.Combination] = plan, alone, newTake(st.Facts)
		p.mu.Lock()
		p.total += len(plan)
		p.mu.Unlock()
		p.phases(ctx, []*pool.Pool{alone})
		if context.Cause(ctx) != nil {
			r.stages[i], r.takes[st.Combination] = st, before // what is known is more than what is left
		}
	}
}

// killedServer is how a server that was started ended over a correct message that it got alone,
// twice; empty if that did not happen, or was not to be told.
func killedServer(take *Take) string {
	if take.Facts.Notes[recording.FactOneByOne] == "" {
		return ""
	}
	for _, x := range take.exchanges() {
		if x.Kind == recording.Clean && x.Fatal {
			return x.Reason
		}
	}
	return ""
}

// started fills in what a report says of a server that was started.
func (r *Run) started(e *endpoint, out *reports.Endpoint) {
	if server := e.Server(); server != nil {
		out.Started = e.CommandWithout(r.masks().String)
		if e.unreachable != "" || server.Deaths() > 0 {
			out.Log = lastLines(r.masks().String(server.Log()))
		}
	}
}

// lastLines is the end of a log: what a report shows of it.
func lastLines(log string) string {
	const most = 20
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.ToValidUTF8(strings.Join(lines[max(0, len(lines)-most):], "\n"), "\ufffd")
}

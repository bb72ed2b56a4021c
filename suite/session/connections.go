package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// OneConnection says, in one sentence, how a target over HTTP shows that it serves one connection at a time:
// as long as one waits for a further request, nothing is answered on another one, and everything is when that
// one has ended. It is empty if the target does not, or is slow. If it does, the sessions that were left open
// are closed, and connections end with each response from then on.
func (f *Found) OneConnection(ctx context.Context, reuse *transport.Reuse) string {
	// in sum less than what connections are kept for
	const long, soon, looks = time.Second, 800 * time.Millisecond, 2
	if f.over() != requirement.HTTP || len(f.Open) == 0 {
		return ""
	}
	rev := slices.Max(slices.Collect(maps.Keys(f.Open)))
	for range looks {
		if x := f.Open[rev].alive(ctx); x.Outcome != recording.Replied || x.Took > soon/2 {
			return ""
		}
		var x *recording.Exchange
		answered := make(chan struct{})
		var over sync.WaitGroup
		over.Go(func() {
			s, _ := f.open(ctx, rev, recording.Probe) // what answers in another way answers
			defer s.Close(context.WithoutCancel(ctx))
			x = s.Record().Initialize
			if x == nil && rev.Modern() {
				x = s.alive(ctx)
			}
			close(answered)
		})
		waited := !within(long, answered)
		if waited {
			reuse.Stop()
		}
		<-answered
		reuse.Resume()
		over.Wait()
		if !waited || x == nil || x.Outcome != recording.Replied || x.Took > long+soon {
			return ""
		}
	}
	f.Close()
	reuse.Stop()
	return fmt.Sprintf("while one connection waited for a further request, nothing was answered on "+
		"another one for %s, and it was at once when that one had ended", long)
}

// alive asks for a sign of life.
func (s *Session) alive(ctx context.Context) *recording.Exchange {
	return s.Do(ctx, Request{Step: recording.StepAlive, Method: LifeMethod(s.opts.Revision)})
}

// LifeMethod is the method of a request that servers of a revision answer, whatever they declare.
func LifeMethod(rev requirement.Revision) string {
	if rev.Modern() {
		return "server/discover"
	}
	return "ping"
}

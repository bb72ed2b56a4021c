package session

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// OneConnection says, in one sentence, how a target over HTTP shows that it serves one connection at a time: as long as one waits
// for a further request, nothing is answered on another one, and everything is when that one has ended. It is empty if the target
// does not. Connections end with each response from then on. It is asked of a target that has kept some of the first requests
// waiting.
func (f *Found) OneConnection(ctx context.Context, dialer transport.Dialer, opts Options, reuse *transport.Reuse, ids func() string) string {
	const long, soon, looks = time.Second, 800 * time.Millisecond, 2 // in sum less than what connections are kept for
	if dialer.Transport() != requirement.HTTP || f.last-f.first < long || len(f.Served)+len(f.Offered) == 0 {
		return ""
	}
	f.Close()
	ask := func() *recording.Exchange {
		o := opts
		o.Revision, o.ID, o.Kind = requirement.R20250618, ids(), recording.Probe
		s, _ := Open(ctx, dialer, o) // one that offers another revision has answered
		defer s.Close(context.WithoutCancel(ctx))
		return s.rec.Initialize
	}
	for range looks {
		o := opts
		o.Revision, o.ID, o.Kind = requirement.R20250618, ids(), recording.Probe
		first, _ := Open(ctx, dialer, o)
		second := make(chan *recording.Exchange, 1)
		go func() { second <- ask() }()
		waited := quietly(ctx, long, second)
		if waited {
			reuse.Stop()
		}
		answer := <-second
		first.Close(context.WithoutCancel(ctx))
		if !waited || answer.Took > long+soon || answer.Outcome != recording.Replied {
			reuse.Resume()
			return ""
		}
		reuse.Resume()
	}
	reuse.Stop()
	return fmt.Sprintf("while one connection waited for a further request, a handshake on another one got no answer for %s, and did at once when that one had ended", long)
}

// quietly reports whether nothing comes for a time.
func quietly[T any](ctx context.Context, d time.Duration, from chan T) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case one := <-from:
		from <- one
		return false
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

package session

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// A message is sent so often to a target that asks us to come back later, and no more once
// we would have waited longer than this.
const (
	attempts = 5
	mostWait = 10 * time.Second
)

// Patience is what several sessions together wait in vain for a target that asks to be called later. Waiting
// that was followed by an answer is not counted, and of messages that wait at the same time only one is.
type Patience struct {
	most func() time.Duration

	mu    sync.Mutex
	spent time.Duration
	until time.Time // up to which waiting was counted
}

// NewPatience is a patience that lasts as long as most says at the time.
func NewPatience(most func() time.Duration) *Patience { return &Patience{most: most} }

// lost counts the time since a message was first sent, as it was refused for good now.
func (p *Patience) lost(since time.Time) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if since.Before(p.until) {
		since = p.until
	}
	p.spent, p.until = p.spent+now.Sub(since), now
}

// over reports whether a message is not to be sent again any more; nil is without end.
func (p *Patience) over() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent >= p.most()
}

// retries is one message, as often as it is sent.
type retries struct {
	s       *Session
	since   time.Time // when it was first sent
	attempt int
	status  int // of the attempt before; 0 if there was none
}

func (s *Session) retries() *retries { return &retries{s: s, since: time.Now()} }

// again waits as long as a target that refused a message asks for, at most five seconds, and
// reports whether the message is to be sent again then.
func (r *retries) again(ctx context.Context, x *recording.Exchange) bool {
	r.attempt++
	switch {
	case refused(x):
	case r.status != 0 && x.Outcome != recording.Replied && x.Status == 0 && r.s.Alive():
		x.Outcome, x.Reason = recording.Refused, "the target asked to be called later (HTTP "+
			strconv.Itoa(r.status)+"), and then did not answer at all"
		r.s.opts.Patience.lost(r.since)
		return false
	default:
		return false
	}
	wait := retryAfter(x)
	why := ""
	switch {
	case r.attempt == attempts || time.Duration(r.attempt)*wait > mostWait:
		why = "again and again"
	case r.s.opts.Patience.over():
		why = "and had been waited for in vain too long before to be asked again"
	default:
		r.status = x.Status
		return !within(wait, ctx.Done())
	}
	x.Reason = "the target answered " + calledLater(x) + " " + why +
		"; --rate sends fewer messages per second"
	r.s.opts.Patience.lost(r.since)
	return false
}

// refused reports whether a message was not served because the target is busy, and notes it: also
// HTTP 503 alone may be what a server says that is starting.
func refused(x *recording.Exchange) bool {
	if x.Status == http.StatusServiceUnavailable && x.Outcome != recording.Replied &&
		x.Outcome != recording.Canceled {
		x.Outcome = recording.Refused
	}
	return x.Outcome == recording.Refused
}

// retryAfter is how long the target asks us to wait: a second if it does not say, and at most five.
func retryAfter(x *recording.Exchange) time.Duration {
	if n, err := strconv.Atoi(x.Header.Get("Retry-After")); err == nil && n >= 0 {
		return min(time.Duration(n), 5) * time.Second
	}
	return time.Second
}

// throttled reports whether the target asks us to come back later. What a gateway says with
// HTTP 429 is no answer to the message, even if it is JSON-RPC; HTTP 503 that does not say when
// to come back may be one to this very message.
func throttled(x *recording.Exchange) bool {
	return x.Status == http.StatusTooManyRequests || x.OverRate() ||
		x.Status == http.StatusServiceUnavailable && x.Outcome != recording.Replied &&
			x.Header.Get("Retry-After") != ""
}

// calledLater is how the target says so.
func calledLater(x *recording.Exchange) string {
	if slices.Contains([]int{http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		x.Status) {
		return "HTTP " + strconv.Itoa(x.Status)
	}
	return "that too much is asked of it"
}

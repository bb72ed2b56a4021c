package session

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Followed is a stream of GET that is asked for again whenever the target ends it.
type Followed struct {
	mu      sync.Mutex
	current *Pending
	over    bool // it is not asked for any more
	wg      sync.WaitGroup
}

// The time after which a stream is asked for again if the target names none, and at most, and how many
// refusals in succession end it.
const (
	soonAgain   = 50 * time.Millisecond
	latestAgain = 2 * time.Second
	refusals    = 3
)

// Follow keeps a stream of GET going until the context ends: a server may close it at any time (up to
// 2025-11-25, basic/transports, "Listening for Messages from the Server"), and a client then asks for it
// again, with the id of its last event if there is one.
func (st *Stream) Follow(ctx context.Context) *Followed {
	f := &Followed{current: st.Pending}
	f.wg.Go(func() { f.keep(ctx, st.s) })
	return f
}

// Standing waits until the stream is open, at most d.
func (f *Followed) Standing(ctx context.Context, d time.Duration) {
	for began := time.Now(); time.Since(began) < d && ctx.Err() == nil; within(soonAgain/2, ctx.Done()) {
		f.mu.Lock()
		stands := f.over || (&Stream{Pending: f.current}).Open()
		f.mu.Unlock()
		if stands {
			return
		}
	}
}

// Wait waits until the stream is followed no longer.
func (f *Followed) Wait() { f.wg.Wait() }

func (f *Followed) keep(ctx context.Context, s *Session) {
	defer func() {
		f.mu.Lock()
		f.over = true
		f.mu.Unlock()
	}()
	channels := map[string]bool{f.current.sent.Channel: true}
	pause, refused := soonAgain, 0
	for refused < refusals {
		select {
		case <-f.current.sent.Done:
		case <-ctx.Done():
			return
		}
		last, wait := s.lastEvent(channels)
		if s.Quiet(ctx, max(wait, pause)); ctx.Err() != nil || !s.Alive() {
			return
		}
		if refused > 0 {
			last = ""
		}
		again := s.further(ctx, last, channels)
		if again == nil {
			return
		}
		f.mu.Lock()
		f.current = again
		f.mu.Unlock()
		again.until(ctx, nil)
		switch {
		case again.Status() != http.StatusOK:
			refused++
		case s.brought(again.sent.Channel):
			pause, refused = soonAgain, 0
		default:
			pause, refused = min(2*pause, latestAgain), 0
		}
	}
}

// brought reports whether an event came on a channel.
func (s *Session) brought(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.incoming, func(f wire.Frame) bool {
		return f.Channel == channel && f.Event != nil && len(f.Raw) > 0
	})
}

package session

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// OneProcess says, in one sentence, how a program shows that a second copy of it ends while the first one
// runs: copies that were started side by side ended before they said anything, and stay when they are started
// one after the other. Those revisions are served from then on. It is empty if the program does not. What
// ends over server/discover alone is not asked again. The sessions that were left open are closed if anything
// is asked.
func (f *Found) OneProcess(ctx context.Context) string {
	all := slices.Sorted(maps.Keys(f.ended))
	if f.asked < 2 || len(all) == 0 || all[0].Modern() && f.asked > 2 {
		return ""
	}
	first := f.ended[all[0]]
	f.Close()
	f.opts.Spare = false
	f.each(ctx, all, 1)
	served := slices.DeleteFunc(slices.Clone(all), func(rev requirement.Revision) bool {
		return !slices.Contains(f.Served, rev)
	})
	if len(served) == 0 {
		return ""
	}
	f.guess()
	slices.Sort(f.Served)
	return fmt.Sprintf("of %d processes that were started side by side %d ended before they had said "+
		"anything (%s), and %d of these stayed when they were started one after the other",
		f.asked, len(all), first, len(served))
}

// Single says, in one sentence, how a target of Streamable HTTP shows that it keeps one session at a time: it
// ends one when another begins, which it may at any time (2025-03-26 basic/transports#session-management), or
// refuses one until the other has ended. It is empty if the target does neither. The sessions in f.Open may
// have ended meanwhile.
func (f *Found) Single(ctx context.Context) string {
	var open []*Session
	for rev, s := range f.Open {
		if !rev.Modern() && s.HTTPSession() != "" {
			open = append(open, s)
		}
	}
	if f.over() != requirement.HTTP || len(open) == 0 && len(f.Offered) == 0 {
		return ""
	}
	another := func(rev requirement.Revision) (*Session, error) {
		s, err := f.open(ctx, rev, recording.Probe)
		if err != nil {
			s.Close(ctx)
		}
		return s, err
	}
	if len(open) == 1 && len(f.refused) == 0 {
		rev := open[0].opts.Revision
		s, err := another(rev)
		switch {
		case err == nil:
			defer s.Close(ctx)
			open = append(open, s)
		case refusal(err):
			f.refused[rev] = err.Error()
		}
	}
	if len(open) < 2 {
		for rev, why := range f.refused {
			for _, s := range open {
				f.shut(s.opts.Revision)
			}
			s, err := another(rev)
			if err != nil {
				continue // other sessions were not the reason
			}
			s.Close(ctx)
			return fmt.Sprintf("it refused a session while another one stood (%s), and opened it after "+
				"that one had ended", why)
		}
		return ""
	}
	if gone, _ := ended(ctx, open); !gone {
		return ""
	}
	// What ended it may have been the end of another one, such as of a handshake in a revision that is not
	// served. Two that nothing happens to tell.
	var two []*Session
	for range 2 {
		s, err := another(open[0].opts.Revision)
		if err != nil {
			return ""
		}
		defer s.Close(ctx)
		two = append(two, s)
	}
	if gone, stands := ended(ctx, two); !gone || !stands {
		return ""
	}
	// One that has ended does not come back, unlike one behind a gateway that finds nothing now and then.
	if gone, _ := ended(ctx, two[:1]); !gone {
		two[0], two[1] = two[1], two[0]
	}
	const looks = 5
	for range looks {
		if gone, _ := ended(ctx, two[:1]); !gone {
			return ""
		}
	}
	return "it had ended one session with HTTP 404 when another one had begun"
}

// ended reports whether some of several sessions have ended, and whether some stand.
func ended(ctx context.Context, all []*Session) (gone, stands bool) {
	life := make([]*recording.Exchange, len(all))
	var wg sync.WaitGroup
	for i, s := range all {
		wg.Go(func() {
			life[i] = s.Do(ctx, Request{Step: recording.StepAlive, Method: "ping", Timeout: s.opts.Timeout})
		})
	}
	wg.Wait()
	for _, x := range life {
		gone, stands = gone || x.Status == http.StatusNotFound, stands || x.Succeeded()
	}
	return gone, stands
}

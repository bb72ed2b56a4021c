package engine

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stuck is a server that answers no more after some requests, and at some time closes the connection of each.
type stuck struct {
	refusing
	after time.Duration
	all   atomic.Int64
}

func (s *stuck) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const answered = 100
	if s.all.Add(1) <= answered {
		s.refusing.ServeHTTP(w, r)
		return
	}
	select {
	case <-time.After(s.after):
	case <-r.Context().Done():
	}
	panic(http.ErrAbortHandler)
}

// TestClosedIsNotHung: of a server that closes connections it is not said that requests were waited for in
// full.
func TestClosedIsNotHung(t *testing.T) {
	for after, hangs := range map[time.Duration]bool{8 * time.Second: false, time.Hour: true} {
		synctest.Test(t, func(t *testing.T) {
			s := &stuck{refusing: refusing{status: http.StatusOK, heard: map[string]int{}}, after: after}
			r := judgedOverHTTP(t, s, time.Minute)
			time.Sleep(2 * time.Hour) // what is left in the server ends
			report := r.Report(false)
			if got := report.Target.Endpoints[0].Hung; report.Summary.Interrupted != "budget" ||
				(got != "") != hangs {
				t.Errorf("closed after %s: %s, %q", after, report.Summary.Interrupted, got)
			}
		})
	}
}

package transport

import (
	"testing"
	"time"
)

// TestProcessAtWork: what is at work when its time is over is waited for, at its end and at its
// start; only Linux tells. The time is a little less than the work takes: three times as much of it
// leaves a busy machine seconds to start the process and to end it.
func TestProcessAtWork(t *testing.T) {
	p := target("labours")
	p.CloseWait = labourTime - 100*time.Millisecond
	c, l := dial(t, p)
	l.await(t, "the sign of life", in(`{"ready":true}`))
	if e := c.Close(t.Context()); e.How != "exited" || e.Took < labourTime {
		t.Errorf("got %+v", e)
	}
	gone(t, c)

	served := program("served-labours")
	served.StartWait = labourTime - 100*time.Millisecond
	s := NewServer(served)
	defer s.Close()
	if err := s.Start(t.Context()); err != nil {
		t.Error(err)
	}
}

package transport

import "testing"

// TestProcessAtWork: what is at work when its time is over is waited for, at its end and at its
// start; only Linux tells.
func TestProcessAtWork(t *testing.T) {
	p := target("labours")
	p.CloseWait = labourTime * 4 / 5
	c, l := dial(t, p)
	l.await(t, "the sign of life", in(`{"ready":true}`))
	if e := c.Close(t.Context()); e.How != "exited" || e.Took < labourTime {
		t.Errorf("got %+v", e)
	}
	gone(t, c)

	served := program("served-labours")
	served.StartWait = labourTime * 4 / 5
	s := NewServer(served)
	defer s.Close()
	if err := s.Start(t.Context()); err != nil {
		t.Error(err)
	}
}

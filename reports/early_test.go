package reports

import (
	"strings"
	"testing"
)

// TestOneAtATime: where the time was spent on a server that handles one request at a time, the reason why the
// run ended says it.
func TestOneAtATime(t *testing.T) {
	for interrupted, want := range map[string]bool{"budget": true, "interrupted": false} {
		r := sample()
		r.Summary.Interrupted = interrupted
		r.Target.Endpoints[0].OneAtATime = "none of 9 requests was answered"
		if text := r.EndedEarly(); strings.Contains(text, "; none of 9 requests was answered") != want {
			t.Errorf("%s: %q", interrupted, text)
		}
	}
}

// TestHung: more time would not help with an endpoint that answers nothing any more.
func TestHung(t *testing.T) {
	r := sample()
	r.Summary.Interrupted = "budget"
	r.Target.Endpoints[0].Hung = "nothing has come from it"
	if text := r.EndedEarly(); !strings.HasSuffix(text, "was spent; nothing has come from it") {
		t.Errorf("%q", text)
	}
}

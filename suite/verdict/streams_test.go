package verdict_test

import (
	"net/http"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// passing is a stream of GET that ends behind an update and some progress, and the one that follows, on which
// both come again, and a response; last is the Last-Event-ID of the second one.
func passing(last string) *recording.Recording {
	r := rt.New(recording.Changes, rt.Facts(requirement.Combination{Revision: requirement.R20251125,
		Transport: requirement.HTTP}, `{}`), rt.Line{Session: "s1", Incoming: []string{"{}"}})
	r.Frames = nil
	add := func(f wire.Frame) {
		f.Number, f.Session = len(r.Frames)+1, "s1"
		r.Frames = append(r.Frames, f)
	}
	get := func(last string) *wire.HTTP {
		h := &wire.HTTP{Method: http.MethodGet, Header: http.Header{}}
		if last != "" {
			h.Header.Set("Last-Event-ID", last)
		}
		return h
	}
	update, progress := []byte(`{"jsonrpc":"2.0","method":"notifications/resources/updated",`+
		`"params":{"uri":"a:1"}}`),
		[]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p",`+
			`"progress":1}}`)
	add(wire.Frame{Dir: wire.Out, Channel: "get:1", HTTP: get("")})
	r.Marks = append(r.Marks, recording.Mark{Name: recording.MarkUpdate, After: 1})
	add(wire.Frame{Dir: wire.In, Channel: "get:1", Raw: update, Event: &wire.Event{ID: "1", HasID: true}})
	add(wire.Frame{Dir: wire.In, Channel: "get:1", Raw: progress, Event: &wire.Event{ID: "2", HasID: true}})
	add(wire.Frame{Dir: wire.Out, Channel: "get:2", HTTP: get(last)})
	add(wire.Frame{Dir: wire.In, Channel: "get:2", Raw: update, Event: &wire.Event{ID: "1", HasID: true}})
	add(wire.Frame{Dir: wire.In, Channel: "get:2", Raw: progress, Event: &wire.Event{ID: "2", HasID: true}})
	add(wire.Frame{Dir: wire.In, Channel: "get:2", Raw: []byte(`{"jsonrpc":"2.0","id":7,"result":{}}`),
		Event: &wire.Event{}})
	return r
}

// TestStreamsThatEnd: a stream of GET that takes the place of one that ended is one as well, unless it goes
// on with the answer to a request. What it brings once more was heard before; where no id said how to go on,
// something may be lost.
func TestStreamsThatEnd(t *testing.T) {
	for last, want := range map[string]struct {
		updates      int
		onGet, lossy bool
	}{
		"": {2, true, true}, "1": {1, true, false}, "of-a-request": {1, false, false},
	} {
		r := passing(last)
		if got := len(verdict.Only(r.Hear("s1", 0), verdict.Updated)); got != want.updates {
			t.Errorf("%q: %d updates", last, got)
		}
		if got := len(verdict.ProgressOf(verdict.New(r, nil))); got != want.updates {
			t.Errorf("%q: progress %d times", last, got)
		}
		if got := r.OnGet(r.Frame(7)); got != want.onGet {
			t.Errorf("%q: on GET: %v", last, got)
		}
		if got := verdict.New(r, nil).LostSession("s1"); got != want.lossy {
			t.Errorf("%q: lost: %v", last, got)
		}
	}
}

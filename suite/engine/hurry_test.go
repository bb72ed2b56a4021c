package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/sub"

	"github.com/mcpcheck/mcpcheck/suite/area/capability"
	"github.com/mcpcheck/mcpcheck/suite/area/page"

	"github.com/mcpcheck/mcpcheck/suite/area/stdio"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// How processes end shows in a few of the scenarios that had one of their own; whatever
// else is red is repeated where it was seen.
func TestEndingsAreRepeatedInAFewScenarios(t *testing.T) {
	c := requirement.Combination{Revision: requirement.R20260728, Transport: requirement.Stdio}
	ends := func(kind recording.Kind, how string) *recording.Recording {
		return &recording.Recording{Sessions: []*recording.Session{{Kind: kind,
			Ending: &recording.Ending{By: "us", How: how}}}}
	}
	stayed := map[recording.Name]*recording.Recording{
		recording.Everything: ends(recording.Clean, "terminated"), stdio.Framing: ends(recording.Probe,
			"killed"),
		capability.Capabilities: ends(recording.Clean, "exited"),
		recording.MissingReads:  ends(recording.Clean, "killed"),
		recording.Reads:         ends(recording.Clean, "terminated"),
		recording.WalkResources: ends(recording.Clean,
			"terminated"),
		sub.Shutdown: ends(recording.Clean, "terminated"), // it changes the target
	}
	for name, x := range map[string]struct {
		id     string
		frames []int
		takes  map[recording.Name]*recording.Recording
		want   int
	}{
		"they stay":               {"STDIO-08", nil, stayed, 2},
		"frames show it":          {"STDIO-03", []int{5}, stayed, 5},
		"it is not about the end": {"RPC-09", nil, stayed, 5},
		"no scenario had a session": {"STDIO-08", nil,
			map[recording.Name]*recording.Recording{recording.Reads: {}, stdio.Framing: {}}, 2},
	} {
		req, ok := area.Catalogue().Find(x.id)
		if !ok {
			t.Fatal(x.id)
		}
		j := &Judgement{Row: Row{Requirement: req, Combination: c}}
		j.From, j.Frames = []recording.Name{recording.Everything}, x.frames
		r := &Run{catalogue: catalogue{Set: area.BuiltIn()}, transcript: wire.NewTranscript(wire.Budget{}),
			takes: round{c: {Recordings: x.takes}}}
		if left := r.left(j, 0); len(left) != x.want {
			t.Errorf("%s: %v", name, left)
		}
	}
}

// What came unasked on a shared session is repeated with the scenario that had asked for it in
// another one: without that it does not come again.
func TestStraysAreRepeatedWithWhatTheyAnswer(t *testing.T) {
	tr := wire.NewTranscript(wire.Budget{})
	say := func(session string, dir wire.Direction, raw string) int {
		n, _ := tr.Add(wire.Frame{Session: session, Dir: dir, Raw: []byte(raw)})
		return n
	}
	request := say("s2", wire.Out, `{"id":7701,"method":"ping"}`)
	answer := say("s2", wire.In, `{"id":7701,"result":{}}`)
	stray := say("s1", wire.In, `{"id":7701,"result":{}}`)
	asks := func(session, id string, frames ...int) *recording.Recording {
		return &recording.Recording{Exchanges: []*recording.Exchange{{Session: session, ID: []byte(id),
			Took: time.Minute, Request: frames[0], Replies: frames[1:]}}}
	}
	takes := map[recording.Name]*recording.Recording{
		recording.TwoClients: asks("s2", "7701", request, answer), recording.Reads: asks("s3", "7702", 10,
			11), recording.WalkResources: asks("s1", "1", 12, 13),
	}
	req, ok := area.Catalogue().Find("RPC-02")
	if !ok {
		t.Fatal("there is no RPC-02")
	}
	j := &Judgement{Row: Row{Requirement: req}}
	for frame, want := range map[int][]recording.Name{stray: {recording.WalkResources, recording.TwoClients},
		answer: {recording.TwoClients}} {
		j.From, j.Frames = []recording.Name{recording.Everything}, []int{frame}
		r := &Run{catalogue: catalogue{Set: area.BuiltIn()}, transcript: tr,
			takes: round{{}: {Recordings: takes}}}
		if got := slices.Sorted(slices.Values(r.left(j, 0))); !slices.Equal(got,
			slices.Sorted(slices.Values(want))) {
			t.Errorf("frame %d: %v, expected %v", frame, got, want)
		}
	}
}

// Scripts that borrow a session follow one another, after those that need one of their own:
// nothing has to be closed between them.
func TestBorrowersFollowOneAnother(t *testing.T) {
	var got []recording.Name
	for _, sc := range (catalogue{Set: area.BuiltIn()}).inOrder(map[recording.Name]bool{
		recording.MissingReads: true, recording.MalformedReads: true, page.Paging: true,
	}) {
		got = append(got, sc.Name)
	}
	if want := []recording.Name{page.Paging, recording.MissingReads, recording.MalformedReads}; !slices.Equal(
		got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

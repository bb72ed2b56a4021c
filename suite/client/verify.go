package client

import (
	"io"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TB is what Verify needs of a test.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// How long Verify waits for the server to note that clients have gone, and how often it looks.
const (
	noticing = time.Second
	looks    = 100
)

// Verify fails the test for every requirement that the client under test broke so far;
// warnings count as well. The journal is that of a mock server, in its JSON form. All of it
// is of one client, which is taken to have done all that it wants to do: call it last, after
// the client has been closed. A client that sent nothing fails the test, too. A connection that
// the client has just closed is waited for, up to a second. For a milder judgement use [Judge].
func Verify(t TB, journal io.WriterTo) {
	t.Helper()
	j, err := From(journal)
	for look := 0; err == nil && j.open() && look < looks; look++ {
		time.Sleep(noticing / looks)
		var later Journal
		if later, err = From(journal); len(later.entries) > len(j.entries) {
			j = later
		}
	}
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	r := Judge(j, Options{Ended: true, SingleClient: true, Strict: true})
	if len(r.Results) == 0 {
		t.Errorf("no client has sent anything")
	}
	for i := range r.Results {
		if x := &r.Results[i]; x.Verdict.Red() {
			t.Errorf("%s %s on %s: %s", x.ID, x.Verdict, x.Transport, r.Finding(x))
		}
	}
}

// open reports whether a connection with the framing of stdio is not noted as closed: a client
// that has closed its end cannot know when the server has read what came before.
func (j Journal) open() bool {
	last := map[string]*entry{}
	for _, e := range j.entries {
		if e.Transport == requirement.Stdio {
			last[e.Session] = e
		}
	}
	for _, e := range last {
		if e.Kind != kindClosed || e.Scope != "connection" {
			return true
		}
	}
	return false
}
